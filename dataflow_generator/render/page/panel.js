// The details panel: a node, edges with their evidence, or the graph: legend, keys, coverage.
const panel = document.getElementById("panel");
const MOST_TOLD = 200;

// What has the focus keeps it, where it is still there.
function drawPanel() {
  const content = state.about
    ? aboutParts()
    : state.link
      ? linkParts(state.link)
      : state.selected
        ? nodeParts(state.selected)
        : aboutParts();
  const focused = panel.contains(document.activeElement) && document.activeElement !== panel ? document.activeElement : null;
  panel.replaceChildren(...content);
  if (!focused) return;
  const same = [...panel.querySelectorAll(focused.tagName)].find(
    (element) => element.textContent === focused.textContent && element.getAttribute("aria-label") === focused.getAttribute("aria-label"),
  );
  (same || panel).focus({preventScroll: true});
}

// What is said first, then what can be done, then the evidence; where the node is named is folded.
function nodeParts(node) {
  const held = node.path ? node.card : null;
  const facts = [];
  const names = [
    ["kind", node.kind.replaceAll("-", " ")],
    ["name", node.name],
    ["namespace", node.system ? `${node.system} (${node.namespace})` : node.namespace],
    held && held !== node ? ["in", refer(held)] : null,
    ["id", node.key],
  ].filter(Boolean);
  const doubts = doubtsOf(node);
  const told = doubts.some(([word]) => word === "failed") ? ["state", "failed", "error"] : [];
  const others = Object.entries(node.attributes)
    .filter(([name]) => !told.includes(name))
    .map(([name, value]) => [name.replace(/_/g, " "), valueOf(value)]);
  for (const [word, why, grade = ""] of doubts) {
    const [first, ...rest] = why.split("\n");
    facts.unshift([word, make("span", {}, [make("span", {class: `doubt ${grade}`}, first), ...rest.map((line) => make("div", {}, line))])]);
  }
  if (node.mark) facts.push(["change", markText(node.mark)]);
  for (const [name, value] of Object.entries(node.before || {})) {
    if (JSON.stringify(value) !== JSON.stringify(node.attributes[name]))
      others.push([`${name.replace(/_/g, " ")} in scan ${shownScans.base}`, valueOf(value)]);
  }
  const {card} = node;
  const buttons = [
    card && (columnCount(card) || hooks.hasMore(card))
      ? act(state.open.has(card) ? "Hide columns" : "Show columns", () => flip(state.open, card), {})
      : "",
    state.lineage ? focusButton() : "",
    copyButton(),
  ];
  return [
    make("h2", {class: `kind-${cssName(node.kind)}`}, [
      make("span", {class: "icon"}, ICONS[node.kind] || "◆"),
      text(nameOf(node)),
    ]),
    hooks.sentence(node),
    make("p", {class: "acts"}, [...hooks.acts(node), ...buttons]),
    ...hooks.panelParts(node),
    wayPart(node),
    facts.length + others.length ? factList([...facts, ...others]) : "",
    ...sharedPart(node),
    ...edgePart("Comes from", node.in, "source", hooks.hidden(node, true)),
    ...edgePart("Goes to", node.out, "target", hooks.hidden(node, false)),
    ...schemaPart(node),
    make("details", {class: "more"}, [make("summary", {}, "More"), factList(names), ...hooks.moreParts(node)]),
  ];
}

function copyButton() {
  const button = make("button", {type: "button", title: "Copy the address of this view"}, "Copy link");
  button.onclick = () =>
    navigator.clipboard.writeText(hooks.link(state.selected)).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "The browser does not allow it"),
    );
  return button;
}

function focusButton() {
  const button = make("button", {type: "button", "aria-pressed": String(state.focus), title: "Draw only its lineage ( f )"}, "Focus");
  button.onclick = () => DO.focus();
  return button;
}

function markText(mark) {
  return make("span", {class: `mark-${mark}`}, `${MARKS[mark]} ${mark} from scan ${shownScans.base} to ${shownScans.at}`);
}

// How much there is upstream and downstream in the whole graph, and how much of it is drawn.
function wayPart(node) {
  if (!state.lineage) return make("p", {}, `${node.inside.length} inside`);
  const reach = hooks.reach(node);
  if (!reach) return make("p", {class: "way none"}, "reading …");
  if (!reach.upstream && !reach.downstream) return make("p", {class: "way none"}, "No known flows.");
  const say = (word, count, drawn) => {
    if (!count) return `${word}: none`;
    const cards = new Set([...drawn].map((member) => member.card)).size;
    const places = node.kind === "column" ? ` in ${cards} place${cards === 1 ? "" : "s"}` : "";
    return `${word}: ${reach.complete ? "" : "at least "}${count}${drawn.size < count ? ` (${drawn.size} drawn)` : places}`;
  };
  const {up, down} = state.lineage;
  return make("p", {class: "way"}, [
    make("span", {}, say("Upstream", reach.upstream, up)),
    make("span", {}, say("Downstream", reach.downstream, down)),
    graph.about.part ? " in this part of the graph" : "",
  ]);
}

