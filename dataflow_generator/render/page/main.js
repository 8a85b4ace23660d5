// User input: keys, clicks, dragging; and the initial view.
// Redraws; the selected item, or *held*, keeps its position on the screen.
function refresh({fit: fits = false, held = state.selected && state.selected.card} = {}) {
  const before = {...drawing.boxes.get(held)};
  document.documentElement.dataset.theme = state.theme;
  document.getElementById("fold").textContent = state.folded.size ? "Open all" : "Collapse";
  const scale = drawing.scale;
  drawOutline();
  drawPanel();
  showSides();
  draw(fits);
  viewport.k *= scale / drawing.scale;
  drawMap();
  drawFooter();
  drawScans();
  writeAddress();
  if (fits) {
    grow();
    fit();
  } else keep(before, drawing.boxes.get(held));
  hooks.refreshed();
}

function keep(before, after) {
  if (before.id && after) {
    viewport.x += (before.x - after.x) * viewport.k;
    viewport.y += (before.y - after.y) * viewport.k;
  }
  show();
}

// The outline and the panel take room only while they are of use.
function showSides() {
  document.querySelector("main").className = [state.outlined && "outlined", (state.selected || state.link || state.about || shownScans.base !== null) && "detailed", state.below && "below"]
    .filter(Boolean)
    .join(" ");
  document.getElementById("outlined").setAttribute("aria-pressed", String(state.outlined));
}

function look(node, {bring: brings = false} = {}) {
  state.about = false;
  select(node);
  refresh();
  if (brings && node) bringLineage(node);
}

// Lays out and shows all that is drawn, as large as there is room for; a lineage alone is always legible.
function fitAgain() {
  refresh({fit: true});
  if (focusedCards()) bringLineage(state.selected);
}

// Shows all of a node's lineage: alone, if it is too far apart in the whole drawing to be legible.
function bringLineage(node) {
  const boxesOf = () => {
    const own = drawing.boxes.get(node.card) || drawing.order.find((box) => box.group && box.group.node === node);
    const others = state.lineage ? [...state.lineage.nodes].map((other) => drawing.boxes.get(other.card)) : [];
    return [own, ...others];
  };
  if (bring(boxesOf()) || !state.lineage) return;
  state.focus = true;
  // A long way needs the width that the panel takes beside it.
  for (const below of [false, true]) {
    state.below = below;
    refresh({fit: true});
    if (viewport.k * drawing.scale >= LEGIBLE) return;
  }
  // Still too large: legible around the node, and the overview map has the rest.
  const [own, ...others] = boxesOf();
  bringFirst(own, others);
}

function drawFooter() {
  const {coverage, part} = graph.about;
  const still = graph.cards.length - flowing.size;
  const words = [
    part && `part of the graph: ${part}`,
    `${graph.nodes.length} nodes, ${graph.edges.length} edges${graph.live ? " loaded" : ""}${shownScans.base ? " in either scan" : ""}`,
    still ? `${still} without known flow${state.still ? "" : ", hidden"}` : "",
    state.folded.size ? `${state.folded.size} of ${graph.groups.size} clusters and systems are collapsed` : "",
    coverage.unread ? `${coverage.unread} statements not parsed` : "",
    coverage.unread_files ? `${coverage.unread_files} ${coverage.unread_files === 1 ? "file" : "files"} not read` : "",
    coverage.tables ? `${coverage.tables} statements without columns` : "",
    coverage.unknown_connectors ? `${coverage.unknown_connectors} connectors of unknown classes` : "",
    ...Object.entries(graph.leftOut).map(([kind, count]) => `${count} ${kind}s of schemas omitted`),
    ...hooks.footer(),
  ];
  const problems = (coverage.problems || []).length;
  const button = act(problems ? `${problems} problem${problems === 1 ? "" : "s"}` : "problems", () => (state.about = true), {class: "refer"});
  const counted = make("span", {}, words.filter(Boolean).join(" · "));
  document.getElementById("footer").replaceChildren(counted, " · ", button);
  const toggle = document.getElementById("still");
  toggle.disabled = !still;
  toggle.textContent = still ? `Without flow (${still})` : "Without flow";
  toggle.setAttribute("aria-pressed", String(Boolean(still && state.still)));
}

const DO = {
  in: () => zoom(1.25),
  out: () => zoom(0.8),
  fit: fitAgain,
  still: () => {
    state.still = !state.still;
    refresh({fit: true});
  },
  fold: () => {
    const whole = graph.cards.some(({attributes}) => attributes.members);
    state.folded = new Set(state.folded.size && !whole ? [] : [...graph.groups.values()].filter((group) => group.cards.length));
    refresh({fit: true});
  },
  theme: () => {
    const dark = state.theme === "dark" || (!state.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    state.theme = dark ? "light" : "dark";
    refresh();
  },
  outline: () => {
    state.outlined = !state.outlined;
    refresh({fit: true});
  },
  help: () => {
    state.about = !state.about;
    refresh();
    if (state.about) document.getElementById("keys").focus();
  },
  none: () => {
    look(null);
    if (document.activeElement === document.body) stage.focus();
  },
  panel: focusPanel,
  focus: () => {
    state.focus = !state.focus;
    fitAgain();
  },
  svg: saveSvg,
  png: savePng,
};
const KEYS = {
  "+": "in",
  "=": "in",
  "-": "out",
  0: "fit",
  i: "still",
  g: "fold",
  d: "theme",
  "?": "help",
  p: "panel",
  o: "outline",
  f: "focus",
  Escape: "none",
};

document.querySelector("nav").addEventListener("click", (event) => {
  const what = event.target.dataset.do;
  if (what) DO[what]();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || [search, base].includes(event.target)) return;
  if (KEYS[event.key]) {
    event.preventDefault();
    DO[KEYS[event.key]]();
  }
});

