// Clusters and systems with how much each has; what one has is read when it is opened.
const KIND_ORDER = ["topic", "job", "consumer-group", "dataset", "catalog-table"];

function mark(words, grade, title = "") {
  return make("span", {class: `doubt ${grade}`, title}, words);
}

function staleMark(row) {
  return [
    row.stale && row.stale !== ""
      ? mark("stale", "", typeof row.stale === "string" ? row.stale : "the last scan could not confirm it")
      : "",
    row.gone ? mark("deleted", "") : "",
  ];
}

// All systems with how much they have; what a system has is read when it is opened.
function systemsPart(nodes) {
  const rank = ({kind}) => (KIND_ORDER.includes(kind) ? KIND_ORDER.indexOf(kind) : KIND_ORDER.length);
  const systems = [...nodes]
    .sort((a, b) => rank(a) - rank(b))
    .map((each) => {
      const inner = make("ul", {class: "names"});
      const name = each.cluster || each.namespace || "(no namespace)";
      const fold = make("details", {}, [
        make("summary", {}, [
          make("span", {class: `icon kind-${cssName(each.kind)}`, "aria-hidden": "true"}, ICONS[each.kind] || "◆"),
          " ",
          text(name),
          ` · ${digits(each.count)} ${each.kind.replaceAll("-", " ")}${each.count === 1 ? "" : "s"}`,
        ]),
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
      const href =
        kind === "topic" && cluster && location.pathname !== "/flow" ? topicPage(cluster, node.name) : flowPage(node.id);
      place.append(
        make("li", {}, [
          link(href, node.name),
          " ",
          node.attributes.failed ? mark("failed", "error", node.attributes.error || "") : "",
          " ",
          ...staleMark(node),
        ]),
      );
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
