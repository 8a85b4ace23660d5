"""The graphs of earlier scans: what of each differs from the newest one is recorded when a graph is stored.

A row of `flow_node_version` and `flow_edge_version` is one state of a node or an edge: the graphs of the scans from
`first_scan` on have it, those from `gone` on do not. What did not change since the oldest known graph has no row.
Columns of schemas have none either: they come and go with the node of their schema, whose definition is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, delete, func, or_, select

from scanner_dictionary.engine.rows import in_chunks, insert_rows, update_rows
from scanner_dictionary.graph.store import newest_scan, stored_graph, topic_level
from scanner_dictionary.schema import tables as t

_AT_ONCE = 500
_FETCHED = 10_000
_NODE = ("node_key", "kind", "namespace", "name", "path", "attributes")
_EDGE = (
    *("source_key", "source_name", "target_key", "target_name"),
    *("kind", "flow_type", "subtype", "evidence", "certainty"),
)

State = tuple[Any, ...]
"""The cells of a node or an edge, without its row's key: those of `NodeVersion` or `EdgeVersion` after `id`."""


class NodeVersion(NamedTuple):
    """One state of a node; *first_scan* None: the oldest graph has it, *gone* None: the newest graph has it."""

    id: int
    node_key: str
    kind: str
    namespace: str
    name: str
    path: str | None
    attributes: str
    first_scan: int | None
    gone: int | None


class EdgeVersion(NamedTuple):
    """One state of an edge, between the keys of nodes; *first_scan* and *gone* as those of a node."""

    id: int
    source_key: str
    source_name: str
    target_key: str
    target_name: str
    kind: str
    flow_type: str
    subtype: str
    evidence: str
    certainty: str
    first_scan: int | None
    gone: int | None


class GraphOfScan(NamedTuple):
    """A graph that can be read: the scan it is of, when this was finished (ISO 8601; None: unknown), and its size."""

    scan: int
    finished: str | None
    nodes: int
    edges: int
    coverage: str


def is_valid(version: NodeVersion | EdgeVersion, scan: int) -> bool:
    """Return whether the graph of *scan* has this state."""
    return (version.first_scan or 0) <= scan and (version.gone is None or version.gone > scan)


def differs_at(table: Table, scan: int) -> ColumnElement[bool]:
    """Return the condition for the states in which the graph of *scan* and the newest one differ."""
    first, gone = table.c.first_scan, table.c.gone
    older = and_(gone > scan, or_(first.is_(None), first <= scan))
    return or_(older, and_(gone.is_(None), first > scan))


def graph_versions(conn: Connection) -> tuple[GraphOfScan, ...]:
    """List the graphs that can be read, the oldest first."""
    version = t.flow_graph_version.c
    columns = (version.scan, t.scan.c.finished, version.node_count, version.edge_count, version.coverage)
    query = select(*columns).select_from(t.flow_graph_version).outerjoin(t.scan, t.scan.c.id == version.scan)
    return tuple(GraphOfScan(*row) for row in conn.execute(query.order_by(version.scan)))


def node_versions(conn: Connection, condition: ColumnElement[bool]) -> Iterator[NodeVersion]:
    """Yield the states of nodes that satisfy *condition*, in the order of their keys."""
    return map(NodeVersion._make, _rows(conn, _where(t.flow_node_version, condition)))


def edge_versions(conn: Connection, condition: ColumnElement[bool]) -> Iterator[EdgeVersion]:
    """Yield the states of edges that satisfy *condition*, in the order of their keys."""
    return map(EdgeVersion._make, _rows(conn, _where(t.flow_edge_version, condition)))


def last_graphs_with(conn: Connection, names: AbstractSet[str]) -> list[GraphOfScan]:
    """Return the graphs after which something with one of *names* changed or went, the newest first.

    A dataset is also known by the end of its name.
    """
    node = t.flow_node_version.c
    past = select(node.gone).where(node.gone.is_not(None)).distinct()
    gone: set[int | None] = set()
    for chunk in in_chunks(sorted(names), _AT_ONCE):
        gone |= set(conn.scalars(past.where(node.name.in_(chunk))))
    for scan, name in conn.execute(past.add_columns(node.name).where(node.kind == "dataset")):
        if any(name[at + 1 :] in names for at, mark in enumerate(name) if mark in "./"):
            gone.add(scan)
    versions = graph_versions(conn)
    last = {before for before, after in pairwise(versions) if after.scan in gone}
    return sorted(last, key=lambda version: version.scan, reverse=True)


@contextmanager
def recorded(conn: Connection) -> Iterator[Callable[[], None]]:
    """Record how the graph that is stored in the `with` block differs from the one before it.

    The block calls what it gets before it changes the first node or edge. The graph of a scan is the last one that was
    stored while no newer scan was: another one of the same scan replaces it, and changes the older graphs as little as
    any other.
    """
    about, known = stored_graph(conn), conn.scalar(select(func.max(t.flow_graph_version.c.scan)))
    before: list[tuple[set[State], set[State]]] = []
    yield lambda: None if before or about is None or known is None else before.append(_graph_state(conn))
    scan = newest_scan(conn)
    if about is None or known is None:
        for table in (t.flow_graph_version, t.flow_node_version, t.flow_edge_version):
            conn.execute(delete(table))
    for states in before:
        _record_changes(conn, states, scan)
    graph = stored_graph(conn)
    conn.execute(delete(t.flow_graph_version).where(t.flow_graph_version.c.scan >= scan))
    if graph is not None:
        insert_rows(conn, t.flow_graph_version, [graph])


