// Positions of items and links, left to right: layers by the longest path, few crossings by barycentres. No DOM.
// A flow never wraps: what is too wide for the window is scrolled.
const GAP = {x: 44, y: 12, part: 28, through: 6};

// Items have {id, w, h} and get {x, y}; links are [source id, target id]. Returns {w, h, via}: via has the points of
// links that pass layers, by "source>target".
function layout(items, links, aspect) {
  const via = new Map();
  const parts = components(items, links).map((part) => ({...layoutPart(part, via), items: part.items}));
  const size = pack(parts, aspect);
  for (const part of parts) for (const placed of [...part.items, ...part.points]) shift(placed, part);
  return {...size, via};
}

function shift(point, by) {
  point.x += by.x;
  point.y += by.y;
}

function components(items, links) {
  const beside = new Map(items.map((item) => [item.id, []]));
  for (const [source, target] of links) {
    beside.get(source).push(target);
    beside.get(target).push(source);
  }
  const byId = new Map(items.map((item) => [item.id, item]));
  const visited = new Map(),
    parts = [];
  for (const item of items) {
    if (visited.has(item.id)) continue;
    const part = {items: [], links: []},
      waiting = [item.id];
    visited.set(item.id, part);
    while (waiting.length) {
      const id = waiting.pop();
      part.items.push(byId.get(id));
      for (const next of beside.get(id)) {
        if (visited.has(next)) continue;
        visited.set(next, part);
        waiting.push(next);
      }
    }
    parts.push(part);
  }
  const order = new Map(items.map((item, at) => [item.id, at]));
  for (const part of parts) part.items.sort((a, b) => order.get(a.id) - order.get(b.id));
  for (const link of links) visited.get(link[0]).links.push(link);
  return parts;
}

function layoutPart({items, links}, via) {
  const forward = acyclic(items, links);
  const layerOf = layersOf(items, forward);
  const cells = new Map(
    items.map((item) => [item.id, {item, h: item.h, layer: layerOf.get(item.id), before: [], after: []}]),
  );
  const points = [];
  for (const [source, target, turned] of forward) pass(cells.get(source), cells.get(target), turned, points, via);
  const layers = layered([...cells.values(), ...points.map((point) => point.cell)]);
  reduceCrossings(layers);
  placeDown(layers);
  return placeAcross(layers, points);
}

// Reverses links that close a cycle, so that cycles can be laid out; iterative, not recursive.
function acyclic(items, links) {
  const out = new Map(items.map((item) => [item.id, []]));
  for (const [source, target] of links) if (source !== target) out.get(source).push(target);
  const entered = new Set(links.map(([, target]) => target));
  const starts = [...items.filter((item) => !entered.has(item.id)), ...items];
  const state = new Map(),
    turned = new Set();
  for (const {id} of starts) {
    if (state.has(id)) continue;
    const path = [[id, 0]];
    state.set(id, "open");
    while (path.length) {
      const top = path[path.length - 1],
        next = out.get(top[0])[top[1]++];
      if (next === undefined) {
        state.set(top[0], "done");
        path.pop();
      } else if (state.get(next) === "open") turned.add(`${top[0]}>${next}`);
      else if (!state.has(next)) {
        state.set(next, "open");
        path.push([next, 0]);
      }
    }
  }
  return links.filter(([s, t]) => s !== t).map(([s, t]) => (turned.has(`${s}>${t}`) ? [t, s, true] : [s, t, false]));
}

function layersOf(items, links) {
  const out = new Map(items.map((item) => [item.id, []]));
  const open = new Map(items.map((item) => [item.id, 0]));
  for (const [source, target] of links) {
    out.get(source).push(target);
    open.set(target, open.get(target) + 1);
  }
  const layer = new Map(items.map((item) => [item.id, 0]));
  const order = items.filter((item) => !open.get(item.id)).map((item) => item.id);
  for (let at = 0; at < order.length; at++) {
    for (const next of out.get(order[at])) {
      layer.set(next, Math.max(layer.get(next), layer.get(order[at]) + 1));
      open.set(next, open.get(next) - 1);
      if (!open.get(next)) order.push(next);
    }
  }
  // An item without predecessors is placed next to its successors.
  const fed = new Set(links.map(([, target]) => target));
  for (const id of order) {
    if (!fed.has(id) && out.get(id).length) layer.set(id, Math.min(...out.get(id).map((next) => layer.get(next))) - 1);
  }
  return layer;
}

// A link that spans layers has a cell in each, so that it is routed between the cards.
function pass(source, target, turned, points, via) {
  let last = source;
  const route = [];
  for (let layer = source.layer + 1; layer < target.layer; layer++) {
    const point = {x: 0, y: 0};
    const cell = {point, item: null, h: GAP.through, layer, before: [last], after: []};
    point.cell = cell;
    last.after.push(cell);
    points.push(point);
    route.push(point);
    last = cell;
  }
  last.after.push(target);
  target.before.push(last);
  const ends = turned ? [target, source] : [source, target];
  if (route.length) via.set(`${ends[0].item.id}>${ends[1].item.id}`, turned ? route.reverse() : route);
}

