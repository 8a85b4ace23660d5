"""Stores one scan of one cluster in one transaction, all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, func, insert, select, update

from scanner_dictionary.engine.bulk_insert import insert_rows
from scanner_dictionary.engine.open import writing
from scanner_dictionary.engine.serialization import storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.validation.findings import Finding
from scanner_dictionary.validation.rules import keep_findings
from scanner_dictionary.write.apply import next_id
from scanner_dictionary.write.entities import ENTITIES
from scanner_dictionary.write.facts import FactWriter
from scanner_dictionary.write.hierarchy import check
from scanner_dictionary.write.sources import write_outcomes, write_sources
from scanner_model.kafka import Cluster
from scanner_model.problems import Problem
from scanner_model.scan import ClusterScan, SourceStatus

_COUNTED = ("added", "changed", "gone", "returned", "stale")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSummary:
    """What storing a scan did, in facts; *stale* ones were kept because their source could not tell.

    *refused* names the facts that were not stored, each with the reason. *findings* is what does not fit together now.
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
    engine: Engine, scan: ClusterScan, *, started: datetime, finished: datetime, mode: str = "full"
) -> ScanSummary:
    """Store *scan*; storing the same again changes nothing but the list of scans and `last_seen`.

    What a source that was read does not name any more is marked gone. What a source that was not read told earlier
    stays, stale. Raises DictionaryUnusable where the dictionary cannot be written; the last scan stays then.
    """
    sound, refused = check(scan)
    with writing(engine) as conn:
        cluster = _cluster(conn, scan.cluster)
        number = next_id(conn, t.scan)
        row = {"id": number, "cluster_id": cluster, "mode": mode, "answer": _answer(scan)}
        counts = dict.fromkeys((*_COUNTED, "refused"), 0)
        conn.execute(insert(t.scan).values(**row, **counts, started=_iso(started), finished=_iso(finished)))
        sources = write_sources(conn, cluster, sound, number)
        write_outcomes(conn, sound, sources, number)
        facts = FactWriter(conn=conn, cluster=cluster, number=number, sources=sources, problems=list(refused))
        facts.write(sound)
        return _finish(conn, facts, scan.problems)


def _finish(conn: Connection, facts: FactWriter, told: Sequence[Problem]) -> ScanSummary:
    """Store what went wrong and the counts."""
    listed = enumerate([*told, *facts.problems])
    cells = ((facts.number, i, *map(storable, (each.where, each.what, each.hint))) for i, each in listed)
    insert_rows(conn, t.scan_problem, cells)
    stale = _count_stale(conn, facts.cluster, facts.number)
    row = update(t.scan).where(t.scan.c.id == facts.number)
    conn.execute(row.values(**facts.actions, stale=stale, refused=len(facts.problems)))
    findings = keep_findings(conn, facts.cluster, facts.number)
    problems = tuple(facts.problems)
    return ScanSummary(scan_id=facts.number, **facts.actions, stale=stale, refused=problems, findings=findings)


def _cluster(conn: Connection, cluster: Cluster) -> int:
    """Return the cluster's key, made where it is new; its own id stays where this scan could not learn it."""
    name, kafka_id = storable(cluster.name), storable(cluster.cluster_id)
    found = conn.execute(select(t.cluster.c.id).where(t.cluster.c.name == name)).scalar()
    if found is None:
        found = next_id(conn, t.cluster)
        conn.execute(insert(t.cluster).values(id=found, name=name, kafka_cluster_id=kafka_id))
    elif kafka_id:
        conn.execute(update(t.cluster).where(t.cluster.c.id == found).values(kafka_cluster_id=kafka_id))
    _aliases(conn, cluster, int(found))
    return int(found)


def _aliases(conn: Connection, cluster: Cluster, key: int) -> None:
    """Add the ways to the cluster that are new; one that nobody tells any more still leads there."""
    alias = t.cluster_alias.c
    known = {
        (kind, name) for kind, name in conn.execute(select(alias.kind, alias.alias).where(alias.cluster_id == key))
    }
    told = {(storable(kind), storable(name)) for kind, name in cluster.aliases}
    rows = enumerate(sorted(told - known), next_id(conn, t.cluster_alias))
    insert_rows(conn, t.cluster_alias, ((id_, key, *each) for id_, each in rows))


def _count_stale(conn: Connection, cluster: int, number: int) -> int:
    """Count the facts that are there and were not seen by scan *number*."""
    source = t.source.c
    query = select(source.id).where(source.cluster_id == cluster, source.stale_since.is_not(None))
    stale = list(conn.scalars(query))
    counts = (
        select(func.count())
        .select_from(entity.table)
        .where(entity.table.c.source_id.in_(stale), entity.table.c.gone.is_(None), entity.table.c.last_seen < number)
        for entity in ENTITIES
    )
    return sum(conn.execute(count).scalar_one() for count in counts) if stale else 0


def _answer(scan: ClusterScan) -> str:
    answers = {each.answer for each in scan.outcomes} - {
        SourceStatus.SKIPPED,
        SourceStatus.KEPT,
        SourceStatus.FORGOTTEN,
    }
    if answers <= {SourceStatus.READ}:
        return str(SourceStatus.READ)
    return str(SourceStatus.UNAVAILABLE if answers == {SourceStatus.UNAVAILABLE} else SourceStatus.PARTIAL)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
