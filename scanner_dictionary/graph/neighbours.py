"""The nearest edges of nodes of the stored graph: bounded, and counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph.store import EdgeRow
from scanner_dictionary.schema import tables as t

_NODES_AT_ONCE = 500


def count_edges(conn: Connection, nodes: Collection[int], *, forward: bool, kinds: Collection[str]) -> dict[int, int]:
    """Count the edges of *kinds* that leave (*forward*) or enter each of *nodes*; one without any is not listed."""
    counts: dict[int, int] = {}
    for chunk in in_chunks(sorted(nodes), _NODES_AT_ONCE):
        rows = conn.execute(_COUNTS[forward], {"nodes": chunk, "kinds": sorted(kinds)})
        counts |= {row[0]: row[1] for row in rows.all()}
    return counts


def nearest_edges(
    conn: Connection, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], limit: int
) -> tuple[EdgeRow, ...]:
    """Return at most *limit* edges of *kinds* that leave (*forward*) or enter *nodes*, the first by key."""
    rows: list[EdgeRow] = []
    for chunk in in_chunks(nodes, _NODES_AT_ONCE):
        nearest = conn.execute(_NEAREST[forward], {"nodes": chunk, "kinds": sorted(kinds), "most": limit})
        rows += map(EdgeRow._make, nearest.all())
    return tuple(sorted(rows)[:limit])


_NEAR = {True: t.flow_edge.c.source_node_id, False: t.flow_edge.c.target_node_id}


def _at_nodes(query: Select[Any], *, forward: bool) -> Select[Any]:
    nodes: BindParameter[Any] = bindparam("nodes", expanding=True)
    kinds: BindParameter[Any] = bindparam("kinds", expanding=True)
    return query.where(_NEAR[forward].in_(nodes), t.flow_edge.c.kind.in_(kinds))


_NEAREST = {
    forward: _at_nodes(select(t.flow_edge), forward=forward).order_by(t.flow_edge.c.id).limit(bindparam("most"))
    for forward in _NEAR
}
_COUNTS = {
    forward: _at_nodes(select(near_end, func.count()), forward=forward).group_by(near_end)
    for forward, near_end in _NEAR.items()
}
"""Queries by direction; building them each time would cost more than running them."""
