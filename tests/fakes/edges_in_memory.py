"""A look-up of edges in memory, in place of a stored graph's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dataflow_generator.graph import Edge, EdgeKind, NodeKind
from dataflow_generator.query.traversal import EdgeLookup, Hop, Kinds


def ahead_in(edges: Iterable[Edge]) -> EdgeLookup[str, Edge]:
    """Return the edge lookup for *edges*, held in memory."""
    hops = [
        Hop(edge.source, edge.target, str(edge.kind), edge)
        for edge in edges
        if edge.kind is not EdgeKind.CONTAINS or edge.target.startswith(f"{NodeKind.COLUMN}:")
    ]

    def ahead(nodes: Sequence[str], forward: bool, kinds: Kinds) -> Iterable[Hop[str, Edge]]:
        node_set = frozenset(nodes)
        return (hop for hop in hops if hop.kind in kinds and (hop.source if forward else hop.target) in node_set)

    return ahead
