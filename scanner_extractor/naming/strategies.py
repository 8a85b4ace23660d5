"""The table of naming strategies: those of Confluent's serialisers, which most registries share, and plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import regex

from scanner_extractor.naming.subjects import SUFFIXES, Candidate, Strategy, Subject, declared, proposal
from scanner_extractor.systems import NAMING
from scanner_model.documents.json_positions import closest_match
from scanner_model.documents.pattern_limits import TimeLimit, is_too_large
from scanner_model.errors import InputInvalid
from scanner_model.lazy_names import load
from scanner_model.names import RecordName, Role
from scanner_model.plugins import NAMING_STRATEGIES, REGISTRIES, Plugin, plugins


def by_group_and_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read group `shop`, artifact `Created` as record `shop.Created` in its declared topics (RecordIdStrategy)."""
    return declared(subject, "apicurio-record", _full_name(subject.group, subject.name))


def by_group_topic_and_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read group `shop`, artifact `orders-Created` as record `shop.Created` in topic `orders`.

    So TopicRecordIdStrategy names them; in 1.x it wrote the record's full name. An unknown group agrees with every
    namespace.
    """
    splits = _artifact_at_last_dash(subject) if subject.records is None else _artifact_before(subject)
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


def _artifact_at_last_dash(subject: Subject) -> Iterator[tuple[str, RecordName]]:
    topic, _, record = subject.name.rpartition("-")
    if record and record not in SUFFIXES:
        yield topic, _full_name(subject.group, record)


def _artifact_before(subject: Subject) -> Iterator[tuple[str, RecordName]]:
    for record in dict.fromkeys(subject.records or ()):
        namespace, _, simple = record.rpartition(".")
        if record and subject.name.endswith(f"-{record}"):
            yield subject.name.removesuffix(f"-{record}"), record
        elif simple and subject.name.endswith(f"-{simple}") and subject.group in ("", namespace):
            yield subject.name.removesuffix(f"-{simple}"), record


def by_topic(subject: Subject) -> tuple[Candidate, ...]:
    """Read `orders-value` as the value of topic `orders` (TopicNameStrategy); exactly one suffix is taken off."""
    topic, _, suffix = subject.name.rpartition("-")
    role = SUFFIXES.get(suffix)
    return proposal(topic, role, "topic") if role else ()


def by_topic_and_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read `orders-shop.Created` as record `shop.Created` in topic `orders` (TopicRecordNameStrategy).

    The record's name is the schema's own, because a JSON title may hold dashes; only where the schema is not
    available does the last dash split, and a suffix `key` or `value` is then TopicNameStrategy's.
    """
    splits = _at_last_dash(subject.name) if subject.records is None else _before(subject.name, subject.records)
    return tuple(
        candidate for topic, record in splits for candidate in proposal(topic, Role.VALUE, "topic-record", record)
    )


def by_record(subject: Subject) -> tuple[Candidate, ...]:
    """Read `shop.Created` as that record in the topics declared for it (RecordNameStrategy names no topic)."""
    return declared(subject, "record", RecordName(subject.name))


def by_simple_topic(subject: Subject) -> tuple[Candidate, ...]:
    """Read `orders` as the value of topic `orders` (SimpleTopicIdStrategy; the default of AWS, for keys as well)."""
    return proposal(subject.name, Role.VALUE, "simple-topic-id")


def by_association(subject: Subject) -> tuple[Candidate, ...]:
    """Return the registry's own associations of the subject (AssociatedNameStrategy)."""
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


PREFIX = "regex:"

_ROLES = {"": Role.VALUE, "key": Role.KEY, "k": Role.KEY, "value": Role.VALUE, "val": Role.VALUE, "v": Role.VALUE}


def regex_strategy(name: str, limit: TimeLimit | None = None) -> Strategy:
    """Build a strategy of `regex:PATTERN`; the pattern must match the whole subject.

    Group `topic` is required; `role` (key, k, value, val, v in any case; absent: value) and `record` are optional.
    Other roles do not match. Raises InputInvalid for a pattern that cannot be used, and the
    strategy raises it for a subject on which the pattern takes too long.
    """
    pattern = _compiled(name)
    if "topic" not in pattern.groupindex:
        hint = "write (?P<topic>…) around the topic; (?P<role>…) and (?P<record>…) are optional"
        raise InputInvalid(f"naming strategy {name!r} has no group called topic", hint=hint)
    time_limit = limit or TimeLimit()

    def by_pattern(subject: Subject) -> tuple[Candidate, ...]:
        match = time_limit.run(pattern.fullmatch, subject.name, pattern.pattern)
        groups = match.groupdict(default="") if match else {}
        role = _ROLES.get(groups.get("role", "").lower())
        if not match or role is None:
            return ()
        return proposal(groups["topic"], role, name, RecordName(groups.get("record", "")) or None)

    return by_pattern


def _compiled(name: str) -> regex.Pattern[str]:
    text = name.removeprefix(PREFIX)
    if is_too_large(text):
        raise InputInvalid(f"naming strategy {name!r} repeats too much to be evaluated")
    try:
        return regex.compile(text)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputInvalid(f"naming strategy {name!r} is not a regular expression: {error}") from error


STRATEGIES: Mapping[str, Strategy] = {
    "topic": by_topic,
    "topic-record": by_topic_and_record,
    "record": by_record,
    "simple-topic-id": by_simple_topic,
    "apicurio-record": by_group_and_record,
    "apicurio-topic-record": by_group_topic_and_record,
    "apicurio-qualified-record": by_qualified_record,
    "associated": by_association,
}


def strategies_in_force(names: Sequence[str], kind: str) -> tuple[Strategy, ...]:
    """Return the strategies called *names* in their order; without names, those of the registry type *kind*.

    Raises InputInvalid for an unknown name and for a pattern that cannot be used. A plug-in is loaded when it is
    called, and raises PluginError then where it cannot be.
    """
    return tuple(map(_strategy, names or default_names(kind)))


def default_names(kind: str) -> tuple[str, ...]:
    """Return the strategies of a registry type; a plug-in's type that lists none has those of Confluent's."""
    if kind in NAMING or kind not in plugins(REGISTRIES):
        return NAMING.get(kind, NAMING["karapace"])
    naming: tuple[str, ...] = load("scanner_extractor.registries:REGISTRIES")[kind].naming
    return naming or NAMING["karapace"]


def _strategy(name: str) -> Strategy:
    if name.startswith(PREFIX):
        return _regex(name)
    if name in STRATEGIES:
        return STRATEGIES[name]
    others = plugins(NAMING_STRATEGIES)
    if name not in others:
        known = (*STRATEGIES, *others)
        hint = closest_match(name, known) or f"known: {', '.join(known)}, regex:PATTERN"
        raise InputInvalid(f"no naming strategy is called {name!r}", hint=hint)
    return _plugged_in(others[name])


_regex = lru_cache(maxsize=256)(regex_strategy)


@lru_cache(maxsize=256)
def _plugged_in(plugin: Plugin) -> Strategy:
    """Return the strategy of a plug-in; one that cannot be loaded, or fails, raises PluginError where it is called."""
    read = plugin.load_or_raise_later()

    def strategy(subject: Subject) -> tuple[Candidate, ...]:
        candidates = read(subject)
        if isinstance(candidates, tuple) and all(isinstance(candidate, Candidate) for candidate in candidates):
            return candidates
        raise plugin.error(f"returned {type(candidates).__name__}, which is not a tuple of Candidate")

    return strategy
