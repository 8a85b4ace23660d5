// Returns the texts of the page that overlap another one, are cut, or are smaller than 12 px, as they are on the screen.
() => {
  const bad = {small: [], cut: [], overlap: []};
  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const unread = ["SCRIPT", "STYLE", "OPTION", "NOSCRIPT"];
  const outside = (inner, outer) =>
    inner.right < outer.left + 1 || inner.left > outer.right - 1 || inner.bottom < outer.top + 1 || inner.top > outer.bottom - 1;
  const beyond = (inner, outer) =>
    inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 3 || inner.bottom > outer.bottom + 3;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || unread.includes(parent.tagName)) continue;
    if (!parent.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (!box.width || !box.height) continue;
      let shown = true;
      let cut = false;
      let visible = box;
      for (let at = parent; at && at !== document.body && shown; at = at.parentElement) {
        const {overflowX, overflowY} = getComputedStyle(at);
        if (overflowX === "visible" && overflowY === "visible") continue;
        const around = at.getBoundingClientRect();
        // What is outside a pane is reached by scrolling, or by moving the drawing; it is not cut.
        const pane = at.id === "stage" || [overflowX, overflowY].some((value) => ["auto", "scroll"].includes(value));
        if (pane) {
          shown = !(at.id === "stage" ? beyond(box, around) : outside(box, around));
          const [left, top] = [Math.max(box.left, around.left), Math.max(box.top, around.top)];
          visible = {left, top, right: Math.min(box.right, around.right), bottom: Math.min(box.bottom, around.bottom)};
          break;
        }
        cut = cut || beyond(box, around);
      }
      if (!shown) continue;
      const world = parent.closest(".world");
      const scale = world ? new DOMMatrix(getComputedStyle(world).transform).a : 1;
      const size = parseFloat(getComputedStyle(parent).fontSize) * scale;
      const words = node.data.trim().slice(0, 40);
      if (size < 11.95) bad.small.push(`${words} ${size.toFixed(1)}`);
      if (cut) bad.cut.push(words);
      // A header that stays while the page scrolls lies over it by design.
      if (!parent.closest("header")) seen.push([visible, words, parent]);
    }
  }
  for (const [at, [box, words, parent]] of seen.entries()) {
    for (const [other, otherWords, otherParent] of seen.slice(at + 1)) {
      const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
      const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
      if (across > 2 && down > 4 && parent !== otherParent) bad.overlap.push(`${words} | ${otherWords}`);
    }
  }
  return bad;
}
