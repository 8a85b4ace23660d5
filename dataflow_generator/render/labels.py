"""Labels of nodes and edges in diagrams."""

from __future__ import annotations

from collections.abc import Mapping

from dataflow_generator.graph import Attribute, Edge, EdgeKind, FlowGraph, Node
from scanner_model.columns import path_name


def attribute_types(graph: FlowGraph) -> Mapping[str, type[Attribute]]:
    """Return the type of every attribute by name, in order; text where types differ. Reads all nodes."""
    types_by_name: dict[str, set[type[Attribute]]] = {}
    for node in graph.nodes():
        for name, value in node.attributes:
            types_by_name.setdefault(name, set()).add(type(value))
    return {name: types.pop() if len(types) == 1 else str for name, types in sorted(types_by_name.items())}


def node_label(node: Node) -> str:
    """Return a column's last segment, another node's name, or a placeholder where it has none."""
    if node.path is not None:
        return path_name(node.path[-1:]) or node.name or "(value)"
    return node.name or "(schema)"


def edge_label(edge: Edge) -> str:
    """Return the subtype, or else the kind; nothing for `contains`, which the diagram shows.

    The subtype of reads and writes is a route, which the names at the ends already show.
    """
    if edge.kind in (EdgeKind.READS, EdgeKind.WRITES):
        return str(edge.kind)
    return edge.subtype or ("" if edge.kind is EdgeKind.CONTAINS else str(edge.kind))


def full_name(node: Node) -> str:
    """Return a node's name, for a column with its path; a node without name by its key."""
    if node.path is not None:
        return ".".join(filter(None, (node.name, path_name(node.path)))) or node.key
    return node.name or node.key
