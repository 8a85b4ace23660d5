"""The page in a real browser: what it shows, that it stays legible, that nothing fails and nobody is queried."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest
from waiting import PATIENCE

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.query.stored_graph import GraphHistory, Lifetime
from dataflow_generator.render.page import page_lines
from scanner_model.errors import Problem

pytestmark = pytest.mark.browser

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr"),
    *("--window-size=1600,1000", "--dump-dom"),
)
KAFKA = "kafka://k:9092"
LOADED = 'performance.getEntriesByType("resource").length'
ALWAYS = """
  const all = (query) => [...document.querySelectorAll(query)];
  const key = (element) => element.dataset.key;
  const card = (name) => all(".card").find((each) => key(each).endsWith("/" + name));
  const press = (where, what) => where.dispatchEvent(new KeyboardEvent("keydown", {key: what, bubbles: true}));
"""


class Drawing:
    """Collects a graph: teams of a table, jobs, topics of some stages, and a warehouse."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []

    def node(self, kind: NodeKind, space: str, name: str, *path: str) -> Node:
        key = f"{kind}:{space}/{name}" + (f"#{'.'.join(path)}" if path else "")
        node = Node(key, kind, space, name, path or None)
        if key not in self.nodes and kind is NodeKind.COLUMN:
            holder = next(node for node in self.nodes.values() if (node.namespace, node.name) == (space, name))
            self.edge(holder, node, EdgeKind.CONTAINS)
        return self.nodes.setdefault(key, node)

    def edge(self, source: Node, target: Node, kind: EdgeKind, *refined: str) -> None:
        why = f"why {source.name} {kind} {target.name}"
        self.edges.append(Edge(source.key, target.key, kind, why, Certainty.DERIVED, *refined))

    def topic(self, name: str, columns: int = 0) -> Node:
        node = self.node(NodeKind.TOPIC, KAFKA, name)
        self.edge(self.node(NodeKind.CLUSTER, KAFKA, "shop"), node, EdgeKind.CONTAINS)
        for number in range(columns):
            schema = self.nodes.setdefault(f"schema:{name}", Node(f"schema:{name}", NodeKind.SCHEMA, "", name.title()))
            column = Node(f"column:{name}#f{number}", NodeKind.COLUMN, "", schema.name, (f"f{number}",))
            self.nodes[column.key] = column
            self.edge(schema, column, EdgeKind.CONTAINS)
            if not number:
                self.edge(node, schema, EdgeKind.HAS_SCHEMA, "", "value")
        return node

    def table(self, name: str) -> Node:
        return self.node(NodeKind.DATASET, "pg://db", name)

    def job(self, name: str, source: Node, target: Node) -> None:
        node = self.node(NodeKind.JOB, "connect://c", name)
        self.edge(source, node, EdgeKind.READS)
        self.edge(node, target, EdgeKind.WRITES)
        ends = [self.node(NodeKind.COLUMN, node.namespace, node.name, "f0") for node in (source, target)]
        self.edge(ends[0], ends[1], EdgeKind.COLUMN_FLOW, "DIRECT", "IDENTITY")

    def page(self, *, most: int = 10_000, history: GraphHistory | None = None, **about: Any) -> str:
        graph = FlowGraph(nodes=lambda: iter(self.nodes.values()), edges=lambda: iter(self.edges), **about)
        return "".join(page_lines(graph, most=most, history=history))


def installation(teams: int) -> Drawing:
    """Build nine nodes a team: table → raw → clean → warehouse, three jobs between, a mirror and a topic apart."""
    drawing = Drawing()
    for number in range(teams):
        stages = [drawing.topic(f"{stage}.team-{number}", 5) for stage in ("raw", "clean", "retry")]
        drawing.job(f"cdc-{number}", drawing.table(f"shop.table_{number}"), stages[0])
        drawing.job(f"clean-{number}", stages[0], stages[1])
        drawing.job(f"load-{number}", stages[1], drawing.table(f"dwh.table_{number // 3}"))
    return drawing


@dataclass(frozen=True, slots=True)
class Seen:
    """What a script found in the page, what the page's console said, and how many things it loaded."""

    found: Any
    complaints: list[str]
    loaded: int


