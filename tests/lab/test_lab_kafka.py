"""The Kafka reader over each listener of two real brokers, and the groups that really consume."""

from __future__ import annotations

import pytest

from scanner_extractor.readings import KafkaReading, no_progress
from scanner_extractor.settings import KafkaSettings
from scanner_extractor.sources.kafka_admin import read_kafka
from scanner_model.errors import SourceRefused, SourceUnreachable
from scanner_model.scan import Answer

pytestmark = pytest.mark.lab


def _properties(lab, listener: str, **changes: str) -> dict[str, str]:
    if listener != "sasl":
        return {}
    environment = lab.told["environment"]
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": environment["SCANNER_LAB_USER"],
        "sasl.password": environment["SCANNER_LAB_PASSWORD"],
        "ssl.ca.location": environment["SCANNER_LAB_CA"],
    } | changes


@pytest.fixture(params=["plaintext", "external", "sasl"])
def listener(request) -> str:
    return str(request.param)


@pytest.fixture
def reading(lab, listener) -> KafkaReading:
    lab.needs("topics", "consumers")
    brokers = tuple(lab.told["brokers"][listener].split(","))
    return read_kafka(KafkaSettings(brokers=brokers, properties=_properties(lab, listener)), no_progress)


def test_each_listener_tells_all_brokers_by_its_own_addresses(lab, listener, reading) -> None:
    """Why one cluster has several addresses: a broker answers with those of the listener that was asked."""
    assert reading.outcome.answer is Answer.READ
    assert set(reading.brokers) == set(lab.told["brokers"][listener].split(","))


def test_topic_is_the_same_over_each_listener(reading) -> None:
    """Partitions, replication and what differs from the defaults."""
    (topic,) = (one for one in reading.topics if one.name == "customers")

    assert (topic.partitions, topic.replication, topic.internal) == (2, 2, False)
    assert ("cleanup.policy", "compact") in topic.config


@pytest.mark.parametrize(
    ("name", "state", "topics"),
    [
        ("order-service", "STABLE", {"orders", "orders.RETRY"}),
        ("shipping", "STABLE", {"shipments", "parcels"}),
        ("nightly-report", "EMPTY", {"orders", "payments"}),
    ],
)
def test_group_is_read_with_what_it_consumes(reading, name, state, topics) -> None:
    """A classic group, one of the new protocol, and one that only left offsets."""
    (group,) = (one for one in reading.consumer_groups if one.name == name)

    assert (group.state, set(group.topics)) == (state, topics)


def test_wrong_password_is_refused_and_not_shown(lab) -> None:
    """An operator mends the credentials."""
    lab.needs("kafka-2")
    properties = _properties(lab, "sasl", **{"sasl.password": "n0t-this"})
    settings = KafkaSettings(brokers=tuple(lab.told["brokers"]["sasl"].split(",")), properties=properties, timeout=8)

    with pytest.raises(SourceRefused) as caught:
        read_kafka(settings, no_progress)

    assert "n0t-this" not in str(caught.value)


def test_limited_user_sees_his_part_and_is_told_of_hidden_settings(lab) -> None:
    """Topics without DESCRIBE do not appear; a topic without DESCRIBE_CONFIGS is kept, and the scan is partial."""
    lab.needs("topics", "rights", "consumers")
    environment = lab.told["environment"]
    user, password = environment["SCANNER_LAB_LIMITED_USER"], environment["SCANNER_LAB_LIMITED_PASSWORD"]
    properties = _properties(lab, "sasl", **{"sasl.username": user, "sasl.password": password})

    reading = read_kafka(KafkaSettings(brokers=("localhost:29095",), properties=properties), no_progress)

    assert {topic.name for topic in reading.topics} == {
        "orders",
        "orders.RETRY",
        "orders-by-country",
        "orders-enriched",
    }
    assert [group.name for group in reading.consumer_groups] == ["order-service"]
    assert reading.outcome.answer is Answer.PARTIAL
    assert "3 topics could not be asked for their settings" in reading.problems[0].what


def test_unknown_authority_is_explained(lab) -> None:
    """The brokers' certificate is of a CA that this machine does not know."""
    lab.needs("kafka-2")
    properties = _properties(lab, "sasl")
    del properties["ssl.ca.location"]
    settings = KafkaSettings(brokers=tuple(lab.told["brokers"]["sasl"].split(",")), properties=properties, timeout=8)

    with pytest.raises((SourceRefused, SourceUnreachable)) as caught:
        read_kafka(settings, no_progress)

    assert "certificate" in str(caught.value).lower()
