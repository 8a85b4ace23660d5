// Pages that need no server: answers are in scripts beside them, as a page of file:// may not fetch, and links lead to
// files. These functions take the place of those of the same name in the scripts before this one.
const STORED_PAGES = ["/topics", "/topic", "/columns", "/jobs", "/subjects", "/sources", "/findings", "/flow"];
const STORED_LISTS = {"/topics": "topics", "/columns": "columns", "/nodes": "nodes", "/schemas": "subjects"};
const ORDERS = ["readers", "writers", "findings", "partitions"];
// An export has the tags that are known.
Object.assign(LISTS["/columns"], {first: null, start: async () => (await storedParts()).slice(0, 1), filters: LISTS["/columns"].filters.filter((each) => each !== TAGS)});
const answers = new Map();
window.scannerAnswers = (file, answer) => answers.set(file, answer);

// Loads the script of answers `data/FILE.js` once, and returns what it holds.
function stored(file) {
  if (answers.has(file)) return Promise.resolve(answers.get(file));
  return new Promise((resolve, reject) => {
    const script = make("script", {src: `data/${file}.js`});
    script.onload = () => resolve(answers.get(file));
    script.onerror = () => reject(new Error(`data/${file}.js is missing beside this page`));
    document.head.append(script);
  });
}

async function ask(path, params = {}) {
  const [, cluster, topic, schemas] = path.match(/^\/clusters\/([^/]+)\/topics\/([^/]+)(\/schemas)?$/) || [];
  if (topic) {
    const about = await storedTopic(decodeURIComponent(cluster), decodeURIComponent(topic));
    return schemas ? about.versions[`${params.subject}/${params.version}`] || {items: []} : about.about;
  }
  if (path === "/search") return pageOf(await searchStored(params.q), params);
  const here = new URLSearchParams(location.search);
  const about = here.get("topic") ? await storedTopic(here.get("cluster"), here.get("topic")) : null;
  if (path === "/lineage" && about) return params.contents ? about.contents : about.near;
  if (path === "/history" && about) return about.history;
  if (path === "/clients" && about) return about.clients;
  if (path === "/schemas/diff" && about)
    return about.judged[`${params.subject}/${params.from}/${params.to}`] || notJudged(params.from, params.to);
  const home = await stored("home");
  if (path in STORED_LISTS) return listStored(await stored(STORED_LISTS[path]), params);
  const answer = home[path];
  if (!answer) throw new Error("This export does not have it; `scanner serve` answers it.");
  return Array.isArray(answer.items) ? listStored(answer.items, params) : answer;
}

// Of versions that are no neighbours the columns are compared only.
function notJudged(first, second) {
  const unknown = Object.fromEntries(["verdict", "backward", "forward"].map((name) => [name, "unknown"]));
  const notes = ["This export has the registry's answer for neighbouring versions; `scanner serve` has it for all."];
  return {first, second, level: "", differences: [], notes, ...unknown};
}

async function storedTopic(cluster, name) {
  const topic = (await stored("topics")).find((each) => each.cluster === cluster && each.name === name);
  if (!topic) throw new Error(`This export has no topic ${name} of ${cluster}.`);
  return stored(topic.file);
}

function listStored(rows, params) {
  const order = ORDERS.includes(params.sort) ? [...rows].sort((a, b) => (b[params.sort] || 0) - (a[params.sort] || 0)) : rows;
  return pageOf(
    order.filter((row) => Object.entries(params).every(([name, value]) => !value || fitsFilter(row, name, String(value)))),
    params,
  );
}

function pageOf(items, {limit = items.length, cursor = 0}) {
  const end = Number(cursor) + limit;
  return {items: items.slice(Number(cursor), end), next_cursor: end < items.length ? end : null, complete: true};
}

function fitsFilter(row, name, value) {
  const same = (held) => String(held ?? "").toLowerCase() === value.toLowerCase();
  if (name === "pattern") return nameFilter(value)(row.name);
  if (name === "topic") return (row.topics || []).includes(value);
  if (name === "tag") return [...row.tags, ...(row.inherited_tags || []), ...(row.found_tags || []).map(({tag}) => tag)].some(same);
  if (name === "failed") return Boolean(row.attributes.failed);
  if (name === "without_internal") return !row.internal;
  if (name === "without_owner") return !row.owner && !row.internal;
  if (name === "without_schema") return row.schemas === 0 && !row.internal;
  if (name.startsWith("without_")) return row[`${name.slice("without_".length)}s`] === 0;
  return !["cluster", "owner", "kind", "namespace", "severity", "rule", "where"].includes(name) || same(row[name]);
}

