"""What each strategy makes of the names that it gives, and of those that only look like them."""

from __future__ import annotations

import pytest

from scanner_extractor.naming import STRATEGIES, Link, Subject, propose
from scanner_extractor.naming.strategies import regex_strategy
from scanner_model.documents.pattern_limits import TimeLimit
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName, Role, TopicName

ORDERS = TopicName("orders")


def readings(strategy: str, name: str, *records: str, group: str = "", links: tuple[Link, ...] = ()):
    seen = Subject(name=name, group=group, records=tuple(map(RecordName, records)) if records else None, links=links)
    return [(candidate.topic, candidate.role.value, candidate.record) for candidate in STRATEGIES[strategy](seen)]


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("orders-value", [("orders", "value", None)]),
        ("orders-key", [("orders", "key", None)]),
        ("audit-value-key", [("audit-value", "key", None)]),
        ("eu.orders_v1-eu-value", [("eu.orders_v1-eu", "value", None)]),
        ("orders-Value", []),
        ("orders", []),
        ("a b-value", []),
    ],
)
def test_topic_strategy_takes_off_exactly_one_suffix(subject, expected) -> None:
    """Only the last suffix is the strategy's; the rest belongs to the topic."""
    assert readings("topic", subject) == expected


@pytest.mark.parametrize(
    ("subject", "records", "expected"),
    [
        ("orders-shop.Created", ["shop.Created"], [("orders", "value", "shop.Created")]),
        ("eu-orders-shop.Created", [], [("eu-orders", "value", "shop.Created")]),
        ("orders-new-order", ["new-order"], [("orders", "value", "new-order")]),
        (
            "orders-new-order",
            ["order", "new-order"],
            [("orders-new", "value", "order"), ("orders", "value", "new-order")],
        ),
        ("orders-shop.Created", ["shop.Cancelled"], []),
        ("shop.Created", ["shop.Created"], []),
        ("orders-value", [], []),
        ("orders-value", ["value"], [("orders", "value", "value")]),
    ],
)
def test_topic_record_strategy_takes_the_name_from_the_schema(subject, records, expected) -> None:
    """A JSON title may hold dashes, so only the schema knows where the topic ends; unseen, the last dash splits."""
    assert readings("topic-record", subject, *records) == expected


@pytest.mark.parametrize(
    ("strategy", "subject", "group", "record"),
    [
        ("record", "shop.Created", "", "shop.Created"),
        ("apicurio-record", "Created", "shop", "shop.Created"),
        ("apicurio-record", "shop.Created", "shop", "shop.Created"),
        ("apicurio-qualified-record", "shop.Created", "", "shop.Created"),
    ],
)
def test_record_strategies_name_the_record_and_need_declared_topics(strategy, subject, group, record) -> None:
    """No topic is in such a name, so only somebody who knows can tell it."""
    link = Link(topic=ORDERS, strategy="map", evidence="cluster.json")

    assert readings(strategy, subject, group=group) == []
    assert readings(strategy, subject, group=group, links=(link,)) == [("orders", "value", record)]
    assert readings(strategy, subject, "shop.Other", group=group, links=(link,)) == []


def test_qualified_record_strategy_has_no_group() -> None:
    """Apicurio's QualifiedRecordIdStrategy writes into the default group only."""
    link = Link(topic=ORDERS, strategy="map", evidence="cluster.json")

    assert readings("apicurio-qualified-record", "shop.Created", group="shop", links=(link,)) == []


@pytest.mark.parametrize(
    ("subject", "group", "records", "expected"),
    [
        ("orders-Created", "shop", ["shop.Created"], [("orders", "value", "shop.Created")]),
        ("orders-shop.Created", "", ["shop.Created"], [("orders", "value", "shop.Created")]),
        ("orders-Created", "", ["shop.Created"], [("orders", "value", "shop.Created")]),
        ("orders-Created", "other", ["shop.Created"], []),
        ("orders-Created", "shop", [], [("orders", "value", "shop.Created")]),
        ("orders-Created", "", ["Created"], [("orders", "value", "Created")]),
        ("orders-value", "shop", [], []),
    ],
)
def test_apicurio_keeps_the_namespace_in_the_group(subject, group, records, expected) -> None:
    """Since 2.0 the artifact bears the simple name; 1.x wrote the full one."""
    assert readings("apicurio-topic-record", subject, *records, group=group) == expected


def test_association_is_repeated_with_its_side() -> None:
    """The registry itself says so: nothing is read from the name."""
    link = Link(topic=ORDERS, strategy="associated", evidence="registry", role=Role.KEY)

    assert readings("associated", "anything", links=(link,)) == [("orders", "key", None)]
    assert readings("record", "anything", links=(link,)) == []


@pytest.mark.parametrize(
    ("pattern", "subject", "expected"),
    [
        (r"(?P<topic>.+)\.(?P<role>k|v)", "eu.orders.k", [("eu.orders", "key", None)]),
        (r"(?P<topic>.+)_(?P<record>[A-Z]\w*)", "orders_Created", [("orders", "value", "Created")]),
        (r"(?P<topic>.+)\.(?P<role>\w+)", "orders.VALUE", [("orders", "value", None)]),
        (r"(?P<topic>.+)\.(?P<role>\w+)", "orders.payload", []),
        (r"(?P<topic>ord)", "orders", []),
        (r"(?P<topic>.*)x", "x", []),
        (r"(?P<topic>\w+)(?:-(?P<role>key))?", "orders", [("orders", "value", None)]),
    ],
)
def test_pattern_must_match_the_whole_subject(pattern, subject, expected) -> None:
    """A pattern that matched a part would bind `orders` to everything that begins like it."""
    strategy = regex_strategy(f"regex:{pattern}")

    result = [(item.topic, item.role.value, item.record) for item in strategy(Subject(name=subject))]

    assert result == expected


SLOW = "regex:(?P<topic>([a-z]|[a-z][a-z])+)(-value)?"


def test_a_name_on_which_a_pattern_takes_too_long_is_read_by_the_other_strategies() -> None:
    """`re` would search for years and could not be stopped; that the pattern does not match is not known."""
    strategy = regex_strategy(SLOW, TimeLimit(each=0, total=0, least=0))

    proposed = propose(Subject(name="a!-value"), (strategy, STRATEGIES["topic-record"], STRATEGIES["topic"]))
    fitting = propose(Subject(name="ab-value"), (regex_strategy(SLOW), STRATEGIES["topic"]))

    assert [error.pattern for error in proposed.failed] == [SLOW.removeprefix("regex:")]
    assert (fitting.failed, [candidate.topic for candidate in fitting.read]) == ((), ["ab", "ab"])


@pytest.mark.parametrize("pattern", ["(", r"(?P<tópico>.+)-value", ".*", "(?P<topic>a){99999999999999999999}"])
def test_pattern_that_cannot_be_used_is_the_users_to_mend(pattern) -> None:
    """A typing error must be reported before the scan, not as a subject without a topic after it."""
    with pytest.raises(InputInvalid):
        regex_strategy(f"regex:{pattern}")
