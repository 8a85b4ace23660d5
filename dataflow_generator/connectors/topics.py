"""The topics that a connector reads or uses internally, their cluster, and the table lists that choose among names."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import kafka_namespace, topic
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.model import Connector, DatasetKind, Direction, SideTopic
from scanner_model.errors import InputInvalid, Problem
from scanner_model.text import has_placeholder

_CLUSTER = ("kafka.endpoint", "kafka.bootstrap.servers", "bootstrap.servers")
_CLUSTERS = {
    Direction.SINK: ("consumer.override.bootstrap.servers", *_CLUSTER, "consumer.bootstrap.servers"),
    Direction.SOURCE: ("producer.override.bootstrap.servers", *_CLUSTER, "producer.bootstrap.servers"),
}
_SIDE_TOPICS = {
    "errors.deadletterqueue.topic.name": "dead-letter",
    "reporter.error.topic.name": "error-report",
    "reporter.result.topic.name": "success-report",
    "config.storage.topic": "worker",
    "offset.storage.topic": "worker",
    "status.storage.topic": "worker",
    "offsets.storage.topic": "worker",
    "schema.history.internal.kafka.topic": "schema-history",
    "database.history.kafka.topic": "schema-history",
    "signal.kafka.topic": "signals",
    "notification.sink.topic.name": "notifications",
    "heartbeat.topic.name": "heartbeats",
    "mongo.errors.deadletterqueue.topic.name": "dead-letter",
    "state.topic.name": "state",
    "tasks.file.status.storage.topic": "file-status",
    "internal.kafka.reporter.topic": "file-status",
    "confluent.topic": "license",
    "iceberg.control.topic": "control",
    "misc.deadletterqueue.topic.name": "dead-letter",
}
_WRITTEN = (
    *("kafka.topic", "topic", "kafka.topics", "topics", "topic.name", "connect.topic", "mqtt.kafka.topic"),
    "neo4j.query.topic",
)
_NUMBERED = re.compile(r"(?P<group>(?:api|table)\d+)\.(?:topics?|http\.api\.topic)")
_MANAGED = re.compile(r"(?P<role>dlq|error|success)-lcc-\w+")
_MANAGED_ROLES = {"dlq": "dead-letter", "error": "error-report", "success": "success-report"}
USED = "topics in use"
KNOWN = "known topics"


@dataclass(frozen=True, slots=True)
class ReadTopics:
    """The topics that a sink reads: *names*, or else the *pattern* of names where the topics are unknown."""

    names: tuple[str, ...]
    pattern: str
    because: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class NamedTopic:
    """A topic that a source's configuration names, with its key; *group* is the `table1` of `table1.topic`."""

    name: str
    key: str
    group: str = ""


def topics_written(config: Config) -> tuple[NamedTopic, ...]:
    """Return the topics that a source's configuration names, whatever its class; placeholders among them."""
    key = config.key(*_WRITTEN)
    listed = [NamedTopic(name, key) for name in config.items(key)]
    for other, _ in config.pairs:
        if match := _NUMBERED.fullmatch(other):
            listed += [NamedTopic(name, other, match["group"]) for name in config.items(other)]
    pattern = config.text("topic.name.pattern")
    listed += [NamedTopic(pattern, "topic.name.pattern")] if pattern and not listed else []
    return tuple(listed)


def cluster_of(connector: Connector, direction: Direction) -> str:
    """Return the namespace of the cluster that a connector uses: its own setting's, or the worker's."""
    config = connector.config
    keys = _CLUSTERS.get(direction, _CLUSTER)
    named = (kafka_namespace(config.text(key)) for key in keys if config.text(key))
    return next(filter(None, named), connector.namespace)


def topics_read(connector: Connector) -> ReadTopics:
    """Return the topics that a sink reads: `topics`, else matches of `topics.regex`, else the topics in use."""
    config = connector.config
    if listed := config.items("topics"):
        names = tuple(name for name in listed if not has_placeholder(name))
        return ReadTopics(names, "", "topics", tuple(placeholder_problems("topics", listed)))
    if pattern := config.text("topics.regex"):
        return _matching(connector, pattern)
    if connector.active:
        side = {side_topic.dataset.name for side_topic in side_topics(connector, connector.namespace)}
        return ReadTopics(tuple(name for name in sorted(connector.active) if name not in side), "", USED)
    return ReadTopics((), "", "", (Problem("topics", "neither topics nor topics.regex is set"),))


def placeholder_problems(key: str, names: Iterable[str]) -> Iterator[Problem]:
    """Yield a problem for each of the *names* of topics in the setting *key* that is a placeholder."""
    for name in names:
        if has_placeholder(name):
            yield Problem(key, f"{name!r} is a placeholder, not the name of a topic", "what it stands for is unknown")


def side_topics(connector: Connector, namespace: str) -> tuple[SideTopic, ...]:
    """Return the side topics of any connector: dead letters, reports."""
    return tuple(sorted(set(_side_topics(connector, namespace))))


def _side_topics(connector: Connector, namespace: str) -> Iterator[SideTopic]:
    for key, role in _SIDE_TOPICS.items():
        if (name := connector.config.text(key)) and not has_placeholder(name):
            yield SideTopic(topic(namespace, name), role, key)
    for name in connector.active or ():
        if match := _MANAGED.fullmatch(name):
            yield SideTopic(topic(namespace, name), _MANAGED_ROLES[match["role"]], USED)


