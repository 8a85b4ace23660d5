// What is looked at now. It stands in the address after #, so that a view can be kept, sent and opened again.
const MOST_ROWS = 30,
  MOST_STILL = 60,
  MOST_CARDS = 800;

const state = {
  selected: null,
  link: null,
  way: null,
  open: new Set(),
  full: new Set(),
  folded: new Set(),
  shut: new Set(),
  still: true,
  theme: "",
  about: false,
};
const flowing = new Set(graph.links.flatMap((link) => [link.source, link.target]));

function readAddress() {
  const told = new URLSearchParams(location.hash.slice(1));
  const known = (name) =>
    told
      .getAll(name)
      .map((key) => graph.byKey.get(key))
      .filter(Boolean);
  const still = graph.cards.length - flowing.size;
  state.open = new Set(
    told.get("expand") === "*"
      ? graph.cards
      : known("expand")
          .map((node) => node.card)
          .filter(Boolean),
  );
  state.folded = new Set(
    told
      .getAll("fold")
      .map((key) => graph.groups.get(key))
      .filter(Boolean),
  );
  if (!told.has("fold") && graph.cards.length > MOST_CARDS) state.folded = new Set(graph.groups.values());
  if (told.get("fold") === "*") state.folded = new Set(graph.groups.values());
  state.still = told.has("still") ? told.get("still") === "1" : still <= MOST_STILL || !flowing.size;
  state.theme = ["light", "dark"].includes(told.get("theme")) ? told.get("theme") : "";
  state.about = told.has("about");
  select(known("node")[0] || null);
  const [from, to] = [known("from")[0], known("to")[0]];
  if (from && to) pick(graph.edges.filter((edge) => edge.source === from && edge.target === to));
}

function writeAddress() {
  const told = new URLSearchParams();
  if (state.selected) told.set("node", state.selected.key);
  if (state.link && state.link.length) {
    told.set("from", state.link[0].source.key);
    told.set("to", state.link[0].target.key);
  }
  for (const card of state.open) told.append("expand", card.key);
  for (const group of state.folded) told.append("fold", group.key);
  if (!state.folded.size && graph.cards.length > MOST_CARDS) told.set("fold", "");
  told.set("still", state.still ? "1" : "0");
  if (state.theme) told.set("theme", state.theme);
  if (state.about) told.set("about", "1");
  history.replaceState(null, "", `#${told}`);
}

// Looks at a node: its way up and down is lit, and what hides it is opened.
function select(node) {
  state.selected = node;
  state.link = null;
  state.way = node && node.kind !== "cluster" ? wayOf(node) : null;
  if (!node) return;
  for (const each of state.way ? state.way.nodes : []) if (each.card) state.folded.delete(each.card.group);
  if (node.card && !flowing.has(node.card)) state.still = true;
  if (node.card && node.card !== node) reveal(node);
}

// A column that is in no flow is seen only where its card is open, and that far.
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
