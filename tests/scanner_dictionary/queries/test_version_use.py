"""Which versions of a subject are in use, by the ids in records, by files, and by how long a topic keeps records."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from scanner_dictionary.queries.version_use import version_uses
from scanner_dictionary.validation import validate
from scanner_dictionary.write.scan import write_scan
from scanner_model.names import SourceId, SubjectName, TopicName
from scanner_model.schemas import IdAnswer, Reference, SchemaIdUse

DELETE = (("cleanup.policy", "delete"), ("retention.ms", "86400000"), ("segment.ms", "86400000"))
COMPACT = (("cleanup.policy", "compact"),)
FILES = SourceId("repository:shop")


@pytest.fixture
def uses(dictionary, sample, at):
    """Return a function from what records show, 30 days after both versions came, to the use of each version."""

    def run(*shown: SchemaIdUse, config=DELETE, days=30, **more):
        topics = (sample.topic("orders", config=config),)
        for when in (at, at + timedelta(days=days)):
            facts = {"topics": topics, **more} | ({"schema_id_uses": shown} if when > at else {})
            write_scan(dictionary, sample.orders(**facts), started=when, finished=when)
        with dictionary.connect() as conn:
            rows = [row for row in version_uses(conn) if row.subject == "orders-value"]
            findings = [item.where for item in validate(conn) if item.rule == "unused-version"]
        return {row.version: row for row in rows}, findings

    return run


def shown(sample, identifier: str, records: int = 5, answer: IdAnswer = IdAnswer.ID) -> SchemaIdUse:
    time = "2026-02-01T00:00:00Z" if records else ""
    return SchemaIdUse(
        source=sample.kafka,
        topic=TopicName("orders"),
        role="value" if identifier else "",
        answer=answer,
        identifier=identifier,
        records=records,
        time=time,
    )


def test_an_old_version_that_no_record_can_have_any_more_is_a_finding(uses, sample) -> None:
    found, findings = uses(shown(sample, "102"))

    assert {number: row.use for number, row in found.items()} == {1: "unused", 2: "newest"}
    assert found[1].records == 0
    assert found[2].records == 5
    assert "keeps none for 2 days" in found[1].why
    assert findings == ["subject 'orders-value' version 1"]


@pytest.mark.parametrize(("records", "use"), [(3, "written"), (0, "in-records")])
def test_a_version_that_records_have_is_in_use(uses, sample, records, use) -> None:
    found, findings = uses(shown(sample, "101", records), shown(sample, "102"))

    assert (found[1].use, findings) == (use, [])


@pytest.mark.parametrize(
    ("config", "days", "why"),
    [
        (COMPACT, 30, "unknown or without end"),
        ((), 30, "unknown or without end"),
        (DELETE, 1, "keeps records for up to"),
    ],
)
def test_a_version_whose_records_may_still_be_there_is_unknown(uses, sample, config, days, why) -> None:
    found, findings = uses(shown(sample, "102"), config=config, days=days)

    assert (found[1].use, findings) == ("unknown", [])
    assert why in found[1].why


@pytest.mark.parametrize("answer", [IdAnswer.REFUSED, IdAnswer.UNREAD])
def test_records_that_were_not_read_prove_nothing(uses, sample, answer) -> None:
    refused, findings = uses(shown(sample, "102"), shown(sample, "", 0, answer))

    assert (refused[1].use, refused[1].records, findings) == ("unknown", None, [])


def test_without_a_look_at_records_no_version_is_unused(uses) -> None:
    found, findings = uses()

    assert (found[1].use, findings) == ("unknown", [])
    assert "observe_schema_ids" in found[1].why


def test_a_version_that_another_schema_refers_to_is_in_use(uses, sample) -> None:
    reference = Reference(name="T", subject=SubjectName("orders-value"), version=1)
    versions = (*sample.orders().versions, replace(sample.version("bills-value"), references=(reference,)))
    found, findings = uses(shown(sample, "102"), versions=versions)

    assert (found[1].use, findings) == ("referenced", [])
    assert "bills-value" in found[1].why


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("101", {1: ("written", "orders-value version 1 refers to it: "), 2: ("newest", "orders-value version 2 ")}),
        ("102", {1: ("unused", "orders-value version 1 refers to it: "), 2: ("newest", "orders-value version 2 ")}),
    ],
)
def test_a_version_without_a_topic_is_used_by_those_that_refer_to_it(
    dictionary, sample, at, identifier, expected
) -> None:
    """A type of its own subject is in the records of each schema that has it."""
    first, second = (
        replace(version, references=(Reference(name="T", subject=SubjectName("address"), version=version.version),))
        for version in sample.orders().versions
        if version.subject == "orders-value"
    )
    types = [
        replace(sample.version("address", number, fields=(f"street{number}",)), schema_id=str(900 + number))
        for number in (1, 2)
    ]
    facts = {"topics": (sample.topic("orders", config=DELETE),), "versions": (first, second, *types)}
    for when in (at, at + timedelta(days=30)):
        shown_then = {"schema_id_uses": (shown(sample, identifier),)} if when > at else {}
        write_scan(dictionary, sample.orders(**facts, **shown_then), started=when, finished=when)
    with dictionary.connect() as conn:
        found = {row.version: row for row in version_uses(conn, subject="address")}

    assert {number: row.use for number, row in found.items()} == {number: use for number, (use, _) in expected.items()}
    assert all(found[number].why.startswith(why) for number, (_, why) in expected.items())
    assert {row.topic for row in found.values()} == {"orders"}