class _Body(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.data: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        if tag == "body":
            self.data = {name: value or "" for name, value in attrs}


@pytest.fixture
def look(tmp_path) -> Callable[..., Seen]:
    """Open a page at an address after #, run a script that gives what is queried for."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no Chromium on this machine; Debian: apt-get install chromium")

    def looked(page: str, script: str, **address: str) -> Seen:
        asks = f"document.body.dataset.found = JSON.stringify((() => {{ {ALWAYS} {script} }})());"
        counts = f"addEventListener('load', () => document.body.dataset.loaded = {LOADED});"
        file = tmp_path / "page.html"
        file.write_text(page.replace("</body>", f"<script>{asks}{counts}</script></body>"), encoding="utf-8")
        remote = f"file://{file}#{urlencode(address)}"
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        done = subprocess.run([program, *OPTIONS, profile, remote], capture_output=True, timeout=PATIENCE, check=False)
        body = _Body(done.stdout.decode()).data
        complaints = [line for line in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
        return Seen(json.loads(body["data-found"]), complaints, int(body["data-loaded"]))

    return looked


PICTURE = """
  const boxes = all(".card").map((each) => each.getBoundingClientRect());
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const heads = all(".card .head .name");
  const zoom = (head) => head.getBoundingClientRect().height / head.offsetHeight;
  const size = (head) => parseFloat(getComputedStyle(head).fontSize) * zoom(head);
  const way = (line) => line.getPointAtLength(line.getTotalLength()).x - line.getPointAtLength(0).x;
  return {
    cards: boxes.length, lines: all("#stage .curve").length, smallest: Math.min(...heads.map(size)),
    overlaps: boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => !apart(a, b))).length,
    backwards: all("#stage .curve .line").filter((line) => way(line) <= 0).length,
  };
"""


@pytest.mark.parametrize("teams", [4, 40])
def test_thirty_and_three_hundred_nodes_are_legible_and_apart(look, teams) -> None:
    """No card hides another, every line goes to the right, and the names can be read without a click."""
    drawing = installation(teams)
    seen = look(drawing.page(), PICTURE)
    cards = [node for node in drawing.nodes.values() if node.kind in {"topic", "job", "dataset"}]

    assert (seen.complaints, seen.loaded) == ([], 0)
    assert (seen.found["cards"], seen.found["lines"]) == (len(cards), 6 * teams)
    assert (seen.found["overlaps"], seen.found["backwards"]) == (0, 0)
    assert seen.found["smallest"] >= 8


def test_five_hundred_nodes_begin_with_their_systems(look) -> None:
    """Each system is a card with its count until it is opened."""
    seen = look(installation(62).page(), PICTURE)

    assert (seen.complaints, seen.loaded) == ([], 0)
    assert (seen.found["cards"], seen.found["overlaps"]) == (3, 0)
    assert seen.found["smallest"] >= 8


def test_a_page_that_fails_or_loads_something_is_seen_to(look) -> None:
    """The other tests rely on it."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        image = f"<img src='http://127.0.0.1:{nobody.getsockname()[1]}/nothing.png'>"
        seen = look(f"<!DOCTYPE html><body>{image}<script>console.error('bad')</script></body>", "return 1;")

    assert seen.loaded == 1
    assert any("bad" in line for line in seen.complaints)


def test_a_column_that_is_looked_at_lights_its_way_both_ways(look) -> None:
    """Upstream to the table, downstream to the warehouse, with the jobs between; the other teams are dimmed."""
    script = """return {
      cards: all(".card.on").map(key).sort(), rows: all(".row.on").map(key).sort(),
      lines: all("#stage .curve.edge-column-flow.on").length, chosen: all(".row.chosen").map(key),
      told: document.getElementById("panel").textContent,
    };"""
    seen = look(installation(3).page(), script, node=f"column:{KAFKA}/clean.team-1#f0")
    holders = [
        "dataset:pg://db/dwh.table_0",
        "dataset:pg://db/shop.table_1",
        f"topic:{KAFKA}/clean.team-1",
        f"topic:{KAFKA}/raw.team-1",
    ]

    assert seen.complaints == []
    assert [item for item in seen.found["cards"] if not item.startswith("job:")] == holders
    assert [item for item in seen.found["cards"] if item.startswith("job:")] == [
        f"job:connect://c/{name}-1" for name in ("cdc", "clean", "load")
    ]
    assert seen.found["rows"] == sorted(
        holder.replace("dataset:", "column:").replace("topic:", "column:") + "#f0" for holder in holders
    )
    # Each of the three flows goes into the card of its job, and out of it.
    assert (seen.found["lines"], seen.found["chosen"]) == (6, [f"column:{KAFKA}/clean.team-1#f0"])
    assert "Upstream: 2" in seen.found["told"]
    assert "why raw.team-1 column-flow clean.team-1" in seen.found["told"]


