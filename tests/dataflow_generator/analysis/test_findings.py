"""Findings of the stored graph are those of all its nodes and edges, however the rows are numbered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dataflow_generator.analysis.findings import FindingKind, stored_findings, validate
from dataflow_generator.build.store import edge_row, node_row
from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind
from scanner_dictionary.engine.open import Connection, open_dictionary, writing
from scanner_dictionary.graph.store import add_rows, describe_graph, topic_level

KAFKA = "kafka://k-1:9092"
CLUSTER = Node("cluster:k", NodeKind.CLUSTER, KAFKA, "k")
SCHEMA = Node("schema:1", NodeKind.SCHEMA, "", "R")
JOB = Node("job:x/j", NodeKind.JOB, "x", "j")


def topic(name: str, **attributes: bool) -> Node:
    return Node(f"topic:{KAFKA}/{name}", NodeKind.TOPIC, KAFKA, name, None, tuple(attributes.items()))


def column(name: str, path: str, **attributes: str) -> Node:
    key = f"column:{KAFKA}/{name}#{path}"
    return Node(key, NodeKind.COLUMN, KAFKA, name, (path,), tuple(attributes.items()))


def edge(source: Node, target: Node, kind: EdgeKind) -> Edge:
    return Edge(source.key, target.key, kind, "told", Certainty.DERIVED)


A, B, LONE, OWN = topic("a"), topic("b"), topic("lone"), topic("__own", internal=True)
ID, GONE, TIME, DARK = (
    column("a", "id", type="int"),
    column("a", "was"),
    column("a", "ROWTIME"),
    column("b", "x"),
)
NODES = (CLUSTER, A, LONE, OWN, B, JOB, ID, GONE, TIME, DARK, SCHEMA)
EDGES = (
    *(edge(CLUSTER, item, EdgeKind.CONTAINS) for item in (A, LONE, OWN)),
    edge(A, SCHEMA, EdgeKind.HAS_SCHEMA),
    edge(A, JOB, EdgeKind.READS),
    edge(JOB, A, EdgeKind.WRITES),
    edge(JOB, B, EdgeKind.WRITES),
    *(edge(A, item, EdgeKind.CONTAINS) for item in (ID, GONE, TIME)),
    edge(B, DARK, EdgeKind.CONTAINS),
    edge(GONE, DARK, EdgeKind.COLUMN_FLOW),
)


@pytest.fixture
def conn(new_dictionary):
    with writing(open_dictionary(new_dictionary)) as conn:
        yield conn


def stored(conn: Connection, nodes: Sequence[Node], edges: Sequence[Edge], first: int) -> None:
    """Store a graph numbered from *first* on, its schema as one."""
    numbers = {node.key: 1_000 if node is SCHEMA else first + at for at, node in enumerate(nodes)}
    rows = [node_row(numbers[node.key], node) for node in nodes]
    add_rows(conn, rows, [edge_row(first + at, item, numbers) for at, item in enumerate(edges)])
    describe_graph(conn, "{}")


@pytest.mark.parametrize("first", [1, -100])
def test_findings_of_stored_rows_are_those_of_the_graph(conn, first) -> None:
    """Only a part of the rows is read; graphs of all engines are numbered in order, not all below zero."""
    stored(conn, NODES, EDGES, first)

    result = stored_findings(topic_level(conn))

    assert result == validate(NODES, EDGES)
    assert [item.kind for item in result] == [
        FindingKind.UNKNOWN_TOPIC,
        FindingKind.UNKNOWN_COLUMN,
        FindingKind.SELF_LOOP,
        FindingKind.ORPHAN_TOPIC,
    ]


def test_a_graph_without_schemas_is_above_them_whole(conn) -> None:
    """Where nothing is described there is no schema to end what is read."""
    nodes, edges = NODES[:-1], [item for item in EDGES if item.kind is not EdgeKind.HAS_SCHEMA]
    stored(conn, nodes, edges, 1)

    assert stored_findings(topic_level(conn)) == validate(nodes, edges)


def test_an_edge_to_what_is_no_job_or_dataset_is_reported(conn) -> None:
    """The database says where it is; who reads the graph above its columns would not find it."""
    stored(conn, NODES, [*EDGES, edge(JOB, SCHEMA, EdgeKind.WRITES)], -100)

    assert stored_findings(topic_level(conn))[0].what == f"writes from {JOB.key} to node:1000: node:1000 does not exist"


def test_a_dictionary_without_a_graph_has_no_findings(conn) -> None:
    """There is nothing to look at."""
    assert stored_findings(topic_level(conn)) == ()
