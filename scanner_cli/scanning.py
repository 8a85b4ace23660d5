"""One cluster's way into the dictionary: ask, conclude, store; and how its sources are reached."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from scanner_cli.clusters import Loaded
from scanner_cli.report import ScanReport
from scanner_dictionary.opening import Engine
from scanner_dictionary.queries.remembered import remembered
from scanner_dictionary.writer import write_scan
from scanner_extractor.access import Access
from scanner_extractor.capture import Recorder, Replay, slug
from scanner_extractor.conclude import conclude
from scanner_extractor.readings import Progress
from scanner_extractor.runner import Choice, ask
from scanner_model.scan import Answer, ClusterScan


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks of every scan."""

    engine: Engine
    choice: Choice
    progress: Progress


def accesses(clusters: Sequence[Loaded], capture: Path | None, replay: Path | None) -> tuple[Access, ...]:
    """Give each cluster's way to its sources; several have a directory each. Raises InputInvalid for a bad one."""
    several = len(clusters) > 1
    return tuple(_access(one.settings.cluster, capture, replay, several=several) for one in clusters)


def scan_cluster(cluster: Loaded, access: Access, wanted: Wanted) -> ScanReport:
    """Scan one cluster and store it in one transaction; nothing is stored where no source could be read."""
    started = datetime.now(UTC)
    clock = time.monotonic()
    asked = ask(cluster.settings, access, choice=wanted.choice, progress=wanted.progress)
    silent = [outcome.source for outcome in asked.outcomes if outcome.answer != Answer.READ]
    with wanted.engine.connect() as conn:
        known = remembered(conn, cluster.settings.cluster, silent)
    scan = conclude(cluster.settings, asked, cluster.manual, remembered=known)
    summary = None
    if _answered(scan):
        summary = write_scan(wanted.engine, scan, started=started, finished=datetime.now(UTC))
    return ScanReport(
        cluster=cluster.settings.cluster,
        scan=summary.scan_id if summary else None,
        outcomes=scan.outcomes,
        counts=_counts(scan),
        changes=summary.counts if summary else (),
        problems=(*cluster.warnings, *scan.problems, *(summary.refused if summary else ())),
        seconds=time.monotonic() - clock,
    )


def _access(cluster: str, capture: Path | None, replay: Path | None, *, several: bool) -> Access:
    below = slug(cluster) if several else ""
    if replay:
        return Access(replay=Replay(replay / below))
    if capture:
        return Access(recorder=Recorder(capture / below, cluster=cluster, tool=f"scanner {version('scanner')}"))
    return Access()


def _answered(scan: ClusterScan) -> bool:
    return any(outcome.answer in (Answer.READ, Answer.PARTIAL) for outcome in scan.outcomes)


def _counts(scan: ClusterScan) -> tuple[tuple[str, int], ...]:
    columns = sum(len(definition.columns) for definition in scan.definitions)
    subjects = len({(v.source, v.context, v.subject) for v in scan.versions})
    counted = (
        ("topics", len(scan.topics)),
        ("subjects", subjects),
        ("versions", len(scan.versions)),
        ("schemas", len(scan.definitions)),
        ("columns", columns),
        ("collections", len(scan.ksql_sources)),
        ("queries", len(scan.queries)),
        ("connectors", len(scan.connectors)),
        ("consumer groups", len(scan.consumer_groups)),
        ("manual flows", len(scan.manual_flows)),
    )
    return tuple((name, count) for name, count in counted if count)
