// The home: five figures, then what is wrong and what follows from it, what changed, and how much was understood.
const MOST_COUNTED = 1000;

async function homePage(moreParts = async () => []) {
  // Links to the drawing were links to this page.
  if (location.hash.length > 1) {
    location.replace(`/flow${location.hash}`);
    return;
  }
  const [{now, summary}, errors, freshness, stale, more] = await Promise.all([
    readHealth(),
    ask("/findings", {severity: "error", limit: 10}),
    ask("/freshness"),
    readStale(),
    moreParts(),
  ]);
  if (!now.scan) {
    showPage("No scan yet", [make("p", {}, "Run `scanner scan --config cluster.json`.")]);
    return;
  }
  showPage("Overview", [
    tilesOf(summary.counts, summary.coverage, now),
    section("What is wrong", wrongParts(summary, errors, now, stale), {class: "wrong"}),
    location.protocol === "file:" ? "" : section("What changed in the last week", [later(changeParts)]),
    section("Coverage", [coveragePart(summary.coverage)]),
    ...more,
    section("Systems", [
      ...freshness.clusters.map((cluster) => clusterPart(cluster, freshness.newest_scans)),
      systemsPart(summary.nodes),
    ]),
  ]);
}

// Each number leads to what it counts: the figure to *href*, and the note, if it has one of its own, to *noted*.
function tile(figure, words, href, grade = "", note = "", noted = "") {
  const counted = [make("b", {class: "figure"}, figure), make("span", {}, words)];
  const said = note ? make("span", {class: `note ${grade}`}, note) : "";
  if (noted) return make("div", {class: `tile ${grade}`}, [link(href, counted, {class: "counted"}), link(noted, [said])]);
  return link(href, [...counted, said], {class: `tile ${grade}`}) || make("div", {class: `tile ${grade}`}, [...counted, said]);
}

const grouped = (number) => Number(number).toLocaleString("en");
const nounFor = (count, one) => (count === 1 ? one : `${one}s`); // the noun behind a count
const noun = (number, one) => `${grouped(number)} ${nounFor(number, one)}`;

function tilesOf(counts, coverage, now) {
  const others = counts.mentioned_topics ? `${grouped(counts.mentioned_topics)} more that only jobs mention` : "";
  const internal = counts.internal_topics ? `${grouped(counts.internal_topics)} of them internal` : "";
  const files = coverage && coverage.unread_files ? `, ${noun(coverage.unread_files, "file")} not read` : "";
  const fresh = counts.sources - counts.stale_sources;
  const place = (words, href, count) => {
    const element = make("div", {class: "tile"}, [make("b", {class: "figure"}, "…"), make("span", {}, words)]);
    count().then(
      ([figure, note, noted, counted = words, to = href]) => element.replaceWith(tile(figure, counted, to, "", note, noted)),
      () => element.replaceWith(tile("?", words, href, "", "unknown")),
    );
    return element;
  };
  return make("div", {class: "tiles"}, [
    tile(grouped(counts.topics), nounFor(counts.topics, "topic"), "/topics", "", [internal, others].filter(Boolean).join(", ")),
    counts.failed_jobs
      ? tile(
          grouped(counts.jobs),
          nounFor(counts.jobs, "job"),
          "/jobs",
          "error",
          `${grouped(counts.failed_jobs)} failed${files}`,
          "/jobs?failed=true",
        )
      : tile(grouped(counts.jobs), nounFor(counts.jobs, "job"), "/jobs", "", `none failed${files}`),
    place("columns with PII", "/columns?tag=PII", personalCount),
    location.protocol === "file:"
      ? ""
      : place("changes in the last week", "/changes", async () =>
          (await ask("/scans", {limit: 2})).items.length > 1 ? countRows("/changes/summary", {}, `scanned ${moment(now.finished)}`) : ["?", "one scan so far"]),
    tile(
      counts.stale_sources ? `${fresh} of ${counts.sources}` : grouped(counts.sources),
      `${nounFor(counts.sources, "source")} read by the last scan`,
      "/sources",
      counts.stale_sources ? "warning" : "",
      counts.stale_sources ? `${grouped(counts.stale_sources)} stale` : "all fresh",
    ),
  ]);
}

// Columns with the tag, and those that only look personal: zero tagged columns must not read as an all-clear.
async function personalCount() {
  const kept = "tagged, and copies of tagged ones";
  if (location.protocol === "file:") return countRows("/columns", {tag: "PII"}, kept);
  const {items} = await ask("/tags");
  const counts = items.find((row) => row.tag.toLowerCase() === "pii") || {declared: 0, inherited: 0, suggested: 0};
  const [figure, more] = [counts.declared + counts.inherited, counts.suggested];
  const review = `/columns?${query({tag: "PII", tags: "suggested"})}`;
  if (!more) return [grouped(figure), kept];
  if (!figure) return [grouped(more), "none is tagged: review", "", more === 1 ? "column looks personal" : "columns look personal", review];
  return [grouped(figure), `${grouped(more)} more look personal: review`, review];
}

