"""From rows of the dictionary to nodes and edges: pure functions that local and Spark generation both call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from dataflow_generator.graph import (
    Attributes,
    Certainty,
    Edge,
    EdgeKind,
    Node,
    NodeKind,
    kafka_namespace,
    present,
    schema_key,
)
from scanner_dictionary.queries.graph_input import ClusterRow, ColumnNodeRow, DefinitionRow, LinkRow, TopicNodeRow

_KEPT = 4_096

Namespaces = Mapping[str, str]
_CERTAINTY = {"declared": Certainty.DECLARED, "confirmed": Certainty.MATCHED, "assumed": Certainty.MATCHED}


def namespaces(clusters: Iterable[ClusterRow]) -> Namespaces:
    """Give each cluster's canonical namespace by its name."""
    return {cluster.name: kafka_namespace(cluster.name, cluster.brokers) for cluster in clusters}


def cluster_node(cluster: ClusterRow) -> Node:
    """Make the node of a cluster."""
    namespace = kafka_namespace(cluster.name, cluster.brokers)
    attributes = present(brokers=cluster.brokers)
    return Node(f"cluster:{cluster.name}", NodeKind.CLUSTER, namespace, cluster.name, None, attributes)


def topic_node(topic: TopicNodeRow, known: Namespaces) -> Node:
    """Make the node of a topic."""
    namespace = known[topic.cluster]
    attributes = present(
        description=topic.description, internal=topic.internal, partitions=topic.partitions, tags=topic.tags
    )
    return Node(topic_key(namespace, topic.name), NodeKind.TOPIC, namespace, topic.name, None, attributes)


def topic_key(namespace: str, name: str) -> str:
    """Give the key of a topic's node."""
    return f"topic:{namespace}/{name}"


def topic_edge(topic: TopicNodeRow, known: Namespaces) -> Edge:
    """Say that a cluster contains a topic."""
    target = topic_key(known[topic.cluster], topic.name)
    evidence = f"cluster {topic.cluster}"
    return Edge(f"cluster:{topic.cluster}", target, EdgeKind.CONTAINS, evidence, Certainty.DECLARED)


def link_edge(link: LinkRow, known: Namespaces) -> Edge:
    """Say that a topic has a schema; the subtype is the side of the message."""
    source = topic_key(known[link.cluster], link.topic)
    certainty = Certainty.DERIVED if link.strategy == "ksqldb" else _CERTAINTY.get(link.confidence, Certainty.MATCHED)
    return Edge(source, schema_key(link.fingerprint), EdgeKind.HAS_SCHEMA, link.evidence, certainty, "", link.role)


def definition_nodes(definition: DefinitionRow) -> Iterator[Node]:
    """Make the node of a schema and, after it, those of its columns in document order."""
    key = schema_key(definition.fingerprint)
    attributes = present(format=definition.format, fingerprint=definition.fingerprint)
    yield Node(key, NodeKind.SCHEMA, "", definition.name, None, attributes)
    stem = column_stem(key)
    for column in definition.columns:
        yield Node(
            f"{stem}#{column.name}", NodeKind.COLUMN, "", definition.name, column.path, column_attributes(column)
        )


def definition_edges(definition: DefinitionRow) -> Iterator[Edge]:
    """Say what contains what: the schema its outermost columns, a column the columns inside it."""
    key = schema_key(definition.fingerprint)
    stem = column_stem(key)
    keys = {column.path: f"{stem}#{column.name}" for column in definition.columns}
    evidence = schema_evidence(definition.name)
    for column in definition.columns:
        parent = keys.get(column.path[:-1], key) if column.path else key
        yield Edge(parent, keys[column.path], EdgeKind.CONTAINS, evidence, Certainty.DECLARED)


def schema_evidence(name: str) -> str:
    """Say why a column is in a schema: the schema called *name* has it."""
    return f"schema {name}".rstrip()


def column_stem(schema: str) -> str:
    """Give what the keys of the columns of *schema*, a node's key, start with."""
    return f"column:{schema.removeprefix('schema:')}"


def column_attributes(column: ColumnNodeRow) -> Attributes:
    """Describe a column of a schema."""
    return _described(column.type, column.logical_type, column.nullable, column.tags)


@lru_cache(maxsize=_KEPT)
def _described(type_: str, logical_type: str | None, nullable: bool, tags: tuple[str, ...]) -> Attributes:
    """Describe a column; few differ in what is told of them."""
    return present(logical_type=logical_type, nullable=nullable, tags=tags, type=type_)
