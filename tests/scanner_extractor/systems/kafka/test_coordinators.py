"""Groups that coordinators do not list yet: after a restart of a broker, its list is short, without an error."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import Future
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupState, KafkaError, KafkaException
from confluent_kafka.admin import ConsumerGroupListing, ListConsumerGroupsResult, PartitionMetadata, TopicMetadata

from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.admin import read_kafka
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.coordinators import OFFSETS_TOPIC, invented_names, partition_of
from scanner_model.kafka import ConsumerGroup
from scanner_model.scan import SourceStatus
from tests.scanner_extractor.systems.kafka.test_admin import Brokers, Described, settled

LOADING = KafkaError(KafkaError.COORDINATOR_LOAD_IN_PROGRESS)
MOVED = KafkaError(KafkaError.NOT_COORDINATOR)
REFUSED = KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED)
NOT_FOUND = KafkaError(69)


class Group(Described):
    """A description with a state."""

    def __init__(self, state: ConsumerGroupState) -> None:
        super().__init__()
        self.state = state


class Coordinators(Brokers):
    """Brokers with an offsets topic, whose partitions are loaded or answer with an error.

    *groups* exist, *unloaded* gives the answer of partitions that are not loaded, *moves* are groups that the list
    lacks although they are loaded when their coordinator is asked.
    """

    def __init__(
        self,
        *groups: str,
        partitions: int = 10,
        unloaded: Mapping[int, KafkaError] | None = None,
        moves: Collection[str] = (),
        topics: Collection[str] = ("orders", OFFSETS_TOPIC),
        absent: KafkaError | None = None,
        leaderless: Collection[int] = (),
    ) -> None:
        super().__init__(*topics)
        self.groups, self.partitions, self.moves = groups, partitions, moves
        self.unloaded, self.absent, self.leaderless = unloaded or {}, absent, leaderless
        self.described: list[list[str]] = []

    def _topic(self, name: str) -> TopicMetadata:
        topic = super()._topic(name)
        if name == OFFSETS_TOPIC:
            topic.partitions = {number: PartitionMetadata() for number in range(self.partitions)}
            for number, partition in topic.partitions.items():
                partition.replicas, partition.leader = [1], -1 if number in self.leaderless else 1
        return topic

    def list_consumer_groups(self, request_timeout: float) -> Future[Any]:
        listed = [
            ConsumerGroupListing(name, False)
            for name in self.groups
            if name not in self.moves and partition_of(name, self.partitions) not in self.unloaded
        ]
        return settled(ListConsumerGroupsResult(valid=listed, errors=[]))

    def describe_consumer_groups(self, names: list[str], request_timeout: float) -> dict[str, Future[Any]]:
        self.described.append(names)
        return {name: settled(self._description(name)) for name in names}

    def _description(self, name: str) -> Group | KafkaError:
        partition = partition_of(name, self.partitions)
        if partition in self.unloaded:
            return self.unloaded[partition]
        if name in self.groups:
            return Group(ConsumerGroupState.EMPTY)
        return self.absent or Group(ConsumerGroupState.DEAD)


def read(brokers: Coordinators, known: Collection[str] = ()) -> Reading:
    settings = KafkaSettings(brokers=("kafka-1:9092",), timeout=0.2)
    return read_kafka(settings, no_progress, KafkaClient(settings, brokers), known=known)


@pytest.mark.parametrize(
    ("group", "java"),
    [("", 0), ("billing", -109829509), ("nightly-report", -490373028), ("Größe", 69209585), ("\U0001f600", 1772899)],
)
def test_partition_of_a_group_is_that_of_java(group: str, java: int) -> None:
    """Brokers clear the sign of `String.hashCode`; the figures are Java's."""
    assert partition_of(group, 50) == (java & 0x7FFF_FFFF) % 50


@pytest.mark.parametrize("partitions", [1, 5, 50, 200])
def test_invented_names_fall_on_every_partition(partitions: int) -> None:
    """One name each, in the order of the partitions."""
    names = invented_names(partitions)

    assert [partition_of(name, partitions) for name in names] == list(range(partitions))


