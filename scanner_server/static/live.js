// The page of a server: parts of the graph are requested as they are needed, and added to what is shown.
const API = "/api/v1";
const EDGES = 4000;
const COUNTED = new Set(["reads", "writes", "materializes", "member-of"]);
const live = {nodes: new Map(), edges: new Map(), loads: [], incomplete: false, marked: null, lists: new Map(), busy: 0};

// --- requests

async function ask(path, params = {}) {
  const query = new URLSearchParams(params);
  live.busy += 1;
  try {
    const response = await fetch(`${API}${path}?${query}`, {headers: {accept: "application/json"}});
    const document = await response.json();
    if (!response.ok) throw new Error([document.detail, document.hint].filter(Boolean).join(" — "));
    return document;
  } finally {
    live.busy -= 1;
  }
}

function complain(error) {
  panel.replaceChildren(make("p", {class: "warn", role: "alert"}, text(String(error.message || error))));
}

// --- the graph

function addNodes(nodes) {
  for (const node of nodes) {
    const known = live.nodes.get(node.id);
    if (!known || node.upstream !== null) live.nodes.set(node.id, node);
  }
}

function addEdges(edges) {
  for (const edge of edges) live.edges.set(JSON.stringify([edge.source, edge.target, edge.kind, edge.subtype]), edge);
}

function showAll() {
  const places = new Map([...live.nodes.keys()].map((key, at) => [key, at]));
  const nodes = [...live.nodes.values()].map((n) => [n.id, n.kind, n.namespace, n.name, n.path, n.attributes]);
  const edges = [...live.edges.values()]
    .filter((e) => places.has(e.source) && places.has(e.target))
    .map((e) => [places.get(e.source), places.get(e.target), e.kind, e.type, e.subtype, e.evidence, e.certainty]);
  replaceGraph({live: true, about: {part: "", coverage: {}}, nodes, edges, leftOut: {}});
}

async function load(key, upstream, downstream) {
  const part = await ask("/lineage", {node: key, upstream, downstream, columns: true, limit: EDGES});
  addNodes(part.nodes);
  addEdges(part.edges);
  live.incomplete = live.incomplete || !part.complete;
  const entry = JSON.stringify([part.root, upstream, downstream]);
  if (!live.loads.includes(entry)) live.loads.push(entry);
  showAll();
  return part.root;
}

async function visit(key, upstream = 1, downstream = 1) {
  try {
    const root = await load(key, upstream, downstream);
    const node = graph.byKey.get(root);
    if (node) look(node, {bring: true});
    else refresh({fit: true});
    if (node) focusCard(node.card);
  } catch (error) {
    complain(error);
  }
}

// How many edges of a node are not shown, on one side.
function hidden(card, upstream) {
  const known = live.nodes.get(card.key);
  if (!known || known.upstream === null) return 0;
  const shown = (upstream ? card.in : card.out).filter((edge) => COUNTED.has(edge.kind)).length;
  return Math.max(0, (upstream ? known.upstream : known.downstream) - shown);
}

async function expand(card, upstream) {
  try {
    await load(card.key, upstream ? 1 : 0, upstream ? 0 : 1);
    const again = graph.byKey.get(card.key);
    refresh({held: again});
    focusCard(again);
  } catch (error) {
    complain(error);
  }
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

// --- lists in the panel: impact, paths

async function list(name, node, makeParts) {
  try {
    live.lists.set(node.key, {name, parts: await makeParts()});
    drawPanel();
    const heading = panel.querySelector(".listed");
    if (heading) heading.focus();
  } catch (error) {
    complain(error);
  }
}

function link(href, words) {
  return make("a", {href}, words);
}

function nodeButton(node) {
  const label = node.path ? `${node.name}.${pathName(node.path)}` : node.name;
  const button = make("button", {type: "button", class: "refer"}, [text(label), " ", make("span", {class: "note"}, node.kind)]);
  button.onclick = () => visit(node.id);
  return button;
}

async function impactParts(node) {
  const found = await ask("/impact", {node: node.key});
  const rows = found.affected.map((each) =>
    make("tr", {}, [make("td", {}, nodeButton(each.node)), make("td", {}, each.use), make("td", {}, String(each.steps))]),
  );
  const head = ["affected", "use", "steps"].map((word) => make("th", {scope: "col"}, word));
  return [
    make("p", {}, [
      `${found.affected.length + found.left_out} affected${found.left_out ? `, ${found.left_out} not listed` : ""} · `,
      link(`${API}/impact.csv?${new URLSearchParams({node: node.key})}`, "CSV"),
    ]),
    rows.length ? make("table", {class: "impact"}, [make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)]) : "",
  ];
}

