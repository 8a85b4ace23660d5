"""One cluster's way from cluster.json to the dictionary: read, ask, conclude, store."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from scanner_cli.report import ScanReport
from scanner_dictionary.opening import open_dictionary
from scanner_dictionary.queries.remembered import remembered
from scanner_dictionary.writer import write_scan
from scanner_extractor.access import Access
from scanner_extractor.capture import Recorder, Replay, slug
from scanner_extractor.cluster_file import read_cluster_file
from scanner_extractor.conclude import conclude
from scanner_extractor.formats import FORMATS
from scanner_extractor.readings import Progress
from scanner_extractor.registries import registries
from scanner_extractor.runner import Choice, ask
from scanner_extractor.settings import Settings
from scanner_model.manual import ManualInput
from scanner_model.problems import Problem
from scanner_model.scan import Answer, ClusterScan


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A cluster.json and the manual input that it names, read and checked; *warnings* are told in the report."""

    settings: Settings
    manual: ManualInput
    warnings: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks of every scan."""

    url: str
    only: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    capture: Path | None = None
    replay: Path | None = None


def load(files: Sequence[str]) -> tuple[Loaded, ...]:
    """Read every cluster.json and its manual input before any source is asked; raises InputInvalid."""
    return tuple(map(_load, files))


def scan_cluster(cluster: Loaded, wanted: Wanted, progress: Progress, *, several: bool) -> ScanReport:
    """Scan one cluster and store it in one transaction; nothing is stored where no source could be read."""
    engine = open_dictionary(wanted.url)
    started = datetime.now(UTC)
    clock = time.monotonic()
    access = _access(wanted, cluster.settings, several)
    asked = ask(cluster.settings, access, choice=Choice(only=wanted.only, skip=wanted.skip), progress=progress)
    silent = [outcome.source for outcome in asked.outcomes if outcome.answer != Answer.READ]
    with engine.connect() as conn:
        known = remembered(conn, cluster.settings.cluster, silent)
    scan = conclude(cluster.settings, asked, cluster.manual, remembered=known)
    summary = None
    if _answered(scan):
        summary = write_scan(engine, scan, started=started, finished=datetime.now(UTC))
    return ScanReport(
        cluster=cluster.settings.cluster,
        scan=summary.scan_id if summary else None,
        outcomes=scan.outcomes,
        counts=_counts(scan),
        changes=summary.counts if summary else (),
        problems=(*cluster.warnings, *scan.problems, *(summary.refused if summary else ())),
        seconds=time.monotonic() - clock,
    )


def _load(file: str) -> Loaded:
    from manual_input.reading import Reach, read_manual_input

    settings = read_cluster_file(Path(file), os.environ, tuple(registries()))
    reach = Reach(base=settings.file.parent, formats=tuple(FORMATS))
    manual = read_manual_input(settings.manual_input, settings.cluster, settings.brokers, reach)
    return Loaded(settings=settings, manual=manual.input, warnings=(*settings.warnings, *manual.warnings))


def _access(wanted: Wanted, settings: Settings, several: bool) -> Access:
    def directory(base: Path) -> Path:
        return base / slug(settings.cluster) if several else base

    if wanted.replay:
        return Access(replay=Replay(directory(wanted.replay)))
    if wanted.capture:
        tool = f"scanner {version('scanner')}"
        return Access(recorder=Recorder(directory(wanted.capture), cluster=settings.cluster, tool=tool))
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
        ("consumer groups", len(scan.consumer_groups)),
        ("manual flows", len(scan.manual_flows)),
    )
    return tuple((name, count) for name, count in counted if count)
