"use strict";
// One topic: schemas, columns with documentation and tags, who uses it, freshness. Names are always text, never HTML.
(() => {
  const place = document.getElementById("topic");
  const params = new URLSearchParams(location.search);
  const theme = ["light", "dark"].includes(params.get("theme")) ? {theme: params.get("theme")} : {};
  document.documentElement.dataset.theme = theme.theme || "";
  const [cluster, topic] = [params.get("cluster") || "", params.get("topic") || ""];

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
  }

  function table(caption, names, rows) {
    if (!rows.length) return make("p", {}, `${caption}: none is known.`);
    return make(
      "table",
      {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, names.map((name) => make("th", {scope: "col"}, name)))),
      make("tbody", {}, rows.map((cells) => make("tr", {}, cells.map((cell) => make("td", {}, cell))))),
    );
  }

  async function ask(path) {
    const response = await fetch(`/api/v1${path}`);
    const document = await response.json();
    if (!response.ok) throw new Error([document.detail, document.hint].filter(Boolean).join(" — "));
    return document;
  }

  function columnRow(column) {
    const type = (column.logical_type || column.type) + (column.nullable ? " ?" : "");
    return [column.name || "(whole value)", type, column.doc || "", column.tags.join(", ")];
  }

  function schemaPart(schema) {
    const from = schema.subject ? `${schema.subject}, version ${schema.version}, id ${schema.schema_id}` : schema.strategy;
    return [
      make("h2", {}, `${schema.role}: ${schema.name || schema.format}`),
      make("p", {}, `${schema.format} · ${from} · ${schema.confidence}: ${schema.evidence}${schema.stale ? " · stale" : ""}`),
      table("Columns", ["name", "type", "documentation", "tags"], schema.columns.map(columnRow)),
      make("details", {}, make("summary", {}, "Schema text"), make("pre", {}, schema.text)),
    ];
  }

  function userRow(user) {
    const href = `/#${new URLSearchParams({node: user.id})}`;
    return [user.use === "reads" ? "reads" : "writes", user.kind, make("a", {href}, user.name), user.namespace, user.evidence];
  }

  async function show() {
    const path = `/clusters/${encodeURIComponent(cluster)}/topics/${encodeURIComponent(topic)}`;
    const [description, subjects, now] = await Promise.all([
      ask(path),
      ask(`/schemas?${new URLSearchParams({cluster, pattern: topic, limit: 200})}`),
      ask("/state"),
    ]);
    const about = description.topic;
    const versions = subjects.items.filter((subject) => subject.topics.includes(topic));
    document.title = `${about.name} · ${about.cluster}`;
    const to = (more) => `/#${new URLSearchParams({node: description.node, ...more, ...theme})}`;
    const facts = [
      ["cluster", about.cluster],
      ["partitions", about.partitions === null ? "unknown" : String(about.partitions)],
      ["owner", about.owner || "unknown"],
      ["tags", about.tags.join(", ") || "none"],
      ["source", about.source + (about.stale ? " (stale: not confirmed by the last scan)" : "")],
      ["as of", `scan ${now.scan}, ${now.finished.slice(0, 16).replace("T", " ")} UTC`],
    ];
    place.replaceChildren(
      make(
        "nav",
        {"aria-label": "Views"},
        make("a", {href: description.node ? to({}) : "/"}, "Data flow"),
        description.node ? make("a", {href: to({list: "impact"})}, "Impact") : "",
      ),
      make("h1", {}, about.name),
      make("p", {}, about.description),
      make("dl", {class: "facts"}, facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
      table(`Used by ${description.user_count}`, ["use", "kind", "name", "where", "evidence"], description.users.map(userRow)),
      table("Subjects", ["subject", "format", "versions"], versions.map((e) => [e.name, e.format, e.versions.join(", ")])),
      ...description.schemas.flatMap(schemaPart),
    );
  }

  show()
    .catch((error) => place.replaceChildren(make("p", {class: "warn", role: "alert"}, String(error.message || error))))
    .finally(() => place.setAttribute("aria-busy", "false"));
})();
