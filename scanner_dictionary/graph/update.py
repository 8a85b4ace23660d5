"""The stored graph changed in place: rows found, added, moved and taken away by their keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, delete, func, select, union_all, update

from scanner_dictionary.engine.bulk_insert import in_chunks, insert_rows, update_rows
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph, newest_scan
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import next_id

_AT_ONCE = 500
_FLOW = "column-flow"

Span = tuple[int, int]
"""The first and the last key of rows that follow each other."""


class UpperNode(NamedTuple):
    """A node above the schemas that is no column, without what is told of it."""

    id: int
    node_key: str
    kind: str
    namespace: str
    name: str


class FirstFlow(NamedTuple):
    """The first of the flows from or to a column: why the column is believed to be there."""

    evidence: str
    certainty: str


def upper_nodes(conn: Connection) -> list[UpperNode]:
    """List the nodes above the schemas but for the columns, in the graph's order."""
    node = t.flow_node.c
    query = select(node.id, node.node_key, node.kind, node.namespace, node.name)
    query = query.where(node.id < 0, node.kind != "column")
    return list(map(UpperNode._make, _bare(conn, query.order_by(node.id))))


def column_numbers(conn: Connection) -> Sequence[tuple[str, int]]:
    """List the columns in flows in the graph's order: each node's key, and its number."""
    node = t.flow_node.c
    query = select(node.node_key, node.id).where(node.id < 0, node.kind == "column")
    return _bare(conn, query.order_by(node.id))


def sizes(conn: Connection) -> tuple[int, int]:
    """Count nodes and edges."""
    nodes, edges = (conn.execute(select(func.count()).select_from(table)).scalar_one() for table in _TABLES)
    return int(nodes), int(edges)


def ends_within(conn: Connection, spans: Iterable[Span]) -> set[int]:
    """Return the nodes at the ends of the edges with keys in *spans*."""
    edge = t.flow_edge.c
    query = select(edge.source_node_id, edge.target_node_id)
    return {end for span in spans for row in conn.execute(query.where(edge.id.between(*span))) for end in row}


def delete_spans(conn: Connection, spans: Collection[Span], *, nodes: bool = False) -> None:
    """Take away the edges, or the *nodes*, with keys in *spans*."""
    table = t.flow_node if nodes else t.flow_edge
    if spans:
        within = table.c.id.between(bindparam("first"), bindparam("last"))
        conn.execute(delete(table).where(within), [{"first": first, "last": last} for first, last in spans])


def add_rows(conn: Connection, nodes: Iterable[NodeRow] = (), edges: Iterable[EdgeRow] = ()) -> None:
    """Add nodes, then edges between nodes that are there."""
    insert_rows(conn, t.flow_node, nodes)
    insert_rows(conn, t.flow_edge, edges)


def describe_nodes(conn: Connection, attributes: Mapping[int, str]) -> None:
    """Return something else of nodes, by their keys."""
    update_rows(conn, t.flow_node, ("attributes",), ((text, key) for key, text in attributes.items()))


def update_edge_certainty(conn: Connection, reasons: Mapping[int, FirstFlow]) -> None:
    """Report why edges are believed, by their keys."""
    update_rows(conn, t.flow_edge, ("evidence", "certainty"), ((*why, key) for key, why in reasons.items()))


def move_node(conn: Connection, old: int, new: NodeRow) -> None:
    """Return a node another key: edges at it stay."""
    edge = t.flow_edge.c
    insert_rows(conn, t.flow_node, [new])
    for end in (edge.source_node_id, edge.target_node_id):
        conn.execute(update(t.flow_edge).where(end == old).values({end: new.id}))
    conn.execute(delete(t.flow_node).where(t.flow_node.c.id == old))


def with_edges(conn: Connection, nodes: Collection[int]) -> set[int]:
    """Return those of *nodes* that an edge leaves or enters."""
    edge = t.flow_edge.c
    found: set[int] = set()
    for end in (edge.source_node_id, edge.target_node_id):
        for chunk in in_chunks(sorted(nodes), _AT_ONCE):
            found.update(conn.scalars(select(end).where(end.in_(chunk)).distinct()))
    return found


def columns_in_flows(conn: Connection, datasets: Iterable[int]) -> dict[int, int]:
    """Return the columns of topics and datasets that take part in flows, each with its topic or dataset."""
    edge = t.flow_edge.c
    query = select(edge.target_node_id, edge.source_node_id).where(edge.kind == "contains")
    chunks = in_chunks(sorted(datasets), _AT_ONCE)
    return {key: at for chunk in chunks for key, at in _bare(conn, query.where(edge.source_node_id.in_(chunk)))}


