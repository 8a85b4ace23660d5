// The page of a server: parts of the graph are requested as they are needed, and added to what is shown.
const API = "/api/v1";
const EDGES = 4000,
  OVERVIEW = 5000;
const COUNTED = new Set(["reads", "writes", "materializes", "member-of"]);
const live = {
  sides: emptySides(),
  loads: [],
  read: new Set(),
  whole: null,
  incomplete: false,
  marked: null,
  list: null,
  busy: 0,
};

// The graph of the scan that is shown, and of the one that it is compared with.
function emptySides() {
  return {at: {nodes: new Map(), edges: new Map()}, base: {nodes: new Map(), edges: new Map()}};
}

// --- requests

async function ask(path, params = {}) {
  const response = await fetch(`${API}${path}?${new URLSearchParams(params)}`, {headers: {accept: "application/json"}});
  const document = await response.json();
  if (response.ok) return document;
  const error = new Error([document.detail, document.hint].filter(Boolean).join(" — "));
  error.status = response.status;
  throw error;
}

// Does what takes requests: meanwhile the page is busy, and a failure is shown.
async function during(work) {
  const place = document.querySelector("main");
  live.busy += 1;
  place.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    showError(error);
  } finally {
    live.busy -= 1;
    place.setAttribute("aria-busy", String(live.busy > 0));
  }
}

function asOf(scan) {
  return scan === undefined || scan === scans[scans.length - 1] ? {} : {as_of: scan};
}

// Requests the same of both scans, where two are compared; one of them may not have it.
async function askSides(path, params) {
  const sides = shownScans.base === null ? ["at"] : ["at", "base"];
  const answers = await Promise.allSettled(sides.map((side) => ask(path, {...params, ...asOf(shownScans[side])})));
  const failures = answers.filter((answer) => answer.status === "rejected").map((answer) => answer.reason);
  if (failures.length === sides.length || failures.some((error) => error.status !== 404)) throw failures[0];
  return sides.map((side, at) => [side, answers[at].value]).filter(([, answer]) => answer);
}

// --- the graph

function addPart(side, {nodes, edges}) {
  const {nodes: known, edges: drawn} = live.sides[side];
  for (const node of nodes) if (!known.has(node.id) || node.upstream !== null) known.set(node.id, node);
  for (const edge of edges) drawn.set(edgeKey(edge.source, edge.target, edge.kind, edge), edge);
}

function edgeKey(source, target, kind, {type, subtype, evidence, certainty}) {
  return JSON.stringify([source, target, kind, type, subtype, evidence, certainty]);
}

function showAll() {
  const {at, base} = live.sides;
  const nodes = new Map([...base.nodes, ...at.nodes]);
  const edges = new Map([...base.edges, ...at.edges]);
  const positions = new Map([...nodes.keys()].map((key, position) => [key, position]));
  const rows = [...nodes.values()].map((n) => [
    ...[n.id, n.kind, n.namespace, n.name, n.path, n.attributes],
    ...markOfNode(n.id),
    n.stale || "",
  ]);
  const present = [...edges].filter(([, e]) => positions.has(e.source) && positions.has(e.target));
  for (const [, {source, target, kind}] of present) {
    // Columns of a schema come and go with it.
    const column = rows[positions.get(target)];
    if (kind === "contains" && column[1] === "column" && !column[2]) column[6] = rows[positions.get(source)][6];
  }
  const lines = present.map(([key, e]) => [
    ...[positions.get(e.source), positions.get(e.target), e.kind, e.type, e.subtype, e.evidence, e.certainty],
    markOfEdge(key),
  ]);
  const coverage = live.whole ? live.whole.coverage : {};
  replaceGraph({live: true, about: {part: "", coverage}, nodes: rows, edges: lines, leftOut: {}});
}

