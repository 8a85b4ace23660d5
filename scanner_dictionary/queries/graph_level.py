"""The stored graph above its schemas: clusters, datasets, jobs, columns in flows; small beside all columns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select, true

from scanner_dictionary import tables as t
from scanner_dictionary.graph_store import EdgeRow, NodeRow


def upper_nodes(conn: Connection) -> Iterator[NodeRow]:
    """List the nodes that stand before the first schema, in the graph's order: that order makes it a range of keys."""
    node = t.flow_node
    first = _first_schema(conn)
    query = select(node).where(true() if first is None else node.c.id < first).order_by(node.c.id)
    return (NodeRow(*row) for row in conn.execute(query))


def upper_edges(conn: Connection) -> Iterator[EdgeRow]:
    """List the edges that leave those nodes, by key, but for flows of columns."""
    edge = t.flow_edge
    first = _first_schema(conn)
    upper = true() if first is None else edge.c.source_node_id < first
    query = select(edge).where(upper, edge.c.kind != "column-flow").order_by(edge.c.id)
    return (EdgeRow(*row) for row in conn.execute(query))


def _first_schema(conn: Connection) -> int | None:
    node = t.flow_node.c
    return conn.execute(select(node.id).where(node.kind == "schema").order_by(node.id).limit(1)).scalar()
