// Requests to the server, and links between its pages.
const API = "/api/v1";

// Sends a request; *body* makes it a POST. A failure is an Error with the status and what the server says of it.
async function ask(path, params = {}, body = undefined) {
  const init = {headers: {accept: "application/json"}};
  if (body !== undefined) Object.assign(init, {method: "POST", body: JSON.stringify(body)});
  const response = await fetch(`${API}${path}?${query(params)}`, init).catch(() => {
    throw new Error("the server does not answer");
  });
  // What stands before a server may answer with a page of its own.
  const answer = await response.json().catch(() => ({detail: `the server answered with status ${response.status}`}));
  if (response.ok) return answer;
  const error = new Error([answer.detail, answer.choices ? "" : answer.hint].filter(Boolean).join(" — "));
  Object.assign(error, {status: response.status, choices: answer.choices || []});
  throw error;
}

function query(params) {
  return new URLSearchParams(Object.entries(params).filter(([, value]) => ![undefined, null, "", false].includes(value)));
}

const busy = {count: 0};

// Does what takes requests: meanwhile the page is busy, and *empty*, if it stays so, says what it waits for. A failure is
// shown; *work* can be tried again.
async function during(work, empty = document.querySelector("main")) {
  const place = document.querySelector("main");
  busy.count += 1;
  place.setAttribute("aria-busy", "true");
  const arrived = announceWaiting(empty);
  try {
    await work();
  } catch (error) {
    showError(error, () => during(work, empty));
  } finally {
    arrived();
    busy.count -= 1;
    place.setAttribute("aria-busy", String(busy.count > 0));
  }
}

const WAITING = [
  [200, "Reading …"],
  [5000, "Still reading … A large dictionary takes a while."],
];

// Fills a place that stays empty with grey rows and a sentence; returns a function that ends it.
function announceWaiting(place) {
  const says = make("p", {role: "status"}, "");
  const shown = make("div", {class: "waiting"}, [says, ...[1, 2, 3].map(() => make("div", {class: "bar", "aria-hidden": "true"}))]);
  const say = (words) => {
    if (!place.childElementCount) place.append(shown);
    says.textContent = words;
  };
  const timers = WAITING.map(([after, words]) => setTimeout(say, after, words));
  return () => {
    timers.forEach(clearTimeout);
    shown.remove();
  };
}

function digits(count) {
  return count.toLocaleString("en");
}

function link(href, words, attributes = {}) {
  return make("a", {href, ...attributes}, typeof words === "string" ? text(words) : words);
}

function topicPage(cluster, topic, more = {}) {
  return `/topic?${query({cluster, topic, ...more})}`;
}

function ownerPage(owner) {
  return `/owner?${query({owner})}`;
}

// Links to the pages of owners; of many the first two, and how many more there are.
function ownerLinks(owner) {
  const names = (owner || "").split(", ").filter(Boolean);
  const more = names.length > 3 ? [make("span", {class: "note", title: names.slice(2).join(", ")}, ` +${names.length - 2}`)] : [];
  return [...names.slice(0, more.length ? 2 : 3).flatMap((name, at) => [at ? ", " : "", link(ownerPage(name), name) || name]), ...more];
}

// The traces of a failed connector and of its tasks, each once.
function failureParts({name, trace, tasks}) {
  const traces = new Set([trace, ...tasks.map((task) => task.trace)].filter(Boolean));
  return [...traces].map((words) => make("details", {}, [make("summary", {}, `Why ${name} failed`), make("pre", {tabindex: "0"}, words)]));
}

