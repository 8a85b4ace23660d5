"""The generated graph into the dictionary, in one transaction, and never held in memory whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain

from dataflow_generator.collector import seldom_collected
from dataflow_generator.coverage import Coverage
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, NodeKind
from dataflow_generator.schema_rows import list_text, object_text, schema_rows
from scanner_dictionary.graph_store import EdgeRow, NodeRow, StoredGraph, write_graph
from scanner_dictionary.opening import Engine, writing
from scanner_dictionary.queries.column_cells import Cells

_WORDS = {each: str(each.value) for each in (*NodeKind, *EdgeKind, *Certainty)}
"""Plain text for the words: a driver takes much longer over a text of another type."""


def store(engine: Engine, graph: FlowGraph) -> StoredGraph:
    """Replace the graph in the dictionary with *graph*; until that is whole, readers see the one before."""
    told = coverage_text(graph.coverage)
    with seldom_collected(), writing(engine) as conn:
        if graph.above is None or graph.schemas is None:
            rows = _Rows()
            return write_graph(conn, rows.nodes(graph), rows.edges(graph.edges()), told)
        # The edges above lead to schemas, which must be there before: only how many there are is needed first.
        edges = list(graph.above.edges())
        rows = _Rows(edge=len(edges))
        portions = chain(map(rows.schemas, graph.schemas()), _last(rows.edges(edges)))
        return write_graph(conn, rows.nodes(graph.above), (), told, more=portions)


def _last(edges: Iterator[EdgeRow]) -> Iterator[tuple[Iterable[NodeRow], Iterable[EdgeRow]]]:
    yield (), edges


def coverage_text(coverage: Coverage) -> str:
    """Give counts and problems as a JSON object, which `stored.coverage_of` reads."""
    return json.dumps(asdict(coverage), ensure_ascii=False)


@dataclass(slots=True)
class _Rows:
    """Numbers nodes and edges in the graph's order; *edge* is the last one that is taken."""

    keys: dict[str, int] = field(default_factory=dict)
    node: int = 0
    edge: int = 0

    def nodes(self, graph: FlowGraph) -> Iterator[NodeRow]:
        for node in graph.nodes():
            self.node += 1
            self.keys[node.key] = self.node
            path = None if node.path is None else list_text(node.path)
            told = node.namespace, node.name, path, object_text(node.attributes)
            yield NodeRow(self.node, node.key, _WORDS[node.kind], *told)

    def edges(self, edges: Iterable[Edge]) -> Iterator[EdgeRow]:
        for number, edge in enumerate(edges, 1):
            ends, kind = (self.keys[edge.source], self.keys[edge.target]), _WORDS[edge.kind]
            yield EdgeRow(number, *ends, kind, edge.type, edge.subtype, edge.evidence, _WORDS[edge.certainty])

    def schemas(self, cells: Cells) -> tuple[list[NodeRow], list[EdgeRow]]:
        nodes, edges = schema_rows(cells, self.node + 1, self.edge + 1)
        self.keys |= {row.node_key: row.id for row in nodes if row.kind == NodeKind.SCHEMA}
        self.node += len(nodes)
        self.edge += len(edges)
        return nodes, edges
