"""Convert confluent-kafka's objects to facts: brokers, topics, consumer groups."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from ipaddress import ip_address
from itertools import chain
from typing import Any, Protocol

from scanner_model.errors import InputInvalid, Problem
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.names import SourceId, TopicName, broker_address


class KafkaFailure(Protocol):
    """An error of librdkafka or of a broker (`KafkaError`)."""

    def name(self) -> str:
        """Return the code's name, as in `_TRANSPORT`."""

    def str(self) -> str:
        """Return the reason in words."""


class BrokerAnswer(Protocol):
    """A broker's advertised address (`BrokerMetadata`)."""

    host: Any
    port: int


class PartitionAnswer(Protocol):
    """A partition, its leader (negative: none), and the ids of the brokers that hold it (`PartitionMetadata`)."""

    leader: int
    replicas: Sequence[int]


class TopicAnswer(Protocol):
    """A topic (`TopicMetadata`)."""

    topic: Any
    partitions: Mapping[int, PartitionAnswer]
    error: Any


class ClusterAnswer(Protocol):
    """A metadata response (`ClusterMetadata`)."""

    cluster_id: Any
    brokers: Mapping[int, Any]
    topics: Mapping[str, Any]


class DescriptionAnswer(Protocol):
    """A topic description beyond its metadata (`TopicDescription`)."""

    is_internal: bool
    authorized_operations: Sequence[Any] | None


class ConfigAnswer(Protocol):
    """One setting of a topic or a broker (`ConfigEntry`); the value of a sensitive one is hidden by the broker."""

    value: str | None
    is_default: bool
    is_sensitive: bool


class OffsetAnswer(Protocol):
    """A topic's partition and an offset in it, negative if unknown (`TopicPartition`)."""

    topic: str
    offset: int


class GroupAnswer(Protocol):
    """A consumer group in a list (`ConsumerGroupListing`)."""

    group_id: str


class MembersAnswer(Protocol):
    """A consumer group's members and what they are assigned (`ConsumerGroupDescription`)."""

    members: Sequence[Any]


def state_of(*answers: object) -> str:
    """Return the first state in *answers*, in librdkafka's terms; old versions omit it."""
    states = (getattr(answer, "state", None) for answer in answers)
    return next((state.name for state in states if isinstance(state, Enum)), "")


_LISTENER = re.compile(r"\s*([^:/\s]+)://(\[[^\]]+\]|[^:/\[\]\s]+):(0*[1-9][0-9]*)\s*")


def listener_addresses(settings: Iterable[Mapping[str, ConfigAnswer]], known: Collection[str]) -> tuple[str, ...]:
    """Return the addresses of all listeners beyond *known*, in normal form, sorted; invalid addresses are left out.

    *settings* are those of the brokers that returned them, *known* the addresses of the metadata: of the one
    listener that was queried. A loopback address counts only where *known* has one too. Read are
    `advertised.listeners`, without them `listeners`, without `controller.listener.names` (Kafka's broker
    configurations).
    """
    addresses = {address for entries in settings for address in _addresses(entries)} - set(known)
    # Elsewhere, another machine's loopback would claim an address that every machine has.
    local = any(map(_is_loopback, known))
    return tuple(sorted(address for address in addresses if local or not _is_loopback(address)))


def _addresses(entries: Mapping[str, ConfigAnswer]) -> Iterator[str]:
    listeners = _value(entries, "advertised.listeners") or _value(entries, "listeners")
    controllers = {name.strip().lower() for name in _value(entries, "controller.listener.names").split(",")}
    for match in filter(None, map(_LISTENER.fullmatch, listeners.split(","))):
        name, host, port = match.groups()
        if name.lower() in controllers or _is_wildcard(host):
            continue
        try:
            yield broker_address(f"{host}:{port}")
        except InputInvalid:
            continue


def _value(entries: Mapping[str, ConfigAnswer], name: str) -> str:
    return (entries[name].value or "") if name in entries else ""


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_wildcard(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False


INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})
"""The topics marked as internal (Kafka's `Topic.INTERNAL_TOPICS`), for brokers that do not report the flag."""

Config = tuple[tuple[str, str], ...]


def read_brokers(brokers: Iterable[BrokerAnswer], source: SourceId) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return every broker's advertised address in normal form, sorted; an invalid one becomes a problem."""
    addresses: set[str] = set()
    problems: set[Problem] = set()
    for broker in brokers:
        host = f"[{broker.host}]" if ":" in str(broker.host) else broker.host
        try:
            addresses.add(broker_address(f"{host}:{broker.port}"))
        except InputInvalid as error:
            problems.add(Problem(str(source), f"a broker advertises an address that cannot be used: {error.what}"))
    return tuple(sorted(addresses)), tuple(sorted(problems))


def unnamed_brokers(metadata: ClusterAnswer) -> frozenset[int]:
    """Return the ids of brokers that hold replicas and are missing from the metadata: they are down."""
    partitions = (partition for topic in metadata.topics.values() for partition in topic.partitions.values())
    return frozenset(chain.from_iterable(partition.replicas for partition in partitions)) - frozenset(metadata.brokers)


def read_topic(topic: TopicAnswer, source: SourceId, *, internal: bool | None = None, config: Config = ()) -> Topic:
    """Read a topic of the metadata; *internal* None: not known from the brokers, so decided by Kafka's own topic names.

    The replication factor is that of partition 0 (None where no partition is reported).
    """
    partitions = [topic.partitions[number] for number in sorted(topic.partitions)]
    return Topic(
        source=source,
        name=TopicName(str(topic.topic)),
        partitions=len(partitions) or None,
        replication=len(partitions[0].replicas) or None if partitions else None,
        internal=topic.topic in INTERNAL_TOPICS if internal is None else internal,
        config=config,
    )


def read_config(entries: Mapping[str, ConfigAnswer]) -> Config:
    """Return the settings that differ from Kafka's defaults, on the topic or the brokers, sorted; nothing sensitive."""
    return tuple(
        (name, str(entry.value))
        for name, entry in sorted(entries.items())
        if not entry.is_default and not entry.is_sensitive and entry.value is not None
    )


def read_group(
    listing: GroupAnswer,
    source: SourceId,
    committed: Iterable[OffsetAnswer],
    description: MembersAnswer | None,
) -> ConsumerGroup:
    """Read a consumer group: the topics that it has offsets for, and those that its members are assigned now."""
    offsets = (str(offset.topic) for offset in committed if offset.offset >= 0)
    return ConsumerGroup(
        source=source,
        name=listing.group_id,
        state=state_of(listing, description),
        topics=tuple(map(TopicName, sorted({*offsets, *_assigned(description)}))),
    )


def is_unassigned(listing: GroupAnswer, description: MembersAnswer | None) -> bool:
    """Return whether a group is in a rebalance and its members have no assignment yet."""
    state = state_of(listing, description).upper()
    rebalances = "REBALANC" in state or state in ("ASSIGNING", "RECONCILING")
    return rebalances and bool(description and description.members) and not any(_assigned(description))


def _assigned(description: MembersAnswer | None) -> Iterator[str]:
    for member in description.members if description else ():
        for assignment in (member.assignment, member.target_assignment):
            yield from (str(partition.topic) for partition in assignment.topic_partitions) if assignment else ()
