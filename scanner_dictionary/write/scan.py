"""Stores one scan of one cluster in one transaction; also scans that remove a source."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from scanner_dictionary.engine.open import writing
from scanner_dictionary.engine.rows import insert_rows, storable
from scanner_dictionary.queries.history import SourceRow, clusters, sources
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.schema import tables as t
from scanner_dictionary.validation import replace_findings
from scanner_dictionary.validation.findings import Finding
from scanner_dictionary.write.apply import next_id
from scanner_dictionary.write.fact_kinds import FACT_KINDS
from scanner_dictionary.write.facts import FactWriter
from scanner_dictionary.write.name_index import index_new_names
from scanner_dictionary.write.sources import check, write_outcomes, write_sources
from scanner_model.errors import InputInvalid, Problem
from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName, SourceId
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus

_COUNTED = ("added", "changed", "gone", "returned", "stale")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSummary:
    """Counts of the facts that a scan changed; *stale* ones were retained because their source could not be read.

    *refused* has a problem for each fact that was not stored. *findings* are the current results of validation.
    """

    scan_id: int
    added: int = 0
    changed: int = 0
    gone: int = 0
    returned: int = 0
    stale: int = 0
    refused: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Return the counts by name, for a report."""
        return tuple((name, getattr(self, name)) for name in _COUNTED)


def write_scan(
    engine: Engine,
    scan: ClusterScan,
    *,
    started: datetime,
    finished: datetime,
    mode: str = "full",
    rules: Collection[str] | None = None,
) -> ScanSummary:
    """Store *scan*; storing the same again changes nothing but the list of scans and `last_seen`.

    Facts that a source which was read does not list any more are marked gone. Earlier facts of a source that was not
    read stay, stale. *rules* are the rules of validation that run; None means every one. Raises DictionaryUnusable if
    the dictionary cannot be written; the last scan stays then.
    """
    checked, refused = check(scan)
    with writing(engine) as conn:
        cluster, is_first = _cluster(conn, scan.cluster)
        number = next_id(conn, t.scan)
        row = {"id": number, "cluster_id": cluster, "mode": mode, "status": _status(scan)}
        counts = dict.fromkeys((*_COUNTED, "refused"), 0)
        conn.execute(insert(t.scan).values(**row, **counts, started=_iso(started), finished=_iso(finished)))
        stored_sources = write_sources(conn, cluster, checked, number)
        write_outcomes(conn, checked, stored_sources, number)
        facts = FactWriter(
            conn=conn,
            cluster=cluster,
            number=number,
            is_first=is_first,
            sources=stored_sources,
            problems=list(refused),
        )
        facts.write(checked)
        index_new_names(conn)
        return _finish(conn, facts, scan.problems, rules)


def _finish(
    conn: Connection, facts: FactWriter, reported: Sequence[Problem], rules: Collection[str] | None
) -> ScanSummary:
    """Store the problems and the counts."""
    problems = enumerate([*reported, *facts.problems])
    cells = ((facts.number, i, *map(storable, (problem.where, problem.what, problem.hint))) for i, problem in problems)
    insert_rows(conn, t.scan_problem, cells)
    stale = _count_stale(conn, facts.cluster, facts.number)
    row = update(t.scan).where(t.scan.c.id == facts.number)
    conn.execute(row.values(**facts.actions, stale=stale, refused=len(facts.problems)))
    findings = replace_findings(conn, facts.cluster, facts.number, rules)
    refused = tuple(facts.problems)
    return ScanSummary(scan_id=facts.number, **facts.actions, stale=stale, refused=refused, findings=findings)


def _cluster(conn: Connection, cluster: Cluster) -> tuple[int, bool]:
    """Return the cluster's key and whether it is new; its own id stays where this scan does not know it."""
    name, kafka_id = storable(cluster.name), storable(cluster.cluster_id)
    known = conn.execute(select(t.cluster.c.id).where(t.cluster.c.name == name)).scalar()
    key = next_id(conn, t.cluster) if known is None else int(known)
    if known is None:
        conn.execute(insert(t.cluster).values(id=key, name=name, kafka_cluster_id=kafka_id))
    elif kafka_id:
        conn.execute(update(t.cluster).where(t.cluster.c.id == key).values(kafka_cluster_id=kafka_id))
    _aliases(conn, cluster, key)
    server = t.server_alias
    conn.execute(delete(server).where(server.c.cluster_id == key))
    insert_rows(conn, server, ((key, *map(storable, pair)) for pair in sorted(cluster.servers)))
    return key, known is None


