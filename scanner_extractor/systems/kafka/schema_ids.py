"""Read the schema ids of the newest records of chosen topics: the one place that receives records, for their ids only.

Confluent's serializers write the id as prefix of key and value (a zero byte and four bytes, big endian), or the GUID in
the headers `__key_schema_id` and `__value_schema_id` (a byte of value 1 and sixteen bytes). Needs READ on the topics.
Whole batches cross the wire, as brokers send nothing less; `schema_id_of` reduces a record to its id at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading, answered_with
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.settings import SchemaIdSettings
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import Role, TopicName
from scanner_model.schemas import IdAnswer, SchemaIdUse

DOCUMENT = "schema_ids"
"""The name under which a capture holds the ids."""

_LARGEST = 0x1FFF_FFFF
"""A larger number is not a registry's: its first byte is a printable character, so it would be text of a record."""

Found = tuple[IdAnswer, str]


def schema_id_of(data: bytes | None, header: bytes | None = None) -> Found:
    """Return the schema id or GUID that a key or value begins with, or that its *header* holds; never raises.

    NULL for an absent key or value, NONE where there is no id: another first byte, too few bytes, a number that no
    registry gives.
    """
    if header is not None and len(header) == 17 and header[0] == 1:
        return IdAnswer.GUID, str(UUID(bytes=header[1:]))
    for prefix in (header, data):
        if prefix is not None and len(prefix) >= 5 and prefix[0] == 0:
            number = int.from_bytes(prefix[1:5], "big")
            if 0 < number <= _LARGEST:
                return IdAnswer.ID, str(number)
    return (IdAnswer.NULL if data is None else IdAnswer.NONE), ""


_HEADERS: Mapping[Role, str] = {Role.KEY: "__key_schema_id", Role.VALUE: "__value_schema_id"}


def _ids_of(record: Any) -> dict[Role, Found]:  # noqa: ANN401 - librdkafka's Message
    """Return the id of the record's key and that of its value; the last header of a name counts, as in Kafka."""
    headers = dict(record.headers() or ())
    return {
        Role.KEY: schema_id_of(record.key(), headers.get(_HEADERS[Role.KEY])),
        Role.VALUE: schema_id_of(record.value(), headers.get(_HEADERS[Role.VALUE])),
    }


