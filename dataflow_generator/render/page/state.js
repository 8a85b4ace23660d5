// The state of the view, stored in the URL fragment, so that a view can be saved and shared.
const MOST_ROWS = 30,
  MOST_STILL = 60,
  MOST_CARDS = 300,
  MOST_BRANCHES = 200;

const state = {
  selected: null,
  link: null,
  lineage: null,
  open: new Set(),
  full: new Set(),
  folded: new Set(),
  shut: new Set(),
  listed: new Set(),
  still: true,
  theme: "",
  about: false,
  focus: false,
  outlined: false,
  below: false,
};
let flowing = flowingCards(),
  viewed = null;

function flowingCards() {
  const hiding = graph.cards.filter((card) => hooks.hidden(card, true) || hooks.hidden(card, false));
  return new Set([...hiding, ...graph.links.flatMap((link) => [link.source, link.target])]);
}

// Replaces the graph; what was selected, open or collapsed stays so, where it is still there.
function replaceGraph(raw) {
  const keyOf = (item) => item && item.key;
  const [selected, edges] = [keyOf(state.selected), (state.link || []).map((edge) => [edge.source.key, edge.target.key])];
  const cards = [state.open, state.full].map((set) => [...set].map(keyOf));
  const groups = [state.folded, state.shut, state.listed].map((set) => [...set].map(keyOf));
  graph = readGraph(raw);
  SECTIONS.clear();
  flowing = flowingCards();
  forgetNames();
  [state.open, state.full] = cards.map((keys) => new Set(keys.map((key) => graph.byKey.get(key)).filter(Boolean)));
  [state.folded, state.shut, state.listed] = groups.map((keys) => new Set(keys.map((key) => graph.groups.get(key)).filter(Boolean)));
  select(graph.byKey.get(selected) || null);
  const ends = new Set(edges.map(String));
  pick(edges.length ? graph.edges.filter((edge) => ends.has(String([edge.source.key, edge.target.key]))) : []);
}

// Reads which scans are shown, and the graph of them where these are others.
function readScans(params) {
  const number = (name) => scans.find((scan) => String(scan) === params.get(name));
  const at = number("scan") ?? shownScans.at;
  const base = params.has("base") ? (number("base") ?? null) : shownScans.base;
  if (at === shownScans.at && base === shownScans.base) return;
  Object.assign(shownScans, {at, base});
  graph = readGraph(rawGraph());
  SECTIONS.clear();
  flowing = flowingCards();
}

// The address as it was read or written last: another one is a link that was followed and is still to be read.
let address = null;

function readAddress() {
  const params = new URLSearchParams(location.hash.slice(1));
  address = location.hash;
  viewed = null;
  readScans(params);
  const known = (name) =>
    params
      .getAll(name)
      .map((key) => graph.byKey.get(key))
      .filter(Boolean);
  const still = graph.cards.length - flowing.size;
  state.open = new Set(
    params.get("expand") === "*"
      ? graph.cards
      : known("expand")
          .map((node) => node.card)
          .filter(Boolean),
  );
  state.folded = new Set(
    params
      .getAll("fold")
      .map((key) => graph.groups.get(key))
      .filter(Boolean),
  );
  const systems = graph.cards.some(({attributes}) => attributes.members);
  if (systems || (!params.has("fold") && graph.cards.length > MOST_CARDS)) state.folded = new Set(graph.groups.values());
  if (params.get("fold") === "*") state.folded = new Set(graph.groups.values());
  state.still = params.has("still") ? params.get("still") === "1" : still <= Math.min(MOST_STILL, flowing.size) || !flowing.size;
  state.theme = ["light", "dark"].includes(params.get("theme")) ? params.get("theme") : hooks.theme();
  state.about = params.has("about");
  state.focus = params.has("focus");
  state.outlined = params.has("outline");
  select(known("node")[0] || null);
  const [from, to] = [known("from")[0], known("to")[0]];
  if (from && to) pick(graph.edges.filter((edge) => edge.source === from && edge.target === to));
}

function writeAddress() {
  if (address !== null && location.hash !== address) return;
  const params = new URLSearchParams();
  const usual = graph.live && shownScans.base === null && shownScans.at === scans[scans.length - 1];
  if (scans.length > 1 && !usual) {
    params.set("scan", shownScans.at);
    params.set("base", shownScans.base ?? "");
  }
  if (state.selected) params.set("node", state.selected.key);
  if (state.link && state.link.length) {
    params.set("from", state.link[0].source.key);
    params.set("to", state.link[0].target.key);
  }
  for (const card of state.open) params.append("expand", card.key);
  for (const group of state.folded) params.append("fold", group.key);
  if (!state.folded.size && graph.cards.length > MOST_CARDS) params.set("fold", "");
  params.set("still", state.still ? "1" : "0");
  if (state.theme) params.set("theme", state.theme);
  if (state.about) params.set("about", "1");
  if (state.focus) params.set("focus", "1");
  if (state.outlined) params.set("outline", "1");
  hooks.address(params);
  // What is selected, or listed, is a step to go back from; its presentation is not.
  const view = ["node", "from", "to", "list"].map((name) => params.get(name)).join("\n");
  const step = viewed !== null && viewed !== view;
  viewed = view;
  history[step ? "pushState" : "replaceState"](null, "", `#${params}`);
  address = location.hash;
}

// Selects a node: highlights its upstream and downstream, and expands what hides it.
function select(node) {
  state.selected = node;
  state.below = false;
  state.link = null;
  state.lineage = node && node.kind !== "cluster" ? lineageOf(node) : null;
  if (!node) return;
  for (const member of state.lineage ? state.lineage.nodes : []) if (member.card) state.folded.delete(member.card.group);
  if (node.card && !flowing.has(node.card)) state.still = true;
  if (node.card && node.card !== node) reveal(node);
}

// A column without flow is visible only in an expanded card, up to the row limit.
function reveal(node) {
  const inFlow = node.in.length || node.out.length;
  if (!inFlow) state.open.add(node.card);
  const rows = sectionsOf(node.card).flatMap((section) => section.rows);
  if (rows.findIndex((row) => row.column === node || row.described === node) >= MOST_ROWS) state.full.add(node.card);
}

function pick(edges) {
  state.link = edges.length ? edges : null;
  state.about = false;
  for (const {source, target} of edges)
    for (const {card} of [source, target]) if (card) state.folded.delete(card.group);
}

function flip(set, member) {
  if (!set.delete(member)) set.add(member);
}
