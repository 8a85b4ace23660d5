// Upstream and downstream of a node: by the rules of `scanner lineage`.
const NOT_WALKED = new Set(["member-of", "contains", "has-schema", "column-flow"]);

function wayOf(node) {
  const way = {nodes: new Set([node]), edges: new Set(), up: new Set(), down: new Set()};
  for (const forward of [false, true]) {
    if (node.kind === "column") walkColumns(node, forward, way);
    else walkCards(node, forward, way);
  }
  if (node.kind === "column") addJobs(way);
  way.cards = new Set([...way.nodes].map((each) => each.card));
  return way;
}

function walkColumns(start, forward, way) {
  const side = forward ? way.down : way.up;
  const seen = new Set([start]),
    waiting = [start];
  const visit = (node) => {
    if (!seen.has(node)) waiting.push(node);
    seen.add(node);
  };
  while (waiting.length) {
    const node = waiting.pop();
    for (const edge of flows(node, forward)) {
      const next = forward ? edge.target : edge.source;
      way.edges.add(edge);
      way.nodes.add(next);
      way.nodes.add(node);
      side.add(next);
      visit(next);
    }
    // What bears on a whole dataset bears on each of its columns.
    if (forward && node.kind !== "column") node.inside.filter((column) => flows(column, true).length).forEach(visit);
    if (!forward && node.kind === "column" && node.parent && flows(node.parent, false).length) visit(node.parent);
  }
  side.delete(start);
}

function flows(node, forward) {
  return (forward ? node.out : node.in).filter((edge) => edge.kind === "column-flow");
}

// A job that is entered on one of its ways is left on that way only: a mirror of ten topics is ten ways.
function walkCards(start, forward, way) {
  const side = forward ? way.down : way.up;
  const seen = new Set(),
    waiting = [];
  const visit = (node, on) => {
    const known = `${node.id} ${on}`;
    if (seen.has(known) || seen.has(`${node.id} `)) return;
    seen.add(known);
    waiting.push([node, on]);
  };
  visit(start, "");
  for (const edge of start.out) {
    if (edge.kind !== "member-of") continue;
    way.edges.add(edge);
    way.nodes.add(edge.target);
    visit(edge.target, "");
  }
  while (waiting.length) {
    const [node, on] = waiting.pop();
    for (const edge of forward ? node.out : node.in) {
      if (NOT_WALKED.has(edge.kind)) continue;
      const leaves = edge.kind === (forward ? "writes" : "reads");
      if (leaves && on && edge.subtype && edge.subtype !== on) continue;
      const enters = edge.kind === (forward ? "reads" : "writes");
      const next = forward ? edge.target : edge.source;
      way.edges.add(edge);
      way.nodes.add(next);
      side.add(next);
      visit(next, enters ? edge.subtype : "");
    }
  }
  side.delete(start);
}

function addJobs(way) {
  for (const edge of [...way.edges]) {
    if (!edge.source.card || !edge.target.card) continue;
    for (const pair of jobsBetween({source: edge.source.card, target: edge.target.card})) {
      pair.forEach((each) => way.edges.add(each));
      way.nodes.add(pair[0].target);
    }
  }
}