def prune_versions(conn: Connection, scan: int) -> dict[str, int]:
    """Delete the graphs of scans before *scan*, but for the newest graph; return how many rows went, by table."""
    kept_scans = [version.scan for version in graph_versions(conn) if version.scan >= scan]
    oldest = min(kept_scans, default=conn.scalar(select(func.max(t.flow_graph_version.c.scan))) or 0)
    counts = {}
    for table in (t.flow_node_version, t.flow_edge_version):
        first, gone = table.c.first_scan, table.c.gone
        unchanged = and_(gone.is_(None), or_(first.is_(None), first <= oldest))
        counts[table.name] = conn.execute(delete(table).where(or_(gone <= oldest, unchanged))).rowcount
        conn.execute(table.update().where(first <= oldest).values(first_scan=None))
    versions = t.flow_graph_version
    counts[versions.name] = conn.execute(delete(versions).where(versions.c.scan < oldest)).rowcount
    return counts


def _graph_state(conn: Connection) -> tuple[set[State], set[State]]:
    """Return the states of the nodes above the columns of schemas, and of the edges between them."""
    nodes = dict(_node_states(conn))
    ends = {id_: (state[0], state[3]) for id_, state in nodes.items()}
    return set(nodes.values()), set(_edge_states(conn, ends))


def _record_changes(conn: Connection, before: tuple[set[State], set[State]], scan: int) -> None:
    """Write what went and what came since *before*, which is emptied: only the differences are held beside it."""
    old_nodes, old_edges = before
    ends: dict[int, tuple[str, str]] = {}
    came = []
    for id_, state in _node_states(conn):
        ends[id_] = state[0], state[3]
        if state in old_nodes:
            old_nodes.remove(state)
        else:
            came.append(state)
    _record(conn, t.flow_node_version, old_nodes, came, scan)
    old_nodes.clear()
    came, unchanged = [], set()
    for state in _edge_states(conn, ends):
        if state in old_edges:
            old_edges.remove(state)
            unchanged.add(hash(state))
        elif hash(state) not in unchanged:  # an edge may be there twice
            came.append(state)
    _record(conn, t.flow_edge_version, old_edges, dict.fromkeys(came), scan)


def _node_states(conn: Connection) -> Iterator[tuple[int, State]]:
    """Yield the nodes above the columns of schemas by the keys of their rows."""
    node, edge = t.flow_node.c, t.flow_edge.c
    query = select(node.id, *(node[name] for name in _NODE))
    schemas = select(edge.target_node_id).where(edge.kind == "has-schema")
    for condition in (topic_level(conn).nodes & (node.kind != "schema"), node.id.in_(schemas)):
        yield from ((row[0], tuple(row[1:])) for row in _rows(conn, query.where(condition)))


def _edge_states(conn: Connection, ends: Mapping[int, tuple[str, str]]) -> Iterator[State]:
    """Yield the edges between nodes that *ends* has, with the key and the name of each."""
    edge = t.flow_edge.c
    cells = (edge.kind, edge.flow_type, edge.subtype, edge.evidence, edge.certainty)
    query = select(edge.source_node_id, edge.target_node_id, *cells).where(topic_level(conn).edges)
    for source, target, *others in _rows(conn, query):
        if source in ends and target in ends:
            yield (*ends[source], *ends[target], *others)


def _record(conn: Connection, table: Table, went: Iterable[State], came: Iterable[State], scan: int) -> None:
    """Write what *went* and what *came* in the graph of *scan*; what came and goes in the same scan is deleted."""
    names = _NODE if table is t.flow_node_version else _EDGE
    left = sorted(went, key=_order)
    current = _current_states(conn, table, names, (state[0] for state in left))
    ended = [current[state] for state in left if state in current]
    update_rows(conn, table, ("gone",), ((scan, id_) for id_, first in ended if first != scan))
    for chunk in in_chunks((id_ for id_, first in ended if first == scan), _AT_ONCE):
        conn.execute(delete(table).where(table.c.id.in_(chunk)))
    first_id = (conn.scalar(select(func.max(table.c.id))) or 0) + 1
    past = ((*state, None, scan) for state in left if state not in current)
    rows = (*past, *((*state, scan, None) for state in sorted(came, key=_order)))
    insert_rows(conn, table, ((id_, *cells) for id_, cells in enumerate(rows, first_id)))


def _current_states(
    conn: Connection, table: Table, names: Sequence[str], keys: Iterable[str]
) -> Mapping[State, tuple[int, int | None]]:
    """Return the recorded states that the newest graph has, with id and first scan, by their cells."""
    cells = [table.c[name] for name in names]
    states: dict[State, tuple[int, int | None]] = {}
    for chunk in in_chunks(sorted(set(keys)), _AT_ONCE):
        query = select(table.c.id, table.c.first_scan, *cells).where(cells[0].in_(chunk), table.c.gone.is_(None))
        states |= {tuple(state): (id_, first) for id_, first, *state in _rows(conn, query)}
    return states


def _where(table: Table, condition: ColumnElement[bool]) -> Select[Any]:
    return select(table).where(condition).order_by(table.c.id)


def _order(state: State) -> tuple[str, ...]:
    return tuple(cell or "" for cell in state)


def _rows(conn: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    # Past SQLAlchemy's row: it costs as much as reading the cells.
    result = conn.execute(query)
    while result.cursor and (rows := result.cursor.fetchmany(_FETCHED)):
        yield from rows
