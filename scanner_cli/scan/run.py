"""One cluster's way into the dictionary: ask, conclude, store; and how its sources are reached."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from scanner_cli.output.scan_report import ScanReport
from scanner_cli.scan.clusters import Loaded
from scanner_dictionary.engine.open import Engine
from scanner_dictionary.queries.previous_state import is_known, known_queries, previous_state
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.http.recording import Recorder, Replay, directory_name, recorded_cluster
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.phases import Mode
from scanner_extractor.scan.results import Progress
from scanner_extractor.scan.runner import ALL, Choice, kept, read_sources
from scanner_extractor.schemas.parsing import ParseTexts, parse_in_process
from scanner_model.errors import NameUnknown
from scanner_model.scan import ClusterScan, SourceStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks of every scan; *read* reads the texts of schemas."""

    engine: Engine
    progress: Progress
    choice: Choice = ALL
    read: ParseTexts = parse_in_process


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What asking one cluster's sources gave, ready to be stored."""

    cluster: Loaded
    scan: ClusterScan
    started: datetime
    clock: float


def accesses(clusters: Sequence[Loaded], capture: Path | None, replay: Path | None) -> tuple[Connections, ...]:
    """Return each cluster's way to its sources; several have a directory each. Raises InputInvalid for a bad one."""
    several = len(clusters) > 1
    return tuple(_access(one.settings.cluster, capture, replay, several=several) for one in clusters)


def scan_clusters(
    clusters: Sequence[Loaded], ways: Sequence[Connections], wanted: Wanted, *, workers: int = 1
) -> Iterator[ScanReport]:
    """Scan each cluster and store it in one transaction, in the order of *clusters*; up to *workers* are asked at once.

    Nothing is stored of a cluster where no source could be read. Raises NameUnknown, before anybody is asked, where
    there is nothing stored that could be enriched.
    """
    if wanted.choice.mode is Mode.ENRICH:
        _need_stored(clusters, wanted)
    jobs = [partial(_find, cluster, way, wanted) for cluster, way in zip(clusters, ways, strict=True)]
    for found in _side_by_side(jobs, workers):
        yield _store(found, wanted)


def _find(cluster: Loaded, access: Connections, wanted: Wanted) -> Found:
    started, clock = datetime.now(UTC), time.monotonic()
    with wanted.engine.connect() as conn:
        access = replace(access, queries=known_queries(conn, cluster.settings.cluster))
    asked = read_sources(cluster.settings, access, choice=wanted.choice, progress=wanted.progress)
    if wanted.choice.mode is Mode.ENRICH:
        files = tuple(kept(source, "manual", wanted.choice.mode) for source in cluster.manual.sources)
        asked = replace(asked, outcomes=(*asked.outcomes, *files))
    silent = [outcome.source for outcome in asked.outcomes if outcome.answer != SourceStatus.READ]
    with wanted.engine.connect() as conn:
        known = previous_state(conn, cluster.settings.cluster, silent)
    manual = None if wanted.choice.mode is Mode.ENRICH else cluster.manual
    scan = merge_results(cluster.settings, asked, manual, remembered=known, read=wanted.read)
    return Found(cluster=cluster, scan=scan, started=started, clock=clock)


def _store(found: Found, wanted: Wanted) -> ScanReport:
    cluster, scan = found.cluster, found.scan
    summary = None
    if _answered(scan):
        finished = datetime.now(UTC)
        summary = write_scan(wanted.engine, scan, started=found.started, finished=finished, mode=wanted.choice.mode)
    return ScanReport(
        cluster=cluster.settings.cluster,
        scan=summary.scan_id if summary else None,
        outcomes=scan.outcomes,
        counts=_counts(scan),
        changes=summary.counts if summary else (),
        problems=(*cluster.warnings, *scan.problems, *(summary.refused if summary else ())),
        seconds=time.monotonic() - found.clock,
        findings=summary.findings if summary else (),
    )


def _side_by_side(jobs: Sequence[Callable[[], Found]], workers: int) -> Iterator[Found]:
    """Do *jobs*, up to *workers* at once, and give their results in order; no more wait for their turn to be stored."""
    free = threading.Semaphore(max(1, workers))
    futures: list[Future[Found]] = [Future() for _ in jobs]

    def work(job: Callable[[], Found], future: Future[Found]) -> None:
        try:
            future.set_result(job())
        except BaseException as error:  # noqa: BLE001  it is raised again where the result is wanted
            future.set_exception(error)

    def start() -> None:
        for job, future in zip(jobs, futures, strict=True):
            free.acquire()
            # Daemons, so that Ctrl-C ends the program whatever a source does.
            threading.Thread(target=work, args=(job, future), daemon=True).start()

    threading.Thread(target=start, daemon=True).start()
    for future in futures:
        yield future.result()
        free.release()


def _need_stored(clusters: Sequence[Loaded], wanted: Wanted) -> None:
    with wanted.engine.connect() as conn:
        for one in clusters:
            if not is_known(conn, one.settings.cluster):
                what = f"no scan of the cluster {one.settings.cluster!r} is stored that could be enriched"
                raise NameUnknown(what, where="--mode enrich", hint="scan it first, with --mode full or extract")


def _access(cluster: str, capture: Path | None, replay: Path | None, *, several: bool) -> Connections:
    if replay:
        return Connections(replay=Replay(recorded_cluster(replay, cluster) if several else replay))
    if capture:
        place = capture / directory_name(cluster) if several else capture
        tool = f"scanner {version('kafka-lineage-scanner')}"
        return Connections(recorder=Recorder(place, cluster=cluster, tool=tool))
    return Connections()


def _answered(scan: ClusterScan) -> bool:
    return any(outcome.answer in (SourceStatus.READ, SourceStatus.PARTIAL) for outcome in scan.outcomes)


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
        ("statements", len(scan.flink_statements)),
        ("jobs", len(scan.flink_jobs)),
        ("topologies", len(scan.topologies)),
        ("annotations", len(scan.annotations)),
        ("materialized topics", len(scan.materializations)),
        ("catalog tables", len(scan.catalog_tables)),
        ("catalog links", len(scan.catalog_links)),
        ("figures", len(scan.metrics)),
    )
    return tuple((name, count) for name, count in counted if count)
