// The drawing as a picture: SVG with the styles of the page written into it, and PNG painted from the SVG.
const PICTURE = {margin: 24, head: 52, foot: 34, longest: 16000, largest: 64e6, name: "data-flow"};
const PAINTED = ".icon, .name, .mark, .count, .type, .title, .expand, .doubt";
const UNPRINTABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function shape(tag, attributes, children = []) {
  return make(tag, attributes, children, SVG);
}

// Returns the text of an SVG file with all of the drawing, as it is shown but for the zoom, and its size.
function picture() {
  stage.classList.remove("far");
  try {
    return paintedDrawing(PICTURE.margin);
  } finally {
    show();
  }
}

function paintedDrawing(margin) {
  const legend = legendWords();
  const [title, date] = [pictureTitle(), hooks.date()];
  const widest = Math.max(drawing.w, legend.w, textWidth(title, "600 18px"), textWidth(date));
  const size = {width: Math.ceil(widest) + 2 * margin, height: Math.ceil(drawing.h) + PICTURE.head + PICTURE.foot + 2 * margin};
  const top = -margin - PICTURE.head;
  const viewBox = `${-margin} ${top} ${size.width} ${size.height}`;
  const {backgroundColor: ground, color: ink} = getComputedStyle(document.body);
  const root = shape("svg", {...size, viewBox}, [
    shape("title", {}, printable(title)),
    shape("rect", {x: -margin, y: top, ...size, fill: ground}),
    written(title, 0, top + margin + 16, ink, {"font-size": 18, "font-weight": 600}),
    written(date, 0, top + margin + 36, ink),
    ...legend.parts.map(([words, x, fill]) => written(words, x, drawing.h + margin + 14, fill || ink)),
    ...[...curves.querySelectorAll(".line, .tip")].map(paintedCurve),
    ...[...world.querySelectorAll(".card")].map(paintedCard),
    ...[...world.querySelectorAll(".caption")].map((caption) => words(caption, drawing.caption)),
  ]);
  return {text: new XMLSerializer().serializeToString(root), ...size};
}

// What the picture shows: the selected node, or all that is drawn.
function pictureTitle() {
  return state.selected ? `Lineage of ${nameOf(state.selected)}` : document.title;
}

