"""What is read from the brokers' answers, in confluent-kafka's own classes."""

from __future__ import annotations

import pytest
from confluent_kafka import ConsumerGroupState, TopicPartition
from confluent_kafka.admin import (
    BrokerMetadata,
    ConfigEntry,
    ConsumerGroupListing,
    MemberAssignment,
    MemberDescription,
    PartitionMetadata,
    TopicMetadata,
)

from scanner_extractor.systems.kafka.reader import read_brokers, read_config, read_group, read_topic
from scanner_model.names import SourceId

KAFKA = SourceId("kafka:kafka-1:9092")


def broker(host: str, port: int = 9092) -> BrokerMetadata:
    broker_metadata = BrokerMetadata()
    broker_metadata.host, broker_metadata.port = host, port
    return broker_metadata


def topic(name: str, replicas: int = 3, partitions: int = 2) -> TopicMetadata:
    topic_metadata = TopicMetadata()
    topic_metadata.topic = name
    for number in range(partitions):
        topic_metadata.partitions[number] = PartitionMetadata()
        topic_metadata.partitions[number].replicas = list(range(replicas))
    return topic_metadata


class Description:
    """The part of a group's description that is read."""

    def __init__(self, *assigned: str) -> None:
        assignment = MemberAssignment([TopicPartition(name, 0) for name in assigned])
        self.members = [MemberDescription("m", "c", "h", assignment)]


def test_every_broker_is_given_in_normal_form() -> None:
    """A lineage platform may name any of them, in any spelling."""
    addresses, problems = read_brokers([broker("Kafka-2", 9093), broker("fe80::1"), broker("kafka-1")], KAFKA)

    assert addresses == ("[fe80::1]:9092", "kafka-1:9092", "kafka-2:9093")
    assert problems == ()


def test_broker_without_an_address_is_reported() -> None:
    """A broker that advertises nothing is a mistake of its operator, not of the scan."""
    addresses, problems = read_brokers([broker("", -1), broker("kafka-1")], KAFKA)

    assert (addresses, len(problems)) == (("kafka-1:9092",), 1)


def test_topic_has_its_size_and_replication() -> None:
    """Both are facts that people search by."""
    read = read_topic(topic("orders"), KAFKA, internal=False)

    assert (read.name, read.partitions, read.replication, read.internal) == ("orders", 2, 3, False)


def test_topic_without_partitions_leaves_them_open() -> None:
    """Unknown is not zero."""
    read = read_topic(topic("orders", partitions=0), KAFKA)

    assert (read.partitions, read.replication) == (None, None)


@pytest.mark.parametrize(
    ("name", "reported", "internal"),
    [
        ("__consumer_offsets", None, True),
        ("_schemas", None, False),
        ("confluent_orders", None, False),
        ("orders", True, True),
        ("__consumer_offsets", False, False),
    ],
)
def test_internal_is_what_the_brokers_state(name, reported, internal) -> None:
    """A leading underscore is a habit of people; only Kafka's own names stand in for the mark."""
    assert read_topic(topic(name), KAFKA, internal=reported).internal is internal


def test_only_settings_that_differ_are_kept_and_none_that_are_sensitive() -> None:
    """Defaults are noise, and a secret must never reach the dictionary."""
    entries = [
        ConfigEntry("retention.ms", "1000"),
        ConfigEntry("cleanup.policy", "compact"),
        ConfigEntry("segment.ms", "1", is_default=True),
        ConfigEntry("secret", "s3cr3t", is_sensitive=True),
        ConfigEntry("nothing", None),
    ]

    assert read_config({entry.name: entry for entry in entries}) == (
        ("cleanup.policy", "compact"),
        ("retention.ms", "1000"),
    )


def test_group_has_the_topics_it_committed_and_is_assigned() -> None:
    """An idle group still consumes what it has offsets for; a new one what it is assigned."""
    listing = ConsumerGroupListing("billing", False, state=ConsumerGroupState.STABLE)
    offsets = [TopicPartition("orders", 0, 5), TopicPartition("orders", 1, 0), TopicPartition("gone", 0, -1001)]

    read = read_group(listing, KAFKA, offsets, Description("payments"))

    assert (read.name, read.state, read.topics) == ("billing", "STABLE", ("orders", "payments"))


def test_group_that_reports_nothing_is_still_a_group() -> None:
    """Old brokers list names only."""
    read = read_group(ConsumerGroupListing("billing", True), KAFKA, (), None)

    assert (read.state, read.topics) == ("", ())
