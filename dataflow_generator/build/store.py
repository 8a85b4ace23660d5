"""The generated graph into the dictionary, in one transaction; of it only what stands above the schemas is held."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.garbage_collection import infrequent_collection
from dataflow_generator.build.schema_nodes import list_text, object_text, schema_rows
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind, schema_key
from dataflow_generator.incremental.keys import edge_numbers, node_numbers, plain_edge_numbers, schema_places
from scanner_dictionary.engine.open import Connection, Engine, writing
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph, write_graph
from scanner_dictionary.lineage_inputs.column_batches import live_heads
from scanner_dictionary.lineage_inputs.fingerprints import definition_sizes

_WORDS = {each: str(each.value) for each in (*NodeKind, *EdgeKind, *Certainty)}
"""Enum values as plain str: database drivers take much longer to bind a subclass of str."""


def store(engine: Engine, graph: FlowGraph) -> StoredGraph:
    """Replace the graph in the dictionary with *graph*; until that is whole, readers see the one before."""
    with infrequent_collection(), writing(engine) as conn:
        return write(conn, graph)


def write(conn: Connection, graph: FlowGraph) -> StoredGraph:
    """Replace the graph in the caller's transaction."""
    told = coverage_text(graph.coverage)
    if graph.above is None or graph.schemas is None:
        rows = _Rows()
        return write_graph(conn, rows.nodes(graph), rows.edges(graph.edges()), told)
    places = schema_places(definition_sizes(conn))
    nodes, edges = upper_rows(graph.above, schema_keys(conn, places), graph.flowing)
    # Edges lead to schemas, which must be there before.
    portions = (schema_rows(cells, places) for cells in graph.schemas())
    return write_graph(conn, nodes, (), told, more=_then(portions, edges))


def upper_rows(
    above: FlowGraph, schemas: Mapping[str, int], flowing: Iterable[tuple[str, int]] | None
) -> tuple[list[NodeRow], Iterator[EdgeRow]]:
    """Number what stands above the schemas; without *flowing* only in its order."""
    nodes, edges = list(above.nodes()), list(above.edges())
    rows = [node_row(number, node) for number, node in zip(node_numbers(len(nodes)), nodes, strict=True)]
    keys = {**schemas, **{row.node_key: row.id for row in rows}}
    plain = zip(plain_edge_numbers(), edges, strict=False)
    numbered = plain if flowing is None else edge_numbers(edges, keys, flowing)
    return rows, (edge_row(number, edge, keys) for number, edge in numbered)


def schema_keys(conn: Connection, places: Mapping[int, int]) -> dict[str, int]:
    """Return the stored key of the node of every schema that live topics have, by the node's key."""
    return {schema_key(head.fingerprint): places[head.id] for head in live_heads(conn)}


def node_row(number: int, node: Node) -> NodeRow:
    """Build the row of a node."""
    path = None if node.path is None else list_text(node.path)
    told = node.namespace, node.name, path, object_text(node.attributes)
    return NodeRow(number, node.key, _WORDS[node.kind], *told)


def edge_row(number: int, edge: Edge, keys: Mapping[str, int]) -> EdgeRow:
    """Build the row of an edge between nodes that *keys* has."""
    ends, kind = (keys[edge.source], keys[edge.target]), _WORDS[edge.kind]
    return EdgeRow(number, *ends, kind, edge.type, edge.subtype, edge.evidence, _WORDS[edge.certainty])


def coverage_text(coverage: Coverage) -> str:
    """Return counts and problems as a JSON object, which `stored.coverage_of` reads."""
    return json.dumps(asdict(coverage), ensure_ascii=False)


def _then(
    portions: Iterable[tuple[list[NodeRow], list[EdgeRow]]], edges: Iterable[EdgeRow]
) -> Iterator[tuple[Iterable[NodeRow], Iterable[EdgeRow]]]:
    yield from portions
    yield (), edges


@dataclass(slots=True)
class _Rows:
    """Numbers the nodes and edges of any graph, in order."""

    keys: dict[str, int] = field(default_factory=dict)

    def nodes(self, graph: FlowGraph) -> Iterator[NodeRow]:
        for number, node in enumerate(graph.nodes(), 1):
            self.keys[node.key] = number
            yield node_row(number, node)

    def edges(self, edges: Iterable[Edge]) -> Iterator[EdgeRow]:
        return (edge_row(number, edge, self.keys) for number, edge in enumerate(edges, 1))
