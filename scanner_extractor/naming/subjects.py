"""A subject's text as its registry kind means it: contexts are Confluent's, groups Apicurio's, `:k` Hortonworks's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scanner_extractor.naming.candidates import Link
from scanner_model.names import TopicName
from scanner_model.schemas import DEFAULT_CONTEXT

_CONTEXT_PREFIXES = (":.", ":*:")


def seen_subject(raw: str, kind: str) -> tuple[str, str]:
    """Split *raw* into context and subject, as a registry of *kind* does; the default context is `.`.

    Only Confluent knows contexts: `:.ctx:subject`, where the subject may be empty (the context as a whole), and the
    wildcard `:*:`. Everywhere else the same text is an ordinary name.
    """
    if kind != "confluent" or not raw.startswith(_CONTEXT_PREFIXES):
        return DEFAULT_CONTEXT, raw
    context, _, subject = raw[1:].partition(":")
    return context, subject


def group_and_name(subject: str, context: str, kind: str) -> tuple[str, str]:
    """Give Apicurio's group and artifact of `group:artifact`; everything else has no group.

    The group may stand in *context* instead, where a reader has taken it apart already. The group `default` is none.
    """
    if kind != "apicurio":
        return "", subject
    group, colon, artifact = subject.partition(":")
    if not (group and colon):
        group, artifact = context, subject
    return ("" if group in (DEFAULT_CONTEXT, "default") else group), artifact


def mapped_key(mapping: Mapping[str, Sequence[str]], subject: str, context: str, kind: str) -> str | None:
    """Give the key under which *mapping* has *subject*: the most exact spelling of it, None where there is none.

    Most exact first: with its context or group, then the record that group and artifact make, then the name alone.
    """
    return next((key for key in _spellings(subject, context, kind) if key in mapping), None)


def mapped_links(mapping: Mapping[str, Sequence[str]], subject: str, context: str, kind: str) -> tuple[Link, ...]:
    """Give the topics that *mapping* (subject or record to topics) declares for *subject*."""
    key = mapped_key(mapping, subject, context, kind)
    evidence = f"naming.subjects maps {key!r} to it"
    topics = () if key is None else mapping[key]
    return tuple(Link(topic=TopicName(topic), strategy="map", evidence=evidence) for topic in topics)


def _spellings(subject: str, context: str, kind: str) -> tuple[str, ...]:
    group, name = group_and_name(subject, context, kind)
    if group:
        return f"{group}:{name}", f"{group}.{name}", name
    if context != DEFAULT_CONTEXT:
        return f":{context}:{name}", name
    return (name,)
