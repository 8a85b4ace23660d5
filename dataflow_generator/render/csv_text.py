"""The graph as CSV for spreadsheets: edges with the names of both ends, and nodes with their attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dataflow_generator.graph import Attribute, Edge, FlowGraph, Node, NodeKind
from dataflow_generator.render.labels import attribute_types, full_name
from scanner_model.text import csv_row

EDGE_COLUMNS = (
    *("source", "source_kind", "source_namespace", "kind", "type", "subtype"),
    *("target", "target_kind", "target_namespace", "certainty", "evidence", "source_id", "target_id"),
)
NODE_COLUMNS = ("id", "kind", "namespace", "name", "path")
_SCHEMA = f"{NodeKind.SCHEMA}:"


class _End(NamedTuple):
    name: str
    kind: str
    namespace: str


def csv_edges(graph: FlowGraph) -> Iterator[str]:
    """Write a line for each edge below the header EDGE_COLUMNS; names of nodes above schemas are held in memory."""
    ends = _Ends(graph.nodes())
    yield csv_row(EDGE_COLUMNS)
    yield from (csv_row(_edge(edge, ends[edge.source], ends[edge.target])) for edge in graph.edges())


class _Ends:
    """The nodes at edges' ends, by key; columns of schemas, the majority, are derived from their keys."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._by_key: dict[str, _End] = {}
        self._schemas: dict[str, str] = {}
        for node in nodes:
            if node.kind is NodeKind.SCHEMA:
                self._schemas[f"{NodeKind.COLUMN}:{node.key.removeprefix(_SCHEMA)}"] = node.name
            if node.kind is not NodeKind.COLUMN or node.key.partition("#")[0] not in self._schemas:
                self._by_key[node.key] = _End(full_name(node), str(node.kind), node.namespace)

    def __getitem__(self, key: str) -> _End:
        known = self._by_key.get(key)
        if known is not None:
            return known
        schema, _, path = key.partition("#")
        return _End(".".join(filter(None, (self._schemas[schema], path))) or key, str(NodeKind.COLUMN), "")


def csv_nodes(graph: FlowGraph) -> Iterator[str]:
    """Write a line for each node below the header: NODE_COLUMNS, then every attribute, by name."""
    attributes = tuple(attribute_types(graph))
    yield csv_row((*NODE_COLUMNS, *(f"attribute_{name}" for name in attributes)))
    yield from (csv_row(_node(node, attributes)) for node in graph.nodes())


def _edge(edge: Edge, source: _End, target: _End) -> tuple[str, ...]:
    refined = (str(edge.kind), edge.type, edge.subtype)
    return (*source, *refined, *target, str(edge.certainty), edge.evidence, edge.source, edge.target)


def _node(node: Node, attributes: Iterable[str]) -> tuple[str | int, ...]:
    attributes_by_name = dict(node.attributes)
    path = "" if node.path is None else json.dumps(node.path, ensure_ascii=False)
    cells = (_cell(attributes_by_name.get(name, "")) for name in attributes)
    return (node.key, str(node.kind), node.namespace, node.name, path, *cells)


def _cell(value: Attribute) -> str | int:
    return ", ".join(value) if isinstance(value, tuple) else value
