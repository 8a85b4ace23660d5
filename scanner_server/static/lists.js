// The lists: topics, columns, jobs, subjects, sources, findings, scans. The address has the filters; pages follow on demand.
const check = (name, words) => ({name, words, kind: "check"});
const choice = (name, words, values) => ({name, words, kind: "choice", values});
const PATTERN = {name: "pattern", words: "Name", kind: "text"};
const TAGS = choice("tags", "Certainty", ["known", "declared", "inherited", "suggested", "all"]);
const CLUSTER = {name: "cluster", words: "Cluster", kind: "cluster"};

// A count; a plain dash for zero, and nothing if it is unknown.
function countOf(count, href = "") {
  if (count === null || count === undefined) return "";
  return count ? (href && link(href, String(count))) || count : make("span", {class: "note", title: "none"}, "–");
}

function ruleName(rule) {
  return rule.replace(/-/g, " ");
}

// One change in a line: what, how, whether it breaks readers, which, and whom to ask.
function changeLine(row) {
  const [more, few] = [row.readers.length > 3 ? ` and ${row.readers.length - 3} more` : "", row.readers.slice(0, 3).join(", ")];
  const users = link(topicPage(row.cluster, row.topic, {tab: "users", use: "reads"}), `${few}${more}`);
  return [
    row.topic ? make("b", {}, link(topicPage(row.cluster, row.topic), row.topic)) : "",
    row.topic ? " " : "",
    ["topic", "value"].includes(row.what) ? "" : make("span", {class: "note"}, `${row.what} `),
    changeWords(row.change),
    row.breaks ? [" · ", mark(`breaks ${row.breaks}`, row.breaks.includes("?") ? "" : "error")] : "",
    row.readers.length ? [" · read by ", users] : "",
    row.owners.length ? [" · ask ", ...ownerLinks(row.owners.join(", "))] : "",
  ].flat(2);
}

// What changed of columns, as words: "added price, removed note".
function changeWords(change) {
  return change.split(", ").flatMap((part, at) => {
    const action = {"+ ": "added", "- ": "removed"}[part.slice(0, 2)];
    return [at ? ", " : "", action ? make("span", {class: `mark-${action}`}, `${action} `) : "", text(action ? part.slice(2) : part)];
  });
}

function durationOf(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "";
  if (milliseconds < 0) return "unlimited";
  const hours = milliseconds / 3_600_000;
  return hours >= 48
    ? `${Math.round(hours / 24)} days`
    : hours >= 1
      ? `${Math.round(hours)} h`
      : `${Math.round(milliseconds / 60_000)} min`;
}

