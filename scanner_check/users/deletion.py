"""Whether a topic, subject, version or schema id may be deleted: who refers to it, and who reads or writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from dataflow_generator.graph import EdgeKind
from dataflow_generator.jobs.model import GraphDataset, Naming
from dataflow_generator.stored.dictionary import Dictionary, known_cluster
from dataflow_generator.stored.people import stated_owner
from scanner_check.users.unknowns import jobs_not_read
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, newest_scan, stored_graph
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.clients import has_observations, observed, permitted
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.state import (
    kept_for,
    last_group_left,
    last_topic_left,
    replaced_at,
    scan_time,
    source_ages,
    topic_settings,
)
from scanner_dictionary.queries.subjects import (
    SubjectKey,
    VersionKey,
    referrers,
    subject_names,
    subjects_named,
    topic_names,
    topics_named,
    topics_of_subject,
    versions_of,
    versions_with_id,
)
from scanner_dictionary.queries.topics import topic_users
from scanner_model.clients import Direction
from scanner_model.errors import InputInvalid, NameUnknown

_GROUPS_FROM = ("kafka", "kafka_rest")
"""Kinds of sources that report consumer groups."""


class Answer(StrEnum):
    """Whether something may be deleted."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionUse:
    """One use of what would be deleted, or one thing that is not known; *answer* is what it alone comes to.

    *kind* is topic, subject, job, consumer-group, dataset, version, source, graph or principal. *owner* is whom to
    call, *last_seen* when monitoring saw it last (ISO 8601); both may be empty. *direction* is reads or writes, of jobs
    and groups. *through* are the jobs that data pass on the way to it, *groups* those that a job reads with. *safe_on*
    is the first day (ISO 8601) on which a reader does not count any more if it is not seen again; empty if unknown.
    """

    kind: str
    name: str
    what: str
    answer: Answer
    evidence: str = ""
    owner: str = ""
    last_seen: str = ""
    direction: str = ""
    through: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    safe_on: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionAnswer:
    """The answer for one thing of one cluster.

    *unused_since* is ISO 8601, empty where it is used, or was never seen in use. *safe_on* is the first day (ISO 8601)
    on which no reader counts any more if none is seen again; empty if that is not known.
    """

    cluster: str
    what: str
    uses: tuple[DeletionUse, ...]
    unused_since: str = ""
    safe_on: str = ""

    @property
    def answer(self) -> Answer:
        """Return no where anything uses it, unknown where that is not certain, else yes."""
        answers = {use.answer for use in self.uses}
        return next((answer for answer in (Answer.NO, Answer.UNKNOWN) if answer in answers), Answer.YES)


