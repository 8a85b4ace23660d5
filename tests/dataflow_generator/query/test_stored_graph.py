"""The graph out of the dictionary is the graph that went in, and a part of it is what belongs together."""

from __future__ import annotations

import pytest

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.store import store
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.query.stored_graph import neighbourhood, part_of_cluster, whole_graph
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import nodes_of, stored_graph
from scanner_dictionary.queries.graph_nodes import nodes_named
from scanner_model.errors import DictionaryUnusable, Problem

NODES: list[Node] = []
EDGES: list[Edge] = []
COVERAGE = Coverage(columns=2, unread=1, problems=(Problem("query q", "what", "hint"),))


def node(kind: NodeKind, space: str, name: str, path: tuple[str, ...] | None = None, **attributes) -> Node:
    key = f"{kind}:{space}/{name}" + (f"#{path[0]}" if path else "")
    node = Node(key, kind, space, name, path, tuple(sorted(attributes.items())))
    NODES.append(node)
    return node


def edge(source: Node, target: Node, kind: EdgeKind, subtype: str = "") -> None:
    EDGES.append(Edge(source.key, target.key, kind, f"{source.name} to {target.name}", Certainty.DERIVED, "", subtype))


def chain(cluster: str, network: str) -> tuple[Node, Node, Node]:
    """Add a cluster with a topic that a job copies into a table."""
    home = node(NodeKind.CLUSTER, network, cluster, brokers=("k:9092",))
    topic, job = (
        node(NodeKind.TOPIC, network, f"{cluster}-in", internal=True),
        node(NodeKind.JOB, "connect://c", cluster),
    )
    table = node(NodeKind.DATASET, "pg://db", f"{cluster}_out")
    ends = [node(NodeKind.COLUMN, item.namespace, item.name, ("id",)) for item in (topic, table)]
    schema = node(NodeKind.SCHEMA, "", f"{cluster}.Schema", format="AVRO")
    column = node(NodeKind.COLUMN, "", schema.name, ("id",), type="long")
    edge(home, topic, EdgeKind.CONTAINS)
    edge(topic, schema, EdgeKind.HAS_SCHEMA, "value")
    edge(topic, job, EdgeKind.READS)
    edge(job, table, EdgeKind.WRITES)
    edge(topic, ends[0], EdgeKind.CONTAINS)
    edge(table, ends[1], EdgeKind.CONTAINS)
    edge(ends[0], ends[1], EdgeKind.COLUMN_FLOW)
    edge(schema, column, EdgeKind.CONTAINS)
    return topic, job, table


US, EU = chain("us", "kafka://us:9092"), chain("eu", "kafka://eu:9092")
GRAPH = FlowGraph(nodes=lambda: iter(NODES), edges=lambda: iter(EDGES), coverage=COVERAGE)


@pytest.fixture
def stored(new_dictionary):
    """Return a connection to a dictionary that holds the graph, and what is known of it."""
    engine = open_dictionary(new_dictionary)
    store(engine, GRAPH)
    with engine.connect() as conn:
        about = stored_graph(conn)
        assert about
        yield conn, about


def test_the_whole_graph_comes_out_as_it_went_in(stored) -> None:
    """Nodes, edges, their order, what was read for it."""
    graph = whole_graph(SqlGraphReader(stored[0]), stored[1])

    assert list(graph.nodes()) == NODES
    assert list(graph.edges()) == list(graph.edges()) == EDGES
    assert (graph.coverage, graph.part) == (COVERAGE, "")


def test_a_cluster_is_what_is_in_it_and_what_its_jobs_touch(stored) -> None:
    """The other cluster is not in it, the table that the job fills is."""
    graph = part_of_cluster(SqlGraphReader(stored[0]), stored[1], "us")

    assert list(graph.nodes()) == NODES[: len(NODES) // 2]
    assert list(graph.edges()) == EDGES[: len(EDGES) // 2]
    assert "us" in graph.part


@pytest.mark.parametrize("name", ["eu-in", "eu-in.id", "eu", "pg://db/eu_out"])
def test_neighbourhood_of_a_node_is_its_lineage_with_what_holds_it(stored, name) -> None:
    """A column without its table, or a topic without its schema, could not be looked at."""
    conn, about = stored
    [root] = [item for item in nodes_named(SqlGraphReader(conn), name) if item.kind != "cluster"]
    graph = neighbourhood(SqlGraphReader(conn), about, root)
    kinds = {str(edge.kind) for edge in graph.edges()}

    assert {node.name for node in graph.nodes()} >= {"eu", "eu-in", "eu_out", "eu.Schema"}
    assert {"contains", "has-schema", "column-flow"} <= kinds
    assert not [node.key for node in graph.nodes() if "kafka://us" in node.key]


def test_depth_counts_steps_and_a_column_takes_its_job_along(stored) -> None:
    """Its columns are one step from the table, so the job's edges on both sides are there."""
    conn, about = stored
    [root] = nodes_named(SqlGraphReader(conn), "us-in")
    graph = neighbourhood(SqlGraphReader(conn), about, root, 1)
    kinds = [str(edge.kind) for edge in graph.edges()]

    assert US[1] in list(graph.nodes())
    assert (kinds.count("reads"), kinds.count("writes"), kinds.count("column-flow")) == (1, 1, 1)
    assert "depth 1" in graph.part


def test_every_end_of_an_edge_is_a_node_of_the_part(stored) -> None:
    """A format that numbers its nodes depends on it."""
    conn, about = stored
    for root in nodes_of(conn, range(1, len(NODES) + 1)).values():
        graph = neighbourhood(SqlGraphReader(conn), about, root, 1)
        keys = {node.key for node in graph.nodes()}

        assert all({edge.source, edge.target} <= keys for edge in graph.edges())


@pytest.mark.parametrize("text", ["UPDATE flow_node SET kind = 'lake'", "UPDATE flow_edge SET certainty = 'sure'"])
def test_a_kind_that_is_unknown_here_is_reported(stored, text) -> None:
    """A newer program may have generated the graph."""
    conn, about = stored
    conn.exec_driver_sql(text)
    graph = whole_graph(SqlGraphReader(conn), about)

    with pytest.raises(DictionaryUnusable):
        [*graph.nodes(), *graph.edges()]


@pytest.mark.parametrize("wanted", [NODES[1], NODES[2], NODES[4]], ids=lambda node: node.kind)
def test_a_node_is_found_by_its_id_without_looking_brokers_up(stored, wanted) -> None:
    """Pages, the API and their links name nodes by id, thousands of times."""

    class Reader(SqlGraphReader):
        def canonical(self, namespace: str) -> str:
            raise AssertionError(namespace)

    (found,) = nodes_named(Reader(stored[0]), wanted.key)

    assert found.node_key == wanted.key
