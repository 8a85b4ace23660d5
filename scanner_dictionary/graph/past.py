"""The graph of an earlier scan: the stored graph with the recorded differences put over it, read where it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, and_, select, true

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph import store as graph_store
from scanner_dictionary.graph.reader import (
    CALLED,
    SqlGraphReader,
    columns_of_schema,
    schema_node,
    server_aliases,
)
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.graph.versions import (
    EdgeVersion,
    GraphOfScan,
    NodeVersion,
    differs_at,
    edge_versions,
    graph_versions,
    is_valid,
    node_versions,
)
from scanner_dictionary.lineage_inputs.topics import Cells, cells_of, heads_like
from scanner_dictionary.schema import tables as t

_AT_ONCE = 500
_SCHEMA, _COLUMN, _CONTAINS, _HAS_SCHEMA = "schema:", "column:", "contains", "has-schema"
_FIRST_PAST = -(1 << 62)
"""Keys of rows that the stored graph does not have are this plus the key of their version: below all others."""

_UNREACHED = -(1 << 61)


SchemaRows = Callable[[Cells], tuple[Iterable[Sequence[Any]], Iterable[Sequence[Any]]]]
"""Builds the rows of schemas: those of the nodes of schemas and their columns, and of the edges between them."""


@dataclass(slots=True)
class PastGraphReader:
    """The graph of *scan*, over *conn*; *schema_rows* builds the rows of schemas that the stored graph has no more.

    Nodes of the stored graph keep their keys, so that most of it is read as it is.
    """

    conn: Connection
    scan: int
    schema_rows: SchemaRows
    _nodes: dict[int, NodeRow] = field(default_factory=dict)
    _ids: dict[str, int] = field(default_factory=dict)
    _schemas: dict[str, tuple[list[NodeRow], list[EdgeRow]]] = field(default_factory=dict)
    _canonical: dict[str, str] = field(default_factory=dict)

    @property
    def location(self) -> str:
        """Return what messages call the graph, as the subject of a sentence."""
        return f"the graph of scan {self.scan}"

    def edges_at(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
    ) -> tuple[EdgeRow, ...]:
        """List edges by the indexes of their ends, without those that came later, with those that went since."""
        by_id = self.nodes_of(nodes)
        differing = self._differing_edges(by_id.values(), forward=forward, kinds=kinds)
        if not holders:
            differing = [
                version for version in differing if version.kind != _CONTAINS or version.target_key.startswith(_COLUMN)
            ]
        rows = graph_store.edges_at(self.conn, _stored_ids(by_id), forward=forward, kinds=kinds, holders=holders)
        inner = self._inner_edges(by_id.values(), forward=forward, kinds=kinds)
        return tuple(sorted([*self._as_then(rows, differing), *inner]))

    def nearest_edges(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], limit: int
    ) -> tuple[EdgeRow, ...]:
        """Return at most *limit* edges of *kinds* that left (*forward*) or entered *nodes*, the first by key."""
        by_id = self.nodes_of(nodes)
        differing = self._differing_edges(by_id.values(), forward=forward, kinds=kinds)
        # Of the stored edges, as many more as may have come later.
        most = limit + sum(version.gone is None for version in differing)
        rows = graph_store.nearest_edges(self.conn, _stored_ids(by_id), forward=forward, kinds=kinds, limit=most)
        inner = self._inner_edges(by_id.values(), forward=forward, kinds=kinds)
        return tuple(sorted([*self._as_then(rows, differing), *inner])[:limit])

    def count_edges(self, nodes: Collection[int], *, forward: bool, kinds: Collection[str]) -> dict[int, int]:
        """Count the edges of *kinds*, none inside schemas, that left (*forward*) or entered each of *nodes*."""
        by_id = self.nodes_of(nodes)
        counts = Counter(graph_store.count_edges(self.conn, _stored_ids(by_id), forward=forward, kinds=kinds))
        ids = {node.node_key: key for key, node in by_id.items()}
        for version in self._differing_edges(by_id.values(), forward=forward, kinds=kinds):
            end = ids[version.source_key if forward else version.target_key]
            counts[end] += 1 if is_valid(version, self.scan) else -1
        return dict(+counts)

    def _differing_edges(self, nodes: Iterable[NodeRow], *, forward: bool, kinds: Collection[str]) -> list[EdgeVersion]:
        """Return the states of edges at *nodes* in which this graph and the stored one differ."""
        table = t.flow_edge_version
        end = table.c.source_key if forward else table.c.target_key
        differing: list[EdgeVersion] = []
        for chunk in in_chunks(sorted(node.node_key for node in nodes), _AT_ONCE):
            condition = and_(end.in_(chunk), table.c.kind.in_(sorted(kinds)), differs_at(table, self.scan))
            differing += edge_versions(self.conn, condition)
        return differing

    def nodes_of(self, keys: Iterable[int]) -> Mapping[int, NodeRow]:
        """Read nodes by their keys, each as it was."""
        sorted_keys = sorted(set(keys))
        unread = [key for key in sorted_keys if key not in self._nodes]
        past = [key - _FIRST_PAST for key in unread if key < _UNREACHED]
        table = t.flow_node_version
        for chunk in in_chunks(past, _AT_ONCE):
            self._remember(_past_node(version) for version in node_versions(self.conn, table.c.id.in_(chunk)))
        current = graph_store.nodes_of(self.conn, (key for key in unread if key > _UNREACHED))
        self._remember(self._as_they_were(current.values()))
        return {key: self._nodes[key] for key in sorted_keys if key in self._nodes}

    def nodes_in(self, cluster: str) -> tuple[NodeRow, ...]:
        """List what was in *cluster*."""
        table = t.flow_node_version
        current = self._as_they_were(graph_store.nodes_in(self.conn, cluster))
        homes = {row.namespace for row in self._clusters() if row.name == cluster}
        named = and_(table.c.namespace.in_(sorted(homes)), table.c.kind != "column", differs_at(table, self.scan))
        rows = {row.id: row for row in (*current, *self._past_nodes(node_versions(self.conn, named)))}
        in_cluster = (
            row for row in rows.values() if row.namespace in homes and (row.kind != "cluster" or row.name == cluster)
        )
        return tuple(self._remember(sorted(in_cluster)))

    def top_nodes(self, limit: int) -> tuple[NodeRow, ...]:
        """Return the first *limit* nodes that were neither schema nor column; of the stored graph as many are read."""
        table = t.flow_node_version
        current = self._as_they_were(SqlGraphReader(self.conn).top_nodes(limit))
        differing = and_(table.c.kind.not_in(("column", "schema")), differs_at(table, self.scan))
        rows = {row.id: row for row in (*current, *self._past_nodes(node_versions(self.conn, differing)))}
        return tuple(self._remember(rows[key] for key in sorted(rows)[:limit]))

    def nodes_named(self, names: Collection[str]) -> Iterator[NodeRow]:
        """List nodes by name; a schema and its columns have no namespace."""
        table = t.flow_node_version
        rows = {row.id: row for row in self._as_they_were(SqlGraphReader(self.conn).nodes_named(names))}
        for chunk in in_chunks(sorted(names), _AT_ONCE):
            named = and_(table.c.name.in_(chunk), table.c.namespace != "", differs_at(table, self.scan))
            versions = [version for version in node_versions(self.conn, named) if version.kind in CALLED]
            rows |= {row.id: row for row in self._past_nodes(versions)}
        yield from self._remember(rows[key] for key in sorted(rows))

    def names_known(self) -> Iterator[tuple[str, str | None]]:
        """List all names, in order."""
        return self._names(SqlGraphReader(self.conn).names_known())

    def names_near(self, text: str) -> Iterator[tuple[str, str | None]]:
        """List the neighbours of *text* in the index of names, and all names that differ from those now."""
        return self._names(SqlGraphReader(self.conn).names_near(text))

    def _names(self, stored: Iterable[tuple[str, str | None]]) -> Iterator[tuple[str, str | None]]:
        differing = self._differing_names()
        names = {name for name in stored if name[0] not in differing}
        names |= {(row.name, row.path) for row in self.nodes_named(differing)}
        yield from sorted(names, key=lambda name: (name[0], name[1] or ""))

    def dataset_names(self) -> Iterable[str]:
        """List the names of datasets."""
        differing = self._differing_names()
        names = set(SqlGraphReader(self.conn).dataset_names()) - differing
        return sorted(names | {row.name for row in self.nodes_named(differing) if row.kind == "dataset"})

    def schema_columns(self, topic: NodeRow) -> Iterator[NodeRow]:
        """List columns of the schemas that *topic* had."""
        edges = self.edges_at([topic.id], forward=True, kinds=(_HAS_SCHEMA,))
        schemas = self.nodes_of(edge.target_node_id for edge in edges)
        for schema in sorted(schemas.values(), key=lambda node: node.node_key):
            if schema.node_key in self._schemas:
                yield from self._remember(self._schemas[schema.node_key][0][1:])
            else:
                yield from self._remember(columns_of_schema(self.conn, schema.node_key, schema.name))

    def canonical(self, namespace: str) -> str:
        """Look among all broker addresses, and the clusters' own ids and CRNs; the namespace is that of the time."""
        if namespace not in self._canonical:
            current = SqlGraphReader(self.conn).canonical(namespace)
            node = t.flow_node.c
            names = self.conn.scalars(select(node.name).where(node.kind == "cluster", node.namespace == current)).all()
            then = [row.namespace for row in self._clusters() if row.name in names]
            self._canonical[namespace] = then[0] if then else namespace
        return self._canonical[namespace]

    def cluster_names(self) -> Sequence[str]:
        """List the clusters that were known."""
        return sorted(row.name for row in self._clusters())

    def system_names(self) -> Mapping[str, str]:
        """Return the names that clusters had, and the aliases of servers as they are now."""
        return server_aliases(self.conn) | {row.namespace: row.name for row in reversed(self._clusters())}

    def links(self, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
        """List the ends of edges as they were; of edges inside schemas none."""
        link_kinds = frozenset(kinds)
        table = t.flow_edge_version
        condition = and_(table.c.kind.in_(sorted(link_kinds)), differs_at(table, self.scan))
        differing = list(edge_versions(self.conn, condition))
        later_edges = {
            (version.source_key, version.target_key, *version[5:10]) for version in differing if version.gone is None
        }
        edge = t.flow_edge
        rows = [EdgeRow(*row) for row in self.conn.execute(select(edge).where(edge.c.kind.in_(sorted(link_kinds))))]
        nodes = graph_store.nodes_of(self.conn, {end for row in rows for end in row[1:3]})
        for row in sorted(rows):
            ends = nodes[row.source_node_id].node_key, nodes[row.target_node_id].node_key
            if (*ends, *row[3:]) not in later_edges:
                yield ends
        yield from ((version.source_key, version.target_key) for version in differing if is_valid(version, self.scan))

    @property
    def stored(self) -> SqlGraphReader:
        """Return the reader of the stored graph."""
        return SqlGraphReader(self.conn)

    def graphs(self) -> tuple[GraphOfScan, ...]:
        """List the graphs that can be read, the oldest first."""
        return graph_versions(self.conn)

    def node_states(self) -> Iterator[NodeVersion]:
        """Yield every recorded state of a node, of all graphs."""
        return node_versions(self.conn, true())

    def edge_states(self) -> Iterator[EdgeVersion]:
        """Yield every recorded state of an edge, of all graphs."""
        return edge_versions(self.conn, true())

    def all_nodes(self) -> Iterator[NodeRow]:
        """Yield every node: those above the schemas, then each schema followed by its columns."""
        differing = list(node_versions(self.conn, differs_at(t.flow_node_version, self.scan)))
        then = {version.node_key: version for version in differing if is_valid(version, self.scan)}
        hidden = {version.node_key for version in differing} - then.keys()
        stored: set[str] = set()
        past_written = hiding = False
        for row in graph_store.read_nodes(self.conn):
            if row.kind == "schema" and not past_written:
                yield from self._left_over(then, stored)
                past_written = True
            if row.namespace or row.kind != "column":
                hiding = row.kind == "schema" and row.node_key in hidden
            if hiding or row.node_key in hidden:
                continue
            stored.add(row.node_key)
            yield _as_it_was(row, then[row.node_key]) if row.node_key in then else row
        if not past_written:
            yield from self._left_over(then, stored)
        for key in sorted(key for key in then if key.startswith(_SCHEMA) and key not in stored):
            yield from self.schema(key)[0]

    def all_edges(self) -> Iterator[tuple[str, str, EdgeRow]]:
        """Yield every edge with the keys of its ends: those above the schemas, then those inside each schema."""
        differing = list(edge_versions(self.conn, differs_at(t.flow_edge_version, self.scan)))
        later_edges = {
            (version.source_key, version.target_key, *version[5:10]) for version in differing if version.gone is None
        }
        nodes = [(row.id, row.node_key) for row in self.all_nodes()]
        keys, known = dict(nodes), {key for _, key in nodes}
        for row in graph_store.read_edges(self.conn):
            ends = keys.get(row.source_node_id), keys.get(row.target_node_id)
            if ends[0] is not None and ends[1] is not None and (*ends, *row[3:]) not in later_edges:
                yield ends[0], ends[1], row
        for version in differing:
            if is_valid(version, self.scan):
                yield version.source_key, version.target_key, _edge_row(version, 0, 1)
        for key in sorted(self._schemas):
            if key in known:
                yield from ((keys[row.source_node_id], keys[row.target_node_id], row) for row in self._schemas[key][1])

    def _left_over(self, then: Mapping[str, NodeVersion], stored: Collection[str]) -> Iterator[NodeRow]:
        """Yield the nodes above the schemas that the stored graph has no more."""
        gone = (version for key, version in then.items() if key not in stored and version.kind != "schema")
        yield from (_past_node(version) for version in sorted(gone))

    def _clusters(self) -> list[NodeRow]:
        node, version, level = t.flow_node, t.flow_node_version, graph_store.topic_level(self.conn).nodes
        current = [NodeRow(*row) for row in self.conn.execute(select(node).where(level, node.c.kind == "cluster"))]
        condition = and_(version.c.kind == "cluster", differs_at(version, self.scan))
        rows = {row.id: row for row in self._as_they_were(current)}
        rows |= {row.id: row for row in self._past_nodes(node_versions(self.conn, condition))}
        return sorted(rows.values())

    def _differing_names(self) -> set[str]:
        differing = node_versions(self.conn, differs_at(t.flow_node_version, self.scan))
        return {version.name for version in differing if version.namespace}

    def _as_they_were(self, rows: Iterable[NodeRow]) -> Iterator[NodeRow]:
        """Yield those of *rows*, of the stored graph, that existed, with the attributes that they had."""
        listed = list(rows)
        keys = sorted({row.node_key for row in listed if row.namespace or row.kind != "column"})
        table = t.flow_node_version
        differing: list[NodeVersion] = []
        for chunk in in_chunks(keys, _AT_ONCE):
            differing += node_versions(self.conn, and_(table.c.node_key.in_(chunk), differs_at(table, self.scan)))
        then = {version.node_key: version for version in differing if is_valid(version, self.scan)}
        hidden = {version.node_key for version in differing} - then.keys()
        for row in listed:
            if row.node_key in then:
                yield _as_it_was(row, then[row.node_key])
            elif row.node_key not in hidden:
                yield row

    def _past_nodes(self, versions: Iterable[NodeVersion]) -> Iterator[NodeRow]:
        """Yield the nodes of those *versions* that were valid; one that is stored has its key there."""
        valid = [version for version in versions if is_valid(version, self.scan)]
        stored = self._stored_nodes({version.node_key: version.name for version in valid})
        for version in valid:
            row = stored.get(version.node_key)
            yield _as_it_was(row, version) if row else _past_node(version)

    def _stored_nodes(self, names: Mapping[str, str]) -> dict[str, NodeRow]:
        """Find the nodes of the stored graph with the keys of *names*, which are theirs and have an index."""
        node = t.flow_node
        rows: dict[str, NodeRow] = {}
        for chunk in in_chunks(sorted(names), _AT_ONCE):
            alike = node.c.name.in_(sorted({names[key] for key in chunk}))
            query = select(node).where(alike, node.c.node_key.in_(chunk))
            rows |= {row.node_key: NodeRow(*row) for row in self.conn.execute(query)}
        return rows

    def _remember(self, rows: Iterable[NodeRow]) -> list[NodeRow]:
        listed = list(rows)
        self._nodes |= {row.id: row for row in listed}
        self._ids |= {row.node_key: row.id for row in listed}
        return listed

    def _as_then(self, rows: Sequence[EdgeRow], differing: Sequence[EdgeVersion]) -> Iterator[EdgeRow]:
        """Yield the stored edges that did not come later, and those that went since."""
        yield from self._without_later(rows, differing)
        yield from self._past_edges([version for version in differing if is_valid(version, self.scan)])

    def _without_later(self, rows: Sequence[EdgeRow], differing: Iterable[EdgeVersion]) -> Iterator[EdgeRow]:
        """Yield those of the stored edges that did not come later."""
        later_edges = {
            (version.source_key, version.target_key, *version[5:10]) for version in differing if version.gone is None
        }
        if not later_edges:
            yield from rows
            return
        nodes = self.nodes_of({end for row in rows for end in (row.source_node_id, row.target_node_id)})
        for row in rows:
            source, target = nodes.get(row.source_node_id), nodes.get(row.target_node_id)
            if source and target and (source.node_key, target.node_key, *row[3:]) not in later_edges:
                yield row

    def _past_edges(self, versions: Sequence[EdgeVersion]) -> Iterator[EdgeRow]:
        ends = {version.source_key: version.source_name for version in versions}
        ends |= {version.target_key: version.target_name for version in versions}
        self._load_nodes({key: name for key, name in ends.items() if key not in self._ids})
        for version in versions:
            yield _edge_row(version, self._ids[version.source_key], self._ids[version.target_key])

    def _load_nodes(self, names: Mapping[str, str]) -> None:
        """Read the nodes with the keys of *names*, which are theirs."""
        for key in names:
            if key.startswith(_SCHEMA):
                self._remember(schema_node(self.conn, key) or self.schema(key)[0])
        table = t.flow_node_version
        others = [key for key in names if not key.startswith(_SCHEMA)]
        for chunk in in_chunks(sorted(others), _AT_ONCE):
            self._remember(self._as_they_were(self._stored_nodes({key: names[key] for key in chunk}).values()))
            missing = [key for key in chunk if key not in self._ids]
            condition = and_(table.c.node_key.in_(missing), differs_at(table, self.scan))
            past = (version for version in node_versions(self.conn, condition) if is_valid(version, self.scan))
            self._remember(map(_past_node, past))

    def schema(self, key: str) -> tuple[list[NodeRow], list[EdgeRow]]:
        """Return the rows of a schema, by its node's key; its definition is kept as long as a graph has it."""
        if key not in self._schemas:
            nodes: list[NodeRow] = []
            edges: list[EdgeRow] = []
            for cells in cells_of(self.conn, heads_like(self.conn, key.removeprefix(_SCHEMA))[:1]):
                of_nodes, of_edges = self.schema_rows(cells)
                nodes += map(NodeRow._make, of_nodes)
                edges += map(EdgeRow._make, of_edges)
            self._schemas[key] = nodes, edges
        return self._schemas[key]

    def _inner_edges(self, nodes: Iterable[NodeRow], *, forward: bool, kinds: Collection[str]) -> Iterator[EdgeRow]:
        """Yield the edges at *nodes* inside schemas that the stored graph has no more."""
        if _CONTAINS not in kinds or not self._schemas:
            return
        for node in nodes:
            stem = node.node_key.partition("#")[0].partition(":")[2]
            _, edges = ((), ()) if node.namespace else self._schemas.get(f"{_SCHEMA}{stem}", ((), ()))
            yield from (edge for edge in edges if node.id == (edge.source_node_id if forward else edge.target_node_id))


def _stored_ids(nodes: Iterable[int]) -> list[int]:
    """Return those of the keys that the stored graph has."""
    return [key for key in nodes if key > _UNREACHED]


def _as_it_was(row: NodeRow, version: NodeVersion) -> NodeRow:
    return NodeRow(row.id, *version[1:7])


def _past_node(version: NodeVersion) -> NodeRow:
    return NodeRow(_FIRST_PAST + version.id, *version[1:7])


def _edge_row(version: EdgeVersion, source: int, target: int) -> EdgeRow:
    return EdgeRow(_FIRST_PAST + version.id, source, target, *version[5:10])
