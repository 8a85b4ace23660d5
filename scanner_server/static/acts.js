// The panel of a node: its acts, and the lists that are requested: impact, neighbours.
const LISTS = {impact: ["Impact", impactParts]};

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
  else if (LISTS[kind] && state.selected) await showList(kind, state.selected);
}

function nodeButton(node) {
  const label = node.path ? `${node.name}.${pathName(node.path)}` : node.name || node.id;
  const button = make("button", {type: "button", class: "refer"}, [text(label), " ", make("span", {class: "note"}, node.kind)]);
  button.onclick = () => visit(node.id);
  return button;
}

const IMPACT = 10_000,
  PAGE = 200;

// What is affected: first the jobs and groups, whose people are to be called, then data, with columns below what holds them.
async function impactParts(node) {
  const params = {node: node.key, ...asOf(shownScans.at)};
  const answer = await ask("/impact", {...params, limit: IMPACT});
  const total = answer.affected.length + answer.left_out;
  const chosen = {use: "", kind: ""};
  const list = make("div", {});
  const draw = () => {
    const rows = answer.affected.filter(
      (row) => (!chosen.use || row.use === chosen.use) && (!chosen.kind || row.kind === chosen.kind),
    );
    const groups = impactGroups(rows);
    const people = groups.filter(({kind}) => ["job", "consumer-group"].includes(kind));
    const data = groups.filter(({kind}) => !["job", "consumer-group"].includes(kind));
    list.replaceChildren(
      ...impactTable(`Jobs and consumer groups (${people.length})`, people),
      ...impactTable(`Data (${data.length})`, data),
    );
  };
  const choice = (name) => {
    const values = [...new Set(answer.affected.map((row) => row[name]))].sort();
    const select = make("select", {"aria-label": `Only of this ${name}`}, [
      make("option", {value: ""}, `every ${name}`),
      ...values.map((value) => make("option", {value}, value)),
    ]);
    select.onchange = () => {
      chosen[name] = select.value;
      draw();
    };
    return values.length > 1 ? select : "";
  };
  draw();
  return [
    ...noteParts(answer.notes),
    make("p", {}, text(answer.sentence)),
    make("p", {}, [
      `${total} affected${answer.left_out ? `, ${answer.left_out} not listed` : ""} · `,
      link(`${API}/impact.csv?${query(params)}`, "CSV", {download: "impact.csv"}),
      " · ",
      link(`/change?${query({node: node.key})}`, "Whom to call"),
    ]),
    total ? make("p", {class: "acts"}, [choice("kind"), choice("use")]) : "",
    list,
  ];
}

// Returns the affected with their columns below them, the nearest first.
function impactGroups(rows) {
  const groups = new Map();
  for (const row of rows) {
    const place = row.path ? row.id.slice(row.id.indexOf(":") + 1).split("#")[0] : row.id.slice(row.id.indexOf(":") + 1);
    if (!groups.has(place)) groups.set(place, {key: place, name: row.name, kind: "", row: null, columns: [], steps: row.steps});
    const group = groups.get(place);
    if (row.path) group.columns.push(row);
    else Object.assign(group, {row, kind: row.kind});
  }
  return [...groups.values()];
}

function impactTable(caption, groups) {
  if (!groups.length) return [];
  const body = make("tbody", {});
  const table = make("table", {class: "impact"}, [
    make("caption", {}, caption),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ["affected", "use", "steps"].map((word) => make("th", {scope: "col"}, word)),
      ),
    ),
    body,
  ]);
  const rows = groups.flatMap((group) =>
    (group.row ? [impactRow(group.row)] : []).concat(group.columns.length ? [columnsRow(group)] : []),
  );
  return [table, ...byPages(rows, body)];
}

function impactRow(row) {
  const owner = row.owner ? make("div", {class: "evidence"}, text(`owner: ${row.owner}`)) : "";
  const groups = (row.groups || []).length ? make("div", {class: "evidence"}, text(`groups: ${row.groups.join(", ")}`)) : "";
  return make("tr", {}, [make("td", {}, [nodeButton(row), owner, groups]), make("td", {}, row.use), make("td", {}, String(row.steps))]);
}

function columnsRow({columns, name}) {
  const inner = make("tbody", {});
  const fold = make("details", {}, make("summary", {}, `${columns.length} column${columns.length === 1 ? "" : "s"} of ${name}`));
  fold.addEventListener(
    "toggle",
    () => fold.append(make("table", {class: "impact"}, inner), ...byPages(columns.map(impactRow), inner)),
    {once: true},
  );
  return make("tr", {class: "columns"}, make("td", {colspan: 3}, fold));
}

// Puts the first rows into *place*; returns a button for the next ones, where there are any.
function byPages(rows, place) {
  const left = [...rows];
  place.append(...left.splice(0, PAGE));
  if (!left.length) return [];
  const button = make("button", {type: "button"}, `Show ${Math.min(PAGE, left.length)} of ${left.length} more`);
  button.onclick = () => {
    place.append(...left.splice(0, PAGE));
    button.textContent = `Show ${Math.min(PAGE, left.length)} of ${left.length} more`;
    button.hidden = !left.length;
  };
  return [button];
}

function noteParts(notes) {
  return (notes || []).map((note) => make("p", {class: "warn"}, text(note)));
}

