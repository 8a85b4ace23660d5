"""Topics whose subject is an alias of another subject."""

from __future__ import annotations

import pytest

from scanner_model.names import Role, TopicName
from scanner_model.scan import SourceStatus
from scanner_model.schemas import Association

TOPICS = frozenset(map(TopicName, ("orders", "orders-archive", "clicks")))


def links(reading) -> list[tuple[str, str, Role]]:
    return [(link.subject, link.topic, link.role) for link in reading.of(Association)]


def read_with_topics(read, registry, **options):
    return read(registry, topics=TOPICS, strategies=("associated", "topic"), **options)


def test_topic_without_a_subject_has_the_subject_behind_its_alias(serving, stored, read) -> None:
    registry = serving("confluent", stored("orders-value"), aliases={"orders-archive-value": "orders-value"})

    assert links(read_with_topics(read, registry)) == [("orders-value", "orders-archive", Role.VALUE)]
    assert registry.asked("/config/orders-archive-value") == registry.asked("/config/clicks-value") == 1
    assert registry.asked("/config/orders-value") == 0


def test_alias_leads_into_another_context(serving, stored, read) -> None:
    registry = serving("confluent", stored(":.eu:orders-value"), aliases={"clicks-value": ":.eu:orders-value"})

    (link,) = read_with_topics(read, registry).of(Association)

    assert (link.context, link.subject, link.topic) == (".eu", "orders-value", "clicks")


@pytest.mark.parametrize("flavour", ["confluent-6.1", "karapace"])
def test_registry_without_aliases_is_not_asked_for_them(serving, stored, read, flavour: str) -> None:
    registry = serving(flavour, stored("orders-value"), aliases={"clicks-value": "orders-value"})

    assert links(read_with_topics(read, registry)) == []
    assert registry.asked("/config/") == 0


@pytest.mark.parametrize(("status", "expected"), [(403, SourceStatus.READ), (500, SourceStatus.PARTIAL)])
def test_failed_lookups_are_reported_once(serving, stored, read, fake, status: int, expected: SourceStatus) -> None:
    """Refusal is permanent, and does not make each scan partial."""
    denied = {f"/config/{topic}-value": fake.Fault(status=status) for topic in TOPICS}
    registry = serving("confluent", stored("orders-value"), faults=denied)

    reading = read_with_topics(read, registry)

    (problem,) = reading.problems
    assert "aliases of 2 topics" in problem.what
    assert reading.outcome.status is expected


def test_lookups_are_progress(serving, stored, read) -> None:
    """A source without progress is given up, and a slow registry takes minutes for thousands of topics."""
    registry = serving("confluent", stored("orders-value"))
    reports: list[int] = []

    read_with_topics(read, registry, progress=lambda _source, done, _total: reports.append(done))

    assert {2, 3} <= set(reports)  # one version, then each of two lookups
