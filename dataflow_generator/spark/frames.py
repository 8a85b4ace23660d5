"""Nodes and edges as rows of DataFrames, and back; the schemas are documented in `docs/dataflow.md`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind

if TYPE_CHECKING:
    import pyarrow

Record = dict[str, Any]

_TYPES = {"range": "long", "place": "long", "path": "array<string>"}
_NODE = ("range", "place", "node_key", "kind", "namespace", "name", "path", "attributes")
_EDGE = ("range", "place", "source", "target", "kind", "evidence", "certainty", "type", "subtype")


def _ddl(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_TYPES.get(name, 'string')}" for name in names)


NODE_SCHEMA = _ddl(_NODE)
"""Columns of a node, in Spark's DDL; *range* and *place* keep the order of the graph."""

EDGE_SCHEMA = _ddl(_EDGE)
"""Columns of an edge, in Spark's DDL."""


def arrow_schema(ddl: str) -> pyarrow.Schema:
    """Give the Arrow schema of NODE_SCHEMA or EDGE_SCHEMA."""
    import pyarrow

    arrow = {"long": pyarrow.int64(), "string": pyarrow.string(), "array<string>": pyarrow.list_(pyarrow.string())}
    return pyarrow.schema([(name, arrow[kind]) for name, kind in (column.split(" ") for column in ddl.split(", "))])


def node_record(node: Node, start: int, place: int) -> Record:
    """Give a node as a row; *start* and *place* keep the order of the graph."""
    attributes = json.dumps(node.attributes, ensure_ascii=False)
    return {
        "range": start,
        "place": place,
        "node_key": node.key,
        "kind": str(node.kind),
        "namespace": node.namespace,
        "name": node.name,
        "path": None if node.path is None else list(node.path),
        "attributes": attributes,
    }


def record_node(row: Record) -> Node:
    """Read a node back from its row."""
    attributes = tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in json.loads(row["attributes"]))
    path = None if row["path"] is None else tuple(row["path"])
    return Node(row["node_key"], NodeKind(row["kind"]), row["namespace"], row["name"], path, attributes)


def edge_record(edge: Edge, start: int, place: int) -> Record:
    """Give an edge as a row."""
    return {
        "range": start,
        "place": place,
        "source": edge.source,
        "target": edge.target,
        "kind": str(edge.kind),
        "evidence": edge.evidence,
        "certainty": str(edge.certainty),
        "type": edge.type,
        "subtype": edge.subtype,
    }


def record_edge(row: Record) -> Edge:
    """Read an edge back from its row."""
    kind, certainty = EdgeKind(row["kind"]), Certainty(row["certainty"])
    return Edge(row["source"], row["target"], kind, row["evidence"], certainty, row["type"], row["subtype"])
