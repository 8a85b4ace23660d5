"""The stored graph above its schemas: clusters, datasets, jobs, and of the columns in flows those nobody describes."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, and_, or_, select, true

from scanner_dictionary import tables as t
from scanner_dictionary.graph_store import EdgeRow, NodeRow

_DESCRIBED = '%"type":%'
"""In the JSON text of a column's attributes, where a quote inside a value has a backslash before it."""

_ROWS = 2_000
"""Rows that a driver gives at once: one by one they take twice the time."""


def upper_nodes(conn: Connection) -> Iterator[NodeRow]:
    """List the nodes that stand before the first schema, in the graph's order: that order makes it a range of keys.

    Columns that somebody describes are left out, and those of what is no cluster's: they are nearly all.
    """
    node = t.flow_node
    first = _first_schema(conn)
    spaces = list(conn.scalars(select(node.c.namespace).where(node.c.kind == "cluster", _above(first))))
    bare = and_(node.c.attributes.not_like(_DESCRIBED), node.c.namespace.in_(spaces))
    query = select(node).where(_above(first), or_(node.c.kind != "column", bare))
    return map(NodeRow._make, conn.execute(query.order_by(node.c.id).execution_options(yield_per=_ROWS)))


def upper_edges(conn: Connection) -> Iterator[EdgeRow]:
    """List the edges that leave such nodes, by key, without those to columns."""
    edge = t.flow_edge.c
    first = _first_schema(conn)
    upper: ColumnElement[bool] = true() if first is None else edge.source_node_id < first
    clusters = select(t.flow_node.c.id).where(t.flow_node.c.kind == "cluster")
    topics = or_(edge.kind != "contains", edge.source_node_id.in_(list(conn.scalars(clusters.where(_above(first))))))
    query = select(t.flow_edge).where(upper, edge.kind != "column-flow", topics).order_by(edge.id)
    return map(EdgeRow._make, conn.execute(query.execution_options(yield_per=_ROWS)))


def _above(first: int | None) -> ColumnElement[bool]:
    return true() if first is None else t.flow_node.c.id < first


def _first_schema(conn: Connection) -> int | None:
    node = t.flow_node.c
    return conn.execute(select(node.id).where(node.kind == "schema").order_by(node.id).limit(1)).scalar()
