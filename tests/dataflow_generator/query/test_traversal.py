"""Lineage: both ways, with circles and an end, and the same from a graph in memory and one in the dictionary."""

import pytest
from edges_in_memory import ahead_in
from sqlalchemy import event

from dataflow_generator.build.store import store
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.query.traversal import Hop, TraversalOptions, lineage
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import edges_at, nodes_of
from scanner_dictionary.queries.graph_nodes import meaning, nodes_named, related_columns
from scanner_model.errors import NameUnknown

KAFKA = "kafka://k-1:9092"
UP, DOWN = TraversalOptions(downstream=0), TraversalOptions(upstream=0)


def node(kind: NodeKind, name: str, *path: str) -> Node:
    key = f"{kind}:{KAFKA}/{name}" + (f"#{'.'.join(path)}" if path else "")
    return Node(key, kind, KAFKA, name, path or None)


def topic(name: str) -> Node:
    return node(NodeKind.TOPIC, name)


def job(name: str) -> Node:
    return node(NodeKind.JOB, name)


def column(name: str, *path: str) -> Node:
    return node(NodeKind.COLUMN, name, *path)


def edge(source: Node, target: Node, kind: EdgeKind, subtype: str = "") -> Edge:
    return Edge(source.key, target.key, kind, f"{source.name} {target.name}", Certainty.DERIVED, "", subtype)


A, B, C, D = map(topic, "abcd")
SCHEMA = Node("schema:1", NodeKind.SCHEMA, "", "shop.A")
LONELY = Node("column:1#x.y", NodeKind.COLUMN, "", "shop.A", ("x", "y"))
CLUSTER = Node("cluster:k", NodeKind.CLUSTER, KAFKA, "k")
AB, BC, CA = job("ab"), job("bc"), job("a.id")
A_ID, A_DAY, B_ID, B_SUM, C_ID = (
    column(*item) for item in (("a", "id"), ("a", "day"), ("b", "id"), ("b", "s"), ("c", "id"))
)
TABLE = Node("dataset:postgres://db:5432/shop.public.paid", NodeKind.DATASET, "postgres://db:5432", "shop.public.paid")
AMOUNT = Node(f"column:{TABLE.namespace}/{TABLE.name}#sum", NodeKind.COLUMN, TABLE.namespace, TABLE.name, ("sum",))
FILE = Node("dataset:file//tmp/b.txt", NodeKind.DATASET, "file", "/tmp/b.txt")
NODES = (TABLE, AMOUNT, FILE, CLUSTER, A, B, C, D, AB, BC, CA, A_DAY, A_ID, B_ID, B_SUM, C_ID, SCHEMA, LONELY)
EDGES = (
    *(edge(CLUSTER, node, EdgeKind.CONTAINS) for node in (A, B, C, D)),
    edge(A, SCHEMA, EdgeKind.HAS_SCHEMA, "value"),
    *(edge(*ends, EdgeKind.READS) for ends in ((A, AB), (B, BC), (C, CA))),
    *(edge(*ends, EdgeKind.WRITES) for ends in ((AB, B), (BC, C), (CA, A))),
    *(edge(*ends, EdgeKind.CONTAINS) for ends in ((A, A_DAY), (A, A_ID), (B, B_ID), (B, B_SUM), (C, C_ID))),
    edge(A_DAY, B, EdgeKind.COLUMN_FLOW, "FILTER"),
    edge(A_ID, B_ID, EdgeKind.COLUMN_FLOW, "IDENTITY"),
    edge(B_SUM, C_ID, EdgeKind.COLUMN_FLOW, "IDENTITY"),
    edge(SCHEMA, LONELY, EdgeKind.CONTAINS),
)
GRAPH = FlowGraph(nodes=lambda: iter(NODES), edges=lambda: iter(EDGES))


@pytest.fixture
def conn(new_dictionary):
    """Return a connection to a dictionary that holds the graph."""
    engine = open_dictionary(new_dictionary)
    store(engine, GRAPH)
    with engine.connect() as connection:
        yield connection


