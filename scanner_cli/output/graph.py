"""Nodes and edges of the stored graph, as JSON members and as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scanner_api.graph.lineage import node_path
from scanner_model.column_path import path_name

if TYPE_CHECKING:
    from scanner_dictionary.graph.store import EdgeRow, NodeRow

Json = Any


def shown_name(node: NodeRow) -> str:
    """Return the name that people know; a dataset outside Kafka needs its namespace."""
    name = f"{node.namespace}/{node.name}" if node.kind == "dataset" else node.name
    return f"{name}.{path_name(node_path(node) or ())}" if node.path else name


def node_document(node: NodeRow) -> dict[str, Json]:
    """Return a node."""
    path = node_path(node)
    return {
        "id": node.node_key,
        "kind": node.kind,
        "namespace": node.namespace,
        "name": node.name,
        "path": None if path is None else list(path),
    }


def edge_document(edge: EdgeRow, nodes: Mapping[int, NodeRow]) -> dict[str, Json]:
    """Return an edge between *nodes*."""
    return {
        "source": nodes[edge.source_node_id].node_key,
        "target": nodes[edge.target_node_id].node_key,
        "kind": edge.kind,
        "type": edge.flow_type,
        "subtype": edge.subtype,
        "evidence": edge.evidence,
        "certainty": edge.certainty,
    }


def edge_row(edge: EdgeRow, nodes: Mapping[int, NodeRow]) -> dict[str, str]:
    """Return an edge as a row of a table."""
    return {
        "from": shown_name(nodes[edge.source_node_id]),
        "how": " ".join(filter(None, (edge.kind, edge.flow_type, edge.subtype))),
        "to": shown_name(nodes[edge.target_node_id]),
        "certainty": edge.certainty,
        "evidence": edge.evidence,
    }
