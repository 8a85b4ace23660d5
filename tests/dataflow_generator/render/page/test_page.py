"""The page: one file that needs nothing else, and that says what it leaves out."""

import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.render import page
from dataflow_generator.render.page import SCRIPTS, page_lines
from scanner_model.errors import Problem

TOPIC = Node("topic:kafka://k/orders", NodeKind.TOPIC, "kafka://k", "orders")
FLOWING = Node("column:kafka://k/orders#id", NodeKind.COLUMN, "kafka://k", "orders", ("id",))
SCHEMA = Node("schema:1", NodeKind.SCHEMA, "", "Order")
COLUMNS = [Node(f"column:1#f{number}", NodeKind.COLUMN, "", "Order", (f"f{number}",)) for number in range(4)]
NODES = [TOPIC, FLOWING, SCHEMA, *COLUMNS]
EDGES = [Edge(SCHEMA.key, column.key, EdgeKind.CONTAINS, "schema Order", Certainty.DECLARED) for column in COLUMNS]


class Elements(HTMLParser):
    """Lists the elements of a page, with their attributes, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data) -> None:
        if self.elements and self.elements[-1][0] == "script":
            self.scripts.append(data)


def built(nodes=NODES, edges=EDGES, **about) -> str:
    most = about.pop("most", 100)
    return "".join(page_lines(FlowGraph(nodes=lambda: iter(nodes), edges=lambda: iter(edges), **about), most=most))


def data(text: str):
    return json.loads(Elements(text).scripts[0])


def test_the_page_refers_to_nothing_outside() -> None:
    """It is opened where there is no network, and must tell nobody that it was."""
    elements = Elements(built()).elements

    assert not [name for _, attributes in elements for name in attributes if name in {"src", "href", "action"}]
    assert {tag for tag, _ in elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "base"})
    policy = next(attributes["content"] for _, attributes in elements if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'")


def test_the_pages_program_writes_text_only_and_queries_nobody() -> None:
    """A name that is HTML must never become HTML, whatever is changed later."""
    program = "".join(files(page).joinpath(name).read_text() for name in SCRIPTS)

    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", program)
    assert not re.search(
        r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|\bimport\(|localStorage|https?://(?!www\.w3\.org)", program
    )


def test_every_part_of_the_program_is_in_the_page() -> None:
    """A file that is not listed would be missed by people only."""
    names = {file.name for file in Path(str(files(page))).iterdir() if file.suffix == ".js"}

    assert set(SCRIPTS) == names
    assert all(files(page).joinpath(name).read_text() in built() for name in SCRIPTS)


@pytest.mark.parametrize("name", ["</script>", "<!--<script>", "\u2028", "&lt;", "</SCRIPT >"])
def test_no_name_ends_the_data(name) -> None:
    """The browser ends a script at its first end tag, even inside a string."""
    node = Node(f"topic:{name}", NodeKind.TOPIC, name, name)
    read = data(built([node], []))

    assert read["nodes"] == [[node.key, "topic", name, name, None, {}]]
    assert "\u2028" not in built([node], [])


def test_columns_of_schemas_that_are_too_many_are_left_out_and_counted() -> None:
    """Those in flows are always there; the page says what is not."""
    read = data(built(most=2))

    assert [key for key, *_ in read["nodes"]] == [node.key for node in [TOPIC, FLOWING, SCHEMA, *COLUMNS[:2]]]
    assert [edge[:2] for edge in read["edges"]] == [[2, 3], [2, 4]]
    assert read["leftOut"] == {"column": 2}
    assert data(built())["leftOut"] == {}


def test_what_was_not_read_is_in_the_page() -> None:
    """A picture without it looks complete."""
    coverage = Coverage(columns=1, unread=2, problems=(Problem("query q", "what", "hint"),))
    about = data(built(coverage=coverage, part="cluster x"))["about"]

    assert about["part"] == "cluster x"
    assert (about["coverage"]["columns"], about["coverage"]["unread"]) == (1, 2)
    assert about["coverage"]["problems"] == [{"where": "query q", "what": "what", "hint": "hint"}]
