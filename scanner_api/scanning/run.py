"""Scanning clusters into the dictionary: read the sources, merge the results, store them in one transaction."""

from __future__ import annotations

import importlib.util
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, ScanProgress, ignore, no_scan_progress
from scanner_api.scanning.clusters import (
    LoadedCluster,
    ScanReport,
    load_clusters,
    repository_cluster,
    select_sources,
)
from scanner_api.spark import SparkChoice
from scanner_dictionary.engine.open import Engine
from scanner_dictionary.queries.history import (
    is_known,
    known_groups,
    known_queries,
    known_texts,
    missing_names,
    previous_state,
)
from scanner_dictionary.write.scan import write_scan
from scanner_extractor.http.recording import Recorder, Replay, directory_name, recorded_cluster
from scanner_extractor.repository.reading import RepositoryReading
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.runner import ALL, Choice, Mode, read_sources, result_of_unread
from scanner_extractor.scan.source_kinds import experimental_sources
from scanner_extractor.schemas.parsing import (
    ParseRequest,
    ParseTexts,
    parse_bundle,
    parse_in_process,
    request_bundles,
    unpack_bundle,
)
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.columns import ParsedSchema
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import Connector, ConsumerGroup, StreamsTopology, Topic
from scanner_model.lazy_names import deferred
from scanner_model.manual import DeclaredFlow
from scanner_model.scan import ClusterScan, SourceStatus
from scanner_model.schemas import Definition, KnownText, Registry, SchemaVersion, TopicSchema
from scanner_model.streaming_sql import FlinkJob, KsqlFunction, KsqlSource, KsqlType, Query, StreamingStatement
from scanner_model.threads import run_ordered

if TYPE_CHECKING:
    from scanner_api.spark_session import SparkEngine


experimental_languages = deferred("scanner_extractor.repository.languages:experimental_languages")

LARGE = 300_000
"""Texts from which `--engine auto` chooses Spark: two processors then save twice what starting a JVM costs."""

_SIZE = 4_000_000
"""Characters that a task reads: nearly half a second of work."""


@contextmanager
def schema_engine(choice: SparkChoice, notify: Notify = ignore) -> Iterator[ParseTexts]:
    """Return a parser of schema texts that uses the engine of *choice*; it may be called from many threads.

    Spark starts at once where it is requested; for auto when it is first needed.
    """
    with ExitStack() as stack:
        parser = _Parser(choice, stack, notify)
        if choice.is_requested:
            parser.start()
        yield parser


class _Parser:
    def __init__(self, choice: SparkChoice, stack: ExitStack, notify: Notify) -> None:
        self._choice = choice
        self._stack = stack
        self._notify = notify
        self._lock = threading.Lock()
        self._spark: SparkEngine | None = None

    def __call__(self, requests: Sequence[ParseRequest]) -> Iterable[ParsedSchema]:
        on_spark = requests and self._engine(len(requests)) == "spark"
        return self._on_spark(requests) if on_spark else parse_in_process(requests)

    def _engine(self, texts: int) -> str:
        # A small scan reports no engine, and a large one without PySpark goes on.
        if not self._choice.is_requested and (texts < LARGE or importlib.util.find_spec("pyspark") is None):
            return "local"
        return self._choice.choose(texts, LARGE, "schema texts", self._notify)

    def start(self) -> SparkEngine:
        """Start Spark, once."""
        with self._lock:
            if self._spark is None:
                self._spark = self._stack.enter_context(self._choice.session(light=True))
            return self._spark

    def _on_spark(self, requests: Sequence[ParseRequest]) -> Iterator[ParsedSchema]:
        for bundle in self.start().map(parse_bundle, request_bundles(requests, _SIZE)):
            yield from unpack_bundle(bundle)


_DEFAULT_ENGINE = SparkChoice()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """What holds for every cluster of a scan; *parse* parses the texts of schemas."""

    engine: Engine
    progress: ScanProgress = no_scan_progress
    choice: Choice = ALL
    parse: ParseTexts = parse_in_process
    notify: Notify = ignore


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadCluster:
    """What the sources of one cluster returned, ready to be stored; *clock* is the monotonic time of the start."""

    cluster: LoadedCluster
    scan: ClusterScan
    started: datetime
    clock: float


