"""Two hundred rules of access: what brokers let each user do is what scanner says of the rules that it has read."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, TopicCollection
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

from scanner_api.dictionary import open_dictionary
from scanner_dictionary.queries.clients import rules_of
from scanner_model.clients import Acls

pytestmark = pytest.mark.lab

_RULES = 200
_USERS = tuple(f"drawn-{number}" for number in range(8))
_TOPICS = tuple(f"drawn.{team}.{number}" for team in ("eu", "us", "eu.audit") for number in range(8))
_HERE, _ELSEWHERE = "127.0.0.1", "10.9.8.7"
_NAMED = ("READ", "WRITE", "DESCRIBE", "DESCRIBE_CONFIGS")
_WITHIN = 30
_MEMBERS = ("restype", "name", "resource_pattern_type", "principal", "host", "operation", "permission_type")


def _drawn() -> list[AclBinding]:
    """Return rules of topics, of prefixes and of all, for some user or everybody, from some host or any."""
    chance = random.Random(2_026)
    rules: dict[tuple[object, ...], AclBinding] = {}
    while len(rules) < _RULES:
        topic = chance.choice(_TOPICS)
        prefix = topic[: chance.randint(len("drawn."), len(topic))]
        name, pattern = chance.choices(
            (
                (topic, ResourcePatternType.LITERAL),
                (prefix, ResourcePatternType.PREFIXED),
                ("*", ResourcePatternType.LITERAL),
            ),
            (12, 6, 1),
        )[0]
        is_deny = chance.random() < 0.3
        user = "*" if chance.random() < 0.03 else chance.choice(_USERS)
        rule = AclBinding(
            ResourceType.TOPIC,
            name,
            pattern,
            f"User:{user}",
            chance.choices(("*", _HERE, _ELSEWHERE), (8, 1, 1))[0],
            chance.choice([getattr(AclOperation, one) for one in (*_NAMED, "ALL", "DELETE", "ALTER", "ALTER_CONFIGS")]),
            AclPermissionType.DENY if is_deny else AclPermissionType.ALLOW,
        )
        rules[tuple(getattr(rule, member) for member in _MEMBERS)] = rule
    return list(rules.values())


@pytest.fixture(scope="module")
def ruled(lab) -> Iterator[AdminClient]:
    """Build users, topics and rules beside those of the lab's clients, and take the rules away again."""
    lab.needs("kafka-clients", "client-rights")
    admin = AdminClient({"bootstrap.servers": lab.told["clients"]["plaintext"]})
    known = admin.list_topics(timeout=20).topics
    missing = [NewTopic(topic, 1, 1) for topic in _TOPICS if topic not in known]
    login = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    password = lab.told["environment"]["SCANNER_LAB_CLIENTS_PASSWORD"].encode()
    users = [UserScramCredentialUpsertion(user, login, password) for user in _USERS]
    rules = _drawn()
    made = [
        *(admin.create_topics(missing).values() if missing else ()),
        *admin.alter_user_scram_credentials(users).values(),
    ]
    for future in (*made, *admin.create_acls(rules).values()):
        future.result(_WITHIN)
    yield admin
    filters = [AclBindingFilter(*(getattr(rule, name) for name in _MEMBERS)) for rule in rules]
    for future in admin.delete_acls(filters).values():
        future.result(_WITHIN)


def _granted(lab, user: str) -> dict[tuple[str, str], bool]:
    """Return what the brokers let *user* do: nothing where they do not even describe the topic to it."""
    login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": user}
    secret = {"sasl.password": lab.told["environment"]["SCANNER_LAB_CLIENTS_PASSWORD"]}
    admin = AdminClient({"bootstrap.servers": lab.told["clients"]["sasl"], **login, **secret})
    asked = admin.describe_topics(
        TopicCollection(list(_TOPICS)), include_authorized_operations=True, request_timeout=_WITHIN
    )
    answers: dict[tuple[str, str], bool] = {}
    for topic, future in asked.items():
        try:
            operations = {operation.name for operation in future.result(_WITHIN).authorized_operations}
        except KafkaException:
            operations = set()
        answers |= {(topic, name): name in operations for name in _NAMED}
    return answers


def _said(acls: Acls, user: str) -> dict[tuple[str, str], bool]:
    """Return what the rules let *user* do, as far as brokers would tell it."""
    says = {(topic, name): acls.permitted(topic, name).allows(f"User:{user}") for topic in _TOPICS for name in _NAMED}
    return {(topic, name): allowed and says[topic, "DESCRIBE"] for (topic, name), allowed in says.items()}


def test_brokers_authorize_what_two_hundred_rules_allow(lab, ruled) -> None:
    """Each user asks what it may do with each topic; rules of another host are none here."""
    document = json.loads((Path(__file__).parent / "clients.json").read_text("utf-8"))
    for name in ("prometheus", "applications", "kafka_clients"):
        document.pop(name)
    config, address = lab.directory / "drawn.json", f"sqlite:///{lab.directory}/drawn.db"
    config.write_text(json.dumps(document), "utf-8")
    lab.scanner("scan", "--no-graph", "--config", str(config), "--dictionary", address, "--quiet", expected=3)
    with open_dictionary(address).reading() as conn:
        ((_, acls),) = rules_of(conn, document["cluster"])
    rules = [rule for rule in acls.rules if rule.host != _ELSEWHERE]
    here = Acls([replace(rule, host="*") for rule in rules], acls.authorizer)
    assert len(list(acls.rules)) >= _RULES

    deadline = time.monotonic() + _WITHIN
    while True:
        granted = {(user, *key): value for user in _USERS for key, value in _granted(lab, user).items()}
        said = {(user, *key): value for user in _USERS for key, value in _said(here, user).items()}
        if granted == said or time.monotonic() > deadline:
            break
        time.sleep(1)  # brokers learn of rules a moment after the controller

    assert {key: (granted[key], said[key]) for key in said if granted[key] != said[key]} == {}
    assert 0.2 < sum(said.values()) / len(said) < 0.8