// A schema, and a column of it, is shared by every topic that has the schema.
function sharedPart(node) {
  let schema = node;
  while (schema && schema.kind === "column") schema = schema.parent;
  if (!schema || schema.kind !== "schema") return [];
  const topics = graph.edges.filter((edge) => edge.kind === "has-schema" && edge.target === schema);
  return edgePart("Describes", topics, "source");
}

function schemaPart(node) {
  return edgePart("Schemas", node.schemas, "target");
}

function edgePart(title, edges, end, hidden = 0) {
  if (!edges.length) return [];
  const count = hidden ? `${edges.length + hidden}, ${edges.length} drawn` : edges.length;
  const listed = edges
    .slice(0, MOST_TOLD)
    .map((edge) =>
      make("li", {}, [
        make("div", {}, [refer(edge[end]), " ", edgeButton(edge)]),
        make("div", {class: "evidence"}, text(edge.evidence)),
      ]),
    );
  return [make("h3", {}, `${title} (${count})`), make("ul", {class: "edges"}, listed), ...restOf(edges)];
}

function restOf(edges) {
  return edges.length > MOST_TOLD
    ? [make("p", {class: "none"}, `${edges.length - MOST_TOLD} more not listed.`)]
    : [];
}

function edgeButton(edge) {
  const button = act(edgeWord(edge), () => pick([edge]), {class: "how"});
  button.append(" ", make("span", {class: `certainty ${cssName(edge.certainty)}`}, edge.certainty));
  if (edge.mark) button.append(" ", make("span", {class: `mark-${edge.mark}`}, `${MARKS[edge.mark]} ${edge.mark}`));
  return button;
}

function linkParts(edges) {
  const [first] = edges;
  const title =
    edges.length === 1
      ? [refer(first.source), " → ", refer(first.target)]
      : [refer(first.source.card), " → ", refer(first.target.card)];
  const proof = edges.length === 1 ? hooks.evidence(edges[0]) : "";
  const listed = edges.slice(0, MOST_TOLD).map((edge) =>
    factList([
      ["from", refer(edge.source)],
      ["to", refer(edge.target)],
      ["effect", [edgeWord(edge), edge.type === "INDIRECT" ? "(indirect)" : ""].join(" ").trim()],
      [
        "certainty",
        make(
          "span",
          {class: `certainty ${cssName(edge.certainty)}`},
          `${edge.certainty}: ${CERTAINTY[edge.certainty] || ""}`,
        ),
      ],
      ["evidence", make("span", {class: "evidence"}, text(edge.evidence))],
      ["change", edge.mark ? markText(edge.mark) : ""],
    ]),
  );
  return [
    make("h2", {class: "link"}, title),
    make(
      "p",
      {class: "acts"},
      act("Clear", () => select(null), {}),
    ),
    make("p", {}, edges.length === 1 ? "One edge of the graph." : `${edges.length} edges of the graph.`),
    ...listed,
    proof,
    ...restOf(edges),
  ];
}

function aboutParts() {
  return [...hooks.aboutParts(), ...coverageParts(), ...legendParts(), ...keyParts()];
}

const COUNTS = {
  partly_read: "statements read in part",
  unread_files: "files that are not read",
  connector_columns: "connectors with column flows",
  connectors: "connectors with datasets only",
  unknown_connectors: "connectors of unknown classes",
};

function coverageParts() {
  const {coverage, part} = graph.about;
  const {columns = 0, tables = 0, unread = 0, problems = [], ...others} = coverage;
  const lines = [
    [
      "statements",
      `${columns + tables + unread}: ${columns} with columns, ${tables} with tables only, ${unread} not parsed`,
    ],
    ...Object.entries(others).map(([name, count]) => [COUNTS[name] || name.replace(/_/g, " "), String(count)]),
  ];
  const left = Object.entries(graph.leftOut).map(
    ([kind, count]) =>
      `${count} ${kind}s of schemas are omitted because this file would be too large; ` +
      "export a part of the graph with --node or --cluster to include them.",
  );
  return [
    part
      ? make("p", {class: "warn"}, [
          "This is part of the graph: ",
          text(part),
          ". The counts below are of the whole graph.",
        ])
      : "",
    ...left.map((words) => make("p", {class: "warn"}, words)),
    make("h2", {}, scans.length > 1 ? `Coverage of scan ${graph.live ? shownScans.at : scans[scans.length - 1]}` : "Coverage"),
    factList(lines),
    make("h3", {}, `Problems (${problems.length})`),
    problems.length
      ? make(
          "ul",
          {class: "problems"},
          problems.map((problem) =>
            make("li", {}, [
              make("b", {}, text(problem.where)),
              make("div", {}, text(problem.what)),
              problem.hint ? make("div", {class: "evidence"}, text(problem.hint)) : "",
            ]),
          ),
        )
      : make("p", {class: "none"}, "Nothing."),
  ].filter(Boolean);
}

