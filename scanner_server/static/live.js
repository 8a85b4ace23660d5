// The drawing of a server: what is visited and expanded is requested, and the address of the view names it.
function visit(key) {
  return during(async () => {
    // What is visited would be lost among thousands of cards.
    if (graph.cards.length > MOST_CARDS && !live.loads.length) live.sides = emptySides();
    const root = await loadFirst(key);
    const node = graph.byKey.get(root);
    if (live.list && live.list.key !== root) live.list = null;
    if (node) look(node, {bring: true});
    else refresh({fit: true});
    if (node) focusCard(node.card);
  });
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

// How many steps away from a node the nearest one is with edges that are not drawn, on one side; null without any.
function nearestHidden(node, upstream) {
  let [reached, steps] = [new Set([node]), 0];
  for (let ring = [node]; ring.length; steps++) {
    if (ring.some((card) => hidden(card, upstream))) return steps;
    const edges = ring.flatMap((card) => (upstream ? card.in : card.out)).filter((edge) => state.lineage.edges.has(edge));
    ring = [...new Set(edges.map((edge) => (upstream ? edge.source : edge.target)))].filter((card) => !reached.has(card));
    ring.forEach((card) => reached.add(card));
  }
  return null;
}

// Goes further from all that is drawn of a node's lineage: by the chosen number of steps, or to the end.
function further(node, upstream) {
  const from = nearestHidden(node, upstream);
  if (from === null) return;
  const steps = live.depth === "all" ? null : from + Number(live.depth);
  during(async () => {
    const root = await load(node.key, upstream ? steps : 0, upstream ? 0 : steps);
    redraw({held: graph.byKey.get(root)});
    bringLineage(state.selected);
  });
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
  if (unread.length)
    during(async () => {
      for (const card of unread) await load(card.key, 0, 0);
      redraw();
    });
}

// --- chips that the graph itself does not have: personal data, and what is stale because of something upstream

const MOST_TAGGED = 1000;
const chips = {stale: new Map(), tags: new Map(), read: null};

function readChips() {
  const tagged = () => ask("/columns", {tag: "PII", limit: MOST_TAGGED}).then(({items}) => items.forEach(addTags), () => {});
  chips.read = chips.read || Promise.all([readStale().then((stale) => (chips.stale = stale)), tagged()]);
  return chips.read;
}

// The tags of a column, and of the topic or dataset that has it; declared ones before inherited ones.
function addTags(row) {
  const declared = [...row.tags, ...row.inherited_tags].map((tag) => [tag, "declared"]);
  const found = row.found_tags.map(({tag, certainty}) => [tag, certainty === "suggested" ? "suggested" : "inherited"]);
  const holder = row.topic ? `${row.cluster} ${row.topic}` : (row.node || "").split("#")[0];
  const column = row.topic ? `${holder}#${row.role === "key" ? "@key." : ""}${row.name}` : row.node;
  for (const key of [holder, column].filter(Boolean)) {
    const known = chips.tags.get(key) || new Map();
    for (const [tag, how] of [...declared, ...found]) if (known.get(tag) !== "declared") known.set(tag, how);
    chips.tags.set(key, known);
  }
}

// A topic is known by its cluster and name, anything else by its key in the graph.
function tagsOf(node) {
  const column = node.path ? `#${pathName(node.path)}` : "";
  const own = node.key.replace(/^[a-z-]+:/, "column:");
  const known = chips.tags.get(`${node.system} ${node.name}${column}`) || chips.tags.get(own);
  return known ? [...known].filter(([, how]) => how !== "suggested") : [];
}

// --- the start

function begin() {
  return during(readView);
}

let views = 0;

async function readView() {
  const view = ++views;
  const params = new URLSearchParams(location.hash.slice(1));
  const wanted = params.getAll("load").filter((entry) => !live.loads.includes(entry));
  const node = params.get("node");
  const alone = !params.has("load") && !node;
  const requested =
    alone && !scans.length && !params.has("scan") && !params.has("base") ? ask("/overview", {limit: OVERVIEW}) : null;
  if (requested) requested.catch(() => {}); // fails without a graph
  if (!live.health) [live.health] = await Promise.all([readHealth(), readTimeline(params)]);
  else await showScansOf(params);
  const {now} = live.health;
  if (alone) Object.assign(live, {sides: emptySides(), loads: []});
  if (now.graph_scan !== null && (alone || !live.whole)) await loadOverview(alone ? OVERVIEW : 1, requested);
  for (const entry of wanted) await load(...JSON.parse(entry));
  // A link may name the node in another way than the graph does.
  let failure = null;
  if (node && !graph.byKey.has(node)) {
    try {
      params.set("node", await loadFirst(node));
    } catch (error) {
      if (graph.cards.length || now.graph_scan === null) throw error;
      // The canvas is not left empty.
      failure = error;
      for (const name of ["node", "focus"]) params.delete(name);
      await loadOverview(OVERVIEW);
    }
  }
  if (view !== views) return; // another link was followed meanwhile
  if (node !== params.get("node")) history.replaceState(null, "", `#${params}`);
  // Chips change the width of cards, so that the first drawing waits for them a little.
  let drawn = false;
  const read = readChips().then(() => drawn && refresh());
  await Promise.race([read, new Promise((done) => setTimeout(done, 500))]);
  if (view !== views) return;
  open();
  if (failure) showError(failure);
  drawn = true;
  await restoreList(params.get("list"));
  if (!graph.cards.length) search.focus();
}

function startParts() {
  const {whole, opened} = live;
  if (live.collapsed && opened) {
    const names = make("ul", {class: "names"});
    listNodes(opened, names, "");
    return [make("h2", {}, text(opened.cluster || opened.namespace)), make("p", {}, `${digits(opened.count)} ${opened.kind}s`), names];
  }
  const many = whole && !whole.complete && (live.collapsed || !graph.cards.length);
  const size = many ? `The graph has ${whole.node_count} nodes, too many to be drawn at once. ` : "";
  const hint = make(
    "p",
    {class: "none"},
    `${size}Search for a topic, table, job or column, then follow the + buttons of its card.`,
  );
  return [hint, ...(many ? [systemsPart(live.health.summary.nodes)] : []), ...changeParts()];
}

Object.assign(hooks, {
  start: begin,
  address: (params) => {
    for (const entry of live.loads) params.append("load", entry);
    if (live.list) params.set("list", live.list.kind);
    saveTheme(state.theme);
  },
  theme: savedTheme,
  search: searchNames,
  actions: searchActions,
  searching: () => typing.answered !== search.value,
  take: (hit) => (hit.node ? visit(hit.node) : location.assign(hitPage(hit))),
  refreshed: () => {
    readOpened();
    readFlows();
  },
  showScans: compareScans,
  changes: countChanges,
  reach: (node) => live.reach.get(node.key),
  hidden,
  evidence: evidencePart,
  isPart: () => !live.everything,
  hasMore,
  frame: () => (document.documentElement.classList.contains("embedded") ? window.frameElement : null),
  cardParts: (card) => [expandButton(card, true), expandButton(card, false)],
  cardKeys: cardActs,
  openGroup: openSystem,
  panelParts,
  moreParts,
  acts: nodeActs,
  link: shortLink,
  date: () => (live.health.now.scan ? `scanned ${moment(live.health.now.finished)}` : ""),
  sentence: sentencePart,
  tags: tagsOf,
  staleness: (node) => {
    const row = shownScans.base === null && !("as_of" in asOf(shownScans.at)) && chips.stale.get(node.key);
    return row ? causeOf(row) : "";
  },
  aboutParts: startParts,
  footer: () => [
    live.whole ? `${digits(live.whole.node_count)} nodes in the whole graph` : "",
    live.incomplete ? "some edges are left out: there are too many" : "",
  ],
});
document.querySelector("h1").replaceChildren(make("a", {href: "/"}, "scanner"));
addNavigation();
begin();
