"""Rules of access: what the brokers answer to whom may ask, and whether they decide as `scanner clients` says."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

pytestmark = pytest.mark.lab

_HERE = Path(__file__).parent
_PARTIAL = 3
_USERS = ("acl-literal", "acl-prefixed", "acl-wildcard", "acl-denied", "acl-here", "acl-elsewhere", "acl-nobody")
_TOPICS = ("acl.orders", "acl.orders.retry", "acl.open", "acl.closed")
_READ, _WRITE, _ALL = AclOperation.READ, AclOperation.WRITE, AclOperation.ALL
_DESCRIBE = AclOperation.DESCRIBE
_LITERAL, _PREFIXED = ResourcePatternType.LITERAL, ResourcePatternType.PREFIXED
_ALLOW, _DENY = AclPermissionType.ALLOW, AclPermissionType.DENY
_RULES = (
    ("acl.orders", _LITERAL, "acl-literal", "*", _WRITE, _ALLOW),
    ("acl.orders", _LITERAL, "acl-literal", "*", _DESCRIBE, _ALLOW),
    ("acl.orders", _PREFIXED, "acl-prefixed", "*", _ALL, _ALLOW),
    ("*", _LITERAL, "acl-wildcard", "*", _READ, _ALLOW),
    ("acl.", _PREFIXED, "acl-denied", "*", _ALL, _ALLOW),
    ("acl.orders", _LITERAL, "acl-denied", "*", _WRITE, _DENY),
    ("acl.orders", _LITERAL, "acl-here", "127.0.0.1", _ALL, _ALLOW),
    ("acl.orders", _LITERAL, "acl-elsewhere", "10.9.8.7", _ALL, _ALLOW),
    ("acl.open", _LITERAL, "*", "*", _ALL, _ALLOW),
    ("acl.open", _LITERAL, "acl-nobody", "*", _ALL, _DENY),
    ("acl.closed", _LITERAL, "*", "*", _WRITE, _DENY),
)


class _Try(NamedTuple):
    """One attempt of a user at a topic."""

    topic: str
    use: str
    user: str


@pytest.fixture(scope="module")
def brokers(lab) -> Iterator[str]:
    """Build users, topics and rules beside those of the lab's clients, and take the rules away again."""
    lab.needs("kafka-clients", "client-rights")
    broker = lab.told["clients"]["plaintext"]
    admin = AdminClient({"bootstrap.servers": broker})
    _build(admin, lab.told["environment"]["SCANNER_LAB_CLIENTS_PASSWORD"])
    bindings = [_binding(*rule) for rule in _RULES]
    bindings += [_group(user) for user in _USERS]
    for future in admin.create_acls(bindings).values():
        future.result(20)
    yield broker
    filters = [AclBindingFilter(*(getattr(item, name) for name in _MEMBERS)) for item in bindings]
    for future in admin.delete_acls(filters).values():
        future.result(20)


_MEMBERS = ("restype", "name", "resource_pattern_type", "principal", "host", "operation", "permission_type")


def _build(admin: AdminClient, password: str) -> None:
    known = admin.list_topics(timeout=20).topics
    missing = [NewTopic(topic, 1, 1) for topic in _TOPICS if topic not in known]
    for future in admin.create_topics(missing).values() if missing else ():
        future.result(20)
    login = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    users = [UserScramCredentialUpsertion(user, login, password.encode()) for user in _USERS]
    for future in admin.alter_user_scram_credentials(users).values():
        future.result(20)


def _binding(topic, pattern, user, host, operation, permission) -> AclBinding:
    return AclBinding(ResourceType.TOPIC, topic, pattern, f"User:{user}", host, operation, permission)


def _group(user: str) -> AclBinding:
    return AclBinding(ResourceType.GROUP, user, _LITERAL, f"User:{user}", "*", _READ, _ALLOW)


@pytest.fixture(scope="module")
def dictionary(lab, brokers) -> str:
    """Scan the rules."""
    address = f"sqlite:///{lab.directory}/acls.db"
    _extract(lab, _PARTIAL, address)  # groups of other protocols: what they read is not asked for here
    return address


def _login(lab, user: str) -> dict[str, str]:
    return {
        "bootstrap.servers": lab.told["clients"]["sasl"],
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": user,
        "sasl.password": lab.told["environment"]["SCANNER_LAB_CLIENTS_PASSWORD"],
    }


def _writes(lab, user: str) -> dict[str, bool]:
    """Return for each topic whether the broker takes a record of *user*."""
    answers: dict[str, bool] = {}
    producer = Producer(_login(lab, user) | {"message.timeout.ms": 15000})
    for topic in _TOPICS:
        producer.produce(
            topic, value=b"1", on_delivery=lambda error, message: answers.update({message.topic(): _allowed(error)})
        )
    assert producer.flush(30) == 0
    return answers


