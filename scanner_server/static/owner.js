// What one owner has: topics, jobs, tables, what is wrong with them, and what changed.
async function ownerPageOf() {
  const owner = new URLSearchParams(location.search).get("owner") || "";
  if (!owner) {
    const {items} = await ask("/owners");
    const rows = items.map((row) => [link(ownerPage(row.owner), row.owner), ...["topics", "jobs", "datasets"].map((name) => countOf(row[name]))]);
    showPage("Owners", [tableOf(counted(rows.length, "owner"), ["owner", "topics", "jobs and groups", "tables and files"], rows, "no source names an owner", "Owners")]);
    return;
  }
  const answer = await ask("/owner", {owner});
  const of = (...kinds) => answer.items.filter(({kind}) => kinds.includes(kind));
  const line = (item) => [
    link(item.kind === "topic" ? topicPage(item.cluster, item.name) : flowPage(item.id), item.title || item.name),
    item.title ? make("div", {class: "evidence"}, text(item.name)) : "",
  ];
  const state = (item) => (item.failed ? mark(`${item.state}, ${item.failed}`, "error") : item.state);
  const table = (title, items) =>
    items.length ? section(`${title} (${items.length})`, [tableOf("", ["name", "state"], items.map((item) => [line(item), state(item)]), "", title)]) : "";
  const names = (title, items) =>
    items.length ? section(`${title} (${items.length})`, [make("ul", {class: "names columns"}, items.map((item) => make("li", {}, line(item))))]) : "";
  showPage(
    answer.owner,
    [
      make("p", {class: "sentence"}, text(answer.sentence)),
      answer.findings.length ? section("What is wrong", [findingGroups(answer.findings)]) : "",
      section("What changed in the last week", [
        answer.changes.length
          ? make("ul", {class: "changes"}, answer.changes.map((row) => make("li", {}, changeLine(row))))
          : make("p", {class: "none"}, answer.compared ? "Nothing changed." : "Only one scan so far: scan again to see changes."),
      ]),
      names("Topics", of("topic")),
      table("Jobs", of("job")),
      table("Consumer groups", of("consumer-group")),
      names("Tables and files", answer.items.filter(({kind}) => !["topic", "job", "consumer-group"].includes(kind))),
    ],
    [link(`${API}/owner?${query({owner})}`, "JSON"), link("/owner", "All owners")],
  );
}
