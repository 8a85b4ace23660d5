"""The rows of nodes and edges as tables hold them; documented in `docs/dataflow.md`.

Ordered by *rank* and *place*, rows are in the order of the graph (`FlowGraph`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dataflow_generator.graph import Attributes, Certainty, Edge, EdgeKind, Node, NodeKind

if TYPE_CHECKING:
    import pyarrow

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

ESTATE, FLOWS, SCHEMAS = range(3)
"""Ranks: what the dictionary tells of clusters and topics; what jobs make of it; schemas and what is in them."""


def arrow_schema(ddl: str) -> pyarrow.Schema:
    """Give the Arrow schema of NODE_DDL or EDGE_DDL, or of other columns of these types."""
    import pyarrow as pa

    types = {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "array<string>": pa.list_(pa.string())}
    return pa.schema([(name, types[kind]) for name, kind in (column.split(" ") for column in ddl.split(", "))])


def attributes_text(attributes: Attributes) -> str:
    """Write attributes as a JSON object."""
    return json.dumps(dict(attributes), ensure_ascii=False)


def node_record(node: Node, rank: int, place: int) -> Record:
    """Give a node as a row."""
    return {
        "node_key": node.key,
        "namespace": node.namespace,
        "name": node.name,
        "path": None if node.path is None else list(node.path),
        "attributes": attributes_text(node.attributes),
        "rank": rank,
        "place": place,
        "kind": str(node.kind),
    }


def record_node(row: Mapping[str, Any]) -> Node:
    """Read a node back from its row."""
    found = json.loads(row["attributes"]).items()
    attributes = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in found)
    path = None if row["path"] is None else tuple(row["path"])
    return Node(row["node_key"], NodeKind(row["kind"]), row["namespace"], row["name"], path, attributes)


def edge_record(edge: Edge, rank: int, place: int) -> Record:
    """Give an edge as a row."""
    return {
        "source": edge.source,
        "target": edge.target,
        "evidence": edge.evidence,
        "certainty": str(edge.certainty),
        "type": edge.type,
        "subtype": edge.subtype,
        "rank": rank,
        "place": place,
        "kind": str(edge.kind),
    }


def record_edge(row: Mapping[str, Any]) -> Edge:
    """Read an edge back from its row."""
    kind, certainty = EdgeKind(row["kind"]), Certainty(row["certainty"])
    return Edge(row["source"], row["target"], kind, row["evidence"], certainty, row["type"], row["subtype"])


def record_batches(records: Iterable[Record], schema: pyarrow.Schema, size: int = 10_000) -> Iterator[Any]:
    """Put rows into Arrow batches of at most *size*."""
    import pyarrow as pa

    waiting: list[Record] = []
    for record in records:
        waiting.append(record)
        if len(waiting) == size:
            yield pa.RecordBatch.from_pylist(waiting, schema=schema)
            waiting = []
    if waiting:
        yield pa.RecordBatch.from_pylist(waiting, schema=schema)