const LISTS = {
  "/topics": {
    title: "Topics",
    path: "/topics",
    total: ({counts}, {internal}) => counts.topics - (internal ? 0 : counts.internal_topics),
    fixed: {without_internal: true},
    filters: [
      PATTERN,
      CLUSTER,
      {name: "owner", words: "Owner", kind: "text"},
      {name: "tag", words: "Tag", kind: "text"},
      ...["schema", "owner", "reader", "writer"].map((what) => check(`without_${what}`, `without ${what}`)),
      {name: "internal", words: "internal topics", kind: "internal"},
      choice("sort", "Order by", ["name", "readers", "writers", "findings", "partitions", "seen"]),
      check("deleted", "deleted topics"),
    ],
    columns: [
      [
        "topic",
        (row) => [
          link(topicPage(row.cluster, row.name), row.name),
          " ",
          row.internal ? make("span", {class: "note"}, "internal") : "",
          ...staleMark(row),
        ],
        (row) => row.name,
      ],
      ["cluster", (row) => row.cluster],
      ["owner", (row) => ownerLinks(row.owner), (row) => row.owner],
      ["tags", (row) => row.tags.join(", ")],
      ["schemas", (row) => (row.internal ? "" : countOf(row.schemas, topicPage(row.cluster, row.name))), (row) => row.schemas],
      ["readers", (row) => countOf(row.readers, topicPage(row.cluster, row.name, {tab: "users", use: "reads"})), (row) => row.readers],
      ["writers", (row) => countOf(row.writers, topicPage(row.cluster, row.name, {tab: "users", use: "writes"})), (row) => row.writers],
      [
        "findings",
        (row) => countOf(row.findings, `/findings?${query({cluster: row.cluster, where: `topic ${row.name}`})}`),
        (row) => row.findings,
      ],
      ["partitions", (row) => row.partitions],
      ["retention", (row) => durationOf(row.retention_ms), (row) => row.retention_ms],
      ["seen", (row) => make("span", {class: "date", title: moment(row.seen_at)}, moment(row.seen_at).slice(0, 10)), (row) => row.seen_at],
      ["description", (row) => row.description && make("div", {class: "prose"}, text(row.description)), (row) => row.description],
    ],
  },
  "/columns": {
    title: "Columns",
    path: "/columns",
    needs: ["pattern", "tag", "name"],
    hint: "Enter a part of a name (*.email), or choose a tag.",
    start: tagsPart,
    group: ({tag}) => tag && ["in", "cluster", "side"],
    groupKey: (row) => (row.topic ? `${row.cluster} ${row.topic}` : row.dataset),
    groupOf: (row) => [
      row.topic ? link(topicPage(row.cluster, row.topic), row.topic) : link(flowPage(row.dataset), datasetAddress(row.dataset)),
      ...(row.owner ? [" · ", ...ownerLinks(row.owner)] : []),
      row.topic ? "" : make("span", {class: "note"}, " · outside Kafka"),
    ],
    first: async ({tag, tags = "known", ...rest}) =>
      tag && tags === "known"
        ? ["No column declares or inherits the tag: see the ", link(`/columns?${query({...rest, tag, tags: "suggested"})}`, "columns whose names suggest it"), "."]
        : "",
    fixed: {tags: "known"},
    filters: [PATTERN, {name: "tag", words: "Tag", kind: "text"}, TAGS, CLUSTER],
    columns: [
      [
        "column",
        (row) => link(flowPage(row.node || `${row.topic || row.dataset}.${row.name}`), row.name || "(whole value)"),
        (row) => row.name,
      ],
      [
        "in",
        (row) => (row.topic ? link(topicPage(row.cluster, row.topic), row.topic) : row.dataset ? link(flowPage(row.dataset), datasetAddress(row.dataset)) : ""),
        (row) => row.topic || datasetAddress(row.dataset),
      ],
      ["cluster", (row) => row.cluster],
      ["side", (row) => row.role],
      ["origin", (row) => row.origin],
      ["type", (row) => (row.logical_type || row.type || "") + (row.nullable ? " ?" : "")],
      ["tags", (row) => tagParts([...row.tags, ...row.inherited_tags])],
      ["tags by lineage", (row) => foundTagParts(row.found_tags)],
      ["documentation", (row) => row.doc],
      ["subject", (row) => row.subject && `${row.subject}, version ${row.version}`],
    ],
  },
  "/search": {
    title: "Search",
    noun: () => "hits",
    path: "/search",
    most: 200,
    incomplete: "Other names may match: enter more of the name.",
    needs: ["q"],
    hint: "Enter a name, or the start of a word of one.",
    facets: true,
    // If more hits follow, those of a kind are not together: the best come first then.
    group: (_, {rows, next}) => !next && new Set(rows.map(({kind}) => kind)).size > 1 && ["kind"],
    gathers: true,
    groupKey: (row) => row.kind,
    groupOf: ({kind}, rows) => text(noun(rows.filter((row) => row.kind === kind).length, kind.replace(/-/g, " "))),
    filters: [
      {name: "q", words: "Text", kind: "text"},
      choice("kind", "Kind", ["topic", "node", "subject", "column", "tag", "owner"]),
      CLUSTER,
    ],
    columns: [
      ["name", (row) => make("b", {}, link(hitPage(row), make("bdi", {dir: "auto"}, marked(nameOf(row), searched())))), (row) => nameOf(row)],
      ["kind", (row) => row.kind],
      ["where", (row) => row.where],
      ["origin", (row) => row.origin],
      ["detail", (row) => row.detail],
    ],
  },
  "/changes": {
    title: "Changes",
    path: "/changes/summary",
    none: "none known",
    mayMiss: "A cluster was first scanned later than that: its earlier changes are unknown.",
    first: async () => ((await ask("/scans", {limit: 2})).items.length > 1 ? "" : "Only one scan so far: the next one shows what changed."),
    filters: [{name: "since", words: "Since (2026-11-15, 7d, last week)", kind: "text"}, CLUSTER],
    columns: [
      ["change", (row) => make("span", {}, changeLine(row)), (row) => [row.topic, row.what, row.change].join(" ")],
      ["cluster", (row) => row.cluster],
    ],
  },
  "/jobs": {
    title: "Jobs and consumer groups",
    path: "/nodes",
    noun: ({kind}) => `${(kind || "job").replace(/-/g, " ")}s`,
    total: ({nodes}, {kind}) => nodes.filter((each) => each.kind === (kind || "job")).reduce((sum, {count}) => sum + count, 0),
    fixed: {kind: "job"},
    filters: [
      PATTERN,
      choice("kind", "Kind", ["job", "consumer-group", "dataset", "catalog-table"]),
      {name: "namespace", words: "Namespace", kind: "text"},
      check("failed", "failed"),
    ],
    columns: [
      [
        "name",
        (row) => [
          link(flowPage(row.id), row.title || row.name),
          " ",
          ...staleMark(row),
          row.unread ? mark("not read", "") : "",
          row.title ? make("div", {class: "evidence"}, text(row.name)) : "",
        ],
        (row) => row.name,
      ],
      ["owner", (row) => ownerLinks(row.owner), (row) => row.owner],
      ["type", (row) => row.attributes.type],
      [
        "state",
        (row) =>
          row.attributes.failed
            ? [
                mark(`${row.attributes.state}, ${row.attributes.failed}`, "error"),
                make("div", {class: "evidence"}, text(row.attributes.error || "")),
              ]
            : row.attributes.state,
      ],
      ["where", (row) => (row.cluster ? make("span", {title: row.namespace}, text(row.cluster)) : row.namespace)],
      ["upstream", (row) => countOf(row.upstream, flowPage(row.id)), (row) => row.upstream],
      ["downstream", (row) => countOf(row.downstream, flowPage(row.id)), (row) => row.downstream],
    ],
  },
  "/subjects": {
    title: "Schemas",
    noun: () => "subjects",
    path: "/schemas",
    total: ({counts}) => counts.schemas,
    filters: [PATTERN, CLUSTER, check("deleted", "with deleted ones")],
    columns: [
      ["subject", (row) => [text(row.name), " ", ...staleMark(row), row.deleted ? mark("deleted", "") : ""], (row) => row.name],
      ["format", (row) => row.format],
      ["versions", (row) => row.versions.flatMap((version) => [versionLink(row, version), " "])],
      ["topics", (row) => row.topics.flatMap((topic) => [link(topicPage(row.cluster, topic), topic), " "])],
      ["cluster", (row) => row.cluster],
      ["context", (row) => (row.context === "." ? "" : row.context)],
      ["registry", (row) => row.registry],
    ],
  },
  "/sources": {
    title: "Sources",
    path: "/sources",
    total: ({counts}) => counts.sources,
    unpaged: true,
    filters: [CLUSTER],
    columns: [
      ["source", (row) => [text(row.name), " ", row.stale_since === null ? "" : mark("stale", "")], (row) => row.name],
      ["kind", (row) => row.kind],
      ["cluster", (row) => row.cluster],
      ["read last", (row) => scanTime(row.last_read)],
      ["stale since", (row) => (row.stale_since === null ? "" : scanTime(row.stale_since))],
      ["reason", (row) => row.stale_reason],
    ],
  },
  "/findings": {
    title: "Findings",
    path: "/findings",
    total: ({counts}) => counts.findings,
    filters: [CLUSTER, choice("severity", "Severity", ["error", "warning"]), {name: "rule", words: "Rule", kind: "rule"}, {name: "where", words: "Where", kind: "text"}],
    grouped: true,
    columns: [
      ["severity", (row) => mark(row.severity, row.severity), (row) => row.severity],
      ["where", (row) => findingPlace(row), (row) => row.where],
      ["what", (row) => row.what],
      ["next step", (row) => row.hint && prose(row.hint), (row) => row.hint],
      ["rule", (row) => row.rule],
      ["cluster", (row) => row.cluster],
    ],
  },
  "/scans": {
    title: "Scans",
    path: "/scans",
    total: ({counts}) => counts.scans,
    filters: [CLUSTER],
    columns: [
      ["finished", (row) => moment(row.finished) || "not finished", (row) => row.finished],
      ["scan", (row) => String(row.id), (row) => row.id],
      ["cluster", (row) => row.cluster],
      ["state", (row) => row.status],
      ...["added", "changed", "gone", "returned", "stale"].map((name) => [name, (row) => row[name] || ""]),
      ["compare", (row, at, rows) => compareLink(row, at, rows)],
    ],
  },
};