def may_delete(
    dictionary: Dictionary,
    *,
    topic: str = "",
    subject: str = "",
    version: int | None = None,
    schema_id: str = "",
    cluster: str | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> tuple[DeletionAnswer, ...]:
    """Return whether a topic, a subject, a *version* of it, or a schema id may be deleted, an answer for each cluster.

    Nothing is deleted. Raises InputInvalid unless exactly one thing is named, NameUnknown where the dictionary does not
    have it.

    >>> [answer.answer for answer in may_delete(dictionary, topic="orders")]
    """
    if sum(map(bool, (topic, subject, schema_id))) != 1 or (version is not None and not subject):
        hint = "name a topic, a subject (with or without a version) or a schema id"
        raise InputInvalid("exactly one thing is deleted at a time", where="scanner doctor", hint=hint)
    with dictionary.reading() as conn:
        check = _Check(conn, known_cluster(conn, cluster), now())
        if topic:
            return tuple(check.topics(topic))
        return tuple(check.schema_ids(schema_id) if schema_id else check.subjects(subject, version))


def uncertainties(dictionary: Dictionary, cluster: str) -> tuple[DeletionUse, ...]:
    """Return why a cluster may have uses that are not known: stale sources, no list of groups, an old graph."""
    with dictionary.reading() as conn:
        return tuple(_Check(conn, cluster, datetime.now(UTC)).uncertainties(cluster))


class _Check:
    def __init__(self, conn: Connection, cluster: str | None, now: datetime) -> None:
        self._conn = conn
        self._cluster = cluster
        self._now = now
        self._naming = Naming(graph_clusters(conn))
        self._rows = SqlGraphReader(conn)
        self._graph = stored_graph(conn)

    def topics(self, name: str) -> Iterator[DeletionAnswer]:
        topics = topics_named(self._conn, name, self._cluster)
        if not topics:
            known = topic_names(self._conn, self._cluster)
            raise unknown_name("topic", name, known, "`scanner topics` lists the topics")
        for topic in topics:
            uses: tuple[DeletionUse, ...] = ()
            if topic.gone is None:
                uses = (*self._of_topic(topic.cluster, topic.name), *self.uncertainties(topic.cluster))
                if all(use.answer is not Answer.NO for use in uses):
                    uses += tuple(self._unseen_writers(topic.cluster))
            yield self._answer(
                topic.cluster, f"topic {topic.name}", uses, topic.gone or last_group_left(self._conn, topic)
            )

    def subjects(self, name: str, number: int | None) -> Iterator[DeletionAnswer]:
        subjects = subjects_named(self._conn, name, self._cluster)
        if not subjects:
            known = subject_names(self._conn, self._cluster)
            raise unknown_name("subject", name, known, "`scanner schemas` lists the subjects")
        for subject in subjects:
            versions = versions_of(self._conn, subject)
            chosen = [version for version in versions if number in (None, version.version)]
            if not chosen:
                listed = ", ".join(str(version.version) for version in versions)
                raise NameUnknown(f"subject {name!r} has no version {number}", hint=f"it has {listed}")
            what = f"subject {subject.full_name}" + ("" if number is None else f" version {number}")
            yield self._of_versions(what, subject, chosen, every_version=number is None)

    def schema_ids(self, schema_id: str) -> Iterator[DeletionAnswer]:
        versions = versions_with_id(self._conn, schema_id, self._cluster)
        if not versions:
            raise NameUnknown(f"the dictionary knows no schema id {schema_id!r}", hint="`scanner query` shows the ids")
        for subject, version in versions:
            what = f"schema id {schema_id} ({subject.full_name} version {version.version})"
            yield self._of_versions(what, subject, [version], every_version=False)

    def _of_versions(
        self, what: str, subject: SubjectKey, versions: list[VersionKey], *, every_version: bool
    ) -> DeletionAnswer:
        ends = [version.gone for version in versions]
        ended = None if None in ends else max(end or 0 for end in ends)
        if ended:
            return self._answer(subject.cluster, what, (), ended)
        numbers = {version.version for version in versions}
        uses = [
            *self._references(subject, versions, every_version=every_version),
            *self._bindings(subject, numbers, every_version=every_version),
        ]
        return self._answer(
            subject.cluster, what, (*uses, *self.uncertainties(subject.cluster)), last_topic_left(self._conn, subject)
        )

    def _references(
        self, subject: SubjectKey, versions: list[VersionKey], *, every_version: bool
    ) -> Iterator[DeletionUse]:
        newest = max(version.version for version in versions_of(self._conn, subject))
        numbers = {version.version for version in versions}
        for referrer in referrers(self._conn, subject):
            target = newest if referrer.refers_to < 0 else referrer.refers_to
            if referrer.live and (every_version or target in numbers) and referrer.subject != subject.full_name:
                what = f"version {referrer.version} refers to version {target}"
                yield DeletionUse(
                    kind="subject", name=referrer.subject, what=what, answer=Answer.NO, evidence="schema reference"
                )

    def _bindings(self, subject: SubjectKey, numbers: set[int], *, every_version: bool) -> Iterator[DeletionUse]:
        """Yield the topics that the versions describe, with those who read them; an older version may be in records."""
        seen: set[str] = set()
        links = topics_of_subject(self._conn, subject)
        if not links and not subject.name.endswith(_SIDES):
            what = "its name has no topic, so records of any topic may have its schema"
            yield DeletionUse(kind="version", name=subject.full_name, what=what, answer=Answer.UNKNOWN)
        for link in links:
            if link.gone is not None or (not every_version and link.version not in numbers):
                continue
            if link.current:
                what = f"it is the current {link.role} schema (version {link.version})"
                yield DeletionUse(kind="topic", name=link.topic, what=what, answer=Answer.NO, evidence="topic schema")
                if link.topic not in seen:
                    yield from self._of_topic(link.cluster, link.topic)
                seen.add(link.topic)
            elif not every_version:
                yield self._use_of_older(subject, link.topic, link.version or 0)

    def _use_of_older(self, subject: SubjectKey, topic: str, version: int) -> DeletionUse:
        """Return whether records of an older version may still be in a topic, by its retention."""
        settings = topic_settings(self._conn, topic, subject.cluster)
        since = replaced_at(self._conn, subject, version)
        policy, kept = settings.get("cleanup.policy", ""), kept_for(settings)
        shown = f"version {version} was replaced at {since}" if since else f"version {version} is not the newest"
        if since and kept is not None and datetime.fromisoformat(since.replace("Z", "+00:00")) + kept < self._now:
            what = f"{shown}, and records are kept for {settings['retention.ms']} ms"
            return DeletionUse(kind="topic", name=topic, what=what, answer=Answer.YES, evidence="retention.ms")
        what = f"{shown}: records that were written with it may still be there"
        return DeletionUse(
            kind="topic", name=topic, what=what, answer=Answer.UNKNOWN, evidence=policy and "cleanup.policy"
        )

    def _of_topic(self, cluster: str, name: str) -> Iterator[DeletionUse]:
        """Yield what reads, writes or materializes a topic, as the graph has it, and who else reports to use it."""
        uses = {(use.kind, use.name): use for use in self._in_graph(self._naming.topic(cluster, name))}
        for user in topic_users(self._conn, cluster, name):
            use = _use((user.kind, user.name), f"{user.what} {name}", user.state, f"reported by {user.source}")
            uses.setdefault((user.kind, user.name), use)
        applications = list(observed(self._conn, cluster=cluster, topic=name))
        for row in applications:
            kind = "consumer-group" if row.kind == "consumer-group" else "job"
            use = _use((kind, row.application), f"{row.use} {name}", "", f"observed: {row.evidence}")
            use = replace(use, direction=row.use)
            known = uses.get((kind, row.application), use)
            # What was observed moves now, also of a group that has no members at this moment.
            uses[kind, row.application] = replace(
                known, answer=Answer.NO, owner=row.owner or known.owner, last_seen=max(row.last_seen, known.last_seen)
            )
        yield from uses.values()
        for row in permitted(self._conn, cluster, name):
            verb = row.use.removesuffix("s")
            if row.application != "nobody":
                what = f"may {verb} {name} by rules of access, which does not prove a use"
                yield DeletionUse(
                    kind="principal", name=row.application, what=what, answer=Answer.YES, evidence=row.evidence
                )

    def _in_graph(self, dataset: GraphDataset) -> Iterator[DeletionUse]:
        node = self._node(dataset)
        if node is None:
            return
        ahead = self._rows.edges_at([node.id], forward=True, kinds=(EdgeKind.READS, EdgeKind.MATERIALIZES))
        behind = self._rows.edges_at([node.id], forward=False, kinds=(EdgeKind.WRITES,))
        edges = {edge.target_node_id: edge for edge in ahead} | {edge.source_node_id: edge for edge in behind}
        readers = [edge.target_node_id for edge in ahead]
        members = self._rows.edges_at(readers, forward=False, kinds=(EdgeKind.MEMBER_OF,))
        edges |= {edge.source_node_id: edge for edge in members}
        for key, other in self._rows.nodes_of(edges).items():
            verb = _VERBS.get(edges[key].kind, "reads")
            attributes = json.loads(other.attributes)
            state = ", ".join(filter(None, (str(attributes.get(name, "")) for name in ("state", "failed", "tasks"))))
            use = _use((other.kind, other.name), f"{verb} {dataset.name}", state, edges[key].evidence)
            direction = Direction.WRITES if edges[key].kind == EdgeKind.WRITES else Direction.READS
            yield replace(use, owner=stated_owner(other), direction=direction)

    def _node(self, dataset: GraphDataset) -> NodeRow | None:
        named = self._rows.nodes_named((dataset.name,)) if self._graph else ()
        return next((node for node in named if node.node_key == dataset.key), None)

    def uncertainties(self, cluster: str) -> Iterator[DeletionUse]:
        """Yield why there may be uses that are not known."""
        ages = [source for source in source_ages(self._conn) if source.cluster == cluster]
        for source in ages:
            if source.stale_reason or not source.read_at:
                what = source.stale_reason or "it was never read completely"
                yield DeletionUse(kind="source", name=source.name, what=what, answer=Answer.UNKNOWN)
        if not any(source.kind in _GROUPS_FROM for source in ages):
            what = "no source reports consumer groups"
            yield DeletionUse(kind="source", name=cluster, what=what, answer=Answer.UNKNOWN)
        if self._graph is None:
            what = "no graph was generated: who reads is not known; run `scanner dictionary dataflow`"
            yield DeletionUse(kind="graph", name=cluster, what=what, answer=Answer.UNKNOWN)
        elif self._graph.last_scan < newest_scan(self._conn):
            what = f"it is of scan {self._graph.last_scan}, older than the newest; run `scanner dictionary dataflow`"
            yield DeletionUse(kind="graph", name=cluster, what=what, answer=Answer.UNKNOWN)
        else:
            yield from self._unread(cluster)

    def _unseen_writers(self, cluster: str) -> Iterator[DeletionUse]:
        """Yield that ordinary producers are not seen: brokers keep no record of them.

        Metrics of Confluent Cloud report them only where `clients` is set, which shows in what was observed.
        """
        kinds = {source.kind for source in source_ages(self._conn) if source.cluster == cluster}
        if not ("prometheus" in kinds or ("metrics" in kinds and has_observations(self._conn, cluster))):
            what = "no source reports ordinary producers: ask who writes, or add `prometheus` to cluster.json"
            yield DeletionUse(kind="source", name=cluster, what=what, answer=Answer.UNKNOWN)

    def _unread(self, cluster: str) -> Iterator[DeletionUse]:
        if self._graph and (what := jobs_not_read(self._graph)):
            yield DeletionUse(kind="graph", name=cluster, what=f"{what}: they may use it", answer=Answer.UNKNOWN)

    def _answer(self, cluster: str, what: str, uses: tuple[DeletionUse, ...], ended: int | None) -> DeletionAnswer:
        used = any(use.answer is Answer.NO for use in uses)
        since = scan_time(self._conn, ended) if ended and not used else ""
        return DeletionAnswer(cluster=cluster, what=what, uses=uses, unused_since=since)


_SIDES = ("-key", "-value")
"""What the name of a subject ends in that is called after its topic."""
_LEFT = ("EMPTY", "DEAD")
"""States of a consumer group without members."""

_VERBS: Mapping[str, str] = {EdgeKind.WRITES: "writes", EdgeKind.MATERIALIZES: "is a table of"}


def _use(of: tuple[str, str], what: str, state: str, evidence: str) -> DeletionUse:
    """Return a use by *of*, a kind and a name; a group without members may come back, so that is not certain."""
    kind, name = of
    idle = kind == "consumer-group" and state.upper() in _LEFT
    shown = what + (f" ({state})" if state else "") + (", has no members now" if idle else "")
    answer = Answer.UNKNOWN if idle else Answer.NO
    return DeletionUse(kind=kind, name=name, what=shown, answer=answer, evidence=evidence)


def deletion_document(answer: DeletionAnswer) -> dict[str, Any]:
    """Return whether one thing may be deleted, and why not, as JSON values."""
    return {
        "cluster": answer.cluster,
        "what": answer.what,
        "answer": str(answer.answer),
        "unused_since": answer.unused_since or None,
        "safe_on": answer.safe_on or None,
        "uses": [asdict(use) for use in answer.uses],
    }
