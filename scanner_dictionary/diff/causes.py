"""The facts that changed between two scans, looked up by what the graph names: evidence, topics and jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from scanner_dictionary.diff.changes import FactAction, FactChange, NamePart
from scanner_dictionary.diff.scans import Replayed, definition_keys, fact_change, heads, replay
from scanner_dictionary.schema import tables as t

_VOLATILE = frozenset({"state", "worker", "trace", "detail", "plan", "started", "consumer_group"})
"""Members that differ while a job does what it did."""

_STEMS = {
    "connector": ("connector {1}",),
    "query": ("query {1} of {0}", "query {1}"),
    "flink_statement": ("statement {1}",),
    "streams_topology": ("topology {1}",),
    "consumer_group": ("consumer group {0}",),
    "consumer_group_topic": ("consumer group {0}",),
    "ksql_source": ("declared by ksqlDB's STREAM {1}", "declared by ksqlDB's TABLE {1}"),
}
"""How the evidence of an edge begins, by the kind of fact that it is concluded from; {0}, {1} are parts of its name."""

_OF_JOBS = ("connector", "query", "flink_statement", "streams_topology", "consumer_group")
_TOPIC_KINDS = ("topic_schema", "ksql_source", "topic", "mirror_topic", "materialization", "annotation")
_CUTS = ":, "


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A fact that changed: its *kind* and *name* as in `FactChange`, and the *members* of it that differ."""

    cluster: str
    kind: str
    name: tuple[NamePart, ...]
    action: FactAction
    members: tuple[str, ...] = ()


@dataclass(slots=True)
class Causes:
    """The changed facts by the beginnings of evidence, by topic, by dataset and by job."""

    _evidence: dict[str, Cause] = field(default_factory=dict)
    _topics: dict[str, dict[str, Cause]] = field(default_factory=dict)
    _datasets: dict[str, Cause] = field(default_factory=dict)
    _jobs: dict[str, Cause] = field(default_factory=dict)
    _clusters: dict[str, Cause] = field(default_factory=dict)

    def of_evidence(self, evidence: str) -> Cause | None:
        """Return the job's or file's own change: the one that the longest beginning of *evidence* names."""
        return _longest(self._evidence, evidence)

    def of_dataset(self, name: str) -> Cause | None:
        """Return the change of a topic: of its schema, of the collection over it, of itself; or of a catalog table."""
        of_topic = self._topics.get(name, {})
        changes = (of_topic[kind] for kind in _TOPIC_KINDS if kind in of_topic)
        return next(changes, None) or self._datasets.get(name)

    def of_topic_itself(self, name: str) -> Cause | None:
        """Return the change of the topic itself, else of what describes it."""
        return self._topics.get(name, {}).get("topic") or self.of_dataset(name)

    def of_job(self, name: str) -> Cause | None:
        """Return the change of a job or consumer group, also of the file of statements that it is from."""
        return _longest(self._jobs, name)

    def of_cluster(self, name: str) -> Cause | None:
        """Return the change of a cluster's addresses."""
        return self._clusters.get(name)

    def add(self, fact: Replayed, cause: Cause) -> None:
        """Add a changed fact; of several with one name the first counts."""
        name = [str(part) for part in fact.name]
        state = fact.after or fact.before or {}
        if cause.kind in _OF_JOBS:
            self._jobs.setdefault(name[-1], cause)
        if cause.kind in _STEMS and not _is_volatile(cause):
            for stem in _STEMS[cause.kind]:
                self._evidence.setdefault(stem.format(*name), cause)
        if cause.kind == "manual_flow":
            for known in (fact.before, fact.after):
                self._evidence.setdefault(str((known or {}).get("evidence", "")), cause)
        if cause.kind == "broker":
            self._clusters.setdefault(cause.cluster, cause)
        if cause.kind in ("catalog_table", "catalog_link"):
            self._datasets.setdefault(name[-1], cause)
        for topic in _topics(cause.kind, name, state):
            self._topics.setdefault(topic, {}).setdefault(cause.kind, cause)


def causes(conn: Connection, first: int, second: int) -> Causes:
    """Return what changed from scan *first* to scan *second*, in every cluster that was scanned in between."""
    older, newer = sorted((first, second))
    scan, cluster = t.scan.c, t.cluster.c
    query = select(cluster.id, cluster.name).join(t.scan, scan.cluster_id == cluster.id)
    query = query.where(scan.id > older, scan.id <= newer).distinct().order_by(cluster.id)
    causes_between = Causes()
    for key, name in conn.execute(query).all():
        for fact, change in _changes(conn, replay(conn, key, older, newer), backwards=first > second):
            members = tuple(attribute.name for attribute in change.attributes)
            causes_between.add(
                fact, Cause(cluster=name, kind=fact.kind, name=fact.name, action=change.action, members=members)
            )
    return causes_between


def _changes(
    conn: Connection, replayed: Iterable[Replayed], *, backwards: bool
) -> Iterator[tuple[Replayed, FactChange]]:
    facts = [fact.reversed() if backwards else fact for fact in replayed]
    fingerprints = {key: definition.fingerprint for key, definition in heads(conn, set(definition_keys(facts))).items()}
    for fact in facts:
        change = fact_change(fact, fingerprints)
        if change is not None:
            yield fact, change


def _topics(kind: str, name: list[str], state: object) -> Iterator[str]:
    if kind in ("topic", "topic_schema"):
        yield name[0]
    elif kind in ("mirror_topic", "materialization"):
        yield name[1]
    elif kind in ("ksql_source", "annotation") and isinstance(state, dict):
        topic = state.get("topic_name") or state.get("topic")
        if topic:
            yield str(topic)


def _is_volatile(cause: Cause) -> bool:
    volatile = (name in _VOLATILE or name.startswith("tasks.") for name in cause.members)
    return bool(cause.members) and all(volatile)


def _longest(known: dict[str, Cause], text: str) -> Cause | None:
    if text in known:
        return known[text]
    cuts = (at for at in range(len(text) - 1, 0, -1) if text[at] in _CUTS)
    return next((known[text[:at]] for at in cuts if text[:at] in known), None)