async function load(key, upstream, downstream) {
  const answers = await askSides("/lineage", {node: key, upstream, downstream, contents: true, limit: EDGES});
  // A scan that does not have the node may have another one that its key could mean.
  const exact = answers.filter(([, part]) => part.root === key);
  const parts = exact.length ? exact : answers;
  for (const [side, part] of parts) {
    addPart(side, part);
    live.incomplete = live.incomplete || !part.complete;
    // Of what is near a column only its flows were read.
    const roots = part.nodes.filter((node) => node.id === part.root && node.kind === "column").length;
    if (!roots) part.nodes.forEach((node) => live.read.add(node.id));
  }
  const [[, {root}]] = parts;
  // A column without flows is in the schema of its topic.
  if (root !== key && key.startsWith("column:kafka://")) await load(key.replace("column:", "topic:").split("#")[0], 0, 0);
  const entry = JSON.stringify([root, upstream, downstream]);
  if (!live.loads.includes(entry)) live.loads.push(entry);
  showAll();
  return root;
}

// Loads the graph without columns; all of it where it is small, else its size.
async function loadOverview(limit, requested = null) {
  const parts = requested ? [["at", await requested]] : await askSides("/overview", {limit});
  for (const [side, part] of parts) addPart(side, part);
  live.whole = parts[0][1];
  showAll();
}

function visit(key, upstream = 1, downstream = 1) {
  return during(async () => {
    // What is visited would be lost among thousands of cards.
    if (graph.cards.length > MOST_CARDS && !live.loads.length) live.sides = emptySides();
    const root = await load(key, upstream, downstream);
    const node = graph.byKey.get(root);
    if (live.list && live.list.key !== root) live.list = null;
    if (node) look(node, {bring: true});
    else refresh({fit: true});
    if (node) focusCard(node.card);
  });
}

// How many edges of a node are not shown, on one side.
function hidden(card, upstream) {
  const known = live.sides.at.nodes.get(card.key);
  if (!known || known.upstream === null) return 0;
  const edges = (upstream ? card.in : card.out).filter((edge) => COUNTED.has(edge.kind) && edge.mark !== "removed");
  return Math.max(0, (upstream ? known.upstream : known.downstream) - edges.length);
}

function expand(card, upstream) {
  return during(async () => {
    const before = new Set(graph.cards.map((shown) => shown.key));
    await load(card.key, upstream ? 1 : 0, upstream ? 0 : 1);
    const again = graph.byKey.get(card.key);
    refresh({held: again});
    const shown = [again, ...graph.cards.filter((card) => !before.has(card.key))];
    const boxes = shown.map((card) => drawing.boxes.get(card)).filter(Boolean);
    if (!boxes.every(inView)) bring(boxes);
    focusCard(again);
  });
}

function expandButton(card, upstream) {
  const count = hidden(card, upstream);
  if (!count) return "";
  const side = upstream ? "upstream" : "downstream";
  const says = `Show ${count} more ${side} of ${nameOf(card)}`;
  const button = make("button", {type: "button", class: `expand ${side}`, title: says, "aria-label": says}, `+${count}`);
  button.onclick = (event) => {
    event.stopPropagation();
    expand(card, upstream);
  };
  return button;
}

function cardActs(box) {
  if (!box.card) return {};
  const act = (upstream) => () => hidden(box.card, upstream) && expand(box.card, upstream);
  return {"Shift ArrowLeft": act(true), "Shift ArrowRight": act(false)};
}

// Whether the columns of a card are still to be read.
function hasMore(card) {
  return ["topic", "dataset"].includes(card.kind) && !live.read.has(card.key);
}

function readOpened() {
  const unread = [...state.open].filter(hasMore);
  const focused = document.activeElement.closest(".card");
  if (unread.length)
    during(async () => {
      for (const card of unread) await load(card.key, 1, 1);
      refresh();
      if (focused) focusCard(graph.byKey.get(focused.dataset.key));
    });
}

// --- search

const typing = {timer: 0, answered: ""};

