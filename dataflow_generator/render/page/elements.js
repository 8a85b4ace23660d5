// What every page uses: elements with text, symbols of kinds, and how names and facts are written.
const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  cluster: "▣",
  topic: "≡",
  dataset: "⛁",
  job: "⚙",
  schema: "¶",
  column: "▪",
  "consumer-group": "◎",
  "catalog-table": "▦",
  action: "→",
};

const CERTAINTY = {
  declared: "declared by a person",
  derived: "concluded by a rule",
  matched: "matched by name",
  suggested: "suggested by source code",
  observed: "observed by monitoring",
};

function make(tag, attributes = {}, children = [], namespace = "") {
  const element = namespace ? document.createElementNS(namespace, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  // Always text nodes, never HTML: a name may contain anything.
  element.append(...[children].flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function text(words) {
  // A long name may be broken after a slash, and after a dot that does not begin its end: not before the ending of a file.
  const parts = typeof words === "string" ? words.split(/(?<=\w\/)(?=\w)|(?<=\w\.)(?=\w+[./])/) : [words];
  return make(
    "bdi",
    {dir: "auto"},
    parts.flatMap((part, at) => (at ? [make("wbr"), part] : [part])),
  );
}

function cssName(word) {
  return word.replace(/[^a-z0-9-]/gi, "_");
}

// Like `scanner_model.column_path.path_name`: markers and quoted segments are unchanged.
const FINAL = /^(?:\[\d*\]|\{\}|@key|<(?:[^`>]*|`(?:[^`]|``)*`)>|`(?:[^`]|``)*`)$/;

function pathName(path) {
  return path
    .map((part) => (FINAL.test(part) || (part && !/^<|[.`]/.test(part)) ? part : `\`${part.replace(/`/g, "``")}\``))
    .join(".");
}

// The message of an error; the nodes that it offers are links, whose address *href* makes.
function messageOf(error, href = (node) => `/flow#${new URLSearchParams({node})}`) {
  const message = text(String(error.message || error));
  const names = (error.choices || []).flatMap((name) => [", ", make("a", {href: href(name)}, text(name))]);
  return names.length ? [message, " — choose one of these: ", ...names.slice(1)] : message;
}

function nameOf(node) {
  if (node.path) return [node.name, pathName(node.path)].filter(Boolean).join(".") || "(whole value)";
  if (!node.name && node.kind === "schema") return `${(node.attributes || {}).format || ""} schema`.trim();
  return node.name || node.key;
}

function factList(facts) {
  return make(
    "dl",
    {class: "facts"},
    facts
      .filter(([, value]) => value !== "")
      .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, typeof value === "string" ? text(value) : value)]),
  );
}

function valueOf(value) {
  if (typeof value === "string" && value.includes("\n")) return make("pre", {dir: "auto"}, value);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

const FLOW_WORDS = {
  "": "flows",
  IDENTITY: "copied",
  TRANSFORMATION: "computed",
  AGGREGATION: "aggregated",
  MASKED: "masked",
  FILTER: "filters",
  JOIN: "joins",
  GROUP_BY: "groups",
  SORT: "sorts",
  WINDOW: "windows",
  CONDITIONAL: "condition",
};

// What an edge does to the data, in a word: a copy under another name is renamed.
function edgeWord({kind, subtype, source, target}) {
  if (kind !== "column-flow") return kind.replace(/-/g, " ");
  const renamed = subtype === "IDENTITY" && source.path && target.path && source.path.at(-1) !== target.path.at(-1);
  return renamed ? "renamed" : FLOW_WORDS[subtype] || subtype.toLowerCase().replace(/_/g, " ");
}

// A time of the API in UTC, to the minute; empty for none.
function moment(time) {
  return time ? `${time.slice(0, 16).replace("T", " ")} UTC` : "";
}
