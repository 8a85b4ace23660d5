"""`import scanner`: methods, frames, graphs and drawings; and the example notebook, whose cells run in order."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scanner
from scanner.lineage import Lineage
from scanner_api.questions.graph import GraphEdge, GraphNode, Reachable
from scanner_api.questions.graph import Lineage as Answer

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "notebooks" / "lineage.ipynb"


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> scanner.Dictionary:
    example, file = ROOT / "examples" / "retail", tmp_path_factory.mktemp("retail") / "d.db"
    scanner.scan(example / "cluster.json", replay=example / "capture", dictionary=file)
    return scanner.open(file)


def test_the_cells_of_the_example_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jupyter is no dependency: a cell whose last line is an expression shows it as a notebook does."""
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("networkx")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            *before, last = "".join(cell["source"]).splitlines(keepends=True)
            exec(compile("".join(before), NOTEBOOK.name, "exec"), names)
            shown = eval(last, names)
            assert hasattr(shown, "_repr_html_") or isinstance(shown, list | pandas.Series), last

    assert "shop.public.orders.total" in names["amount"].to_frame()["source"].tolist()
    assert names["personal"].to_frame().found.value_counts()["declared"] == 8


def test_an_answer_is_a_sequence_with_a_frame_and_a_table(retail: scanner.Dictionary) -> None:
    pytest.importorskip("pandas")
    topics = retail.topics("orders*")

    assert list(topics.to_frame()["name"]) == [row.name for row in topics] == [row.name for row in topics[:99]]
    assert topics._repr_html_().count("<tr>") == len(topics) + 1
    assert "orders-enriched" in topics._repr_html_()


@pytest.mark.parametrize(
    "method", ["topics", "columns", "clients", "jobs", "tables", "findings", "scans", "personal_data"]
)
def test_each_list_has_a_table(retail: scanner.Dictionary, method: str) -> None:
    rows = getattr(retail, method)()

    assert len(rows.documents()) == len(rows)
    assert f"{len(rows)} rows" in rows._repr_html_()


def test_lineage_keeps_nodes_and_edges_as_a_graph(retail: scanner.Dictionary) -> None:
    pytest.importorskip("networkx")
    lineage = retail.lineage("orders", columns=True)
    graph = lineage.to_networkx()

    assert (set(graph), graph.number_of_edges()) == ({node.id for node in lineage.nodes}, len(lineage.edges))
    assert lineage.root == "orders"
    assert "something may be missing" not in repr(lineage) or not lineage.complete


def test_an_unknown_name_has_the_error_of_the_command(retail: scanner.Dictionary) -> None:
    with pytest.raises(scanner.ScannerError, match="orderz"):
        retail.lineage("orderz")


def test_a_directory_is_scanned_and_an_empty_one_is_an_error(tmp_path: Path) -> None:
    home = tmp_path / "shop"
    home.mkdir()
    with pytest.raises(scanner.ScannerError):
        scanner.scan(home, dictionary=tmp_path / "empty.db")
    (home / "orders-value.avsc").write_text('{"type": "record", "name": "O", "fields": []}')

    dictionary = scanner.scan(home, dictionary=tmp_path / "d.db")

    assert [row.name for row in dictionary.topics()] == ["orders"]
    assert dictionary.reports[0].stored
    assert str(tmp_path / "d.db") in repr(dictionary)
    assert "scan 1" in dictionary._repr_html_()


def drawn(pairs: list[tuple[int, int]], names: list[str]) -> Lineage:
    """Return a lineage of nodes with *names* and edges between them."""
    nodes = tuple(
        GraphNode(str(at), "topic", "kafka://b", name, None, {}, 0, 0, "", False, "") for at, name in enumerate(names)
    )
    edges = tuple(GraphEdge(str(a), str(b), "flow", "", "", "<evidence>", "declared") for a, b in pairs)
    return Lineage(Answer("0", 1, nodes, edges, Reachable(0, 0, True), True, (), (), (), ()))


EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20)


@given(EDGES)
def test_flows_go_from_left_to_right(pairs: list[tuple[int, int]]) -> None:
    """Of nodes without a cycle, each is behind all that its data come from."""
    forward = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    layers = drawn(forward, ["a"] * 8).layers()

    assert all(layers[str(source)] < layers[str(target)] for source, target in forward)


@given(EDGES)
def test_a_cycle_ends_and_each_node_is_drawn_once(pairs: list[tuple[int, int]]) -> None:
    svg = drawn(pairs, ["a"] * 8).to_svg()
    corners = re.findall(r'<rect x="(\d+)" y="(\d+)"', svg)

    assert len(set(corners)) == len(corners) == 8
    assert svg.count("<path") == len(pairs) + 1


@given(st.text())
def test_no_name_becomes_markup(name: str) -> None:
    """Names come from servers and files of others."""
    seen: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.add(tag)

    Tags().feed(drawn([(0, 1)], [f"<script>{name}", f"</text><img src=x>{name}"])._repr_html_())

    assert not seen & {"script", "img"}
