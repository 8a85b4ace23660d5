"""The Kafka reader against a real broker: SCANNER_LAB_KAFKA names it (`host:port`, PLAINTEXT, tests may write to it).

Settings, the mark of internal topics and consumer groups are answered by real brokers only.
"""

from __future__ import annotations

import os

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from scanner_extractor.results import KafkaCluster, Reading, no_progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.admin import read_kafka
from scanner_model.errors import SourceRefused, SourceUnreachable
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.scan import SourceStatus

BROKER = os.environ.get("SCANNER_LAB_KAFKA", "")
TOPIC, GROUP = "scanner.lab-orders", "scanner.lab-billing"

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not BROKER, reason="needs a Kafka broker: set SCANNER_LAB_KAFKA to its host:port"),
]


@pytest.fixture(scope="module")
def reading() -> Reading:
    """Build a topic with a setting and a group with an offset, then read the cluster."""
    admin = AdminClient({"bootstrap.servers": BROKER})
    if TOPIC not in admin.list_topics(timeout=10).topics:
        new = NewTopic(TOPIC, num_partitions=2, replication_factor=1, config={"cleanup.policy": "compact"})
        admin.create_topics([new])[TOPIC].result()
    producer = Producer({"bootstrap.servers": BROKER})
    producer.produce(TOPIC, key=b"1", value=b"x")
    producer.flush(10)
    _consume()
    return read_kafka(KafkaSettings(brokers=(BROKER,)), no_progress)


def _consume() -> None:
    consumer = Consumer({"bootstrap.servers": BROKER, "group.id": GROUP, "auto.offset.reset": "earliest"})
    consumer.subscribe([TOPIC])
    message = next(filter(None, (consumer.poll(1) for _ in range(30))))
    consumer.commit(message, asynchronous=False)
    consumer.close()


def test_everything_is_read(reading: Reading) -> None:
    """A user with all rights misses nothing."""
    assert (reading.outcome.status, reading.problems) == (SourceStatus.READ, ())
    assert reading.of(KafkaCluster)[0].cluster_id
    assert reading.of(KafkaCluster)[0].addresses


def test_topic_has_its_own_settings(reading: Reading) -> None:
    """Only what differs from Kafka's defaults."""
    (topic,) = (topic for topic in reading.of(Topic) if topic.name == TOPIC)

    assert (topic.partitions, topic.replication, topic.internal) == (2, 1, False)
    assert ("cleanup.policy", "compact") in topic.config
    assert "segment.jitter.ms" not in dict(topic.config)


def test_internal_topic_is_marked(reading: Reading) -> None:
    """The brokers' own mark."""
    assert {topic.name: topic.internal for topic in reading.of(Topic)}["__consumer_offsets"] is True


def test_idle_group_keeps_the_topics_of_its_offsets(reading: Reading) -> None:
    """It has no members now, and still consumes that topic."""
    (group,) = (consumer_group for consumer_group in reading.of(ConsumerGroup) if consumer_group.name == GROUP)

    assert (group.state, group.topics) == ("EMPTY", (TOPIC,))


@pytest.mark.parametrize(
    ("properties", "error"),
    [
        ({"security.protocol": "SSL"}, SourceUnreachable),
        (
            {
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "u",
                "sasl.password": "s3cr3t",
            },
            SourceRefused,
        ),
    ],
)
def test_wrong_protocol_is_explained(properties, error) -> None:
    """The mistake that everybody makes first."""
    with pytest.raises(error) as caught:
        read_kafka(KafkaSettings(brokers=(BROKER,), properties=properties, timeout=3), no_progress)

    assert "s3cr3t" not in str(caught.value)
    assert caught.value.hint