def _reads(lab, user: str) -> dict[str, bool]:
    """Return for each topic whether the broker lets *user* fetch; the end of an empty partition is an answer, too.

    A topic that the broker does not even describe to the user is refused without a fetch, which would wait for it.
    """
    settings = {"group.id": user, "enable.partition.eof": "true", "enable.auto.commit": "false"}
    consumer = Consumer(_login(lab, user) | settings)
    answers = {topic: _allowed(consumer.list_topics(topic, timeout=20).topics[topic].error) for topic in _TOPICS}
    waiting = {topic for topic, described in answers.items() if described}
    consumer.assign([TopicPartition(topic, 0, 0) for topic in waiting])
    deadline = time.monotonic() + 30
    while waiting and time.monotonic() < deadline:
        if (message := consumer.poll(1)) and message.topic() in waiting:
            waiting.remove(message.topic())
            answers[message.topic()] = _allowed(message.error())
    consumer.close()
    assert not waiting, f"no answer to {user} about {waiting}"
    return answers


def _allowed(error: KafkaError | None) -> bool:
    """Return whether *user* may; raises KafkaException for any other error than a missing right."""
    if error is None or error.code() == KafkaError._PARTITION_EOF:
        return True
    if error.code() != KafkaError.TOPIC_AUTHORIZATION_FAILED:
        raise KafkaException(error)
    return False


@pytest.fixture(scope="module")
def tried(lab, brokers) -> dict[_Try, bool]:
    """Let every user write to and read from every topic."""
    return {
        _Try(topic, use, user): allowed
        for user in _USERS
        for use, answers in (("writes", _writes(lab, user)), ("reads", _reads(lab, user)))
        for topic, allowed in answers.items()
    }


def _permitted(lab, dictionary: str, topic: str) -> list[dict]:
    command = ("clients", topic, "--principals", "--certainty", "permitted", "--format", "json")
    return json.loads(lab.scanner(*command, "--dictionary", dictionary))


def _says(lab, dictionary: str) -> dict[_Try, str]:
    """Return what `scanner clients` answers for every user: yes, no, or only from some hosts."""
    result: dict[_Try, str] = {}
    for topic in _TOPICS:
        rows = _permitted(lab, dictionary, topic)
        for use in ("writes", "reads"):
            evidence = {row["application"]: row["evidence"] for row in rows if row["use"] == use}
            for user in _USERS:
                said = evidence.get(f"User:{user}") or _everybody(evidence.get("User:*", ""), user)
                result[_Try(topic, use, user)] = said or "no"
    return result


def _everybody(evidence: str, user: str) -> str:
    return "" if f"User:{user}" in evidence else evidence


def test_brokers_decide_as_clients_says(lab, dictionary, tried) -> None:
    """Every user really writes and reads: literal, prefixed and wildcard rules, DENY before ALLOW."""
    said = _says(lab, dictionary)
    certain = {attempt: answer != "no" for attempt, answer in said.items() if "some hosts" not in answer}
    assert len(tried) == len(_TOPICS) * len(_USERS) * 2
    assert {attempt: tried[attempt] for attempt in certain} == certain
    assert {True, False} == set(certain.values())


def test_rule_of_one_host_decides_by_where_a_client_is(lab, dictionary, tried) -> None:
    """Both users are allowed from some hosts only; one of them is at that host."""
    said = _says(lab, dictionary)
    limited = {attempt: tried[attempt] for attempt, answer in said.items() if "some hosts" in answer}

    assert limited == {
        _Try("acl.orders", use, user): user == "acl-here"
        for use in ("reads", "writes")
        for user in ("acl-here", "acl-elsewhere")
    }


def test_super_user_is_permitted_as_configured(lab, dictionary) -> None:
    """Brokers do not report super users: cluster.json names ANONYMOUS, who made the rules."""
    names = {row["application"] for row in _permitted(lab, dictionary, "acl.closed") if row["use"] == "writes"}

    assert names == {"User:ANONYMOUS"}


def _extract(lab, expected: int, dictionary: str, **changes: object) -> str:
    """Scan the rules of access with *changes* of cluster.json, and give the report."""
    document = json.loads((_HERE / "clients.json").read_text("utf-8")) | changes
    for name in ("prometheus", "applications", "kafka_clients"):
        document.pop(name)
    config = lab.directory / "acls.json"
    config.write_text(json.dumps(document), "utf-8")
    report = lab.directory / "report.json"
    scan = ("scan", "--no-graph", "--config", str(config), "--dictionary", dictionary, "--report", str(report))
    lab.scanner(*scan, "--quiet", expected=expected)
    return report.read_text("utf-8")


def test_brokers_without_rules_and_without_authorizer_answer_differently(lab) -> None:
    """An empty list is no answer to who may; without an authorizer everybody may."""
    lab.needs("kafka-bare", "kafka-open")
    address = f"sqlite:///{lab.directory}/answers.db"
    bare = _extract(lab, 0, address, brokers=[lab.told["clients"]["bare"]], kafka={}, cluster="bare")
    no_authorizer = _extract(lab, _PARTIAL, address, brokers=[lab.told["clients"]["open"]], kafka={}, cluster="open")

    assert "the brokers list no rule of access to topics" in bare
    assert "the brokers have no authorizer" in no_authorizer


def test_user_without_the_right_to_describe_the_cluster_is_refused(lab, brokers) -> None:
    """Rules that were read before stay; nothing is said about who may."""
    address, login = f"sqlite:///{lab.directory}/refused.db", {"sasl.username": "visitor"}
    kafka = json.loads((_HERE / "clients.json").read_text("utf-8"))["kafka"] | login
    report = _extract(lab, _PARTIAL, address, kafka=kafka)

    assert "the user may not list rules of access" in report
    assert "no rule of access" not in report
