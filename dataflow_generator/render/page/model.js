// The graph as the page uses it: cards (topics, tables, jobs …), groups of cards, rows of columns, links of cards.
let graph = readGraph(rawGraph());

// What a page adds whose graph grows on demand; the exported page holds all of its graph.
const hooks = {
  start: () => open(),
  address: () => {},
  search: (words, draw) => draw(matchesOf(words)),
  searching: () => false,
  actions: () => [],
  take: (node) => {
    look(node, {bring: true});
    focusCard(node.card);
  },
  refreshed: () => {},
  showScans: null,
  changes: null,
  reach: () => ({upstream: state.lineage.up.size, downstream: state.lineage.down.size, complete: true}),
  hidden: () => 0,
  evidence: () => "",
  isPart: () => Boolean(graph.about.part),
  theme: () => "",
  hasMore: () => false,
  cardParts: () => [],
  frame: () => null,
  cardKeys: () => ({}),
  openGroup: () => false,
  panelParts: () => [],
  moreParts: () => [],
  sentence: () => "",
  acts: () => [],
  link: () => location.href,
  date: () => "",
  aboutParts: () => [],
  footer: () => [],
  staleness: () => "",
  tags: (node) => [...new Set(columnsBelow(node).flatMap(({attributes}) => attributes.tags || []))].map((tag) => [tag, "declared"]),
};

// A column itself, or the columns in a card and in its schemas.
function columnsBelow(node) {
  if (node.path) return [node];
  return [...node.inside, ...node.schemas.map(({target}) => target)].flatMap(columnsBelow);
}

// Tags such as PII, each once, with how it is known: declared, or inherited along flows.
function chipsOf(node) {
  return hooks.tags(node).map(([tag, how]) => [how === "declared" ? tag : `${tag} ${how}`, `${tag}: ${how}`]);
}

function readGraph(raw) {
  const nodes = raw.nodes.map(([key, kind, namespace, name, path, attributes, mark = "", before = null, stale = "", system, title = ""], id) => ({
    id,
    key,
    kind,
    namespace,
    name,
    path,
    attributes,
    mark,
    before,
    stale,
    title, // how the statement of a job begins
    system: system ?? raw.systems?.[namespace] ?? "", // what people call its namespace; empty where it has no name
    parent: null,
    inside: [],
    schemas: [],
    out: [],
    in: [],
    card: null,
  }));
  const edges = raw.edges.map(([source, target, kind, type, subtype, evidence, certainty, mark = ""], id) => ({
    id,
    source: nodes[source],
    target: nodes[target],
    kind,
    type,
    subtype,
    evidence,
    certainty,
    mark,
  }));
  for (const edge of edges) join(edge);
  const cards = nodes.filter(isCard);
  for (const node of nodes) node.card = cardOf(node);
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const groups = groupsOf(nodes, cards);
  return {live: raw.live, about: raw.about, leftOut: raw.leftOut, nodes, edges, cards, byKey, groups, links: linksOf(edges)};
}

function join(edge) {
  const {source, target} = edge;
  if (edge.kind === "contains") {
    source.inside.push(target);
    target.parent = target.parent || source;
  } else if (edge.kind === "has-schema") {
    source.schemas.push(edge);
    target.parent = target.parent || source;
  } else {
    source.out.push(edge);
    target.in.push(edge);
  }
}

// A column or schema without a container is a card of its own, so that every node is shown. A consumer group is a row on
// the cards of the jobs that read through it.
function isCard(node) {
  if (jobsOf(node).length) return false;
  return node.kind !== "cluster" && (!["schema", "column"].includes(node.kind) || !node.parent);
}

function jobsOf(group) {
  return group.kind === "consumer-group" ? group.out.filter(({kind}) => kind === "member-of").map(({target}) => target) : [];
}

function groupsOfJob(job) {
  return job.in.filter(({kind}) => kind === "member-of").map(({source}) => source);
}

function cardOf(node) {
  let [at = node] = jobsOf(node);
  while (at && !isCard(at)) at = at.parent;
  return at;
}

function groupsOf(nodes, cards) {
  const groups = new Map();
  const clusters = new Map();
  const group = (key, label, kind, node) => {
    if (!groups.has(key)) groups.set(key, {key, label, kind, node, cards: []});
    return groups.get(key);
  };
  for (const node of nodes) {
    if (node.kind !== "cluster") continue;
    clusters.set(node.namespace, clusters.get(node.namespace) || node);
    group(node.key, node.name || node.key, "cluster", node);
  }
  for (const card of cards) {
    const holder = card.parent || (card.kind === "topic" ? clusters.get(card.namespace) : null);
    const home = clusters.get(card.namespace);
    const where = card.system || card.namespace || "(no namespace)";
    card.group =
      holder && holder.kind === "cluster"
        ? group(holder.key, holder.name || holder.key, "cluster", holder)
        : group(`${card.kind} in ${where}`, home ? home.name || where : where, card.kind, null);
    card.group.cards.push(card);
  }
  return groups;
}