// --- the drawing

stage.addEventListener("click", (event) => {
  if (moved) return;
  const card = event.target.closest(".card"),
    line = event.target.closest(".curve");
  if (line) {
    pick(line.edges);
    refresh();
  } else if (card) clickCard(card.box, event);
});

function clickCard(box, event) {
  const row = event.target.closest(".row");
  if (box.group) {
    if (hooks.openGroup(box.group)) return;
    state.folded.delete(box.group);
    refresh();
    bring(box.group.cards.slice(0, 40).map((card) => drawing.boxes.get(card)));
  } else if (event.target.closest(".twist") || (event.detail === 2 && !row)) {
    flip(state.open, box.card);
    refresh({held: box.card});
  } else if (row && row.row) look(row.row.column);
  else if (row) {
    state.full.add(box.card);
    refresh({held: box.card});
  } else look(box.card);
  focusCard(box.card);
}

function focusCard(card) {
  const element = card && [...world.querySelectorAll(".card")].find((shown) => shown.box.stands.includes(card));
  (element || stage).focus({preventScroll: true});
}

stage.addEventListener("keydown", (event) => {
  const card = event.target.closest(".card");
  if (event.target.closest("button") && ["Enter", " "].includes(event.key)) return;
  const acts = card ? cardKeys(card.box) : stageKeys();
  const key = (event.shiftKey && event.key.startsWith("Arrow") ? "Shift " : "") + event.key;
  if (!acts[key]) return;
  event.preventDefault();
  event.stopPropagation();
  acts[key]();
});

function stageKeys() {
  const by = (x, y) => () => {
    viewport.x += x;
    viewport.y += y;
    show();
  };
  const enter = () =>
    drawing.order.length && step((state.selected && drawing.boxes.get(state.selected.card)) || drawing.order[0]);
  return {ArrowLeft: by(60, 0), ArrowRight: by(-60, 0), ArrowUp: by(0, 60), ArrowDown: by(0, -60), Enter: enter};
}

function cardKeys(box) {
  const beside = (forward) => () => {
    const nodes = graph.links
      .filter((link) => box.stands.includes(forward ? link.source : link.target))
      .map((link) => drawing.boxes.get(forward ? link.target : link.source))
      .filter((neighbour) => neighbour && neighbour !== box);
    step(nodes.sort((a, b) => Math.abs(a.y - box.y) - Math.abs(b.y - box.y))[0]);
  };
  const along = (by) => () => {
    const same = drawing.order.filter((other) => Math.abs(other.x - box.x) < 40).sort((a, b) => a.y - b.y);
    step(same[same.indexOf(box) + by]);
  };
  const open = () => {
    if (box.group && hooks.openGroup(box.group)) return;
    if (box.group) state.folded.delete(box.group);
    else flip(state.open, box.card);
    refresh({held: box.card});
    focusCard(box.stands[0]);
  };
  return {
    ArrowLeft: beside(false),
    ArrowRight: beside(true),
    ArrowUp: along(-1),
    ArrowDown: along(1),
    " ": open,
    Enter: () => (box.group ? open() : (look(box.card), focusCard(box.card))),
    ...hooks.cardKeys(box),
  };
}

function step(box) {
  if (!box) return;
  const element = [...world.querySelectorAll(".card")].find((shown) => shown.box === box);
  if (!inView(box)) bring([box]);
  element.focus({preventScroll: true});
}

// --- panning

let hold = null,
  moved = false;

stage.addEventListener("pointerdown", (event) => {
  moved = false;
  if (event.button === 0) hold = {x: event.clientX, y: event.clientY};
});

window.addEventListener("pointermove", (event) => {
  if (!hold) return;
  const x = event.clientX - hold.x,
    y = event.clientY - hold.y;
  if (!moved && Math.hypot(x, y) < 4) return;
  moved = true;
  stage.classList.add("moving");
  viewport.x += x;
  viewport.y += y;
  hold = {x: event.clientX, y: event.clientY};
  show();
});

for (const ending of ["pointerup", "pointercancel"]) {
  window.addEventListener(ending, () => {
    hold = null;
    stage.classList.remove("moving");
  });
}

stage.addEventListener(
  "wheel",
  (event) => {
    if (hooks.frame() && !event.ctrlKey) return; // scrolls the page that the drawing is in
    event.preventDefault();
    const frame = stage.getBoundingClientRect();
    zoom(
      Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)),
      event.clientX - frame.left,
      event.clientY - frame.top,
    );
  },
  {passive: false},
);

// --- initial view

function open() {
  readAddress();
  const clusters = [...graph.groups.values()]
    .filter((group) => group.kind === "cluster")
    .map((group) => group.label)
    .join(", ");
  if (!graph.live) document.getElementById("about").replaceChildren(text(clusters));
  document.title = ["Data flow", clusters].filter(Boolean).join(" · ");
  refresh({fit: true});
  start();
  if (state.link) bring([state.link[0].source, state.link[0].target].map((node) => drawing.boxes.get(node.card)));
  else if (state.selected) bringLineage(state.selected);
}

window.addEventListener("hashchange", () => hooks.start());
let width = stage.clientWidth;
window.addEventListener("resize", () => {
  const wider = stage.clientWidth !== width;
  width = stage.clientWidth;
  if (wider && focusedCards()) fitAgain();
  else if (viewport.k < 0.02) start(); // a hidden page had no size
  else show();
});
if (!graph.live) open();
