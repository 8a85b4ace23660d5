// One topic: its columns as a tree, versions and their differences, who uses it, and whether it may be deleted.
async function topicPageOf() {
  const params = new URLSearchParams(location.search);
  const [cluster, topic] = [params.get("cluster") || "", params.get("topic") || ""];
  if (!cluster || !topic) {
    return showPage("Which topic?", [make("p", {}, ["The address names no cluster or no topic. ", link(`/topics?${query({name: topic})}`, "Topics")])]);
  }
  const path = `/clusters/${encodeURIComponent(cluster)}/topics/${encodeURIComponent(topic)}`;
  const [subject, version] = [params.get("subject"), params.get("version")];
  const [about, chosen] = await Promise.all([ask(path), subject ? ask(`${path}/schemas`, {subject, version}) : null]);
  const flows = about.node ? await topicFlows(about.node) : {columns: new Map(), users: new Map(), derived: []};
  const [fields, clients] = await Promise.all([fieldUses(cluster, topic), topicClients(cluster, topic)]);
  const schemas = chosen ? chosen.items : about.schemas;
  const acts = [
    link(flowPage(about.node), "Lineage"),
    about.node ? link(flowPage(about.node, {list: "impact"}), "Impact") : "",
    link(`/change?${query({topic, cluster})}`, "Check a change"),
    link(`${API}/history.atom?${query({node: about.node || topic})}`, "Feed of changes", {type: "application/atom+xml"}),
    link(`${API}${path}`, "JSON"),
  ];
  const current = [...schemas].sort((a, b) => (a.role === "key") - (b.role === "key") || rankOf(b) - rankOf(a));
  const stale = about.node ? (await readStale()).get(about.node) : null;
  showPage(
    topic,
    [
      headerPart(about),
      stale
        ? make("p", {class: "warn"}, ["The data is stale: ", link(flowPage(stale.cause), causeOf(stale)) || causeOf(stale)])
        : "",
      chosen
        ? make("p", {class: "warn"}, [
            `This is version ${version} of ${subject}. `,
            link(topicPage(cluster, topic), "Show the current version"),
          ])
        : "",
      tabbed(params.get("tab"), [
        [
          "columns",
          `Columns (${schemas.length ? schemas.reduce((sum, schema) => sum + schema.columns.length, 0) : flows.derived.length})`,
          () => [
            ...current.map((schema) => schemaSection(schema, flows.columns, fields)),
            schemas.length ? "" : derivedSection(flows.derived, about.found_tags || {}),
          ],
        ],
        ["users", `Readers and writers (${about.user_count})`, () => [usersSection(about, flows.users, clients, params.get("use")), fieldsSection(fields), schemaIdSection(about.schema_ids)]],
        ["lineage", "Lineage", () => [lineageSection(about)]],
        [
          "versions",
          "Versions",
          () => [
            section("Versions", [later(() => versionParts({cluster, topic, path}))]),
          ],
          async () => (await subjectsOf(cluster, topic)).reduce((sum, {versions}) => sum + versions.length, 0),
        ],
        [
          "changes",
          "Changes",
          () => [section("Changes by scan", [later(async () => historyParts((await historyOf(topic)).items, cluster))])],
          async () => ((await isScannedOnce(cluster)) ? "?" : changesOf((await historyOf(topic)).items).length),
        ],
        ["findings", about.topic.findings ? `Findings (${about.topic.findings})` : "Findings", () => [section("Findings", [later(() => topicFindings(cluster, topic))])]],
        ...(location.protocol === "file:"
          ? []
          : [["delete", "Delete", () => [section("May I delete it?", [later(() => deletionParts(cluster, topic))])]]]),
      ]),
    ],
    acts,
  );
}

// The current schema of the value comes first: the one that the subject of the topic's name has, then the largest.
function rankOf(schema) {
  return (schema.strategy === "topic" ? 1_000_000 : 0) + schema.columns.length;
}

