// Which scan is shown, and which one it is compared with.
const slider = document.getElementById("scan"),
  base = document.getElementById("base");

function drawScans() {
  document.getElementById("time").hidden = timeline.length < 2;
  if (timeline.length < 2) return;
  const [, finished, cluster] = timeline[scans.indexOf(shownScans.at)];
  slider.max = scans.length - 1;
  slider.value = scans.indexOf(shownScans.at);
  const when = moment(finished);
  slider.setAttribute("aria-valuetext", `${when} scan ${shownScans.at}`);
  document.getElementById("scanned").textContent = when ? `${when} (scan ${shownScans.at})` : `scan ${shownScans.at}`;
  const option = (value, words) => make("option", {value, selected: String(shownScans.base ?? "") === value}, words);
  const others = timeline.filter(([number, , of]) => number !== shownScans.at && of === cluster);
  base.replaceChildren(option("", "nothing"), ...others.map(([number, at]) => option(String(number), at ? `${moment(at)} (scan ${number})` : `scan ${number}`)));
  document.getElementById("changes").replaceChildren(...(shownScans.base === null ? [] : changeCounts()));
}

// How many nodes and flows came, went or changed: of the whole graph where the page knows that, else of what it draws.
function changeCounts() {
  const changes = hooks.changes ? hooks.changes() : {nodes: graph.nodes.map(({mark}) => mark), flows: graph.edges.map(({mark}) => mark)};
  const counts = Object.entries(MARKS).map(([mark, sign]) => {
    const [nodes, flows] = [changes.nodes, changes.flows].map((marks) => marks.filter((each) => each === mark).length);
    return make("span", {class: `mark-${mark}`}, `${sign}${nodes} nodes, ${sign}${flows} flows ${mark}`);
  });
  return [...counts, changes.more || ""].filter(Boolean);
}

function showScans(at, compared) {
  if (hooks.showScans) {
    hooks.showScans(at, compared);
    return;
  }
  const params = new URLSearchParams(location.hash.slice(1));
  params.set("scan", at);
  params.set("base", compared ?? "");
  history.replaceState(null, "", `#${params}`);
  forgetNames();
  readAddress();
  refresh();
}

// The slider keeps the distance of the two scans; null: nothing is compared, undefined: it was not moved yet.
let distance;

function distanceNow() {
  return shownScans.base === null ? null : scans.indexOf(shownScans.at) - scans.indexOf(shownScans.base);
}

slider.addEventListener("input", () => {
  if (distance === undefined) distance = distanceNow();
  const to = Number(slider.value);
  showScans(scans[to], distance === null ? null : (scans[to - distance] ?? null));
});
base.addEventListener("change", () => {
  showScans(shownScans.at, base.value === "" ? null : Number(base.value));
  distance = distanceNow();
});
