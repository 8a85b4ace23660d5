"""Labels of nodes and edges in diagrams."""

from __future__ import annotations

from dataflow_generator.graph import Edge, EdgeKind, Node
from scanner_model.column_path import path_name


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
