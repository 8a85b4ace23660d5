"""Forgetting a source that is no more: what it told is gone, as if it had answered that there is nothing any more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Engine

from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.history import SourceRow, clusters, sources
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.write.scan import ScanSummary, write_scan
from scanner_model.errors import InputInvalid
from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName, SourceId
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus

MODE = "forget"
"""How a scan is called that asks nobody and forgets a source."""


def cluster_with(conn: Connection, names: Collection[str], cluster: str | None) -> str:
    """Return the one cluster that has all sources *names*; *cluster*, where it is not None, is the only one looked at.

    Raises NameUnknown where none has them, InputInvalid where several have.
    """
    known: dict[str, set[str]] = {row.name: set() for row in clusters(conn) if cluster in (None, row.name)}
    for row in sources(conn):
        if row.cluster in known:
            known[row.cluster].add(row.name)
    missing = sorted(set(names) - {name for each in known.values() for name in each})
    if missing:
        listed = {name for each in known.values() for name in each}
        raise unknown_name("source", missing[0], listed, "`scanner dictionary info` lists them")
    found = sorted(name for name, each in known.items() if each.issuperset(names))
    if len(found) != 1:
        what = f"{len(found)} clusters have {' and '.join(sorted(names))}"
        hint = f"name one with --cluster: {', '.join(found)}" if found else "forget them one after the other"
        raise InputInvalid(what, hint=hint)
    return found[0]


def forget(engine: Engine, cluster: str, names: Collection[str], *, at: datetime) -> ScanSummary:
    """Mark gone what the sources *names* of *cluster* told; every other source stays as fresh as it was.

    It is a scan of its own, so the change log and `scanner diff` tell it. A source that is asked again brings back
    what it tells then.
    """
    with engine.connect() as conn:
        known = [row for row in sources(conn) if row.cluster == cluster]
    outcomes = tuple(_outcome(row, forgotten=row.name in names) for row in known)
    scan = ClusterScan(cluster=Cluster(name=ClusterName(cluster), brokers=()), outcomes=outcomes)
    return write_scan(engine, scan, started=at, finished=at, mode=MODE)


def _outcome(row: SourceRow, *, forgotten: bool) -> SourceResult:
    answer, reason = (SourceStatus.FORGOTTEN, "") if forgotten else (SourceStatus.KEPT, f"not asked in mode {MODE}")
    return SourceResult(source=SourceId(row.name), kind=row.kind, answer=answer, reason=reason)
