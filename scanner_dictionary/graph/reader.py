"""The protocol for reading a generated graph wherever it is stored, and its implementation over the dictionary."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from sqlalchemy import BigInteger, Connection, Select, bindparam, case, cast, func, select, tuple_

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph import store as graph_store
from scanner_dictionary.graph.store import ColumnEnd, EdgeRow, Level, NodeRow, topic_level
from scanner_dictionary.queries.resolve import clusters_named
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import NODE, names_near
from scanner_model.errors import InputInvalid
from scanner_model.names import broker_addresses

KAFKA = "kafka://"
CALLED = ("topic", "dataset", "job", "consumer-group", "column")
"""The kinds of nodes that users refer to by a name."""

_NAMES_AT_ONCE = 500
_INNER = ("column", "schema")
_SCHEMA = "schema:"
_NAMED = select(t.flow_node).where(
    t.flow_node.c.name.in_(bindparam("names", expanding=True)),
    t.flow_node.c.namespace != "",
    t.flow_node.c.kind.in_(CALLED),
)
"""Built once: building it each time would cost more than running it."""


class GraphReader(Protocol):
    """The rows of a graph; their keys are numbers in the graph's order, stable while it is read."""

    @property
    def location(self) -> str:
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

    def names_near(self, text: str) -> Iterator[tuple[str, str | None]]:
        """List names as `names_known` does: at least those that *text* may mean, where there are too many to list."""

    def dataset_names(self) -> Iterable[str]:
        """List the names of datasets that are no topics, each once, in order."""

    def schema_columns(self, topic: NodeRow) -> Iterator[NodeRow]:
        """List the columns of the schemas that *topic* has, in the graph's order."""

    def canonical(self, namespace: str) -> str:
        """Get the cluster's namespace where *namespace* is a broker's, or else what names the cluster; else itself."""

    def cluster_names(self) -> Sequence[str]:
        """List the clusters by name."""

    def system_names(self) -> Mapping[str, str]:
        """Map namespaces to what people call them: clusters by their names, other servers where they have an alias."""

    def links(self, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
        """List the ends of all edges of *kinds*, as nodes' own ids."""


@dataclass(frozen=True, slots=True)
class SqlGraphReader:
    """The graph that is stored in the dictionary, over *conn*; a subclass whose edges differ is not *as_stored*."""

    as_stored: ClassVar[bool] = True
    conn: Connection
    _canonical: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Canonical namespaces that were looked up: one name is resolved several times, each time at every slash."""

    @property
    def location(self) -> str:
        """Return what stores the graph, as the subject of a sentence."""
        return "the dictionary"

    def all_nodes(self) -> Iterator[NodeRow]:
        """Read every node in the graph's order."""
        return graph_store.read_nodes(self.conn)

    def all_edges(self) -> Iterator[EdgeRow]:
        """Read every edge in the graph's order."""
        return graph_store.read_edges(self.conn)

    def top_nodes(self, limit: int) -> tuple[NodeRow, ...]:
        """Return the first *limit* nodes that are neither schema nor column, in the graph's order."""
        node = t.flow_node
        query = select(node).where(topic_level(self.conn).nodes, node.c.kind.not_in(_INNER)).order_by(node.c.id)
        return tuple(NodeRow(*row) for row in self.conn.execute(query.limit(limit)))

    def node_keys(self) -> Mapping[int, str]:
        """Return the `node_key` of every node."""
        return graph_store.node_keys(self.conn)

    def edges_at(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
    ) -> tuple[EdgeRow, ...]:
        """List edges by the indexes of their ends."""
        return graph_store.edges_at(self.conn, nodes, forward=forward, kinds=kinds, holders=holders)

    def column_flows(
        self, datasets: Sequence[int]
    ) -> tuple[Sequence[EdgeRow], Mapping[int, ColumnEnd], Mapping[int, ColumnEnd]]:
        """List the column flows from *datasets*, by key, with the ends that they leave and those that they enter."""
        return graph_store.column_flows(self.conn, datasets)

    def count_edges(self, nodes: Collection[int], *, forward: bool, kinds: Collection[str]) -> dict[int, int]:
        """Count the edges of *kinds* that leave (*forward*) or enter each of *nodes*."""
        return graph_store.count_edges(self.conn, nodes, forward=forward, kinds=kinds)

    def nearest_edges(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], limit: int
    ) -> tuple[EdgeRow, ...]:
        """Return at most *limit* edges of *kinds* that leave (*forward*) or enter *nodes*, the first by key."""
        return graph_store.nearest_edges(self.conn, nodes, forward=forward, kinds=kinds, limit=limit)

    def nodes_of(self, keys: Iterable[int]) -> Mapping[int, NodeRow]:
        """Read nodes by their keys."""
        return graph_store.nodes_of(self.conn, keys)

    def nodes_in(self, cluster: str) -> tuple[NodeRow, ...]:
        """List what is in *cluster*."""
        return graph_store.nodes_in(self.conn, cluster)

    def nodes_named(self, names: Collection[str]) -> Iterator[NodeRow]:
        """List nodes by name; a schema and its columns have no namespace."""
        for chunk in in_chunks(sorted(names), _NAMES_AT_ONCE):
            yield from map(NodeRow._make, self.conn.execute(_NAMED, {"names": chunk}))

    def names_known(self) -> Iterator[tuple[str, str | None]]:
        """List all names, in order."""
        node = t.flow_node.c
        query = select(node.name, node.path).where(node.kind.in_(CALLED), node.namespace != "")
        return ((row.name, row.path) for row in self.conn.execute(query.distinct().order_by(node.name, node.path)))

    def names_near(self, text: str) -> Iterator[tuple[str, str | None]]:
        """List the neighbours of *text* in the index of names; all names in a small dictionary."""
        neighbours = names_near(self.conn, text)
        return self.names_known() if neighbours is None else ((name, None) for name in neighbours)

    def dataset_names(self) -> Iterable[str]:
        """List the names of datasets."""
        node, use = t.flow_node.c, t.search_use.c
        query = select(node.name).where(node.kind == "dataset").distinct().order_by(node.name)
        indexed = self.conn.execute(select(use.entity_id).where(use.kind == NODE).limit(1)).first() is not None
        # Of all nodes most are columns: those in the index of names are the others, but for topics.
        return self.conn.scalars(
            query.join(t.search_use, use.entity_id == node.id).where(use.kind == NODE) if indexed else query
        )

    def cluster_nodes(self, names: Collection[str]) -> tuple[NodeRow, ...]:
        """Return the nodes of the clusters called *names*."""
        node = t.flow_node
        query = select(node).where(node.c.name.in_(sorted(names)), node.c.kind == "cluster")
        return tuple(NodeRow(*row) for row in self.conn.execute(query.order_by(node.c.id)))

    def schema_columns(self, topic: NodeRow) -> Iterator[NodeRow]:
        """List columns of schemas, looked up by the name of the schema."""
        node, edge = t.flow_node, t.flow_edge.c
        has = edge.source_node_id == topic.id, edge.kind == "has-schema"
        schemas = select(node.c.node_key, node.c.name).join(t.flow_edge, node.c.id == edge.target_node_id).where(*has)
        for key, name in self.conn.execute(schemas.distinct().order_by(node.c.node_key)).all():
            yield from columns_of_schema(self.conn, key, name)

    def canonical(self, namespace: str) -> str:
        """Look once among all broker addresses, and the clusters' own ids and CRNs."""
        if namespace not in self._canonical:
            self._canonical[namespace] = self._look_up(namespace.removeprefix(KAFKA)) or namespace
        return self._canonical[namespace]

    def _look_up(self, named: str) -> str | None:
        """Return the namespace of the cluster that has a broker, id or CRN called *named*, or of the server so called.

        None if absent.
        """
        node, cluster = t.flow_node.c, t.cluster.c
        query = select(node.namespace).where(node.kind == "cluster").order_by(node.id).limit(1)
        canonical: str | None = None
        if "/" not in named:
            with suppress(InputInvalid):
                at = (
                    select(cluster.name)
                    .join(t.broker, t.broker.c.cluster_id == cluster.id)
                    .where(t.broker.c.address.in_(broker_addresses(named)))
                )
                canonical = self.conn.execute(query.where(node.name.in_(at))).scalar()
        if not canonical:
            called = [name for _, name in clusters_named(self.conn, named)]
            canonical = self.conn.execute(query.where(node.name.in_(called))).scalar() if called else None
        return canonical or next((space for space, alias in server_aliases(self.conn).items() if alias == named), None)

    def cluster_names(self) -> Sequence[str]:
        """List the clusters that were scanned."""
        return list(self.conn.scalars(select(t.cluster.c.name).order_by(t.cluster.c.name)))

    def system_names(self) -> Mapping[str, str]:
        """Read the aliases of cluster.json, and the clusters; of several of one namespace the first in the graph."""
        clusters = {node.namespace: node.name for node in reversed(self.cluster_nodes(self.cluster_names()))}
        return server_aliases(self.conn) | clusters

    def links(self, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
        """List the ends of edges, of all nodes' ids only those at such an edge being held."""
        edge = t.flow_edge.c
        query = select(edge.source_node_id, edge.target_node_id).where(edge.kind.in_(sorted(kinds))).order_by(edge.id)
        ends = [tuple(row) for row in self.conn.execute(query)]
        nodes = self.nodes_of({end for pair in ends for end in pair})
        return ((nodes[source].node_key, nodes[target].node_key) for source, target in ends)


def server_aliases(conn: Connection) -> dict[str, str]:
    """Return what people call servers, by namespace; where clusters name it differently, as the first of them does."""
    alias = t.server_alias.c
    query = select(alias.namespace, alias.alias).join(t.cluster, t.cluster.c.id == alias.cluster_id)
    return {row.namespace: row.alias for row in conn.execute(query.order_by(t.cluster.c.name.desc()))}


def columns_of_schema(conn: Connection, key: str, name: str) -> Iterator[NodeRow]:
    """Read the columns of the schema whose node has *key* and *name*, in the graph's order."""
    node, inside = t.flow_node, f"column:{key.removeprefix('schema:')}#"
    columns = select(node).where(node.c.name == name, node.c.namespace == "", node.c.kind == "column")
    for row in conn.execute(columns.order_by(node.c.id)):
        if row.node_key.startswith(inside):
            yield NodeRow(*row)


def schema_node(conn: Connection, key: str) -> tuple[NodeRow, ...]:
    """Return the node of the stored graph that has the *key* of a schema, in a tuple; nothing where it has none."""
    node, definition = t.flow_node, t.schema_definition.c
    row_id = cast(definition.id, BigInteger) * (1 << graph_store.SCHEMA_BITS)
    start = key.removeprefix(_SCHEMA)
    # Digits of the fingerprint are 0 to f: g comes after all of them, in every collation.
    alike = definition.fingerprint.between(start, f"{start}g")
    query = select(node).join(t.schema_definition, node.c.id == row_id).where(alike, node.c.node_key == key)
    row = conn.execute(query).first()
    if row is None:  # another engine numbered the rows
        row = conn.execute(select(node).where(node.c.kind == "schema", node.c.node_key == key)).first()
    return (NodeRow(*row),) if row else ()


_DESCRIBED = '%"type":%'
_INTERNAL = '%"internal":%'
_OBSERVED = '%"observed":%'
_FAILED, _STATE = '%"failed":%', '%"state":%'
"""In the JSON text of attributes, where a quote inside a value has a backslash before it."""

_AT_ONCE = 500
_CONTAINS = "contains"
_HAS_SCHEMA = "has-schema"
_OTHERS = (_CONTAINS, _HAS_SCHEMA, "column-flow")


def topic_level_nodes(level: Level) -> Sequence[Any]:
    """List the nodes but the columns, in the graph's order: key, node's key, kind, namespace, name, attributes.

    The attributes are left out (empty) unless they mark the node as internal or observed.
    """
    node = t.flow_node.c
    marked = node.attributes.like(_INTERNAL) | node.attributes.like(_OBSERVED)
    attributes = case((marked, node.attributes), else_="")
    query = select(node.id, node.node_key, node.kind, node.namespace, node.name, attributes)
    return _fetch_cells(level, query.where(level.nodes, node.kind != "column").order_by(node.id))


class FlowColumn(NamedTuple):
    """A column of a topic in the stored graph that no schema describes."""

    topic: int
    name: str
    key: str
    path: tuple[str, ...]


def undescribed_columns(level: Level, topics: Mapping[tuple[str, str], int]) -> Iterator[FlowColumn]:
    """Yield the columns in flows that no schema of their topic has; *topics*: keys of nodes by namespace and name.

    Topics without any schema are left out, and so are columns that an engine provides for every record. The topic of a
    column is derived from its name: the stored edges that link them are a hundred times as many.
    """
    node, spaces = t.flow_node.c, {space for space, _ in topics}
    bare = level.nodes, node.kind == "column", node.namespace.in_(sorted(spaces)), node.path.is_not(None)
    undescribed = *bare, node.attributes.not_like(_DESCRIBED)
    # Each topic once would be looked for along the index of names, which takes four times as long.
    named = frozenset(_fetch_cells(level, select(node.namespace, node.name).where(*undescribed)))
    described = with_schemas(level, [topics[each] for each in named if each in topics])
    names = {name for space, name in named if topics.get((space, name)) in described}
    query = select(node.namespace, node.name, node.node_key, node.path).where(*undescribed)
    for chunk in in_chunks(sorted(names), _AT_ONCE):
        for space, name, key, text in _fetch_cells(level, query.where(node.name.in_(chunk)).order_by(node.id)):
            topic, path = topics.get((space, name)), tuple(json.loads(text))
            if topic in described and path and not is_of_engine(path):
                yield FlowColumn(topic, name, key, path)


_PSEUDO = frozenset(("ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND"))


def is_of_engine(path: tuple[str, ...]) -> bool:
    """Return whether an engine provides the column for every record, such as ksqlDB's ROWTIME."""
    return path[0].startswith("$") or path[-1] in _PSEUDO


def job_edges(level: Level) -> Sequence[Any]:
    """List the edges for reads, writes, materializations and members, by key: keys of the ends, kind, flow type."""
    edge = t.flow_edge.c
    query = select(edge.source_node_id, edge.target_node_id, edge.kind, edge.subtype)
    return _fetch_cells(level, query.where(level.edges, edge.kind.not_in(_OTHERS)).order_by(edge.id))


def contained(level: Level, clusters: Iterable[int]) -> list[int]:
    """List the keys of all nodes in *clusters*, which are keys."""
    edge = t.flow_edge.c
    query = select(edge.target_node_id).where(edge.kind == _CONTAINS)
    chunks = in_chunks(sorted(clusters), _AT_ONCE)
    return [key for chunk in chunks for (key,) in _fetch_cells(level, query.where(edge.source_node_id.in_(chunk)))]


def with_schemas(level: Level, topics: Iterable[int]) -> set[int]:
    """Return those of *topics*, by key, that have a schema."""
    edge = t.flow_edge.c
    query = select(edge.source_node_id).where(edge.kind == _HAS_SCHEMA)
    chunks = in_chunks(sorted(topics), _AT_ONCE)
    return {key for chunk in chunks for (key,) in _fetch_cells(level, query.where(edge.source_node_id.in_(chunk)))}


def _fetch_cells(level: Level, query: Select[Any]) -> Sequence[Any]:
    return graph_store.fetch_cells(level.conn.execute(query))


_UNLISTED = ("cluster", "schema", "column")


@dataclass(frozen=True, slots=True)
class NodeCount:
    """How many nodes of one kind a namespace has; *cluster* is what people call it: `GraphNode.cluster`."""

    kind: str
    namespace: str
    cluster: str
    count: int


def count_nodes(conn: Connection) -> tuple[NodeCount, ...]:
    """Count the nodes of each kind and namespace, in this order; what contains or is in others is not counted."""
    node = t.flow_node.c
    level, names = topic_level(conn), SqlGraphReader(conn).system_names()
    query = select(node.kind, node.namespace, func.count()).where(level.nodes, node.kind.not_in(_UNLISTED))
    rows = conn.execute(query.group_by(node.kind, node.namespace).order_by(node.kind, node.namespace))
    return tuple(NodeCount(kind, space, names.get(space, ""), count) for kind, space, count in rows)


@dataclass(frozen=True, slots=True)
class SystemFlow:
    """How many edges of a *kind* lead from nodes of one kind in a namespace to nodes of another."""

    source_kind: str
    source_namespace: str
    target_kind: str
    target_namespace: str
    kind: str
    edges: int


def count_flows(conn: Connection, kinds: Collection[str]) -> tuple[SystemFlow, ...]:
    """Count the edges of *kinds* between the kinds of nodes of each namespace, in this order."""
    edge, source, target = t.flow_edge.c, t.flow_node.alias().c, t.flow_node.alias().c
    cells = source.kind, source.namespace, target.kind, target.namespace, edge.kind
    query = (
        select(*cells, func.count())
        .where(topic_level(conn).edges, edge.kind.in_(sorted(kinds)))
        .where(source.id == edge.source_node_id, target.id == edge.target_node_id)
        .where(source.kind.not_in(_UNLISTED), target.kind.not_in(_UNLISTED))
    )
    return tuple(SystemFlow(*row) for row in conn.execute(query.group_by(*cells).order_by(*cells)))


def jobs_with_states(conn: Connection) -> Iterator[NodeRow]:
    """Yield the jobs that report a state, or why they failed, in the graph's order."""
    node = t.flow_node
    attributes = node.c.attributes
    stated = attributes.like(_FAILED) | attributes.like(_STATE)
    query = select(node).where(topic_level(conn).nodes, node.c.kind == "job", stated).order_by(node.c.id)
    return (NodeRow(*row) for row in conn.execute(query))


class NodePlace(NamedTuple):
    """Position of a node in a list of nodes."""

    namespace: str
    name: str
    id: int


def list_nodes(
    conn: Connection,
    *,
    kind: str | None = None,
    namespace: str | None = None,
    fits: Callable[[NodeRow], bool],
    after: NodePlace | None = None,
) -> Iterator[NodeRow]:
    """Yield nodes by namespace and name that *fits* accepts, beyond the place *after*."""
    node = t.flow_node
    query = select(node).where(topic_level(conn).nodes, node.c.kind.not_in(_UNLISTED))
    if kind is not None:
        query = query.where(node.c.kind == kind)
    if namespace is not None:
        query = query.where(node.c.namespace == namespace)
    if after is not None:
        query = query.where(tuple_(node.c.namespace, node.c.name, node.c.id) > tuple(after))
    rows = conn.execute(query.order_by(node.c.namespace, node.c.name, node.c.id))
    yield from filter(fits, (NodeRow(*row) for row in rows))
