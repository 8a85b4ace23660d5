// Two scans compared: the graphs of both, marked by what differs between them, and the list of all that differs.
const NONE = () => ({nodes: new Map(), edges: new Map(), touched: new Set(), document: null});
const comparison = NONE();

function markOfNode(key) {
  const change = comparison.nodes.get(key);
  if (change) return [change.action, change.action === "changed" ? change.before : null];
  return [comparison.touched.has(key) ? "changed" : "", null];
}

function markOfEdge(key) {
  return comparison.edges.get(key) || "";
}

// Reads which scans have a graph, and which are shown; the first one of them without a cluster is of all.
async function readTimeline(params) {
  const [graphs, listed] = await Promise.all([ask("/graphs"), ask("/scans", {limit: 1000})]);
  const clusters = new Map(listed.items.map((scan) => [scan.id, scan.cluster]));
  timeline = graphs.items.map(({scan, finished}) => [scan, finished, clusters.get(scan)]);
  scans = timeline.map(([number]) => number);
  await showScansOf(params);
}

function showScansOf(params) {
  const number = (name) => scans.find((scan) => String(scan) === params.get(name));
  return setScans(number("scan") ?? scans[scans.length - 1], number("base") ?? null);
}

// Writes when a scan was finished, with its number.
function dateOf(scan) {
  const [, finished] = timeline.find(([number]) => number === scan) || [];
  return finished ? `${moment(finished)} (scan ${scan})` : `scan ${scan}`;
}

async function setScans(at, compared) {
  if (shownScans.at === at && shownScans.base === compared) return;
  Object.assign(shownScans, {at, base: compared});
  Object.assign(live, {
    sides: emptySides(),
    whole: null,
    everything: false,
    incomplete: false,
    list: null,
    reach: new Map(),
    hubs: new Map(),
  });
  Object.assign(comparison, NONE());
  live.read.clear();
  if (compared !== null) await readComparison(at, compared);
}

async function readComparison(at, compared) {
  const answer = await ask("/scans/diff", {from: compared, to: at, flows: true, limit: 20_000});
  comparison.document = answer;
  for (const node of answer.flows.nodes) {
    comparison.nodes.set(node.id, node);
    if (node.path) for (const kind of ["topic", "dataset"]) comparison.touched.add(`${kind}:${node.namespace}/${node.name}`);
  }
  for (const edge of answer.flows.edges) {
    if (edge.kind === "has-schema") comparison.touched.add(edge.source);
    for (const [relation, mark] of [
      [edge.before, "removed"],
      [edge.after, "added"],
    ])
      if (relation) comparison.edges.set(edgeKey(edge.source, edge.target, edge.kind, relation), mark);
  }
}

// Shows the same view of other scans; what neither of them has is left out of it.
function compareScans(at, compared) {
  return during(async () => {
    const [loads, view] = [live.loads, new URLSearchParams(location.hash.slice(1))];
    await setScans(at, compared);
    live.loads = [];
    await loadOverview(loads.length ? 1 : OVERVIEW);
    for (const entry of loads) await loadIfKnown(...JSON.parse(entry));
    select(graph.byKey.get(view.get("node")) || null);
    state.about = compared !== null && !state.selected;
    refresh({fit: true});
  });
}

async function loadIfKnown(...entry) {
  try {
    await load(...entry);
  } catch (error) {
    if (error.status !== 404) throw error;
  }
}

// What differs in the whole graph, by how, for the header; null where nothing is compared.
function countChanges() {
  const {nodes = [], edges = []} = comparison.document ? comparison.document.flows : {};
  const [ofNodes, ofFlows] = [nodes, edges].map((changes) => changes.map(({action}) => action));
  return {nodes: ofNodes, flows: ofFlows, more: act("All changes", () => (state.about = true), {})};
}

function changeParts() {
  const {document: changes} = comparison;
  if (!changes) return [];
  const {nodes, edges} = changes.flows;
  const left = Object.values(changes.left_out).reduce((sum, count) => sum + count, 0);
  const lines = [...nodes.map(nodeChange), ...edges.map(edgeChange)];
  return [
    make("h2", {class: "changes", tabindex: "-1"}, `From ${dateOf(shownScans.base)} to ${dateOf(shownScans.at)}`),
    make(
      "p",
      {},
      `Different nodes: ${nodes.length}, flows: ${edges.length}${left ? `; ${left} more changes are not listed` : ""}.`,
    ),
    make("ul", {class: "edges"}, lines.slice(0, MOST_TOLD)),
    lines.length > MOST_TOLD ? make("p", {class: "none"}, `${lines.length - MOST_TOLD} more not listed.`) : "",
  ].filter(Boolean);
}

function changeSign(action) {
  return make("span", {class: `mark-${action}`}, `${MARKS[action]} ${action}`);
}

function nodeChange({action, cause, ...node}) {
  return make("li", {}, [changeSign(action), " ", nodeButton(node), causePart(cause)]);
}

function edgeChange({action, source, target, kind, cause}) {
  const end = (key) => {
    const button = make("button", {type: "button", class: "refer"}, text(key.slice(key.indexOf(":") + 1)));
    button.onclick = () => visit(key);
    return button;
  };
  return make("li", {}, [changeSign(action), " ", end(source), ` ${kind} `, end(target), causePart(cause)]);
}

function causePart(cause) {
  if (!cause) return "";
  const name = cause.name.filter((part) => ![null, "", "."].includes(part)).join(" ");
  return make("div", {class: "evidence"}, text(`because of the ${cause.kind.replace(/_/g, " ")} ${name}: ${cause.action}`));
}
