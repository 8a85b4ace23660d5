"""The job and topic level of the stored graph, as bare cells: what analyses of its shape need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, case, func, select, true

from scanner_dictionary.engine.bulk_insert import in_chunks
from scanner_dictionary.schema import tables as t

_DESCRIBED = '%"type":%'
_INTERNAL = '%"internal":%'
"""In the JSON text of attributes, where a quote inside a value has a backslash before it."""

_AT_ONCE = 500
_CONTAINS = "contains"
_HAS_SCHEMA = "has-schema"
_OTHERS = (_CONTAINS, _HAS_SCHEMA, "column-flow")


class Level(NamedTuple):
    """The rows of the job and topic level in the stored graph: conditions on the keys of nodes and of edges."""

    conn: Connection
    nodes: ColumnElement[bool]
    edges: ColumnElement[bool]


def upper_level(conn: Connection) -> Level:
    """Find the rows that come before the first schema in the graph's order: that order makes them a range of keys."""
    node, edge = t.flow_node.c, t.flow_edge.c
    if (conn.scalar(select(func.min(node.id))) or 0) < 0:
        return Level(conn, node.id < 0, edge.id < 0)
    # All of this graph was numbered from one.
    first = conn.scalar(select(node.id).where(node.kind == "schema").order_by(node.id).limit(1))
    return Level(conn, *((true(), true()) if first is None else (node.id < first, edge.source_node_id < first)))


def upper_nodes(level: Level) -> Sequence[Any]:
    """List the nodes but the columns, in the graph's order: key, node's key, kind, namespace, name, attributes.

    The attributes are left out (empty) unless they mark the node as internal.
    """
    node = t.flow_node.c
    attributes = case((node.attributes.like(_INTERNAL), node.attributes), else_="")
    query = select(node.id, node.node_key, node.kind, node.namespace, node.name, attributes)
    return _bare(level, query.where(level.nodes, node.kind != "column").order_by(node.id))


def bare_names(level: Level, spaces: Iterable[str]) -> Sequence[Any]:
    """List the namespace and name of each column in flows that no schema describes, in some namespaces."""
    node = t.flow_node.c
    # Each topic once would be looked for along the index of names, which takes four times as long.
    return _bare(level, select(node.namespace, node.name).where(*_bare_columns(level, spaces)))


def bare_columns(level: Level, spaces: Iterable[str], names: Iterable[str]) -> Iterator[Any]:
    """List such columns of what has one of *names*: namespace, name, node's key, path."""
    node = t.flow_node.c
    query = select(node.namespace, node.name, node.node_key, node.path).where(*_bare_columns(level, spaces))
    for chunk in in_chunks(sorted(names), _AT_ONCE):
        yield from _bare(level, query.where(node.name.in_(chunk)).order_by(node.id))


def job_edges(level: Level) -> Sequence[Any]:
    """List the edges for reads, writes, materializations and members, by key: keys of the ends, kind, flow type."""
    edge = t.flow_edge.c
    query = select(edge.source_node_id, edge.target_node_id, edge.kind, edge.subtype)
    return _bare(level, query.where(level.edges, edge.kind.not_in(_OTHERS)).order_by(edge.id))


def contained(level: Level, clusters: Iterable[int]) -> list[int]:
    """List the keys of all nodes in *clusters*, which are keys."""
    edge = t.flow_edge.c
    query = select(edge.target_node_id).where(edge.kind == _CONTAINS)
    chunks = in_chunks(sorted(clusters), _AT_ONCE)
    return [key for chunk in chunks for (key,) in _bare(level, query.where(edge.source_node_id.in_(chunk)))]


def with_schemas(level: Level, topics: Iterable[int]) -> set[int]:
    """Return those of *topics*, by key, that have a schema."""
    edge = t.flow_edge.c
    query = select(edge.source_node_id).where(edge.kind == _HAS_SCHEMA)
    chunks = in_chunks(sorted(topics), _AT_ONCE)
    return {key for chunk in chunks for (key,) in _bare(level, query.where(edge.source_node_id.in_(chunk)))}


def _bare_columns(level: Level, spaces: Iterable[str]) -> tuple[ColumnElement[bool], ...]:
    node = t.flow_node.c
    inside = node.kind == "column", node.namespace.in_(sorted(spaces)), node.path.is_not(None)
    return level.nodes, *inside, node.attributes.not_like(_DESCRIBED)


def _bare(level: Level, query: Select[Any]) -> Sequence[Any]:
    # Past SQLAlchemy's row: it costs as much as reading the cells.
    result = level.conn.execute(query)
    return result.cursor.fetchall() if result.cursor else ()
