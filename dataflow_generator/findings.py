"""The findings of the graph that a dictionary holds."""

from __future__ import annotations

import json

from dataflow_generator.graph import Attribute, Certainty, Edge, EdgeKind, Node, NodeKind
from dataflow_generator.validation import Finding, validate
from scanner_dictionary.graph_store import NodeRow
from scanner_dictionary.opening import Connection
from scanner_dictionary.queries.graph_level import upper_edges, upper_nodes


def stored_findings(conn: Connection) -> tuple[Finding, ...]:
    """Validate the stored graph; of it only what stands above the schemas is read."""
    keys: dict[int, str] = {}
    nodes = []
    for row in upper_nodes(conn):
        keys[row.id] = row.node_key
        nodes.append(_node(row))
    edges = (
        Edge(
            keys[row.source_node_id],
            keys.get(row.target_node_id, f"schema:{row.target_node_id}"),
            EdgeKind(row.kind),
            row.evidence,
            Certainty(row.certainty),
            row.flow_type,
            row.subtype,
        )
        for row in upper_edges(conn)
    )
    return validate(nodes, edges)


def _node(row: NodeRow) -> Node:
    path = None if row.path is None else tuple(json.loads(row.path))
    told: dict[str, Attribute] = json.loads(row.attributes)
    return Node(row.node_key, NodeKind(row.kind), row.namespace, row.name, path, tuple(told.items()))
