"""Every naming strategy of the table, ours and tomorrow's, against subjects that people really have."""

from __future__ import annotations

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.naming import STRATEGIES, Link, Strategy, Subject, is_topic_name, strategies_in_force
from scanner_model.names import RecordName, TopicName
from scanner_model.plugins import NAMING_STRATEGIES, own_plugins

AWKWARD = [
    "",
    "-",
    "-value",
    "-key",
    ":k",
    "value",
    "orders",
    "orders-value",
    "orders-value\n",
    "orders-value-key",
    ".-value",
    "..-value",
    "заказы-key",
    "a/b-value",
    "a b",
    ":.ctx:orders-value",
    "shop.Order",
    "orders-shop.Order",
    "x" * 249 + "-value",
    "x" * 250 + "-value",
    "orders:k",
    "group:orders-Order",
]
RECORDS = [None, (), (RecordName("shop.Order"),), (RecordName("a - b"), RecordName(""))]
NAMES = [*STRATEGIES, *own_plugins(NAMING_STRATEGIES)]
LINK = Link(topic=TopicName("payments"), strategy="map", evidence="cluster.json")


def strategy(name: str) -> Strategy:
    """Return the strategy called *name*."""
    return strategies_in_force([name], "")[0]


@pytest.mark.parametrize("name", NAMES)
def test_strategy_proposes_only_topics_that_kafka_would_take(name) -> None:
    """A topic that cannot exist would stand in the dictionary for ever and match nothing."""
    wrong = [
        (subject, records, candidate.topic)
        for subject in AWKWARD
        for records in RECORDS
        for candidate in strategy(name)(Subject(name=subject, records=records))
        if not is_topic_name(candidate.topic)
    ]

    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_strategy_signs_what_it_proposes(name) -> None:
    """The dictionary keeps the strategy as the reason of a link, so it must be the one that made it."""
    wrong = [
        (subject, candidate)
        for subject in AWKWARD
        for candidate in strategy(name)(Subject(name=subject, links=(LINK,)))
        if candidate.strategy != name
    ]

    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
@examples(40)
@given(subject=st.text(max_size=30), group=st.text(max_size=5), record=st.text(max_size=10))
def test_strategy_answers_for_any_text_and_twice_the_same(name, subject, group, record) -> None:
    """A strategy is a pure function of a name that anybody may have typed."""
    seen = Subject(name=subject, group=group, records=(RecordName(record),))

    assert strategy(name)(seen) == strategy(name)(seen)


@pytest.mark.parametrize("name", NAMES)
def test_strategy_never_takes_a_part_of_a_topic_for_the_topic(name) -> None:
    """`orders` must never get the schema of `orders.RETRY`: another topic's name only begins alike."""
    candidates = strategy(name)(Subject(name="orders.RETRY-value", records=(RecordName("RETRY-value"),)))

    assert TopicName("orders") not in {candidate.topic for candidate in candidates}
