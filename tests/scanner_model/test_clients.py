"""Rules of access, evaluated as Kafka's authorizer does."""

from __future__ import annotations

import pytest

from scanner_model.clients import AclAuthorizer, AclRule, Acls, Permitted
from scanner_model.names import SourceId

SOURCE = SourceId("acls:kafka-1:9092")


def rule(principal: str, name: str = "orders", operation: str = "WRITE", **other: str) -> AclRule:
    words = {"pattern_type": "LITERAL", "host": "*", "permission": "ALLOW"} | other
    return AclRule(source=SOURCE, principal=principal, name=name, operation=operation, **words)


def who(*rules: AclRule, topic: str = "orders", active: bool = True, **authorizer: object) -> Permitted:
    decided = AclAuthorizer(source=SOURCE, active=active, **authorizer)
    return Acls(rules, decided).permitted(topic, "WRITE")


def test_whole_name_prefix_and_wildcard_match() -> None:
    """KIP-290: a resource is matched by its name, by every prefix of it, and by `*`."""
    rules = (
        rule("User:a"),
        rule("User:b", "ord", pattern_type="PREFIXED"),
        rule("User:c", "*"),
        rule("User:d", "order"),
        rule("User:e", "pay", pattern_type="PREFIXED"),
    )

    assert who(*rules).principals == {"User:a", "User:b", "User:c"}


@pytest.mark.parametrize(
    ("operation", "allows"), [("WRITE", True), ("ALL", True), ("READ", False), ("DESCRIBE", False)]
)
def test_only_rules_of_the_operation_and_of_all_allow_it(operation, allows) -> None:
    """Writing implies describing, not the reverse."""
    assert who(rule("User:a", operation=operation)).allows("User:a") is allows


@pytest.mark.parametrize(("permission", "described"), [("ALLOW", True), ("DENY", False)])
def test_a_right_gives_those_that_kafka_derives_from_it(permission, described) -> None:
    """Whoever may write may describe; a denial of writing leaves describing to other rules."""
    acls = Acls([rule("User:a", permission=permission)], AclAuthorizer(source=SOURCE, active=True))

    assert acls.permitted("orders", "DESCRIBE").allows("User:a") is described


def test_a_right_from_some_hosts_is_none_from_everywhere() -> None:
    answer = who(rule("User:a", host="10.0.0.1"), rule("User:b"))

    assert [answer.allows_everywhere(f"User:{name}") for name in "ab"] == [False, True]


def test_deny_wins_over_allow_whatever_pattern_it_has() -> None:
    """Any matching DENY denies; a super user is asked no rule."""
    denied = rule("User:a", "*", permission="DENY")
    allowed = who(rule("User:a"), rule("User:b"), denied)

    assert allowed.principals == {"User:b"}
    assert who(rule("User:a"), denied, super_users=("User:a",)).allows("User:a")


def test_deny_of_everybody_leaves_super_users() -> None:
    """It shuts a topic."""
    answer = who(rule("User:a"), rule("User:*", permission="DENY"), super_users=("User:admin",))

    assert (answer.principals, answer.everybody) == ({"User:admin"}, False)


def test_rule_for_everybody_names_nobody_but_those_denied() -> None:
    """Who they are, no rule knows."""
    answer = who(rule("User:*"), rule("User:b", permission="DENY"))

    assert answer.everybody
    assert answer.allows("User:a")
    assert not answer.allows("User:b")


@pytest.mark.parametrize(
    "rules",
    [
        (rule("User:a", host="10.0.0.1"),),
        (rule("User:a"), rule("User:a", host="10.0.0.1", permission="DENY")),
        (rule("User:a"), rule("User:*", host="10.0.0.1", permission="DENY")),
        (rule("User:*"), rule("User:a", host="10.0.0.1", permission="DENY")),
    ],
)
def test_rule_of_one_host_makes_it_conditional(rules) -> None:
    """From where a client connects, no rule knows."""
    answer = who(*rules)

    assert "User:a" in answer.conditional
    assert "User:a" not in answer.principals
    assert answer.allows("User:a")


@pytest.mark.parametrize("denied", ["User:a", "User:*"])
def test_rule_of_one_host_is_denied_at_that_host(denied) -> None:
    """From nowhere else is it allowed."""
    answer = who(rule("User:a", host="10.0.0.1"), rule(denied, host="10.0.0.1", permission="DENY"))

    assert not answer.allows("User:a")
    assert not answer.conditional


@pytest.mark.parametrize("everyone", [True, False])
def test_topic_without_any_rule_takes_the_default(everyone) -> None:
    """`allow.everyone.if.no.acl.found`; a rule of another operation is a rule."""
    assert who(rule("User:a", "other"), allow_everyone=everyone).everybody is everyone
    assert not who(rule("User:a", operation="READ"), allow_everyone=everyone).everybody


def test_without_an_authorizer_everybody_may() -> None:
    """It is not an empty list of rules."""
    assert who(active=False).everybody
    assert not who().everybody


def test_rule_of_one_host_takes_nothing_from_whom_everybody_is_allowed() -> None:
    """A second rule only adds: the principal may from any host by the first."""
    answer = who(rule("User:*"), rule("User:a", host="10.0.0.1"))

    assert (answer.everybody, answer.conditional) == (True, frozenset())
