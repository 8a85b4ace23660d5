// The home: what is wrong, what there is, and what changed.
const KIND_ORDER = ["topic", "job", "consumer-group", "dataset", "catalog-table"];

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
    showPage("No scan yet", [make("p", {}, "`scanner extract --config cluster.json` scans; `scanner dataflow` generates the data flow.")]);
    return;
  }
  showPage("Home", [
    section("What is wrong", wrongParts(summary.findings, errors, now.stale), {class: "wrong"}),
    section("Clusters and systems", [
      ...freshness.clusters.map((cluster) => clusterPart(cluster, freshness.newest_scans, summary.nodes)),
      systemsPart(summary.nodes),
    ]),
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
    ...errors.items.map((row) => make("p", {class: "failure"}, [findingPlace(row), make("div", {class: "evidence"}, text(row.what))])),
    errors.next_cursor ? make("p", {}, link("/findings?severity=error", "All errors")) : "",
    rules.length ? tableOf("Findings by rule", ["severity", "rule", "count"], rules) : make("p", {}, "Nothing was found to be wrong."),
    stale.length
      ? tableOf("Sources that could not be read", ["source", "cluster", "reason"], stale.map((each) => [each.source, each.cluster, each.reason]))
      : make("p", {class: "none"}, "Every source was read by the last scan."),
  ].filter(Boolean);
}

function clusterPart(cluster, newest, nodes) {
  const scan = newest.find((each) => each.cluster === cluster.name);
  const count = (kind) => nodes.filter((each) => each.kind === kind && each.cluster === cluster.name).reduce((sum, each) => sum + each.count, 0);
  const where = {cluster: cluster.name};
  return make("p", {class: "acts"}, [
    make("b", {}, text(cluster.name)),
    link(`/topics?${query(where)}`, `${count("topic")} topics`),
    link(`/topics?${query({...where, without_schema: true})}`, "topics without a schema"),
    link(`/subjects?${query(where)}`, "subjects"),
    scan ? make("span", {class: "note"}, `scanned ${moment(scan.finished)}`) : "",
  ]);
}

// All systems with how much they have; what a system has is read when it is opened.
function systemsPart(nodes) {
  const rank = ({kind}) => (KIND_ORDER.includes(kind) ? KIND_ORDER.indexOf(kind) : KIND_ORDER.length);
  const systems = [...nodes].sort((a, b) => rank(a) - rank(b)).map((each) => {
    const inner = make("ul", {class: "names"});
    const name = each.cluster || each.namespace || "(no namespace)";
    const fold = make("details", {}, [
      make("summary", {}, [make("span", {class: `icon kind-${cssName(each.kind)}`, "aria-hidden": "true"}, ICONS[each.kind] || "◆"), " ", text(name), ` · ${each.count} ${each.kind}${each.count === 1 ? "" : "s"}`]),
      inner,
    ]);
    fold.addEventListener("toggle", () => listNodes(each, inner, ""), {once: true});
    return fold;
  });
  return make("div", {class: "systems"}, systems);
}

function listNodes({kind, namespace, cluster}, place, cursor) {
  return during(async () => {
    const answer = await ask("/nodes", {kind, namespace, limit: 100, cursor});
    for (const node of answer.items) {
      const href = kind === "topic" && cluster ? topicPage(cluster, node.name) : flowPage(node.id);
      place.append(make("li", {}, [link(href, node.name), " ", node.attributes.failed ? mark("failed", "error", node.attributes.error || "") : "", ...staleMark(node)]));
    }
    if (!answer.next_cursor) return;
    const more = make("button", {type: "button"}, "Show 100 more");
    const line = make("li", {}, more);
    more.onclick = () => {
      line.remove();
      listNodes({kind, namespace, cluster}, place, answer.next_cursor);
    };
    place.append(line);
  });
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
