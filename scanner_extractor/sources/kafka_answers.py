"""The parts of confluent-kafka's answers that we use: it types them loosely, and tests build their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Protocol


class KafkaFailure(Protocol):
    """An error of librdkafka or of a broker (`KafkaError`)."""

    def name(self) -> str:
        """Give the code's name, as in `_TRANSPORT`."""

    def str(self) -> str:
        """Give the reason in words."""


class BrokerAnswer(Protocol):
    """A broker's advertised address (`BrokerMetadata`)."""

    host: Any
    port: int


class PartitionAnswer(Protocol):
    """A partition and the ids of the brokers that hold it (`PartitionMetadata`)."""

    replicas: Sequence[int]


class TopicAnswer(Protocol):
    """A topic (`TopicMetadata`)."""

    topic: Any
    partitions: Mapping[int, PartitionAnswer]
    error: Any


class ClusterAnswer(Protocol):
    """What a metadata request tells (`ClusterMetadata`)."""

    cluster_id: Any
    brokers: Mapping[int, Any]
    topics: Mapping[str, Any]


class DescriptionAnswer(Protocol):
    """What brokers say of a topic beyond its metadata (`TopicDescription`)."""

    is_internal: bool
    authorized_operations: Sequence[Any] | None


class ConfigAnswer(Protocol):
    """One setting of a topic or a broker (`ConfigEntry`); the value of a sensitive one is hidden by the broker."""

    value: str | None
    is_default: bool
    is_sensitive: bool


class OffsetAnswer(Protocol):
    """A topic's partition and an offset in it, negative where there is none (`TopicPartition`)."""

    topic: str
    offset: int


class GroupAnswer(Protocol):
    """A consumer group in a list (`ConsumerGroupListing`)."""

    group_id: str


class MembersAnswer(Protocol):
    """A consumer group's members and what they are assigned (`ConsumerGroupDescription`)."""

    members: Sequence[Any]


def state_of(*answers: object) -> str:
    """Give the first state that one of *answers* tells, as librdkafka's word; old versions leave it out."""
    states = (getattr(answer, "state", None) for answer in answers)
    return next((state.name for state in states if isinstance(state, Enum)), "")
