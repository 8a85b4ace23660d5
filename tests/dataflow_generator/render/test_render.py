"""What JSON, DOT and Mermaid look like, and how files of graphs are written; what all must do is in conformance/."""

import json

import pytest

from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.render import OUTPUTS, write_files
from scanner_model.errors import InputInvalid

NODES = (
    Node("cluster:retail", NodeKind.CLUSTER, "kafka://k:9092", "retail", None, (("brokers", ("k:9092",)),)),
    Node('topic:kafka://k:9092/a"b\\', NodeKind.TOPIC, "kafka://k:9092", 'a"b\\'),
    Node("schema:1", NodeKind.SCHEMA, "", ""),
    Node("column:1#", NodeKind.COLUMN, "", "", ()),
    Node("column:1#x", NodeKind.COLUMN, "", "", ("x",), (("nullable", True), ("type", "long"))),
    Node("dataset:s3://lake/a", NodeKind.DATASET, "s3://lake", "a"),
    Node("job:kafka://k:9092/nightly", NodeKind.JOB, "kafka://k:9092", "nightly", None, (("type", "manual"),)),
)
EDGES = (
    Edge(NODES[0].key, NODES[1].key, EdgeKind.CONTAINS, "cluster retail", Certainty.DECLARED),
    Edge(NODES[1].key, NODES[2].key, EdgeKind.HAS_SCHEMA, "subject", Certainty.MATCHED, "", "value"),
    Edge(NODES[5].key, NODES[6].key, EdgeKind.READS, "m.json", Certainty.DECLARED),
    Edge(NODES[4].key, NODES[5].key, EdgeKind.COLUMN_FLOW, "m.json", Certainty.DECLARED, "INDIRECT", "FILTER"),
)
GRAPH = FlowGraph(nodes=lambda: iter(NODES), edges=lambda: iter(EDGES))
EMPTY = FlowGraph(nodes=lambda: iter(()), edges=lambda: iter(()))


def test_json_holds_every_node_and_edge() -> None:
    """Programs read it back whole."""
    document = json.loads("".join(OUTPUTS["json"](GRAPH)))

    assert [node["id"] for node in document["nodes"]] == [node.key for node in NODES]
    assert document["nodes"][0]["attributes"] == {"brokers": ["k:9092"]}
    assert document["nodes"][4]["path"] == ["x"]
    assert document["edges"][1]["subtype"] == "value"


def test_json_of_an_empty_graph_is_still_a_document() -> None:
    """An empty dictionary is no error."""
    assert json.loads("".join(OUTPUTS["json"](EMPTY))) == {"format_version": 1, "nodes": [], "edges": []}


def test_dot_escapes_what_names_may_hold() -> None:
    """A topic's quote must not end a label."""
    assert r'[label="a\"b\\", shape=cds]' in "".join(OUTPUTS["dot"](GRAPH))


def test_mermaid_escapes_what_names_may_hold() -> None:
    """Nothing of a name may end its label, nor be taken for HTML."""
    topic = Node("topic:x", NodeKind.TOPIC, "", '"]<b>`#1; é')
    text = "".join(OUTPUTS["mermaid"](FlowGraph(nodes=lambda: iter([topic]), edges=lambda: iter(()))))

    assert text == 'flowchart LR\n  n1(["#34;#93;#60;b#62;#96;#35;1#59; é"])\n'


def test_mermaid_dots_what_affects_indirectly() -> None:
    """A filter is no value."""
    text = "".join(OUTPUTS["mermaid"](GRAPH))

    assert '  n5 -.->|"FILTER"| n6\n' in text
    assert '  n6 -->|"reads"| n7\n' in text
    assert "  n1 --> n2\n" in text


def test_files_are_written_into_a_new_directory(tmp_path) -> None:
    """One file a format."""
    files = write_files(GRAPH, tmp_path / "flow", ["dot", "json", "dot"])

    assert [file.name for file in files] == ["graph.dot", "graph.json"]
    assert files[1].read_text() == "".join(OUTPUTS["json"](GRAPH))


def test_csv_is_a_file_of_nodes_and_one_of_edges(tmp_path) -> None:
    """A spreadsheet has a sheet for each."""
    files = write_files(GRAPH, tmp_path, ["csv"])

    assert [file.name for file in files] == ["nodes.csv", "edges.csv"]


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path) -> None:
    """A typing error costs nothing."""
    with pytest.raises(InputInvalid):
        write_files(GRAPH, tmp_path / "flow", ["json", "jsn"])

    assert not (tmp_path / "flow").exists()


def test_a_file_is_written_whole_or_not_at_all(tmp_path) -> None:
    """An older graph stays until the new one is complete."""
    (tmp_path / "graph.json").write_text("old")

    def broken():
        yield NODES[0]
        raise InputInvalid("half-way")

    with pytest.raises(InputInvalid):
        write_files(FlowGraph(nodes=broken, edges=lambda: iter(())), tmp_path, ["json"])

    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("graph.json", "old")]
