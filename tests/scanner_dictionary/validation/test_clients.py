"""Rules about clients: they find nothing where no client was observed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from checked_installation import AT, KAFKA, installation, read_result

import scanner_api
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.validation import validate
from scanner_dictionary.write.scan import write_scan
from scanner_model.clients import AclAuthorizer, AclRule, ApplicationIdentity, ClientUse, Direction, IdentityKind
from scanner_model.kafka import Topic
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceStatus

PROMETHEUS, ACLS, MAPPING = SourceId("prometheus:main"), SourceId("acls:k:9092"), SourceId("applications:cluster.json")
NEW_RULES = ("unknown-writer", "unused-topic", "writer-without-schema")


def use(topic: str, **names: str) -> ClientUse:
    return ClientUse(
        source=PROMETHEUS,
        topic=TopicName(topic),
        direction=Direction.WRITES,
        identities=tuple(sorted((kind.replace("_", "."), name) for kind, name in names.items())),
        started="2026-02-28T12:00:00+00:00",
        ended="2026-03-01T12:00:00+00:00",
        window="1d",
        metric="sent_total",
        amount=5.0,
    )


@pytest.fixture
def findings(tmp_path) -> Callable[..., list[tuple[str, str]]]:
    """Return the findings of the rules about clients after one scan with these facts and its graph."""

    def found(
        *uses: ClientUse,
        acls: tuple[AclRule, ...] = (),
        mapped: bool = False,
        status: SourceStatus = SourceStatus.READ,
    ) -> list[tuple[str, str]]:
        scan = installation()
        idle = Topic(source=KAFKA, name=TopicName("idle"))
        facts: tuple[Any, ...] = (idle, *uses)
        outcomes = [replace(read_result(PROMETHEUS, status), kind="prometheus")] if uses else []
        if acls:
            facts = (*facts, *acls, AclAuthorizer(source=ACLS, active=True))
            outcomes.append(replace(read_result(ACLS), kind="acls"))
        if mapped:
            kind = IdentityKind.CLIENT_ID
            identity = ApplicationIdentity(source=MAPPING, application="shop", kind=kind, pattern="shop-*")
            facts = (*facts, identity)
            outcomes.append(replace(read_result(MAPPING), kind="applications"))
        url = f"sqlite:///{tmp_path / 'dictionary.db'}"
        engine = open_dictionary(url, create=True)
        stored = replace(scan, facts=(*scan.facts, *facts), outcomes=(*scan.outcomes, *outcomes))
        write_scan(engine, stored, started=AT, finished=AT)
        scanner_api.generate(scanner_api.open_dictionary(url))
        with engine.connect() as conn:
            return [(finding.rule, finding.where) for finding in validate(conn, rules=NEW_RULES)]

    return found


def rule(principal: str) -> AclRule:
    return AclRule(
        source=ACLS,
        pattern_type="LITERAL",
        name="idle",
        principal=principal,
        host="*",
        operation="WRITE",
        permission="ALLOW",
    )


def test_without_observed_clients_nothing_is_found(findings) -> None:
    """Who uses a topic is not known then."""
    assert findings(acls=(rule("User:a"),)) == []


def test_topic_without_any_client_is_unused(findings) -> None:
    """Jobs and groups count as well as observed clients."""
    assert findings(use("orders.avro", client_id="x")) == [("unused-topic", "topic idle")]


def test_partial_metrics_prove_no_topic_unused(findings) -> None:
    """What is missing may use it."""
    assert findings(use("orders.avro", client_id="x"), status=SourceStatus.PARTIAL) == []


def test_writer_of_a_topic_without_schema(findings) -> None:
    """Its owner can register one."""
    assert findings(use("idle", client_id="x")) == [("writer-without-schema", "topic idle")]


@pytest.mark.parametrize(("client", "expected"), [("shop-1", False), ("ghost", True)])
def test_writer_that_nothing_names(findings, client, expected) -> None:
    """Only where a mapping says who is known."""
    found = findings(use("idle", client_id=client), mapped=True)

    assert (("unknown-writer", "topic idle") in found) is expected


@pytest.mark.parametrize(("principal", "expected"), [("User:a", False), ("a", False), ("User:b", True)])
def test_writer_that_no_rule_of_access_permits(findings, principal, expected) -> None:
    """It was permitted once, or the rules are of another cluster."""
    found = findings(use("idle", client_id="x", principal=principal), acls=(rule("User:a"),))

    assert (("unknown-writer", "topic idle") in found) is expected