// Tabs with one shown; its parts are made when it is chosen, and the address contains it. What counts them is asked for
// when the page is shown: a tab with nothing behind it says so.
function tabbed(wanted, tabs) {
  const panel = make("div", {role: "tabpanel", id: "tab", tabindex: "0"});
  const list = make("div", {class: "tabs", role: "tablist", "aria-label": "About the topic"});
  const show = (name) => {
    const [shown, label, parts] = tabs.find(([each]) => each === name) || tabs[0];
    panel.replaceChildren(...parts().filter(Boolean));
    panel.setAttribute("aria-label", label);
    for (const button of list.children) {
      const chosen = button.dataset.tab === shown;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
  };
  tabs.forEach(([name, label, , count]) => {
    const button = make("button", {type: "button", role: "tab", "aria-controls": "tab", "data-tab": name}, label);
    if (count && location.protocol !== "file:")
      count().then(
        (number) => button.append(` (${number})`),
        () => {},
      );
    button.onclick = () => {
      const params = new URLSearchParams(location.search);
      params.set("tab", name);
      params.delete("use");
      history.replaceState(null, "", `?${params}`);
      show(name);
    };
    list.append(button);
  });
  list.onkeydown = (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    const next = step && list.children[[...list.children].indexOf(document.activeElement) + step];
    if (!next) return;
    next.click();
    next.focus();
  };
  show(wanted);
  return make("div", {}, [list, panel]);
}

// What is next to the topic, each way, and the drawing of all that is upstream and downstream.
function lineageSection(about) {
  const names = (use) =>
    about.users
      .filter((user) => user.use === use)
      .map((user) => make("li", {}, [link(flowPage(user.id), user.name), " ", make("span", {class: "note"}, user.kind)]));
  const side = (title, use) => section(title, [make("ul", {class: "names"}, names(use).length ? names(use) : make("li", {class: "none"}, "none known"))]);
  return make("div", {}, [
    make("div", {class: "sides"}, [side("Written by", "writes"), side("Read by", "reads")]),
    about.node ? drawingOf(about.node, about.topic.name) : "",
  ]);
}

// The drawing of all that is upstream and downstream of a node, and a link that opens it.
function drawingOf(node, name) {
  const open = link(flowPage(node, {focus: 1}), "Open the drawing");
  return make("div", {}, [make("iframe", {class: "drawing", src: open.href, title: `Lineage of ${name}`}), open]);
}

// What the graph knows: how many flows each column has by its path, the users' own attributes, columns without a schema.
async function topicFlows(node) {
  const [contents, near] = await Promise.all([
    ask("/lineage", {node, upstream: 0, downstream: 0, contents: true}),
    ask("/lineage", {node, hops: 1, columns: true, limit: 4000}),
  ]);
  const own = node.replace("topic:", "column:");
  const columns = new Map();
  const known = new Map(near.nodes.map((each) => [each.id, each]));
  const targetsOf = ({id}) => [
    ...new Set(near.edges.filter((edge) => edge.kind === "column-flow" && edge.source === id).map((edge) => shownPlace(known.get(edge.target)))),
  ];
  for (const each of contents.nodes)
    if (each.path && each.id.startsWith(`${own}#`)) columns.set(JSON.stringify(each.path), {column: each, targets: targetsOf(each).filter(Boolean)});
  const evidence = (column) =>
    near.edges.filter((edge) => edge.kind === "column-flow" && [edge.source, edge.target].includes(column.id));
  const derived = [...columns.values()].map((flow) => ({flow, column: flow.column, edges: evidence(flow.column)}));
  return {columns, derived, users: known};
}

// A topic is known by its name; a dataset outside Kafka may be called like one, so it has its address.
function shownPlace(node) {
  if (!node) return "";
  return node.namespace.startsWith("kafka://") ? node.name : datasetAddress(`${node.namespace}/${node.name}`);
}

// Whose the topic is, what it has, who uses it; below it what is written about it, and where it is known from.
function headerPart({topic, sentence, node}) {
  const said = sentence
    .split(" · ")
    .flatMap((part, at) => [at ? " · " : "", part === `owner ${topic.owner}` ? ["owner ", ...ownerLinks(topic.owner)] : text(part)]);
  const changed = make("span", {});
  const shown = node && location.protocol !== "file:" ? ask("/node", {node}) : Promise.resolve({changed: ""});
  shown.then(
    (summary) => summary.changed && changed.append(" · changed ", moment(summary.changed).slice(0, 10)),
    () => {},
  );
  return make("div", {}, [
    make("p", {class: "sentence"}, [...said.flat(), changed]),
    topic.description ? make("p", {class: "prose"}, text(topic.description)) : "",
    make("p", {class: "none"}, [
      topic.tags.length ? make("span", {}, ["Tags: ", ...tagParts(topic.tags), " "]) : "",
      "Known from ",
      text(topic.source),
      " ",
      ...staleMark(topic),
    ]),
  ]);
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

// The topics and tables that a column flows into, by name; of many the first two.
function flowNames(flow) {
  if (!flow) return "";
  const {column, targets} = flow;
  const names = targets.length ? targets : column.downstream ? [`${column.downstream} columns`] : [];
  if (!names.length) return "";
  const more = names.length > 2 ? ` +${names.length - 2}` : "";
  return link(flowPage(column.id, {focus: 1}), `${names.slice(0, 2).join(", ")}${more}`, {title: names.join("\n")});
}

function columnLink(flow, words) {
  return flow ? link(flowPage(flow.column.id, {focus: 1}), words) || text(words) : text(words);
}

// The fields that programs use, by their source code or as declared; none where no program's fields are known.
async function fieldUses(cluster, topic) {
  const {items} = await ask("/clients", {cluster, topic, columns: true, limit: 1000}).catch(() => ({items: []}));
  return items.some((row) => row.places.length && row.column !== UNRESOLVED) ? items.filter((row) => row.certainty !== "permitted") : [];
}

const UNRESOLVED = "all fields, not resolved";
const WHOLE = ["all fields", UNRESOLVED];

// A field as uses of it are compared: without marks of arrays and unions, letter case, `_` and `-`.
function plainField(name) {
  return `${name.toLowerCase().replace(/(\[\]|\{\}|<[^>]*>)\.?/g, "").replace(/[_-]/g, "").replace(/\.$/, "")}.`;
}

// How many programs read or write a column; opens who, and at which line. Those whose fields are unknown are counted apart.
function fieldUsers(fields, use, name) {
  const [wanted, users] = [plainField(name), new Map()];
  for (const row of fields) {
    const own = plainField(row.column);
    const fits = WHOLE.includes(row.column) || own.startsWith(wanted) || wanted.startsWith(own);
    const known = users.get(row.application);
    if (row.use === use && fits && (!known || WHOLE.includes(known.column))) users.set(row.application, row);
  }
  const unknown = [...users.values()].filter((row) => row.column === UNRESOLVED).length;
  const count = users.size - unknown;
  if (!users.size) return "0";
  const lines = [...users.values()].map((row) =>
    make("div", {class: "evidence"}, text([row.application, WHOLE.includes(row.column) ? row.column : "", ...row.places].filter(Boolean).join(" · "))),
  );
  return make("details", {}, [make("summary", {}, unknown ? `${count} + ${unknown} unknown` : String(count)), ...lines]);
}

// The applications at the topic, by use and name: their owners, names in Kafka, and when they were seen.
async function topicClients(cluster, topic) {
  const {items} = await ask("/clients", {cluster, topic, limit: 1000}).catch(() => ({items: []}));
  return new Map(items.map((row) => [`${row.use} ${row.application}`, row]).reverse());
}

async function topicFindings(cluster, topic) {
  const {items} = await ask("/findings", {cluster, where: `topic ${topic}`, limit: 200});
  return [findingGroups(items)];
}

// Every field that a program uses, with the lines.
function fieldsSection(fields) {
  const rows = fields.map((row) => [row.use, row.application, row.column, row.places.join(", ") || row.evidence]);
  return rows.length ? section("Fields that programs use", [tableOf(counted(rows.length, "use"), ["use", "program", "field", "lines"], rows)]) : "";
}

function schemaSection(schema, flows, fields) {
  const isRead = fields.length && schema.role === "value";
  const from = schema.subject ? `${schema.subject}, version ${schema.version}, id ${schema.schema_id}` : schema.strategy;
  const side = schema.role === "key" ? ["@key"] : [];
  const typed = schema.columns.map((column) => ({
    column,
    type: make("span", {}, (column.logical_type || column.type) + (column.nullable ? " ?" : "")),
  }));
  const rows = typed.map(({column, type}) => ({
    column,
    cells: [
      make(
        "span",
        {class: "leaf", style: `--depth:${Math.max(0, column.path.length - 1)}`, title: column.name},
        columnLink(flows.get(JSON.stringify([...side, ...column.path])), pathName(column.path.slice(-1)) || "(whole value)"),
      ),
      type,
      column.has_default ? JSON.stringify(column.default) : "",
      tagParts([...column.tags, ...(column.inherited_tags || [])]),
      foundTagParts((schema.found_tags || {})[column.name]),
      column.doc || "",
      flowNames(flows.get(JSON.stringify([...side, ...column.path]))),
      isRead ? fieldUsers(fields, "reads", column.name) : "",
      isRead ? fieldUsers(fields, "writes", column.name) : "",
    ],
  }));
  const names = ["column", "type", "default", "tags", "tags by lineage", "documentation", "flows into", "read by", "written by"];
  // What is the same of all columns is said once.
  const targets = new Set(typed.map(({column}) => (flows.get(JSON.stringify([...side, ...column.path]))?.targets || []).join(", ")));
  const [everywhere] = targets;
  const once = typed.length > 2 && targets.size === 1 && everywhere;
  if (once) for (const {cells} of rows) cells[6] = "";
  const place = make("div", {});
  const filter = make("input", {
    type: "search",
    placeholder: "Filter columns",
    "aria-label": `Filter columns of ${schema.name || schema.format}`,
  });
  filter.oninput = () => {
    const words = filter.value.trim().toLowerCase();
    const fits = ({column}) =>
      !words || [column.name, column.doc || "", ...column.tags].some((each) => each.toLowerCase().includes(words));
    place.replaceChildren(
      tableOf(
        counted(schema.columns.length, "column"),
        names,
        rows.filter(fits).map(({cells}) => cells),
        "nothing fits",
      ),
    );
  };
  filter.oninput();
  const enums = schema.format === "JSON" || schema.columns.some(({type}) => ["enum", "union"].includes(type));
  if (schema.subject && enums) during(() => showSymbols(schema, typed));
  return section(`${schema.role}: ${schema.name || schema.format}`, [
    make("p", {}, [text(`${schema.format} · ${from}`), " ", make("span", {class: "note", title: schema.evidence}, schema.confidence), " ", ...staleMark(schema)]),
    schema.in_use ? make("p", {}, text(`versions in use: ${schema.in_use.join(", ") || "none in the newest records"}`)) : "",
    once ? make("p", {class: "none"}, text(`All columns flow into ${everywhere}.`)) : "",
    schema.columns.length > 8 ? filter : "",
    place,
    make("details", {}, [make("summary", {}, "Schema text"), make("pre", {tabindex: "0"}, schema.text)]),
  ]);
}

// Shows what the enums of a schema may be, once they are read: they may be those of its references.
async function showSymbols({cluster, context, subject, version, registry, name: record}, rows) {
  const named = context === "." ? subject : `:${context}:${subject}`;
  const {items} = await ask("/schemas/symbols", {subject: named, version, record, cluster, registry});
  const symbols = new Map(items.map((each) => [JSON.stringify(each.path), each.symbols]));
  for (const {column, type} of rows) {
    const found = symbols.get(JSON.stringify(column.path));
    if (found) type.append(make("div", {class: "evidence"}, text(found.join(" | "))));
  }
}

// Columns that no schema describes: the flows that say so.
function derivedSection(derived, found) {
  if (!derived.length)
    return section("Columns", [make("p", {class: "none"}, "No schema describes this topic, and no flow names a column of it.")]);
  const rows = derived.map(({flow, column, edges}) => [
    columnLink(flow, nameOf({...column, name: ""})),
    column.attributes.type || "",
    foundTagParts(found[pathName(column.path)]),
    flowNames(flow),
    edges.length ? `${edges[0].evidence} (${edges[0].certainty})` : "",
  ]);
  return section("Columns, derived", [
    make("p", {class: "none"}, "No schema describes this topic; these are the columns that flows name."),
    tableOf(counted(derived.length, "column"), ["column", "type", "tags by lineage", "flows into", "evidence"], rows),
  ]);
}

// Those that use the topic, or only those that read or write it; behind them those whom only monitoring or rules know.
function usersSection(about, known, clients, use) {
  const users = about.users.filter((user) => !use || user.use === use);
  const all = topicPage(about.topic.cluster, about.topic.name, {tab: "users"});
  const names = (client) => [...new Set(client.identities.map((each) => `${each.kind} ${each.name}`))].join(", ");
  const listed = new Set(users.map((user) => `${user.use} ${user.name}`));
  const others = [...clients].filter(([key, client]) => !listed.has(key) && (!use || client.use === use)).reverse();
  const rows = users.map((user) => {
    const {attributes = {}, cluster = ""} = known.get(user.id) || {};
    const client = clients.get(`${user.use} ${user.name}`) || {identities: []};
    const state = attributes.failed
      ? mark(`${attributes.state}, ${attributes.failed}`, "error", attributes.error || "")
      : attributes.state || "";
    return [
      user.use === "reads" ? "reads" : "writes",
      user.kind,
      link(flowPage(user.id), user.name, {class: "whole"}),
      ownerLinks(client.owner || attributes.owner),
      moment(client.last_seen),
      client.identities.length ? names(client) : "",
      state,
      user.lag === null ? "" : `${user.lag} records`,
      cluster || user.namespace,
      make("span", {title: CERTAINTY[user.certainty] || ""}, user.certainty),
      user.evidence,
    ];
  });
  const apart = others.map(([, client]) => [
    client.use,
    client.kind,
    client.application,
    ownerLinks(client.owner),
    moment(client.last_seen),
    names(client),
    "",
    "",
    client.cluster,
    make("span", {title: CERTAINTY[client.certainty] || ""}, client.certainty),
    client.evidence,
  ]);
  const title = {reads: "Read by", writes: "Written by"}[use] || "Used by";
  return section(`${title} ${use ? users.length : about.user_count}`, [
    use && users.length < about.users.length ? make("p", {}, link(all, "Show readers and writers")) : "",
    tableOf("Jobs, consumer groups and clients", USER_CELLS, [...rows, ...apart]),
    about.complete
      ? ""
      : make("p", {class: "none"}, "Users may be missing: there are more, or the graph is not of the newest scan."),
  ]);
}

const USER_CELLS = ["use", "kind", "name", "owner", "last seen", "client", "state", "lag", "where", "certainty", "evidence"];

const ID_ANSWERS = {
  none: "no schema id",
  null: "no key or value",
  empty: "the topic has no record",
  refused: "refused",
  unread: "not read completely",
};

// What the newest records show about schemas; nothing where no scan looked at them.
function schemaIdSection(ids) {
  if (!ids) return "";
  const rows = ids.map((each) => [
    each.role,
    [ID_ANSWERS[each.answer] || `${each.answer} ${each.identifier}`, each.detail].filter(Boolean).join(": "),
    each.versions.map((version) => `${version.subject} ${version.version}`).join(", ") ||
      (each.identifier ? "of no registry that was read" : ""),
    each.role ? String(each.records) : "",
    each.role ? `partition ${each.partition}, offset ${each.offset}` : "",
    each.time ? moment(each.time) : "",
    staleMark(each),
  ]);
  const names = ["side", "the newest records show", "subject and version", "records", "newest at", "time", ""];
  return section("Schema ids in records", [tableOf(counted(rows.length, "answer"), names, rows)]);
}

// --- versions

// The history of a topic; none where no graph knows it.
// Whether nothing can have changed because the cluster was scanned once; the pages of files know no scans.
async function isScannedOnce(cluster) {
  return location.protocol !== "file:" && (await ask("/scans", {cluster, limit: 2})).items.length < 2;
}

function historyOf(topic) {
  return ask("/history", {node: topic, limit: 1000}).catch(() => ({items: []}));
}

async function subjectsOf(cluster, topic) {
  return (await ask("/schemas", {cluster, topic, limit: 200})).items;
}

async function versionParts({cluster, topic, path}) {
  const [subjects, {items: history}] = await Promise.all([subjectsOf(cluster, topic), historyOf(topic)]);
  const seen = (subject, version) => {
    const line = history.find(
      (each) => each.kind === "topic_schema" && each.action === "added" && each.name.endsWith(` ${subject} ${version}`),
    );
    return line ? ` (${moment(line.finished).slice(0, 10)})` : "";
  };
  const rows = subjects.map((each) => [
    each.name,
    each.format,
    each.versions.flatMap((version) => [
      link(topicPage(cluster, topic, {subject: each.name, version}), String(version)),
      seen(each.name, version),
      " ",
    ]),
  ]);
  const comparable = subjects.filter((each) => each.versions.length > 1);
  return [
    tableOf("Subjects", ["subject", "format", "versions, first seen"], rows),
    ...comparable.map((each) => compareForm(path, cluster, each)),
  ];
}

function compareForm(path, cluster, {name, context, registry, versions}) {
  const subject = context === "." ? name : `:${context}:${name}`;
  const [from, to] = [versions[versions.length - 2], versions[versions.length - 1]].map((chosen) =>
    make(
      "select",
      {},
      versions.map((version) => make("option", {value: version, selected: version === chosen}, String(version))),
    ),
  );
  const button = make("button", {type: "submit"}, "Compare");
  const place = make("div", {});
  const form = make("form", {class: "filters"}, [
    text(`${name}:`),
    make("label", {}, ["version ", from]),
    make("label", {}, ["with ", to]),
    button,
  ]);
  const compare = () =>
    during(async () => {
      const [judged, before, after] = await Promise.all([
        ask("/schemas/diff", {subject, from: from.value, to: to.value, cluster, registry}),
        ...[from, to].map((field) => ask(`${path}/schemas`, {subject, version: field.value})),
      ]);
      place.replaceChildren(...verdictParts(judged), ...differenceTables(before.items[0], after.items[0], judged));
    });
  form.onsubmit = (event) => {
    event.preventDefault();
    compare();
  };
  compare();
  return make("div", {}, [form, place]);
}

// What the registry answers for the second version after the first, and each reason.
function verdictParts({first, second, level, assumed, verdict, backward, forward, differences, notes}) {
  const shown = (word) => mark(word, {breaks: "error", unknown: "stale", compatible: "fine"}[word]);
  const directions = {
    backward: `readers of ${second}, data of ${first}`,
    forward: `readers of ${first}, data of ${second}`,
    symbols: "symbols of an enum",
  };
  const rows = differences.map((each) => [
    each.column || "(whole schema)",
    each.certain ? each.rule : mark(each.rule, "stale"),
    directions[each.direction],
    each.why,
  ]);
  return [
    factList([
      [`at the level ${level}${assumed ? ", assumed: none is stored" : ""}`, shown(verdict)],
      [`backward (${directions.backward})`, shown(backward)],
      [`forward (${directions.forward})`, shown(forward)],
    ]),
    ...notes.map((note) => make("p", {class: "none"}, text(note))),
    rows.length ? tableOf("What the rules of the registry find", ["column", "rule", "which readers", "why"], rows) : "",
  ].filter(Boolean);
}

// Two versions side by side by their columns: those that differ, with the rules that they break; the others folded.
function differenceTables(before, after, {first, second, differences}) {
  const described = (schema) =>
    new Map(
      schema.columns.map((column) => [
        column.name,
        `${column.logical_type || column.type}${column.nullable ? " ?" : ""}${column.has_default ? ` = ${JSON.stringify(column.default)}` : ""}`,
      ]),
    );
  const [old, now] = [described(before), described(after)];
  const names = [...new Set([...old.keys(), ...now.keys(), ...differences.map((each) => each.column).filter(Boolean)])];
  const rows = names.map((name) => {
    const rules = [...new Set(differences.filter((each) => each.column === name && name).map((each) => each.rule))];
    const kept = old.has(name) && now.has(name) ? "changed" : old.has(name) ? "removed" : now.has(name) ? "added" : "changed";
    const change = kept !== "changed" || old.get(name) !== now.get(name) || rules.length ? kept : "";
    return [
      name || "(whole value)",
      old.get(name) || "–",
      now.get(name) || "–",
      change ? [make("span", {class: `mark-${change}`}, change), ...rules.flatMap((rule) => [" ", mark(rule, "error")])] : "",
    ];
  });
  const [differing, equal] = [rows.filter((row) => row[3]), rows.filter((row) => !row[3])];
  const heads = ["column", `version ${first}`, `version ${second}`, "change"];
  const folded = make("details", {}, [make("summary", {}, `${counted(equal.length, "column")} equal`), tableOf("", heads, equal, "none", "Equal columns")]);
  return [tableOf(`${differing.length} of ${names.length} columns differ`, heads, differing, "none"), equal.length ? folded : ""];
}

// --- what is requested when it is opened

async function deletionParts(cluster, topic) {
  const answer = await ask("/may-delete", {cluster, topic});
  return answer.items.flatMap((item) => [
    make("p", {}, [
      mark(item.answer, {no: "error", yes: "fine"}[item.answer] || ""),
      ` ${item.what}`,
      item.unused_since ? `, unused since ${moment(item.unused_since)}` : "",
    ]),
    tableOf(
      "What refers to it",
      ["kind", "name", "what", "owner", "may be deleted", "evidence"],
      item.uses.map((use) => [use.kind, use.name, use.what, ownerLinks(use.owner || ""), use.answer, use.evidence]),
      "nothing is known",
    ),
  ]);
}

// What the first scan found of a topic did not change.
function changesOf(lines) {
  const first = Math.min(...lines.map(({scan}) => scan));
  return lines.filter(({scan}) => scan > first);
}

async function historyParts(lines, cluster) {
  const rows = changesOf(lines)
    .reverse()
    .map((line) => [moment(line.finished), line.kind.replace(/[_-]/g, " "), line.name.replace(/\S+:https?:\S+ /, ""), line.action, line.member]);
  const first = lines.length ? moment(lines[0].finished) : "";
  if (!rows.length && (await isScannedOnce(cluster)))
    return [make("p", {class: "none"}, `Only one scan so far, ${first}: scan again to see changes.`)];
  return [
    tableOf("Changes, the newest first", ["scan of", "kind", "name", "action", "member"], rows, "none"),
    first ? make("p", {class: "none"}, text(`First scanned ${first}.`)) : "",
  ];
}
