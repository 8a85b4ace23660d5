"""The columns of node and edge tables, and conversion from and to rows; documented in `docs/dataflow.md`.

Ordered by *rank* and *place*, rows are in the order of the graph (`FlowGraph`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from dataflow_generator.graph import Attributes, Certainty, Edge, EdgeKind, Node, NodeKind

Record = dict[str, Any]

_TYPES = {"rank": "int", "place": "long", "path": "array<string>"}
_NODE = ("node_key", "namespace", "name", "path", "attributes", "rank", "place", "kind")
_EDGE = ("source", "target", "evidence", "certainty", "type", "subtype", "rank", "place", "kind")


def _ddl(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_TYPES.get(name, 'string')}" for name in names)


NODE_DDL = _ddl(_NODE)
"""Columns of a node, in Spark's DDL."""

EDGE_DDL = _ddl(_EDGE)
"""Columns of an edge, in Spark's DDL."""

ORDER = ("rank", "place")
"""The columns that give the order of the graph."""

INSTALLATION, FLOWS, SCHEMAS = range(3)
"""Ranks: clusters and topics; jobs with their datasets and columns; schemas and their columns."""


def arrow_schema(ddl: str) -> pa.Schema:
    """Return the Arrow schema of NODE_DDL or EDGE_DDL, or of other columns of these types."""
    types = {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "array<string>": pa.list_(pa.string())}
    return pa.schema([(name, types[kind]) for name, kind in (column.split(" ") for column in ddl.split(", "))])


@lru_cache(maxsize=4_096)
def attributes_text(attributes: Attributes) -> str:
    """Serialize attributes as a JSON object; cached, because few nodes differ in them."""
    return json.dumps(dict(attributes), ensure_ascii=False)


def node_rows(nodes: Sequence[Node], rank: int, positions: Sequence[int]) -> pa.RecordBatch:
    """Return nodes as rows of NODE_DDL, each with its place."""
    columns: dict[str, Sequence[Any]] = {
        "node_key": [node.key for node in nodes],
        "namespace": [node.namespace for node in nodes],
        "name": [node.name for node in nodes],
        "path": [node.path for node in nodes],
        "attributes": [attributes_text(node.attributes) for node in nodes],
        "rank": [rank] * len(nodes),
        "place": positions,
        "kind": [str(node.kind) for node in nodes],
    }
    return _batch(columns, NODE_DDL)


def edge_rows(edges: Sequence[Edge], rank: int, positions: Sequence[int]) -> pa.RecordBatch:
    """Return edges as rows of EDGE_DDL, each with its place."""
    columns: dict[str, Sequence[Any]] = {
        "source": [edge.source for edge in edges],
        "target": [edge.target for edge in edges],
        "evidence": [edge.evidence for edge in edges],
        "certainty": [str(edge.certainty) for edge in edges],
        "type": [edge.type for edge in edges],
        "subtype": [edge.subtype for edge in edges],
        "rank": [rank] * len(edges),
        "place": positions,
        "kind": [str(edge.kind) for edge in edges],
    }
    return _batch(columns, EDGE_DDL)


def _batch(columns: dict[str, Sequence[Any]], ddl: str) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns, schema=arrow_schema(ddl))


def record_node(row: Mapping[str, Any]) -> Node:
    """Return the node of a row."""
    items = json.loads(row["attributes"]).items()
    attributes = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in items)
    path = None if row["path"] is None else tuple(row["path"])
    return Node(row["node_key"], NodeKind(row["kind"]), row["namespace"], row["name"], path, attributes)


def record_edge(row: Mapping[str, Any]) -> Edge:
    """Return the edge of a row."""
    kind, certainty = EdgeKind(row["kind"]), Certainty(row["certainty"])
    return Edge(row["source"], row["target"], kind, row["evidence"], certainty, row["type"], row["subtype"])
