"""The generated flow graph in its tables: written in one transaction, read in order, the nearest edges of nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    CursorResult,
    Select,
    Table,
    and_,
    bindparam,
    cast,
    func,
    or_,
    select,
    true,
    union_all,
)

from scanner_dictionary.engine.rows import in_chunks, insert_rows, update_rows
from scanner_dictionary.schema import tables as t

_GRAPH = 1
_NODES_AT_ONCE = 500

SCHEMA_BITS = 32
"""A schema's row is numbered by its definition's key above these bits, and a column's by its ordinal in them."""


class NodeRow(NamedTuple):
    """A node as stored; *path* and *attributes* are JSON text, *path* None except for columns."""

    id: int
    node_key: str
    kind: str
    namespace: str
    name: str
    path: str | None
    attributes: str


class EdgeRow(NamedTuple):
    """An edge as stored, between nodes' keys; *flow_type* and *subtype* are empty except for column flows."""

    id: int
    source_node_id: int
    target_node_id: int
    kind: str
    flow_type: str
    subtype: str
    evidence: str
    certainty: str


class StoredGraph(NamedTuple):
    """Which graph is stored: the newest scan number that it was generated from, and its size.

    *coverage* is JSON text.
    """

    last_scan: int
    nodes: int
    edges: int
    coverage: str = "{}"


def schema_nodes(conn: Connection, layout: int) -> dict[int, str]:
    """Return the `node_key` of the nodes of schemas that are stored in *layout*, by their keys.

    Nothing where rows are missing, or where another program stored the graph.
    """
    graph, node = t.flow_graph.c, t.flow_node.c
    counts = conn.execute(select(graph.node_count, graph.edge_count).where(graph.schema_layout == layout)).one_or_none()
    if counts is None or tuple(counts) != _sizes(conn):
        return {}
    first_id = cast(t.schema_definition.c.id, BigInteger) * (1 << SCHEMA_BITS)
    query = select(node.id, node.node_key).join(t.schema_definition, node.id == first_id)
    return {row.id: row.node_key for row in conn.execute(query)}


def delete_graph(conn: Connection) -> None:
    """Delete the stored graph in the caller's transaction."""
    for table in (t.flow_graph, t.column_tag, t.flow_edge, t.flow_node):
        conn.execute(table.delete())


def delete_schemas(conn: Connection, schemas: Iterable[int]) -> None:
    """Delete the rows of *schemas*, given by their keys, with their columns and the edges to them."""
    for chunk in in_chunks(schemas, _NODES_AT_ONCE):
        edge = t.flow_edge.c
        conn.execute(t.flow_edge.delete().where(or_(edge.source_node_id.in_(chunk), edge.target_node_id.in_(chunk))))
        spans = [{"first": first, "last": first + (1 << SCHEMA_BITS) - 1} for first in chunk]
        for table in (t.flow_edge, t.flow_node):
            conn.execute(table.delete().where(table.c.id.between(bindparam("first"), bindparam("last"))), spans)


def replace_rows(
    conn: Connection, nodes: Iterable[NodeRow], edges: Iterable[EdgeRow], changing: Callable[[], None]
) -> None:
    """Make the rows that belong to no schema equal to *nodes* and *edges*, both in the order of their keys.

    Rows that are the same already stay; *changing* is called before others are written.
    """
    first_node = _replace(conn, t.flow_node, nodes, changing)
    first_edge = _replace(conn, t.flow_edge, edges, changing)
    for table, first in ((t.flow_edge, first_edge), (t.flow_node, first_node)):
        if conn.scalar(select(func.min(table.c.id)).where(table.c.id < first)) is not None:
            changing()
            conn.execute(table.delete().where(table.c.id < first))


def _replace(conn: Connection, table: Table, rows: Iterable[NodeRow | EdgeRow], changing: Callable[[], None]) -> int:
    """Write the *rows* that differ from those of *table*; return the first of their keys, which are below zero."""
    first, (key, *names) = 0, table.columns.keys()
    for chunk in in_chunks(rows):
        first = first or chunk[0].id
        span = select(table).where(table.c[key].between(chunk[0].id, chunk[-1].id))
        stored = {row[0]: tuple(row) for row in fetch_cells(conn.execute(span))}
        if differing := [row for row in chunk if stored.get(row.id) != row]:
            changing()
            insert_rows(conn, table, (row for row in differing if row.id not in stored))
            update_rows(conn, table, names, ((*row[1:], row.id) for row in differing if row.id in stored))
    return first


def add_rows(conn: Connection, nodes: Iterable[Sequence[Any]], edges: Iterable[Sequence[Any]]) -> None:
    """Add nodes, then edges between nodes that are there, without holding them in memory.

    They have the cells of `NodeRow` and `EdgeRow`, with unique keys; an edge's ends are nodes' keys.
    """
    insert_rows(conn, t.flow_node, nodes)
    insert_rows(conn, t.flow_edge, edges)


