// Upstream and downstream of a node: by the rules of `scanner lineage`.
const NOT_WALKED = new Set(["member-of", "contains", "has-schema", "column-flow"]);

function lineageOf(node) {
  const lineage = {nodes: new Set([node]), edges: new Set(), up: new Set(), down: new Set()};
  for (const forward of [false, true]) {
    if (node.kind === "column") followColumns(node, forward, lineage);
    else followCards(node, forward, lineage);
  }
  if (node.kind === "column") addJobs(lineage);
  lineage.cards = new Set([...lineage.nodes].map((node) => node.card));
  return lineage;
}

function followColumns(start, forward, lineage) {
  const side = forward ? lineage.down : lineage.up;
  const visited = new Set([start]),
    waiting = [start];
  const visit = (node) => {
    if (!visited.has(node)) waiting.push(node);
    visited.add(node);
  };
  while (waiting.length) {
    const node = waiting.pop();
    for (const edge of flows(node, forward)) {
      const next = forward ? edge.target : edge.source;
      lineage.edges.add(edge);
      lineage.nodes.add(next);
      lineage.nodes.add(node);
      side.add(next);
      visit(next);
    }
    // What affects a whole dataset affects each of its columns.
    if (forward && node.kind !== "column") node.inside.filter((column) => flows(column, true).length).forEach(visit);
    if (!forward && node.kind === "column" && node.parent && flows(node.parent, false).length) visit(node.parent);
  }
  side.delete(start);
}

function flows(node, forward) {
  return (forward ? node.out : node.in).filter((edge) => edge.kind === "column-flow");
}

// A job that is entered on one of its routes is left on that route only: a mirror of ten topics has ten routes.
function followCards(start, forward, lineage) {
  const side = forward ? lineage.down : lineage.up;
  const visited = new Set(),
    waiting = [];
  const visit = (node, on) => {
    const known = `${node.id} ${on}`;
    if (visited.has(known) || visited.has(`${node.id} `)) return;
    visited.add(known);
    waiting.push([node, on]);
  };
  visit(start, "");
  for (const edge of start.out) {
    if (edge.kind !== "member-of") continue;
    lineage.edges.add(edge);
    lineage.nodes.add(edge.target);
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
      lineage.edges.add(edge);
      lineage.nodes.add(next);
      side.add(next);
      visit(next, enters ? edge.subtype : "");
    }
  }
  side.delete(start);
}

function addJobs(lineage) {
  for (const edge of [...lineage.edges]) {
    if (!edge.source.card || !edge.target.card) continue;
    for (const pair of jobsBetween({source: edge.source.card, target: edge.target.card})) {
      pair.forEach((link) => lineage.edges.add(link));
      lineage.nodes.add(pair[0].target);
    }
  }
}
