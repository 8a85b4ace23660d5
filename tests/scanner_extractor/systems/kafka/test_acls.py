"""Rules of access from the brokers: rules, none, no authorizer, no right; and from a capture."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AclOperation, AclPermissionType, ResourcePatternType

from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.source_kinds import all_kinds
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.admin import load_acls, read_acls
from scanner_extractor.systems.kafka.client import KafkaClient
from scanner_extractor.systems.kafka.settings import AclSettings
from scanner_model.clients import AclAuthorizer, AclRule
from scanner_model.errors import InputInvalid, SourceRefused, SourceUnreachable

SETTINGS = AclSettings(kafka=KafkaSettings(brokers=("kafka-1:9092",)), super_users=("User:admin",))
RULE = SimpleNamespace(
    resource_pattern_type=ResourcePatternType.PREFIXED,
    name="shop.",
    principal="User:shop",
    host="*",
    operation=AclOperation.WRITE,
    permission_type=AclPermissionType.ALLOW,
)


def client(answer: Any, operations: tuple[AclOperation, ...] = (AclOperation.DESCRIBE,), authorizer: Any = "A") -> Any:
    """Return a client whose brokers answer DescribeAcls with a list of bindings or an error.

    *operations* are what they let its user do with the cluster, *authorizer* is the setting; None: they hide it.
    """

    class Brokers:
        def describe_acls(self, wanted: Any, request_timeout: float) -> Future[Any]:
            return _future(KafkaException(answer) if isinstance(answer, KafkaError) else answer)

        def describe_cluster(self, include_authorized_operations: bool, request_timeout: float) -> Future[Any]:
            return _future(SimpleNamespace(authorized_operations=list(operations)))

        def list_topics(self, timeout: float) -> Any:
            return SimpleNamespace(brokers={1: None})

        def describe_configs(self, resources: Any, request_timeout: float) -> dict[Any, Future[Any]]:
            refused = KafkaException(KafkaError(KafkaError.CLUSTER_AUTHORIZATION_FAILED))
            settings = {"authorizer.class.name": SimpleNamespace(value=authorizer)}
            return {resource: _future(refused if authorizer is None else settings) for resource in resources}

    return KafkaClient(SETTINGS.kafka, make=lambda _, logger: Brokers())


def _future(answer: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(answer) if isinstance(answer, Exception) else future.set_result(answer)
    return future


def test_rule_is_stored_as_the_brokers_list_it() -> None:
    """What it permits is decided later, by topic."""
    result = read_acls(load_acls(SETTINGS, client([RULE])), SETTINGS)
    (rule,) = result.of(AclRule)

    assert (rule.pattern_type, rule.name, rule.principal) == ("PREFIXED", "shop.", "User:shop")
    assert (rule.host, rule.operation, rule.permission) == ("*", "WRITE", "ALLOW")
    assert not result.problems


@pytest.mark.parametrize(("authorizer", "stored"), [("a.RbacAuthorizer", "a.RbacAuthorizer"), (None, "")])
def test_class_that_decides_is_stored_and_empty_where_the_brokers_hide_it(authorizer, stored) -> None:
    """Whether role bindings may permit more than the rules depends on it."""
    result = read_acls(load_acls(SETTINGS, client([RULE], authorizer=authorizer)), SETTINGS)

    assert result.of(AclAuthorizer)[0].class_name == stored


def test_no_rule_and_no_authorizer_are_two_answers() -> None:
    """Without rules access may be decided elsewhere; without an authorizer it is not."""
    disabled = KafkaError(KafkaError.SECURITY_DISABLED, "No Authorizer is configured.")
    empty, none = (read_acls(load_acls(SETTINGS, client(answer)), SETTINGS) for answer in ([], disabled))

    assert [result.of(AclAuthorizer)[0].active for result in (empty, none)] == [True, False]
    assert "list no rule" in empty.problems[0].what
    assert "no authorizer" in none.problems[0].what
    assert empty.of(AclAuthorizer)[0].super_users == ("User:admin",)


def test_missing_right_is_refused() -> None:
    """It must not look like an empty list."""
    with pytest.raises(SourceRefused) as caught:
        load_acls(
            SETTINGS, client(KafkaError(KafkaError.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed."))
        )

    assert "DESCRIBE" in caught.value.hint


def test_empty_list_of_a_user_without_the_right_is_refused() -> None:
    """librdkafka 2.16 against Kafka 4.3: CLUSTER_AUTHORIZATION_FAILED arrives as an empty list."""
    with pytest.raises(SourceRefused) as caught:
        load_acls(SETTINGS, client([], operations=()))

    assert "DESCRIBE" in caught.value.hint


@pytest.mark.parametrize(("authorizer", "active"), [("", False), ("StandardAuthorizer", True), (None, True)])
def test_empty_list_of_brokers_without_authorizer_is_distinguished_by_their_settings(authorizer, active) -> None:
    """librdkafka 2.16 against Kafka 4.3: SECURITY_DISABLED arrives as an empty list. Settings may be hidden."""
    result = read_acls(load_acls(SETTINGS, client([], authorizer=authorizer)), SETTINGS)

    assert result.of(AclAuthorizer)[0].active is active
    assert result.problems


def test_brokers_that_do_not_answer_are_unreachable() -> None:
    """Earlier rules stay."""
    with pytest.raises(SourceUnreachable):
        load_acls(SETTINGS, client(KafkaError(KafkaError._TIMED_OUT, "Timed out")))


def test_damaged_capture_is_named() -> None:
    """It is the user's file."""
    with pytest.raises(InputInvalid):
        read_acls({"rules": [["a"]]}, SETTINGS)


def test_check_counts_the_rules() -> None:
    """Whether the right is there is the question."""
    kind = next(kind for kind in all_kinds() if kind.name == "acls")
    connections = Connections(acls=lambda _: {"rules": [["LITERAL", "a", "User:b", "*", "READ", "ALLOW"]]})

    assert [probe.run() for probe in kind.check(SETTINGS, connections)] == ["1 rules"]
