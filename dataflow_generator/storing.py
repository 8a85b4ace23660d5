"""The generated graph into the dictionary, in one transaction, and never held in memory whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache

from dataflow_generator.collector import seldom_collected
from dataflow_generator.coverage import Coverage
from dataflow_generator.graph import Attributes, Certainty, EdgeKind, FlowGraph, NodeKind
from scanner_dictionary.graph_store import EdgeRow, NodeRow, StoredGraph, write_graph
from scanner_dictionary.opening import Engine, writing

_KEPT = 65_536
_WORDS = {each: str(each.value) for each in (*NodeKind, *EdgeKind, *Certainty)}
"""Plain text for the words: a driver takes much longer over a text of another type."""


def store(engine: Engine, graph: FlowGraph) -> StoredGraph:
    """Replace the graph in the dictionary with *graph*; until that is whole, readers see the one before."""
    keys: dict[str, int] = {}
    with seldom_collected(), writing(engine) as conn:
        return write_graph(conn, _nodes(graph, keys), _edges(graph, keys), coverage_text(graph.coverage))


def coverage_text(coverage: Coverage) -> str:
    """Give counts and problems as a JSON object, which `stored.coverage_of` reads."""
    return json.dumps(asdict(coverage), ensure_ascii=False)


def _nodes(graph: FlowGraph, keys: dict[str, int]) -> Iterator[NodeRow]:
    for number, node in enumerate(graph.nodes(), 1):
        keys[node.key] = number
        path = None if node.path is None else _list_text(node.path)
        kind = _WORDS[node.kind]
        yield NodeRow(number, node.key, kind, node.namespace, node.name, path, _object_text(node.attributes))


@lru_cache(maxsize=_KEPT)
def _list_text(path: tuple[str, ...]) -> str:
    """Write a path; schemas have the same ones over and over."""
    return json.dumps(path, ensure_ascii=False)


@lru_cache(maxsize=_KEPT)
def _object_text(attributes: Attributes) -> str:
    return json.dumps(dict(attributes), ensure_ascii=False)


def _edges(graph: FlowGraph, keys: dict[str, int]) -> Iterator[EdgeRow]:
    for number, edge in enumerate(graph.edges(), 1):
        source, target, kind = keys[edge.source], keys[edge.target], _WORDS[edge.kind]
        certainty = _WORDS[edge.certainty]
        yield EdgeRow(number, source, target, kind, edge.type, edge.subtype, edge.evidence, certainty)
