// The parts of the graph that were requested, of the scan that is shown and of the one that it is compared with.
const EDGES = 4000,
  OVERVIEW = 5000,
  FIRST = 10;
const COUNTED = new Set(["reads", "writes", "materializes"]);
const COLUMN_FLOWS = new Set(["column-flow"]);
const live = {
  health: null,
  sides: emptySides(),
  loads: [],
  read: new Set(),
  whole: null,
  everything: false,
  incomplete: false,
  list: null,
  depth: "1",
  reach: new Map(),
  notes: new Map(),
  hubs: new Map(),
  collapsed: false,
  opened: null,
};

// The graph of the scan that is shown, and of the one that it is compared with.
function emptySides() {
  return {at: {nodes: new Map(), edges: new Map()}, base: {nodes: new Map(), edges: new Map()}};
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

// --- adding

function addPart(side, {nodes, edges}) {
  const {nodes: known, edges: drawn} = live.sides[side];
  for (const node of nodes) if (!known.has(node.id) || node.upstream !== null) known.set(node.id, node);
  for (const edge of edges) drawn.set(edgeKey(edge.source, edge.target, edge.kind, edge), edge);
}

function edgeKey(source, target, kind, {type, subtype, evidence, certainty}) {
  return JSON.stringify([source, target, kind, type, subtype, evidence, certainty]);
}

// Replaces the graph of the page by all that was requested of both sides.
function showAll() {
  const {at, base} = live.sides;
  const nodes = new Map([...base.nodes, ...at.nodes]);
  const edges = new Map([...base.edges, ...at.edges]);
  const positions = new Map([...nodes.keys()].map((key, position) => [key, position]));
  const rows = [...nodes.values()].map((n) => [
    ...[n.id, n.kind, n.namespace, n.name, n.path, n.attributes],
    ...markOfNode(n.id),
    n.stale || "",
    n.cluster,
    n.title,
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

// Requests what is around a node, so many steps each way (null: to the end), and adds it; returns the node's key.
async function load(key, upstream, downstream) {
  if (live.collapsed) Object.assign(live, {collapsed: false, sides: emptySides()});
  const hop = (upstream || downstream) && [upstream, downstream].every((steps) => steps !== null && steps < 2);
  if (hop && !key.startsWith("column:")) {
    const [[side, near]] = await askSides("/lineage", {node: key, upstream, downstream, limit: EDGES});
    if (near.nodes.length > 2 * FIRST + 1) return loadHub(side, near, upstream, downstream);
  }
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
  const [[, {root, notes, reachable}]] = parts;
  if (upstream === null && downstream === null) live.reach.set(root, reachable);
  if (notes.length) live.notes.set(root, notes);
  // A column without flows is in the schema of its topic.
  if (root !== key && key.startsWith("column:kafka://")) await load(key.replace("column:", "topic:").split("#")[0], 0, 0);
  remember(root, upstream, downstream);
  showAll();
  return root;
}

// Loads what is shown of a node at first: the flows of a column to their ends, of anything else its neighbours.
function loadFirst(key) {
  const steps = key.startsWith("column:") ? null : 1;
  return load(key, steps, steps);
}

function remember(...entry) {
  const words = JSON.stringify(entry);
  if (!live.loads.includes(words)) live.loads.push(words);
}

// Adds the first neighbours only of a node with many, and notes the others for its list.
async function loadHub(side, {root, nodes, edges, complete}, upstream, downstream) {
  const others = nodes.filter((node) => node.id !== root);
  live.hubs.set(root, [...new Map([...(live.hubs.get(root) || []), ...others].map((node) => [node.id, node])).values()]);
  live.incomplete = live.incomplete || !complete;
  remember(root, upstream, downstream);
  addPart(side, {nodes: nodes.filter((node) => node.id === root), edges});
  const ends = (end, other) =>
    edges
      .filter((edge) => edge[other] === root)
      .map((edge) => edge[end])
      .slice(0, FIRST);
  const first = new Set([...ends("source", "target"), ...ends("target", "source")]);
  await showNeighbours(others.filter((node) => first.has(node.id)));
  await load(root, 0, 0);
  return root;
}

// Adds neighbours of a hub, whose edges are known; clusters are found by one topic of each.
async function showNeighbours(nodes) {
  addPart("at", {nodes, edges: []});
  const topics = new Map(nodes.filter((node) => node.kind === "topic").map((node) => [node.namespace, node.id]));
  for (const key of topics.values()) await load(key, 0, 0);
  showAll();
}

// Loads the graph without columns; all of it where it is small, else its size.
async function loadOverview(limit, requested = null) {
  const parts = requested ? [["at", await requested]] : await askSides("/overview", {limit});
  for (const [side, part] of parts) addPart(side, part);
  live.whole = parts[0][1];
  if (!live.whole.complete && limit > 1) addSystems(live.whole.systems);
  live.everything = live.everything || live.whole.complete;
  showAll();
}

// Of a graph that is too large to be drawn: a box for what a system has of a kind, with the number, and the flows between.
function addSystems(flows) {
  const key = (kind, namespace) => `${kind} in ${namespace}`;
  const nodes = live.health.summary.nodes.map(({kind, namespace, cluster, count}) => ({
    ...{id: key(kind, namespace), kind, namespace, cluster, name: cluster || namespace || "(no namespace)"},
    ...{path: null, upstream: null, attributes: {members: count}},
  }));
  const edges = flows.map((flow) => ({
    ...{source: key(flow.source_kind, flow.source_namespace), target: key(flow.target_kind, flow.target_namespace)},
    ...{kind: flow.kind, type: "", subtype: "", certainty: "", evidence: `${digits(flow.edges)} × ${flow.kind}`},
  }));
  addPart("at", {nodes, edges});
  live.collapsed = true;
}

// Lists what a system has, whose nodes are not drawn.
function openSystem({cards: [card]}) {
  if (!live.collapsed) return false;
  const {kind, namespace, system, attributes} = card;
  live.opened = {kind, namespace, cluster: system, count: attributes.members};
  Object.assign(state, {about: true, selected: null, link: null});
  refresh();
  return true;
}

// How many edges of a node are not drawn, on one side.
function hidden(node, upstream) {
  const known = live.sides.at.nodes.get(node.key);
  if (!known || known.upstream === null) return 0;
  const kinds = node.kind === "column" ? COLUMN_FLOWS : COUNTED;
  const edges = (upstream ? node.in : node.out).filter((edge) => kinds.has(edge.kind) && edge.mark !== "removed");
  return Math.max(0, (upstream ? known.upstream : known.downstream) - edges.length);
}

// Requests the flows of the selected node to their ends, once: those of a column are drawn, of others the number is shown.
function readFlows() {
  const node = state.selected;
  if (!node || !state.lineage || live.reach.has(node.key)) return;
  // What is in a schema has no flows: those are of the columns of its topics.
  const inSchema = !node.namespace && ["schema", "column"].includes(node.kind);
  live.reach.set(node.key, inSchema ? {upstream: 0, downstream: 0, complete: true} : null);
  if (inSchema) {
    drawPanel();
    return;
  }
  during(async () => {
    const column = node.kind === "column";
    const answers = await askSides("/lineage", {node: node.key, limit: EDGES, contents: column}).catch((error) => {
      live.reach.delete(node.key);
      throw error;
    });
    const [[, whole]] = answers;
    live.reach.set(node.key, whole.reachable);
    if (column && (whole.reachable.upstream || whole.reachable.downstream)) {
      for (const [side, part] of answers) addPart(side, part);
      live.incomplete = live.incomplete || !whole.complete;
      const before = graph.cards.length;
      showAll();
      redraw({held: state.selected && state.selected.card});
      if (graph.cards.length > before && state.selected && state.selected.key === node.key) bringLineage(state.selected);
    } else drawPanel();
  });
}

// Draws again; the card that has the focus keeps it.
function redraw(options) {
  const focused = document.activeElement.closest(".card");
  refresh(options);
  if (focused) focusCard(graph.byKey.get(focused.dataset.key));
}
