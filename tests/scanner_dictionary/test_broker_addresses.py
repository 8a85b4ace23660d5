"""Whose a broker's address is, when it moves to another cluster, and when it is gone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName, SourceId


def test_address_of_another_cluster_is_refused_naming_both(sample, store, contents) -> None:
    """A copied cluster.json must not take the other cluster's questions."""
    store(sample.orders())
    thief = Cluster(name=ClusterName("copy"), brokers=("kafka-1:9092", "own:9092"))
    summary = store(sample.scan(cluster=thief))

    [problem] = summary.refused
    assert "'retail'" in problem.what
    assert "'copy'" in problem.what
    assert [row[1:3] for row in contents("broker")["broker"]] == [
        (1, "kafka-1:9092"),
        (1, "kafka-2:9092"),
        (2, "own:9092"),
    ]


@pytest.mark.parametrize("kafka_id", ["", "abc"])
def test_address_moves_when_its_cluster_gave_it_up_or_is_the_same(kafka_id, sample, store, contents) -> None:
    """A broker that was moved, or a cluster that was renamed: the newest scan is right."""
    first = Cluster(name=ClusterName("old"), brokers=("kafka-1:9092",), cluster_id=kafka_id)
    store(sample.scan(cluster=first))
    if not kafka_id:
        store(sample.scan(cluster=replace(first, brokers=("elsewhere:9092",))))
    summary = store(
        sample.scan(cluster=Cluster(name=ClusterName("new"), brokers=("kafka-1:9092",), cluster_id=kafka_id))
    )

    assert summary.refused == ()
    assert next(row[1] for row in contents("broker")["broker"] if row[2] == "kafka-1:9092") == 2


def test_broker_stays_while_the_brokers_cannot_be_queried(sample, store, contents) -> None:
    """cluster.json names the first brokers only; the others are known from Kafka itself."""
    store(sample.orders())
    cluster = Cluster(name=ClusterName("retail"), brokers=("kafka-1:9092",))
    store(replace(sample.unavailable(sample.orders(), sample.kafka), cluster=cluster, topic_schemas=()))
    retained = contents("broker")["broker"]
    store(sample.scan(cluster=cluster))

    assert [row[-1] for row in retained] == [None, None]
    assert [row[-1] for row in contents("broker")["broker"]] == [None, 3]


def test_broker_that_is_down_keeps_its_address_and_one_that_left_does_not(sample, store, contents) -> None:
    """Kafka names those that are up; a restart must not take a name from a cluster, in the graph above all."""
    store(sample.orders())
    cluster = Cluster(name=ClusterName("retail"), brokers=("kafka-1:9092",), unnamed=1)
    store(sample.orders(cluster=cluster))
    down = contents("broker")["broker"]
    store(sample.orders(cluster=replace(cluster, unnamed=0)))

    assert [row[3:] for row in down] == [(1, 2, None), (1, 1, None)]
    assert [row[3:] for row in contents("broker")["broker"]] == [(1, 3, None), (1, 1, 3)]


def test_brokers_queried_through_other_addresses_are_the_same_source(sample, store, contents) -> None:
    """A changed bootstrap list must not leave every earlier topic stale for ever."""
    store(sample.orders())
    moved = SourceId("kafka:kafka-9:9092")
    store(sample.scan(outcomes=(sample.outcome(moved),), topics=(sample.topic("new", source=moved),)))

    assert {row[2]: row[-1] for row in contents("topic")["topic"]} == {"orders": 2, "new": None}
