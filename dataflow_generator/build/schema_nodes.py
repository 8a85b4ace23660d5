"""Nodes and edges of clusters, topics and schemas from dictionary rows; pure, for local and Spark generation alike."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

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
from scanner_dictionary.graph.store import SCHEMA_BITS
from scanner_dictionary.lineage_inputs.topics import Cells, ClusterRow, ColumnNodeRow, DefinitionRow, Head, LinkRow
from scanner_model.kafka import Topic

_CACHED_ATTRIBUTES = 4_096

Namespaces = Mapping[str, str]
_CERTAINTY = {"declared": Certainty.DECLARED, "confirmed": Certainty.MATCHED, "assumed": Certainty.MATCHED}


def namespaces(clusters: Iterable[ClusterRow]) -> Namespaces:
    """Return the canonical namespace of each cluster by cluster name."""
    return {cluster.name: kafka_namespace(cluster.name, cluster.brokers) for cluster in clusters}


def cluster_node(cluster: ClusterRow) -> Node:
    """Build the node of a cluster."""
    namespace = kafka_namespace(cluster.name, cluster.brokers)
    attributes = present(brokers=cluster.brokers)
    return Node(f"cluster:{cluster.name}", NodeKind.CLUSTER, namespace, cluster.name, None, attributes)


def topic_node(cluster: str, topic: Topic, known: Namespaces) -> Node:
    """Build the node of a topic."""
    namespace = known[cluster]
    attributes = present(
        description=topic.description, internal=topic.internal, partitions=topic.partitions, tags=topic.tags
    )
    return Node(topic_key(namespace, topic.name), NodeKind.TOPIC, namespace, topic.name, None, attributes)


def topic_key(namespace: str, name: str) -> str:
    """Return the key of a topic's node."""
    return f"topic:{namespace}/{name}"


def topic_edge(cluster: str, topic: Topic, known: Namespaces) -> Edge:
    """Build the edge from a cluster to a topic."""
    target = topic_key(known[cluster], topic.name)
    evidence = f"cluster {cluster}"
    return Edge(f"cluster:{cluster}", target, EdgeKind.CONTAINS, evidence, Certainty.DECLARED)


def link_edge(link: LinkRow, known: Namespaces) -> Edge:
    """Build the edge from a topic to a schema; the subtype is key or value."""
    source = topic_key(known[link.cluster], link.topic)
    certainty = Certainty.DERIVED if link.strategy == "ksqldb" else _CERTAINTY.get(link.confidence, Certainty.MATCHED)
    return Edge(source, schema_key(link.fingerprint), EdgeKind.HAS_SCHEMA, link.evidence, certainty, "", link.role)


def definition_nodes(definition: DefinitionRow) -> Iterator[Node]:
    """Yield the node of a schema, then those of its columns in document order."""
    key = schema_key(definition.fingerprint)
    attributes = present(format=definition.format, fingerprint=definition.fingerprint)
    yield Node(key, NodeKind.SCHEMA, "", definition.name, None, attributes)
    stem = column_stem(key)
    for column in definition.columns:
        yield Node(
            f"{stem}#{column.name}", NodeKind.COLUMN, "", definition.name, column.path, column_attributes(column)
        )


def definition_edges(definition: DefinitionRow) -> Iterator[Edge]:
    """Yield the containment edges: from the schema to its top-level columns, from a column to those inside it."""
    key = schema_key(definition.fingerprint)
    stem = column_stem(key)
    keys = {column.path: f"{stem}#{column.name}" for column in definition.columns}
    evidence = schema_evidence(definition.name)
    for column in definition.columns:
        parent = keys.get(column.path[:-1], key) if column.path else key
        yield Edge(parent, keys[column.path], EdgeKind.CONTAINS, evidence, Certainty.DECLARED)


def schema_evidence(name: str) -> str:
    """Return the evidence of the edges inside the schema *name*."""
    return f"schema {name}".rstrip()


def column_stem(schema: str) -> str:
    """Return the common prefix of the keys of the columns of *schema*, which is a node's key."""
    return f"column:{schema.removeprefix('schema:')}"


