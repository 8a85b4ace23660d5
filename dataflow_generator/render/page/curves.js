// Links between boxes as curves, and column flows between their rows.
function drawCurves() {
  const pairs = new Map();
  for (const link of graph.links) {
    const rows = link.columns ? rowCurves(link) : null;
    if (!link.shown || (rows && rows === link.edges.length)) continue;
    const source = drawing.boxes.get(link.source),
      target = drawing.boxes.get(link.target);
    if (!source || !target || (source === target && (source.group || link.columns))) continue;
    const id = `${source.id}>${target.id}`;
    if (!pairs.has(id)) pairs.set(id, {source, target, edges: []});
    for (const edge of link.edges) pairs.get(id).edges.push(edge);
  }
  for (const [id, {source, target, edges}] of pairs) {
    const back = isBack(source, target);
    // A backward link is drawn slightly below a forward one between the same boxes.
    const y = (SIZE.head / 2 + (back ? 6 : 0)) * drawing.scale;
    curve({edges, via: drawing.via && drawing.via.get(id), back, ...ends(source, source.y + y, target, target.y + y)});
  }
  for (const box of drawing.order) flowLabels(box);
}

// Draws the column flows with both ends visible; returns their number.
function rowCurves(link) {
  const source = drawing.boxes.get(link.source),
    target = drawing.boxes.get(link.target);
  if (!source || !target || source.group || target.group) return 0;
  const columnLineage = !state.link && state.lineage && state.selected.kind === "column";
  const opened = state.open.has(link.source) && state.open.has(link.target);
  let count = 0;
  for (const edge of link.edges) {
    if (columnLineage && !state.lineage.edges.has(edge) && !opened) continue;
    const from = lineHeight(source, edge.source);
    const to = edge.target === link.target ? target.y + (SIZE.head / 2) * drawing.scale : lineHeight(target, edge.target);
    if (from === null || to === null) continue;
    count += 1;
    const job = jobBox(edge, link);
    if (job) {
      // The flow goes through the card of its job.
      const middle = job.y + (SIZE.head / 2) * drawing.scale;
      curve({edges: [edge], ...between(source, from, job, middle)});
      curve({edges: [edge], ...between(job, middle, target, to)});
    } else curve({edges: [edge], ...between(source, from, target, to)});
  }
  return count;
}

// The card of the job that a column flow is of: the one that its evidence names, of those between the two.
function jobBox(edge, link) {
  const jobs = jobsBetween(link).map(([read]) => read.target);
  const job = jobs.find(({name}) => edge.evidence.includes(name)) || jobs[0];
  const box = job && drawing.boxes.get(job);
  return box && box.card ? box : null;
}

function lineHeight(box, column) {
  let y = box.y + SIZE.head * drawing.scale;
  for (const line of box.lines) {
    const h = (line.title ? SIZE.title : SIZE.row) * drawing.scale;
    if (line.row && line.row.column === column) return y + h / 2;
    y += h;
  }
  return null;
}

// A link that closes a cycle leads to the left: out of the left side, into the right one.
function isBack(source, target) {
  return target.x + target.w <= source.x;
}

function ends(source, fromY, target, toY) {
  const back = isBack(source, target);
  return {
    from: {x: source.x + (back ? 0 : source.w), y: fromY},
    to: {x: target.x + (back ? target.w : 0), y: toY},
  };
}

// A column flow between two boxes.
function between(source, fromY, target, toY) {
  return {back: isBack(source, target), ...ends(source, fromY, target, toY)};
}

function curve({edges, via, back, from, to}) {
  const path = pathOf({via, back, from, to});
  const first = edges[0];
  const on = state.lineage && edges.some((edge) => state.lineage.edges.has(edge));
  const chosen = state.link && edges.some((edge) => state.link.includes(edge));
  const marks = [
    "curve",
    `edge-${cssName(first.kind)}`,
    edges.every((edge) => edge.type === "INDIRECT") ? "indirect" : "",
    edges.every((edge) => ["matched", "suggested"].includes(edge.certainty)) ? "matched" : "",
    state.lineage && state.selected.kind === "column" && first.kind !== "column-flow" ? "beside" : "",
    on || chosen ? "on" : "",
    chosen ? "chosen" : "",
    markOfEdges(edges) ? `mark-${markOfEdges(edges)}` : "",
  ];
  const group = make(
    "g",
    {class: marks.filter(Boolean).join(" "), "data-from": first.source.key, "data-to": first.target.key},
    [
      make("path", {class: "hit", d: path}, [], SVG),
      make("path", {class: "line", d: path}, [], SVG),
      make("path", {class: "tip", d: `M${to.x} ${to.y}l${back ? 9 : -9} -4.5v9z`}, [], SVG),
    ],
    SVG,
  );
  group.edges = edges;
  if (on || chosen) curves.append(group);
  else curves.prepend(group);
}

// Beside the row of a column whose way is looked at: what the flows that leave it do.
function flowLabels(box) {
  if (!columnsLookedAt().size) return;
  let y = box.y + SIZE.head * drawing.scale;
  for (const line of box.lines) {
    const h = (line.title ? SIZE.title : SIZE.row) * drawing.scale;
    const label = line.row && effectOf(line.row.column);
    if (label) {
      const at = {x: box.x + box.w + 5 * drawing.scale, y: y + h / 2 - 3 * drawing.scale};
      curves.append(make("text", {class: "effect", ...at}, label, SVG));
    }
    y += h;
  }
}

function effectOf(column) {
  const edges = state.link || column.out.filter((edge) => state.lineage && state.lineage.edges.has(edge));
  const flows = edges.filter((edge) => edge.kind === "column-flow" && edge.source === column);
  return [...new Set(flows.map(edgeWord))].sort().slice(0, 1).join("");
}

function pathOf({via, back, from, to}) {
  const direction = back ? -1 : 1;
  const flat = (p) => [
    {...p, x: p.x - direction * p.half},
    {...p, x: p.x + direction * p.half},
  ];
  const points = [from, ...(via || []).flatMap(flat), {x: to.x - direction * 7, y: to.y}];
  let path = `M${from.x} ${from.y}`;
  for (let at = 1; at < points.length; at++) {
    const [last, next] = [points[at - 1], points[at]];
    const straight = via && at % 2 === 0 && at < points.length - 1;
    path += straight ? `L${next.x} ${next.y}` : bend(last, next, direction);
  }
  return path;
}

function bend(a, b, direction) {
  const ahead = (b.x - a.x) * direction;
  const reach = direction * (ahead > 0 ? Math.max(24, ahead / 2) : Math.min(260, 80 + Math.abs(b.y - a.y) / 3));
  return `C${a.x + reach} ${a.y} ${b.x - reach} ${b.y} ${b.x} ${b.y}`;
}
