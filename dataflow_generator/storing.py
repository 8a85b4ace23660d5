"""The generated graph into the dictionary, in one transaction, and never held in memory whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from dataflow_generator.coverage import Coverage
from dataflow_generator.graph import FlowGraph
from scanner_dictionary.graph_store import EdgeRow, NodeRow, StoredGraph, write_graph
from scanner_dictionary.opening import Engine, writing


def store(engine: Engine, graph: FlowGraph) -> StoredGraph:
    """Replace the graph in the dictionary with *graph*; until that is whole, readers see the one before."""
    keys: dict[str, int] = {}
    with writing(engine) as conn:
        return write_graph(conn, _nodes(graph, keys), _edges(graph, keys), coverage_text(graph.coverage))


def coverage_text(coverage: Coverage) -> str:
    """Give counts and problems as a JSON object, which `stored.coverage_of` reads."""
    return json.dumps(asdict(coverage), ensure_ascii=False)


def _nodes(graph: FlowGraph, keys: dict[str, int]) -> Iterator[NodeRow]:
    for number, node in enumerate(graph.nodes(), 1):
        keys[node.key] = number
        path = None if node.path is None else json.dumps(node.path, ensure_ascii=False)
        attributes = json.dumps(dict(node.attributes), ensure_ascii=False)
        yield NodeRow(number, node.key, node.kind, node.namespace, node.name, path, attributes)


def _edges(graph: FlowGraph, keys: dict[str, int]) -> Iterator[EdgeRow]:
    for number, edge in enumerate(graph.edges(), 1):
        ends = keys[edge.source], keys[edge.target]
        yield EdgeRow(number, *ends, edge.kind, edge.type, edge.subtype, edge.evidence, edge.certainty)
