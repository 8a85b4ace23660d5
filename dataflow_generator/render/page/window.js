// The viewport of the drawing, and the overview map.
const viewport = {x: 0, y: 0, k: 1};
const LEGIBLE = 0.33;
const map = make("svg", {class: "map", "aria-hidden": "true"}, [], SVG);
stage.append(map);

function show() {
  world.style.transform = `translate(${viewport.x}px,${viewport.y}px) scale(${viewport.k})`;
  // Zoomed out only names are shown, scaled up to stay legible.
  stage.style.setProperty("--boost", Math.min(2.1, Math.max(1, 0.8 / viewport.k)).toFixed(3));
  stage.classList.toggle("far", viewport.k < 0.6);
  drawWindow();
}

function fit() {
  const k = Math.min(
    1.15,
    (stage.clientWidth - 48) / Math.max(1, drawing.w),
    (stage.clientHeight - 48) / Math.max(1, drawing.h),
  );
  viewport.k = Math.max(0.08, k);
  viewport.x = Math.max(24, (stage.clientWidth - drawing.w * viewport.k) / 2);
  viewport.y = Math.max(24, (stage.clientHeight - drawing.h * viewport.k) / 2);
  show();
}

// The initial view: everything if legible, else the start.
function start() {
  fit();
  if (viewport.k >= LEGIBLE) return;
  viewport.k = LEGIBLE;
  viewport.x = 24;
  viewport.y = Math.max(24, (stage.clientHeight - drawing.h * viewport.k) / 2);
  show();
}

function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  const k = Math.min(3, Math.max(0.05, viewport.k * factor));
  viewport.x = x - ((x - viewport.x) * k) / viewport.k;
  viewport.y = y - ((y - viewport.y) * k) / viewport.k;
  viewport.k = k;
  show();
}

// Scrolls boxes into view: all of them if legible together, else the first.
function bring(boxes) {
  const shown = boxes.filter(Boolean);
  if (!shown.length) return;
  const area = extent(shown);
  const k = Math.min(1.1, (stage.clientWidth - 60) / area.w, (stage.clientHeight - 60) / area.h);
  const wanted = k >= 0.45 ? area : extent(shown.slice(0, 1));
  viewport.k = k >= 0.45 ? k : 0.5;
  viewport.x = stage.clientWidth / 2 - (wanted.x + wanted.w / 2) * viewport.k;
  viewport.y = stage.clientHeight / 2 - (wanted.y + wanted.h / 2) * viewport.k;
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
  const k = Math.min(200 / Math.max(1, drawing.w), 140 / Math.max(1, drawing.h));
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
