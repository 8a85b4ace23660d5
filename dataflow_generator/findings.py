"""The findings of the graph that a dictionary holds."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import chain

from dataflow_generator.graph import Attribute, Attributes, Certainty, Edge, EdgeKind, Node, NodeKind
from dataflow_generator.pieces import topic_key
from dataflow_generator.validation import Finding, validate
from scanner_dictionary.graph_store import NodeRow
from scanner_dictionary.opening import Connection
from scanner_dictionary.queries.graph_level import upper_edges, upper_nodes

_KEPT = 4_096


def stored_findings(conn: Connection) -> tuple[Finding, ...]:
    """Validate the stored graph; of it only what stands above the schemas is read, and of that no flows of columns."""
    rows = list(upper_nodes(conn))
    keys = {row.id: row.node_key for row in rows}
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
    return validate(map(_node, rows), chain(edges, (_held(row) for row in rows if row.kind == NodeKind.COLUMN)))


def _held(row: NodeRow) -> Edge:
    """Say that a column is its topic's, as its name says: the stored edges that say so are a hundred times as many."""
    return Edge(topic_key(row.namespace, row.name), row.node_key, EdgeKind.CONTAINS, "", Certainty.DERIVED)


def _node(row: NodeRow) -> Node:
    path = None if row.path is None else tuple(json.loads(row.path))
    return Node(row.node_key, NodeKind(row.kind), row.namespace, row.name, path, _attributes(row.attributes))


@lru_cache(maxsize=_KEPT)
def _attributes(text: str) -> Attributes:
    """Read attributes; few nodes differ in them."""
    told: dict[str, Attribute] = json.loads(text)
    return tuple(told.items())
