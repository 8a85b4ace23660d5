"""Every source with every fault: none loses another source's facts or the last scan's, each gives one clear line."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import faulty
import pytest
from fault_rows import ROWS

from scanner_api.scanning.clusters import ScanReport
from scanner_cli.output.scan_report import report_text
from scanner_dictionary.engine.open import Engine, open_dictionary
from scanner_dictionary.queries.history import previous_state
from scanner_dictionary.write.scan import ScanSummary, write_scan
from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.results import KafkaCluster, Progress, Reading
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.runner import PHASES, read_sources
from scanner_extractor.scan.source_kinds import all_kinds
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings, RegistrySettings, Settings
from scanner_extractor.settings.sources import CatalogSettings, FileSettings
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.settings import FlinkSettings
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_model.kafka import StreamsTopology, Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus

pytestmark = pytest.mark.slow

NOW = datetime(2026, 5, 2, 8, 30, tzinfo=UTC)
NAME = ClusterName("shop")
TOPOLOGY = "Topologies:\n   Sub-topology: 0\n    Source: KSTREAM-SOURCE-0 (topics: [orders])\n      --> none\n"


BESIDE = {SourceId("kafka:k:9092"), SourceId("streams:*.txt")}


FAILS, WHOLE, KEEPS, LOSES = "fails", "whole", "keeps", "loses"
FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "401": (lambda: faulty.status(401), FAILS),
    "403": (lambda: faulty.status(403), FAILS),
    "404": (lambda: faulty.status(404), FAILS),
    "429": (lambda: faulty.status(429, Retry_After="30"), FAILS),
    "500": (lambda: faulty.status(500), FAILS),
    "503 as a page": (
        lambda: faulty.status(503, b"<html>\n<body>later</body>\n</html>", Content_Type="text/html"),
        FAILS,
    ),
    "slow": (lambda: faulty.slow, FAILS),
    "reset": (lambda: faulty.reset, FAILS),
    "truncated": (lambda: faulty.truncated, FAILS),
    "half": (lambda: faulty.half, FAILS),
    "a web page": (lambda: faulty.web_page, FAILS),
    "endless": (faulty.endless, KEEPS),
    "an empty object": (lambda: faulty.empty_object, FAILS),
    "other members": (lambda: faulty.other_members, FAILS),
    "other entries": (lambda: faulty.other_entries, LOSES),
    "one bad entry": (lambda: faulty.one_bad_entry, LOSES),
    "unknown member": (lambda: faulty.unknown_member, WHOLE),
    "unknown word": (lambda: faulty.unknown_word, KEEPS),
}
OF_TRANSPORT = [*FAULTS][: [*FAULTS].index("endless")]
"""Faults that the HTTP client turns into errors for every source: `make test` has one of them for each, in turn."""

CASES = [
    pytest.param(
        row,
        fault,
        id=f"{row}-{fault}",
        marks=[pytest.mark.slow] if fault in OF_TRANSPORT and fault != OF_TRANSPORT[at % len(OF_TRANSPORT)] else [],
    )
    for at, row in enumerate(ROWS)
    for fault in FAULTS
]


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


def test_every_source_over_http_is_a_row() -> None:
    """A new kind, or a new type of one, is read with every fault from its first day."""
    members = [value for row in ROWS.values() for value in row.member(HttpSettings(url="http://x")).values()]
    sources = [source for value in members for source in (value if isinstance(value, tuple) else (value,))]
    over_http = {kind.settings for kind in all_kinds() if "http" in {member.name for member in fields(kind.settings)}}

    assert {type(source) for source in sources} == over_http
    typed = CatalogSettings | FlinkSettings | RegistrySettings
    types = {source.type for source in sources if isinstance(source, typed)}
    assert types == {*CATALOGS.own, *FLINK_SOURCES, *REGISTRIES.own}


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


@pytest.fixture(scope="module")
def scanned(request: pytest.FixtureRequest, empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scanned]:
    """Scan a source of a kind once, while it is healthy, into a dictionary of its own."""
    row = ROWS[request.param]
    directory = tmp_path_factory.mktemp("faults")
    (directory / "app.txt").write_text(TOPOLOGY, encoding="utf-8")
    engine = open_dictionary(str(shutil.copy(empty, directory / "scanner.db")))
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        server = stack.enter_context(faulty.serving(faulty.Faulty(good=row.good())))
        scanned = Scanned(row=row, server=server, engine=engine, directory=directory)
        _, scan, _ = scanned.scan(faulty.healthy)
        scanned.first = scanned.outcome(scan)
        yield scanned


@pytest.mark.no_cover
@pytest.mark.parametrize(("scanned", "fault"), CASES, indirect=["scanned"])
def test_fault_costs_its_own_source_at_most(scanned: Scanned, fault: str) -> None:
    """What others say is whole, what the last scan knew is there, and a line says where and what."""
    make, expected = FAULTS[fault]
    report, scan, summary = scanned.scan(make(), deadline=0.1 if fault == "slow" else 60.0)
    outcome, first = scanned.outcome(scan), scanned.first

    assert first
    assert first.status is scanned.row.status, first.reason
    assert "reader failed" not in outcome.reason
    assert [topology.name for topology in scan.of(StreamsTopology)] == ["app"]
    assert {"orders", "refunds"} <= {topic.name for topic in scan.of(Topic)}
    assert [outcome.status for outcome in scan.outcomes if outcome.source in BESIDE] == [SourceStatus.READ] * 2
    assert summary.gone == 0
    if expected == WHOLE:
        assert (outcome.status, outcome.received) == (first.status, first.received), outcome.reason
    if expected == FAILS:
        assert outcome.status in (SourceStatus.PARTIAL, SourceStatus.UNAVAILABLE)
    if expected == LOSES and outcome.status is SourceStatus.READ:  # every entry could be read another way
        assert outcome.received == first.received
    if outcome.status is not SourceStatus.READ:
        lines = [
            line
            for line in report_text(report).splitlines()
            if line.startswith(f"{outcome.status}: {outcome.source}: ")
        ]
        assert len(lines) == 1
        assert len(lines[0].partition(f"{outcome.source}: ")[2]) > 10
        assert report.is_partial


@pytest.mark.parametrize("scanned", [name for name, row in ROWS.items() if row.tokens], indirect=True)
def test_empty_page_in_the_middle_ends_no_list(scanned: Scanned) -> None:
    """Services that page by tokens give one where they filter."""
    _, scan, summary = scanned.scan(faulty.empty_page)
    outcome = scanned.outcome(scan)

    assert scanned.first
    assert (outcome.status, outcome.received) == (scanned.first.status, scanned.first.received), outcome.reason
    assert summary.gone == 0