// How a dataset is shown: the name of a file starts with a slash of its own, as in file//tmp/a.txt.
function datasetAddress(dataset) {
  return dataset.replace(/^file\/\//, "file:///").replace(/([^:/])\/\//, "$1/");
}

// The address of the drawing around a node.
function flowPage(node, more = {}) {
  return node ? `/flow#${query({node, ...more})}` : "/flow";
}

// --- a drawing inside a topic's page: without a header, and its links open in the window

if (window.top !== window) {
  document.documentElement.classList.add("embedded");
  document.head.append(make("base", {target: "_top"}));
}

// --- the theme, which all pages share

function savedTheme() {
  const saved = localStorage.getItem("theme");
  return ["light", "dark"].includes(saved) ? saved : "";
}

function saveTheme(theme) {
  if (theme) localStorage.setItem("theme", theme);
  document.documentElement.dataset.theme = theme;
}

// --- the header, and the state of health, which all pages have

// Each entry has the pages that belong to it, which its first page links to.
const PAGES = [
  ["/flow", "Lineage", []],
  ["/topics", "Topics", ["/topic"]],
  ["/columns", "Columns", []],
  ["/jobs", "Jobs", []],
  ["/subjects", "Schemas", []],
  ["/findings", "Health", ["/sources"]],
  ["/changes", "Changes", ["/scans", "/change"]],
];

// The pages of one entry, shown as links above them.
const TABS = [
  [
    ["/findings", "Findings"],
    ["/sources", "Sources"],
  ],
  [
    ["/changes", "Changes"],
    ["/scans", "Scans"],
    ["/change", "Check a change"],
  ],
];

function addNavigation(here = location.pathname, shown = PAGES) {
  const links = shown.map(([path, name, inner]) =>
    link(path, name, {"aria-current": path === here ? "page" : inner.includes(here) ? "true" : null}),
  );
  document.querySelector("h1").after(make("nav", {class: "pages", "aria-label": "Pages"}, links));
}

function tabsOf(here) {
  const tabs = TABS.find((each) => each.some(([path]) => path === here));
  if (!tabs) return "";
  const links = tabs.map(([path, name]) => link(path, name, {"aria-current": path === here ? "page" : null})).filter(Boolean);
  return links.length > 1 ? make("nav", {class: "tabs", "aria-label": "Pages of this kind"}, links) : "";
}

// Shows the scan and its time, and errors, warnings and stale sources, each a link to its list.
async function readHealth() {
  const place = document.getElementById("about");
  const [now, summary] = await Promise.all([ask("/state"), ask("/summary")]);
  const count = (number, one, severity, href) =>
    number ? link(href, `${number} ${one}${number === 1 ? "" : "s"}`, {class: `health ${severity}`}) : "";
  const of = (severity) =>
    summary.findings.filter((each) => each.severity === severity).reduce((sum, each) => sum + each.count, 0);
  const older = !now.scan ? "" : now.graph_scan === null ? "no graph yet" : now.graph_scan < now.scan ? "the graph is older" : "";
  const counts = [
    count(of("error"), "error", "error", "/findings?severity=error"),
    count(of("warning"), "warning", "warning", "/findings?severity=warning"),
    count(now.stale.length, "stale source", "warning", "/sources"),
    older ? make("span", {class: "health warning"}, older) : "",
  ].filter(Boolean);
  const fine = now.scan && !counts.length ? make("span", {class: "health"}, "no errors or warnings") : "";
  place.replaceChildren(text(now.scan ? moment(now.finished) : "no scan yet"), ...counts, fine);
  place.title = [now.scan ? `scan ${now.scan}` : "", ...now.stale.map((source) => `${source.source}: ${source.reason}`)].join(
    "\n",
  );
  return {now, summary};
}

// --- what is stale because of what is upstream of it

const MOST_STALE = 1000;
let staleness = null;

// Reads once what is stale downstream of failed or stopped jobs and of sources not read: the cause by node.
function readStale() {
  staleness =
    staleness ||
    ask("/stale", {limit: MOST_STALE}).then(
      ({items}) => new Map(items.map((row) => [row.id, row])),
      () => new Map(),
    );
  return staleness;
}

function causeOf(row) {
  return `${row.cause_name} ${row.reason}`;
}

// --- the search of names in the whole dictionary

const typing = {timer: 0, answered: ""};

function searchNames(words, draw) {
  clearTimeout(typing.timer);
  if (!words.trim()) {
    typing.answered = words;
    draw([]);
    return;
  }
  typing.timer = setTimeout(async () => {
    try {
      const answer = await ask("/search", {q: words.trim(), limit: MOST_HITS});
      if (words !== search.value || document.activeElement !== search) return;
      typing.answered = words;
      draw(answer.items.map(hitOf), hitsAfter(words, answer.next_cursor), answer.did_you_mean || []);
    } catch (error) {
      showError(error);
    }
  }, 120);
}

function hitOf(hit) {
  return {...hit, key: hit.node};
}

// Returns a function that reads the next page of hits, or null at their end.
function hitsAfter(words, cursor) {
  if (!cursor) return null;
  return async () => {
    const answer = await ask("/search", {q: words.trim(), limit: MOST_HITS, cursor});
    return [answer.items.map(hitOf), hitsAfter(words, answer.next_cursor)];
  };
}

// Where a hit is shown: a topic on its page, a subject at its topic, a tag by its columns, anything else in the drawing.
function hitPage(hit) {
  if (hit.kind === "topic") return topicPage(hit.where, hit.name);
  if (hit.kind === "subject" && (hit.topics || []).length) return topicPage(hit.where, hit.topics[0], {subject: hit.name});
  if (hit.kind === "subject") return `/subjects?${query({pattern: hit.name})}`;
  if (hit.kind === "tag") return `/columns?${query({tag: hit.name})}`;
  if (hit.kind === "owner") return ownerPage(hit.name);
  return flowPage(hit.node);
}

// What can be done instead of going to a hit: "impact of NAME", "change NAME", "owner NAME"; with a hit also its impact.
const ACTIONS = [
  ["impact of", (name) => flowPage(name, {list: "impact"})],
  ["change", (name) => `/change?${query({node: name})}`],
];

function searchActions(words, found) {
  const typed = words.trim();
  const best = found[0] && ["topic", "column", "job", "dataset"].includes(found[0].kind) ? nameOf(found[0]) : "";
  return ACTIONS.flatMap(([verb, href]) => {
    const asked = typed.toLowerCase().startsWith(`${verb} `) ? typed.slice(verb.length + 1) : verb === "impact of" ? best : "";
    return asked ? [{kind: "action", key: verb, name: `${verb[0].toUpperCase()}${verb.slice(1)} ${asked}`, act: href(asked)}] : [];
  });
}
