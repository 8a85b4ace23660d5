"""Subjects bound by the schema ids that records have: which are, which are not, and what is remembered."""

from __future__ import annotations

from typing import Any

import pytest

from scanner_extractor.naming.binding import Bound, RegistryNaming, bind
from scanner_extractor.naming.observed import IdsInUse, remembered_uses
from scanner_extractor.settings.cluster import NamingSettings
from scanner_model.kafka import Topic
from scanner_model.names import SourceId, SubjectName, TopicName
from scanner_model.schemas import IdAnswer, Registry, SchemaIdUse, SchemaVersion

SR, OTHER = SourceId("schema_registry:http://sr:8081"), SourceId("schema_registry:http://other:8081")
IDS = SourceId("schema_ids:k:9092")
GUID = "11111111-2222-3333-4444-555555555555"


def version(subject: str, number: int, schema_id: int, **given: Any) -> SchemaVersion:
    members: dict[str, Any] = {"source": SR, "format": "AVRO", "text": ""} | given
    return SchemaVersion(subject=SubjectName(subject), version=number, schema_id=str(schema_id), **members)


def use(topic: str, identifier: int | str, **given: Any) -> SchemaIdUse:
    answer = IdAnswer.GUID if isinstance(identifier, str) else IdAnswer.ID
    members: dict[str, Any] = {"role": "value", "records": 1, "since": "partition 0 offset 4"} | given
    return SchemaIdUse(source=IDS, topic=TopicName(topic), answer=answer, identifier=str(identifier), **members)


def bound(*versions: SchemaVersion, uses: list[SchemaIdUse], complete: bool = True, **subjects: list[str]) -> Bound:
    known = [Topic(source=SourceId("kafka:k:9092"), name=TopicName(name)) for name in ("orders", "payments")]
    naming = NamingSettings(subjects={name.replace("_", "."): topics for name, topics in subjects.items()})
    registries = [
        RegistryNaming(registry=Registry(source=source, kind="confluent", url="http://sr"), naming=naming)
        for source in (SR, OTHER)
    ]
    return bind(versions, {}, known, registries, in_use=IdsInUse(uses=uses, complete=complete))


def links(result: Bound) -> list[tuple[str, str, str, int | None, str]]:
    return [
        (link.topic, link.role.value, link.subject, link.version, link.confidence.value)
        for link in result.topic_schemas
    ]


def test_record_named_subject_is_bound_where_its_id_is_in_use() -> None:
    """All its versions are, as with subjects that a name binds; the evidence names the record."""
    versions = (version("com.acme.Order", 1, 5), version("com.acme.Order", 2, 7))
    before, after = bound(*versions, uses=[]), bound(*versions, uses=[use("orders", 5)])

    assert links(before) == []
    assert "no topic is found for 1 subject: 'com.acme.Order'" in before.problems[0].what
    assert links(after) == [
        ("orders", "value", "com.acme.Order", 1, "observed"),
        ("orders", "value", "com.acme.Order", 2, "observed"),
    ]
    assert after.problems == ()
    assert {link.evidence for link in after.topic_schemas} == {"schema id 5 in use, partition 0 offset 4"}
    assert [link.current for link in after.topic_schemas] == [False, True]


def test_several_subjects_of_a_topic_and_several_topics_of_a_subject_are_all_bound() -> None:
    """A topic of events has many types, and a type may be in many topics; a key is a side of its own."""
    versions = (version("com.acme.Order", 1, 5), version("com.acme.Payment", 1, 6))
    result = bound(*versions, uses=[use("orders", 5), use("orders", 6), use("payments", 5, role="key")])

    assert links(result) == [
        ("orders", "value", "com.acme.Order", 1, "observed"),
        ("orders", "value", "com.acme.Payment", 1, "observed"),
        ("payments", "key", "com.acme.Order", 1, "observed"),
    ]


def test_guid_names_the_schema_too() -> None:
    """As in headers."""
    result = bound(version("com.acme.Order", 1, 5, guid=GUID), uses=[use("orders", GUID)])

    assert [link.evidence for link in result.topic_schemas] == [f"schema guid {GUID} in use, partition 0 offset 4"]


def test_subject_that_is_bound_stays_as_it_is() -> None:
    """A dead letter topic has records of other topics' subjects: these do not become its own."""
    result = bound(version("orders-value", 1, 5), uses=[use("payments", 5)])

    assert links(result) == [("orders", "value", "orders-value", 1, "confirmed")]


def test_declared_topic_is_not_overridden() -> None:
    """naming.subjects is the word of people."""
    result = bound(version("com.acme.Order", 1, 5), uses=[use("payments", 5)], com_acme_Order=["orders"])

    assert [(link.topic, link.confidence.value) for link in result.topic_schemas] == [("orders", "declared")]


def test_id_that_the_topic_s_own_subject_explains_binds_no_namesake() -> None:
    """Two subjects with one schema have one id: the one that names bind there is meant."""
    result = bound(version("orders-value", 1, 5), version("com.acme.Order", 1, 5), uses=[use("orders", 5)])

    assert [link.subject for link in result.topic_schemas] == ["orders-value"]


def test_subject_whose_topic_no_source_knows_is_bound_where_it_is_in_use() -> None:
    """What its name says was an assumption, which stays beside it."""
    result = bound(version("shop.Order-value", 1, 5), uses=[use("orders", 5)])

    assert [(link.topic, link.confidence.value) for link in result.topic_schemas] == [
        ("orders", "observed"),
        ("shop.Order", "assumed"),
    ]


def test_id_of_two_registries_binds_nothing_and_is_said() -> None:
    """Each numbers its own."""
    result = bound(version("a.A", 1, 5), version("b.B", 1, 5, source=OTHER), uses=[use("orders", 5)])

    assert links(result) == []
    assert any(
        "of several registries or contexts, and bind nothing: 5 in the value of orders" in p.what
        for p in result.problems
    )


def test_id_that_no_registry_has_is_said_and_unknown_where_one_was_not_read() -> None:
    """An outage of the registry must not look like a strange id."""
    result = bound(uses=[use("orders", 9)])
    half = bound(uses=[use("orders", 9)], complete=False)

    assert "are of no registry that was read: 9 in the value of orders" in result.problems[0].what
    assert "not every registry was read" in half.problems[0].what


def test_ids_of_older_records_stay_in_use_and_keep_where_they_were_seen_first() -> None:
    """The newest records need not have every type of a topic: no later scan unbinds a subject."""
    first = [use("orders", 5), use("orders", 6)]
    now = remembered_uses([use("orders", 6, since="partition 1 offset 90")], first, {IDS: True})

    assert [(each.identifier, each.records, each.since) for each in now] == [
        ("6", 1, "partition 0 offset 4"),
        ("5", 0, "partition 0 offset 4"),
    ]


@pytest.mark.parametrize(
    ("sources", "topics"), [({IDS: False}, ["orders"]), ({IDS: True}, []), ({}, [])], ids=["unread", "other", "removed"]
)
def test_ids_are_remembered_as_long_as_their_topic_may_be_looked_at(sources: Any, topics: list[str]) -> None:
    """While the source cannot be read; not where its topic is gone, nor where the member left cluster.json."""
    now = remembered_uses([], [use("orders", 5)], sources)

    assert [each.topic for each in now] == topics
