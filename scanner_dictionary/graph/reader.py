"""The protocol for reading a generated graph wherever it is stored, and its implementation over the dictionary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection, select

from scanner_dictionary.engine.bulk_insert import in_chunks
from scanner_dictionary.graph import store as graph_store
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.queries.resolve import clusters_named
from scanner_dictionary.schema import tables as t
from scanner_model.broker_address import broker_addresses
from scanner_model.errors import InputInvalid

KAFKA = "kafka://"
CALLED = ("topic", "dataset", "job", "consumer-group", "column")
"""The kinds of nodes that users refer to by a name."""

_NAMES_AT_ONCE = 500


class GraphReader(Protocol):
    """The rows of a graph; their keys are numbers in the graph's order, stable while it is read."""

    @property
    def place(self) -> str:
        """Return what stores it, as the subject of a sentence."""

    def edges_at(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
    ) -> tuple[EdgeRow, ...]:
        """List the edges of *kinds* that leave *nodes* (*forward*) or enter them, by key; `contains` only to a column.

        With *holders* `contains` leads to anything.
        """

    def nodes_of(self, keys: Iterable[int]) -> Mapping[int, NodeRow]:
        """Read the nodes of *keys*, in their order; missing ones are left out."""

    def nodes_in(self, cluster: str) -> tuple[NodeRow, ...]:
        """List the node of *cluster* and what has its namespace, but for columns, in the graph's order."""

    def nodes_named(self, names: Collection[str]) -> Iterator[NodeRow]:
        """List the nodes with one of *names*, columns by the name of their topic or dataset."""

    def names_known(self) -> Iterator[tuple[str, str | None]]:
        """List the names that people call something by, with the paths of columns (JSON text), each once.

        Columns may be left out where they are too many to be listed.
        """

    def dataset_names(self) -> Iterable[str]:
        """List the names of datasets that are no topics, each once, in order."""

    def schema_columns(self, topic: NodeRow) -> Iterator[NodeRow]:
        """List the columns of the schemas that *topic* has, in the graph's order."""

    def canonical(self, namespace: str) -> str:
        """Get the cluster's namespace where *namespace* is a broker's, or else what names the cluster; else itself."""

    def cluster_names(self) -> Sequence[str]:
        """List the clusters by name."""

    def links(self, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
        """List the ends of all edges of *kinds*, as nodes' own ids."""


@dataclass(frozen=True, slots=True)
class SqlGraphReader:
    """The graph that is stored in the dictionary, over *conn*."""

    conn: Connection

    @property
    def place(self) -> str:
        """Return what stores it."""
        return "the dictionary"

    def edges_at(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
    ) -> tuple[EdgeRow, ...]:
        """List edges by the indexes of their ends."""
        return graph_store.edges_at(self.conn, nodes, forward=forward, kinds=kinds, holders=holders)

    def nodes_of(self, keys: Iterable[int]) -> Mapping[int, NodeRow]:
        """Read nodes by their keys."""
        return graph_store.nodes_of(self.conn, keys)

    def nodes_in(self, cluster: str) -> tuple[NodeRow, ...]:
        """List what is in *cluster*."""
        return graph_store.nodes_in(self.conn, cluster)

    def nodes_named(self, names: Collection[str]) -> Iterator[NodeRow]:
        """List nodes by name; a schema and its columns have no namespace."""
        node = t.flow_node
        for chunk in in_chunks(sorted(names), _NAMES_AT_ONCE):
            query = select(node).where(node.c.name.in_(chunk), node.c.namespace != "", node.c.kind.in_(CALLED))
            yield from (NodeRow(*row) for row in self.conn.execute(query))

    def names_known(self) -> Iterator[tuple[str, str | None]]:
        """List all names, in order."""
        node = t.flow_node.c
        query = select(node.name, node.path).where(node.kind.in_(CALLED), node.namespace != "")
        return ((row.name, row.path) for row in self.conn.execute(query.distinct().order_by(node.name, node.path)))

    def dataset_names(self) -> Iterable[str]:
        """List the names of datasets."""
        node = t.flow_node.c
        return self.conn.scalars(select(node.name).where(node.kind == "dataset").distinct().order_by(node.name))

    def schema_columns(self, topic: NodeRow) -> Iterator[NodeRow]:
        """List columns of schemas, looked up by the name of the schema."""
        node, edge = t.flow_node, t.flow_edge.c
        has = edge.source_node_id == topic.id, edge.kind == "has-schema"
        schemas = select(node.c.node_key, node.c.name).join(t.flow_edge, node.c.id == edge.target_node_id).where(*has)
        for key, name in self.conn.execute(schemas.distinct().order_by(node.c.node_key)).all():
            inside = f"column:{key.removeprefix('schema:')}#"
            columns = select(node).where(node.c.name == name, node.c.namespace == "", node.c.kind == "column")
            for row in self.conn.execute(columns.order_by(node.c.id)):
                if row.node_key.startswith(inside):
                    yield NodeRow(*row)

    def canonical(self, namespace: str) -> str:
        """Look among all broker addresses, and the clusters' own ids and CRNs."""
        named = namespace.removeprefix(KAFKA)
        node, cluster = t.flow_node.c, t.cluster.c
        query = select(node.namespace).where(node.kind == "cluster").order_by(node.id).limit(1)
        found: object = None
        if "/" not in named:
            with suppress(InputInvalid):
                at = (
                    select(cluster.name)
                    .join(t.broker, t.broker.c.cluster_id == cluster.id)
                    .where(t.broker.c.address.in_(broker_addresses(named)))
                )
                found = self.conn.execute(query.where(node.name.in_(at))).scalar()
        if not found:
            called = [row.name for row in clusters_named(self.conn, named)]
            found = self.conn.execute(query.where(node.name.in_(called))).scalar() if called else None
        return str(found) if found else namespace

    def cluster_names(self) -> Sequence[str]:
        """List the clusters that were scanned."""
        return list(self.conn.scalars(select(t.cluster.c.name).order_by(t.cluster.c.name)))

    def links(self, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
        """List the ends of edges, of all nodes' ids only those at such an edge being held."""
        edge = t.flow_edge.c
        query = select(edge.source_node_id, edge.target_node_id).where(edge.kind.in_(sorted(kinds))).order_by(edge.id)
        ends = [tuple(row) for row in self.conn.execute(query)]
        found = self.nodes_of({end for pair in ends for end in pair})
        return ((found[source].node_key, found[target].node_key) for source, target in ends)
