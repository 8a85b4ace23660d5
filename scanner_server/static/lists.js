// The lists: topics, columns, jobs, subjects, sources, findings, scans. The address has the filters; pages follow on demand.
const ROWS = 200;
const check = (name, words) => ({name, words, kind: "check"});
const choice = (name, words, values) => ({name, words, kind: "choice", values});
const PATTERN = {name: "pattern", words: "Name", kind: "text"};
const CLUSTER = {name: "cluster", words: "Cluster", kind: "cluster"};

// A count of the graph; nothing where it is unknown, and a mark where there is none.
function countOf(count) {
  return count === null || count === undefined ? "" : count || mark("none", "");
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
    filters: [
      PATTERN,
      CLUSTER,
      {name: "owner", words: "Owner", kind: "text"},
      {name: "tag", words: "Tag", kind: "text"},
      ...["schema", "owner", "reader", "writer"].map((what) => check(`without_${what}`, `without ${what}`)),
      choice("sort", "Order by", ["name", "readers", "writers", "findings", "partitions", "seen"]),
      check("deleted", "with deleted ones"),
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
      ["owner", (row) => row.owner],
      ["tags", (row) => row.tags.join(", ")],
      ["schemas", (row) => row.schemas || mark("none", "")],
      ["readers", (row) => countOf(row.readers)],
      ["writers", (row) => countOf(row.writers)],
      ["findings", (row) => (row.findings ? link(`/findings?${query({cluster: row.cluster})}`, String(row.findings)) : "")],
      ["retention", (row) => durationOf(row.retention_ms)],
      ["seen", (row) => make("span", {class: "date", title: moment(row.seen_at)}, moment(row.seen_at).slice(0, 10))],
      ["partitions", (row) => row.partitions],
      ["description", (row) => row.description && make("div", {class: "prose"}, text(row.description))],
    ],
  },
  "/columns": {
    title: "Columns",
    path: "/columns",
    needs: ["pattern", "tag", "name"],
    hint: "Enter a part of a name (*.email) or a tag (PII).",
    filters: [PATTERN, {name: "tag", words: "Tag", kind: "text"}, CLUSTER],
    columns: [
      [
        "column",
        (row) => link(flowPage(row.node || `${row.topic || row.dataset}.${row.name}`), row.name || "(whole value)"),
        (row) => row.name,
      ],
      [
        "in",
        (row) => (row.topic ? link(topicPage(row.cluster, row.topic), row.topic) : text(row.dataset || "")),
        (row) => row.topic || row.dataset,
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
    path: "/search",
    needs: ["q"],
    hint: "Enter a name, or the start of a word of one.",
    facets: true,
    filters: [
      {name: "q", words: "Text", kind: "text"},
      choice("kind", "Kind", ["topic", "node", "subject", "column", "tag", "owner"]),
      CLUSTER,
    ],
    columns: [
      ["name", (row) => link(hitPage(row), nameOf(row)), (row) => nameOf(row)],
      ["kind", (row) => row.kind],
      ["where", (row) => row.where],
      ["origin", (row) => row.origin],
      ["detail", (row) => row.detail],
    ],
  },
  "/changes": {
    title: "Changes",
    path: "/changes",
    filters: [{name: "since", words: "Since (2026-11-15, 7d, last week)", kind: "text"}, CLUSTER],
    columns: [
      ["topic", (row) => (row.topic ? link(topicPage(row.cluster, row.topic), row.topic) : "")],
      ["what", (row) => [row.kind.replace(/_/g, " "), row.side, row.column, row.name].filter(Boolean).join(" ")],
      [
        "change",
        (row) =>
          make(
            "span",
            {class: `mark-${{added: "added", gone: "removed", removed: "removed"}[row.action] || "changed"}`},
            row.action,
          ),
      ],
      ["before", (row) => row.before],
      ["after", (row) => row.after],
      ["new readers read old data", (row) => row.backward],
      ["old readers read new data", (row) => row.forward],
      ["why", (row) => row.why],
      ["cluster", (row) => row.cluster],
    ],
  },
  "/jobs": {
    title: "Jobs and consumer groups",
    path: "/nodes",
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
        (row) => [link(flowPage(row.id), row.name), " ", ...staleMark(row), row.unread ? mark("not read", "") : ""],
        (row) => row.name,
      ],
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
      ["reads from", (row) => row.upstream],
      ["writes to", (row) => row.downstream],
    ],
  },
  "/subjects": {
    title: "Subjects",
    path: "/schemas",
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
    filters: [CLUSTER, choice("severity", "Severity", ["error", "warning"]), {name: "rule", words: "Rule", kind: "rule"}],
    columns: [
      ["severity", (row) => mark(row.severity, row.severity), (row) => row.severity],
      ["where", (row) => findingPlace(row), (row) => row.where],
      ["what", (row) => row.what],
      ["next step", (row) => row.hint],
      ["rule", (row) => row.rule],
      ["cluster", (row) => row.cluster],
    ],
  },
  "/scans": {
    title: "Scans",
    path: "/scans",
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

function versionLink(row, version) {
  if (!row.topics.length) return String(version);
  return link(topicPage(row.cluster, row.topics[0], {subject: row.name, version}), String(version));
}

// Findings are about something by its kind and name; a topic has a page, what runs is among the jobs.
function findingPlace({where, cluster}) {
  const [kind, ...rest] = where.split(" ");
  const name = rest.join(" ");
  if (kind === "topic") return link(topicPage(cluster, name), where);
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

// --- one list

async function listPage(path) {
  const list = LISTS[path];
  const params = Object.fromEntries(new URLSearchParams(location.search));
  if (path === "/sources") for (const scan of (await ask("/scans", {limit: 1000})).items) times.set(scan.id, scan.finished);
  const shown = {rows: [], next: null, sorted: null};
  const place = make("div", {});
  const facets = make("p", {class: "acts"});
  const load = (more) =>
    during(async () => {
      const wanted = Object.fromEntries(
        [...list.filters.map(({name}) => name), ...(list.needs || [])]
          .filter((name) => params[name])
          .map((name) => [name, params[name]]),
      );
      if (list.needs && !list.needs.some((name) => params[name])) {
        place.replaceChildren(make("p", {class: "none"}, list.hint));
        return;
      }
      if (list.facets && !more) drawFacets(facets, await ask("/search/counts", {q: params.q}), params);
      const size = list.unpaged ? {} : {limit: ROWS, cursor: more ? shown.next : ""};
      const answer = await ask(list.path, {...list.fixed, ...wanted, ...size});
      shown.rows = more ? [...shown.rows, ...answer.items] : [...answer.items];
      Object.assign(shown, {next: answer.next_cursor, complete: answer.complete, nearest: answer.did_you_mean || []});
      drawList(list, shown, place, load);
    });
  showPage(list.title, [await filterForm(list, params, () => load(false)), facets, place]);
  await load(false);
}

// How many hits there are of each kind, and where; each is a link to these.
function drawFacets(place, {kinds, clusters, complete}, params) {
  const nodes = new Set(["job", "dataset", "consumer-group", "catalog-table"]);
  const more = complete ? "" : "at least ";
  const ofKind = Object.entries(kinds).map(([kind, count]) =>
    link(`/search?${query({...params, kind: nodes.has(kind) ? "node" : kind})}`, `${kind}: ${more}${count}`),
  );
  const where = Object.entries(clusters).map(([name, count]) => make("span", {class: "note"}, text(`${name}: ${more}${count}`)));
  place.replaceChildren(...ofKind, ...where);
}

function drawList(list, shown, place, load) {
  const names = list.columns.map(([name]) => name);
  const rows = shown.rows.map((row, at) => list.columns.map(([, cell]) => cell(row, at, shown.rows)));
  const table = tableOf(list.title, names, rows, "nothing fits");
  for (const head of table.querySelectorAll("th")) {
    const key = (list.columns.find(([name]) => name === head.textContent) || [])[2];
    if (key) head.replaceChildren(sortButton(head, key, list, shown, place, load));
  }
  const count = `${shown.rows.length}${shown.next ? " of more" : ""} listed${shown.complete ? "" : "; some may be missing"}`;
  const more = make("button", {type: "button", id: "more"}, `Show ${ROWS} more`);
  more.onclick = () => load(true);
  const meant = shown.nearest.map((pattern) => [link(`${location.pathname}?${query({pattern})}`, pattern), " "]);
  place.replaceChildren(
    table,
    meant.length ? make("p", {}, ["Did you mean ", ...meant.flat()]) : "",
    make("p", {class: "none", "aria-live": "polite"}, count),
    shown.next ? more : "",
  );
}

function sortButton(head, key, list, shown, place, load) {
  const name = head.textContent;
  const down = shown.sorted === name;
  const button = make("button", {type: "button", class: "sort", title: shown.next ? "Sort what is listed" : "Sort"}, name);
  button.onclick = () => {
    const order = down ? -1 : 1;
    shown.rows.sort((a, b) => order * String(key(a)).localeCompare(String(key(b)), undefined, {numeric: true}));
    shown.sorted = down ? null : name;
    drawList(list, shown, place, load);
    [...place.querySelectorAll(".sort")].find((each) => each.textContent === name).focus();
  };
  return button;
}

// The filters of a list; a change of one is in the address, and requests the list again.
async function filterForm(list, params, changed) {
  const clusters = list.filters.includes(CLUSTER) ? (await ask("/clusters")).items.map(({name}) => name) : [];
  const rules = list.filters.some(({kind}) => kind === "rule") ? (await ask("/summary")).findings.map(({rule}) => rule) : [];
  const set = (name, value) => {
    params[name] = value;
    history.replaceState(null, "", `${location.pathname}?${query(params)}`);
    changed();
  };
  const fields = list.filters.map(({name, words, kind, values}) => {
    const options = {choice: values, cluster: clusters, rule: rules}[kind];
    if (options && options.length < 2 && !params[name]) return "";
    return make(
      "label",
      {},
      kind === "check"
        ? [checkField(name, params, set), ` ${words}`]
        : [`${words} `, options ? selectField(name, options, list, params, set) : textField(name, params, set)],
    );
  });
  const form = make("form", {class: "filters", role: "search", "aria-label": "Filters"}, fields);
  form.onsubmit = (event) => event.preventDefault();
  return form;
}

function checkField(name, params, set) {
  const field = make("input", {type: "checkbox", checked: params[name] === "true"});
  field.onchange = () => set(name, field.checked ? "true" : "");
  return field;
}

function selectField(name, values, list, params, set) {
  const preset = (list.fixed || {})[name] || (name === "sort" ? values[0] : "");
  const every = preset ? [] : [make("option", {value: ""}, "all")];
  const chosen = params[name] || preset;
  const field = make("select", {}, [
    ...every,
    ...values.map((value) => make("option", {value, selected: value === chosen}, value)),
  ]);
  field.onchange = () => set(name, field.value);
  return field;
}

function textField(name, params, set) {
  const field = make("input", {type: "search", value: params[name] || "", dir: "auto"});
  let timer = 0;
  field.oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(() => set(name, field.value.trim()), 250);
  };
  return field;
}
