"""How a scan reaches its sources: live, live and recorded, or from a capture without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import reduce
from typing import TYPE_CHECKING, TypeVar

from scanner_extractor import job_files as file_texts
from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import Progress, Reading
from scanner_extractor.scan.documents import (
    DATABASE_DOCUMENT,
    KAFKA_DOCUMENT,
    database_document,
    kafka_document,
    read_database_document,
    read_kafka_document,
)
from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings, OffsetSettings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.kafka.admin import (
    OFFSETS_DOCUMENT,
    load_acls,
    offsets_document,
    read_kafka,
    read_offsets,
    read_offsets_document,
)
from scanner_extractor.systems.kafka.admin import probe as probe_brokers
from scanner_extractor.systems.ksqldb.queries import Earlier, KnownQueries
from scanner_model.errors import Problem
from scanner_model.lazy_names import deferred
from scanner_model.names import SourceId

if TYPE_CHECKING:
    from scanner_extractor.systems.databases.settings import DatabaseSettings
    from scanner_extractor.systems.kafka.settings import AclSettings, BrokerClientSettings, SchemaIdSettings

read_database = deferred("scanner_extractor.systems.databases.client:read_database")
load_clients = deferred("scanner_extractor.systems.kafka.clients:load_clients")
load_schema_ids = deferred("scanner_extractor.systems.kafka.schema_ids:load_schema_ids")
R = TypeVar("R")

Wrap = Callable[[Transport], Transport]


def _read_ends(settings: OffsetSettings, progress: Progress, now: datetime) -> Reading:
    return read_offsets(settings, progress, now=now)


def _no_pause(seconds: float) -> None:
    """Wait for nothing."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """Open sources: a *replay* or a *transport* replaces the network, a *recorder* stores its responses.

    At most one of the three is set. *brokers*, *ends*, *probe*, *acls*, *clients* and *schema_ids* request topics, end
    offsets, metadata, rules of access, transactions and groups, and records over the Kafka protocol. *now* is the time
    of a metric, *clock* measures and spends waits (None: the machine's). *queries* are those of ksqlDB known from
    earlier scans, by server, and *missing* those that its last answer lacked; *groups* are the known consumer groups.
    *opened* are the HTTP sources, to count
    their requests.
    """

    recorder: Recorder | None = None
    replay: Replay | None = None
    transport: Transport | None = None
    brokers: Callable[..., Reading] = read_kafka
    ends: Callable[[OffsetSettings, Progress, datetime], Reading] = _read_ends
    probe: Callable[[KafkaSettings], str] = probe_brokers
    acls: Callable[[AclSettings], Json] = load_acls
    clients: Callable[[BrokerClientSettings, datetime], Json] = load_clients
    schema_ids: Callable[[SchemaIdSettings, Progress, datetime], Json] = load_schema_ids
    now: Callable[[], datetime] = _utc_now
    clock: Clock | None = None
    queries: Mapping[SourceId, KnownQueries] = field(default_factory=dict)
    missing: Mapping[SourceId, frozenset[str]] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()
    opened: dict[SourceId, Http] = field(default_factory=dict)

    def http(
        self, settings: HttpSettings, source: SourceId, *, live: Transport | None = None, mask: Wrap | None = None
    ) -> Http:
        """Open an HTTP source; *live* sends the requests of one that is not reached over plain HTTP.

        *mask* hides secrets that only the source itself declares, before a response is read or recorded.
        """
        wraps = [wrap for wrap in (None if self.replay else mask, self.recorder and self.recorder.recording) if wrap]
        wrap = (lambda exchange: reduce(lambda inner, outer: outer(inner), wraps, exchange)) if wraps else None
        self.opened[source] = Http(
            settings, source, exchange=self.replay or self.transport or live, wrap=wrap, clock=self.clock
        )
        return self.opened[source]

    def earlier(self, source: SourceId) -> Earlier:
        """Return the queries of a ksqlDB server known from earlier scans; a replay does not wait."""
        pause = (self.clock or Clock()).pause
        return Earlier(
            queries=self.queries.get(source, {}),
            missing=self.missing.get(source, frozenset()),
            pause=_no_pause if self.replay else pause,
        )

    def offsets(self, settings: OffsetSettings, progress: Progress) -> Reading:
        """Read the end offsets of topics; a capture holds them as one document, with its time."""
        if self.replay:
            document = self.replay.document(settings.source, OFFSETS_DOCUMENT)
            return read_offsets_document(document, settings.source)
        reading = self.ends(settings, progress, self.now())
        if self.recorder:
            self.recorder.record_document(settings.source, OFFSETS_DOCUMENT, offsets_document(reading))
        return reading

    def requests(self, source: SourceId) -> int:
        """Count the requests that *source* was sent, also where it gave nothing."""
        return self.opened[source].requests if source in self.opened else 0

    def problems(self, source: SourceId) -> tuple[Problem, ...]:
        """Return the problems of responses of *source* that were read nevertheless."""
        return self.opened[source].problems if source in self.opened else ()

    def kafka(self, settings: KafkaSettings, progress: Progress) -> Reading:
        """Read topics and groups from the brokers; a capture holds the result as one document, as it is not HTTP."""
        if self.replay:
            return read_kafka_document(self.replay.document(settings.source, KAFKA_DOCUMENT), settings.source)
        known = {"known": self.groups} if self.groups else {}
        reading = self.brokers(settings, progress, **known)
        if self.recorder:
            self.recorder.record_document(settings.source, KAFKA_DOCUMENT, kafka_document(reading))
        return reading

    def database(self, settings: DatabaseSettings, progress: Progress) -> Reading:
        """Read the tables of a database; a capture holds the result as one document, as it is not HTTP."""
        name = DATABASE_DOCUMENT
        if self.replay:
            document = self.replay.document(settings.source, name)
            return read_database_document(document, settings.source)
        reading: Reading = read_database(settings, progress)
        if self.recorder:
            self.recorder.record_document(settings.source, name, database_document(reading))
        return reading

    def reading(
        self,
        source: SourceId,
        name: str,
        read: Callable[[], R],
        write: Callable[[R], Json],
        parse: Callable[[Json, SourceId], R],
    ) -> R:
        """Return what *read* returns; a capture holds it as *write* has it, the document *name*, for *parse*."""
        if self.replay:
            return parse(self.replay.document(source, name), source)
        reading = read()
        if self.recorder:
            self.recorder.record_document(source, name, write(reading))
        return reading

    def document(self, source: SourceId, name: str, load: Callable[[], Json]) -> Json:
        """Return what *load* returns, which a capture holds as the document *name*; a replay needs no file."""
        if self.replay:
            return self.replay.document(source, name)
        document = load()
        if self.recorder:
            self.recorder.record_document(source, name, document)
        return document

    def texts(self, settings: FileSettings, source: SourceId, hide: file_texts.Hide) -> tuple[file_texts.FileText, ...]:
        """Read the files of *source*, secrets hidden; a replay has them in its capture and needs none."""
        if self.replay:
            return file_texts.read_texts_document(self.replay.document(source, file_texts.DOCUMENT), source)
        texts = file_texts.read_texts(settings, hide)
        if self.recorder:
            self.recorder.record_document(source, file_texts.DOCUMENT, file_texts.texts_document(texts))
        return texts