// An error opens the panel, which is closed while nothing is selected.
function showError(error) {
  document.querySelector("main").classList.add("detailed");
  panel.replaceChildren(make("p", {class: "warn", role: "alert"}, messageOf(error)));
}

panel.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !state.selected) return;
  event.stopPropagation();
  focusCard(state.selected.card);
});

function focusPanel() {
  const first = panel.querySelector(".listed, button, a[href]");
  if (first) first.focus();
}

function legendParts() {
  const kinds = [...new Set(["cluster", ...graph.cards.map((card) => card.kind)])];
  const boxes = kinds.map((kind) =>
    make("li", {class: `kind-${cssName(kind)}`}, [
      make("span", {class: "icon"}, ICONS[kind] || "◆"),
      kind.replace(/-/g, " "),
    ]),
  );
  const edgeKinds = [...new Set(graph.edges.map((edge) => edge.kind))].filter(
    (kind) => !["contains", "has-schema"].includes(kind),
  );
  const lines = [
    ...edgeKinds.map((kind) => [`edge-${cssName(kind)}`, kind]),
    ["edge-column-flow indirect", "indirect: filter, join, group, window …"],
    ["matched", "matched by name, or suggested by source code"],
    ["on", "on the selected route"],
    ...(scans.length > 1 ? Object.keys(MARKS).map((mark) => [`mark-${mark}`, `${mark} between the two scans`]) : []),
  ];
  return [
    make("h2", {}, "Legend"),
    make("ul", {class: "legend"}, boxes),
    make(
      "ul",
      {class: "legend"},
      lines.map(([mark, words]) => make("li", {}, [legendLine(mark), words])),
    ),
    make("p", {class: "none"}, [
      make("span", {class: "doubt"}, "stale"),
      " the last scan could not confirm it; ",
      make("span", {class: "doubt"}, "not read"),
      " its flows are unknown; observed: monitoring saw it at work.",
    ]),
    make("p", {class: "none"}, "The number on a card is its column count; ? after a type: may be null or absent."),
  ];
}

function legendLine(mark) {
  const path = make("path", {class: "line", d: "M0 7H30"}, [], SVG);
  return make(
    "svg",
    {class: "sample", width: 36, height: 14, "aria-hidden": "true"},
    make("g", {class: `curve ${mark}`}, [path, make("path", {class: "tip", d: "M36 7l-8 -4v8z"}, [], SVG)], SVG),
    SVG,
  );
}

function keyParts() {
  const keys = [
    ["/", "search"],
    ["click, Enter", "select a node with its upstream and downstream, or a line with its evidence"],
    ["double click, Space", "show or hide columns"],
    ["← →", "go upstream, downstream"],
    ["↑ ↓", "previous, next card"],
    ...(graph.live ? [["Shift ← →", "expand upstream, downstream"]] : []),
    ["f", "draw only the lineage of the selected node"],
    ["p", "go to the details; Esc goes back to the drawing"],
    ["+ − 0", "zoom; show all"],
    ["drag, wheel", "move, zoom"],
    ["g", "collapse or expand all"],
    ["i", "show items without flow"],
    ["d", "light or dark theme"],
    ["Esc", "clear the selection"],
    ["?", "this"],
  ];
  return [
    make("h2", {id: "keys", tabindex: "-1"}, "Keys"),
    make(
      "dl",
      {class: "keys"},
      keys.flatMap(([key, does]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, does)]),
    ),
  ];
}

function refer(node) {
  const button = act("", () => null, {class: `refer kind-${cssName(node.kind)}`, title: node.key});
  button.onclick = () => look(node, {bring: true});
  button.append(make("span", {class: "icon", "aria-hidden": "true"}, ICONS[node.kind] || "◆"), text(nameOf(node)));
  return button;
}

function act(words, does, attributes) {
  const button = make("button", {type: "button", ...attributes}, words);
  button.onclick = () => {
    does();
    refresh();
  };
  return button;
}
