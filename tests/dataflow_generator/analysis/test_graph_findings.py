"""Validation of a graph: what looks odd is found and called what it is."""

import itertools

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.analysis.connectivity import cycles
from dataflow_generator.analysis.findings import FindingKind, counts, validate
from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind

KAFKA = "kafka://k-1:9092"
CLUSTER = Node("cluster:k", NodeKind.CLUSTER, KAFKA, "k")
SCHEMA = Node("schema:1", NodeKind.SCHEMA, "", "R")


def topic(name: str, **attributes) -> Node:
    return Node(f"topic:{KAFKA}/{name}", NodeKind.TOPIC, KAFKA, name, None, tuple(attributes.items()))


def job(name: str) -> Node:
    return Node(f"job:x/{name}", NodeKind.JOB, "x", name)


def column(name: str, *path: str, **attributes) -> Node:
    key = f"column:{KAFKA}/{name}#{'.'.join(path)}"
    return Node(key, NodeKind.COLUMN, KAFKA, name, path, tuple(attributes.items()))


def edge(source: Node, target: Node, kind: EdgeKind, variant: str = "") -> Edge:
    return Edge(source.key, target.key, kind, "told", Certainty.DERIVED, "", variant)


def reads(source: Node, target: Node, variant: str = "") -> Edge:
    return edge(source, target, EdgeKind.READS, variant)


def writes(source: Node, target: Node, variant: str = "") -> Edge:
    return edge(source, target, EdgeKind.WRITES, variant)


def result(nodes, edges, *kinds: FindingKind) -> list[str]:
    return [item.what for item in validate(nodes, edges) if not kinds or item.kind in kinds]


A, B, C = map(topic, "abc")
J, K = map(job, "jk")
HELD = [edge(CLUSTER, item, EdgeKind.CONTAINS) for item in (A, B, C)]


def test_a_graph_in_which_all_ends_meet_has_no_findings() -> None:
    """Silence is worth something."""
    assert result([CLUSTER, A, B, J], [*HELD[:2], reads(A, J), writes(J, B)]) == []


def test_a_topic_that_nobody_reads_or_writes_is_reported_unless_it_is_internal() -> None:
    """Kafka's own topics are always alone."""
    nodes = [CLUSTER, A, topic("__consumer_offsets", internal=True)]

    assert result(nodes, HELD[:1]) == ["a has no known readers or writers"]


def test_a_job_without_an_end_is_reported_with_the_end_that_it_lacks() -> None:
    """A sink whose target is unknown reads all the same."""
    assert result([A, J, K], [*HELD[:1], reads(A, J)], FindingKind.JOB_WITHOUT_END) == [
        "j has no known outputs",
        "k has no known inputs and outputs",
    ]


def test_internal_job_needs_no_end() -> None:
    """ksqlDB fills the store of a source table by a query that writes no topic."""
    store = Node("job:ksqldb://k/CST_1", NodeKind.JOB, "ksqldb://k", "CST_1", None, (("internal", True),))
    orders = topic("orders")

    assert result([orders, store], [reads(orders, store)], FindingKind.JOB_WITHOUT_END) == []


def test_a_topic_that_only_a_job_names_is_reported() -> None:
    """It is misspelt, or of a cluster that nobody scans."""
    assert result([CLUSTER, A, B, J], [*HELD[:1], reads(A, J), writes(J, B)]) == [
        "a job uses b, which no scan has found"
    ]


def test_an_edge_to_a_node_that_is_not_there_is_reported_with_the_end_that_is_missing() -> None:
    """Whoever reads the graph would stumble over it."""
    assert result([A, J], [reads(A, J), writes(J, B)], FindingKind.DANGLING_EDGE) == [
        f"writes from {J.key} to {B.key}: {B.key} does not exist"
    ]


def test_a_job_that_reads_what_it_writes_is_a_self_loop() -> None:
    """Often a retry; always worth knowing."""
    assert result([A, J], [*HELD[:1], reads(A, J), writes(J, A)], FindingKind.SELF_LOOP) == ["a -> j -> a"]