// As the server: a glob where it holds `*`, `?` or `[`, else a part of the name.
function nameFilter(pattern) {
  const part = pattern.toLowerCase();
  if (!/[*?[]/.test(pattern)) return (name) => name.toLowerCase().includes(part);
  const escaped = part.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  return (name) => new RegExp(`^${escaped}$`).test(name.toLowerCase());
}

// Names in the whole export: those that are the words, begin with them, have them; topics before the rest.
async function searchStored(words) {
  const [topics, columns, nodes, subjects] = await Promise.all(["topics", "columns", "nodes", "subjects"].map(stored));
  const named = (name, kind, where = "") => ({name, kind, where, key: `${kind}:${where}:${name}`});
  const distinct = (listed) => [...new Set(listed.filter(Boolean))];
  const hits = [
    ...topics.map((each) => named(each.name, "topic", each.cluster)),
    ...nodes.filter(({kind}) => kind !== "topic").map((each) => ({...named(each.name, each.kind, each.namespace), node: each.id})),
    ...subjects.map((each) => ({...named(each.name, "subject", each.cluster), topics: each.topics})),
    ...distinct([...topics, ...columns].flatMap((each) => each.tags)).map((each) => named(each, "tag")),
    ...distinct(topics.map((each) => each.owner)).map((each) => named(each, "owner")),
    ...columns.map((each) => ({...named(each.name, "column", each.topic || each.dataset), cluster: each.cluster, node: each.node})),
  ];
  const text = words.trim().toLowerCase();
  const rank = (name) => (name === text ? 0 : name.startsWith(text) ? 1 : name.split(/[._-]/).some((part) => part.startsWith(text)) ? 2 : 3);
  const found = hits.filter((each) => each.name.toLowerCase().includes(text));
  return found.map((each, at) => [rank(each.name.toLowerCase()), at, each]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , each]) => each);
}

// Returns the file that shows what an address of the server does; empty where none does.
function storedPage(address) {
  const [, path, rest] = String(address).match(/^([^?#]*)(.*)$/);
  if (path === "/") return "index.html";
  if (rest.includes("list=impact")) return ""; // what is asked of the server when it is opened
  if (path === "/flow") return `flow.html${rest && `${rest}&focus=1`}`;
  return STORED_PAGES.includes(path) ? `${path.slice(1)}.html${rest}` : "";
}

function link(href, words, attributes = {}) {
  const target = storedPage(href);
  return target ? make("a", {href: target, ...attributes}, typeof words === "string" ? text(words) : words) : "";
}

// Tags and owners, by how much has them, instead of what the server computes.
async function storedParts() {
  const {tags, owners} = await stored("home");
  const counted = (path, name, rows) =>
    rows.map(([value, topics, columns]) => [link(`${path}?${query({[name]: value})}`, value), topics, columns]);
  return [
    section("Tags", [tableOf("Tags", ["tag", "topics", "columns"], counted("/columns", "tag", tags), "no topic or column has one")]),
    section("Owners", [tableOf("Owners", ["owner", "topics"], counted("/topics", "owner", owners), "no source names one")]),
  ];
}

hooks.take = (hit) => {
  const column = hit.kind === "column" && hit.cluster;
  location.assign(storedPage(column ? topicPage(hit.cluster, hit.where) : hitPage(hit)) || "index.html");
};
document.documentElement.dataset.theme = savedTheme();
const shownPage = `/${location.pathname.split("/").pop().replace(/\.html$/, "")}`;
addNavigation(
  shownPage,
  PAGES.filter(([path]) => STORED_PAGES.includes(path)),
);
during(async () => {
  page.replaceChildren();
  if (shownPage === "/topic") await topicPageOf();
  else if (shownPage in LISTS) await listPage(shownPage);
  else await homePage(storedParts);
});