function searchNames(words, draw) {
  clearTimeout(typing.timer);
  if (!words.trim()) {
    typing.answered = words;
    draw([]);
    return;
  }
  typing.timer = setTimeout(async () => {
    try {
      const answer = await ask("/search", {q: words.trim(), limit: MOST_HITS});
      if (words !== search.value || document.activeElement !== search) return;
      typing.answered = words;
      draw(answer.items.map((hit) => ({...hit, key: hit.node})));
    } catch (error) {
      showError(error);
    }
  }, 120);
}

function topicPage(cluster, topic) {
  return `/topic?${new URLSearchParams({cluster, topic, ...(state.theme ? {theme: state.theme} : {})})}`;
}

function takeHit(hit) {
  if (hit.node) visit(hit.node);
  else if (hit.kind === "topic") location.assign(topicPage(hit.where, hit.name));
  else showError(new Error(`${hit.name} is not in the graph`));
}

// --- the start

async function freshness() {
  const now = await ask("/state");
  const stale = now.stale.length ? ` · ${now.stale.length} stale sources` : "";
  const older = now.graph_scan === null ? " · no graph yet" : now.graph_scan < now.scan ? " · the graph is older" : "";
  const words = now.scan ? `scan ${now.scan}, ${now.finished.slice(0, 16).replace("T", " ")} UTC${stale}${older}` : "no scan yet";
  document.getElementById("about").replaceChildren(text(words));
  document.getElementById("about").title = now.stale.map((source) => `${source.source}: ${source.reason}`).join("\n");
  return now.graph_scan !== null;
}

function begin() {
  return during(readView);
}

async function readView() {
  const params = new URLSearchParams(location.hash.slice(1));
  const wanted = params.getAll("load").filter((entry) => !live.loads.includes(entry));
  const node = params.get("node");
  live.marked = params.get("mark");
  const alone = !params.has("load") && !node;
  const requested = alone && !scans.length && !params.has("scan") && !params.has("base") ? ask("/overview", {limit: OVERVIEW}) : null;
  if (requested) requested.catch(() => {}); // without a graph there is none
  const [known] = await Promise.all([freshness(), readTimeline(params)]);
  if (alone) Object.assign(live, {sides: emptySides(), loads: []});
  if (known && (alone || !live.whole)) await loadOverview(alone ? OVERVIEW : 1, requested);
  for (const entry of wanted) await load(...JSON.parse(entry));
  if (node && !graph.byKey.has(node)) await load(node, 1, 1);
  const about = document.getElementById("about");
  const shown = [...about.childNodes];
  open();
  about.replaceChildren(...shown);
  await restoreList(params.get("list"));
  if (!graph.cards.length) search.focus();
}

function startParts() {
  const {whole} = live;
  const many = whole && !whole.complete && !graph.cards.length;
  const size = many ? `The graph has ${whole.node_count} nodes, too many to be drawn at once. ` : "";
  const hint = make("p", {class: "none"}, `${size}Search for a topic, table, job or column, then follow the + buttons of its card.`);
  return [hint, ...changeParts()];
}

Object.assign(hooks, {
  start: begin,
  address: (params) => {
    for (const entry of live.loads) params.append("load", entry);
    if (live.marked) params.set("mark", live.marked);
    if (live.list) params.set("list", live.list.kind);
  },
  search: searchNames,
  searching: () => typing.answered !== search.value,
  take: takeHit,
  refreshed: readOpened,
  showScans: compareScans,
  changes: changeButton,
  hasMore,
  cardParts: (card) => [expandButton(card, true), expandButton(card, false)],
  cardKeys: cardActs,
  panelParts,
  aboutParts: startParts,
  footer: () => [
    live.whole ? `${live.whole.node_count} nodes in the whole graph` : "",
    live.incomplete ? "some edges are left out: there are too many" : "",
  ],
});
document.querySelector("h1").replaceChildren(make("a", {href: "/"}, "Data flow"));
begin();
