"""Turns a copy of a dictionary back to an earlier scan, with the change log, and with the graph that was stored then.

Kinds of facts that are not logged (places in files, windows and levels of metrics) are those that existed then: their
levels are left out, and a window ends at the latest with the scan.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Table, delete, func, select, update

from scanner_dictionary.engine.open import Engine, open_dictionary
from scanner_dictionary.engine.rows import in_chunks, insert_rows, json_cell, update_rows
from scanner_dictionary.export import copy_dictionary
from scanner_dictionary.graph import store as graph_store
from scanner_dictionary.graph.past import PastGraphReader, SchemaRows
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph, stored_graph
from scanner_dictionary.graph.versions import differs_at, graph_versions
from scanner_dictionary.schema import tables as t
from scanner_dictionary.schema.facts import fact_columns
from scanner_dictionary.validation import replace_findings
from scanner_dictionary.write.apply import Stored, load
from scanner_dictionary.write.fact_kind import FactKind
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_dictionary.write.sources import freshness
from scanner_model.clients import ClientUse
from scanner_model.errors import NameUnknown
from scanner_model.private_files import create_private
from scanner_model.scan import SourceResult, SourceStatus

_AT_ONCE = 500
_LEVELS = (t.metric, t.schema_id_use)
"""What holds only levels, which every scan overwrites."""


@contextmanager
def private_dictionary(conn: Connection) -> Iterator[Engine]:
    """Copy the dictionary that *conn* reads into a private file, which is removed at the end; return its engine."""
    with TemporaryDirectory(prefix="scanner-") as directory:
        file = Path(directory) / "dictionary.db"
        driver = conn.connection.driver_connection
        if isinstance(driver, sqlite3.Connection):
            create_private(file)
            with closing(sqlite3.connect(file)) as copy:
                driver.backup(copy)
        else:
            empty = open_dictionary(str(file), create=True)
            copy_dictionary(conn, empty, "the private copy", lambda *_: None)
            empty.dispose()
        engine = open_dictionary(str(file))
        try:
            yield engine
        finally:
            engine.dispose()


def rewind(conn: Connection, scan: int, schema_rows: SchemaRows) -> None:
    """Make the dictionary at *conn*, a copy, what it was after *scan*, in the caller's transaction.

    Raises NameUnknown where the history before a later scan was pruned.
    """
    _check_history(conn, scan)
    _rewind_graph(conn, scan, schema_rows)
    clusters = conn.execute(select(t.cluster.c.id)).scalars().all()
    for kind in FACT_KINDS:
        for cluster in clusters:
            _Restored(conn, kind, cluster, scan).write()
    _drop_later_facts(conn, scan)
    _rewind_sources(conn, scan)
    _drop_later_scans(conn, scan)
    newest = select(t.scan.c.cluster_id, func.max(t.scan.c.id)).group_by(t.scan.c.cluster_id)
    for cluster, number in conn.execute(newest).all():
        replace_findings(conn, cluster, number)


def _check_history(conn: Connection, scan: int) -> None:
    log = t.change_log.c
    query = select(func.min(log.scan_id)).where(log.action == "known", log.scan_id > scan)
    if (oldest := conn.scalar(query)) is not None:
        what = f"scan {scan} is not known any more: the history begins with scan {oldest}"
        raise NameUnknown(what, hint="`scanner changes --scans` lists the scans")


@dataclass(slots=True)
class _State:
    """A row on its way back: its cells by name, and whether it exists; *overwritten*: its cells are later ones."""

    row: Stored
    cells: dict[str, Any]
    gone: int | None
    overwritten: bool = False


@dataclass(slots=True)
class _Restored:
    """Restores the rows of one kind that later scans changed, deleted or found again."""

    conn: Connection
    kind: FactKind
    cluster: int
    scan: int
    defaults: Mapping[str, Any] = field(init=False)
    labels: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        kind = self.kind
        self.labels = (*kind.values, *([kind.children.member] if kind.children else []))
        self.defaults = {name: _empty(kind.table, name) for name in kind.values} | (
            {kind.children.member: []} if kind.children else {}
        )

    def write(self) -> None:
        """Write the earlier cells of the rows."""
        states = list(self._states())
        columns = (*self.kind.values, "gone")
        rows = ((*(state.cells[name] for name in self.kind.values), state.gone, state.row.id) for state in states)
        update_rows(self.conn, self.kind.table, columns, rows)
        if children := self.kind.children:
            parent = children.table.c[children.parent]
            for chunk in in_chunks((state.row.id for state in states), _AT_ONCE):
                self.conn.execute(children.table.delete().where(parent.in_(chunk)))
            cells = ((state.row.id, i, *row) for state in states for i, row in enumerate(state.cells[children.member]))
            insert_rows(self.conn, children.table, cells)

    def _states(self) -> Iterator[_State]:
        log = t.change_log.c
        query = select(log.entity, log.action, log.before_json).join(t.scan, t.scan.c.id == log.scan_id)
        query = query.where(t.scan.c.cluster_id == self.cluster, log.entity_kind == self.kind.name)
        entries = self.conn.execute(
            query.where(log.scan_id > self.scan).order_by(log.entity, log.scan_id.desc(), log.ordinal.desc())
        ).all()
        if not entries:
            return
        source = select(t.source.c.id, t.source.c.name).where(t.source.c.cluster_id == self.cluster)
        names = {row.id: row.name for row in self.conn.execute(source)}
        stored = {json_cell(key): row for key, row in load(self.conn, self.kind, self.cluster, names).items()}
        brokers = [name for name in names.values() if name.startswith("kafka:")]
        for entity, of_fact in groupby(entries, key=lambda entry: entry.entity):
            row = stored.get(entity) or stored.get(_renamed(entity, brokers))
            if row is not None:
                yield self._undo(row, entity, of_fact)

    def _undo(self, row: Stored, entity: str, entries: Iterator[Any]) -> _State:
        state = _State(row, dict(zip(self.labels, row.values, strict=True)), row.gone)
        for entry in entries:
            before = json.loads(entry.before_json) if entry.before_json else {}
            match entry.action:
                case "changed":
                    state.cells |= before
                case "gone":
                    state.gone = None
                    if state.overwritten:
                        state.cells = {**self.defaults, **before}
                case "returned":
                    state.gone, state.overwritten = self._gone_before(entity), True
        return state

    def _gone_before(self, entity: str) -> int:
        """Return the scan that had found the fact deleted; the oldest one that may have, where an entry was pruned."""
        log = t.change_log.c
        query = select(func.max(log.scan_id)).join(t.scan, t.scan.c.id == log.scan_id)
        query = query.where(t.scan.c.cluster_id == self.cluster, log.entity_kind == self.kind.name)
        query = query.where(log.entity == entity, log.action == "gone", log.scan_id <= self.scan)
        return self.conn.scalar(query) or self.scan


def _renamed(entity: str, brokers: list[str]) -> str:
    """Return the name of a fact of the brokers, which scans reach through one address or another, as it is now."""
    name, *rest = json.loads(entity)
    return json_cell([brokers[0], *rest]) if len(brokers) == 1 and str(name).startswith("kafka:") else entity


def _empty(table: Table, name: str) -> Any:  # noqa: ANN401 - a cell
    """Return the cell of a member that the log left out, because it was empty."""
    column = table.c[name]
    if column.nullable:
        return None
    if column.type.python_type is bool:
        return False
    declared = {column.name: column for kind in FACT_KINDS if kind.table is table for column in fact_columns(kind.type)}
    if name in declared and declared[name].is_json:
        return "{}" if declared[name].declared.mapping else "[]"
    return 0 if column.type.python_type in (int, float) else ""


def _drop_later_facts(conn: Connection, scan: int) -> None:
    for kind in reversed(FACT_KINDS):
        table = kind.table
        later = select(table.c.id).where(table.c.first_seen > scan)
        if kind.children:
            parent = kind.children.table.c[kind.children.parent]
            conn.execute(kind.children.table.delete().where(parent.in_(later)))
        conn.execute(delete(table).where(table.c.first_seen > scan))
        conn.execute(update(table).where(table.c.gone > scan).values(gone=None))
    for table in _LEVELS:
        conn.execute(delete(table).where(table.c.last_seen > scan))
    conn.execute(delete(t.broker).where(t.broker.c.first_seen > scan))
    conn.execute(update(t.broker).where(t.broker.c.gone > scan).values(gone=None))
    table = next(kind.table for kind in FACT_KINDS if kind.type is ClientUse)
    finished = conn.scalar(select(t.scan.c.finished).where(t.scan.c.id == scan))
    later_use = (table.c.last_seen > scan) & (table.c.ended > finished)
    conn.execute(update(table).where(later_use).values(ended=finished, amount=None))


def _rewind_sources(conn: Connection, scan: int) -> None:
    """Set how fresh each source was, and since when its facts were not confirmed."""
    outcome = t.scan_outcome
    query = select(outcome.c.source_id, outcome.c.scan_id, outcome.c.status, outcome.c.reason)
    query = query.where(outcome.c.scan_id <= scan).order_by(outcome.c.source_id, outcome.c.scan_id)
    cells: dict[int, dict[str, Any]] = {}
    for source, number, status, reason in conn.execute(query):
        before = cells.setdefault(
            source, {"last_queried": None, "last_read": None, "stale_since": None, "stale_reason": ""}
        )
        if status != SourceStatus.KEPT:
            result = SourceResult(source=source, kind="", status=SourceStatus(status), reason=reason)
            before |= freshness(result, before["stale_since"], number)
    newest = dict(
        conn.execute(
            select(t.source.c.id, func.max(t.scan.c.id))
            .join(t.scan, t.scan.c.cluster_id == t.source.c.cluster_id)
            .where(t.scan.c.id <= scan)
            .group_by(t.source.c.id)
        ).all()
    )
    for source, values in cells.items():
        conn.execute(update(t.source).where(t.source.c.id == source).values(**values))
        seen = newest[source] if values["stale_since"] is None else values["last_read"] or 0
        for kind in FACT_KINDS:
            facts = kind.table.c
            later = (facts.source_id == source) & (facts.last_seen > scan)
            conn.execute(update(kind.table).where(later).values(last_seen=func.max(facts.first_seen, seen)))


def _drop_later_scans(conn: Connection, scan: int) -> None:
    for table in (t.scan_outcome, t.scan_problem, t.change_log):
        conn.execute(delete(table).where(table.c.scan_id > scan))
    conn.execute(delete(t.finding))
    conn.execute(delete(t.scan).where(t.scan.c.id > scan))
    scanned = select(t.scan.c.cluster_id)
    used = select(t.scan_outcome.c.source_id).union(*(select(kind.table.c.source_id) for kind in FACT_KINDS))
    conn.execute(delete(t.source).where(t.source.c.id.not_in(used)))
    for table in (t.broker, t.cluster_alias, t.server_alias):
        conn.execute(delete(table).where(table.c.cluster_id.not_in(scanned)))
    conn.execute(delete(t.cluster).where(t.cluster.c.id.not_in(scanned)))


def _rewind_graph(conn: Connection, scan: int, schema_rows: SchemaRows) -> None:
    """Store the newest graph of the scans until *scan*; none where none was generated then."""
    versions = [version for version in graph_versions(conn) if version.scan <= scan]
    newest = stored_graph(conn)
    if versions and newest is not None and newest.last_scan == versions[-1].scan:
        return
    if not versions:
        graph_store.delete_graph(conn)
        return
    version = versions[-1]
    if any(
        conn.scalar(select(func.count()).select_from(table).where(differs_at(table, version.scan)))
        for table in (t.flow_node_version, t.flow_edge_version)
    ):
        past = PastGraphReader(conn, version.scan, schema_rows)
        nodes = [NodeRow(number, *row[1:]) for number, row in enumerate(past.all_nodes(), 1)]
        keys = {node.node_key: node.id for node in nodes}
        ends = ((keys.get(source), keys.get(target), row) for source, target, row in past.all_edges())
        edges = [
            EdgeRow(number, source, target, *row[3:])
            for number, (source, target, row) in enumerate(ends, 1)
            if source is not None and target is not None
        ]
        graph_store.delete_graph(conn)
        graph_store.add_rows(conn, nodes, edges)
    conn.execute(t.column_tag.delete())
    conn.execute(t.flow_graph.delete())
    graph = StoredGraph(version.scan, version.nodes, version.edges, version.coverage)
    insert_rows(conn, t.flow_graph, [(1, *graph, None, None)])