def scan(
    config_files: Sequence[str | Path],
    dictionary: Dictionary,
    *,
    directories: Sequence[Path] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
    mode: str = "full",
    workers: int = 4,
    capture: Path | None = None,
    replay: Path | None = None,
    spark: SparkChoice = _DEFAULT_ENGINE,
    progress: ScanProgress = no_scan_progress,
    notify: Notify = ignore,
    on_report: Callable[[ScanReport], None] | None = None,
) -> tuple[ScanReport, ...]:
    """Scan the clusters of *config_files* (cluster.json each) into *dictionary*, one transaction a cluster.

    *directories* of files are read as one further cluster, named after the first of them; *variables* are values for
    placeholders in their files.
    *only* and *skip* are kinds or ids of sources. *mode* is full, extract or enrich. Up to *workers* clusters are read
    at once. *capture* records the raw responses in a new directory, *replay* reads them from one without a network.
    *on_report* is called after each cluster; the result has all reports, in the order of the files. A source that
    cannot be read is an outcome in its report, not an exception. Raises InputInvalid for a file or an argument, before
    anything is read; DictionaryUnusable; NameUnknown where *mode* is enrich and the cluster was never scanned.

    >>> reports = scan(["examples/retail/cluster.json"], dictionary, replay=Path("examples/retail/capture"))
    >>> reports[0].stored
    True
    """
    if capture and replay:
        raise InputInvalid("a replay is a capture already", where="--capture --replay", hint="use one of them")
    if not config_files and not directories:
        raise InputInvalid("nothing to read is named", where="--config", hint="name a cluster.json, or --from DIR")
    clusters = load_clusters([str(file) for file in config_files], replayed=replay is not None)
    clusters += (repository_cluster(directories, variables),) if directories else ()
    selected = select_sources(only, skip, [cluster.settings for cluster in clusters])
    choice = replace(selected, mode=Mode(mode))
    connections = open_connections(clusters, capture, replay)
    reports: list[ScanReport] = []
    engine = dictionary.writing(create=True)
    _note_experimental(clusters, engine, notify)
    with schema_engine(spark, notify) as parse:
        options = ScanOptions(engine=engine, choice=choice, progress=progress, parse=parse, notify=notify)
        for report in scan_clusters(clusters, connections, options, workers=workers):
            reports.append(report)
            if on_report:
                on_report(report)
    return tuple(reports)


def _note_experimental(clusters: Sequence[LoadedCluster], engine: Engine, notify: Notify) -> None:
    """Report, before the first scan of a cluster, which of its sources were never read live."""
    with engine.connect() as conn:
        new = [cluster for cluster in clusters if not is_known(conn, cluster.settings.cluster)]
    for cluster in new:
        for source, reason in experimental_sources(cluster.settings):
            notify(f"note: {source} is {reason}")


def open_connections(
    clusters: Sequence[LoadedCluster], capture: Path | None, replay: Path | None
) -> tuple[Connections, ...]:
    """Return the connections of each cluster; several have a directory each. Raises InputInvalid for a bad capture."""
    several = len(clusters) > 1
    return tuple(_connections(cluster.settings.cluster, capture, replay, several=several) for cluster in clusters)


def scan_clusters(
    clusters: Sequence[LoadedCluster], connections: Sequence[Connections], options: ScanOptions, *, workers: int = 1
) -> Iterator[ScanReport]:
    """Scan each cluster and store it in one transaction, in the order of *clusters*; up to *workers* are read at once.

    Nothing is stored of a cluster where no source could be read. Raises NameUnknown, before any request, where
    there is nothing stored that could be enriched.
    """
    if options.choice.mode is Mode.ENRICH:
        _check_stored(clusters, options)
    jobs = [partial(_read_cluster, *pair, options) for pair in zip(clusters, connections, strict=True)]
    for read in run_ordered(jobs, workers):
        yield _store(read, options)


def _read_cluster(cluster: LoadedCluster, connections: Connections, options: ScanOptions) -> _ReadCluster:
    started, clock = datetime.now(UTC), time.monotonic()
    with options.engine.connect() as conn:
        name = cluster.settings.cluster
        is_new = not is_known(conn, name)
        connections = replace(
            connections,
            queries=known_queries(conn, name),
            missing=missing_names(conn, name),
            groups=known_groups(conn, name),
        )
    results = read_sources(cluster.settings, connections, choice=options.choice, progress=options.progress)
    if is_new:
        _note_experimental_languages(results.readings, options.notify)
    if options.choice.mode is Mode.ENRICH:
        files = tuple(result_of_unread(source, "manual", options.choice.mode) for source in cluster.manual.sources)
        results = replace(results, outcomes=(*results.outcomes, *files))
    silent = [outcome.source for outcome in results.outcomes if outcome.status != SourceStatus.READ]
    with options.engine.connect() as conn:
        previous = previous_state(conn, cluster.settings.cluster, silent)
    manual = None if options.choice.mode is Mode.ENRICH else cluster.manual

    def known(digests: Collection[str]) -> Mapping[str, KnownText]:
        """Look texts up; Spark may parse others for a long time meanwhile, so no connection is held."""
        with options.engine.connect() as conn:
            return known_texts(conn, digests)

    merged = merge_results(cluster.settings, results, manual, remembered=previous, read=options.parse, known=known)
    return _ReadCluster(cluster=cluster, scan=merged, started=started, clock=clock)


