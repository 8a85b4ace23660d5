// The lists: topics, columns, jobs, subjects, sources, findings, scans. The address has the filters; pages follow on demand.
const ROWS = 200;
const check = (name, words) => ({name, words, kind: "check"});
const choice = (name, words, values) => ({name, words, kind: "choice", values});
const PATTERN = {name: "pattern", words: "Name", kind: "text"};
const CLUSTER = {name: "cluster", words: "Cluster", kind: "cluster"};

// A count; a plain dash for zero, and nothing if it is unknown.
function countOf(count, href = "") {
  if (count === null || count === undefined) return "";
  return count ? (href && link(href, String(count))) || count : make("span", {class: "note", title: "none"}, "–");
}

function ruleName(rule) {
  return rule.replace(/-/g, " ");
}

const CHANGED = {added: "added", gone: "removed", removed: "removed", returned: "added"};

const readers = new Map();

// Reads how many readers topics have, for the lines of changes.
async function readReaders() {
  const {items} = await ask("/topics", {limit: 1000, sort: "readers"}).catch(() => ({items: []}));
  for (const row of items) readers.set(`${row.cluster} ${row.name}`, row.readers);
}

// One change in a line: what, how, whether it breaks readers.
function changeLine(row) {
  const inner = row.column || (row.topic && row.name !== row.topic ? row.name : "");
  const name = [row.topic || row.name, row.column].filter(Boolean).join(".");
  const href = row.topic ? topicPage(row.cluster, row.topic) : row.name ? `/search?${query({q: row.name})}` : "";
  const verdicts = [
    ["backward", "new readers"],
    ["forward", "old readers"],
  ].filter(([member]) => row[member] === "breaks");
  const count = readers.get(`${row.cluster} ${row.topic}`);
  const also = row.column ? "" : [row.kind.replace(/_/g, " "), inner].filter(Boolean).join(" ");
  return [
    href ? link(href, name || row.kind) : text(name || row.kind),
    " ",
    also && also !== "topic" ? make("span", {class: "note"}, `${also} `) : "",
    make("span", {class: `mark-${CHANGED[row.action] || "changed"}`}, row.action),
    ...verdicts.flatMap(([, words]) => [" · ", mark(`breaks ${words}`, "error", row.why || "")]),
    count ? " · " : "",
    count ? link(topicPage(row.cluster, row.topic, {tab: "users"}), count === 1 ? "1 reader" : `${count} readers`) : "",
  ];
}

// A value that says something to a person: no hashes.
function readable(value) {
  return value === null || value === undefined || /^[0-9a-f]{16,}$/i.test(String(value)) ? "" : value;
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
      ["owner", (row) => row.owner],
      ["tags", (row) => row.tags.join(", ")],
      ["schemas", (row) => (row.internal ? "" : countOf(row.schemas, topicPage(row.cluster, row.name))), (row) => row.schemas],
      ["readers", (row) => countOf(row.readers, topicPage(row.cluster, row.name, {tab: "users"})), (row) => row.readers],
      ["writers", (row) => countOf(row.writers, topicPage(row.cluster, row.name, {tab: "users"})), (row) => row.writers],
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
      ["change", (row) => make("span", {}, changeLine(row)), (row) => [row.topic, row.column, row.name].join(" ")],
      ["schema", (row) => row.side],
      ["why", (row) => row.why],
      ["before", (row) => readable(row.before)],
      ["after", (row) => readable(row.after)],
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
      ["reads from", (row) => countOf(row.upstream, flowPage(row.id)), (row) => row.upstream],
      ["writes to", (row) => countOf(row.downstream, flowPage(row.id)), (row) => row.downstream],
    ],
  },
  "/subjects": {
    title: "Schemas",
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
    filters: [CLUSTER, choice("severity", "Severity", ["error", "warning"]), {name: "rule", words: "Rule", kind: "rule"}, {name: "where", words: "At", kind: "text"}],
    grouped: true,
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
  if (path === "/changes") await readReaders();
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
      const {internal, ...asked} = {...list.fixed, ...wanted, ...size};
      if (internal) delete asked.without_internal;
      const answer = await ask(list.path, asked);
      shown.rows = more ? [...shown.rows, ...answer.items] : [...answer.items];
      Object.assign(shown, {next: answer.next_cursor, complete: answer.complete, nearest: answer.did_you_mean || []});
      drawList(list, shown, place, load);
    });
  showPage(list.title, [tabsOf(path), await filterForm(list, params, () => load(false)), facets, place]);
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
  const keys = list.columns.map(([, cell, key]) => key || ((row) => plainText(cell(row, 0, [row]))));
  const cells = shown.rows.map((row, at) => list.columns.map(([, cell]) => cell(row, at, shown.rows)));
  const same = sameColumns(list, shown.rows, keys);
  const kept = list.columns.map((_, at) => at).filter((at) => !same.has(at));
  const names = kept.map((at) => list.columns[at][0]);
  const said = [...same].map(([at, value]) => `${list.columns[at][0]}: ${value}`);
  const caption = [`${shown.rows.length}${shown.next ? " of more" : ""}`, ...said].join(" · ");
  const table = list.grouped
    ? findingGroups(shown.rows)
    : tableOf(caption, names, cells.map((row) => kept.map((at) => row[at])), list.none || "no match");
  for (const head of table.querySelectorAll("th")) {
    const at = list.columns.findIndex(([name]) => name === head.textContent);
    if (at >= 0) head.replaceChildren(sortButton(head, keys[at], list, shown, place, load));
  }
  const count = shown.complete ? "" : "Some rows may be missing: the lineage is older than the newest scan.";
  const more = make("button", {type: "button", id: "more"}, `Show ${ROWS} more`);
  more.onclick = () => load(true);
  const meant = shown.nearest.map((pattern) => [link(`${location.pathname}?${query({pattern})}`, pattern), " "]);
  place.replaceChildren(
    table,
    meant.length ? make("p", {}, ["Did you mean ", ...meant.flat()]) : "",
    make("p", {class: "none", "aria-live": "polite"}, count),
    shown.next ? more : "",
  );
  if (shown.rows.length) markStale(list, shown.rows, table);
}

