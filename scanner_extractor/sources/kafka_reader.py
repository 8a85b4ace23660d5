"""Reads what the brokers answer, as confluent-kafka's classes hold it: brokers, topics, consumer groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from scanner_extractor.sources.kafka_answers import (
    BrokerAnswer,
    ClusterAnswer,
    ConfigAnswer,
    GroupAnswer,
    MembersAnswer,
    OffsetAnswer,
    TopicAnswer,
    state_of,
)
from scanner_model.brokers import broker_address
from scanner_model.errors import InputInvalid
from scanner_model.estate import ConsumerGroup, Topic
from scanner_model.names import SourceId, TopicName
from scanner_model.problems import Problem

INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})
"""The topics that brokers mark as internal (Kafka's `Topic.INTERNAL_TOPICS`), for where the mark cannot be asked."""

Config = tuple[tuple[str, str], ...]


def read_brokers(brokers: Iterable[BrokerAnswer], source: SourceId) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Give every broker's advertised address in normal form, sorted; one that is no address becomes a problem."""
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
    """Give the ids of brokers that hold replicas and are not named: they are down, because one that left holds none."""
    partitions = (each for topic in metadata.topics.values() for each in topic.partitions.values())
    return frozenset(chain.from_iterable(each.replicas for each in partitions)) - frozenset(metadata.brokers)


def read_topic(topic: TopicAnswer, source: SourceId, *, internal: bool | None = None, config: Config = ()) -> Topic:
    """Read a topic of the metadata; *internal* None: the brokers were not asked, so Kafka's own names tell.

    The replication factor is that of partition 0 (None where no partition is told).
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
    """Give the settings that differ from Kafka's defaults, on the topic or the brokers, sorted; nothing sensitive."""
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
    offsets = (str(one.topic) for one in committed if one.offset >= 0)
    return ConsumerGroup(
        source=source,
        name=listing.group_id,
        state=state_of(listing, description),
        topics=tuple(map(TopicName, sorted({*offsets, *_assigned(description)}))),
    )


def _assigned(description: MembersAnswer | None) -> Iterator[str]:
    for member in description.members if description else ():
        for assignment in (member.assignment, member.target_assignment):
            yield from (str(one.topic) for one in assignment.topic_partitions) if assignment else ()
