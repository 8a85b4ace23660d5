// The drawing: cards as elements of the page, links as curves behind them.
const stage = document.getElementById("stage");
const SIZE = {head: 32, row: 20, title: 20, pad: 6, w: 250};
const TAIL = 8;
const drawing = {boxes: new Map(), order: [], w: 0, h: 0};
const world = make("div", {class: "world"});
const curves = make("svg", {class: "curves", width: 1, height: 1, "aria-hidden": "true"}, [], SVG);
world.append(curves);
stage.append(world);

function draw() {
  const boxes = boxesNow();
  arrange(boxes);
  for (const old of world.querySelectorAll(".card, .caption")) old.remove();
  curves.replaceChildren();
  drawing.boxes = new Map(boxes.flatMap((box) => box.stands.map((card) => [card, box])));
  drawing.order = boxes;
  drawCurves();
  world.append(...boxes.map(cardElement));
  const {caption} = drawing;
  if (caption) world.append(make("div", {class: "caption", style: place(caption)}, caption.text));
  stage.classList.toggle("lit", Boolean(state.lineage || state.link));
}

// The cards of the selected lineage, where only they are drawn; else null.
function focusedCards() {
  return state.focus && state.lineage && !state.link ? state.lineage.cards : null;
}

// A box is a card, or a collapsed group of cards.
function boxesNow() {
  const boxes = [],
    groups = new Set(),
    only = focusedCards();
  if (only) return graph.cards.filter((card) => only.has(card)).map((card) => box(`c${card.id}`, [card], {card}));
  for (const card of graph.cards) {
    const group = card.group;
    if (state.folded.has(group)) {
      if (!groups.has(group)) boxes.push(box(`g${boxes.length}`, group.cards, {group}));
      groups.add(group);
    } else if (state.still || flowing.has(card)) boxes.push(box(`c${card.id}`, [card], {card}));
  }
  for (const group of graph.groups.values()) {
    if (state.still && !group.cards.length) boxes.push(box(`g${group.key}`, [], {group}));
  }
  return boxes;
}

function box(id, stands, what) {
  const lines = what.card ? linesOf(what.card) : [];
  const below = lines.reduce((sum, line) => sum + (line.title ? SIZE.title : SIZE.row), 0);
  return {id, stands, ...what, lines, w: SIZE.w, h: SIZE.head + (below ? below + SIZE.pad : 0), x: 0, y: 0};
}

// The rows of a card: all columns if it is expanded, else the selected ones.
function linesOf(card) {
  const columnLineage = columnsLookedAt();
  const open = state.open.has(card);
  if (!open && !columnLineage.size) return [];
  const lines = [];
  for (const section of sectionsOf(card)) {
    const rows = open ? section.rows : section.rows.filter((row) => columnLineage.has(row.column) && !once(lines, row));
    if (!rows.length) continue;
    if (open && section.title) lines.push({title: section.title, section});
    lines.push(...rows.map((row) => ({row})));
  }
  if (!open || state.full.has(card) || lines.length <= MOST_ROWS + 1) return lines;
  const onLineage = (line) => line.row && columnLineage.has(line.row.column);
  const shownLines = lines.filter((line, at) => at < MOST_ROWS || onLineage(line));
  return shownLines.length === lines.length ? lines : [...shownLines, {more: lines.length - shownLines.length}];
}

function columnsLookedAt() {
  if (state.link) return new Set(state.link.length > 1 ? [] : [state.link[0].source, state.link[0].target]);
  return state.lineage && state.selected.kind === "column" ? state.lineage.nodes : new Set();
}

function once(lines, row) {
  return lines.some((line) => line.row && line.row.column === row.column);
}

