// The drawing: cards as elements of the page, links as curves behind them.
const stage = document.getElementById("stage");
const SIZE = {head: 42, row: 20, title: 20, pad: 6, w: 180, widest: 520, longest: 1000};
// The sizes of text that a drawing is laid out with, until its smallest text is legible when all of it is fitted. Only
// at the first size are short names given more room than they need.
const SCALES = [1, 1.01, 1.12, 1.26, 1.42, 1.6, 1.8, 2.05, 2.35];
const MOST_SCALED = 300;
const TAIL = 8;
const drawing = {boxes: new Map(), order: [], w: 0, h: 0, scale: 1};
const ruler = document.createElement("canvas").getContext("2d");
const world = make("div", {class: "world"});
const curves = make("svg", {class: "curves", width: 1, height: 1, "aria-hidden": "true"}, [], SVG);
world.append(curves);
stage.append(world);

// Draws everything again; *rescaled* chooses the size of text again: the one at which all is shown and legible, else the
// first. Otherwise the choice stays.
function draw(rescaled = false) {
  const boxes = boxesNow();
  const scales = !rescaled ? [drawing.scale] : boxes.length > MOST_SCALED ? [1] : SCALES;
  if (rescaled) map.classList.add("needless"); // it takes room only if not all is shown
  const best = scales.find((scale) => arrange(boxes, scale) && isLegible());
  if (!best && scales.length > 1) arrange(boxes, 1);
  stage.style.setProperty("--s", drawing.scale);
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
  return {id, stands, ...what, lines: what.card ? linesOf(what.card) : [], w: 0, h: 0, x: 0, y: 0};
}

// Makes a box as large as its texts.
function measure(box, scale) {
  const below = box.lines.reduce((sum, line) => sum + (line.title ? SIZE.title : SIZE.row), 0);
  const lines = Math.max(0, ...box.lines.map((line) => lineWidth(box, line)));
  const widest = Math.max(Math.min(SIZE.longest, headWidth(box)), Math.min(SIZE.widest, lines));
  box.w = Math.round(Math.max(scale > 1 ? 0 : SIZE.w, widest * scale));
  box.gap = Math.max(0, ...box.lines.map((line) => (line.row && columnsLookedAt().size ? textWidth(effectOf(line.row.column)) - 22 : 0))) * scale;
  box.h = Math.round((SIZE.head + (below ? below + SIZE.pad : 0)) * scale);
}

function textWidth(words, font = "12px") {
  ruler.font = `${font} ${textWidth.family || (textWidth.family = getComputedStyle(document.body).fontFamily)}`;
  return ruler.measureText(words).width;
}

function headWidth(box) {
  const {name, where} = titleOf(box);
  const doubts = box.card ? [...doubtsOf(box.card), ...chipsOf(box.card)].map(([word]) => word) : [];
  const chips = [...doubts, ...(box.card && box.card.attributes.observed ? ["observed"] : [])];
  const buttons = columnsOf(box) ? 26 : 0;
  const top = textWidth(where) + chips.reduce((sum, chip) => sum + textWidth(chip, "600 12px") + 16, 0);
  const corner = box.card && hooks.cardParts(box.card)[1] ? 24 : 0; // of the button that shows more
  return 44 + Math.max(top + corner, textWidth(name, "600 13px") + (box.card && markOf(box.card) ? 14 : 0) + textWidth(countOf(box)) + buttons);
}

function lineWidth(box, line) {
  if (line.title) return 24 + textWidth(line.title);
  if (line.more) return 0;
  if (line.group) return 60 + textWidth(line.group.name) + textWidth(stateOf(line.group));
  const {name, type, depth} = rowTexts(box, line);
  return 32 + depth * 11 + textWidth(name, "600 12px") + textWidth(type);
}

