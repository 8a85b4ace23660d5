"""A source scanned into a dictionary through a server that can put faults into its answers."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import faulty

from scanner_api.scanning.clusters import ScanReport
from scanner_dictionary.engine.open import Engine, open_dictionary
from scanner_dictionary.queries.history import previous_state
from scanner_dictionary.write.scan import ScanSummary, write_scan
from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import KafkaCluster, Progress, Reading
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.runner import PHASES, read_sources
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings, Settings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_model.kafka import Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus

NOW = datetime(2026, 5, 2, 8, 30, tzinfo=UTC)
NAME = ClusterName("shop")
TOPOLOGY = "Topologies:\n   Sub-topology: 0\n    Source: KSTREAM-SOURCE-0 (topics: [orders])\n      --> none\n"


BESIDE = {SourceId("kafka:k:9092"), SourceId("streams:*.txt")}


@dataclass(frozen=True, kw_only=True)
class Reaching(Connections):
    """Reaches one source through its own exchange, or over plain HTTP what usually has one."""

    row: Any
    url: str
    beside: dict[SourceId, threading.Thread] = field(default_factory=dict)

    def kafka(self, settings: KafkaSettings, progress: Progress) -> Reading:
        self.beside[settings.source] = threading.current_thread()
        return super().kafka(settings, progress)

    def texts(self, settings: FileSettings, source: SourceId, hide: Any) -> Any:
        self.beside[source] = threading.current_thread()
        return super().texts(settings, source, hide)

    def has_read(self, sources: Collection[SourceId]) -> bool:
        """Return whether the threads that read *sources* have begun and ended."""
        return all(source in self.beside and not self.beside[source].is_alive() for source in sources)

    def http(self, settings: HttpSettings, source: SourceId, *, live: Any = None, mask: Any = None) -> Http:
        own = None if self.row.plain else live
        if self.row.exchange:
            (requests,) = (item for item in self._asked() if item.source == source)
            own = self.row.exchange(requests, self.url)
        return super().http(settings, source, live=own, mask=mask)

    def _asked(self) -> list[Any]:
        (sources,) = self.row.member(HttpSettings(url=self.url)).values()
        return list(sources)


@dataclass(slots=True, kw_only=True)
class Scanned:
    """A row with its server, and a dictionary that holds a first good scan."""

    row: Any
    server: Any
    engine: Engine
    directory: Path
    first: SourceResult | None = None

    looks: int = 0

    def time(self, access: Reaching, beside: Collection[SourceId]) -> float:
        """Stand still until the source trickles and the runner, which looks three times a turn, has the others."""
        self.looks = self.looks + 1 if self.server.trickling.is_set() and access.has_read(beside) else 0
        return 1000.0 if self.looks > 6 else 0.0

    def scan(self, fault: Any, deadline: float = 60.0) -> tuple[ScanReport, ClusterScan, ScanSummary]:
        self.server.fault = fault
        self.server.trickling.clear()
        clock = Clock(pause=lambda _: None)
        if fault is faulty.slow:
            clock = Clock(pause=lambda _: None, now=lambda: self.time(access, beside))
        access = Reaching(row=self.row, url=self.server.url, brokers=two_topics, clock=clock, now=lambda: NOW)
        settings = self.settings()
        beside = read_beside(settings, access)
        sources = read_sources(settings, access, deadline=deadline)
        silent = [outcome.source for outcome in sources.outcomes if outcome.status != SourceStatus.READ]
        with self.engine.connect() as conn:
            known = previous_state(conn, NAME, silent)
        scan = merge_results(settings, sources, remembered=known)
        summary = write_scan(self.engine, scan, started=NOW, finished=NOW)
        report = ScanReport(
            cluster=NAME, scan=summary.scan_id, outcomes=scan.outcomes, counts=(), changes=summary.counts,
            problems=scan.problems, seconds=0.0,
        )  # fmt: skip
        return report, scan, summary

    def settings(self) -> Settings:
        http = HttpSettings(url=self.server.url + self.row.path, concurrency=4)
        files = FileSettings(pattern="*.txt", base=self.directory, files=(self.directory / "app.txt",))
        return Settings(
            cluster=NAME,
            brokers=("k:9092",),
            file=self.directory / "cluster.json",
            kafka=KafkaSettings(brokers=("k:9092",)),
            others={"streams": (StreamsSettings(files=files),)},
            **self.row.member(http),
        )

    def outcome(self, scan: ClusterScan) -> SourceResult:
        return next(outcome for outcome in scan.outcomes if outcome.source not in BESIDE)


def read_beside(settings: Settings, access: Connections) -> set[SourceId]:
    """Return what is read in the same phase as the source of the row."""
    phases = ({task.source for task in phase.tasks(settings, access)} for phase in PHASES)
    return next((sources & BESIDE for sources in phases if sources - BESIDE), set())


def two_topics(settings: KafkaSettings, progress: Progress) -> Reading:
    topics = tuple(Topic(source=settings.source, name=TopicName(name)) for name in ("orders", "refunds"))
    return Reading(
        outcome=SourceResult(source=settings.source, kind="kafka", status=SourceStatus.READ, received=2),
        facts=(KafkaCluster(), *topics),
    )


@contextmanager
def scanned_source(row: Any, empty: Path, directory: Path) -> Iterator[Scanned]:
    """Scan a source of a kind once, while it is healthy, into a dictionary of its own."""
    (directory / "app.txt").write_text(TOPOLOGY, encoding="utf-8")
    engine = open_dictionary(str(shutil.copy(empty, directory / "scanner.db")))
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        server = stack.enter_context(faulty.serving(faulty.Faulty(good=row.good())))
        scanned = Scanned(row=row, server=server, engine=engine, directory=directory)
        _, scan, _ = scanned.scan(faulty.healthy)
        scanned.first = scanned.outcome(scan)
        yield scanned
