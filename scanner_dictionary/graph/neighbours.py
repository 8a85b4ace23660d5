"""The nearest edges of nodes of the stored graph: bounded, and counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, func, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph.store import EdgeRow
from scanner_dictionary.schema import tables as t

_NODES_AT_ONCE = 500


def count_edges(conn: Connection, nodes: Collection[int], *, forward: bool, kinds: Collection[str]) -> dict[int, int]:
    """Count the edges of *kinds* that leave (*forward*) or enter each of *nodes*; one without any is not listed."""
    edge = t.flow_edge.c
    near = edge.source_node_id if forward else edge.target_node_id
    counts: dict[int, int] = {}
    for chunk in in_chunks(sorted(nodes), _NODES_AT_ONCE):
        query = select(near, func.count()).where(near.in_(chunk), edge.kind.in_(sorted(kinds))).group_by(near)
        counts |= {row[0]: row[1] for row in conn.execute(query)}
    return counts


def nearest_edges(
    conn: Connection, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], limit: int
) -> tuple[EdgeRow, ...]:
    """Return at most *limit* edges of *kinds* that leave (*forward*) or enter *nodes*, the first by key."""
    edge = t.flow_edge.c
    near = edge.source_node_id if forward else edge.target_node_id
    rows: list[EdgeRow] = []
    for chunk in in_chunks(nodes, _NODES_AT_ONCE):
        query = select(t.flow_edge).where(near.in_(chunk), edge.kind.in_(sorted(kinds))).order_by(edge.id)
        rows += (EdgeRow(*row) for row in conn.execute(query.limit(limit)))
    return tuple(sorted(rows)[:limit])