def _note_experimental_languages(readings: Iterable[object], notify: Notify) -> None:
    """Report which languages of the files in *readings* were never compared with public programs."""
    found = [reading.files.values() for reading in readings if isinstance(reading, RepositoryReading)]
    paths = [path for kinds in found for group in kinds for path in group]
    for language, reason in experimental_languages(paths) if paths else ():
        notify(f"note: {language} is {reason}")


def _store(read: _ReadCluster, options: ScanOptions) -> ScanReport:
    cluster, scan = read.cluster, read.scan
    summary = None
    if _has_answers(scan):
        finished = datetime.now(UTC)
        summary = write_scan(options.engine, scan, started=read.started, finished=finished, mode=options.choice.mode)
    return ScanReport(
        cluster=cluster.settings.cluster,
        scan=summary.scan_id if summary else None,
        outcomes=scan.outcomes,
        counts=_counts(scan),
        changes=summary.counts if summary else (),
        problems=(*cluster.warnings, *scan.problems, *(summary.refused if summary else ())),
        seconds=time.monotonic() - read.clock,
        findings=summary.findings if summary else (),
    )


def _check_stored(clusters: Sequence[LoadedCluster], options: ScanOptions) -> None:
    with options.engine.connect() as conn:
        for cluster in clusters:
            if not is_known(conn, cluster.settings.cluster):
                what = f"no scan of the cluster {cluster.settings.cluster!r} is stored that could be enriched"
                raise NameUnknown(what, where="--mode enrich", hint="scan it first, with --mode full or extract")


def _connections(cluster: str, capture: Path | None, replay: Path | None, *, several: bool) -> Connections:
    if replay:
        return Connections(replay=Replay(recorded_cluster(replay, cluster) if several else replay))
    if capture:
        directory = capture / directory_name(cluster) if several else capture
        tool = f"scanner {version('kafka-lineage-scanner')}"
        return Connections(recorder=Recorder(directory, cluster=cluster, tool=tool))
    return Connections()


def _has_answers(scan: ClusterScan) -> bool:
    return any(outcome.status in (SourceStatus.READ, SourceStatus.PARTIAL) for outcome in scan.outcomes)


_LABELS: dict[type, str] = {
    Topic: "topics",
    SchemaVersion: "versions",
    Definition: "schemas",
    KsqlSource: "collections",
    Query: "queries",
    Connector: "connectors",
    ConsumerGroup: "consumer groups",
    DeclaredFlow: "flows",
    StreamingStatement: "statements",
    FlinkJob: "jobs",
    StreamsTopology: "topologies",
    Annotation: "annotations",
    Materialization: "materialized topics",
    CatalogTable: "catalog tables",
    CatalogLink: "catalog links",
    Metric: "figures",
}
"""How a report counts facts whose class has another name, in its order."""
_UNCOUNTED = frozenset({Registry, TopicSchema, KsqlFunction, KsqlType, MirrorTopic})


def _counts(scan: ClusterScan) -> tuple[tuple[str, int], ...]:
    others = (fact_type for fact_type in scan.by_type if fact_type not in {*_LABELS, *_UNCOUNTED})
    labels = _LABELS | {fact_type: _label(fact_type) for fact_type in others}
    topics, versions, schemas, *further = ((label, len(scan.of(fact_type))) for fact_type, label in labels.items())
    subjects = len({(version.source, version.context, version.subject) for version in scan.of(SchemaVersion)})
    columns = sum(len(definition.columns) for definition in scan.of(Definition))
    counted = (topics, ("subjects", subjects), versions, schemas, ("columns", columns), *further)
    return tuple((name, count) for name, count in counted if count)


def _label(fact_type: type) -> str:
    """Return the name of a class in the plural: `acl rules` for AclRule."""
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", fact_type.__name__).lower()
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"