def test_a_job_is_left_on_the_route_that_it_was_entered_by(look) -> None:
    """A mirror of two topics is two ways, as in `scanner lineage`."""
    drawing = Drawing()
    mirror = drawing.node(NodeKind.JOB, "connect://c", "mirror")
    for name in ("a", "b"):
        drawing.edge(drawing.topic(name), mirror, EdgeKind.READS, "", name)
        drawing.edge(mirror, drawing.topic(f"dr.{name}"), EdgeKind.WRITES, "", name)
    seen = look(drawing.page(), 'return all(".card.on").map(key);', node=f"topic:{KAFKA}/a")

    assert sorted(seen.found) == ["job:connect://c/mirror", f"topic:{KAFKA}/a", f"topic:{KAFKA}/dr.a"]


@pytest.mark.smoke
def test_clicks_open_a_card_report_evidence_and_collapse_a_cluster(look) -> None:
    """From cluster to column, and back."""
    script = """
      const found = {};
      card("raw.team-0").querySelector(".twist").click();
      found.rows = [...card("raw.team-0").querySelectorAll(".row .name")].map((each) => each.textContent);
      const line = all("#stage .curve").find((each) => each.dataset.to.endsWith("/cdc-0"));
      line.querySelector(".hit").dispatchEvent(new MouseEvent("click", {bubbles: true}));
      found.told = document.getElementById("panel").textContent;
      found.kept = location.hash;
      press(document, "g");
      found.collapsed = all(".card").map(key);
      all(".card").find((each) => key(each) === "cluster:kafka://k:9092/shop").click();
      found.opened = all(".card").map(key).filter((each) => each.startsWith("topic:")).length;
      return found;"""
    seen = look(installation(2).page(), script)

    assert seen.complaints == []
    assert seen.found["rows"] == [f"f{number}" for number in range(5)]
    assert "why shop.table_0 reads cdc-0" in seen.found["told"]
    assert "derived: concluded by a rule" in seen.found["told"]
    assert "expand=topic" in seen.found["kept"]
    assert (
        seen.found["collapsed"] == [f"cluster:{KAFKA}/shop", "job in connect://c", "dataset in pg://db"]
        or len(seen.found["collapsed"]) == 3
    )
    assert seen.found["opened"] == 6


def test_what_is_clicked_stays_where_it_is_on_the_screen(look) -> None:
    """A card that runs away from the pointer cannot be closed again; the second click of two opens it."""
    script = """
      const frame = () => card("clean.team-1").getBoundingClientRect();
      const at = () => [Math.round(frame().x), Math.round(frame().y)];
      const event = (detail) => new MouseEvent("click", {bubbles: true, detail});
      const click = (detail) => card("clean.team-1").querySelector(".head").dispatchEvent(event(detail));
      const places = [at()];
      click(1); places.push(at());
      click(2); places.push(at());
      return {places, rows: card("clean.team-1").querySelectorAll(".row").length};"""
    seen = look(installation(2).page(), script)

    assert (seen.complaints, seen.found["rows"]) == ([], 5)
    assert seen.found["places"][0] == seen.found["places"][1] == seen.found["places"][2]


def test_a_search_finds_columns_and_enter_takes_the_first(look) -> None:
    """With the keyboard alone; a column in a flow comes before its namesake in a schema."""
    script = """
      const search = document.getElementById("search");
      press(document, "/");
      const focused = document.activeElement === search;
      search.value = "CLEAN.team-1.f0";
      search.dispatchEvent(new Event("input"));
      const hits = all("#hits [role=option]").map(key).slice(0, 1);
      press(search, "Enter");
      return {focused, hits, chosen: all(".row.chosen").map(key), hidden: document.getElementById("hits").hidden};"""
    seen = look(installation(2).page(), script)

    column = f"column:{KAFKA}/clean.team-1#f0"
    assert seen.found == {"focused": True, "hits": [column], "chosen": [column], "hidden": True}


