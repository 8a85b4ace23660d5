// The viewport of the drawing, and the overview map.
const viewport = {x: 0, y: 0, k: 1};
// Of a scale, with room for errors of rounding: at 1 the smallest text has 12 px.
const LEGIBLE = 0.999;
const map = make("svg", {class: "map needless", "aria-hidden": "true"}, [], SVG);
document.getElementById("footer").after(map);

function show() {
  world.style.transform = `translate(${viewport.x}px,${viewport.y}px) scale(${viewport.k})`;
  // Of a drawing that is zoomed out below what can be read, only the names are shown.
  stage.classList.toggle("far", viewport.k * drawing.scale < 0.75);
  drawWindow();
}

// The width of the window without its margins; hidden parts have no size.
function roomAcross() {
  return Math.max(1, stage.clientWidth - 40);
}

// Whether all texts are legible when all of the drawing is shown. A frame that grows with it is always high enough.
function isLegible() {
  const h = hooks.frame() ? 1 : drawing.h;
  return fittingScale({w: drawing.w, h}) * drawing.scale >= LEGIBLE;
}

// The zoom at which an area fills the window; small ones are not enlarged.
function fittingScale({w, h}) {
  const room = [roomAcross(), Math.max(1, stage.clientHeight - 40)];
  return Math.min(1 / drawing.scale, room[0] / Math.max(1, w), room[1] / Math.max(1, h));
}

// Makes the frame of an embedded drawing as high as the drawing, up to one and a half windows; the map has the rest.
function grow() {
  const frame = hooks.frame();
  if (!frame) return;
  const wanted = Math.max(160, drawing.h / drawing.scale + 42);
  const most = 1.5 * frame.ownerDocument.defaultView.innerHeight;
  map.classList.toggle("needless", wanted <= most);
  frame.style.height = `${Math.ceil(Math.min(wanted, most))}px`;
}

function fit() {
  const k = Math.max(0.08, fittingScale(drawing));
  Object.assign(viewport, {
    k,
    x: Math.max(20, (stage.clientWidth - drawing.w * k) / 2),
    y: Math.max(20, (stage.clientHeight - drawing.h * k) / 2),
  });
  show();
}

// The initial view: everything if legible, else the start of it.
function start() {
  fit();
  if (viewport.k * drawing.scale >= LEGIBLE) return;
  const k = 1 / drawing.scale;
  Object.assign(viewport, {k, x: 20, y: Math.max(20, (stage.clientHeight - drawing.h * k) / 2)});
  show();
}

function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  const k = Math.min(3, Math.max(0.05, viewport.k * factor));
  viewport.x = x - ((x - viewport.x) * k) / viewport.k;
  viewport.y = y - ((y - viewport.y) * k) / viewport.k;
  viewport.k = k;
  show();
}

// Scrolls boxes into view, all of them; answers whether their texts are legible.
function bring(boxes) {
  const shown = boxes.filter(Boolean);
  if (!shown.length) return true;
  const area = extent(shown);
  const k = fittingScale(area);
  Object.assign(viewport, {
    k,
    x: stage.clientWidth / 2 - (area.x + area.w / 2) * k,
    y: stage.clientHeight / 2 - (area.y + area.h / 2) * k,
  });
  show();
  return k * drawing.scale >= LEGIBLE;
}

// Shows a box, and as much of *others* beside it as there is room for, at the zoom at which texts are legible.
function bringFirst(box, others) {
  const k = 1 / drawing.scale;
  const area = extent([box, ...others.filter(Boolean)]);
  const place = (room, from, length, at, own) =>
    Math.max(16 - at * k, Math.min(room - 16 - (at + own) * k, room / 2 - (from + length / 2) * k));
  Object.assign(viewport, {
    k,
    x: place(stage.clientWidth, area.x, area.w, box.x, box.w),
    y: place(stage.clientHeight, area.y, area.h, box.y, box.h),
  });
  show();
}

function inView(box) {
  const inside = (from, size, at, length) => from + at * viewport.k >= 0 && from + (at + size) * viewport.k <= length;
  return inside(viewport.x, box.w, box.x, stage.clientWidth) && inside(viewport.y, box.h, box.y, stage.clientHeight);
}

function extent(boxes) {
  const x = Math.min(...boxes.map((b) => b.x)),
    y = Math.min(...boxes.map((b) => b.y));
  return {
    x,
    y,
    w: Math.max(...boxes.map((b) => b.x + b.w)) - x,
    h: Math.max(...boxes.map((b) => b.y + b.h)) - y,
  };
}

function drawMap() {
  const k = Math.min(240 / Math.max(1, drawing.w), 56 / Math.max(1, drawing.h));
  const size = {width: Math.ceil(drawing.w * k) + 8, height: Math.ceil(drawing.h * k) + 8};
  for (const [name, value] of Object.entries(size)) map.setAttribute(name, value);
  map.k = k;
  const dots = drawing.order.map((box) =>
    make(
      "rect",
      {
        class: `kind-${cssName(box.card ? box.card.kind : box.group.kind)}`,
        x: 4 + box.x * k,
        y: 4 + box.y * k,
        width: Math.max(1.5, box.w * k),
        height: Math.max(1, box.h * k),
      },
      [],
      SVG,
    ),
  );
  map.replaceChildren(...dots, make("rect", {class: "window"}, [], SVG));
}

function drawWindow() {
  const frame = map.querySelector(".window");
  if (!frame) return;
  const within = {
    x: -viewport.x / viewport.k,
    y: -viewport.y / viewport.k,
    width: stage.clientWidth / viewport.k,
    height: stage.clientHeight / viewport.k,
  };
  for (const [name, value] of Object.entries(within))
    frame.setAttribute(name, value * map.k + (name.length === 1 ? 4 : 0));
  const allInView =
    within.x <= 0 && within.y <= 0 && within.x + within.width >= drawing.w && within.y + within.height >= drawing.h;
  map.classList.toggle("needless", allInView);
}

function goTo(event) {
  const frame = map.getBoundingClientRect();
  viewport.x = stage.clientWidth / 2 - ((event.clientX - frame.left - 4) / map.k) * viewport.k;
  viewport.y = stage.clientHeight / 2 - ((event.clientY - frame.top - 4) / map.k) * viewport.k;
  show();
}

map.addEventListener("pointerdown", (event) => {
  event.stopPropagation();
  map.setPointerCapture(event.pointerId);
  goTo(event);
});
map.addEventListener("pointermove", (event) => event.buttons && goTo(event));
map.addEventListener("click", (event) => event.stopPropagation());