def _aliases(conn: Connection, cluster: Cluster, key: int) -> None:
    """Add the aliases of the cluster that are new; an alias that no source reports any more still resolves."""
    alias = t.cluster_alias.c
    known = {
        (kind, name) for kind, name in conn.execute(select(alias.kind, alias.alias).where(alias.cluster_id == key))
    }
    reported = {(storable(kind), storable(name)) for kind, name in cluster.aliases}
    rows = enumerate(sorted(reported - known), next_id(conn, t.cluster_alias))
    insert_rows(conn, t.cluster_alias, ((id_, key, *name) for id_, name in rows))


def _count_stale(conn: Connection, cluster: int, number: int) -> int:
    """Count the facts that exist and were not observed by scan *number*."""
    source = t.source.c
    query = select(source.id).where(source.cluster_id == cluster, source.stale_since.is_not(None))
    stale = list(conn.scalars(query))
    counts = (
        select(func.count())
        .select_from(kind.table)
        .where(kind.table.c.source_id.in_(stale), kind.table.c.gone.is_(None), kind.table.c.last_seen < number)
        for kind in FACT_KINDS
    )
    return sum(conn.execute(count).scalar_one() for count in counts) if stale else 0


def _status(scan: ClusterScan) -> str:
    answers = {outcome.status for outcome in scan.outcomes} - {
        SourceStatus.SKIPPED,
        SourceStatus.KEPT,
        SourceStatus.FORGOTTEN,
    }
    if answers <= {SourceStatus.READ}:
        return str(SourceStatus.READ)
    return str(SourceStatus.UNAVAILABLE if answers == {SourceStatus.UNAVAILABLE} else SourceStatus.PARTIAL)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


FORGET_MODE = "forget"
"""The mode of a scan that queries no source and removes some."""


def cluster_with_sources(conn: Connection, names: Collection[str], cluster: str | None) -> str:
    """Return the one cluster that has all sources *names*; only *cluster* is considered where it is not None.

    Raises NameUnknown where no cluster has them, InputInvalid where several have.
    """
    known: dict[str, set[str]] = {row.name: set() for row in clusters(conn) if cluster in (None, row.name)}
    for row in sources(conn):
        if row.cluster in known:
            known[row.cluster].add(row.name)
    every_name = {name for of_cluster in known.values() for name in of_cluster}
    missing = sorted(set(names) - every_name)
    if missing:
        raise unknown_name("source", missing[0], every_name, "`scanner dictionary info` lists them")
    matching = sorted(name for name, of_cluster in known.items() if of_cluster.issuperset(names))
    if len(matching) != 1:
        what = f"{len(matching)} clusters have {' and '.join(sorted(names))}"
        hint = f"name one with --cluster: {', '.join(matching)}" if matching else "forget them one after the other"
        raise InputInvalid(what, hint=hint)
    return matching[0]


def forget_sources(engine: Engine, cluster: str, names: Collection[str], *, at: datetime) -> ScanSummary:
    """Mark all facts of the sources *names* of *cluster* as gone; every other source stays as fresh as it was.

    It is recorded as a scan, so the change log and `scanner changes` show it. A source that is scanned again brings its
    facts back.
    """
    with engine.connect() as conn:
        known = [row for row in sources(conn) if row.cluster == cluster]
    outcomes = tuple(_forget_outcome(row, forgotten=row.name in names) for row in known)
    scan = ClusterScan(cluster=Cluster(name=ClusterName(cluster), brokers=()), outcomes=outcomes)
    return write_scan(engine, scan, started=at, finished=at, mode=FORGET_MODE)


def _forget_outcome(row: SourceRow, *, forgotten: bool) -> SourceResult:
    answer = SourceStatus.FORGOTTEN if forgotten else SourceStatus.KEPT
    reason = "" if forgotten else f"not queried in mode {FORGET_MODE}"
    return SourceResult(source=SourceId(row.name), kind=row.kind, status=answer, reason=reason)