def first_flows(conn: Connection, columns: Iterable[int]) -> dict[int, FirstFlow]:
    """Return the first flow at each column; one without any is not listed."""
    edge = t.flow_edge.c
    first: dict[int, int] = {}
    for chunk in in_chunks(sorted(columns), _AT_ONCE):
        parts = (_earliest(end, chunk) for end in (edge.source_node_id, edge.target_node_id))
        for column, key in conn.execute(union_all(*parts)):
            first[column] = min(key, first.get(column, key))
    why: dict[int, FirstFlow] = {}
    for chunk in in_chunks(sorted(set(first.values())), _AT_ONCE):
        for key, *told in conn.execute(select(edge.id, edge.evidence, edge.certainty).where(edge.id.in_(chunk))):
            why[key] = FirstFlow(*told)
    return {column: why[key] for column, key in first.items()}


def has_doubles(conn: Connection, targets: Iterable[int]) -> bool:
    """Return whether two flows to one of *targets* say the same: of those the graph keeps one."""
    edge = t.flow_edge.c
    told = edge.source_node_id, edge.target_node_id, edge.flow_type, edge.subtype, edge.evidence, edge.certainty
    for chunk in in_chunks(sorted(targets), _AT_ONCE):
        query = select(edge.id).where(edge.kind == _FLOW, edge.target_node_id.in_(chunk))
        if conn.execute(query.group_by(*told).having(func.count() > 1).with_only_columns(*told).limit(1)).first():
            return True
    return False


def delete_upper(conn: Connection) -> None:
    """Take away all that stands above the schemas."""
    for table in (t.flow_edge, t.flow_node):
        conn.execute(delete(table).where(table.c.id < 0))


def write_graph_state(conn: Connection, coverage: str) -> StoredGraph:
    """Report of the stored graph that it is of the newest scan, how large it is, and how much was read for it."""
    nodes, edges = sizes(conn)
    graph = StoredGraph(newest_scan(conn), nodes, edges, coverage)
    values = {"last_scan": graph.last_scan, "node_count": nodes, "edge_count": edges, "coverage": coverage}
    conn.execute(update(t.flow_graph).values(values))
    return graph


_TABLES = (t.flow_node, t.flow_edge)


def _earliest(end: Any, columns: Sequence[int]) -> Select[Any]:  # noqa: ANN401 - a column of a table
    edge = t.flow_edge.c
    return select(end, func.min(edge.id)).where(end.in_(columns), edge.kind == _FLOW).group_by(end)


def _bare(conn: Connection, query: Select[Any]) -> Sequence[Any]:
    found = conn.execute(query)
    return found.cursor.fetchall() if found.cursor else ()


PartName = tuple[str, str]
"""The kind of a part, and its name in that kind."""


class PartRow(NamedTuple):
    """What a part was made of, as a hash; *told* is JSON text of what came of it."""

    digest: str
    told: str


class Parts(NamedTuple):
    """Every part of the stored graph, and the keys of their rows."""

    rows: Mapping[PartName, PartRow]
    keys: Mapping[PartName, int]


def build_version(conn: Connection) -> str | None:
    """Return what all of the stored graph was made with, as JSON text; None where it can only be made anew."""
    return conn.execute(select(t.flow_graph.c.made_with)).scalar()


def read_parts(conn: Connection) -> Parts:
    """Read every part of the stored graph."""
    rows: dict[PartName, PartRow] = {}
    keys: dict[PartName, int] = {}
    for key, kind, name, digest, told in conn.execute(select(t.flow_part)):
        rows[kind, name], keys[kind, name] = PartRow(digest, told), key
    return Parts(rows, keys)


def write_parts(conn: Connection, before: Parts, now: Mapping[PartName, PartRow], said: str) -> None:
    """Bring the stored parts from what they were *before* to *now*; *said* is what all of the graph was made with."""
    gone = [before.keys[name] for name in before.rows if name not in now]
    for chunk in in_chunks(gone, _AT_ONCE):
        conn.execute(delete(t.flow_part).where(t.flow_part.c.id.in_(chunk)))
    differing = ((*row, before.keys[name]) for name, row in now.items() if before.rows.get(name, row) != row)
    update_rows(conn, t.flow_part, ("digest", "told"), differing)
    new = ((name, row) for name, row in now.items() if name not in before.rows)
    first = next_id(conn, t.flow_part)
    insert_rows(conn, t.flow_part, ((id_, *name, *row) for id_, (name, row) in enumerate(new, first)))
    conn.execute(update(t.flow_graph).values(made_with=said))