def test_keys_lead_from_card_to_card(look) -> None:
    """Nobody needs a mouse."""
    script = """
      const stage = document.getElementById("stage");
      const way = [];
      stage.focus();
      press(stage, "Enter");
      way.push(key(document.activeElement));
      for (const what of ["ArrowRight", "ArrowRight", "ArrowLeft", " "]) {
        press(document.activeElement, what);
        way.push(key(document.activeElement));
      }
      return {way, rows: document.activeElement.querySelectorAll(".row").length};"""
    seen = look(installation(1).page(), script)
    topic, job, table = f"topic:{KAFKA}/raw.team-0", "job:connect://c/clean-0", f"topic:{KAFKA}/clean.team-0"

    assert seen.found == {"way": [topic, job, table, job, job], "rows": 0}


def test_a_wide_card_states_how_many_columns_it_does_not_show(look) -> None:
    """Two thousand columns are there, when they are queried for."""
    drawing = Drawing()
    drawing.topic("wide", 2000)
    script = """
      const before = {rows: all(".card .row").length, more: all(".card .more").map((each) => each.textContent)};
      document.querySelector(".card .more").click();
      return {...before, after: all(".card .row").length};"""
    seen = look(drawing.page(), script, expand=f"topic:{KAFKA}/wide")

    assert seen.found == {"rows": 30, "more": ["1971 more columns …"], "after": 2000}


def test_what_is_not_there_is_reported(look) -> None:
    """What was not read, what the file leaves out, and that it is a part: nobody may take it for everything."""
    coverage = Coverage(columns=5, unread=2, problems=(Problem("query <q>", "no such topic", "scan it"),))
    page = installation(1).page(most=8, coverage=coverage, part="the lineage of x")
    script = "return ['footer', 'panel'].map((id) => document.getElementById(id).textContent);"
    footer, panel = look(page, script).found

    assert "part of the graph: the lineage of x" in footer
    assert "2 statements not parsed" in footer
    assert "7 columns of schemas omitted" in footer
    assert "This is part of the graph: the lineage of x" in panel
    assert "7 columns of schemas are omitted" in panel
    assert "query <q>no such topicscan it" in panel


def test_a_kind_that_is_new_has_its_place(look) -> None:
    """With a group of its own in the outline, and on the way that is lit."""
    later = StrEnum("Later", {"LAKE": "lake-table", "FILLS": "fills"})
    drawing = Drawing()
    lake = drawing.node(later.LAKE, "lake://x", "orders")  # type: ignore[attr-defined]
    drawing.edge(drawing.topic("orders"), lake, later.FILLS)  # type: ignore[attr-defined]
    script = """return {
      cards: all(".card.on").map(key), lines: all("#stage .curve.on.edge-fills").length,
      outline: all(".branch .name").map((each) => each.textContent),
    };"""
    seen = look(drawing.page(), script, node=f"topic:{KAFKA}/orders")

    assert seen.complaints == []
    assert (sorted(seen.found["cards"]), seen.found["lines"]) == ([lake.key, f"topic:{KAFKA}/orders"], 1)
    assert sorted(seen.found["outline"]) == ["lake://x", "orders", "orders", "shop"]


def test_a_job_that_was_not_read_is_marked_on_its_card(look) -> None:
    """Nobody may take a statement without lines for one that does nothing."""
    drawing = installation(1)
    job = drawing.node(NodeKind.JOB, "connect://c", "clean-0")
    drawing.nodes[job.key] = replace(job, attributes=(("unread", True),))
    script = """return [all(".doubt").filter((each) => each.closest(".card")).map((each) => each.textContent),
      card("clean-0").getAttribute("aria-label"), document.getElementById("panel").textContent];"""
    (marks, label, panel) = look(drawing.page(), script, node=job.key).found

    assert (marks, label) == (["not read"], "job clean-0 not read")
    assert "its flows are unknown" in panel