def steps(root: Node, question: TraversalOptions) -> list[tuple[str, str]]:
    return [
        (hop.source.rpartition("/")[2], hop.target.rpartition("/")[2])
        for hop in lineage(root.key, root.kind, question, ahead_in(EDGES)).hops
    ]


def test_downstream_goes_through_jobs_and_round_a_cycle_once() -> None:
    """A topic that a job writes back to is no reason to walk for ever."""
    assert steps(A, DOWN) == [("a", "ab"), ("ab", "b"), ("b", "bc"), ("bc", "c"), ("c", "a.id"), ("a.id", "a")]


def test_upstream_is_the_same_way_back() -> None:
    """The nearest step comes first."""
    assert steps(A, UP)[:2] == [("a.id", "a"), ("c", "a.id")]


def test_depth_counts_steps_each_way() -> None:
    """Of a large installation people want the neighbours."""
    assert steps(A, TraversalOptions(upstream=1, downstream=1)) == [("a.id", "a"), ("a", "ab")]


def test_what_affects_a_whole_topic_affects_its_columns() -> None:
    """The day decides which rows of b there are, and so what b's sum is."""
    assert steps(A_DAY, DOWN) == [("a#day", "b"), ("b", "b#s"), ("b#s", "c#id")]
    assert steps(C_ID, UP) == [("b#s", "c#id"), ("b", "b#s"), ("a#day", "b")]


def test_a_topic_contains_a_column_only_where_a_flow_goes_on() -> None:
    """What a topic contains is no step of its data."""
    assert steps(A_ID, DOWN) == [("a#id", "b#id")]


def test_columns_of_a_topic_are_followed_beside_its_jobs() -> None:
    """Both answers in one."""
    result = steps(B, TraversalOptions(upstream=0, columns=True, downstream=1))

    assert result == [("b", "bc"), ("b", "b#s"), ("b#s", "c#id")]


def test_columns_of_a_job_are_those_of_what_it_reads_and_writes() -> None:
    """A job has no columns of its own."""
    assert ("a#day", "b") in steps(BC, TraversalOptions(downstream=False, columns=True))
    assert ("b#s", "c#id") in steps(AB, TraversalOptions(upstream=0, columns=True))


MIRROR = job("mirror")
COPY_A, COPY_B, LAKE = map(topic, ("eu.a", "eu.b", "lake"))
PAIRS = (
    *(edge(*ends, EdgeKind.READS) for ends in ((A, AB),)),
    edge(A, MIRROR, EdgeKind.READS, "a"),
    edge(B, MIRROR, EdgeKind.READS, "b"),
    edge(MIRROR, COPY_A, EdgeKind.WRITES, "a"),
    edge(MIRROR, COPY_B, EdgeKind.WRITES, "b"),
    edge(MIRROR, LAKE, EdgeKind.WRITES),
    edge(COPY_A, BC, EdgeKind.READS),
    edge(BC, B, EdgeKind.WRITES),
)


def on_pairs(root: Node, question: TraversalOptions) -> list[tuple[str, str]]:
    return [
        (hop.source.rpartition("/")[2], hop.target.rpartition("/")[2])
        for hop in lineage(root.key, root.kind, question, ahead_in(PAIRS)).hops
    ]


def test_a_job_that_is_entered_on_one_route_is_left_on_that_route() -> None:
    """A mirror of ten topics is ten pairs and not a hundred; what has no way is on all of them."""
    assert on_pairs(B, DOWN) == [("b", "mirror"), ("mirror", "eu.b"), ("mirror", "lake")]
    assert on_pairs(COPY_B, TraversalOptions(downstream=0, upstream=2)) == [("mirror", "eu.b"), ("b", "mirror")]


def test_a_job_that_is_reached_again_on_another_route_is_gone_through_again() -> None:
    """The copy of a leads to b, whose own copy comes of the same job."""
    assert on_pairs(A, DOWN)[-2:] == [("b", "mirror"), ("mirror", "eu.b")]


