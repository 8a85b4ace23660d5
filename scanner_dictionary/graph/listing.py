"""Lists of the graph's nodes above schemas and columns, and how many there are of each kind in each namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, func, select, tuple_

from scanner_dictionary.graph.reader import SqlGraphReader, topic_level
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.schema import tables as t

_INNER = ("cluster", "schema", "column")


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
    level = topic_level(conn)
    names = SqlGraphReader(conn).system_names()
    query = select(node.kind, node.namespace, func.count()).where(level.nodes, node.kind.not_in(_INNER))
    rows = conn.execute(query.group_by(node.kind, node.namespace).order_by(node.kind, node.namespace))
    return tuple(NodeCount(kind, space, names.get(space, ""), count) for kind, space, count in rows)


class NodePlace(NamedTuple):
    """Where a node stands in a list of nodes."""

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
    query = select(node).where(topic_level(conn).nodes, node.c.kind.not_in(_INNER))
    if kind is not None:
        query = query.where(node.c.kind == kind)
    if namespace is not None:
        query = query.where(node.c.namespace == namespace)
    if after is not None:
        query = query.where(tuple_(node.c.namespace, node.c.name, node.c.id) > tuple(after))
    rows = conn.execute(query.order_by(node.c.namespace, node.c.name, node.c.id))
    yield from filter(fits, (NodeRow(*row) for row in rows))