async function countRows(path, params, note) {
  const {items, next_cursor: more} = await ask(path, {...params, limit: MOST_COUNTED});
  return [`${grouped(items.length)}${more ? "+" : ""}`, note];
}

// What is stale because of each failed or stopped job, in a sentence that leads there.
function consequence(node, stale) {
  const rows = [...stale.values()].filter((row) => row.cause_name === node);
  if (!rows.length) return "";
  const names = rows.slice(0, 3).flatMap((row, at) => [at ? ", " : "", link(flowPage(row.id), row.name) || row.name]);
  return make("p", {class: "consequence"}, [
    `${noun(rows.length, "item")} downstream ${rows.length === 1 ? "is" : "are"} stale: `,
    ...names,
    rows.length > 3 ? ` and ${rows.length - 3} more` : "",
  ]);
}

function wrongParts({findings}, errors, now, stale) {
  const rules = findings.map((each) => [
    link(`/findings?${query({rule: each.rule})}`, ruleName(each.rule)),
    mark(each.severity, each.severity),
    each.count,
  ]);
  const sources = now.stale.map((each) =>
    make("div", {class: "failure warning"}, [
      make("p", {}, [make("b", {}, text(each.source)), ` was not read by the last scan of ${each.cluster}`]),
      make("div", {class: "evidence"}, text(each.reason)),
      consequence(each.source, stale),
    ]),
  );
  return [
    ...errors.items.map((row) =>
      make("div", {class: "failure"}, [
        make("p", {}, findingPlace(row)),
        make("div", {class: "evidence"}, text(row.what)),
        consequence(row.where.split(" ").slice(1).join(" "), stale),
      ]),
    ),
    errors.next_cursor ? make("p", {}, link("/findings?severity=error", "All errors")) : "",
    ...sources,
    rules.length
      ? tableOf("Findings by rule", ["rule", "severity", "count"], rules)
      : make("p", {}, "No errors or warnings."),
  ].filter(Boolean);
}

function coveragePart(coverage) {
  if (!coverage) return make("p", {}, "There is no lineage yet: run `scanner dictionary dataflow`.");
  const {columns, tables, unread, partly_read: partly, unread_files: files, problems} = coverage;
  const {connector_columns: mapped, connectors, unknown_connectors: unknown} = coverage;
  const statements = columns + tables + unread;
  const known = mapped + connectors + unknown;
  const lines = [
    statements
      ? `${grouped(columns)} of ${noun(statements, "SQL statement")} resolved to columns` +
        (tables ? `, ${grouped(tables)} to tables only` : "") +
        (unread ? `, ${grouped(unread)} not parsed` : "") +
        (partly ? `; ${grouped(partly)} with a reference that could not be resolved` : "")
      : "",
    known
      ? `${grouped(mapped)} of ${noun(known, "connector")} resolved to columns` +
        (connectors ? `, ${grouped(connectors)} to topics and tables only` : "") +
        (unknown ? `, ${grouped(unknown)} of an unknown class` : "")
      : "",
  ].filter(Boolean);
  return make("ul", {}, [
    ...(lines.length ? lines : ["No SQL statements or connectors were found."]).map((line) => make("li", {}, line)),
    files ? make("li", {}, link("/findings?rule=unread-file", `${noun(files, "file")} not read`)) : "",
    problems ? make("li", {}, link("/flow#about", problems === 1 ? "1 problem" : `${problems} problems`)) : "",
  ]);
}

function clusterPart(cluster, newest) {
  const scan = newest.find((each) => each.cluster === cluster.name);
  return make("p", {class: "acts"}, [
    make("b", {}, text(cluster.name)),
    link(`/topics?${query({cluster: cluster.name})}`, "topics"),
    scan ? make("span", {class: "note"}, `scanned ${moment(scan.finished)}`) : "",
  ]);
}

async function changeParts() {
  const [{items, next_cursor: more}, scans] = await Promise.all([
    ask("/changes/summary", {limit: 10}),
    ask("/scans", {limit: 2}),
  ]);
  if (!items.length && scans.items.length < 2)
    return [make("p", {class: "none"}, "Only one scan so far: scan again to see changes.")];
  return [
    items.length ? make("ul", {class: "changes"}, items.map((row) => make("li", {}, changeLine(row)))) : make("p", {class: "none"}, "Nothing changed."),
    more ? link("/changes", "All changes") : "",
  ];
}