def test_the_outline_of_a_large_cluster_has_its_first_items_and_what_is_selected(look) -> None:
    """Thousands of lines that nobody reads made each click slow."""
    drawing = Drawing()
    for number in range(400):
        drawing.topic(f"t{number}")
    script = """const names = () => all('#outline [aria-level="2"]').map((each) => each.title);
      const before = names();
      all('#outline [aria-level="2"]').at(-1).click();
      return [before.slice(-2), names().length];"""
    seen = look(drawing.page(), script, node=f"topic:{KAFKA}/t399")

    assert seen.found == [["t399", "199 more items …"], 400]


def test_a_card_is_as_wide_as_its_name(look) -> None:
    """Topics of one team share a prefix, and versions an ending: a shortened name would not tell them apart."""
    drawing = Drawing()
    drawing.topic("a-long-prefix-that-is-shared-by-many-topics.orders.v1")
    script = """const shown = card("a-long-prefix-that-is-shared-by-many-topics.orders.v1");
      const name = shown.querySelector(".called .name");
      return [name.textContent, name.scrollWidth > name.clientWidth];"""
    seen = look(drawing.page(), script)

    assert seen.found == ["a-long-prefix-that-is-shared-by-many-topics.orders.v1", False]


def test_cycles_have_a_drawing(look) -> None:
    """A topic that a job copies onto itself, and two topics that feed each other."""
    drawing = Drawing()
    topics = [drawing.topic(f"t{number}") for number in range(3)]
    for source, target in ((0, 1), (1, 0), (1, 2), (2, 2)):
        drawing.job(f"j{source}{target}", topics[source], topics[target])
    seen = look(
        drawing.page(), 'return [all(".card").length, all("#stage .curve").length];', node=f"column:{KAFKA}/t0#f0"
    )

    assert seen.complaints == []
    assert seen.found[0] == 7


def test_names_are_shown_as_they_are(look) -> None:
    """Markup in a name is a name; so are line ends, emoji and words from right to left."""
    names = ["<img src=x onerror=alert(1)>", "</script><b>", "two\nlines", "🛒", "הזמנות", "a&amp;b", "'\"`"]
    drawing = Drawing()
    for name in names:
        drawing.topic(name)
    script = 'return {names: all(".card .called .name").map((each) => each.textContent), markup: all("img, b").length};'
    seen = look(drawing.page(), script)

    assert (seen.complaints, seen.loaded) == ([], 0)
    assert seen.found == {"names": names, "markup": 0}


def changing_page() -> str:
    """Build the page of three scans: a job came in the second, a topic got more partitions in the third."""
    drawing = installation(2)
    drawing.job("mirror", drawing.topic("raw.team-0"), drawing.topic("clean.team-1"))
    mirror = "job:connect://c/mirror"
    edges = {edge: (Lifetime(2, None),) for edge in drawing.edges if mirror in (edge.source, edge.target)}
    states = (Lifetime(None, 3, {"partitions": 3}), Lifetime(3, None, {"partitions": 6}))
    history = GraphHistory(
        scans=((1, "2026-01-01T00:00:00+00:00"), (2, None), (3, "2026-01-03T00:00:00+00:00")),
        nodes={mirror: (Lifetime(2, None, {}),), f"topic:{KAFKA}/raw.team-0": states},
        edges=edges,
    )
    return drawing.page(history=history)


MARKED = """
  const mark = (element) => element.className.match(/mark-(\\w+)/)[1];
  const marked = () => Object.fromEntries(all(".card[class*=mark-]").map((each) => [key(each), mark(each)]));
  const lines = () => all("#stage .curve[class*=mark-]").map((each) => each.dataset.from + " " + each.dataset.to);
  const state = () => ({marked: marked(), lines: lines().length, cards: all(".card").length,
    changes: document.getElementById("changes").textContent, scan: document.getElementById("scanned").textContent});
"""


def test_two_scans_are_compared_with_what_came_went_and_changed_marked(look) -> None:
    """The same two scans the other way round show as removed what was added."""
    came = look(changing_page(), MARKED + "return state();", scan="3", base="1")
    went = look(changing_page(), MARKED + "return state();", scan="1", base="3")

    assert (came.complaints, came.loaded) == ([], 0)
    raw = f"topic:{KAFKA}/raw.team-0"
    assert came.found["marked"] == {"job:connect://c/mirror": "added", raw: "changed"}
    assert went.found["marked"] == {"job:connect://c/mirror": "removed", raw: "changed"}
    assert (came.found["lines"], went.found["lines"]) == (2, 2)
    assert came.found["scan"] == "2026-01-03 00:00 UTC (scan 3)"


