"""The generated flow graph in its tables: written whole, read back in order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from scanner_dictionary.engine.bulk_insert import in_chunks, insert_rows
from scanner_dictionary.schema import tables as t

_GRAPH = 1
_ABOUT = ("id", "last_scan", "node_count", "edge_count", "coverage")
_NODES_AT_ONCE = 500


class NodeRow(NamedTuple):
    """A node as stored; *path* and *attributes* are JSON text, *path* None where it is no column."""

    id: int
    node_key: str
    kind: str
    namespace: str
    name: str
    path: str | None
    attributes: str


class EdgeRow(NamedTuple):
    """An edge as stored, between nodes' keys; *flow_type* and *subtype* are empty where it is no column flow."""

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

    *coverage* is JSON text, None where an older program generated the graph.
    """

    last_scan: int
    nodes: int
    edges: int
    coverage: str | None = None


def write_graph(
    conn: Connection,
    nodes: Iterable[NodeRow],
    edges: Iterable[EdgeRow],
    coverage: str | None = None,
    *,
    more: Iterable[tuple[Iterable[NodeRow], Iterable[EdgeRow]]] = (),
) -> StoredGraph:
    """Replace the stored graph in the caller's transaction (`opening.writing`), without holding it in memory.

    Nodes and edges come with their keys, each unique; an edge's ends are nodes' keys. *more* are further portions of
    them, an edge's ends at the latest in its own.
    """
    for table in (t.flow_edge, t.flow_node, t.flow_graph, t.flow_part):
        conn.execute(table.delete())
    for some_nodes, some_edges in chain([(nodes, edges)], more):
        insert_rows(conn, t.flow_node, some_nodes)
        insert_rows(conn, t.flow_edge, some_edges)
    sizes = [conn.execute(select(func.count()).select_from(table)).scalar_one() for table in (t.flow_node, t.flow_edge)]
    graph = StoredGraph(newest_scan(conn), nodes=sizes[0], edges=sizes[1], coverage=coverage)
    insert_rows(conn, t.flow_graph, [(_GRAPH, *graph)], _ABOUT)
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
    node = t.flow_node
    found: dict[int, NodeRow] = {}
    for chunk in in_chunks(sorted(set(keys)), _NODES_AT_ONCE):
        for row in conn.execute(select(node).where(node.c.id.in_(chunk)).order_by(node.c.id)):
            found[row.id] = NodeRow(*row)
    return found


def edges_at(
    conn: Connection, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
) -> tuple[EdgeRow, ...]:
    """List the edges of *kinds* that leave *nodes* (*forward*) or enter them, by key; `contains` only to a column.

    With *holders* `contains` leads to anything. Goes by the indexes of the edges' ends, so that a graph of any size is
    asked for its neighbourhood only.
    """
    edge, target = t.flow_edge.c, t.flow_node.c
    near = edge.source_node_id if forward else edge.target_node_id
    wanted = select(t.flow_edge).where(edge.kind.in_(sorted(kinds)))
    if not holders:
        joined = wanted.join(t.flow_node, target.id == edge.target_node_id)
        wanted = joined.where(or_(edge.kind != "contains", target.kind == "column"))
    found: list[EdgeRow] = []
    for chunk in in_chunks(nodes, _NODES_AT_ONCE):
        found += (EdgeRow(*row) for row in conn.execute(wanted.where(near.in_(chunk))))
    return tuple(sorted(found))


def newest_scan(conn: Connection) -> int:
    """Return the number of the newest scan, 0 where there is none; a graph of an older one is out of date."""
    return int(conn.execute(select(func.max(t.scan.c.id))).scalar() or 0)
