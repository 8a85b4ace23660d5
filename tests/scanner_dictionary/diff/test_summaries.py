"""Changes in words."""

from __future__ import annotations

import itertools

import pytest

from scanner_dictionary.diff.changes import AttributeChange, FactAction, FactChange, ScanDiff
from scanner_dictionary.diff.summaries import summaries

RULES = list(itertools.product((FactAction.ADDED, FactAction.GONE), ("LITERAL", "PREFIXED"), ("ALLOW", "DENY")))


def lines(*facts: FactChange) -> list[tuple[str, str, str]]:
    diff = ScanDiff(cluster="shop", first=1, second=2, facts=facts, sides=())
    return [(line.topic, line.what, line.change) for line in summaries(diff)]


def rule(action: FactAction, pattern: str, name: str, operation: str, permission: str, **of: str) -> FactChange:
    key = ("kafka:b:9092", pattern, name, of.get("principal", "User:bi"), of.get("host", "*"), operation, permission)
    return FactChange(kind="acl_rule", name=key, action=action)


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (rule(FactAction.ADDED, "LITERAL", "orders", "READ", "ALLOW"), ("orders", "User:bi may now read orders")),
        (
            rule(FactAction.GONE, "LITERAL", "orders", "READ", "ALLOW"),
            ("orders", "User:bi is no longer allowed to read orders"),
        ),
        (
            rule(FactAction.ADDED, "PREFIXED", "eu.", "WRITE", "DENY", host="10.0.0.1"),
            ("", "User:bi is now forbidden to write topics eu.* from 10.0.0.1"),
        ),
        (
            rule(FactAction.ADDED, "LITERAL", "*", "ALL", "ALLOW", principal="User:*"),
            ("", "every user may now do everything with every topic"),
        ),
        (
            rule(FactAction.GONE, "LITERAL", "orders", "DESCRIBE_CONFIGS", "DENY"),
            ("orders", "User:bi is no longer forbidden to read the settings of orders"),
        ),
    ],
)
def test_a_rule_of_access_is_a_sentence(fact: FactChange, line: tuple[str, str]) -> None:
    assert lines(fact) == [(line[0], "access", line[1])]


@pytest.mark.parametrize(
    ("action", "pattern", "permission"),
    RULES,
)
def test_each_rule_of_access_has_another_sentence(action: FactAction, pattern: str, permission: str) -> None:
    """A grant must not read like a denial, nor an added rule like a removed one."""
    said = [lines(rule(act, kind, "orders", "READ", allowed))[0][2] for act, kind, allowed in RULES]

    assert said.count(lines(rule(action, pattern, "orders", "READ", permission))[0][2]) == 1


@pytest.mark.parametrize(("action", "words"), [(FactAction.ADDED, "now reads"), (FactAction.GONE, "no longer reads")])
def test_reader_of_a_topic_is_named_in_a_sentence(action: FactAction, words: str) -> None:
    """Who began or ended to read is the news; the topic alone is not."""
    fact = FactChange(kind="consumer_group_topic", name=("kafka:k", "billing", "orders"), action=action)

    assert lines(fact) == [("orders", "reader", f"consumer group billing {words} it")]


def test_attributes_are_shown_from_what_to_what_without_hashes() -> None:
    changes = (
        AttributeChange(name="config.retention.ms", before='"1"', after='"2"'),
        AttributeChange(name="definition", before='"aa"', after='"bb"'),
    )
    fact = FactChange(kind="topic", name=("orders",), action=FactAction.CHANGED, attributes=changes)

    assert lines(fact) == [("orders", "topic", "retention.ms 1 → 2")]


def test_a_topic_without_partitions_is_no_longer_listed() -> None:
    """Deleted at the brokers, it is still named by a subject: a number that becomes empty does not say so."""
    change = AttributeChange(name="partitions", before="2", after=None)
    fact = FactChange(kind="topic", name=("orders",), action=FactAction.CHANGED, attributes=(change,))

    assert lines(fact) == [("orders", "topic", "no longer listed, only named by others; it had 2 partitions")]


def test_a_long_value_is_cut() -> None:
    change = AttributeChange(name="error", before=None, after=f'"{"x" * 900}"')
    fact = FactChange(kind="connector", name=("connect:a", "lake"), action=FactAction.CHANGED, attributes=(change,))

    ((_, what, words),) = lines(fact)

    assert what == "connector lake"
    assert len(words) < 80