function arrange(boxes) {
  const boxOf = new Map(boxes.flatMap((box) => box.stands.map((card) => [card, box])));
  const links = new Map();
  for (const link of graph.links) {
    const source = boxOf.get(link.source),
      target = boxOf.get(link.target);
    if (!source || !target) continue;
    source.flows = target.flows = true;
    if (source !== target && link.shown) links.set(`${source.id}>${target.id}`, [source.id, target.id]);
  }
  const aspect = Math.max(0.6, (stage.clientWidth || 1200) / (stage.clientHeight || 800));
  // What has flows that are not drawn is none of those without.
  for (const box of boxes) box.flows = box.flows || (box.card && flowing.has(box.card));
  const moving = boxes.filter((box) => box.flows);
  drawing.via = null;
  let size = {w: 0, h: 0};
  if (moving.length) {
    widen(moving, [...links.values()], aspect);
    size = layout(moving, [...links.values()], aspect);
    drawing.via = size.via;
  }
  const rest = boxes.filter((box) => !box.flows);
  Object.assign(drawing, beneath(rest, size, aspect));
}

// A tall drawing has room for longer names, as long as all layers fit the window.
function widen(boxes, links, aspect) {
  const size = layout(boxes, links, aspect);
  const k = Math.max(LEGIBLE, Math.min(1, (stage.clientHeight || 800) / Math.max(1, size.h)));
  const layers = Math.max(1, Math.round(size.w / (SIZE.w + GAP.x)));
  const spare = ((stage.clientWidth || 1200) - 60) / k - size.w;
  const w = Math.round(Math.min(340, Math.max(SIZE.w, SIZE.w + spare / layers)));
  for (const box of boxes) box.w = w;
}

function beneath(boxes, size, aspect) {
  if (!boxes.length) return {w: size.w, h: size.h, caption: null};
  const w = boxes[0].w + 14;
  const area = boxes.reduce((sum, box) => sum + (box.h + 10) * w, 0);
  const columns = Math.max(1, Math.min(boxes.length, Math.round(Math.max(size.w, Math.sqrt(area * aspect)) / w)));
  const top = size.h ? size.h + 80 : 40;
  const downs = Array.from({length: columns}, () => top);
  for (const box of boxes) {
    const at = downs.indexOf(Math.min(...downs));
    box.x = at * w;
    box.y = downs[at];
    downs[at] += box.h + 10;
  }
  const caption = {x: 0, y: top - 34, text: `Without known flow: ${boxes.length}`};
  return {w: Math.max(size.w, columns * w), h: Math.max(...downs), caption};
}

function place({x, y, w, h}) {
  return `left:${x}px;top:${y}px` + (w ? `;width:${w}px;height:${h}px` : "");
}

function cardElement(box) {
  const node = box.card || box.group.node;
  const kind = box.card ? box.card.kind : box.group.kind;
  const onLineage = state.lineage && box.stands.some((card) => state.lineage.cards.has(card));
  const picked =
    state.link && box.stands.some((card) => state.link.some((e) => e.source.card === card || e.target.card === card));
  const chosen = state.selected && node === state.selected;
  const marks = [
    "card",
    `kind-${cssName(kind)}`,
    box.group ? "folded" : "",
    onLineage || picked ? "on" : "",
    chosen ? "chosen" : "",
    box.card && markOf(box.card) ? `mark-${markOf(box.card)}` : "",
    box.card && doubtsOf(box.card).length ? "doubtful" : "",
    box.card && doubtsOf(box.card).some(([, , grade]) => grade === "error") ? "failed" : "",
  ];
  const element = make(
    "div",
    {
      class: marks.filter(Boolean).join(" "),
      style: place(box),
      tabindex: "-1",
      role: "group",
      "data-box": box.id,
      "data-key": node ? node.key : box.group.key,
      "aria-label": [
        kind,
        box.card ? nameOf(box.card) : box.group.label,
        box.card && markOf(box.card),
        box.card && box.card.attributes.observed && "observed",
        ...(box.card ? doubtsOf(box.card).map(([word]) => word) : []),
      ]
        .filter(Boolean)
        .join(" "),
    },
    [headElement(box, kind), ...box.lines.map((line) => lineElement(box, line))],
  );
  element.box = box;
  return element;
}

