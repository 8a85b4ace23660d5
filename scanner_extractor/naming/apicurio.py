"""The naming strategies of Apicurio's serialisers: a group, and an artifact in it (2.0 and later, and 1.x)."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.naming.candidates import SUFFIXES, Candidate, Subject, declared, proposal
from scanner_model.names import RecordName, Role


def by_group_and_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read group `shop`, artifact `Created` as record `shop.Created` in its declared topics (RecordIdStrategy)."""
    return declared(subject, "apicurio-record", _full_name(subject.group, subject.name))


def by_group_topic_and_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read group `shop`, artifact `orders-Created` as record `shop.Created` in topic `orders`.

    So TopicRecordIdStrategy names them; in 1.x it wrote the record's full name. A group that is not told agrees with
    every namespace.
    """
    splits = _at_last_dash(subject) if subject.records is None else _before(subject)
    return tuple(
        candidate
        for topic, record in splits
        for candidate in proposal(topic, Role.VALUE, "apicurio-topic-record", record)
    )


def by_qualified_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read artifact `shop.Created` of no group as that record in the topics declared for it."""
    if subject.group:
        return ()
    return declared(subject, "apicurio-qualified-record", RecordName(subject.name))


def _full_name(namespace: str, name: str) -> RecordName:
    return RecordName(f"{namespace}.{name}" if namespace and "." not in name else name)


def _at_last_dash(subject: Subject) -> Iterator[tuple[str, RecordName]]:
    topic, _, record = subject.name.rpartition("-")
    if record and record not in SUFFIXES:
        yield topic, _full_name(subject.group, record)


def _before(subject: Subject) -> Iterator[tuple[str, RecordName]]:
    for record in dict.fromkeys(subject.records or ()):
        namespace, _, simple = record.rpartition(".")
        if record and subject.name.endswith(f"-{record}"):
            yield subject.name.removesuffix(f"-{record}"), record
        elif simple and subject.name.endswith(f"-{simple}") and subject.group in ("", namespace):
            yield subject.name.removesuffix(f"-{simple}"), record
