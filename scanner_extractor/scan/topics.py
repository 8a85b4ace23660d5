"""One topic from everything that names it: brokers first, then manual input, ksqlDB, and the registries' subjects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, replace
from operator import attrgetter

from scanner_model.documents.json_positions import closest_match
from scanner_model.errors import Problem
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.names import SourceId, TopicName
from scanner_model.streaming_sql import KsqlSource

REGISTRY_STORE = frozenset({"_schemas", "_schema_encoders"})
"""The topics that Confluent's registry and Karapace keep schemas in; the brokers take them for any others."""
_KSQLDB, _COMMANDS = "_confluent-ksql-", "_command_topic"
_WORKERS = ("-configs", "-offsets", "-status")
_OFFSET_SYNCS = "mm2-offset-syncs."
_MIRROR_MAKER = re.compile(r"mm2-(configs|offsets|status|offset-syncs)\..+\.internal|.+\.checkpoints\.internal")


def merge_topics(*sources: Iterable[Topic]) -> tuple[Topic, ...]:
    """Return each topic once, by name; the first source that knows it owns it, later ones add what it left open."""
    merged: dict[TopicName, Topic] = {}
    for topic in (topic for topics in sources for topic in topics):
        known = merged.get(topic.name)
        merged[topic.name] = _filled(known, topic) if known else topic
    return tuple(_mark_internal(merged[name]) for name in sorted(merged))


def merge_groups(groups: Iterable[ConsumerGroup]) -> tuple[ConsumerGroup, ...]:
    """Return each consumer group once, by name; the first source that knows it owns it, later ones add topics."""
    merged: dict[str, ConsumerGroup] = {}
    for group in groups:
        known = merged.get(group.name)
        both = tuple(sorted({*known.topics, *group.topics})) if known else group.topics
        merged[group.name] = replace(known, topics=both, state=known.state or group.state) if known else group
    return tuple(merged[name] for name in sorted(merged))


def with_earlier_settings(
    topics: Iterable[Topic], unconfigured: Collection[TopicName], remembered: Iterable[Topic]
) -> Iterator[Topic]:
    """Return *topics*, those among *unconfigured* with the settings and the mark as internal that are remembered."""
    earlier = {topic.name: topic for topic in remembered if topic.name in unconfigured}
    for topic in topics:
        known = earlier.get(topic.name)
        yield replace(topic, config=known.config, internal=topic.internal or known.internal) if known else topic


def ksqldb_topics(collections: Iterable[KsqlSource]) -> Iterator[Topic]:
    """Name the topics that ksqlDB's collections stand on, with what the server reports of them."""
    for collection in collections:
        yield Topic(
            source=collection.source,
            name=collection.topic,
            partitions=collection.partitions or None,
            replication=collection.replication or None,
            internal=collection.internal,
        )


def ksqldb_internal(topics: Iterable[Topic], services: Iterable[str]) -> Iterator[Topic]:
    """Return *topics* with those marked that ksqlDB makes for itself; *services* are the ids of its servers.

    Names of command topics contain the ID of their server: topics of a server that does not answer stay internal.
    Source: ksqlDB's `_confluent-ksql-<service id>query_<query id>-…-changelog` (`-repartition`, `-topic`) and
    `…_command_topic`; its processing log is `<service id>ksql_processing_log` by default.
    """
    listed = tuple(topics)
    commands = (topic.name for topic in listed if topic.name.startswith(_KSQLDB) and topic.name.endswith(_COMMANDS))
    named = (name.removeprefix(_KSQLDB).removesuffix(_COMMANDS) for name in commands)
    logs = {f"{service}ksql_processing_log" for service in (*services, *named) if service}
    for topic in listed:
        own = topic.name.startswith(_KSQLDB) or topic.name in logs
        yield replace(topic, internal=True) if own and not topic.internal else topic


def workers_internal(topics: Iterable[Topic]) -> Iterator[Topic]:
    """Return *topics* with those marked that Kafka Connect's workers and MirrorMaker make for themselves.

    A worker group stores its state in three compacted topics with a common beginning: `…-configs`, `…-offsets` and
    `…-status`. MirrorMaker writes `mm2-….internal`, `….checkpoints.internal`, and `heartbeats`. A name alone proves
    nothing, so `heartbeats` needs an offset-sync topic beside it, and a worker's topic the other two.
    """
    listed = tuple(topics)
    compacted = {topic.name for topic in listed if "compact" in dict(topic.config).get("cleanup.policy", "")}
    starts = (name.removesuffix(_WORKERS[0]) for name in compacted if name.endswith(_WORKERS[0]))
    groups = ({TopicName(f"{start}{end}") for end in _WORKERS} for start in starts)
    internal = {name for group in groups if group <= compacted for name in group}
    mirrored = {topic.name for topic in listed if _MIRROR_MAKER.fullmatch(topic.name)}
    if any(name.startswith(_OFFSET_SYNCS) for name in mirrored):
        mirrored.add(TopicName("heartbeats"))
    for topic in listed:
        yield replace(topic, internal=True) if topic.name in internal | mirrored and not topic.internal else topic


def missing_topics(
    brokers: Iterable[Topic] | None, others: Iterable[Topic], reported: Collection[TopicName] = ()
) -> Iterator[Problem]:
    """Report topics that other sources name and the brokers do not have; None: the brokers were not read.

    *reported* are those that the other source reports as missing itself.
    """
    if brokers is None:
        return
    known = {topic.name for topic in brokers}
    for topic in merge_topics(others):
        if topic.name not in known and topic.name not in reported:
            hint = "kept as declared; was it deleted, or is it on another cluster?"
            yield Problem(str(topic.source), f"the brokers have no topic {topic.name!r}", hint)


def unknown_flow_topics(flows: Iterable[DeclaredFlow], known: Collection[TopicName]) -> Iterator[Problem]:
    """Report topics that flows of manual input name and that neither a source nor manual input knows."""
    ends = {
        end.name: flow.evidence
        for flow in flows
        for end in (flow.origin, flow.target)
        if end.name and not end.namespace
    }
    for name in sorted(ends.keys() - set(known)):
        hint = closest_match(name, sorted(known)) or "declare it under $.topics, or scan the brokers"
        yield Problem(ends[name], f"no topic {name!r} is known", hint)


def _mark_internal(topic: Topic) -> Topic:
    return replace(topic, internal=True) if topic.name in REGISTRY_STORE and not topic.internal else topic


def hidden_topics(
    brokers: Iterable[Topic] | None, missing: Iterable[tuple[SourceId, Iterable[TopicName]]]
) -> Iterator[Problem]:
    """Report topics that the brokers have and a ksqlDB server does not find; deleted ones are a finding already."""
    known = {topic.name for topic in brokers or ()}
    for source, topics in missing:
        for name in sorted(known.intersection(topics)):
            what = f"it does not find the topic {name!r}, which the brokers have"
            yield Problem(str(source), what, "its user needs the right to describe it")


_MEMBERS = tuple(member.name for member in fields(Topic))
_values = attrgetter(*_MEMBERS)
_OPEN: tuple[object, ...] = (None, False, "", ())


def _filled(first: Topic, later: Topic) -> Topic:
    pairs = zip(_MEMBERS, _values(first), _values(later), strict=True)
    added = {name: value for name, known, value in pairs if known in _OPEN and value != known}
    if later.tags:
        added["tags"] = tuple(dict.fromkeys((*first.tags, *later.tags)))
    return replace(first, **added) if added else first
