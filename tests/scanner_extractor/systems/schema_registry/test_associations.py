"""Explicit links of topics to subjects: read where they may decide, with few requests."""

from __future__ import annotations

import pytest

from scanner_model.names import Role
from scanner_model.scan import SourceStatus
from scanner_model.schemas import Association, SchemaVersion

LINKS = {
    "a": [{"resourceName": "orders", "resourceType": "topic", "associationType": "value"}],
    "b": [{"resourceName": "orders", "resourceType": "topic", "associationType": "key"}],
}


def links(reading) -> list[tuple[str, str, Role]]:
    return [(link.subject, link.topic, link.role) for link in reading.of(Association)]


EXPECTED = [("a", "orders", Role.VALUE), ("b", "orders", Role.KEY)]


def test_associations_in_rows_need_no_request(serving, stored, read) -> None:
    """Newer servers list them beside the schemas."""
    registry = serving("confluent", *map(stored, "abc"), associations=LINKS, inline_associations=True)

    assert links(read(registry, strategies=("associated",))) == EXPECTED
    assert registry.asked("/associations") == registry.asked("resourceType") == 0


def test_one_list_reports_the_associations_of_all_subjects(serving, stored, read) -> None:
    """A request for each of a thousand subjects would cost more than everything else."""
    registry = serving("confluent", *map(stored, "abc"), associations=LINKS)

    assert links(read(registry, strategies=("associated",))) == EXPECTED
    assert (registry.asked("/associations"), registry.asked("resourceType")) == (1, 2)


def test_default_strategies_of_confluent_request_them(serving, stored, read) -> None:
    """What the registry says itself comes before every convention."""
    registry = serving("confluent", *map(stored, "abc"), associations=LINKS)

    assert links(read(registry, strategies=())) == EXPECTED


def test_nobody_queries_where_no_strategy_uses_them(serving, stored, read) -> None:
    """Requests are limited."""
    registry = serving("confluent", *map(stored, "abc"), associations=LINKS)
    read(registry, strategies=("topic",))

    assert registry.asked("/associations") == 0


def test_registry_before_8_2_is_queried_once(serving, stored, read) -> None:
    """It does not know the word; to ask again for each subject would be a thousand requests."""
    registry = serving("confluent-7.4", *map(stored, "abc"))
    reading = read(registry, strategies=("associated",))

    assert (reading.of(Association), reading.problems) == ((), ())
    assert (registry.asked("/associations"), registry.asked("resourceType")) == (1, 0)


@pytest.mark.parametrize("status", [403, 404, 422])
def test_subjects_are_queried_one_by_one_where_no_list_shows_them(status, serving, stored, read, fake) -> None:
    """Slow, and complete; a list of everything may be refused to who may read each subject."""
    fault = fake.Fault(status=status, body=fake.FORBIDDEN)
    registry = serving("confluent", *map(stored, "abc"), associations=LINKS, faults={"/schemas": fault})

    assert links(read(registry, strategies=("associated",))) == EXPECTED
    assert registry.asked("/associations") == 4


@pytest.mark.parametrize("status", [403, 500])
def test_associations_that_cannot_be_queried_are_reported(status, serving, stored, read, fake) -> None:
    """Names are then read by the other strategies; the schemas themselves are complete."""
    faults = {"/associations/subjects/a": fake.Fault(status=status)}
    reading = read(serving("confluent", stored("a"), faults=faults), strategies=("associated",))

    assert (reading.outcome.status, len(reading.of(SchemaVersion)), len(reading.problems)) == (SourceStatus.READ, 1, 1)


def test_one_subjects_associations_that_fail_are_reported(serving, stored, read, fake) -> None:
    """The other subjects are bound all the same."""
    path = "/schemas?subjectPrefix=%3A%2A%3A&offset=0&limit=1000&latestOnly=true&resourceType=topic"
    faults = {path: fake.Fault(status=404), "/associations/subjects/b": fake.Fault(status=500)}
    reading = read(
        serving("confluent", *map(stored, "ab"), associations=LINKS, faults=faults), strategies=("associated",)
    )

    assert links(reading) == EXPECTED[:1]
    assert [problem.where.rpartition(" ")[2] for problem in reading.problems] == ["'b'"]


@pytest.mark.parametrize("body", [b"{}", b"[7]", b'[{"associationType": "value", "resourceName": 7}]'])
def test_associations_of_another_form_delete_none(body, serving, stored, read, fake) -> None:
    """What the registry associates is unknown, so that the topics that are known stay bound."""
    faults = {"/associations/subjects/a": fake.Fault(status=200, body=body)}
    outcome = read(serving("confluent", stored("a"), faults=faults), strategies=("associated",)).outcome

    assert (outcome.status, outcome.unread) == (SourceStatus.PARTIAL, frozenset())