// The neighbours of a hub that are not drawn: filtered by name, ten more of them drawn at a time.
function neighbourParts(node) {
  const all = live.hubs.get(node.key) || [];
  const rest = all.filter((other) => !graph.byKey.has(other.id));
  if (!rest.length) return [];
  const filter = make("input", {type: "search", placeholder: "Filter by name", "aria-label": "Filter by name"});
  const more = make("button", {type: "button"});
  const names = make("ul", {class: "names"});
  const fitting = () => rest.filter(({name}) => name.toLowerCase().includes(filter.value.toLowerCase()));
  const write = () => {
    const count = fitting().length;
    more.textContent = `Show ${Math.min(FIRST, count)} of ${count} more`;
    more.disabled = !count;
    names.replaceChildren(
      ...fitting()
        .slice(0, FIRST)
        .map((other) => make("li", {}, nodeButton(other))),
    );
  };
  filter.oninput = write;
  more.onclick = () =>
    during(async () => {
      const chosen = fitting().slice(0, FIRST);
      await showNeighbours(chosen);
      for (const {id} of chosen) remember(id, 0, 0);
      redraw({held: graph.byKey.get(node.key)});
      focusPanel();
    });
  write();
  return [
    make("h3", {}, `Neighbours (${all.length}, ${all.length - rest.length} drawn)`),
    make("p", {class: "acts"}, [filter, more]),
    names,
  ];
}

function panelParts(node) {
  const button = (words, does, attributes = {}) => {
    const element = make("button", {type: "button", ...attributes}, words);
    element.onclick = does;
    return element;
  };
  const listed = live.list && live.list.key === node.key ? live.list : null;
  const close = () => {
    live.list = null;
    refresh();
    focusPanel();
  };
  const depth = make(
    "select",
    {"aria-label": "How many steps further"},
    ["1", "2", "3", "all"].map((steps) => make("option", {value: steps, selected: steps === live.depth}, steps)),
  );
  depth.onchange = () => (live.depth = depth.value);
  const ways = node.kind === "column" || !state.lineage ? [] : [true, false];
  const more = (upstream) => {
    const none = nearestHidden(node, upstream) === null;
    return button(upstream ? "Upstream" : "Downstream", () => further(node, upstream), {
      disabled: none,
      title: none ? "Nothing more is known on this side" : "Draw so many steps more of it",
    });
  };
  return [
    ...noteParts(live.notes.get(node.key)),
    stepsPart(node),
    ...(listed
      ? [make("h3", {class: "listed", tabindex: "-1"}, listed.name), ...listed.parts, button("Close the list", close)]
      : []),
    ways.length ? make("p", {class: "acts"}, ["Draw more: ", ...ways.map(more), depth]) : "",
    ...neighbourParts(node),
  ];
}

// What can be done with a node.
function nodeActs(node) {
  const at = node.card || node;
  const cluster = at.kind === "topic" && at.group && at.group.node;
  const impact = make("button", {type: "button"}, "Impact");
  impact.onclick = () => showList("impact", node);
  return [
    impact,
    link(`/change?${query({node: node.key})}`, "Ask", {class: "button", title: "Whom to ask about a change"}),
    cluster ? link(topicPage(cluster.name, at.name), "Topic page", {class: "button"}) : "",
  ];
}

// What few need.
function moreParts(node) {
  const feed = link(`${API}/history.atom?${query({node: node.key})}`, "Feed of changes", {type: "application/atom+xml"});
  return [make("p", {class: "acts"}, feed)];
}

// The address of a node by its short ID, which stays the same from scan to scan; without a node that of the view.
function shortLink(node) {
  const summary = node && readSummaryOnce.get(node.key);
  return summary ? `${location.origin}/n/${summary.short}` : location.href;
}

// --- what a node is, in a sentence, with the steps of its values

const summaries = new Map();

const readSummaryOnce = new Map();

function readSummary(node) {
  if (!summaries.has(node.key)) summaries.set(node.key, ask("/node", {node: node.key}));
  summaries.get(node.key).then(
    (summary) => readSummaryOnce.set(node.key, summary),
    () => {},
  );
  return summaries.get(node.key);
}

// The newest graph alone is summarized.
function summaryPart(node, parts, attributes, waiting) {
  if (["schema", "cluster"].includes(node.kind) || !node.namespace || "as_of" in asOf(shownScans.at)) return "";
  const place = make("div", attributes, waiting);
  readSummary(node).then(
    (summary) => place.replaceChildren(...parts(summary)),
    () => place.remove(),
  );
  return place;
}

function sentencePart(node) {
  return summaryPart(node, sentenceParts, {class: "summary"}, make("p", {class: "none"}, "reading …"));
}

function sentenceParts({node, sentence, owner, changed}) {
  const told = [node.title, ...sentence.split(" · "), changed ? `changed ${moment(changed).slice(0, 10)}` : ""].filter(Boolean);
  const said = told.flatMap((part, at) => [at ? " · " : "", part === `owner ${owner}` ? ["owner ", ...ownerLinks(owner)] : text(part)]);
  return [make("p", {class: "sentence"}, said.flat())];
}

// The steps of a column's values, from where they start, each with its evidence.
function stepsPart(node) {
  return node.path ? summaryPart(node, ({steps}) => (steps.length ? [make("ol", {class: "steps"}, steps.map(stepLine))] : []), {}) : "";
}

function stepLine({source, target, how, evidence, certainty}) {
  return make("li", {}, [
    make("span", {}, [text(source), " → ", text(target), ` ${how}`]),
    make("div", {class: "evidence"}, [text(evidence), " ", make("span", {class: "note", title: CERTAINTY[certainty] || ""}, certainty)]),
  ]);
}
