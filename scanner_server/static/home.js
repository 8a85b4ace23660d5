// The home: what is wrong, what there is, and what changed.
async function homePage() {
  // Links to the drawing were links to this page.
  if (location.hash.length > 1) {
    location.replace(`/flow${location.hash}`);
    return;
  }
  const [{now, summary}, errors, scans, freshness] = await Promise.all([
    readHealth(),
    ask("/findings", {severity: "error", limit: 10}),
    ask("/scans", {limit: 20}),
    ask("/freshness"),
  ]);
  if (!now.scan) {
    showPage("No scan yet", [
      make("p", {}, "`scanner extract --config cluster.json` scans; `scanner dataflow` generates the data flow."),
    ]);
    return;
  }
  showPage("Home", [
    section("What is wrong", wrongParts(summary.findings, errors, now.stale), {class: "wrong"}),
    section("What the data flow was read from", [coveragePart(summary.coverage)]),
    section("Clusters and systems", [
      ...freshness.clusters.map((cluster) => clusterPart(cluster, freshness.newest_scans, summary.nodes)),
      systemsPart(summary.nodes),
    ]),
    section("Changes since last week", [later(changeParts)]),
    section("Scans", [scanTable(scans.items)]),
  ]);
}

function wrongParts(findings, errors, stale) {
  const rules = findings.map((each) => [
    mark(each.severity, each.severity),
    link(`/findings?${query({rule: each.rule})}`, each.rule.replace(/-/g, " ")),
    each.count,
  ]);
  return [
    ...errors.items.map((row) =>
      make("p", {class: "failure"}, [findingPlace(row), make("div", {class: "evidence"}, text(row.what))]),
    ),
    errors.next_cursor ? make("p", {}, link("/findings?severity=error", "All errors")) : "",
    rules.length
      ? tableOf("Findings by rule", ["severity", "rule", "count"], rules)
      : make("p", {}, "Nothing was found to be wrong."),
    stale.length
      ? tableOf(
          "Sources that could not be read",
          ["source", "cluster", "reason"],
          stale.map((each) => [each.source, each.cluster, each.reason]),
        )
      : make("p", {class: "none"}, "Every source was read by the last scan."),
  ].filter(Boolean);
}

function coveragePart(coverage) {
  if (!coverage) return make("p", {}, "No data flow was generated: `scanner dataflow` does it.");
  const {columns, tables, unread, partly_read: partly, problems} = coverage;
  const {connector_columns: mapped, connectors, unknown_connectors: unknown} = coverage;
  const lines = [
    `${columns + tables + unread} statements and views: ${columns} read to columns, ${tables} to tables, ${unread} not read` +
      (partly ? `; ${partly} use what could not be resolved` : ""),
    `${mapped + connectors + unknown} connectors: ${mapped} read to columns, ${connectors} to topics and tables, ` +
      `${unknown} of unknown classes`,
  ];
  return make("ul", {}, [
    ...lines.map((line) => make("li", {}, line)),
    problems ? make("li", {}, link("/flow#about", problems === 1 ? "1 problem" : `${problems} problems`)) : "",
  ].filter(Boolean));
}

function clusterPart(cluster, newest, nodes) {
  const scan = newest.find((each) => each.cluster === cluster.name);
  const count = (kind) =>
    nodes.filter((each) => each.kind === kind && each.cluster === cluster.name).reduce((sum, each) => sum + each.count, 0);
  const where = {cluster: cluster.name};
  return make("p", {class: "acts"}, [
    make("b", {}, text(cluster.name)),
    link(`/topics?${query(where)}`, `${count("topic")} topics`),
    link(`/topics?${query({...where, without_schema: true})}`, "topics without a schema"),
    link(`/subjects?${query(where)}`, "subjects"),
    scan ? make("span", {class: "note"}, `scanned ${moment(scan.finished)}`) : "",
  ]);
}

function scanTable(scans) {
  const rows = scans.map((row, at) => [
    moment(row.finished) || "not finished",
    row.cluster,
    row.status,
    ...["added", "changed", "gone"].map((name) => row[name] || ""),
    compareLink(row, at, scans),
  ]);
  return tableOf("The last scans", ["finished", "cluster", "state", "added", "changed", "gone", "compare"], rows);
}

async function changeParts() {
  const {items, next_cursor: more} = await ask("/changes", {limit: 10});
  const rows = items.map((row) => LISTS["/changes"].columns.slice(0, 3).map(([, cell]) => cell(row)));
  return [
    tableOf("The first changes", ["topic", "what", "change"], rows, "none that two scans show"),
    more ? link("/changes", "All changes") : "",
  ];
}
