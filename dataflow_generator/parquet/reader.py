"""Query a graph in Parquet files: each query reads only its neighbourhood, and nodes are cached."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dataflow_generator.analysis.connectivity import CONNECTED, components, kind_of
from dataflow_generator.build.schema_nodes import list_text
from dataflow_generator.graph import EdgeKind, FlowGraph, NodeKind
from dataflow_generator.parquet.dataset import (
    ABOVE,
    EDGES,
    NODES,
    SCHEMAS,
    ParquetTables,
    Record,
    RowFilter,
    record_edge,
    record_node,
)
from dataflow_generator.parquet.schema_batches import ORDINAL_BITS
from dataflow_generator.query.stored_graph import GeneratedGraph, coverage_of, part_of_cluster
from scanner_dictionary.graph.reader import CALLED, KAFKA
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph
from scanner_model.errors import InputInvalid
from scanner_model.names import broker_addresses

T = TypeVar("T")

_RANK = 64
"""The number of bits of `place` in a row number, below `rank`: numbers are in the order of the graph."""

_COLUMN, _SCHEMA, _CONTAINS = str(NodeKind.COLUMN), str(NodeKind.SCHEMA), str(EdgeKind.CONTAINS)
_OF_INSTALLATION = frozenset(NodeKind) - {NodeKind.COLUMN, NodeKind.SCHEMA}
_SUGGESTED = frozenset(CALLED) - {_COLUMN}


def graph_in_parquet(directory: Path, about: StoredGraph) -> GeneratedGraph:
    """Return the graph in *directory*, read in this process."""
    stored = StoredGraph(about.last_scan, about.nodes, about.edges, about.coverage)
    tables = ParquetTables(directory)
    rows = TableGraph(tables, f"the graph in {directory}")
    return GeneratedGraph(
        rows,
        stored,
        whole=lambda: _whole_graph(rows, tables, stored),
        components=lambda: components(rows.links(CONNECTED)),
        part=lambda cluster: part_of_cluster(rows, stored, cluster),
    )


def _whole_graph(rows: TableGraph, tables: ParquetTables, about: StoredGraph) -> FlowGraph:
    return FlowGraph(
        nodes=lambda: _read(tables.every_row(NODES), record_node),
        edges=lambda: _read(tables.every_row(EDGES), record_edge),
        coverage=coverage_of(about),
        systems=rows.system_names(),
    )


def _read(rows: Iterable[Record], read: Callable[[Record], T]) -> Iterator[T]:
    try:
        yield from map(read, rows)
    except ValueError as error:
        what = f"the graph has an unknown kind of row: {error}"
        raise InputInvalid(
            what, where="--graph", hint="upgrade scanner, or generate the graph with this one"
        ) from error


class TableGraph:
    """A `GraphReader` over *tables*; *location* describes the graph in messages."""

    def __init__(self, tables: ParquetTables, location: str) -> None:
        self.location = location
        self._tables = tables
        self._by_number: dict[int, NodeRow] = {}
        self._by_key: dict[str, NodeRow] = {}
        self._named: dict[str, list[NodeRow]] = {}

    def edges_at(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
    ) -> tuple[EdgeRow, ...]:
        """Return the edges at nodes of earlier results; edges inside schemas are found by `place`."""
        column = "source" if forward else "target"
        keys = [self._by_number[node].node_key for node in nodes]
        inside = _spans(node for node in nodes if node >> _RANK == SCHEMAS)
        rows = list(self._tables.rows(EDGES, RowFilter(kinds=kinds, column=column, values=keys))) if nodes else []
        if inside and _CONTAINS in kinds:
            within = RowFilter(ranks=(SCHEMAS,), kinds=(_CONTAINS,), column=column, values=keys, spans=inside)
            rows += self._tables.rows(EDGES, within)
        if not holders:
            rows = [row for row in rows if row["kind"] != _CONTAINS or row["target"].startswith(f"{_COLUMN}:")]
        self._load({row[end] for row in rows for end in ("source", "target")}, inside)
        return tuple(map(self._edge, rows))

    def nodes_of(self, keys: Iterable[int]) -> Mapping[int, NodeRow]:
        """Return nodes of earlier results."""
        return {key: self._by_number[key] for key in sorted(set(keys)) if key in self._by_number}

    def nodes_in(self, cluster: str) -> tuple[NodeRow, ...]:
        """Return the nodes of *cluster*."""
        homes = [node.namespace for node in self._clusters() if node.name == cluster]
        nodes = self._nodes(RowFilter(kinds=_OF_INSTALLATION, column="namespace", values=homes))
        return tuple(node for node in nodes if node.kind != NodeKind.CLUSTER or node.name == cluster)

    def nodes_named(self, names: Collection[str]) -> Iterator[NodeRow]:
        """Yield the nodes with these names."""
        new = set(names) - self._named.keys()
        self._named.update((name, []) for name in new)
        for node in self._nodes(RowFilter(kinds=CALLED, column="name", values=new)) if new else ():
            self._named[node.name].append(node)
        return (node for name in sorted(set(names)) for node in self._named[name])

    def names_known(self) -> Iterator[tuple[str, str | None]]:
        """List the names of topics, datasets, jobs and groups: columns in flows may be millions."""
        rows = self._tables.rows(NODES, RowFilter(kinds=_SUGGESTED), ("name",))
        return iter(sorted({(row["name"], None) for row in rows}))

    def names_near(self, _: str) -> Iterator[tuple[str, str | None]]:
        """List all names: the files have no index of names."""
        return self.names_known()

    def dataset_names(self) -> Iterable[str]:
        """Return the names of datasets."""
        rows = self._tables.rows(NODES, RowFilter(kinds=(NodeKind.DATASET,)), ("name",))
        return sorted({row["name"] for row in rows})

    def schema_columns(self, topic: NodeRow) -> Iterator[NodeRow]:
        """Yield the columns of a topic's schemas, whose places follow that of the schema."""
        edges = self.edges_at([topic.id], forward=True, kinds=(EdgeKind.HAS_SCHEMA,))
        schemas = {self._by_number[edge.target_node_id] for edge in edges}
        for schema in sorted(schemas, key=lambda node: node.node_key):
            yield from self._nodes(RowFilter(ranks=(SCHEMAS,), kinds=(_COLUMN,), spans=_spans([schema.id])))

    def canonical(self, namespace: str) -> str:
        """Return the namespace of the cluster that has one of the broker addresses, else *namespace*."""
        named = namespace.removeprefix(KAFKA)
        if "/" not in named:
            with suppress(InputInvalid):
                addresses = set(broker_addresses(named))
                for cluster in self._clusters():
                    if not addresses.isdisjoint(json.loads(cluster.attributes).get("brokers", ())):
                        return cluster.namespace
        return namespace

    def cluster_names(self) -> Sequence[str]:
        """Return the names of clusters."""
        return sorted(node.name for node in self._clusters())

    def system_names(self) -> Mapping[str, str]:
        """Return the names of clusters, of several of one namespace the first: the files have no aliases of servers."""
        return {node.namespace: node.name for node in reversed(list(self._clusters()))}

    def links(self, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the ends of edges."""
        rows = self._tables.rows(EDGES, RowFilter(kinds=kinds), ("source", "target"))
        return ((row["source"], row["target"]) for row in rows)

    def _clusters(self) -> Iterator[NodeRow]:
        return self._nodes(RowFilter(kinds=(NodeKind.CLUSTER,)))

    def _nodes(self, row_filter: RowFilter) -> Iterator[NodeRow]:
        return (self._cached(row) for row in self._tables.rows(NODES, row_filter))

    def _load(self, keys: Collection[str], inside: Sequence[tuple[int, int]]) -> None:
        """Read the nodes of *keys* that are not cached; columns of schemas are in the spans *inside*."""
        new = [key for key in keys if key not in self._by_key]
        schemas = [key for key in new if kind_of(key) == _SCHEMA]
        above = [key for key in new if kind_of(key) != _SCHEMA]
        if above:
            kinds = sorted(set(map(kind_of, above)))
            self._read_rows(RowFilter(ranks=ABOVE, kinds=kinds, column="node_key", values=above))
        if schemas:
            self._read_rows(RowFilter(ranks=(SCHEMAS,), kinds=(_SCHEMA,), column="node_key", values=schemas))
        columns = [key for key in above if key not in self._by_key]
        if columns:
            within = RowFilter(ranks=(SCHEMAS,), kinds=(_COLUMN,), column="node_key", values=columns, spans=inside)
            self._read_rows(within)

    def _read_rows(self, row_filter: RowFilter) -> None:
        for row in self._tables.rows(NODES, row_filter):
            self._cached(row)

    def _cached(self, row: Record) -> NodeRow:
        known = self._by_key.get(row["node_key"])
        if known is not None:
            return known
        path = None if row["path"] is None else list_text(tuple(row["path"]))
        values = row["kind"], row["namespace"], row["name"], path, row["attributes"]
        node = NodeRow(_number(row), row["node_key"], *values)
        self._by_number[node.id] = self._by_key[node.node_key] = node
        return node

    def _edge(self, row: Record) -> EdgeRow:
        ends = self._by_key[row["source"]].id, self._by_key[row["target"]].id
        values = row["kind"], row["type"], row["subtype"], row["evidence"], row["certainty"]
        return EdgeRow(_number(row), *ends, *values)


def _number(row: Record) -> int:
    return int(row["rank"]) << _RANK | int(row["place"])


def _spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the `place` ranges of the definitions to which rows with these numbers belong."""
    definitions = sorted({(number & ((1 << _RANK) - 1)) >> ORDINAL_BITS for number in numbers})
    return [(definition << ORDINAL_BITS, ((definition + 1) << ORDINAL_BITS) - 1) for definition in definitions]
