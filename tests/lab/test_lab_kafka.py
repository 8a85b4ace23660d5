"""The Kafka reader over each listener of two real brokers, and the groups that really consume."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from scanner_extractor.results import KafkaCluster, Reading, no_progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.admin import read_kafka
from scanner_model.errors import SourceRefused, SourceUnreachable
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.scan import SourceStatus

pytestmark = pytest.mark.lab

_NOTHING, _PARTIAL = 1, 3
"""Exit statuses of `scanner scan`."""


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
def reading(lab, listener) -> Reading:
    lab.needs("topics", "consumers")
    brokers = tuple(lab.told["brokers"][listener].split(","))
    return read_kafka(KafkaSettings(brokers=brokers, properties=_properties(lab, listener)), no_progress)


def test_each_listener_reports_the_addresses_of_all(lab, listener, reading) -> None:
    """A broker answers with those of the listener that was queried; its settings tell the others."""
    own = lab.told["brokers"][listener].split(",")

    assert reading.outcome.status is SourceStatus.READ
    assert reading.of(KafkaCluster)[0].addresses[: len(own)] == tuple(sorted(own))
    assert set(reading.of(KafkaCluster)[0].addresses) == set(",".join(lab.told["brokers"].values()).split(","))


def test_topic_is_the_same_over_each_listener(reading) -> None:
    """Partitions, replication and what differs from the defaults."""
    (topic,) = (topic for topic in reading.of(Topic) if topic.name == "customers")

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
    (group,) = (consumer_group for consumer_group in reading.of(ConsumerGroup) if consumer_group.name == name)

    assert (group.state, set(group.topics)) == (state, topics)


def test_wrong_password_is_refused_and_not_shown(lab) -> None:
    """An operator mends the credentials."""
    lab.needs("kafka-2")
    properties = _properties(lab, "sasl", **{"sasl.password": "n0t-this"})
    settings = KafkaSettings(brokers=tuple(lab.told["brokers"]["sasl"].split(",")), properties=properties, timeout=8)

    with pytest.raises(SourceRefused) as caught:
        read_kafka(settings, no_progress)

    assert "n0t-this" not in str(caught.value)


def _as_limited(lab) -> KafkaSettings:
    environment = lab.told["environment"]
    user, password = environment["SCANNER_LAB_LIMITED_USER"], environment["SCANNER_LAB_LIMITED_PASSWORD"]
    properties = _properties(lab, "sasl", **{"sasl.username": user, "sasl.password": password})
    return KafkaSettings(brokers=tuple(lab.told["brokers"]["sasl"].split(",")), properties=properties)


def test_limited_user_sees_his_part_and_is_reported_for_the_rest(lab) -> None:
    """Topics without DESCRIBE do not appear; one without DESCRIBE_CONFIGS is kept; nothing is proven to be gone."""
    lab.needs("topics", "rights", "consumers")

    reading = read_kafka(_as_limited(lab), no_progress)

    assert {topic.name for topic in reading.of(Topic)} == {
        "orders",
        "orders.RETRY",
        "orders-by-country",
        "orders-enriched",
    }
    assert [group.name for group in reading.of(ConsumerGroup)] == ["order-service"]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert reading.of(KafkaCluster)[0].unconfigured == {"orders.RETRY", "orders-by-country", "orders-enriched"}
    assert "may be hidden" in reading.problems[0].what
    assert "3 topics could not be queried for their settings" in reading.problems[1].what


@pytest.fixture
def without_rights(lab) -> Iterator[KafkaSettings]:
    """Build a user without any right, and take him away again."""
    lab.needs("kafka-2")
    name, password = "nobody", secrets.token_urlsafe(12)
    admin = AdminClient({"bootstrap.servers": lab.told["brokers"]["plaintext"]})
    mechanism = ScramMechanism.SCRAM_SHA_512
    user_scram_credential_upsertion = UserScramCredentialUpsertion(
        name, ScramCredentialInfo(mechanism, 4096), password.encode()
    )
    admin.alter_user_scram_credentials([user_scram_credential_upsertion])[name].result()
    properties = _properties(lab, "sasl", **{"sasl.username": name, "sasl.password": password})
    yield KafkaSettings(brokers=tuple(lab.told["brokers"]["sasl"].split(",")), properties=properties)
    admin.alter_user_scram_credentials([UserScramCredentialDeletion(name, mechanism)])[name].result()


def test_user_without_rights_is_refused(without_rights) -> None:
    """The brokers show him an empty cluster."""
    with pytest.raises(SourceRefused) as caught:
        read_kafka(without_rights, no_progress)

    assert "no right to DESCRIBE the cluster" in caught.value.what


def test_user_with_a_right_on_the_cluster_only_is_refused(lab, without_rights) -> None:
    """It lets him ask who may do what, and shows no topic."""
    admin = AdminClient({"bootstrap.servers": lab.told["brokers"]["plaintext"]})
    user = f"User:{without_rights.properties['sasl.username']}"
    resource_types = (
        ResourceType.BROKER,
        "kafka-cluster",
        ResourcePatternType.LITERAL,
        user,
        "*",
        AclOperation.DESCRIBE,
    )
    (built,) = admin.create_acls([AclBinding(*resource_types, AclPermissionType.ALLOW)]).values()
    built.result()
    with pytest.raises(SourceRefused) as caught:
        read_kafka(without_rights, no_progress)
    (deleted,) = admin.delete_acls([AclBindingFilter(*resource_types, AclPermissionType.ALLOW)]).values()

    assert "no right to DESCRIBE" in caught.value.what
    assert len(deleted.result()) == 1


def test_losing_rights_loses_nothing_that_is_known(lab, without_rights, tmp_path) -> None:
    """Three users scan one after another: no topic is gone, and each keeps its settings."""
    lab.needs("topics", "rights", "consumers")
    known = []
    full = KafkaSettings(brokers=without_rights.brokers[:1], properties=_properties(lab, "sasl"))
    for user, expected in ((full, 0), (_as_limited(lab), _PARTIAL), (without_rights, _NOTHING)):
        _extract(lab, user, tmp_path / "dictionary.db", expected)
        with sqlite3.connect(tmp_path / "dictionary.db") as conn:
            known.append(conn.execute("SELECT name, is_internal, config, gone FROM topic ORDER BY name").fetchall())

    assert len(known[0]) > 15
    assert known[0] == known[1] == known[2]


@pytest.mark.parametrize("other", ["plaintext", "external"])
def test_cluster_is_found_by_the_addresses_of_other_listeners(lab, other, tmp_path) -> None:
    """A scan over SASL must answer for a job that names the plain listener; its topic has no schema here."""
    lab.needs("topics")
    brokers = tuple(lab.told["brokers"]["sasl"].split(",")[:1])
    settings = KafkaSettings(brokers=brokers, properties=_properties(lab, "sasl"))
    _extract(lab, settings, tmp_path / "dictionary.db", 0)

    for address in lab.told["brokers"][other].split(","):
        requests = ("--broker", address, "--topic", "customers", "--format", "json")
        answer = lab.scanner("query", *requests, "--dictionary", f"sqlite:///{tmp_path}/dictionary.db")

        assert answer.strip() == "[]"


def _extract(lab, user: KafkaSettings, dictionary: Path, expected: int) -> None:
    none = dict.fromkeys(("schema_registries", "ksqldb", "connect", "flink", "metrics"))
    config = lab.config(**none, brokers=list(user.brokers), kafka=dict(user.properties))
    reported = ("--dictionary", f"sqlite:///{dictionary}", "--quiet")
    lab.scanner("scan", "--no-graph", "--config", str(config), *reported, expected=expected)


def test_unknown_authority_is_explained(lab) -> None:
    """The brokers' certificate is of a CA that this machine does not know."""
    lab.needs("kafka-2")
    properties = _properties(lab, "sasl")
    del properties["ssl.ca.location"]
    settings = KafkaSettings(brokers=tuple(lab.told["brokers"]["sasl"].split(",")), properties=properties, timeout=8)

    with pytest.raises((SourceRefused, SourceUnreachable)) as caught:
        read_kafka(settings, no_progress)

    assert "certificate" in str(caught.value).lower()