def describe_graph(conn: Connection, coverage: str = "{}", layout: int | None = None) -> StoredGraph:
    """Store that the graph is of the newest scan, its size, *coverage*, and the *layout* of its schemas.

    The tags of columns, which are those along the graph before, are deleted.
    """
    conn.execute(t.flow_graph.delete())
    conn.execute(t.column_tag.delete())
    graph = StoredGraph(newest_scan(conn), *_sizes(conn), coverage)
    insert_rows(conn, t.flow_graph, [(_GRAPH, *graph, layout, None)])
    return graph


def stored_graph(conn: Connection) -> StoredGraph | None:
    """Return which graph is stored; None where none was generated yet."""
    graph = t.flow_graph.c
    row = conn.execute(select(graph.last_scan, graph.node_count, graph.edge_count, graph.coverage)).one_or_none()
    return StoredGraph(*row) if row else None


def read_nodes(conn: Connection) -> Iterator[NodeRow]:
    """Read the nodes of the stored graph in the order of their keys."""
    return (NodeRow(*row) for row in conn.execute(select(t.flow_node).order_by(t.flow_node.c.id)))


def read_edges(conn: Connection) -> Iterator[EdgeRow]:
    """Read the edges of the stored graph in the order of their keys."""
    return (EdgeRow(*row) for row in conn.execute(select(t.flow_edge).order_by(t.flow_edge.c.id)))


def node_keys(conn: Connection) -> dict[int, str]:
    """Return the `node_key` of every node."""
    node = t.flow_node.c
    return {row.id: row.node_key for row in conn.execute(select(node.id, node.node_key))}


def nodes_in(conn: Connection, cluster: str) -> tuple[NodeRow, ...]:
    """List the node of *cluster* and what has its namespace, but for columns, in the graph's order."""
    node = t.flow_node
    home = select(node.c.namespace).where(node.c.kind == "cluster", node.c.name == cluster)
    query = select(node).where(node.c.namespace.in_(home), node.c.kind != "column").order_by(node.c.id)
    others = (row for row in conn.execute(query) if row.kind != "cluster" or row.name == cluster)
    return tuple(NodeRow(*row) for row in others)


def nodes_of(conn: Connection, keys: Iterable[int]) -> Mapping[int, NodeRow]:
    """Read the nodes of *keys*, in their order; one that is not there is not listed."""
    nodes: dict[int, NodeRow] = {}
    for chunk in in_chunks(sorted(set(keys)), _NODES_AT_ONCE):
        nodes |= {row[0]: NodeRow._make(row) for row in fetch_cells(conn.execute(_NODES, {"keys": chunk}))}
    return nodes


_NODES = select(t.flow_node).where(t.flow_node.c.id.in_(bindparam("keys", expanding=True))).order_by(t.flow_node.c.id)


def edges_at(
    conn: Connection, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
) -> tuple[EdgeRow, ...]:
    """List the edges of *kinds* that leave *nodes* (*forward*) or enter them, by key; `contains` only to a column.

    With *holders* `contains` leads to anything. Goes by the indexes of the edges' ends, so that a graph of any size is
    asked for its neighbourhood only.
    """
    edges: list[EdgeRow] = []
    for chunk in in_chunks(nodes, _NODES_AT_ONCE):
        rows = conn.execute(_EDGES[forward, holders], {"nodes": chunk, "kinds": sorted(kinds)})
        edges += map(EdgeRow._make, fetch_cells(rows))
    return tuple(sorted(edges))


def fetch_cells(result: CursorResult[Any]) -> Sequence[Any]:
    """Return the rows of *result* as the driver has them: SQLAlchemy's row costs as much as reading the cells."""
    return result.cursor.fetchall() if result.cursor else ()


def _edges_at(*, forward: bool, holders: bool) -> Select[Any]:
    edge, target = t.flow_edge.c, t.flow_node.c
    near_end = edge.source_node_id if forward else edge.target_node_id
    nodes: BindParameter[Any] = bindparam("nodes", expanding=True)
    kinds: BindParameter[Any] = bindparam("kinds", expanding=True)
    edges_at_nodes = select(t.flow_edge).where(edge.kind.in_(kinds), near_end.in_(nodes))
    if holders:
        return edges_at_nodes
    joined = edges_at_nodes.join(t.flow_node, target.id == edge.target_node_id)
    return joined.where(or_(edge.kind != "contains", target.kind == "column"))


_EDGES = {
    (forward, holders): _edges_at(forward=forward, holders=holders)
    for forward in (True, False)
    for holders in (True, False)
}
"""Queries by direction; building them each time would cost more than running them."""


class ColumnEnd(NamedTuple):
    """One end of a column flow: its dataset, and the column's path (JSON text); None for a whole dataset."""

    dataset: int
    path: str | None