# --- which records


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which partitions are read, with the first offset and the end of each; topics read, and topics not read.

    *topics* are the matching topics with the number of their partitions, those of *refused* with no right to READ.
    *leaderless* are topics with a partition without leader; *left_out* counts topics beyond the limit. *hidden* is
    why topics may be missing from the list, empty where none is.
    """

    topics: Mapping[str, int]
    ranges: Mapping[tuple[str, int], tuple[int, int]]
    refused: frozenset[str] = frozenset()
    leaderless: frozenset[str] = frozenset()
    left_out: int = 0
    hidden: str = ""

    def described(self, settings: SchemaIdSettings) -> str:
        """Return what a scan reads in one line."""
        read, most = sorted({topic for topic, _ in self.ranges}), settings.records
        names = ", ".join(read) or "none"
        parts = [
            f"a scan reads {len(self.ranges) * most} records at most: the newest {most} of each of"
            f" {len(self.ranges)} partitions of {len(read)} topics ({names}), and keeps their schema ids only",
            *([f"{len(self.refused)} refuse READ ({_shown(self.refused)})"] if self.refused else []),
            *([f"{self.left_out} more are left out"] if self.left_out else []),
            *([self.hidden] if self.hidden else []),
        ]
        return "; ".join(parts)


def plan_of(settings: SchemaIdSettings, client: KafkaClient) -> Plan:
    """Return what would be read; no record is requested. Raises SourceRefused and SourceUnreachable."""
    listed = client.metadata().topics
    matching = sorted(name for name in listed if settings.takes(name) and listed[name].partitions)
    named = matching[: settings.most_topics]
    described = client.internal(named).answers
    topics = [name for name in named if not (name in described and described[name].is_internal)]
    rights = {name: described[name].authorized_operations for name in topics if name in described}
    refused = {name for name, granted in rights.items() if granted and "READ" not in {right.name for right in granted}}
    partitions = [(name, number) for name in topics if name not in refused for number in listed[name].partitions]
    shows_rights = any(rights.values()) or not rights  # brokers that report no rights are trusted, as for `kafka`
    offsets = client.visible(partitions) if partitions else {}
    filled = sorted(key for key, (start, end) in offsets.items() if start < end)
    ranges = {
        key: offsets[key] for _, keys in groupby(filled, itemgetter(0)) for key in list(keys)[: settings.partitions]
    }
    return Plan(
        topics={name: len(listed[name].partitions) for name in topics},
        ranges=ranges,
        refused=frozenset(refused),
        leaderless=frozenset(name for name, number in partitions if (name, number) not in offsets),
        left_out=len(matching) - len(named),
        hidden=_hidden(client.may_describe_cluster(), shows_rights=shows_rights),
    )


_HIDDEN = "topics may be hidden: the user has no right to DESCRIBE the cluster"
_UNANSWERED = "topics may be missing: the brokers did not answer DescribeCluster"


def _hidden(may_describe: bool | None, *, shows_rights: bool) -> str:
    """Return why topics may be missing from the list; empty where all are shown."""
    if may_describe is None:
        return _UNANSWERED
    return "" if may_describe or not shows_rights else _HIDDEN


def schema_id_probes(settings: SchemaIdSettings, plan: Callable[[SchemaIdSettings], str]) -> Iterator[Probe]:
    """Check which records a scan would read; no record is read."""
    yield Probe("plan which records to read", lambda: plan(settings))


def described_plan(settings: SchemaIdSettings, client: KafkaClient | None = None) -> str:
    """Return in one line which records a scan reads; raises what `plan_of` raises."""
    return plan_of(settings, client or KafkaClient(settings.kafka)).described(settings)


# --- reading them

_AT_ONCE = 200
"""Partitions that are read at the same time."""
_BYTES = 64 << 20
"""Keys and values of a scan, in all: what comes after it is not read."""
_STEPS = (1, 10, 100)
"""How far back is looked, in multiples of `records`: markers of transactions and compaction use up offsets."""

_CONSUMER: Mapping[str, Any] = {
    "isolation.level": "read_committed",
    "enable.partition.eof": True,
    "fetch.max.bytes": 4 << 20,
    "max.partition.fetch.bytes": 64 << 10,
    "queued.min.messages": 1,
    "queued.max.messages.kbytes": 1024,
    "fetch.wait.max.ms": 100,
    "statistics.interval.ms": 0,
}


def load_schema_ids(
    settings: SchemaIdSettings,
    progress: Progress,
    now: datetime,
    client: KafkaClient | None = None,
    make: Callable[..., Any] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Json:
    """Return the ids of the newest records as JSON, by topic; *make* replaces `Consumer`, *clock* counts seconds.

    Raises SourceRefused and SourceUnreachable where no broker answers, InputInvalid for properties that are not taken.
    """
    kafka = client or KafkaClient(settings.kafka)
    plan = plan_of(settings, kafka)
    reading = _Reading(plan, settings, lambda done: progress(settings.source, done, len(plan.ranges)), clock)
    if plan.ranges:
        consumer = kafka.consumer(_CONSUMER, make)
        try:
            reading.read(consumer)
        finally:
            consumer.close()
    topics = [reading.document(name) for name in plan.topics]  # a name as key may look like that of a secret
    bounds = {"left_out": plan.left_out, "hidden": plan.hidden}
    return {"at": now.isoformat(timespec="seconds"), **bounds, "topics": topics}


@dataclass(slots=True)
class _Reading:
    """Reads the partitions of a plan; keeps ids, counts and places of records, and nothing else of them."""

    plan: Plan
    settings: SchemaIdSettings
    progress: Callable[[int], None]
    clock: Callable[[], float]
    counts: dict[tuple[str, int], int] = field(default_factory=dict)
    found: dict[tuple[str, Role, IdAnswer, str], list[int]] = field(default_factory=dict)
    """Count, time in milliseconds, offset and partition of the newest, by topic, side and id."""
    failures: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    received: int = 0

    def read(self, consumer: Any) -> None:  # noqa: ANN401 - librdkafka's Consumer, or a fake
        """Read every partition of the plan, a part of them at a time, until the time or the bytes are used up."""
        until = self.clock() + self.settings.seconds
        keys = list(self.plan.ranges)
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            for step in _STEPS:
                places = {key: place for key in part if (place := self._place(key, step)) is not None}
                unread = self._read_from(consumer, places, until) if places else set()
                for topic, _ in unread:
                    self.failures.setdefault(topic, self._limit())

    def _place(self, key: tuple[str, int], step: int) -> int | None:
        """Return where to begin; None where records were found, or an earlier step began at the first offset."""
        (first, end), back = self.plan.ranges[key], self.settings.records * step
        exhausted = step > 1 and end - back // 10 <= first
        if self.counts.get(key) or exhausted or key[0] in self.failures or key[0] in self.refused:
            return None
        return max(first, end - back)

    def _limit(self) -> str:
        if self.received >= _BYTES:
            return f"{_BYTES >> 20} MB were received"
        return f"{self.settings.seconds} s were over"

    def _read_from(self, consumer: Any, places: Mapping[tuple[str, int], int], until: float) -> set[tuple[str, int]]:  # noqa: ANN401
        """Read from *places* on; return the partitions that are left when the time or the bytes are used up."""
        from confluent_kafka import KafkaError, TopicPartition  # noqa: PLC0415 - as in KafkaClient

        waiting = set(places)
        consumer.assign([TopicPartition(topic, number, place) for (topic, number), place in places.items()])
        while waiting and self.clock() < until and self.received < _BYTES:
            for message in consumer.consume(num_messages=100, timeout=0.2):
                key = message.topic(), message.partition()
                error = message.error()
                if error is None:
                    if key in waiting and self._take(key, message):
                        waiting.discard(key)
                        consumer.pause([TopicPartition(*key)])
                elif error.code() == KafkaError._PARTITION_EOF:
                    waiting.discard(key)
                elif error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                    self.refused.add(key[0])
                    waiting = {other for other in waiting if other[0] != key[0]}
                elif key in waiting:
                    self.failures[key[0]] = error.name()
                    waiting.discard(key)
            self.progress(len(self.counts))
        consumer.unassign()
        return waiting

    def _take(self, key: tuple[str, int], record: Any) -> bool:  # noqa: ANN401 - librdkafka's Message
        """Keep the ids of a record; return whether its partition is done."""
        topic, partition = key
        self.received += len(record.key() or b"") + len(record.value() or b"")
        milliseconds, offset = max(record.timestamp()[1], -1), record.offset()
        for role, (answer, identifier) in _ids_of(record).items():
            place = self.found.setdefault((topic, role, answer, identifier), [0, -1, -1, -1])
            newest = max((place[1], place[2], place[3]), (milliseconds, offset, partition))
            place[:] = [place[0] + 1, *newest]
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key] >= self.settings.records or offset + 1 >= self.plan.ranges[key][1]

    def document(self, topic: str) -> Json:
        """Return what was found in a topic as JSON."""
        read = {key for key in self.plan.ranges if key[0] == topic}
        records = sum(self.counts.get(key, 0) for key in read)
        status, why = self._status(topic, records)
        rows = sorted((*key[1:], *place) for key, place in self.found.items() if key[0] == topic)
        numbers = {"partitions": self.plan.topics[topic], "read": len(read), "records": records}
        return {
            "topic": topic,
            "status": status,
            "why": why,
            **numbers,
            "found": [list(map(_plain, row)) for row in rows],
        }

    def _status(self, topic: str, records: int) -> tuple[str, str]:
        if topic in self.plan.refused or topic in self.refused:
            return IdAnswer.REFUSED.value, "the user may not READ it"
        if why := self.failures.get(topic, "a partition has no leader" if topic in self.plan.leaderless else ""):
            return IdAnswer.UNREAD.value, why
        return ("read" if records else IdAnswer.EMPTY.value), ""


def _plain(cell: object) -> object:
    return cell.value if isinstance(cell, Role | IdAnswer) else cell


# --- what they show


def read_schema_ids(document: Json, settings: SchemaIdSettings) -> Reading:
    """Return what the newest records show; raises InputInvalid for a damaged capture."""
    try:
        topics: Mapping[str, Any] = {str(topic["topic"]): topic for topic in document["topics"]}
        uses = tuple(use for name, topic in topics.items() for use in _uses(TopicName(name), topic, settings))
        partial, remarks = [*_failures(topics, settings, document)], [*_remarks(topics, settings)]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid("damaged document in the capture", where=str(settings.source), hint=hint) from error
    return Reading(
        outcome=answered_with(
            partial, settings.source, "schema_ids", sum(topic["records"] for topic in topics.values())
        ),
        facts=uses,
        problems=(*partial, *remarks),
    )


def _uses(name: TopicName, topic: Mapping[str, Any], settings: SchemaIdSettings) -> Iterator[SchemaIdUse]:
    if topic["status"] != "read":
        answer = IdAnswer(topic["status"])
        yield SchemaIdUse(source=settings.source, topic=name, role="", answer=answer, detail=topic["why"])
    for role, answer, identifier, records, milliseconds, offset, partition in topic["found"]:
        moment = _iso(milliseconds)
        at = f" at {moment}" if moment else ""
        yield SchemaIdUse(
            source=settings.source,
            topic=name,
            role=Role(role).value,
            answer=IdAnswer(answer),
            identifier=str(identifier),
            records=int(records),
            partition=int(partition),
            offset=int(offset),
            time=moment,
            since=f"partition {int(partition)} offset {int(offset)}{at}",
        )


def _iso(milliseconds: int) -> str:
    """Return a time as ISO 8601; empty if absent, or no calendar has it."""
    try:
        return (
            "" if milliseconds < 0 else datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")
        )
    except (OverflowError, ValueError):
        return ""


_PAGE = "see docs/sources/schema-ids.md"


def _failures(topics: Mapping[str, Any], settings: SchemaIdSettings, document: Json) -> Iterator[Problem]:
    """Yield what was not read, by reason: refused topics, half read ones, hidden ones, those beyond the limit."""
    source = str(settings.source)
    failed = sorted((topic["why"], name) for name, topic in topics.items() if topic["status"] in _FAILED)
    for why, rows in groupby(failed, itemgetter(0)):
        names = [name for _, name in rows]
        yield Problem(source, f"{len(names)} topics were not read completely: {why} ({_shown(names)})", _PAGE)
    if document["hidden"]:
        yield Problem(source, document["hidden"] if isinstance(document["hidden"], str) else _HIDDEN, _PAGE)
    if left_out := int(document["left_out"]):
        what = f"{left_out} topics match and are beyond `max_topics`: their schema ids are unknown"
        yield Problem(source, what, "raise `max_topics`, or name fewer topics")


_FAILED = frozenset({IdAnswer.REFUSED.value, IdAnswer.UNREAD.value})


def _remarks(topics: Mapping[str, Any], settings: SchemaIdSettings) -> Iterator[Problem]:
    """Yield what the records do not show: no topic, no record, no value, no id."""
    source = str(settings.source)
    if not topics:
        yield Problem(source, "no topic that is visible matches `observe_schema_ids.topics`", "check names and rights")
    kinds = {name: {row[1] for row in topic["found"] if row[0] == Role.VALUE.value} for name, topic in topics.items()}
    empty = [name for name, topic in topics.items() if topic["status"] == IdAnswer.EMPTY.value]
    null = [name for name, found in kinds.items() if found == {IdAnswer.NULL.value}]
    none = [name for name, found in kinds.items() if found and found <= {IdAnswer.NONE.value, IdAnswer.NULL.value}]
    newest = f"the newest {settings.records} records of each partition"
    if empty:
        yield Problem(source, f"{len(empty)} topics have no record to look at ({_shown(empty)})")
    if null:
        yield Problem(source, f"{newest} of {len(null)} topics have no value, they are tombstones ({_shown(null)})")
    if named := [name for name in none if name not in null]:
        yield Problem(source, f"no schema id in {newest} of {len(named)} topics ({_shown(named)})")


def _shown(names: Iterable[str]) -> str:
    listed: Sequence[str] = sorted(names)
    return ", ".join(listed[:5]) + (", …" if len(listed) > 5 else "") or "none"
