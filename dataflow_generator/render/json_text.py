"""The graph as one JSON document, a node or an edge a line, so that two graphs can be compared line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from dataflow_generator.graph import Edge, FlowGraph, Node
from scanner_model.documents import FORMAT_VERSION

Json = Any


def json_lines(graph: FlowGraph) -> Iterator[str]:
    """Write `{"format_version": 1, "nodes": […], "edges": […]}`; `docs/dataflow.md` documents the members."""
    yield f'{{"format_version": {FORMAT_VERSION},\n"nodes": [\n'
    yield from _separated(node_document(node) for node in graph.nodes())
    yield '],\n"edges": [\n'
    yield from _separated(edge_document(edge) for edge in graph.edges())
    yield "]}\n"


def node_document(node: Node) -> dict[str, Json]:
    """Return a node as JSON; *path* is null for anything but a column."""
    return {
        "id": node.key,
        "kind": str(node.kind),
        "namespace": node.namespace,
        "name": node.name,
        "path": None if node.path is None else list(node.path),
        "attributes": {name: list(value) if isinstance(value, tuple) else value for name, value in node.attributes},
    }


def edge_document(edge: Edge) -> dict[str, Json]:
    """Return an edge as JSON; *type* and *subtype* are empty where the kind says it all."""
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": str(edge.kind),
        "type": edge.type,
        "subtype": edge.subtype,
        "evidence": edge.evidence,
        "certainty": str(edge.certainty),
    }


def _separated(documents: Iterable[dict[str, Json]]) -> Iterator[str]:
    comma = ""
    for document in documents:
        yield comma + json.dumps(document, ensure_ascii=False)
        comma = ",\n"
    yield "\n" if comma else ""