def column_flows(
    conn: Connection, datasets: Sequence[int]
) -> tuple[Sequence[EdgeRow], Mapping[int, ColumnEnd], Mapping[int, ColumnEnd]]:
    """List the column flows from the columns of *datasets*, and from these themselves, by key, with their ends.

    The ends are those that flows leave, then those that they enter, by the keys of their nodes. Many flows enter one
    column: each end is read once.
    """
    flows: list[EdgeRow] = []
    sources = {dataset: ColumnEnd(dataset, None) for dataset in datasets}
    targets: dict[int, ColumnEnd] = {}
    for chunk in in_chunks(datasets, _NODES_AT_ONCE):
        edges, columns, entered = (fetch_cells(conn.execute(query, {"datasets": chunk})) for query in _COLUMN_FLOWS)
        flows += map(EdgeRow._make, edges)
        sources |= {row[0]: ColumnEnd(row[1], row[2]) for row in columns}
        targets |= {row[0]: ColumnEnd(row[1], row[2]) for row in entered}
    return sorted(flows), sources, targets


def _column_flows() -> tuple[Select[Any], Select[Any], Select[Any]]:
    inside, holds, flow, node = t.flow_edge.alias(), t.flow_edge.alias(), t.flow_edge.c, t.flow_node.c
    datasets: BindParameter[Any] = bindparam("datasets", expanding=True)
    columns = (
        select(node.id, inside.c.source_node_id, node.path)
        .join(inside, inside.c.target_node_id == node.id)
        .where(inside.c.source_node_id.in_(datasets), inside.c.kind == "contains", node.kind == "column")
    )
    sources = union_all(columns.with_only_columns(node.id), select(node.id).where(node.id.in_(datasets)))
    flows = select(t.flow_edge).where(flow.source_node_id.in_(sources), flow.kind == "column-flow")
    holder = holds.c.target_node_id == node.id, holds.c.kind == "contains", node.kind == "column"
    entered = (
        select(node.id, func.coalesce(holds.c.source_node_id, node.id), node.path)
        .outerjoin(holds, and_(*holder))
        .where(node.id.in_(flows.with_only_columns(flow.target_node_id)))
    )
    return flows, columns, entered


_COLUMN_FLOWS = _column_flows()
"""Three queries: flows, the columns that they may leave, and what they enter."""


def newest_scan(conn: Connection) -> int:
    """Return the number of the newest scan, 0 without a scan; a graph of an older one is out of date."""
    return int(conn.execute(select(func.max(t.scan.c.id))).scalar() or 0)


def _sizes(conn: Connection) -> tuple[int, int]:
    """Count nodes and edges."""
    nodes, edges = (
        conn.execute(select(func.count()).select_from(table)).scalar_one() for table in (t.flow_node, t.flow_edge)
    )
    return int(nodes), int(edges)


def count_edges(conn: Connection, nodes: Collection[int], *, forward: bool, kinds: Collection[str]) -> dict[int, int]:
    """Count the edges of *kinds* that leave (*forward*) or enter each of *nodes*; one without any is not listed."""
    counts: dict[int, int] = {}
    for chunk in in_chunks(sorted(nodes), _NODES_AT_ONCE):
        rows = conn.execute(_COUNTS[forward], {"nodes": chunk, "kinds": sorted(kinds)})
        counts |= {row[0]: row[1] for row in rows.all()}
    return counts


def nearest_edges(
    conn: Connection, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], limit: int
) -> tuple[EdgeRow, ...]:
    """Return at most *limit* edges of *kinds* that leave (*forward*) or enter *nodes*, the first by key."""
    rows: list[EdgeRow] = []
    for chunk in in_chunks(nodes, _NODES_AT_ONCE):
        nearest = conn.execute(_NEAREST[forward], {"nodes": chunk, "kinds": sorted(kinds), "most": limit})
        rows += map(EdgeRow._make, fetch_cells(nearest))
    return tuple(sorted(rows)[:limit])


_NEAR = {True: t.flow_edge.c.source_node_id, False: t.flow_edge.c.target_node_id}


def _at_nodes(query: Select[Any], *, forward: bool) -> Select[Any]:
    nodes: BindParameter[Any] = bindparam("nodes", expanding=True)
    kinds: BindParameter[Any] = bindparam("kinds", expanding=True)
    return query.where(_NEAR[forward].in_(nodes), t.flow_edge.c.kind.in_(kinds))


_NEAREST = {
    forward: _at_nodes(select(t.flow_edge), forward=forward).order_by(t.flow_edge.c.id).limit(bindparam("most"))
    for forward in _NEAR
}
_COUNTS = {
    forward: _at_nodes(select(near_end, func.count()), forward=forward).group_by(near_end)
    for forward, near_end in _NEAR.items()
}
"""Queries by direction; building them each time would cost more than running them."""


class Level(NamedTuple):
    """The rows of the job and topic level in the stored graph: conditions on the keys of nodes and of edges."""

    conn: Connection
    nodes: ColumnElement[bool]
    edges: ColumnElement[bool]


def topic_level(conn: Connection) -> Level:
    """Find the rows that come before the first schema in the graph's order: that order makes them a range of keys."""
    node, edge = t.flow_node.c, t.flow_edge.c
    if (conn.scalar(select(func.min(node.id))) or 0) < 0:
        return Level(conn, node.id < 0, edge.id < 0)
    # All of this graph was numbered from one.
    first = conn.scalar(select(node.id).where(node.kind == "schema").order_by(node.id).limit(1))
    return Level(conn, *((true(), true()) if first is None else (node.id < first, edge.source_node_id < first)))
