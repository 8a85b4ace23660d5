"""A snapshot with changed rows in it, and the jobs of a row before and after: what a proposed change makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self, TypeVar

from dataflow_generator.build.snapshot import Snapshot
from dataflow_generator.jobs.kinds import (
    CountedJob,
    FlinkPart,
    KsqlPart,
    LookupContext,
    connect_readings,
    flink_readings,
    ksql_file_readings,
    ksql_readings,
    lookup_context,
)
from dataflow_generator.jobs.sql_catalog import catalog_of, collection_of
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.reader import read_catalog
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.names import SourceId
from scanner_model.streaming_sql import KSQLDB, KsqlSource, Query, StreamingStatement

_CHOOSES_TOPICS = ("topic", "transforms", "table", "database", "schema", "collection", "query", "predicates")
"""Starts of the settings on which the topics of a connector depend."""

JobRow = StreamingStatement | Query | ConnectorRow
"""A row of a snapshot that runs as a job."""

Row = TypeVar("Row", StreamingStatement, Query, ConnectorRow)
Server = tuple[str, str]


class RowChange(NamedTuple):
    """A row in place of another one; *before* is None before it exists, *after* when it is deleted."""

    cluster: str
    before: JobRow | None
    after: JobRow | None

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what the row keeps when it changes."""
        row = self.after or self.before
        assert row is not None
        return row_key(self.cluster, row)


class JobPair(NamedTuple):
    """Readings of what one text runs, before and after; empty where it did, or does, not exist."""

    before: tuple[CountedJob, ...]
    after: tuple[CountedJob, ...]


@dataclass(frozen=True, slots=True)
class SnapshotJobs:
    """The inputs of generation, and the context that jobs are resolved against."""

    snapshot: Snapshot
    context: LookupContext

    @classmethod
    def of(cls, snapshot: Snapshot) -> Self:
        """Return the jobs of *snapshot*."""
        return cls(snapshot, lookup_context(snapshot))

    def read(self, cluster: str, row: JobRow | None) -> tuple[CountedJob, ...]:
        """Read the jobs of *row* beside the other rows of the snapshot; nothing of None."""
        if isinstance(row, StreamingStatement):
            rows = self.snapshot.statements.get((cluster, str(row.source)), ())
            if row.engine == KSQLDB:
                files = tuple(row if other.name == row.name else other for other in rows if other.engine == KSQLDB)
                files = files if row in files else (*files, row)
                readings = ksql_file_readings(FlinkPart(cluster, files, ()), self.context)
                return tuple(one for one in readings if dict(one.flows.job.attributes).get("file") == row.name)
            at = next((index for index, other in enumerate(rows) if other.name == row.name), len(rows))
            part = FlinkPart(cluster, (*rows[:at], row, *rows[at + 1 :]), (at,))
            return tuple(flink_readings(part, self.context))
        if isinstance(row, Query):
            server = (cluster, str(row.source))
            collections = tuple((cluster, source) for source in self.snapshot.collections.get(server, ()))
            aggregates = {server: self.snapshot.aggregates.get(server, frozenset())}
            return tuple(ksql_readings(KsqlPart([(cluster, row)], collections, aggregates), self.context))
        return tuple(connect_readings([row], self.context)) if row else ()


def read_pair(before: SnapshotJobs, after: SnapshotJobs, change: RowChange) -> JobPair:
    """Read the jobs of a row in the snapshot *before* its change, and in the one *after* it.

    The topics that a worker reports tell about the stored configuration only: if a setting differs on which they
    depend, neither side is read with them.
    """
    old, new = change.before, change.after
    if isinstance(old, ConnectorRow) and isinstance(new, ConnectorRow) and _topics_may_differ(old, new):
        old, new = replace(old, topics=None), replace(new, topics=None)
    return JobPair(before.read(change.cluster, old), after.read(change.cluster, new))


def _topics_may_differ(before: ConnectorRow, after: ConnectorRow) -> bool:
    differing = set(before.config) ^ set(after.config)
    return any(name.startswith(_CHOOSES_TOPICS) for name, _ in differing)


def row_key(cluster: str, row: JobRow) -> tuple[str, str, str]:
    """Return what identifies a row among those of its kind."""
    return cluster, str(row.source), row.name


def rows_of(snapshot: Snapshot, kind: type[Row]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of one *kind*, each with its cluster."""
    rows: list[tuple[str, JobRow]] = [(at, row) for (at, _), listed in snapshot.statements.items() for row in listed]
    rows += snapshot.queries
    rows += [(row.cluster, row) for row in snapshot.connectors]
    return ((at, row) for at, row in rows if isinstance(row, kind))


def overlay(snapshot: Snapshot, changes: Sequence[RowChange], ddl: Mapping[Server, Sequence[str]]) -> Snapshot:
    """Return *snapshot* with the rows of *changes* in place of its own, and the *ddl* of ksqlDB servers applied."""
    statements: dict[Server, tuple[StreamingStatement, ...]] = dict.fromkeys(snapshot.statements, ())
    for at, row in _replaced(StreamingStatement, snapshot, changes):
        statements[at, str(row.source)] = (*statements.get((at, str(row.source)), ()), row)
    collections = {server: _with_ddl(texts, snapshot, server) for server, texts in ddl.items()}
    return replace(
        snapshot,
        statements=statements,
        queries=tuple(_replaced(Query, snapshot, changes)),
        connectors=tuple(row for _, row in _replaced(ConnectorRow, snapshot, changes)),
        collections={**snapshot.collections, **collections},
    )


def _replaced(kind: type[Row], snapshot: Snapshot, changes: Iterable[RowChange]) -> Iterable[tuple[str, Row]]:
    by_key = {row_key(at, row): (at, row) for at, row in rows_of(snapshot, kind)}
    for change in changes:
        if isinstance(change.after, kind):
            by_key[change.key] = (change.cluster, change.after)
        elif isinstance(change.before, kind):
            by_key.pop(change.key, None)
    return by_key.values()


def _with_ddl(texts: Sequence[str], snapshot: Snapshot, server: Server) -> tuple[KsqlSource, ...]:
    """Return the collections of a ksqlDB server as DDL changes them, whatever the order of its *texts*."""
    stored = snapshot.collections.get(server, ())
    before = known = catalog_of(stored, frozenset())
    for _ in texts:  # a text may name what a later one declares
        last = known
        for text in texts:
            known = read_catalog(text, Dialect.KSQLDB, known)
        if known == last:
            break
    rows = {row.name: row for row in stored}
    changed = {name[-1]: table for name, table in known.tables.items() if table != before.tables.get(name)}
    return (
        *(row for name, row in rows.items() if (name,) in known.tables and name not in changed),
        *(collection_of(table, SourceId(server[1]), rows.get(name)) for name, table in changed.items()),
    )