// A long name is shortened in the middle, that of a table or file at its start: those of one system share a prefix.
function shortened(name, kind) {
  if (["dataset", "catalog-table"].includes(kind)) return make("span", {class: "name ending"}, text(name));
  const letters = [...name];
  if (letters.length <= 2 * TAIL) return make("bdi", {class: "name", dir: "auto"}, name);
  const [start, end] = [letters.slice(0, -TAIL), letters.slice(-TAIL)].map((part) => part.join(""));
  return make("bdi", {class: "name middle", dir: "auto"}, [make("span", {}, start), make("span", {}, end)]);
}

function headElement(box, kind) {
  const name = box.card ? nameOf(box.card) : box.group.label;
  const count = box.card ? columnCount(box.card) : box.group.cards.length;
  const opened = box.card && state.open.has(box.card);
  const more = Boolean(box.card && hooks.hasMore(box.card));
  const says = box.card ? `${opened ? "Hide" : "Show"} ${more ? "" : `${count} `}columns` : `Open ${count} in ${name}`;
  const twist =
    (count || more) &&
    make(
      "button",
      {
        class: "twist",
        type: "button",
        title: says,
        "aria-label": says,
        "aria-expanded": String(Boolean(opened)),
        tabindex: "-1",
      },
      opened ? "▾" : "▸",
    );
  const where = box.card ? `${kind} · ${box.card.system || box.card.namespace}` : `${kind}, collapsed`;
  return make("div", {class: "head", title: `${name}\n${where}`}, [
    make("span", {class: "icon", "aria-hidden": "true"}, ICONS[kind] || "◆"),
    box.card && markOf(box.card) ? make("span", {class: "mark", "aria-hidden": "true"}, MARKS[markOf(box.card)]) : "",
    shortened(name, kind),
    box.card && box.card.attributes.observed ? make("span", {class: "seen", title: CERTAINTY.observed}, "observed") : "",
    ...(box.card ? doubtsOf(box.card).map(([word, why, grade = ""]) => make("span", {class: `doubt ${grade}`, title: why}, word)) : []),
    count && !more ? make("span", {class: "count"}, String(count)) : "",
    twist || "",
    ...(box.card ? hooks.cardParts(box.card) : []),
  ]);
}

function lineElement(box, line) {
  if (line.title)
    return make("div", {class: "title", title: line.section.edge ? line.section.edge.evidence : ""}, text(line.title));
  if (line.more)
    return make("button", {class: "row more", type: "button", tabindex: "-1"}, `${line.more} more columns …`);
  const {column, described} = line.row;
  const about = described.attributes,
    chosen = state.selected === column || state.selected === described;
  const on = chosen || columnsLookedAt().has(column);
  const inFlow = column.in.length || column.out.length;
  const mark = markOfRow(line.row);
  const marks = ["row", on ? "on" : "", chosen ? "chosen" : "", inFlow ? "flowing" : "", mark ? `mark-${mark}` : ""]
    .filter(Boolean)
    .join(" ");
  const shownType = [about.logical_type || about.type || "", about.nullable ? "?" : ""].join("");
  const element = make(
    "div",
    {
      class: marks,
      "data-key": column.key,
      style: `--depth:${box.card && state.open.has(box.card) ? line.row.depth : 0}`,
      title: `${nameOf(column)}${shownType ? `: ${shownType}` : ""}${mark ? ` (${mark})` : ""}`,
    },
    [
      mark ? make("span", {class: "mark", "aria-hidden": "true"}, MARKS[mark]) : "",
      make(
        "bdi",
        {class: "name", dir: "auto"},
        state.open.has(box.card) ? rowName(line.row) : pathName(column.path) || "(whole value)",
      ),
      make("span", {class: "type"}, shownType),
      ...hooks.rowParts(column),
    ],
  );
  element.row = line.row;
  return element;
}