// The tags with how many columns have each, and how that is known.
async function tagsPart() {
  const {items} = await ask("/tags");
  const counted = (row, tags) => countOf(row[tags], `/columns?${query({tag: row.tag, tags})}`);
  const rows = items.map((row) => [
    link(`/columns?${query({tag: row.tag})}`, row.tag),
    counted(row, "declared"),
    counted(row, "inherited"),
    counted(row, "suggested"),
    countOf(row.topics, `/topics?${query({tag: row.tag})}`),
  ]);
  return [tableOf("Tags", ["tag", "declared", "inherited", "suggested by names", "topics"], rows, "no column or topic has one")];
}

function searched() {
  return new URLSearchParams(location.search).get("q") || "";
}

function versionLink(row, version) {
  if (!row.topics.length) return String(version);
  return link(topicPage(row.cluster, row.topics[0], {subject: row.name, version}), String(version));
}

// Findings are about something by its kind and name; a topic has a page, what runs is among the jobs.
function findingPlace({where, cluster}, isShort = false) {
  const [kind, ...rest] = where.split(" ");
  const name = rest.join(" ").replace(/^'(.*)'$/, "$1");
  if (kind === "topic") return link(topicPage(cluster, name), isShort ? name : where);
  if (["connector", "statement", "query", "job"].includes(kind)) return link(`/jobs?${query({pattern: name})}`, where);
  if (kind === "subject") return link(`/subjects?${query({pattern: name})}`, where);
  return where;
}

function compareLink(row, at, rows) {
  const before = rows.slice(at + 1).find((other) => other.cluster === row.cluster);
  return before ? link(`/flow#${query({scan: row.id, base: before.id})}`, `with ${moment(before.finished)}`) : "";
}

const times = new Map();

function scanTime(scan) {
  return scan === null || scan === undefined ? "never" : moment(times.get(scan)) || `scan ${scan}`;
}
