// The panel of a node: its acts, and the lists that are requested: impact, paths.
const LISTS = {impact: ["Impact", impactParts], paths: ["Paths", pathParts]};

function showList(kind, node) {
  const [name, makeParts] = LISTS[kind];
  return during(async () => {
    const parts = await makeParts(node);
    live.list = {kind, key: node.key, name, parts};
    refresh();
    const heading = panel.querySelector(".listed");
    if (heading) heading.focus();
  });
}

// Shows the list that an address names.
async function restoreList(kind) {
  if (!kind) live.list = null;
  else if (LISTS[kind] && state.selected && (kind !== "paths" || live.marked)) await showList(kind, state.selected);
}

function link(href, words) {
  return make("a", {href}, words);
}

function nodeButton(node) {
  const label = node.path ? `${node.name}.${pathName(node.path)}` : node.name || node.id;
  const button = make("button", {type: "button", class: "refer"}, [text(label), " ", make("span", {class: "note"}, node.kind)]);
  button.onclick = () => visit(node.id);
  return button;
}

async function impactParts(node) {
  const params = {node: node.key, ...asOf(shownScans.at)};
  const answer = await ask("/impact", params);
  const rows = answer.affected.map((affected) =>
    make("tr", {}, [
      make("td", {}, nodeButton(affected)),
      make("td", {}, affected.use),
      make("td", {}, String(affected.steps)),
    ]),
  );
  const head = ["affected", "use", "steps"].map((word) => make("th", {scope: "col"}, word));
  const left = answer.left_out ? `, ${answer.left_out} not listed` : "";
  return [
    make("p", {}, [
      `${answer.affected.length + answer.left_out} affected${left} · `,
      make("a", {href: `${API}/impact.csv?${new URLSearchParams(params)}`, download: "impact.csv"}, "CSV"),
    ]),
    rows.length ? make("table", {class: "impact"}, [make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)]) : "",
  ];
}

async function pathParts(node) {
  const answer = await ask("/paths", {from: live.marked, to: node.key, ...asOf(shownScans.at)});
  addPart("at", {nodes: answer.nodes, edges: answer.paths.flat()});
  showAll();
  select(graph.byKey.get(node.key) || null);
  const names = new Map(answer.nodes.map((node) => [node.id, node]));
  const way = (path) =>
    make("li", {}, [names.get(path[0].source), ...path.map((edge) => names.get(edge.target))].map(nodeButton));
  const says = answer.paths.length
    ? `${answer.paths.length} shortest paths${answer.reverse ? ", in the other direction" : ""}`
    : `No path is known${answer.complete ? "" : " (the search was ended)"}.`;
  return [make("p", {}, says), make("ol", {class: "paths"}, answer.paths.map(way))];
}

function panelParts(node) {
  const at = node.card || node;
  const button = (words, does, attributes = {}) => {
    const element = make("button", {type: "button", ...attributes}, words);
    element.onclick = does;
    return element;
  };
  const cluster = at.kind === "topic" && at.group && at.group.node;
  const listed = live.list && live.list.key === node.key ? live.list : null;
  const isMarked = live.marked === node.key;
  const mark = () => {
    live.marked = isMarked ? null : node.key;
    refresh();
    focusPanel();
  };
  const close = () => {
    live.list = null;
    refresh();
    focusPanel();
  };
  return [
    make("p", {class: "acts"}, [
      button("Upstream", () => visit(node.key, 1, 0)),
      button("Downstream", () => visit(node.key, 0, 1)),
      button("Impact", () => showList("impact", node)),
      button("Mark", mark, {"aria-pressed": String(isMarked), title: "Mark it, to see paths from it to another node"}),
      live.marked && !isMarked ? button("Paths from mark", () => showList("paths", node)) : "",
      cluster ? link(topicPage(cluster.name, at.name), "Topic page") : "",
    ]),
    ...(listed
      ? [make("h3", {class: "listed", tabindex: "-1"}, listed.name), ...listed.parts, button("Close the list", close)]
      : []),
  ];
}
