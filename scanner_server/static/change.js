// A change before it is made: a column that is removed, or a pasted schema, statement or connector. Who breaks, whom to call.
const CHANGES = {
  node: {words: "Remove a column, topic or table", field: "node", hint: "orders.customer.email"},
  subject: {words: "Register a schema for a subject", field: "subject", hint: "orders-value", pasted: "Avro, JSON Schema or Protobuf"},
  topic: {words: "Register a schema for a topic's value", field: "topic", hint: "orders", pasted: "Avro, JSON Schema or Protobuf"},
  statement: {words: "Change a Flink or ksqlDB statement", field: "statement", hint: "name", pasted: "SQL"},
  connector: {words: "Change a connector", field: "connector", hint: "name", pasted: "its configuration as JSON"},
};
const VERDICTS = {
  fine: ["Nothing breaks", "fine"],
  unused: ["No known user", ""],
  unknown: ["Unknown", ""],
  impact: ["Affects others", "warning"],
  breaks: ["Breaks readers", "error"],
};
const LONGEST_LINK = 6000;
const LARGEST_FILE = 1_000_000;

// The address has the kind and the name; a pasted text of moderate size is behind its #, which no server receives.
function changePage() {
  const params = new URLSearchParams(location.search);
  const kind = Object.keys(CHANGES).find((name) => params.has(name)) || "node";
  const name = make("input", {type: "text", id: "name", value: params.get(kind) || "", dir: "auto", autocomplete: "off"});
  const pasted = make("textarea", {id: "pasted", rows: 12, spellcheck: "false", dir: "auto"});
  pasted.value = new URLSearchParams(location.hash.slice(1)).get("text") || "";
  const select = make(
    "select",
    {id: "kind"},
    Object.entries(CHANGES).map(([value, {words}]) => make("option", {value, selected: value === kind}, words)),
  );
  const label = make("label", {for: "pasted"});
  const file = make("input", {type: "file", id: "file", accept: ".avsc,.proto,.json,.sql"});
  const result = make("div", {id: "result", "aria-live": "polite"});
  const adapt = () => {
    const chosen = CHANGES[select.value];
    name.placeholder = chosen.hint;
    for (const element of [pasted, label]) element.hidden = !chosen.pasted;
    label.textContent = chosen.pasted ? `The proposed text: ${chosen.pasted}` : "";
  };
  select.onchange = adapt;
  adapt();
  const form = make("form", {class: "change"}, [
    make("label", {for: "kind"}, "What changes"),
    select,
    make("label", {for: "name"}, "Name"),
    name,
    label,
    pasted,
    make("label", {for: "file"}, "Or choose a file, or drop it here: .avsc, .proto, .json or .sql"),
    file,
    make("button", {type: "submit"}, "Check"),
  ]);
  let given = "";
  const take = (chosen) =>
    during(async () => {
      for (const old of page.querySelectorAll("[role=alert]")) old.remove();
      const read = await changeInFile(chosen, select.value);
      // A name that was entered for this kind of change stays.
      if (select.value !== read.kind || !name.value.trim() || name.value === given) name.value = given = read.name;
      select.value = read.kind;
      adapt();
      pasted.value = read.text;
      await submit();
    });
  file.onchange = () => file.files.length && take(file.files[0]);
  form.ondragover = (event) => {
    if (![...event.dataTransfer.items].some((item) => item.kind === "file")) return;
    event.preventDefault();
    form.classList.add("dropping");
  };
  form.ondragleave = () => form.classList.remove("dropping");
  form.ondrop = (event) => {
    form.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  const submit = () => {
    const text = CHANGES[select.value].pasted ? pasted.value : "";
    const hash = text && text.length < LONGEST_LINK ? `#${new URLSearchParams({text})}` : "";
    history.replaceState(
      null,
      "",
      `/change?${query({[select.value]: name.value.trim(), cluster: params.get("cluster")})}${hash}`,
    );
    return during(async () => {
      for (const old of page.querySelectorAll("[role=alert]")) old.remove();
      result.replaceChildren(...(await checkParts(select.value, name.value.trim(), text, params.get("cluster"))));
    });
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    submit();
  };
  showPage("Check a change", [tabsOf("/change"), make("p", {class: "none"}, "Nothing is stored or changed."), form, result]);
  return name.value && (!CHANGES[kind].pasted || pasted.value) ? submit() : undefined;
}

// What a file proposes: its kind of change, which is *wanted* if that takes a text of this sort, the name that the file
// gives it, and its text; throws an error that says what is wrong with the file.
async function changeInFile(file, wanted) {
  const [, stem, ending] = file.name.match(/^(.*?)(\.[^.]*)?$/);
  const wrong = (what) => new Error(`${file.name}: ${what}`);
  if (![".avsc", ".proto", ".json", ".sql"].includes(ending)) throw wrong("choose a schema (.avsc, .proto, .json), a statement (.sql) or a connector (.json)");
  if (file.size > LARGEST_FILE) throw wrong(`the file is larger than ${digits(LARGEST_FILE)} bytes`);
  const content = await file.text();
  if (!content.trim()) throw wrong("the file is empty");
  if (ending === ".sql") return {kind: "statement", name: stem, text: content};
  const schema = {kind: wanted === "topic" ? "topic" : "subject", name: wanted === "topic" ? stem.replace(/-value$/, "") : stem, text: content};
  if (ending === ".proto") return schema;
  let json;
  try {
    json = JSON.parse(content);
  } catch (error) {
    throw wrong(`invalid JSON: ${error.message}`);
  }
  const config = json && (json.config || json);
  if (config && config["connector.class"]) return {kind: "connector", name: json.name || stem, text: JSON.stringify(config, null, 2)};
  const members = ["type", "fields", "properties", "$schema", "$ref", "$defs", "definitions", "oneOf", "anyOf", "allOf", "enum"];
  if (ending === ".json" && !(json && members.some((member) => member in Object(json)))) throw wrong("neither a schema nor a connector");
  return schema;
}

async function checkParts(kind, name, pasted, cluster) {
  if (!name) throw new Error("enter the name of what changes");
  const report =
    kind === "node"
      ? await goneReport(name)
      : await ask("/check-change", {}, {[kind]: name, text: pasted, ...(cluster ? {cluster} : {})});
  return reportParts(kind, name, report);
}

// What goes has no check of its own: its impact, in the form of a report.
async function goneReport(node) {
  const impact = await ask("/impact", {node, limit: 1000, way: true});
  const affected = impact.affected.map((each) => ({
    ...each,
    path: each.path ? pathName(each.path) : "",
    evidence: [...new Set((each.way || []).map((edge) => edge.evidence))].slice(-1),
  }));
  const finding = {
    item: node,
    what: `${node} is removed or renamed`,
    why: [],
    affected,
    verdict: affected.length ? "impact" : "unused",
    target: "",
    accepted: "",
  };
  return {
    verdict: finding.verdict,
    findings: [finding],
    sentence: impact.sentence || "",
    notes: impact.notes,
    complete: impact.complete,
    left_out: {affected: impact.left_out},
    root: impact.root,
  };
}

function reportParts(kind, name, report) {
  const [words, grade] = VERDICTS[report.verdict];
  const left = Object.values(report.left_out).reduce((sum, count) => sum + count, 0);
  const markdown = make("textarea", {readonly: true, rows: 10, "aria-label": "The result as Markdown"});
  markdown.value = asMarkdown(kind, name, report);
  return [
    make("h3", {class: `verdict ${grade}`}, [words, report.sentence ? make("div", {class: "sentence"}, text(report.sentence)) : ""]),
    ...report.notes.map((note) => make("p", {class: "warn"}, text(note))),
    report.complete
      ? ""
      : make("p", {class: "warn"}, left ? `${left} more are not listed.` : "This answer is incomplete: there may be more."),
    callSection(report.findings),
    report.root ? section("Lineage", [drawingOf(report.root, name)]) : "",
    ...report.findings.map(findingSection),
    make("details", {}, [make("summary", {}, "As Markdown"), markdown]),
  ].filter(Boolean);
}

function affectedOnce(findings) {
  const all = findings.flatMap((finding) => finding.affected);
  return [...new Map(all.map((each) => [`${each.kind} ${each.namespace} ${each.name} ${each.path}`, each])).values()];
}

const isCalled = (each) => ["job", "consumer-group"].includes(each.kind);

function callSection(findings) {
  const people = affectedOnce(findings).filter(isCalled);
  if (!people.length) return "";
  return section("Whom to call", [
    tableOf(
      `${people.length} jobs and consumer groups`,
      ["name", "kind", "owner", "last seen", "use", "where"],
      people.map((each) => [
        affectedLink(each),
        each.kind,
        each.owner ? ownerLinks(each.owner) : "unknown",
        moment(each.last_seen),
        each.use,
        each.cluster || each.namespace,
      ]),
    ),
  ]);
}

function affectedLink({kind, namespace, name, path}) {
  const node = path ? `${namespace}/${name}.${path}` : kind === "column" ? name : `${namespace}/${name}`;
  return link(flowPage(node), path ? `${name}.${path}` : name);
}

function findingSection(finding) {
  const data = finding.affected.filter((each) => !isCalled(each));
  const [words, grade] = VERDICTS[finding.verdict] || [finding.verdict.replace(/-/g, " "), ""];
  return section(finding.what, [
    make("p", {}, [mark(words.toLowerCase(), grade), " ", text([finding.target, ...finding.why].filter(Boolean).join(" · "))]),
    finding.affected.length
      ? tableOf(
          "Affected data",
          ["name", "kind", "use", "steps", "evidence"],
          data.map((each) => [affectedLink(each), each.kind, each.use, each.steps, each.evidence.join("; ")]),
          "none",
        )
      : make("p", {class: "none"}, "Nothing known is affected."),
  ]);
}

function asMarkdown(kind, name, {verdict, findings, complete}) {
  const code = (words) => `\`${String(words).replace(/`/g, "'")}\``;
  const cell = (words) => String(words).replace(/\|/g, "\\|").replace(/\n/g, " ");
  const row = (each) =>
    `| ${cell(code(each.path ? `${each.name}.${each.path}` : each.name))} | ${each.kind} | ${cell(each.owner || "unknown")} | ${each.use} |`;
  const all = affectedOnce(findings);
  const table = (title, rows) =>
    rows.length ? [`### ${title}`, "", "| name | kind | owner | use |", "| --- | --- | --- | --- |", ...rows.map(row), ""] : [];
  return [
    `## ${VERDICTS[verdict][0]}: ${kind === "node" ? "" : `${kind} `}${code(name)}`,
    "",
    ...findings.map(
      (finding) =>
        `* **${finding.verdict}** ${cell(finding.what)}${finding.why.length ? `: ${cell(finding.why.join("; "))}` : ""}`,
    ),
    "",
    ...(complete ? [] : ["This answer is incomplete: there may be more.", ""]),
    ...table("Whom to call", all.filter(isCalled)),
    ...table(
      "Affected data",
      all.filter((each) => !isCalled(each)),
    ),
    location.href,
  ].join("\n");
}
