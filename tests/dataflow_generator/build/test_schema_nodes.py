"""From rows to nodes and edges."""

from dataflow_generator.build.schema_nodes import (
    cluster_node,
    definition_edges,
    definition_nodes,
    link_edge,
    namespaces,
    topic_edge,
    topic_node,
)
from dataflow_generator.graph import Certainty, EdgeKind, NodeKind
from scanner_dictionary.lineage_inputs.topics import ClusterRow, ColumnNodeRow, DefinitionRow, LinkRow
from scanner_model.kafka import Topic
from scanner_model.names import SourceId, TopicName

RETAIL = ClusterRow("retail", ("kafka-1:9092", "kafka-2:9092"))
KNOWN = namespaces([RETAIL])
ORDERS = Topic(source=SourceId("kafka:kafka-1:9092"), name=TopicName("shop.orders"), partitions=6)


def column(*path: str, type_: str = "string") -> ColumnNodeRow:
    return ColumnNodeRow(tuple(path), ".".join(path), type_, None, False, ())


def definition(*columns: ColumnNodeRow) -> DefinitionRow:
    return DefinitionRow("f" * 64, "AVRO", "com.acme.Order", columns)


def link(confidence: str = "confirmed", strategy: str = "topic") -> LinkRow:
    return LinkRow("retail", "shop.orders", "value", "f" * 64, strategy, "subject 'shop.orders-value'", confidence)


def test_a_cluster_is_named_by_its_first_broker() -> None:
    """OpenLineage names Kafka by a bootstrap server; every other address resolves to this one."""
    assert cluster_node(RETAIL).namespace == "kafka://kafka-1:9092"


def test_a_cluster_without_brokers_goes_by_its_name() -> None:
    """A name is better than nothing, and stable."""
    assert namespaces([ClusterRow("lost", ())]) == {"lost": "kafka://lost"}


def test_a_topic_keeps_its_name_whole() -> None:
    """Dots and dashes in a topic mean nothing."""
    node = topic_node("retail", ORDERS, KNOWN)

    assert (node.kind, node.namespace, node.name) == (NodeKind.TOPIC, "kafka://kafka-1:9092", "shop.orders")
    assert topic_edge("retail", ORDERS, KNOWN).target == node.key


def test_topics_of_the_same_name_in_two_clusters_are_two_nodes() -> None:
    """The cluster is part of a topic's identity."""
    known = namespaces([RETAIL, ClusterRow("eu", ("eu-1:9092",))])

    assert topic_node("retail", ORDERS, known).key != topic_node("eu", ORDERS, known).key


def test_a_schema_is_followed_by_its_columns() -> None:
    """The order of a document is the order of the graph."""
    nodes = list(definition_nodes(definition(column("id"), column("a", type_="record"), column("a", "b"))))

    assert [node.path for node in nodes] == [None, ("id",), ("a",), ("a", "b")]
    assert len({node.key for node in nodes}) == 4


def test_a_nested_column_is_contained_in_its_parent() -> None:
    """Schema contains a, a contains a.b."""
    schema, _, a, b = definition_nodes(definition(column("id"), column("a"), column("a", "b")))
    edges = list(definition_edges(definition(column("id"), column("a"), column("a", "b"))))

    assert [(edge.source, edge.target) for edge in edges][1:] == [(schema.key, a.key), (a.key, b.key)]


def test_a_message_that_is_one_value_has_one_column() -> None:
    """Its path is empty, and it hangs on the schema."""
    (edge,) = definition_edges(definition(column()))

    assert edge.source.startswith("schema:")


def test_an_edge_states_why_it_is_believed() -> None:
    """Declared, derived from a statement, or matched by name."""
    edge = link_edge(link(), KNOWN)

    assert (edge.kind, edge.subtype, edge.evidence) == (EdgeKind.HAS_SCHEMA, "value", "subject 'shop.orders-value'")
    assert edge.certainty == Certainty.MATCHED
    assert link_edge(link("declared"), KNOWN).certainty == Certainty.DECLARED
    assert link_edge(link("declared", "ksqldb"), KNOWN).certainty == Certainty.DERIVED
