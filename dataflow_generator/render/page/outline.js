// The outline: clusters and systems, their items, schemas and columns; only expanded levels are rendered.
const outline = document.getElementById("outline");

function drawOutline() {
  const groups = [...graph.groups.values()];
  const old = outline.scrollTop;
  outline.replaceChildren(make("div", {role: "tree", "aria-label": "Outline"}, groups.map(groupBranch)));
  outline.scrollTop = old;
  const chosen = outline.querySelector("[aria-selected=true]") || outline.querySelector(".branch.holds");
  const first = chosen || outline.querySelector("[role=treeitem]");
  if (first) first.tabIndex = 0;
  if (chosen && !outline.contains(document.activeElement)) chosen.scrollIntoView({block: "nearest"});
}

function groupBranch(group) {
  const open = !state.shut.has(group);
  const folded = state.folded.has(group);
  const line = branchLine({
    kind: group.kind,
    name: group.label,
    note: `${group.cards.length}${hooks.isPart() ? " drawn" : ""}`,
    node: group.node,
    open: group.cards.length ? open : null,
    level: 1,
    toggle: () => flip(state.shut, group),
  });
  const says = folded ? "Expand in the drawing" : "Collapse in the drawing";
  if (group.cards.length) {
    const button = make(
      "button",
      {class: "fold", type: "button", title: says, "aria-label": says, "aria-pressed": String(folded), tabindex: "-1"},
      folded ? "⊞" : "⊟",
    );
    button.onclick = (event) => {
      event.stopPropagation();
      flip(state.folded, group);
      refresh({fit: true});
    };
    line.append(button);
  }
  return branch(line, open ? groupLines(group) : []);
}

// Of a large group the first items, and those that are looked at.
function groupLines(group) {
  const {cards} = group;
  if (cards.length <= MOST_BRANCHES || state.listed.has(group)) return cards.map(cardBranch);
  const onLineage = state.lineage ? state.lineage.cards : new Set();
  const listed = cards.filter((card, at) => at < MOST_BRANCHES || onLineage.has(card));
  return [...listed.map(cardBranch), moreBranch(cards.length - listed.length, "items", 2, () => state.listed.add(group))];
}

function moreBranch(count, what, level, list) {
  const more = branchLine({kind: "more", name: `${count} more ${what} …`, note: "", node: null, open: null, level});
  more.onclick = () => {
    list();
    refresh();
  };
  return branch(more, []);
}

function cardBranch(card) {
  const count = columnCount(card),
    open = state.open.has(card);
  const toggle = () => flip(state.open, card);
  const line = branchLine({
    kind: card.kind,
    name: nameOf(card),
    note: flowing.has(card) ? "" : "no flow",
    node: card,
    open: count ? open : null,
    level: 2,
    toggle,
  });
  return branch(line, open ? sectionsOf(card).flatMap((section) => sectionBranches(card, section)) : []);
}

function sectionBranches(card, section) {
  const rows = state.full.has(card) ? section.rows : section.rows.slice(0, MOST_ROWS);
  const lines = rows.map((row) =>
    branch(
      branchLine({
        kind: "column",
        name: rowName(row),
        note: row.described.attributes.type || "",
        node: row.column,
        open: null,
        level: 4 + row.depth,
      }),
      [],
    ),
  );
  if (rows.length < section.rows.length) {
    lines.push(moreBranch(section.rows.length - rows.length, "columns", 4, () => state.full.add(card)));
  }
  if (!section.title) return lines;
  const schema = section.edge && section.edge.target;
  return [
    branch(branchLine({kind: "schema", name: section.title, note: "", node: schema, open: null, level: 3}), lines),
  ];
}

function branch(line, children) {
  return children.length ? make("div", {}, [line, make("div", {role: "group"}, children)]) : line;
}

function branchLine({kind, name, note, node, open, level, toggle}) {
  const chosen = node && node === state.selected;
  const holds = node && state.selected && node === state.selected.card;
  const on = node && state.lineage && (state.lineage.nodes.has(node) || state.lineage.cards.has(node));
  const line = make(
    "div",
    {
      role: "treeitem",
      class: `branch kind-${cssName(kind)}${on ? " on" : ""}${holds ? " holds" : ""}`,
      style: `--level:${level - 1}`,
      tabindex: "-1",
      title: name,
      "aria-level": level,
      "aria-expanded": open === null ? null : String(open),
      "aria-selected": String(Boolean(chosen)),
    },
    [
      make("span", {class: "twist", "aria-hidden": "true"}, open === null ? " " : open ? "▾" : "▸"),
      make("span", {class: "icon", "aria-hidden": "true"}, ICONS[kind] || (kind === "more" ? "…" : "◆")),
      shortened(name, kind),
      note ? make("span", {class: "note"}, note) : "",
    ],
  );
  line.toggle =
    toggle &&
    (() => {
      toggle();
      refresh();
    });
  line.onclick = (event) => {
    if (event.target.classList.contains("twist") && line.toggle) line.toggle();
    else if (node) look(node, {bring: true});
    else if (line.toggle) line.toggle();
  };
  return line;
}

outline.addEventListener("keydown", (event) => {
  const line = event.target.closest("[role=treeitem]");
  if (!line) return;
  const all = [...outline.querySelectorAll("[role=treeitem]")],
    at = all.indexOf(line);
  const open = line.getAttribute("aria-expanded");
  const acts = {
    ArrowDown: () => all[at + 1] && all[at + 1].focus(),
    ArrowUp: () => all[at - 1] && all[at - 1].focus(),
    Home: () => all[0].focus(),
    End: () => all[all.length - 1].focus(),
    ArrowRight: () => again(open === "false", line, at, () => all[at + 1] && all[at + 1].focus()),
    ArrowLeft: () =>
      again(open === "true", line, at, () => {
        const up = all
          .slice(0, at)
          .reverse()
          .find((earlier) => earlier.ariaLevel < line.ariaLevel);
        if (up) up.focus();
      }),
    Enter: () => {
      line.click();
      focusBranch(at);
    },
  };
  if (!acts[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  acts[event.key]();
});

function again(turn, line, at, otherwise) {
  if (!turn || !line.toggle) return otherwise();
  line.toggle();
  return focusBranch(at);
}

function focusBranch(at) {
  const line = outline.querySelectorAll("[role=treeitem]")[at];
  if (line) line.focus();
}
