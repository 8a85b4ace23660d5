"""Brokers with records, as confluent-kafka's AdminClient and Consumer show them: what `schema_ids` may see of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from confluent_kafka import KafkaError
from confluent_kafka.admin import (
    AclOperation,
    BrokerMetadata,
    ClusterMetadata,
    ListOffsetsResultInfo,
    PartitionMetadata,
    TopicMetadata,
)

READABLE = (AclOperation.DESCRIBE, AclOperation.READ)


@dataclass(frozen=True, kw_only=True)
class Record:
    """A record; a marker of a transaction takes an offset and is given to nobody."""

    data: bytes | None = None
    key_data: bytes | None = None
    header_list: tuple[tuple[str, bytes | None], ...] | None = None
    at: int = 1_700_000_000_000
    marker: bool = False


class Message:
    """A message of a consumer: of a record, or an error."""

    def __init__(self, place: tuple[str | None, int, int], record: Record | None, code: int | None = None) -> None:
        self._place, self._record, self._code = place, record or Record(), code

    def error(self) -> KafkaError | None:
        return None if self._code is None else KafkaError(self._code)

    def topic(self) -> str | None:
        return self._place[0]

    def partition(self) -> int:
        return self._place[1]

    def offset(self) -> int:
        return self._place[2]

    def value(self) -> bytes | None:
        return self._record.data

    def key(self) -> bytes | None:
        return self._record.key_data

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return None if self._record.header_list is None else list(self._record.header_list)

    def timestamp(self) -> tuple[int, int]:
        return 1, self._record.at


@dataclass
class RecordBrokers:
    """Topics with the records of their partitions, from offset 0 or *first* on.

    *rights* are those of topics where they are not all; *refuses* are topics whose records are refused when they are
    fetched, *silent* those that give none. *leaderless* are (topic, partition) pairs. *assigned* are the places that
    the consumer read from, *given* counts records that it was given.
    """

    topics: Mapping[str, Sequence[Sequence[Record]]]
    rights: Mapping[str, Sequence[AclOperation]] = field(default_factory=dict)
    refuses: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    leaderless: frozenset[tuple[str, int]] = frozenset()
    internal: frozenset[str] = frozenset()
    may_describe: bool = True
    first: int = 0
    extra: list[Message] = field(default_factory=list)
    assigned: list[list[tuple[str, int, int]]] = field(default_factory=list)
    given: int = 0
    closed: bool = False
    properties: dict[str, Any] = field(default_factory=dict)
    _queues: dict[tuple[str, int], list[Message]] = field(default_factory=dict)

    def admin(self, properties: dict[str, Any], logger: object) -> RecordBrokers:
        return self

    def list_topics(self, timeout: float) -> ClusterMetadata:
        metadata, broker = ClusterMetadata(), BrokerMetadata()
        broker.host, broker.port = "kafka-1", 9092
        metadata.cluster_id, metadata.brokers, metadata.topics = "abc", {1: broker}, {}
        for name, partitions in self.topics.items():
            topic = metadata.topics[name] = TopicMetadata()
            topic.topic, topic.partitions = name, {number: PartitionMetadata() for number in range(len(partitions))}
        return metadata

    def describe_cluster(self, **_: Any) -> Future[Any]:
        operations = [AclOperation.DESCRIBE] if self.may_describe else []
        return settled(SimpleNamespace(authorized_operations=operations))

    def describe_topics(self, topics: Any, **_: Any) -> dict[str, Future[Any]]:
        return {
            name: settled(
                SimpleNamespace(
                    is_internal=name in self.internal, authorized_operations=self.rights.get(name, READABLE)
                )
            )
            for name in topics.topic_names
        }

    def list_offsets(self, wanted: Mapping[Any, Any], **options: Any) -> dict[Any, Future[Any]]:
        def offset(place: Any, which: Any) -> int:
            if (place.topic, place.partition) in self.leaderless:
                return -1
            earliest = type(which).__name__ == "EarliestSpec" or which._value == -2
            return self.first + (0 if earliest else len(self.topics[place.topic][place.partition]))

        return {place: settled(ListOffsetsResultInfo(offset(place, which), 0, 0)) for place, which in wanted.items()}

    def consumer(self, properties: dict[str, Any], logger: object) -> RecordBrokers:
        self.properties = properties
        return self

    def assign(self, places: Sequence[Any]) -> None:
        self.assigned.append([(place.topic, place.partition, place.offset) for place in places])
        self._queues = {
            (place.topic, place.partition): self._messages(place) for place in places if place.topic not in self.silent
        }

    def _messages(self, place: Any) -> list[Message]:
        if place.topic in self.refuses:
            return [Message((place.topic, place.partition, -1), None, KafkaError.TOPIC_AUTHORIZATION_FAILED)]
        numbered = enumerate(self.topics[place.topic][place.partition], self.first)
        records = [
            Message((place.topic, place.partition, offset), record)
            for offset, record in numbered
            if offset >= place.offset and not record.marker
        ]
        return [*records, Message((place.topic, place.partition, -1), None, KafkaError._PARTITION_EOF)]

    def consume(self, num_messages: int, timeout: float) -> list[Message]:
        taken, self.extra = self.extra, []
        for queue in self._queues.values():
            if queue:
                taken.append(queue.pop(0))
        self.given += sum(message.error() is None for message in taken)
        return taken

    def pause(self, places: Sequence[Any]) -> None:
        for place in places:
            self._queues.pop((place.topic, place.partition), None)

    def unassign(self) -> None:
        self._queues = {}

    def close(self) -> None:
        self.closed = True


def settled(value: object) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future
