// The window through which the drawing is seen, and the small map of all of it.
const seen = {x: 0, y: 0, k: 1};
const LEGIBLE = 0.33;
const map = make("svg", {class: "map", "aria-hidden": "true"}, [], SVG);
stage.append(map);

function show() {
  world.style.transform = `translate(${seen.x}px,${seen.y}px) scale(${seen.k})`;
  // Far away only names are worth their place, and they grow against the distance.
  stage.style.setProperty("--boost", Math.min(2.1, Math.max(1, 0.8 / seen.k)).toFixed(3));
  stage.classList.toggle("far", seen.k < 0.6);
  drawWindow();
}

function fit() {
  const k = Math.min(
    1.15,
    (stage.clientWidth - 48) / Math.max(1, drawn.w),
    (stage.clientHeight - 48) / Math.max(1, drawn.h),
  );
  seen.k = Math.max(0.08, k);
  seen.x = Math.max(24, (stage.clientWidth - drawn.w * seen.k) / 2);
  seen.y = Math.max(24, (stage.clientHeight - drawn.h * seen.k) / 2);
  show();
}

// The first picture: all of it where that is legible, else where it begins.
function start() {
  fit();
  if (seen.k >= LEGIBLE) return;
  seen.k = LEGIBLE;
  seen.x = 24;
  seen.y = Math.max(24, (stage.clientHeight - drawn.h * seen.k) / 2);
  show();
}

function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  const k = Math.min(3, Math.max(0.05, seen.k * factor));
  seen.x = x - ((x - seen.x) * k) / seen.k;
  seen.y = y - ((y - seen.y) * k) / seen.k;
  seen.k = k;
  show();
}

// Brings boxes into the window: all of them where they are legible together, else the first.
function bring(boxes) {
  const found = boxes.filter(Boolean);
  if (!found.length) return;
  const area = extent(found);
  const k = Math.min(1.1, (stage.clientWidth - 60) / area.w, (stage.clientHeight - 60) / area.h);
  const wanted = k >= 0.45 ? area : extent(found.slice(0, 1));
  seen.k = k >= 0.45 ? k : 0.5;
  seen.x = stage.clientWidth / 2 - (wanted.x + wanted.w / 2) * seen.k;
  seen.y = stage.clientHeight / 2 - (wanted.y + wanted.h / 2) * seen.k;
  show();
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
  const k = Math.min(200 / Math.max(1, drawn.w), 140 / Math.max(1, drawn.h));
  const size = {width: Math.ceil(drawn.w * k) + 8, height: Math.ceil(drawn.h * k) + 8};
  for (const [name, value] of Object.entries(size)) map.setAttribute(name, value);
  map.k = k;
  const dots = drawn.order.map((box) =>
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
    x: -seen.x / seen.k,
    y: -seen.y / seen.k,
    width: stage.clientWidth / seen.k,
    height: stage.clientHeight / seen.k,
  };
  for (const [name, value] of Object.entries(within))
    frame.setAttribute(name, value * map.k + (name.length === 1 ? 4 : 0));
  const whole =
    within.x <= 0 && within.y <= 0 && within.x + within.width >= drawn.w && within.y + within.height >= drawn.h;
  map.classList.toggle("needless", whole);
}

function goTo(event) {
  const frame = map.getBoundingClientRect();
  seen.x = stage.clientWidth / 2 - ((event.clientX - frame.left - 4) / map.k) * seen.k;
  seen.y = stage.clientHeight / 2 - ((event.clientY - frame.top - 4) / map.k) * seen.k;
  show();
}

map.addEventListener("pointerdown", (event) => {
  event.stopPropagation();
  map.setPointerCapture(event.pointerId);
  goTo(event);
});
map.addEventListener("pointermove", (event) => event.buttons && goTo(event));
map.addEventListener("click", (event) => event.stopPropagation());
