"""Parse subject names by registry kind: Confluent's contexts, Apicurio's groups, the suffix `:k`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scanner_model.names import RecordName, Role, TopicName
from scanner_model.schemas import DEFAULT_CONTEXT, qualified_subject

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
    *records* are the names that the schema itself has; empty: it has none; None: the schema is not available.
    """

    name: str
    group: str = ""
    records: tuple[RecordName, ...] | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One way to read a subject; *record* is the record in its name by this strategy, None if absent."""

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


_CONTEXT_PREFIXES = (":.", ":*:")
_DEFAULT_GROUP = "default"


def parse_subject(raw: str, kind: str) -> tuple[str, str]:
    """Split *raw* into context and subject, as a registry of *kind* does; the default context is `.`.

    Only Confluent knows contexts: `:.ctx:subject`, where the subject may be empty (the context as a whole), and the
    wildcard `:*:`. Everywhere else the same text is an ordinary name.
    """
    if kind != "confluent" or not raw.startswith(_CONTEXT_PREFIXES):
        return DEFAULT_CONTEXT, raw
    context, _, subject = raw[1:].partition(":")
    return context, subject


def reference_locations(context: str, subject: str) -> tuple[tuple[str, str], ...]:
    """List the (context, subject) pairs that *subject* may refer to in a schema of *context*, most probable first.

    A plain name stays in the context that it is used in. `:.ctx:subject` names a context and `group:artifact` a group
    of its own, where a registry has such; as a colon may be part of any name, both are read as names first.
    """
    own, name = parse_subject(subject, "confluent")
    if name != subject:
        return (context, subject), (own, name)
    colons = [at for at, letter in enumerate(subject) if letter == ":" and 0 < at < len(subject) - 1]
    groups = ((_group_context(subject[:at]), subject[at + 1 :]) for at in colons)
    return (context, subject), *groups


def artifact_subject(group: str, artifact: str) -> tuple[str, str]:
    """Return context and subject of an artifact: its group is the context; none, or `default`, is the default one."""
    return _group_context(group), artifact


def artifact_reference(group: str, artifact: str, context: str) -> str:
    """Write a reference that a schema of *context* makes to an artifact: with its group where it is another one."""
    own = _group_context(group)
    if own == context:
        return artifact
    return f"{_DEFAULT_GROUP if own == DEFAULT_CONTEXT else own}:{artifact}"


def group_and_name(subject: str, context: str, kind: str) -> tuple[str, str]:
    """Return Apicurio's group and artifact of `group:artifact`; everything else has no group.

    The group may be in *context* if a reader has split it already. The group `default` counts as no group.
    """
    if kind != "apicurio":
        return "", subject
    group, colon, artifact = subject.partition(":")
    if context != DEFAULT_CONTEXT or not (group and colon):
        group, artifact = context, subject
    return ("" if group in (DEFAULT_CONTEXT, _DEFAULT_GROUP) else group), artifact


def mapped_key(mapping: Mapping[str, Sequence[str]], subject: str, context: str, kind: str) -> str | None:
    """Return the key under which *mapping* has *subject*: the most exact spelling of it, None if absent.

    Most exact first: with its context or group, then the record that group and artifact make, then the name alone.
    """
    return next((key for key in _spellings(subject, context, kind) if key in mapping), None)


def mapped_links(mapping: Mapping[str, Sequence[str]], subject: str, context: str, kind: str) -> tuple[Link, ...]:
    """Return the topics that *mapping* (subject or record to topics) declares for *subject*."""
    key = mapped_key(mapping, subject, context, kind)
    evidence = f"naming.subjects maps {key!r} to it"
    topics = () if key is None else mapping[key]
    return tuple(Link(topic=TopicName(topic), strategy="map", evidence=evidence) for topic in topics)


def _spellings(subject: str, context: str, kind: str) -> tuple[str, ...]:
    group, name = group_and_name(subject, context, kind)
    if group:
        return f"{group}:{name}", f"{group}.{name}", name
    if context != DEFAULT_CONTEXT:
        return qualified_subject(context, name), name
    return (name,)


def _group_context(group: str) -> str:
    return DEFAULT_CONTEXT if group in ("", _DEFAULT_GROUP) else group