def column_attributes(column: ColumnNodeRow) -> Attributes:
    """Return the attributes of a schema column."""
    return _column_attributes(column.type, column.logical_type, column.nullable, column.tags)


@lru_cache(maxsize=_CACHED_ATTRIBUTES)
def _column_attributes(type_: str, logical_type: str | None, nullable: bool, tags: tuple[str, ...]) -> Attributes:
    """Return the attributes of a column; cached, because few columns differ in them."""
    return present(logical_type=logical_type, nullable=nullable, tags=tags, type=type_)


LAYOUT = 1
"""What the rows of a schema are made like; another number where they change, so that stored ones are made again."""

Row = tuple[Any, ...]
"""The cells of a `NodeRow` or an `EdgeRow`: there are millions, and a tuple with names takes longer to make."""

_BATCHES_KEPT = 65_536
_CONTAINS, _DECLARED, _COLUMN = str(EdgeKind.CONTAINS), str(Certainty.DECLARED), str(NodeKind.COLUMN)
_SCHEMA = str(NodeKind.SCHEMA)
_DEFINITION = itemgetter(0)
_WIDE, _NARROW = '", "', '","'


def schema_number(definition: int) -> int:
    """Return the key of the row of a definition's node; those of its columns follow it."""
    return definition << SCHEMA_BITS


def schema_rows(cells: Cells) -> tuple[list[Row], list[Row]]:
    """Return the rows of whole schemas; the edge to a column has the column's own key."""
    columns = {key: list(group) for key, group in groupby(cells.columns, key=_DEFINITION)}
    nodes: list[Row] = []
    edges: list[Row] = []
    for head in cells.heads:
        nodes_of, edges_of = _schema(head, columns.get(head.id, ()), schema_number(head.id))
        nodes += nodes_of
        edges += edges_of
    return nodes, edges


@lru_cache(maxsize=_BATCHES_KEPT)
def list_text(path: tuple[str, ...]) -> str:
    """Serialize a path as JSON; cached, because schemas share most paths."""
    return json.dumps(path, ensure_ascii=False)


@lru_cache(maxsize=_BATCHES_KEPT)
def object_text(attributes: Attributes) -> str:
    """Serialize the attributes of a node as JSON."""
    return json.dumps(dict(attributes), ensure_ascii=False)


def _schema(head: Head, columns: Sequence[Sequence[Any]], node: int) -> tuple[list[Row], list[Row]]:
    key, name = schema_key(head.fingerprint), head.name
    (schema,) = definition_nodes(DefinitionRow(head.fingerprint, head.format, name, ()))
    stem, evidence = f"{column_stem(key)}#", schema_evidence(name)
    nodes: list[Row] = [(node, key, _SCHEMA, "", name, None, object_text(schema.attributes))]
    edges: list[Row] = []
    numbers = {cell[2]: number for number, cell in enumerate(columns, node + 1)}
    for number, (_, _, path, shown, *described) in enumerate(columns, node + 1):
        position, above = _position(path)
        nodes.append((number, stem + shown, _COLUMN, "", name, position, _attributes(*described)))
        edges.append((number, numbers.get(above, node), number, _CONTAINS, "", "", evidence, _DECLARED))
    return nodes, edges


@lru_cache(maxsize=_BATCHES_KEPT)
def _position(path: str) -> tuple[str, str]:
    """Return a path as the graph writes it, and the one above it as the dictionary does (of the message none)."""
    if path == "[]":
        return path, ""
    if "\\" in path or _WIDE in path:
        segments = json.loads(path)
    else:
        # Nearly all paths: without a backslash every quote begins or ends a segment, and `json` takes longer.
        segments = path[2:-2].split(_NARROW)
        return f'["{_WIDE.join(segments)}"]', f'["{_NARROW.join(segments[:-1])}"]' if segments[1:] else "[]"
    return list_text(tuple(segments)), json.dumps(segments[:-1], ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=_BATCHES_KEPT)
def _attributes(type_: str, logical_type: str | None, nullable: bool | int, tags: str | None) -> str:
    column = ColumnNodeRow((), "", type_, logical_type, bool(nullable), tuple(json.loads(tags)) if tags else ())
    return object_text(column_attributes(column))