def test_a_job_itself_is_left_on_all_its_ways() -> None:
    """Who asks for the mirror asks for every pair."""
    assert len(on_pairs(MIRROR, TraversalOptions(upstream=1, downstream=1))) == 5


def test_a_consumer_group_of_a_job_is_where_the_job_is() -> None:
    """The topics are the job's to read; the group only says how."""
    group = node(NodeKind.CONSUMER_GROUP, "connect-ab")
    hops = lineage(group.key, group.kind, DOWN, ahead_in([*EDGES, edge(group, AB, EdgeKind.MEMBER_OF)])).hops

    assert [hop.target for hop in hops[:2]] == [AB.key, B.key]


@pytest.mark.parametrize("root", [A, AB, A_DAY, B_SUM, C], ids=lambda item: item.key)
@pytest.mark.parametrize(
    "question", [UP, DOWN, TraversalOptions(columns=True), TraversalOptions(columns=True, upstream=2, downstream=2)]
)
def test_the_stored_graph_gives_what_the_graph_in_memory_gives(root, question, conn) -> None:
    """Large and small give the same answer."""

    def ahead(nodes, forward, kinds):
        for row in edges_at(conn, nodes, forward=forward, kinds=kinds):
            yield Hop(row.source_node_id, row.target_node_id, row.kind, row)

    (stored,) = [item for item in nodes_named(SqlGraphReader(conn), root.key) if item.node_key == root.key]
    hops = lineage(stored.id, stored.kind, question, ahead).hops
    keys = nodes_of(conn, [end for hop in hops for end in (hop.source, hop.target)])

    assert [(keys[hop.source].node_key, keys[hop.target].node_key, hop.edge.subtype) for hop in hops] == [
        (hop.source, hop.target, hop.edge.subtype)
        for hop in lineage(root.key, root.kind, question, ahead_in(EDGES)).hops
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", [A]),
        ("ab", [AB]),
        ("b.s", [B_SUM]),
        (f"{KAFKA}/a", [A]),
        (f"{KAFKA}/b.s", [B_SUM]),
        (A.key, [A]),
        (B_SUM.key, [B_SUM]),
        ("a.id", [CA, A_ID]),
        (f"column:{KAFKA}/a#id", [A_ID]),
        ("a.x.y", [LONELY]),
        ("job:a.id", [CA]),
        ("paid", [TABLE]),
        ("public.paid", [TABLE]),
        ("paid.sum", [AMOUNT]),
        ("postgres://db:5432/paid", [TABLE]),
        ("dataset:paid", [TABLE]),
        *((name, [FILE]) for name in ("/tmp/b.txt", "file:///tmp/b.txt", "file/tmp/b.txt", FILE.key)),
    ],
)
def test_a_node_is_called_as_people_know_it(text, expected, conn) -> None:
    """A name, with its namespace, with a path, or the id; where several are called so, all of them."""
    assert [item.node_key for item in nodes_named(SqlGraphReader(conn), text)] == [item.key for item in expected]


@pytest.mark.parametrize(("text", "near"), [("bb", "b"), ("b.sum", "b.s"), ("a.x.z", "a.x.y"), ("kafka://?/a", "")])
def test_an_unknown_node_is_answered_with_the_nearest(text, near, conn) -> None:
    """A typing error costs one line."""
    with pytest.raises(NameUnknown) as error:
        nodes_named(SqlGraphReader(conn), text)

    assert near in error.value.hint


def test_brokers_of_a_name_are_looked_up_once_however_often_it_is_resolved(conn) -> None:
    """A question resolves its node, asks what the name means, and for columns beside it: at every slash, each time."""
    seen: list[str] = []
    event.listen(conn, "before_cursor_execute", lambda *told: seen.append(told[2]))
    graph = SqlGraphReader(conn)
    (found,) = nodes_named(graph, f"{KAFKA}/b.s")
    brokers = [statement for statement in seen if "FROM cluster" in statement]
    meaning(graph, f"{KAFKA}/b.s", found)
    related_columns(graph, f"{KAFKA}/b.s")

    assert [statement for statement in seen if "FROM cluster" in statement] == brokers != []
