"""One suite for every row of OUTPUTS, and every file that a format writes into a directory."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.render import OUTPUTS, Output, files_of, format_of

WRITERS: Mapping[str, Output] = OUTPUTS | {
    file: output for name in OUTPUTS for file, output in files_of(name).items() if not file.startswith("graph.")
}
HOSTILE = (
    'a"b\\',
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>&amp;<b>",
    "two\nlines\r\nand\ttabs",
    "=1+1|cmd",
    "@sum(a)",
    "';--#%}{",
    "\u2028\u2029\x01",
    "🛒 orders",
    "\u202eהזמנות",
    "",
)
NETWORK = "kafka://k:9092"


def graph_of(names: tuple[str, ...], edges_read: list[int] | None = None) -> FlowGraph:
    """Build a chain of topics with a column each, where a list is given, it gets each edge that is read."""
    topics = [Node(f"topic:{name}", NodeKind.TOPIC, NETWORK, name, None, (("description", name),)) for name in names]
    columns = [Node(f"column:{name}#{name}", NodeKind.COLUMN, NETWORK, name, (name, "[]")) for name in names]
    nodes = [*topics, *columns]
    pairs = list(zip(topics, columns, strict=True)) + list(pairwise(topics))

    def edges() -> Iterator[Edge]:
        for number, (source, target) in enumerate(pairs):
            if edges_read is not None:
                edges_read.append(number)
            kind = EdgeKind.CONTAINS if target.path else EdgeKind.WRITES
            yield Edge(source.key, target.key, kind, source.name, Certainty.DECLARED, "", target.name)

    return FlowGraph(nodes=lambda: iter(nodes), edges=edges)


def page_data(text: str) -> Any:
    """Read the graph out of the page as a browser does: the script ends at the first end tag."""
    result = re.search(r'<script type="application/json" id="graph">(.*?)</script', text, re.S | re.I)
    assert result
    return json.loads(result[1])


def graphml_data(text: str) -> tuple[int, int]:
    root = ElementTree.fromstring(text)
    space = "{http://graphml.graphdrawing.org/xmlns}"
    return len(root.findall(f".//{space}node")), len(root.findall(f".//{space}edge"))


def csv_rows(text: str) -> int:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len({len(row) for row in rows}) == 1
    return len(rows) - 1


SIZES: Mapping[str, Callable[[str], tuple[int | None, int | None]]] = {
    "json": lambda text: (len(json.loads(text)["nodes"]), len(json.loads(text)["edges"])),
    "html": lambda text: (len(page_data(text)["nodes"]), len(page_data(text)["edges"])),
    "graphml": graphml_data,
    "csv": lambda text: (None, csv_rows(text)),
    "edges.csv": lambda text: (None, csv_rows(text)),
    "nodes.csv": lambda text: (csv_rows(text), None),
    "dot": lambda text: (len(re.findall(r"^  .*\[label=.*, shape=\w+\];$", text, re.M)), text.count('" -> "')),
    "mermaid": lambda text: (
        len(re.findall(r'^  n\d+\W+".*"\W+$', text, re.M)),
        len(re.findall(r"^  n\d+ -.*> ?n?", text, re.M)),
    ),
}
"""How many nodes and edges a reader of each format finds; None for what it does not hold."""


@pytest.fixture(params=WRITERS.values(), ids=list(WRITERS))
def write(request) -> Callable[[FlowGraph], str]:
    return lambda graph: "".join(request.param(graph))


@pytest.mark.parametrize("graph", [graph_of(HOSTILE), graph_of(())], ids=["hostile", "empty"])
def test_a_graph_is_the_same_bytes_twice_and_ends_its_last_line(write, graph) -> None:
    """Graphs are compared by their bytes."""
    text = write(graph)

    assert text.encode() == write(graph).encode()
    assert text.endswith("\n")


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("names", [HOSTILE, ()], ids=["hostile", "empty"])
def test_whatever_names_hold_a_reader_finds_every_node_and_edge(name, names) -> None:
    """Names are opaque: nothing in one may end its cell, its string or its script; and no node is no error."""
    graph = graph_of(names)
    nodes, edges = SIZES[name]("".join(WRITERS[name](graph)))

    assert nodes in (None, len(list(graph.nodes())))
    assert edges in (None, len(list(graph.edges())))


def test_nodes_come_in_the_graphs_order(write) -> None:
    """One order for every engine and output."""
    names = tuple(f"{word}-topic" for word in ("zebra", "ant", "mole", "bee"))
    text = write(graph_of(names))

    locations = [text.index(name) for name in names]
    assert locations == sorted(locations)


@pytest.mark.parametrize("name", WRITERS)
def test_edges_are_written_as_they_are_read(name) -> None:
    """A graph may be larger than memory: at no time are many edges read that are not written."""
    read: list[int] = []
    waiting = []
    before = 0
    for _ in WRITERS[name](graph_of(tuple(f"t{number}" for number in range(500)), read)):
        waiting.append(len(read) - before)
        before = len(read)

    assert max(waiting) <= 2


def test_every_kind_of_node_and_edge_is_written(write) -> None:
    """A kind that a format has no shape for would break the whole graph."""
    nodes = [Node(f"{kind}:x", kind, "ns", f"name of {kind}") for kind in NodeKind]
    ends = nodes[0].key, nodes[-1].key
    edges = [Edge(*ends, kind, f"evidence of {kind}", Certainty.MATCHED) for kind in EdgeKind]
    text = write(FlowGraph(nodes=lambda: iter(nodes), edges=lambda: iter(edges)))

    assert all(node.name in text for node in nodes) or "evidence of reads" in text


def test_a_kind_that_is_new_is_drawn_as_any_other(write) -> None:
    """A kind enters the graph before every drawing has a shape for it."""
    later = StrEnum("Later", {"LAKE": "lake", "FILLS": "fills"})
    nodes = [Node(f"lake:{name}", later.LAKE, "ns", f"lake {name}") for name in "ab"]  # type: ignore[attr-defined]
    edge = Edge("lake:a", "lake:b", later.FILLS, "e", Certainty.DERIVED)  # type: ignore[attr-defined]
    text = write(FlowGraph(nodes=lambda: iter(nodes), edges=lambda: iter([edge])))

    assert "lake a" in text


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_ending_of_a_files_name_means_its_format(name) -> None:
    """`scanner export -o graph.NAME` needs no `--format`."""
    assert format_of(f".{name}") == format_of(f".{name.upper()}") == name
    assert format_of("") is None
    assert format_of(".doc") is None
