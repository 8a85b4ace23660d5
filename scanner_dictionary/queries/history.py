"""Queries for what was scanned: clusters, scans, results of sources, problems."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection, Table, func, select, text

from scanner_dictionary.engine.open import REVISION
from scanner_dictionary.schema import tables as t
from scanner_model.errors import NameUnknown
from scanner_model.problems import Problem


class ClusterRow(NamedTuple):
    """A cluster and its addresses; *scans* counts its scans, *last_scan* is the newest scan number."""

    name: str
    kafka_cluster_id: str
    brokers: tuple[str, ...]
    scans: int
    last_scan: int | None


class ScanRow(NamedTuple):
    """A scan and the numbers of facts that it changed; times are ISO 8601 in UTC."""

    id: int
    cluster: str
    started: str
    finished: str
    mode: str
    answer: str
    added: int
    changed: int
    gone: int
    returned: int
    stale: int
    refused: int


class OutcomeRow(NamedTuple):
    """How a source answered in a scan."""

    source: str
    kind: str
    answer: str
    got: int
    asked: int
    reason: str
    hint: str
    requests: int
    seconds: float
    unread: tuple[str, ...]


class SourceRow(NamedTuple):
    """A source; *stale_since* is the first scan number that could not (fully) read it since, None while it is fresh."""

    cluster: str
    name: str
    kind: str
    last_asked: int | None
    last_read: int | None
    stale_since: int | None
    stale_reason: str


def clusters(conn: Connection) -> tuple[ClusterRow, ...]:
    """List the clusters by name, with their live addresses."""
    number = func.count(t.scan.c.id), func.max(t.scan.c.id)
    scanned = select(t.scan.c.cluster_id, *number).group_by(t.scan.c.cluster_id)
    counts = {cluster: (count, last) for cluster, count, last in conn.execute(scanned)}
    live = (t.broker.c.cluster_id == t.cluster.c.id) & t.broker.c.gone.is_(None)
    query = select(t.cluster, t.broker.c.address).outerjoin(t.broker, live)
    rows = conn.execute(query.order_by(t.cluster.c.name, t.broker.c.address))
    return tuple(
        ClusterRow(name, kafka_id, tuple(row.address for row in group if row.address), *counts.get(id_, (0, None)))
        for (id_, name, kafka_id), group in groupby(rows, key=lambda row: (row.id, row.name, row.kafka_cluster_id))
    )


def scans(conn: Connection, *, cluster: str | None = None) -> Iterator[ScanRow]:
    """List the scans, newest first."""
    scan = t.scan.c
    counts = (scan.added, scan.changed, scan.gone, scan.returned, scan.stale, scan.refused)
    query = select(scan.id, t.cluster.c.name, scan.started, scan.finished, scan.mode, scan.answer, *counts)
    query = query.select_from(t.scan).join(t.cluster).order_by(scan.id.desc())
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    return map(ScanRow._make, conn.execute(query))


def outcomes(conn: Connection, scan_id: int) -> tuple[OutcomeRow, ...]:
    """List how each source answered in a scan, in the scan's order; raises NameUnknown for an unknown scan."""
    _check(conn, scan_id)
    outcome = t.scan_outcome.c
    columns = (outcome.kind, outcome.answer, outcome.got, outcome.asked, outcome.reason, outcome.hint)
    query = select(t.source.c.name, *columns, outcome.requests, outcome.seconds, outcome.unread)
    query = query.select_from(t.scan_outcome).join(t.source).where(outcome.scan_id == scan_id)
    rows = conn.execute(query.order_by(outcome.ordinal))
    return tuple(OutcomeRow._make((*cells, tuple(json.loads(unread)))) for *cells, unread in rows)


def problems(conn: Connection, scan_id: int) -> tuple[Problem, ...]:
    """List the problems of a scan, in the scan's order; raises NameUnknown for an unknown scan."""
    _check(conn, scan_id)
    problem = t.scan_problem.c
    query = select(problem.place, problem.what, problem.hint).where(problem.scan_id == scan_id)
    return tuple(Problem(*row) for row in conn.execute(query.order_by(problem.ordinal)))


def sources(conn: Connection) -> tuple[SourceRow, ...]:
    """List the sources by cluster and name, with the reasons of stale ones."""
    source = t.source.c
    columns = (source.kind, source.last_asked, source.last_read, source.stale_since, source.stale_reason)
    query = select(t.cluster.c.name, source.name, *columns).select_from(t.source).join(t.cluster)
    return tuple(SourceRow(*row) for row in conn.execute(query.order_by(t.cluster.c.name, source.name)))


def _check(conn: Connection, scan_id: int) -> None:
    if conn.execute(select(t.scan.c.id).where(t.scan.c.id == scan_id)).first() is None:
        last = conn.execute(select(func.max(t.scan.c.id))).scalar()
        hint = f"the newest is {last}; `scanner scans` lists them" if last else "run `scanner extract` first"
        raise NameUnknown(f"the dictionary knows no scan {scan_id}", hint=hint)


_SIZES = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}
_COUNTED: tuple[tuple[str, Table], ...] = (
    ("topics", t.topic),
    ("subjects", t.subject),
    ("versions", t.subject_version),
    ("schemas", t.schema_definition),
    ("columns", t.schema_column),
    ("consumer groups", t.consumer_group),
    ("collections", t.ksql_source),
    ("queries", t.ksql_query),
    ("connectors", t.connector),
    ("manual flows", t.manual_flow),
    ("lineage jobs", t.openlineage.lineage_job),
    ("lineage datasets", t.openlineage.lineage_dataset),
    ("graph nodes", t.flow_node),
    ("graph edges", t.flow_edge),
)


class DictionarySummary(NamedTuple):
    """The revision of the tables, the size in *bytes*, and (what, how many) pairs in a fixed order."""

    revision: str
    bytes: int
    counts: tuple[tuple[str, int], ...]


def dictionary_summary(conn: Connection) -> DictionarySummary:
    """Count live rows; schemas and columns count those that any topic ever had."""
    size = conn.execute(text(_SIZES[conn.dialect.name])).scalar_one()
    return DictionarySummary(REVISION, int(size), tuple((what, _count(conn, table)) for what, table in _COUNTED))


def _count(conn: Connection, table: Table) -> int:
    query = select(func.count()).select_from(table)
    query = query.where(table.c.gone.is_(None)) if "gone" in table.c else query
    return conn.execute(query).scalar_one()