function written(words, x, y, fill, more = {}) {
  const {fontFamily} = getComputedStyle(document.body);
  return shape("text", {x, y, fill, "font-size": 12, "font-family": fontFamily.replace(/"/g, "'"), ...more}, printable(words));
}

// The symbols of the kinds that are drawn, side by side.
function legendWords() {
  const kinds = [...new Set(drawing.order.flatMap((box) => (box.card ? [box.card.kind] : [])))];
  const parts = [];
  let x = 0;
  for (const kind of kinds) {
    const icon = world.querySelector(`.kind-${cssName(kind)} .icon`);
    const words = `${ICONS[kind] || "◆"} ${kind.replaceAll("-", " ")}`;
    parts.push([words, x, icon && getComputedStyle(icon).color]);
    x += textWidth(words) + 18;
  }
  if (curves.querySelector(".indirect")) parts.push(["dashed: filter, join, group, window", x, ""]);
  return {parts, w: x + (parts.length > kinds.length ? 240 : 0)};
}

function paintedCurve(path) {
  const style = getComputedStyle(path);
  const attributes = {d: path.getAttribute("d"), fill: style.fill, opacity: style.opacity};
  if (style.stroke !== "none") {
    Object.assign(attributes, {stroke: style.stroke, "stroke-width": parseFloat(style.strokeWidth)});
    if (style.strokeDasharray !== "none") attributes["stroke-dasharray"] = style.strokeDasharray.replace(/px/g, "");
    attributes["stroke-linecap"] = style.strokeLinecap;
  }
  return shape("path", attributes);
}

function paintedCard(card) {
  const {box} = card,
    style = getComputedStyle(card);
  const area = {x: box.x, y: box.y, width: box.w, height: box.h, rx: 7};
  const dash = {dotted: "2 3", dashed: "5 4"}[style.borderTopStyle];
  const rows = [...card.querySelectorAll(".row, .title")].map((row) => background(row, placeIn(row, card), 0));
  const inner = [...card.querySelectorAll(PAINTED)].filter((part) => part.offsetWidth);
  return shape("g", {}, [
    shape("rect", {...area, fill: style.backgroundColor}),
    ...rows.filter(Boolean),
    shape("rect", {x: box.x, y: box.y, width: 4, height: box.h, rx: 2, fill: style.borderLeftColor}),
    shape("rect", {...area, fill: "none", stroke: style.borderTopColor, "stroke-dasharray": dash}),
    ...inner.flatMap((part) => [background(part, placeIn(part, card), 4), words(part, placeIn(part, card))]),
  ]);
}

// Returns where an element is in the drawing: offsets are not scaled by the zoom.
function placeIn(element, card) {
  let x = card.box.x + card.clientLeft,
    y = card.box.y + card.clientTop;
  for (let at = element; at && at !== card; at = at.offsetParent) {
    x += at.offsetLeft;
    y += at.offsetTop;
  }
  return {x, y, w: element.offsetWidth, h: element.offsetHeight};
}

function background(element, {x, y, w, h}, rx) {
  const {backgroundColor: fill} = getComputedStyle(element);
  return fill === "rgba(0, 0, 0, 0)" ? null : shape("rect", {x, y, width: w, height: h, rx, fill});
}

function words(element, {x, y, w, h}) {
  const style = getComputedStyle(element);
  const size = parseFloat(style.fontSize),
    indent = parseFloat(style.paddingLeft);
  ruler.font = `${style.fontWeight} ${size}px ${style.fontFamily}`;
  const room = w ? w - 2 * indent : Infinity;
  const shown = cut(printable(element.textContent), room, element.classList);
  const attributes = {
    x: x + indent,
    y: y + (h || size) / 2 + size * 0.36,
    fill: style.color,
    opacity: style.opacity,
    "font-size": size,
    "font-weight": style.fontWeight,
    "font-family": style.fontFamily.replace(/"/g, "'"),
    "text-decoration": style.textDecorationLine === "none" ? null : style.textDecorationLine,
  };
  return shape("text", attributes, shown);
}

function printable(name) {
  return name.replace(UNPRINTABLE, "\uFFFD");
}

// Shortens a name to its room where its element does, by halving: a name may be very long.
function cut(name, room, classes) {
  const letters = [...name];
  const tail = classes.contains("middle") ? TAIL : 0;
  const part = (count) => {
    if (classes.contains("ending")) return `…${letters.slice(letters.length - count).join("")}`;
    return `${letters.slice(0, count).join("")}…${tail ? letters.slice(-tail).join("") : ""}`;
  };
  if (ruler.measureText(name).width <= room + 1) return name;
  let low = 0,
    high = letters.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (ruler.measureText(part(middle)).width <= room) low = middle;
    else high = middle;
  }
  return part(low);
}

function save(blob, suffix) {
  const address = URL.createObjectURL(blob);
  make("a", {href: address, download: `${PICTURE.name}.${suffix}`}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function saveSvg() {
  save(new Blob([picture().text], {type: "image/svg+xml"}), "svg");
}

// Twice the size of the drawing, or what a canvas can have at most.
async function savePng() {
  const {text: source, width, height} = picture();
  const k = Math.min(2, PICTURE.longest / Math.max(width, height), Math.sqrt(PICTURE.largest / (width * height)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  const canvas = make("canvas", {width: Math.floor(width * k), height: Math.floor(height * k)});
  try {
    await image.decode();
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("The drawing is too large for a PNG; save it as SVG.");
    save(blob, "png");
  } catch (error) {
    showError(error);
  }
}