def candidate_topics(connector: Connector, start: str = "") -> tuple[tuple[str, ...], str]:
    """Return the topics to match names with, in order: those in use, else the known ones; and which these are.

    A caller that needs only names beginning with *start* passes it: then other topics do not affect the result.
    """
    if connector.active is not None:
        return tuple(name for name in sorted(connector.active) if name.startswith(start)), USED
    return _known(connector, start), KNOWN


def is_candidate_topic(connector: Connector, name: str) -> bool:
    """Return whether a topic is among those that names are matched with."""
    return candidate_topics(connector, name)[0][:1] == (name,)


def _matching(connector: Connector, pattern: str) -> ReadTopics:
    if connector.known is None and connector.active is None:
        return ReadTopics((), pattern, "topics.regex")
    try:
        regex = java_regex(pattern)
        names = tuple(name for name in _known_or_active(connector, regex.start) if regex.matches(name))
    except InputInvalid as error:
        return ReadTopics((), pattern, "topics.regex", (Problem("topics.regex", error.what, error.hint),))
    if names:
        return ReadTopics(names, "", "topics.regex")
    count = len(_known_or_active(connector, ""))
    problem = Problem("topics.regex", f"{pattern!r} matches none of the {count} known topics")
    return ReadTopics((), pattern, "topics.regex", (problem,))


def _known_or_active(connector: Connector, start: str) -> list[str]:
    active = (name for name in connector.active or () if name.startswith(start))
    return sorted({*_known(connector, start), *active})


def _known(connector: Connector, start: str) -> tuple[str, ...]:
    """Return the known names that begin with *start*; of a hundred thousand names only those are looked at."""
    names = connector.known or ()
    first = bisect_left(names, start)
    return tuple(takewhile(lambda name: name.startswith(start), islice(names, first, None)))


_ANCHORED = re.compile(r"^\^?(.*?)\$?$", re.DOTALL)
_PATTERN_SIGNS = re.compile(r"(?<!\\)[*+?\[\](){}|^]|\\[^.\-_$\\]")
_ALTERNATIVES = re.compile(r"(?P<before>[^()|]*)\((?:\?:)?(?P<options>[^()]+)\)(?P<after>[^()|]*)")
_ESCAPED = re.compile(r"\\([.\-_$\\])")


@dataclass(frozen=True, slots=True)
class Selection:
    """The tables that a list selects: *names*, and *patterns* that match no known table.

    *key* is its configuration key, *configured* false where there is no list; *unclear* are errors of patterns that
    could not be evaluated.
    """

    names: tuple[str, ...]
    patterns: tuple[str, ...]
    key: str
    configured: bool
    unclear: tuple[str, ...] = ()
    kind: DatasetKind = DatasetKind.PATTERN


def literal(item: str) -> str | None:
    """Return the name that a list's item stands for, without its escapes; None for a real pattern."""
    text = _ANCHORED.sub(r"\1", item).replace("[.]", r"\.")  # a common way to escape a dot
    bare = re.sub(r'"[^"]*"|`[^`]*`', "", text)
    return None if _PATTERN_SIGNS.search(bare) else _ESCAPED.sub(r"\1", text)


def literals(item: str) -> tuple[str, ...]:
    """Return the names that an item stands for: itself, or the alternatives of one group; none for a real pattern."""
    match = _ALTERNATIVES.fullmatch(_ANCHORED.sub(r"\1", item))
    parts = [f"{match['before']}{part}{match['after']}" for part in match["options"].split("|")] if match else [item]
    names = [literal(part) for part in parts]
    return tuple(name for name in names if name) if all(names) else ()


def selection(
    connector: Connector, include: tuple[str, ...], exclude: tuple[str, ...], candidates: Iterable[str] = ()
) -> Selection:
    """Resolve an include list and an exclude list; *candidates* are tables in addition to the connector's known ones.

    Items match whole names case-insensitively (Debezium, Predicates). An exclude list applies to what patterns match,
    and to all tables where there is no include list.
    """
    config = connector.config
    items = config.items(*include)
    known = sorted({*(connector.tables or ()), *candidates})
    unclear: list[str] = []
    excluded = config.items(*exclude)
    open_names = [table for table in known if not any(matches_item(item, table, unclear) for item in excluded)]
    names: list[str] = []
    patterns: list[str] = []
    for item in items:
        tables = literals(item) or tuple(table for table in open_names if matches_item(item, table, unclear))
        names.extend(tables)
        if not tables:
            patterns.append(item)
    if not items:
        names = open_names if known else []
    key = config.key(*include) or config.key(*exclude)
    return Selection(tuple(dict.fromkeys(names)), tuple(patterns), key, bool(items), tuple(dict.fromkeys(unclear)))


def matches_item(item: str, name: str, unclear: list[str]) -> bool:
    """Return whether an item matches a whole name, case-insensitively; what cannot be evaluated matches nothing."""
    try:
        return java_regex(f"(?i){item}").matches(name)
    except InputInvalid as error:
        unclear.append(error.what)
        return False
