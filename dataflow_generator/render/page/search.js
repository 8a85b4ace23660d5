// The search field: hits while typing, and the one that is taken.
const search = document.getElementById("search"),
  hits = document.getElementById("hits");
const MOST_HITS = 30;
const CHOOSABLE = "[role=option]:not([aria-disabled])";
let index = null,
  entered = false;

function forgetNames() {
  index = null;
}

function matchesOf(words) {
  index = index || graph.nodes.map((node) => [nameOf(node).toLocaleLowerCase(), node]);
  const wanted = words.trim().toLocaleLowerCase();
  if (!wanted) return [];
  const rank = ([name]) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2);
  const all = index.filter(([name, node]) => name.includes(wanted) && node.card !== undefined);
  const weigh = (hit) =>
    rank(hit) * 4 + (hit[1].kind === "column" ? (hit[1].in.length + hit[1].out.length ? 1 : 2) : 0);
  return all
    .map((hit, at) => [weigh(hit), at, hit[1]])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .map((hit) => hit[2]);
}

function findHits() {
  entered = false;
  if (hooks.search) hooks.search(search.value, drawHits);
  else drawHits(matchesOf(search.value));
}

function drawHits(all) {
  if (entered && all.length) {
    take(all[0]);
    return;
  }
  const listed = all.slice(0, MOST_HITS).map(hitElement);
  const more = all.length > MOST_HITS ? [hitNote(`${all.length - MOST_HITS} more; refine the search`)] : [];
  const none = !all.length && search.value.trim() ? [hitNote("No match.")] : [];
  hits.replaceChildren(...listed, ...more, ...none);
  hits.hidden = !hits.children.length;
  search.setAttribute("aria-expanded", String(!hits.hidden));
  if (listed.length) search.setAttribute("aria-activedescendant", listed[0].id);
  else search.removeAttribute("aria-activedescendant");
}

function hitElement(node, at) {
  const hit = make(
    "li",
    {
      role: "option",
      id: `hit${at}`,
      class: `kind-${cssName(node.kind)}`,
      "data-key": node.key,
      "aria-selected": String(at === 0),
    },
    [
      make("span", {class: "icon", "aria-hidden": "true"}, ICONS[node.kind] || "◆"),
      make("bdi", {class: "name", dir: "auto"}, nameOf(node)),
      make("span", {class: "note"}, [node.kind, node.where].filter(Boolean).join(" · ")),
    ],
  );
  hit.node = node;
  hit.onmousedown = (event) => {
    event.preventDefault();
    take(node);
  };
  return hit;
}

function hitNote(words) {
  return make("li", {class: "note", role: "option", "aria-disabled": "true", "aria-selected": "false"}, words);
}

function closeHits() {
  entered = false;
  hits.hidden = true;
  search.setAttribute("aria-expanded", "false");
  search.removeAttribute("aria-activedescendant");
}

function take(node) {
  closeHits();
  search.blur();
  if (hooks.take) {
    hooks.take(node);
    return;
  }
  look(node, {bring: true});
  focusCard(node.card);
}

search.addEventListener("input", findHits);
search.addEventListener("focus", findHits);
search.addEventListener("blur", closeHits);
search.addEventListener("keydown", (event) => {
  const options = [...hits.querySelectorAll(CHOOSABLE)];
  const at = options.findIndex((hit) => hit.ariaSelected === "true");
  const to = {ArrowDown: at + 1, ArrowUp: at - 1}[event.key];
  if (event.key === "Escape") search.blur();
  else if (event.key === "/" && !search.value) event.preventDefault();
  else if (event.key === "Enter" && hooks.searching()) entered = true;
  else if (event.key === "Enter" && options[at]) take(options[at].node);
  else if (to !== undefined && options[to]) {
    event.preventDefault();
    options[at].ariaSelected = "false";
    options[to].ariaSelected = "true";
    search.setAttribute("aria-activedescendant", options[to].id);
    options[to].scrollIntoView({block: "nearest"});
  }
});