def test_data_that_come_back_through_several_jobs_are_feedback() -> None:
    """Told as the shortest way round."""
    edges = [reads(A, J), writes(J, B), reads(B, K), writes(K, A), writes(K, C)]

    (finding,) = [item for item in validate([A, B, C, J, K], edges) if item.kind is FindingKind.FEEDBACK]
    assert finding.what in ("a -> j -> b -> k -> a", "b -> k -> a -> j -> b")
    assert len(finding.nodes) == 4


def test_routes_of_a_job_that_do_not_meet_make_no_cycle() -> None:
    """Two mirrors in one connector are no loop."""
    edges = [reads(A, J, "1"), writes(J, B, "1"), reads(B, K), writes(K, A), reads(C, J, "2"), writes(J, C, "3")]

    assert result([A, B, C, J, K], edges, FindingKind.SELF_LOOP) == []
    assert len(result([A, B, C, J, K], edges, FindingKind.FEEDBACK)) == 1


def test_topics_that_are_only_a_job_s_own_make_no_cycle() -> None:
    """Every repartition is read by the one that writes it."""
    edges = [reads(A, J, "internal"), writes(J, A, "internal"), reads(B, J), writes(J, C)]

    assert result([A, B, C, J], edges, FindingKind.SELF_LOOP, FindingKind.FEEDBACK) == []


def test_a_column_in_a_flow_that_no_schema_of_its_topic_has_is_reported() -> None:
    """What the topic has is described; of a topic without a schema nobody can tell."""
    known, unknown, free = column("a", "id", type="string"), column("a", "x", "y"), column("b", "z")
    edges = [
        *HELD[:2],
        edge(A, SCHEMA, EdgeKind.HAS_SCHEMA),
        *(edge(A, item, EdgeKind.CONTAINS) for item in (known, unknown)),
        edge(B, free, EdgeKind.CONTAINS),
    ]

    assert result([CLUSTER, A, B, known, unknown, free, SCHEMA], edges, FindingKind.UNKNOWN_COLUMN) == [
        "a flow uses x.y, which no schema of a contains"
    ]


def test_what_the_broker_reports_a_record_is_no_unknown_column() -> None:
    """No schema has it."""
    columns = [column("a", "$rowtime"), column("a", "ROWTIME")]
    edges = [edge(A, SCHEMA, EdgeKind.HAS_SCHEMA), *(edge(A, item, EdgeKind.CONTAINS) for item in columns)]

    assert result([A, *columns, SCHEMA], edges, FindingKind.UNKNOWN_COLUMN) == []


def test_findings_are_counted_by_kind() -> None:
    """The gravest first."""
    findings = validate([A, B, J], [reads(A, J)])

    assert list(counts(findings).items()) == [
        (FindingKind.UNKNOWN_TOPIC, 1),
        (FindingKind.JOB_WITHOUT_END, 1),
        (FindingKind.ORPHAN_TOPIC, 1),
    ]


def test_a_long_chain_is_no_reason_to_recurse() -> None:
    """A graph has more nodes than Python has calls."""
    ahead = {(str(item), ""): [(str(item + 1), "")] for item in range(5000)} | {("5000", ""): [("0", "")]}

    assert len(next(iter(cycles(ahead)))) == 5001


@examples(100)
@given(edges=st.sets(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=12))
def test_a_cycle_is_found_where_there_is_one_and_is_one(edges) -> None:
    """Every pair of neighbours is an edge; without a circle nodes can be put into an order."""
    ahead = {(node,): sorted((after,) for before, after in edges if before == node) for node, _ in sorted(edges)}
    listed = list(cycles(ahead))

    for cycle in listed:
        assert all(after in ahead[before] for before, after in itertools.pairwise([*cycle, cycle[0]]))
    ordered = any(all(order.index(a) < order.index(b) for a, b in edges) for order in itertools.permutations("abcde"))
    assert bool(listed) != ordered