@pytest.mark.parametrize("answer", [LOADING, MOVED, KafkaError(KafkaError._TIMED_OUT)])
@pytest.mark.parametrize("known", [(), ("billing", "shipping")])
def test_list_of_brokers_that_load_their_groups_is_incomplete(answer: KafkaError, known: Collection[str]) -> None:
    """Empty and without an error: still nothing may be marked as deleted, whether groups are known or not."""
    reading = read(Coordinators("billing", "shipping", unloaded=dict.fromkeys(range(10), answer)), known)

    assert (reading.of(ConsumerGroup), reading.outcome.status) == ((), SourceStatus.PARTIAL)
    assert reading.outcome.unread == frozenset()
    assert f"10 of 10 partitions of __consumer_offsets are not loaded: {answer.name()}" in reading.outcome.reason
    assert reading.outcome.hint


def test_one_partition_that_is_not_loaded_is_enough() -> None:
    """In a rolling restart, one broker after the other has this gap."""
    unloaded = {partition_of("billing", 10): LOADING}
    reading = read(Coordinators("billing", "shipping", unloaded=unloaded))

    assert [group.name for group in reading.of(ConsumerGroup)] == ["shipping"]
    assert reading.outcome.status is SourceStatus.PARTIAL
    assert "consumer groups may be missing from the brokers' list: 1 of 10" in reading.outcome.reason


@pytest.mark.parametrize("absent", [None, NOT_FOUND])
def test_group_that_its_coordinator_denies_is_deleted(absent: KafkaError | None) -> None:
    """A loaded coordinator says that it is dead, since Kafka 4.0 that it does not exist."""
    reading = read(Coordinators("shipping", absent=absent), known=["billing", "shipping"])

    assert [group.name for group in reading.of(ConsumerGroup)] == ["shipping"]
    assert (reading.outcome.status, reading.problems) == (SourceStatus.READ, ())


def test_known_group_that_exists_and_is_not_listed_is_not_deleted() -> None:
    """Its partition moved to another broker between the answers."""
    reading = read(Coordinators("billing", "shipping", moves=["billing"]), known=["billing", "shipping"])

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert "1 known groups are missing from the list, but not deleted (billing: EMPTY)" in reading.outcome.reason


def test_without_the_offsets_topic_known_groups_are_asked() -> None:
    """The user may not see the topic: no name can be invented for its partitions."""
    unloaded = dict.fromkeys(range(10), LOADING)
    brokers = Coordinators("billing", unloaded=unloaded, topics=["orders"])

    assert read(brokers, known=["billing"]).outcome.status is SourceStatus.PARTIAL
    assert brokers.described == [["billing"]]


def test_right_to_describe_some_groups_only_is_enough() -> None:
    """Invented names are refused to such a user, which says nothing about the list; known ones are not."""
    refused = {number: REFUSED for number in range(10) if number != partition_of("billing", 10)}

    assert read(Coordinators("billing", unloaded=refused)).outcome.status is SourceStatus.READ
    assert read(Coordinators(unloaded=refused), known=["billing"]).outcome.status is SourceStatus.READ


def test_coordinators_that_are_loaded_cost_one_request() -> None:
    """One call for all partitions, and none for groups that are listed."""
    brokers = Coordinators("billing")

    assert read(brokers, known=["billing"]).outcome.status is SourceStatus.READ
    assert [names[0].startswith("scanner.") for names in brokers.described] == [True, False]
    assert len(brokers.described[0]) == 10


def test_partitions_without_a_leader_are_reported_once() -> None:
    """They are not asked: nobody would answer."""
    brokers = Coordinators("billing", leaderless=[0, 3])
    reading = read(brokers)

    assert "2 of 10 partitions of __consumer_offsets have no leader" in reading.outcome.reason
    assert (len(brokers.described[0]), len(reading.problems)) == (8, 1)


def test_brokers_that_cannot_be_asked_leave_the_list_incomplete() -> None:
    """librdkafka may refuse the call itself."""

    class Refusing(Coordinators):
        def describe_consumer_groups(self, names: list[str], request_timeout: float) -> dict[str, Future[Any]]:
            raise KafkaException(KafkaError(KafkaError._STATE))

    assert read(Refusing("billing")).outcome.status is SourceStatus.PARTIAL