async function pathParts(node) {
  const found = await ask("/paths", {from: live.marked, to: node.key});
  addNodes(found.nodes);
  found.paths.forEach(addEdges);
  showAll();
  state.selected = graph.byKey.get(node.key) || state.selected;
  const names = new Map(found.nodes.map((each) => [each.id, each]));
  const way = (path) =>
    make("li", {}, [names.get(path[0].source), ...path.map((edge) => names.get(edge.target))].map(nodeButton));
  const says = found.paths.length
    ? `${found.paths.length} shortest paths${found.reverse ? ", in the other direction" : ""}`
    : `No path is known${found.complete ? "" : " (the search was ended)"}.`;
  return [make("p", {}, says), make("ol", {class: "paths"}, found.paths.map(way))];
}

function panelParts(node) {
  const at = node.card || node;
  const button = (words, does) => {
    const made = make("button", {type: "button"}, words);
    made.onclick = does;
    return made;
  };
  const cluster = at.kind === "topic" && at.group && at.group.node;
  const listed = live.lists.get(node.key);
  const marked = live.marked && live.marked !== node.key;
  return [
    make("p", {class: "acts"}, [
      button("Upstream", () => visit(node.key, 1, 0)),
      button("Downstream", () => visit(node.key, 0, 1)),
      button("Impact", () => list("Impact", node, () => impactParts(node))),
      button(live.marked === node.key ? "Marked" : "Mark", () => {
        live.marked = live.marked === node.key ? null : node.key;
        refresh();
      }),
      marked ? button("Paths from mark", () => list("Paths", node, () => pathParts(node))) : "",
      cluster ? link(`/topic?${new URLSearchParams({cluster: cluster.name, topic: at.name})}`, "Topic page") : "",
    ]),
    ...(listed ? [make("h3", {class: "listed", tabindex: "-1"}, listed.name), ...listed.parts] : []),
  ];
}

// --- search

let waiting = 0;

function searchNames(words, draw) {
  clearTimeout(waiting);
  if (!words.trim()) {
    draw([]);
    return;
  }
  waiting = setTimeout(async () => {
    try {
      const found = await ask("/search", {q: words.trim(), limit: 30});
      if (words === search.value && document.activeElement === search) draw(found.items.map((hit) => ({...hit, key: hit.node})));
    } catch (error) {
      complain(error);
    }
  }, 120);
}

function takeHit(hit) {
  if (hit.node) visit(hit.node);
  else if (hit.kind === "topic") location.assign(`/topic?${new URLSearchParams({cluster: hit.where, topic: hit.name})}`);
  else complain(new Error(`${hit.name} is not in the graph`));
}

// --- the start

async function freshness() {
  const now = await ask("/state");
  const stale = now.stale.length ? ` · ${now.stale.length} stale sources` : "";
  const older = now.graph_scan === null ? " · no graph yet" : now.graph_scan < now.scan ? " · the graph is older" : "";
  const words = now.scan ? `scan ${now.scan}, ${now.finished.slice(0, 16).replace("T", " ")} UTC${stale}${older}` : "no scan yet";
  document.getElementById("about").replaceChildren(text(words));
  document.getElementById("about").title = now.stale.map((each) => `${each.source}: ${each.reason}`).join("\n");
}

async function begin() {
  const params = new URLSearchParams(location.hash.slice(1));
  const wanted = params.getAll("load").filter((entry) => !live.loads.includes(entry));
  live.marked = params.get("mark");
  try {
    await freshness();
    for (const entry of wanted) {
      const [key, upstream, downstream] = JSON.parse(entry);
      await load(key, upstream, downstream);
    }
    const node = params.get("node");
    if (node && !graph.byKey.has(node)) await load(node, 1, 1);
  } catch (error) {
    complain(error);
    return;
  }
  const about = document.getElementById("about");
  const shown = [...about.childNodes];
  open();
  about.replaceChildren(...shown);
  if (!graph.cards.length) {
    panel.prepend(make("p", {class: "none"}, "Search for a topic, table, job or column, then follow its + buttons."));
    search.focus();
  }
}

Object.assign(hooks, {
  start: begin,
  address: (params) => {
    for (const entry of live.loads) params.append("load", entry);
    if (live.marked) params.set("mark", live.marked);
  },
  search: searchNames,
  take: takeHit,
  cardParts: (card) => [expandButton(card, true), expandButton(card, false)],
  panelParts,
  footer: () => [live.incomplete ? "some edges are left out: there are too many" : ""],
});
begin();
