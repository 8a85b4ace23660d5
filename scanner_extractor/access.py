"""How a scan reaches its sources: live, live and recorded, or from a capture without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import reduce

from scanner_extractor.capture import Recorder, Replay
from scanner_extractor.exchange import Exchange
from scanner_extractor.http import Http
from scanner_extractor.rate import Clock
from scanner_extractor.readings import CatalogReading, KafkaReading, Progress
from scanner_extractor.settings import HttpSettings, KafkaSettings
from scanner_extractor.settings_cloud import OffsetSettings
from scanner_extractor.settings_flink import FileSettings
from scanner_extractor.sources import file_texts
from scanner_extractor.sources.kafka_document import DOCUMENT, kafka_document, read_kafka_document
from scanner_extractor.sources.ksqldb_closing import Earlier, KnownQueries
from scanner_model.names import SourceId
from scanner_model.problems import Problem

Wrap = Callable[[Exchange], Exchange]


def _live(settings: KafkaSettings, progress: Progress) -> KafkaReading:
    from scanner_extractor.sources.kafka_admin import read_kafka

    return read_kafka(settings, progress)


def _live_offsets(settings: OffsetSettings, progress: Progress, now: datetime) -> CatalogReading:
    from scanner_extractor.sources.offsets import read_offsets

    return read_offsets(settings, progress, now=now)


def _no_pause(seconds: float) -> None:
    """Wait for nothing."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Open sources: a *replay* stands in for the network, a *recorder* keeps what it says; at most one of them.

    *brokers* and *ends* ask a cluster over the Kafka protocol; *now* is when a figure was read, *clock* measures and
    spends waits (None: the machine's). *queries* are those of ksqlDB that earlier scans know, by server. *opened* are
    the HTTP sources, for what a failed one has cost.
    """

    recorder: Recorder | None = None
    replay: Replay | None = None
    brokers: Callable[[KafkaSettings, Progress], KafkaReading] = _live
    ends: Callable[[OffsetSettings, Progress, datetime], CatalogReading] = _live_offsets
    now: Callable[[], datetime] = _utc_now
    clock: Clock | None = None
    queries: Mapping[SourceId, KnownQueries] = field(default_factory=dict)
    opened: dict[SourceId, Http] = field(default_factory=dict)

    def http(
        self, settings: HttpSettings, source: SourceId, *, live: Exchange | None = None, veil: Wrap | None = None
    ) -> Http:
        """Open an HTTP source; *live* speaks to one that is not asked over plain HTTP.

        *veil* hides secrets that only what it knows of the source can tell, before anybody sees or keeps the answers.
        """
        wraps = [wrap for wrap in (None if self.replay else veil, self.recorder and self.recorder.recording) if wrap]
        wrap = (lambda exchange: reduce(lambda inner, outer: outer(inner), wraps, exchange)) if wraps else None
        self.opened[source] = Http(settings, source, exchange=self.replay or live, wrap=wrap, clock=self.clock)
        return self.opened[source]

    def earlier(self, source: SourceId) -> Earlier:
        """Return what earlier scans know of a ksqlDB server; a replay waits for nothing."""
        pause = (self.clock or Clock()).pause
        return Earlier(queries=self.queries.get(source, {}), pause=_no_pause if self.replay else pause)

    def offsets(self, settings: OffsetSettings, progress: Progress) -> CatalogReading:
        """Ask the brokers how far topics are written; a capture holds this as one document, with its time."""
        from scanner_extractor.sources import offsets

        if self.replay:
            told = self.replay.document(settings.source, offsets.DOCUMENT)
            return offsets.read_offsets_document(told, settings.source)
        reading = self.ends(settings, progress, self.now())
        if self.recorder:
            self.recorder.record_document(settings.source, offsets.DOCUMENT, offsets.offsets_document(reading))
        return reading

    def requests(self, source: SourceId) -> int:
        """Count the requests that *source* was sent, also where it gave nothing."""
        return self.opened[source].requests if source in self.opened else 0

    def problems(self, source: SourceId) -> tuple[Problem, ...]:
        """Return what was wrong with answers of *source* that were read all the same."""
        return self.opened[source].problems if source in self.opened else ()

    def kafka(self, settings: KafkaSettings, progress: Progress) -> KafkaReading:
        """Ask the brokers; a capture holds what they said as one document, as the protocol is not HTTP."""
        if self.replay:
            return read_kafka_document(self.replay.document(settings.source, DOCUMENT), settings.source)
        reading = self.brokers(settings, progress)
        if self.recorder:
            self.recorder.record_document(settings.source, DOCUMENT, kafka_document(reading))
        return reading

    def texts(self, settings: FileSettings, source: SourceId, hide: file_texts.Hide) -> tuple[file_texts.FileText, ...]:
        """Read the files of *source*, secrets hidden; a replay has them in its capture and needs none."""
        if self.replay:
            return file_texts.read_texts_document(self.replay.document(source, file_texts.DOCUMENT), source)
        texts = file_texts.read_texts(settings, hide)
        if self.recorder:
            self.recorder.record_document(source, file_texts.DOCUMENT, file_texts.texts_document(texts))
        return texts
