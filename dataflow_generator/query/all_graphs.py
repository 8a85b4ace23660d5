"""Every graph of a dictionary in one: all nodes and edges that any of them has, and which of them has which."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.query.stored_graph import coverage_of, read_edge, read_node, whole_graph
from scanner_dictionary.graph.past import PastGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph
from scanner_dictionary.graph.versions import NodeVersion


class Lifetime(NamedTuple):
    """The scans whose graphs have something: *first* (None: since the oldest) up to *gone* (None: the newest has it).

    *attributes* are those of a node in this time, as in its JSON.
    """

    first: int | None
    gone: int | None
    attributes: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphHistory:
    """Which graphs have what: *scans* are number and time of each, the oldest first.

    Nodes, by key, and edges that every graph has are not listed; columns of schemas are where their schema is.
    """

    scans: Sequence[tuple[int, str | None]]
    nodes: Mapping[str, Sequence[Lifetime]]
    edges: Mapping[Edge, Sequence[Lifetime]]


def all_graphs(rows: PastGraphReader, about: StoredGraph) -> tuple[FlowGraph, GraphHistory]:
    """Return the union of the stored graph, which *about* names, and those of earlier scans, read while iterated."""
    versions: dict[str, list[NodeVersion]] = defaultdict(list)
    for version in rows.node_states():
        versions[version.node_key].append(version)
    edges: dict[Edge, list[Lifetime]] = defaultdict(list)
    for state in rows.edge_states():
        row = EdgeRow(state.id, 0, 1, *state[5:10])
        edges[read_edge(row, {0: state.source_key, 1: state.target_key})].append(Lifetime(state.first_scan, state.gone))
    history = GraphHistory(
        scans=tuple((version.scan, version.finished) for version in rows.graphs()),
        nodes={key: tuple(map(_lifetime, listed)) for key, listed in versions.items()},
        edges=edges,
    )
    past = {key: listed[-1] for key, listed in versions.items() if all(version.gone is not None for version in listed)}
    stored = whole_graph(rows.stored, about)
    union = FlowGraph(
        nodes=lambda: _nodes(rows, stored, past),
        edges=lambda: _edges(rows, stored, past, edges),
        coverage=coverage_of(about),
    )
    return union, history


def _lifetime(version: NodeVersion) -> Lifetime:
    return Lifetime(version.first_scan, version.gone, json.loads(version.attributes))


def _nodes(rows: PastGraphReader, stored: FlowGraph, past: Mapping[str, NodeVersion]) -> Iterator[Node]:
    yield from stored.nodes()
    for key, version in past.items():
        if version.kind == "schema":
            yield from map(read_node, rows.schema(key)[0])
        else:
            yield read_node(NodeRow(*version[:7]))


def _edges(
    rows: PastGraphReader,
    stored: FlowGraph,
    past: Mapping[str, NodeVersion],
    versions: Mapping[Edge, Sequence[Lifetime]],
) -> Iterator[Edge]:
    yield from stored.edges()
    for edge, lifetimes in versions.items():
        if all(lifetime.gone is not None for lifetime in lifetimes):
            yield edge
    for key, version in past.items():
        if version.kind == "schema":
            nodes, edges = rows.schema(key)
            keys = {node.id: node.node_key for node in nodes}
            yield from (read_edge(edge_row, keys) for edge_row in edges)