def test_slider_shows_the_graph_of_each_scan(look) -> None:
    """Moving it keeps the distance of the two scans; the selected node stays selected."""
    script = """
      const slider = document.getElementById("scan"), found = [];
      const base = document.getElementById("base");
      for (const at of [0, 1, 2]) {
        slider.value = at;
        slider.dispatchEvent(new Event("input"));
        found.push([state(), base.value, all(".card.chosen").map(key)]);
      }
      base.value = "";
      base.dispatchEvent(new Event("change"));
      return [...found, [state(), base.value, all(".card.chosen").map(key)]];"""
    first, second, third, alone = look(changing_page(), MARKED + script, node=f"topic:{KAFKA}/raw.team-0").found

    assert [each[0]["cards"] for each in (first, second, third, alone)] == [15, 16, 16, 16]
    assert [each[1] for each in (first, second, third, alone)] == ["", "1", "2", ""]
    assert (first[0]["marked"], alone[0]["marked"], alone[0]["changes"]) == ({}, {}, "")
    assert second[0]["marked"] == {"job:connect://c/mirror": "added"}
    assert third[0]["marked"] == {f"topic:{KAFKA}/raw.team-0": "changed"}
    assert {tuple(each[2]) for each in (first, second, third, alone)} == {(f"topic:{KAFKA}/raw.team-0",)}


def test_page_without_history_has_no_slider(look) -> None:
    """Nothing to compare with."""
    seen = look(installation(1).page(), 'return document.getElementById("time").hidden;')

    assert (seen.complaints, seen.found) == ([], True)


def test_schema_that_was_replaced_shows_which_columns_differ(look) -> None:
    """Columns of both are not marked; nobody wants to compare two lists."""
    drawing = Drawing()
    topic = drawing.topic("orders")
    edges, nodes = {}, {}
    fields = {"old": {"id": "int", "gone": "int"}, "new": {"id": "int", "total": "long"}, "next": {"total": "string"}}
    lifetimes = {"old": Lifetime(None, 2, {}), "new": Lifetime(2, 3, {}), "next": Lifetime(3, None, {})}
    for name, columns in fields.items():
        schema = drawing.nodes.setdefault(f"schema:{name}", Node(f"schema:{name}", NodeKind.SCHEMA, "", "Order"))
        drawing.edge(topic, schema, EdgeKind.HAS_SCHEMA, "", "value")
        edges[drawing.edges[-1]] = nodes[schema.key] = (lifetimes[name],)
        for column, type_ in columns.items():
            key = f"column:{name}#{column}"
            drawing.nodes[key] = Node(key, NodeKind.COLUMN, "", "Order", (column,), (("type", type_),))
            drawing.edge(schema, drawing.nodes[key], EdgeKind.CONTAINS)
    history = GraphHistory(scans=((1, None), (2, None), (3, None)), nodes=nodes, edges=edges)
    rows = """const rows = [...card("orders").querySelectorAll(".row")];
      const mark = (row) => (row.className.match(/mark-(\\w+)/) || ["", ""])[1];
      return rows.map((row) => row.querySelector("bdi").textContent + " " + mark(row));"""
    page = drawing.page(history=history)
    first = look(page, rows, scan="2", base="1", expand=topic.key)
    second = look(page, rows, scan="3", base="2", expand=topic.key)

    assert (first.complaints, first.found) == ([], ["id ", "total added", "gone removed"])
    assert second.found == ["total changed", "id removed"]


@pytest.mark.parametrize(("tables", "cards"), [(3, 6), (4, 3)])
def test_items_without_flow_are_hidden_if_they_outnumber_the_others(look, tables, cards) -> None:
    """A repository may have many tables that Kafka has nothing to do with; the button counts them."""
    drawing = Drawing()
    drawing.job("mirror", drawing.topic("orders"), drawing.topic("copies"))
    for number in range(tables):
        drawing.table(f"t{number}")
    seen = look(drawing.page(), 'return [all(".card").length, document.getElementById("still").textContent];')

    assert seen.found == [cards, f"Without flow ({tables})"]