function layered(cells) {
  const layers = [];
  for (const cell of cells) (layers[cell.layer] = layers[cell.layer] || []).push(cell);
  const filled = layers.filter(Boolean);
  filled.forEach((layer) => layer.forEach((cell, at) => (cell.at = at)));
  return filled;
}

function reduceCrossings(layers) {
  const centre = (cells, cell) =>
    cells.length ? cells.reduce((sum, neighbour) => sum + neighbour.at, 0) / cells.length : cell.at;
  const sort = (layer, side) => {
    const keys = new Map(layer.map((cell) => [cell, centre(cell[side], cell)]));
    layer.sort((a, b) => keys.get(a) - keys.get(b) || a.at - b.at);
    layer.forEach((cell, at) => (cell.at = at));
  };
  for (let sweep = 0; sweep < 12; sweep++) {
    for (let at = 1; at < layers.length; at++) sort(layers[at], "before");
    for (let at = layers.length - 2; at >= 0; at--) sort(layers[at], "after");
  }
}

function placeDown(layers) {
  for (const layer of layers) {
    let y = 0;
    for (const cell of layer) {
      cell.y = y;
      y += cell.h + GAP.y;
    }
  }
  const middle = (cell) => cell.y + cell.h / 2;
  for (let sweep = 0; sweep < 6; sweep++) {
    const order = sweep % 2 ? [...layers].reverse() : layers;
    for (const layer of order) {
      settle(layer, (cell) => {
        const neighbours = sweep % 2 ? cell.after : cell.before;
        const all = neighbours.length ? neighbours : [...cell.before, ...cell.after];
        return all.length ? all.reduce((sum, neighbour) => sum + middle(neighbour), 0) / all.length - cell.h / 2 : cell.y;
      });
    }
  }
  const top = Math.min(...layers.map((layer) => Math.min(...layer.map((cell) => cell.y))));
  for (const layer of layers) for (const cell of layer) cell.y -= top;
}

// Places cells close to their desired positions, in order and without overlap: colliding neighbours become one
// block, which is placed at the mean of their desired positions.
function settle(layer, wish) {
  const blocks = [];
  let offset = 0;
  for (const cell of layer) {
    let block = {sum: wish(cell) - offset, count: 1, cells: [[cell, offset]]};
    offset += cell.h + GAP.y;
    while (blocks.length && mean(blocks[blocks.length - 1]) > mean(block)) {
      const last = blocks.pop();
      block = {sum: last.sum + block.sum, count: last.count + block.count, cells: last.cells.concat(block.cells)};
    }
    blocks.push(block);
  }
  for (const block of blocks) for (const [cell, below] of block.cells) cell.y = Math.round(mean(block) + below);
}

function mean(block) {
  return block.sum / block.count;
}

function placeAcross(layers, points) {
  let x = 0;
  for (const layer of layers) {
    const wide = widthOf(layer);
    for (const cell of layer) placeCell(cell, x, wide);
    x += wide + gapAfter(layer);
  }
  const w = x - gapAfter(layers[layers.length - 1]);
  return {w, h: Math.max(...layers.flat().map((cell) => cell.y + cell.h)), points};
}

function placeCell({item, point, y, h}, x, wide) {
  if (item) Object.assign(item, {x, y});
  else Object.assign(point, {x: x + wide / 2, y: y + h / 2, half: wide / 2});
}

function widthOf(layer) {
  return Math.max(0, ...layer.map((cell) => (cell.item ? cell.item.w : 0)));
}

// An item may need more room on its right.
function gapAfter(layer) {
  return GAP.x + Math.max(0, ...layer.map((cell) => (cell.item && cell.item.gap) || 0));
}

// Connected components on shelves, the highest first; low ones are stacked on a shelf.
function pack(parts, aspect) {
  const area = parts.reduce((sum, part) => sum + (part.w + GAP.part) * (part.h + GAP.part), 0);
  const wide = Math.max(...parts.map((part) => part.w), Math.sqrt(area * aspect), 0);
  const sorted = parts.map((part, at) => ({part, at})).sort((a, b) => b.part.h - a.part.h || a.at - b.at);
  let shelf = null,
    top = 0,
    right = 0;
  for (const {part} of sorted) {
    if (shelf && shelf.down + part.h <= shelf.h && shelf.x + part.w <= Math.max(wide, shelf.x + shelf.w)) {
      part.x = shelf.x;
    } else if (shelf && shelf.x + shelf.w + GAP.part + part.w <= wide) {
      shelf.x += shelf.w + GAP.part;
      shelf.w = shelf.down = 0;
      part.x = shelf.x;
    } else {
      if (shelf) top += shelf.h + GAP.part;
      shelf = {x: 0, w: 0, h: part.h, down: 0};
      part.x = 0;
    }
    part.y = top + shelf.down;
    shelf.down += part.h + GAP.part;
    shelf.w = Math.max(shelf.w, part.w);
    right = Math.max(right, part.x + part.w);
  }
  return {w: right, h: shelf ? top + shelf.h : 0};
}
