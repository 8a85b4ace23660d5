"""The naming strategies of Confluent's serialisers, which Karapace and most other registries share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scanner_extractor.naming.candidates import SUFFIXES, Candidate, Subject, declared, proposal
from scanner_model.names import RecordName, Role


def by_topic(subject: Subject) -> tuple[Candidate, ...]:
    """Read `orders-value` as the value of topic `orders` (TopicNameStrategy); exactly one suffix is taken off."""
    topic, _, suffix = subject.name.rpartition("-")
    role = SUFFIXES.get(suffix)
    return proposal(topic, role, "topic") if role else ()


def by_topic_and_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read `orders-shop.Created` as record `shop.Created` in topic `orders` (TopicRecordNameStrategy).

    The record's name is the schema's own, because a JSON title may hold dashes; only where the schema was not seen
    does the last dash split, and a suffix `key` or `value` is then TopicNameStrategy's.
    """
    splits = _at_last_dash(subject.name) if subject.records is None else _before(subject.name, subject.records)
    return tuple(
        candidate for topic, record in splits for candidate in proposal(topic, Role.VALUE, "topic-record", record)
    )


def by_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read `shop.Created` as that record in the topics declared for it (RecordNameStrategy names no topic)."""
    return declared(subject, "record", RecordName(subject.name))


def by_simple_topic(subject: Subject) -> tuple[Candidate, ...]:
    """Read `orders` as the value of topic `orders` (SimpleTopicIdStrategy; the default of Glue, for keys as well)."""
    return proposal(subject.name, Role.VALUE, "simple-topic-id")


def by_association(subject: Subject) -> tuple[Candidate, ...]:
    """Repeat what the registry itself associates the subject with (AssociatedNameStrategy): nothing is guessed."""
    return tuple(
        Candidate(topic=link.topic, role=link.role or Role.VALUE, strategy="associated")
        for link in subject.links
        if link.strategy == "associated"
    )


def _at_last_dash(name: str) -> Iterator[tuple[str, RecordName]]:
    topic, _, record = name.rpartition("-")
    if record and record not in SUFFIXES:
        yield topic, RecordName(record)


def _before(name: str, records: Iterable[RecordName]) -> Iterator[tuple[str, RecordName]]:
    for record in dict.fromkeys(records):
        if record and name.endswith(f"-{record}"):
            yield name.removesuffix(f"-{record}"), record
