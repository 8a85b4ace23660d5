"""GraphML: what other programs read."""

import io
import re

import networkx
import pytest

from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.render.diagrams import graphml_lines

TOPIC = Node(
    "topic:kafka://k/o",
    NodeKind.TOPIC,
    "kafka://k",
    "o",
    None,
    (("internal", True), ("name", "shown"), ("partitions", 6), ("tags", ("a", "b"))),
)
COLUMN = Node("column:kafka://k/o#<x>\r", NodeKind.COLUMN, "kafka://k", "o", ("<x>\r\x01",))
FLOWS = [
    Edge(TOPIC.key, COLUMN.key, kind, "because & so", Certainty.DECLARED)
    for kind in (EdgeKind.CONTAINS, EdgeKind.COLUMN_FLOW)
]
GRAPH = FlowGraph(nodes=lambda: iter([TOPIC, COLUMN]), edges=lambda: iter(FLOWS))


@pytest.fixture
def loaded() -> networkx.MultiDiGraph:
    return networkx.read_graphml(io.BytesIO("".join(graphml_lines(GRAPH)).encode()))


def test_networkx_loads_typed_nodes(loaded) -> None:
    """A number stays a number, a truth a truth; an attribute called like a member has a name of its own."""
    topic = loaded.nodes["n1"]

    assert (topic["key"], topic["kind"], topic["name"]) == (TOPIC.key, "topic", "o")
    assert (topic["partitions"], topic["internal"], topic["tags"]) == (6, True, '["a", "b"]')
    assert topic["attribute.name"] == "shown"


def test_networkx_loads_every_edge_between_two_nodes(loaded) -> None:
    """Two edges of one pair are two."""
    edges = sorted(data["kind"] for _, _, data in loaded.edges(data=True))

    assert (edges, loaded.is_directed()) == (["column-flow", "contains"], True)
    assert {data["evidence"] for _, _, data in loaded.edges(data=True)} == {"because & so"}


def test_what_xml_cannot_hold_is_replaced_and_the_rest_is_kept(loaded) -> None:
    """One control character in a name must not make the file unreadable."""
    assert loaded.nodes["n2"]["key"] == COLUMN.key
    assert loaded.nodes["n2"]["path"] == '["<x>\\r\\u0001"]'
    assert loaded.nodes["n2"]["label"] == "o.`<x>\r\ufffd`"


def test_every_piece_of_data_is_declared_once_with_its_type() -> None:
    """The schema of GraphML wants keys before the graph, and ids without special characters."""
    text = "".join(graphml_lines(GRAPH))
    declared = re.findall(
        r'<key id="([\w.]+)" for="(?:node|edge)" attr.name="[^"]+" attr.type="(?:string|long|boolean)"/>', text
    )

    assert len(declared) == len(set(declared)) == text.count("<key ")
    assert set(re.findall(r'<data key="([^"]*)"', text)) <= set(declared)
    assert text.rindex("<key ") < text.index("<graph ")
