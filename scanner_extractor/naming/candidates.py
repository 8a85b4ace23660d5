"""Input and output of naming strategies: subjects and candidates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from scanner_model.names import RecordName, Role, TopicName

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")

SUFFIXES = {"key": Role.KEY, "value": Role.VALUE}
"""What TopicNameStrategy puts after the last dash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A topic declared for a subject; *role* None: by the subject's suffix, else value.

    *strategy* is `associated` (registry), `map` (cluster.json) or `manual`; *evidence* is its location.
    """

    topic: TopicName
    strategy: str
    evidence: str
    role: Role | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A subject as input of naming strategies.

    *name* has no context and no group. *group* is Apicurio's, empty for the default one or where unknown.
    *records* are the names that the schema itself bears; empty: it has none; None: the schema is not available.
    """

    name: str
    group: str = ""
    records: tuple[RecordName, ...] | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One way to read a subject; *record* is the record in its name by this strategy, None where there is none."""

    topic: TopicName
    role: Role
    strategy: str
    record: RecordName | None = None


Strategy = Callable[[Subject], tuple[Candidate, ...]]
"""Propose every reading of a subject that this strategy allows; an empty tuple: it could not have made this name."""


def is_topic_name(name: str) -> bool:
    """Return whether Kafka would accept *name* as a topic (Kafka's `Topic.validate`)."""
    return name not in (".", "..") and bool(_TOPIC.fullmatch(name))


def proposal(topic: str, role: Role, strategy: str, record: RecordName | None = None) -> tuple[Candidate, ...]:
    """Propose *topic*, or nothing where its name is not a legal one."""
    if not is_topic_name(topic):
        return ()
    return (Candidate(topic=TopicName(topic), role=role, strategy=strategy, record=record),)


def suffix_role(name: str) -> Role:
    """Return the side given by the suffix of *name* (`-key`, `:k`), value by convention."""
    return Role.KEY if name.endswith(("-key", ":k")) else Role.VALUE


def declared(subject: Subject, strategy: str, record: RecordName) -> tuple[Candidate, ...]:
    """Propose the topics that were declared for a subject whose name holds a record and no topic."""
    if subject.records is not None and record not in subject.records:
        return ()
    return tuple(
        Candidate(topic=link.topic, role=link.role or Role.VALUE, strategy=strategy, record=record)
        for link in subject.links
        if link.strategy != "associated"
    )
