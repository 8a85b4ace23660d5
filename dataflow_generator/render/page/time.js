// The graphs of several scans in one file: what the graph of one scan has, and how that of another one differs.
const raw = JSON.parse(document.getElementById("graph").textContent);
let timeline = raw.history ? raw.history.scans : [];
let scans = timeline.map(([number]) => number);
const shownScans = {at: scans[scans.length - 1], base: scans.length > 1 ? scans[scans.length - 2] : null};
const MARKS = {added: "+", removed: "−", changed: "~"};

function within([first, gone], scan) {
  return (first ?? 0) <= scan && (gone === null || gone > scan);
}

// Returns the state at both scans of what has *lifetimes* (none: it is in every graph), or null where neither has it.
function statesOf(lifetimes, {at, base}) {
  if (!lifetimes) return {mark: "", now: null, then: null};
  const now = lifetimes.find((lifetime) => within(lifetime, at));
  const then = base === null ? now : lifetimes.find((lifetime) => within(lifetime, base));
  if (!now && !then) return null;
  const differs = now && then && JSON.stringify(now[2]) !== JSON.stringify(then[2]);
  return {mark: !then ? "added" : !now ? "removed" : differs ? "changed" : "", now, then};
}

// Returns the raw graph of one scan with what only the other one has, each node and edge with its mark.
function rawGraph() {
  if (!raw.history) return raw;
  const {nodes, edges} = raw.history;
  const states = raw.nodes.map((node, at) => statesOf(nodes[at], shownScans));
  const shownEdges = raw.edges.map((edge, at) => [edge, statesOf(edges[at], shownScans)]).filter(([, state]) => state);
  // The columns of a schema are where it is: parents come before their children.
  for (const [[source, target, kind]] of shownEdges) {
    const inSchema = kind === "contains" && raw.nodes[target][1] === "column" && !raw.nodes[target][2];
    if (inSchema) states[target] = states[source] && {...states[source], now: null, then: null};
  }
  const positions = new Map();
  states.forEach((state, at) => state && positions.set(at, positions.size));
  const present = shownEdges.filter(([[source, target]]) => positions.has(source) && positions.has(target));
  return {
    ...raw,
    nodes: [...positions.keys()].map((at) => withState(raw.nodes[at], states[at])),
    edges: present.map(([[source, target, ...rest], {mark}]) => [
      positions.get(source),
      positions.get(target),
      ...rest,
      mark,
    ]),
  };
}

function withState([key, kind, namespace, name, path, attributes], {mark, now, then}) {
  const current = now || then ? (now || then)[2] : attributes;
  return [key, kind, namespace, name, path, current, mark, mark === "changed" ? then[2] : null];
}

// The mark of a card: its own, or that something in it, or its schemas, differ.
function markOf(card) {
  if (card.mark) return card.mark;
  return card.inside.some((inner) => inner.mark) || card.schemas.some((edge) => edge.mark) ? "changed" : "";
}

function markOfEdges(edges) {
  const marks = new Set(edges.map((edge) => edge.mark));
  if (marks.size === 1) return edges[0].mark;
  return marks.size ? "changed" : "";
}

// A schema that took the place of another one: columns of both are unchanged, those of the former only are removed.
function mergeReplaced(sections) {
  for (const after of sections.filter(({edge}) => edge && edge.mark === "added")) {
    const before = sections.find(({edge}) => edge && edge.mark === "removed" && edge.subtype === after.edge.subtype);
    if (!before) continue;
    const old = new Map(before.rows.map((row) => [JSON.stringify(row.described.path), row]));
    for (const row of after.rows) {
      const place = JSON.stringify(row.described.path);
      const known = old.get(place);
      old.delete(place);
      const same = known && JSON.stringify(known.described.attributes) === JSON.stringify(row.described.attributes);
      row.mark = known ? (same ? "" : "changed") : "added";
    }
    after.rows.push(...[...old.values()].map((row) => ({...row, mark: "removed"})));
    sections.splice(sections.indexOf(before), 1);
  }
  return sections;
}

function markOfRow(row) {
  return row.mark ?? (row.column.mark || row.described.mark);
}