// How many items a group has: a card may stand for those of a system that are not drawn.
function sizeOf(group) {
  return group.cards.reduce((sum, {attributes}) => sum + (attributes.members || 1), 0);
}

// Links between cards: one per pair, with all of its edges; column flows are kept separately.
function linksOf(edges) {
  const links = new Map();
  for (const edge of edges) {
    if (["contains", "has-schema", "member-of"].includes(edge.kind)) continue;
    const source = edge.source.card,
      target = edge.target.card;
    if (!source || !target) continue;
    const columns = edge.kind === "column-flow";
    const id = `${source.id}>${target.id}${columns ? "c" : ""}`;
    if (!links.has(id)) links.set(id, {id, source, target, columns, edges: []});
    links.get(id).edges.push(edge);
  }
  const passes = new Set();
  for (const {source, target, columns} of links.values()) if (!columns) passes.add(`${source.id}>${target.id}`);
  for (const link of links.values()) {
    // Where a job is in between, the route through the job is drawn unless a column is selected.
    link.shown = !link.columns || !(passes.has(`${link.source.id}>${link.target.id}`) || jobsBetween(link).length);
  }
  return [...links.values()];
}

// The jobs that read one and write the other, on one of their routes.
function jobsBetween({source, target}) {
  const pairs = [];
  for (const read of source.out) {
    if (read.kind !== "reads") continue;
    for (const write of read.target.out) {
      const oneWay = !read.subtype || !write.subtype || read.subtype === write.subtype;
      if (write.kind === "writes" && write.target === target && oneWay) pairs.push([read, write]);
    }
  }
  return pairs;
}

const SIDE = {key: "@key"};
const SECTIONS = new Map();

// The contents of an expanded card: columns in flows that no schema has, then each of its schemas.
function sectionsOf(card) {
  if (!SECTIONS.has(card)) SECTIONS.set(card, readSections(card));
  return SECTIONS.get(card);
}

function readSections(card) {
  const flowing = new Map();
  const holder = card.kind === "schema" ? [] : card.inside;
  for (const column of holder) if (column.path) flowing.set(JSON.stringify(column.path), column);
  const described = new Set();
  const schemas = card.kind === "schema" ? [{target: card, subtype: "", evidence: ""}] : card.schemas;
  const sections = schemas.map((edge) => {
    const before = SIDE[edge.subtype] ? [SIDE[edge.subtype]] : [];
    const rows = columnsIn(edge.target).map((column) => {
      const flow = flowing.get(JSON.stringify([...before, ...column.path]));
      if (flow) described.add(flow);
      return {column: flow || column, described: column, depth: Math.max(0, column.path.length - 1)};
    });
    const format = edge.target.attributes.format;
    return {title: [edge.subtype, edge.target.name, format && `(${format})`].filter(Boolean).join(" "), edge, rows};
  });
  mergeReplaced(sections);
  const rest = [...flowing.values()].filter((column) => !described.has(column));
  if (rest.length) {
    const rows = rest.map((column) => ({column, described: column, depth: 0, whole: true}));
    sections.unshift({title: sections.length ? "in flows, not in a schema" : "", edge: null, rows});
  }
  return sections;
}

function columnsIn(schema) {
  const columns = [],
    waiting = [...schema.inside].reverse();
  while (waiting.length) {
    const column = waiting.pop();
    columns.push(column);
    waiting.push(...[...column.inside].reverse());
  }
  return columns;
}

function columnCount(card) {
  return sectionsOf(card).reduce((sum, section) => sum + section.rows.length, 0);
}

function rowName(row) {
  const path = row.column.path || [];
  const named = row.whole ? pathName(path) : pathName(row.described.path.slice(-1));
  return named || "(whole value)";
}

const FAILED = new Set(["FAILED", "FAILING", "ERROR", "UNRESPONSIVE"]);
const HALTED = new Set(["PAUSED", "STOPPED", "SUSPENDED", "DEGRADED"]);

// What is wrong with a node, or why it may be out of date or incomplete: a word for its card, the reason, and its class.
function doubtsOf(node) {
  const {state: reported = "", failed, error = ""} = node.attributes;
  const fails = failed || FAILED.has(String(reported).toUpperCase());
  return [
    fails ? ["failed", [[reported, failed].filter(Boolean).join(", "), error].filter(Boolean).join("\n"), "error"] : null,
    HALTED.has(String(reported).toUpperCase()) ? [String(reported).toLowerCase(), `it does not run: ${reported}`] : null,
    node.stale
      ? ["stale", `the last scan could not confirm it: ${node.stale}`]
      : hooks.staleness(node)
        ? ["stale", `because ${hooks.staleness(node)}`]
        : null,
    node.attributes.partly_read ? ["read in part", "some columns of the view could not be resolved: flows are missing"] : null,
    node.attributes.unread ? ["not read", "its statement, view or connector could not be read: its flows are unknown"] : null,
  ].filter(Boolean);
}

// --- names, for the search

let index = null;

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