function plainText(cell) {
  if (cell === null || cell === undefined) return "";
  return Array.isArray(cell) ? cell.map(plainText).join("") : cell.textContent ?? String(cell);
}

// The columns, but the first, whose value is the same in every one of several rows: they are said once, in the caption.
function sameColumns(list, rows, keys) {
  const same = new Map();
  if (rows.length < 3) return same;
  list.columns.slice(1).forEach(([, cell], before) => {
    const values = new Set(rows.map((row) => plainText(cell(row, 0, [row]))));
    const [value] = values;
    if (values.size === 1 && value && value.length < 60) same.set(before + 1, value);
  });
  return same;
}

// Findings by rule: the next step is said once.
function findingGroups(rows) {
  const rules = [...new Set(rows.map((row) => row.rule))];
  if (!rules.length) return make("p", {class: "none"}, "Findings: no match.");
  const clusters = new Set(rows.map((row) => row.cluster)).size;
  return make(
    "div",
    {},
    rules.map((rule) => {
      const own = rows.filter((row) => row.rule === rule);
      const steps = [...new Set(own.map((row) => row.hint))];
      const names = ["where", "what", ...(steps.length > 1 ? ["next step"] : []), ...(clusters > 1 ? ["cluster"] : [])];
      const what = new Set(own.map((row) => row.what)).size;
      const said = own.length > 1 && what === 1;
      const cells = own.map((row) => {
        const members = {where: findingPlace(row), what: said ? "" : row.what, "next step": row.hint, cluster: row.cluster};
        return names.map((name) => members[name]);
      });
      return make("section", {class: "rule"}, [
        make("h3", {}, [mark(own[0].severity, own[0].severity), " ", `${ruleName(rule)} (${own.length})`]),
        said ? make("p", {}, text(own[0].what)) : "",
        steps.length === 1 && steps[0] ? make("p", {class: "none"}, ["Next step: ", text(steps[0])]) : "",
        said && clusters === 1
          ? make(
              "ul",
              {class: "names columns"},
              own.map((row) => make("li", {}, findingPlace(row))),
            )
          : tableOf("", names, cells, "", ruleName(rule)),
      ]);
    }),
  );
}

// Marks the rows whose data is stale because of something upstream; their causes are read once.
async function markStale(list, rows, table) {
  const stale = await readStale();
  if (!stale.size) return;
  const byPlace = new Map([...stale.values()].map((row) => [`${row.cluster} ${row.name}`, row]));
  [...table.querySelectorAll("tbody tr")].forEach((line, at) => {
    const row = rows[at];
    const found = stale.get(row.id || row.node) || (list.path === "/topics" && byPlace.get(`${row.cluster} ${row.name}`));
    if (found && !line.cells[0].querySelector(".doubt")) line.cells[0].append(" ", mark("stale", "", `because ${causeOf(found)}`));
  });
}

function sortButton(head, key, list, shown, place, load) {
  const name = head.textContent;
  const down = shown.sorted === name;
  const button = make("button", {type: "button", class: "sort", title: shown.next ? "Sort the rows shown" : "Sort"}, name);
  button.onclick = () => {
    const order = down ? -1 : 1;
    const written = (row) => String(key(row) ?? "");
    shown.rows.sort((a, b) => order * written(a).localeCompare(written(b), undefined, {numeric: true}));
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
  const internal = list.fixed && list.fixed.without_internal ? (await ask("/summary")).counts.internal_topics : 0;
  const fields = list.filters.map(({name, words, kind, values}) => {
    if (kind === "internal")
      return internal ? make("label", {}, [checkField(name, params, set), ` ${words} (${internal})`]) : "";
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