// What a card shows as its name, and above it: where that is.
function titleOf(box) {
  if (!box.card) return {name: box.group.label, where: `${box.group.kind}, collapsed`};
  const {card} = box,
    name = nameOf(card);
  if (card.title) return {name: card.title, where: name};
  // Of a table or file: its own name, below the schema or directory that holds it.
  const cut = ["dataset", "catalog-table"].includes(card.kind) ? Math.max(name.lastIndexOf("/"), name.includes("/") ? 0 : name.lastIndexOf(".")) : 0;
  if (cut > 0 && cut < name.length - 1) return {name: name.slice(cut + 1), where: name.slice(0, cut)};
  return {name, where: card.system || (card.group && card.kind !== "job" ? card.group.label : card.namespace) || card.kind};
}

function stateOf(group) {
  return group.attributes.state || "";
}

// Whether a box can be opened.
function columnsOf(box) {
  return !box.card || columnCount(box.card) > 0 || hooks.hasMore(box.card);
}

function countOf(box) {
  const count = box.card ? (hooks.hasMore(box.card) ? 0 : columnCount(box.card)) : sizeOf(box.group);
  return count ? count.toLocaleString("en") : "";
}

// The rows of a card: all columns if it is expanded, else the selected ones.
function linesOf(card) {
  if (card.kind === "job") return groupsOfJob(card).map((group) => ({group}));
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

function arrange(boxes, scale) {
  drawing.scale = scale;
  for (const each of boxes) {
    measure(each, scale);
    each.flows = false;
  }
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
  // Nodes with hidden flows do not count as nodes without flows.
  for (const box of boxes) box.flows = box.flows || (box.card && flowing.has(box.card));
  const moving = boxes.filter((box) => box.flows);
  drawing.via = null;
  let size = {w: 0, h: 0};
  if (moving.length) {
    size = layout(moving, [...links.values()], aspect);
    drawing.via = size.via;
  }
  const rest = boxes.filter((box) => !box.flows);
  Object.assign(drawing, beneath(rest, size, aspect));
  return drawing;
}

function beneath(boxes, size, aspect) {
  if (!boxes.length) return {w: size.w, h: size.h, caption: null};
  const w = Math.max(...boxes.map((box) => box.w)) + 14;
  const area = boxes.reduce((sum, box) => sum + (box.h + 10) * w, 0);
  const columns = Math.max(1, Math.min(boxes.length, Math.round(Math.max(size.w, Math.sqrt(area * aspect)) / w)));
  const top = size.h ? size.h + 60 * drawing.scale : 40;
  const downs = Array.from({length: columns}, () => top);
  for (const box of boxes) {
    const at = downs.indexOf(Math.min(...downs));
    box.x = at * w;
    box.y = downs[at];
    downs[at] += box.h + 10;
  }
  const caption = {x: 0, y: top - 28 * drawing.scale, text: `No known flow: ${boxes.length}`};
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
  if (["dataset", "catalog-table"].includes(kind)) return make("span", {class: "name ending"}, make("bdi", {dir: "auto"}, name));
  const letters = [...name];
  if (letters.length <= 2 * TAIL) return make("bdi", {class: "name", dir: "auto"}, name);
  const [start, end] = [letters.slice(0, -TAIL), letters.slice(-TAIL)].map((part) => part.join(""));
  return make("bdi", {class: "name middle", dir: "auto"}, [make("span", {}, start), make("span", {}, end)]);
}

function headElement(box, kind) {
  const full = box.card ? nameOf(box.card) : box.group.label;
  const {name, where} = titleOf(box);
  const count = box.card ? columnCount(box.card) : sizeOf(box.group);
  const opened = box.card && state.open.has(box.card);
  const more = Boolean(box.card && hooks.hasMore(box.card));
  const says = box.card ? `${opened ? "Hide" : "Show"} ${more ? "" : `${count} `}columns` : `Open ${count} in ${full}`;
  const attributes = {class: "twist", type: "button", title: says, "aria-label": says, "aria-expanded": String(Boolean(opened)), tabindex: "-1"};
  const twist = count || more ? make("button", attributes, opened ? "▾" : "▸") : "";
  const place = box.card ? `${kind} · ${box.card.system || box.card.namespace}` : `${kind}, collapsed`;
  return make("div", {class: "head", title: `${full}\n${place}`}, [
    make("span", {class: "icon", "aria-hidden": "true"}, ICONS[kind] || "◆"),
    make("div", {class: "titles"}, [
      make("div", {class: "where"}, [
        make("bdi", {dir: "auto", class: "name"}, where),
        box.card && box.card.attributes.observed ? make("span", {class: "seen", title: CERTAINTY.observed}, "observed") : "",
        ...(box.card ? chipsOf(box.card).map(([word, why]) => make("span", {class: "doubt pii", title: why}, word)) : []),
        ...(box.card ? doubtsOf(box.card).map(([word, why, grade = ""]) => make("span", {class: `doubt ${grade}`, title: why}, word)) : []),
      ]),
      make("div", {class: "called"}, [
        box.card && markOf(box.card) ? make("span", {class: "mark", "aria-hidden": "true"}, MARKS[markOf(box.card)]) : "",
        make("bdi", {dir: "auto", class: "name"}, name),
        countOf(box) ? make("span", {class: "count"}, countOf(box)) : "",
        twist,
      ]),
    ]),
    ...(box.card ? hooks.cardParts(box.card) : []),
  ]);
}

// The texts of a row of a card: the column's name, its type, and how deep it is indented.
function rowTexts(box, {row}) {
  const about = row.described.attributes;
  const opened = box.card && state.open.has(box.card);
  return {
    name: opened ? rowName(row) : pathName(row.column.path) || "(whole value)",
    type: [
      [about.logical_type || about.type || "", about.nullable ? "?" : ""].join(""),
      ...[...new Set([...chipsOf(row.column), ...chipsOf(row.described)].map(([word]) => word))],
    ]
      .filter(Boolean)
      .join(" · "),
    depth: opened ? row.depth : 0,
  };
}

// A consumer group through which a job reads.
function groupElement(group) {
  const chosen = state.selected === group ? " chosen" : "";
  const says = `consumer group ${group.name}${stateOf(group) ? `, ${stateOf(group)}` : ""}`;
  const element = make("div", {class: `row member${chosen}`, "data-key": group.key, title: says}, [
    make("span", {class: "icon", "aria-hidden": "true"}, ICONS[group.kind]),
    make("bdi", {class: "name", dir: "auto"}, group.name),
    make("span", {class: "type"}, stateOf(group)),
  ]);
  element.row = {column: group};
  return element;
}

function lineElement(box, line) {
  if (line.title)
    return make("div", {class: "title", title: line.section.edge ? line.section.edge.evidence : ""}, text(line.title));
  if (line.more)
    return make("button", {class: "row more", type: "button", tabindex: "-1"}, `${line.more} more columns …`);
  if (line.group) return groupElement(line.group);
  const {column, described} = line.row;
  const {name, type: shownType, depth} = rowTexts(box, line);
  const chosen = state.selected === column || state.selected === described;
  const on = chosen || columnsLookedAt().has(column);
  const inFlow = column.in.length || column.out.length;
  const mark = markOfRow(line.row);
  const marks = ["row", on ? "on" : "", chosen ? "chosen" : "", inFlow ? "flowing" : "", mark ? `mark-${mark}` : ""]
    .filter(Boolean)
    .join(" ");
  const element = make(
    "div",
    {
      class: marks,
      "data-key": column.key,
      style: `--depth:${depth}`,
      title: `${nameOf(column)}${shownType ? `: ${shownType}` : ""}${mark ? ` (${mark})` : ""}`,
    },
    [
      mark ? make("span", {class: "mark", "aria-hidden": "true"}, MARKS[mark]) : "",
      make(
        "bdi",
        {class: "name", dir: "auto"},
        name,
      ),
      make("span", {class: "type"}, shownType),
    ],
  );
  element.row = line.row;
  return element;
}
