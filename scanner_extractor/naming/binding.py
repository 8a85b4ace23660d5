"""Bind subjects to topics: one link per version, and topics known only from a subject's name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scanner_extractor.naming import Candidate, Choice, Link, Proposed, Subject, choose, propose, strategies_in_force
from scanner_extractor.naming.observed import NONE_IN_USE, IdsInUse, Observed, names_of, observed_links
from scanner_extractor.naming.strategies import default_names
from scanner_extractor.naming.subjects import group_and_name, mapped_key, mapped_links, reference_locations
from scanner_extractor.settings.cluster import NamingSettings
from scanner_model.documents.json_positions import closest_match
from scanner_model.documents.pattern_limits import REWRITE, TookTooLong, shown
from scanner_model.errors import Problem
from scanner_model.kafka import Topic
from scanner_model.manual import Assignment
from scanner_model.names import Fingerprint, RecordName, SourceId, SubjectName, TopicName
from scanner_model.schemas import Association, Confidence, Registry, SchemaVersion, TopicSchema, qualified_subject

_HINTED = 10
"""How many misspelt names get a search for the nearest known one, which costs a walk over all subjects each."""


_ANY_CLUSTER = ("", "-")
"""The namespaces of an association that names no Kafka cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTopics:
    """What is declared for the subjects of one registry; a context of None means every context."""

    kind: str
    by_subject: Mapping[tuple[str | None, SubjectName], tuple[Link, ...]]
    mapping: Mapping[str, Sequence[str]]

    def of(self, context: str, subject: SubjectName) -> tuple[Link, ...]:
        """List what is declared for one subject: associations, then assignments, then the map."""
        exact = self.by_subject.get((context, subject), ())
        anywhere = self.by_subject.get((None, subject), ())
        return (*exact, *anywhere, *mapped_links(self.mapping, subject, context, self.kind))


def declared_topics(
    kind: str,
    mapping: Mapping[str, Sequence[str]],
    associations: Iterable[Association],
    assignments: Iterable[Assignment],
) -> DeclaredTopics:
    """Gather every declaration by the subject that it is of."""
    links: dict[tuple[str | None, SubjectName], list[Link]] = {}
    for association in associations:
        name = qualified_subject(association.context, association.subject)
        evidence = f"the registry associates subject {name!r} with it"
        link = Link(topic=association.topic, strategy="associated", evidence=evidence, role=association.role)
        links.setdefault((association.context, association.subject), []).append(link)
    for assignment in assignments:
        link = Link(topic=assignment.topic, strategy="manual", evidence=assignment.location, role=assignment.role)
        links.setdefault((assignment.context, assignment.subject), []).append(link)
    return DeclaredTopics(kind=kind, by_subject={key: tuple(topics) for key, topics in links.items()}, mapping=mapping)


def cluster_associations(
    source: SourceId, associations: Iterable[Association], cluster_id: str
) -> tuple[tuple[Association, ...], tuple[Problem, ...]]:
    """Return the associations whose topics are of the Kafka cluster *cluster_id*, or of no cluster by name.

    One registry serves many clusters, whose topics have the same names. Where the id is not known (empty), those that
    name a cluster are left out, and reported.
    """
    listed = tuple(associations)
    own = tuple(link for link in listed if link.namespace in (*_ANY_CLUSTER, cluster_id))
    if cluster_id or len(own) == len(listed):
        return own, ()
    left_out = f"{len(listed) - len(own)} of {len(listed)} associations name a cluster and are left out"
    what = f"the id of this Kafka cluster is not known: {left_out}"
    return own, (Problem(str(source), what, "configure `kafka` in cluster.json to read it from the brokers"),)


def unused_keys(
    source: SourceId, declared: DeclaredTopics, keys: Iterable[tuple[str, SubjectName]]
) -> Iterator[Problem]:
    """Report members of `naming.subjects` that match no subject of the registry."""
    listed = tuple(keys)
    used = {mapped_key(declared.mapping, subject, context, declared.kind) for context, subject in listed}
    names = sorted({subject for _, subject in listed})
    for count, key in enumerate(sorted(declared.mapping.keys() - used)):
        hint = closest_match(key, names) if count < _HINTED else ""
        yield Problem(str(source), f"naming.subjects names {key!r}, and the registry has no such subject", hint)


def unmatched(assignments: Iterable[Assignment], versions: Iterable[SchemaVersion]) -> Iterator[Problem]:
    """Report assignments of subjects that no readable registry has."""
    keys: set[tuple[str | None, SubjectName]] = set()
    for version in versions:
        keys |= {(version.context, version.subject), (None, version.subject)}
    names = sorted({subject for _, subject in keys})
    missing = [assignment for assignment in assignments if (assignment.context, assignment.subject) not in keys]
    for count, assignment in enumerate(missing):
        hint = closest_match(assignment.subject, names) if count < _HINTED else ""
        yield Problem(assignment.location, f"no registry that answered has a subject {assignment.subject!r}", hint)


_SHOWN = 5
"""How many names a summary shows; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSubject:
    """A subject without a topic, by its name with its context.

    *strategy* is one that is not in force and would find a known topic, else empty.
    """

    subject: str
    strategy: str = ""


def open_problems(source: SourceId, subjects: Iterable[OpenSubject]) -> Iterator[Problem]:
    """Summarise the subjects without a topic: one problem for each strategy that would help, one for the rest."""
    by_strategy: dict[str, list[str]] = {}
    for unbound in subjects:
        by_strategy.setdefault(unbound.strategy, []).append(unbound.subject)
    for strategy, names in sorted(by_strategy.items()):
        yield _strategy_hint(source, strategy, names) if strategy else _unbound(source, names)


def ambiguity(source: SourceId, subject: str, choice: Choice) -> Problem:
    """Report that *subject* may be of several known topics, naming the one that was chosen."""
    first, *others = map(_candidate_text, (*choice.bound, *choice.others))
    what = f"subject {subject!r} is read as {first}, and may be {', or '.join(others)}"
    return Problem(str(source), what, "declare the topic in naming.subjects, or reorder naming.strategies")


def slow_problems(source: SourceId, subjects: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Report each pattern that took too long, with the subjects that only the other strategies could read."""
    for pattern, names in sorted(subjects.items()):
        what = f"the naming pattern {shown(pattern)} takes too long and is not evaluated on {_counted(names)}"
        yield Problem(str(source), what, REWRITE)


def _strategy_hint(source: SourceId, strategy: str, names: Sequence[str]) -> Problem:
    what = f"only naming strategy {strategy!r} finds a known topic for {_counted(names)}"
    return Problem(str(source), what, f"add {strategy!r} to naming.strategies")


def _unbound(source: SourceId, names: Sequence[str]) -> Problem:
    hint = "declare their topics in naming.subjects or by manual input, or name another strategy"
    return Problem(str(source), f"no topic is found for {_counted(names)}", hint)


def _counted(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, sorted(names)[:_SHOWN]))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} subject{'s' if len(names) != 1 else ''}: {shown}{more}"


def _candidate_text(candidate: Candidate) -> str:
    record = f", record {candidate.record!r}" if candidate.record else ""
    return f"the {candidate.role} of topic {candidate.topic!r} (strategy {candidate.strategy}{record})"


Records = Mapping[Fingerprint, tuple[RecordName, ...]]
SubjectKey = tuple[str, SubjectName]
"""Place of a subject in its registry: context and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryNaming:
    """A registry that was read, with its naming settings and associations."""

    registry: Registry
    naming: NamingSettings = field(default_factory=NamingSettings)
    associations: tuple[Association, ...] = ()
    foreign: frozenset[SubjectKey] = frozenset()
    cluster_id: str = ""

    def owns(self, key: SubjectKey) -> bool:
        """Return whether a subject may describe a topic of this cluster by its name.

        Not if the registry associates it with topics of other clusters only, or if its context is another cluster's.
        """
        context = key[0].removeprefix(".")
        is_foreign = self.registry.kind == "confluent" and is_cluster_id(context) and context != self.cluster_id
        return key not in self.foreign and not is_foreign


_CLUSTER_ID = re.compile(r"lkc-[a-z0-9]+|(?=.*[A-Z])[A-Za-z0-9_-]{21}[AQgw]")


def is_cluster_id(context: str) -> bool:
    """Return whether the name of a context has the form of a cluster's id: Confluent Cloud's, or Kafka's of 16 bytes.

    A context that is named by the id of a cluster holds the subjects of its topics (Confluent Schema Registry).
    """
    return _CLUSTER_ID.fullmatch(context) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Result of binding: links sorted by topic and subject, topics that no source knew, and unbound subjects."""

    topic_schemas: tuple[TopicSchema, ...] = ()
    topics: tuple[Topic, ...] = ()
    problems: tuple[Problem, ...] = ()


class _KnownTopics(NamedTuple):
    """The sources of the topics that are known; *are_all*: the brokers have no others.

    *orphans* are subjects whose topics the brokers did not have when they last answered.
    """

    sources: Mapping[TopicName, SourceId]
    are_all: bool
    orphans: Collection[tuple[SourceId, str, SubjectName]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One subject, all its versions, the newest live one (or the newest), and whether others refer to it."""

    key: SubjectKey
    subject: Subject
    versions: tuple[SchemaVersion, ...]
    newest: SchemaVersion
    referenced: bool


def bind(  # noqa: PLR0913 - what one scan knows of subjects and topics
    versions: Iterable[SchemaVersion],
    records: Records,
    topics: Iterable[Topic],
    registries: Sequence[RegistryNaming],
    assignments: Sequence[Assignment] = (),
    *,
    in_use: IdsInUse = NONE_IN_USE,
    all_topics: bool = False,
    orphans: Collection[tuple[SourceId, str, SubjectName]] = (),
) -> Bound:
    """Bind every subject of *registries* to its topics, and every version of it with it.

    *versions* know their fingerprints, *records* the names in each text, *topics* what other sources know. The
    newest live version decides; a subject that others refer to is bound only where its topic is known or declared.
    One that is not bound so is bound where its ids are *in_use*. *all_topics*: the brokers listed every topic, so that
    no topic that *topics* lacks is assumed to exist; nor is one of *orphans*, which had none when the brokers answered.
    Takes time in proportion to the number of subjects. Raises InputInvalid for a naming strategy that cannot be used.
    """
    known = {topic.name: topic.source for topic in topics}
    listed = tuple(versions)
    parts = [
        _bind_registry(
            registry,
            [v for v in listed if v.source == registry.registry.source],
            records,
            _KnownTopics(known, are_all=all_topics, orphans=orphans),
            assignments,
        )
        for registry in registries
    ]
    by_name = [link for part in parts for link in part.links]
    seen = observed_links(in_use, listed, by_name)
    links = [*by_name, *seen.links]
    return Bound(
        topic_schemas=tuple(sorted(links, key=_order)),
        topics=tuple(_topics_of_subjects(links, known)),
        problems=(
            *(problem for part in parts for problem in part.problems(seen)),
            *seen.problems,
            *unmatched(assignments, listed),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _BoundByName:
    """What names and declarations bind of one registry: links, doubts of each, subjects without a topic."""

    source: SourceId
    links: Sequence[TopicSchema]
    doubts: Sequence[Problem]
    unbound: Sequence[OpenSubject]
    unused: Sequence[Problem]

    def problems(self, seen: Observed) -> Iterator[Problem]:
        """Yield what is wrong; a subject that ids in use bind has a topic."""
        names = names_of(seen.subjects, self.source)
        still_unbound = (subject for subject in self.unbound if subject.subject not in names)
        yield from (*self.doubts, *open_problems(self.source, still_unbound), *self.unused)


def _bind_registry(
    naming: RegistryNaming,
    versions: Sequence[SchemaVersion],
    records: Records,
    topics: _KnownTopics,
    assignments: Sequence[Assignment],
) -> _BoundByName:
    kind, source, known = naming.registry.kind, naming.registry.source, topics.sources
    declared = declared_topics(kind, naming.naming.subjects, naming.associations, assignments)
    targets = _reference_targets(versions)
    groups = _by_subject(versions)
    strategies = strategies_in_force(naming.naming.strategies, kind) if groups else ()
    links: list[TopicSchema] = []
    problems: list[Problem] = []
    unbound: list[OpenSubject] = []
    slow: dict[str, list[str]] = {}
    broken: dict[Problem, None] = {}
    for key, group in groups.items():
        case = _case(key, group, records, declared.of(*key), kind, key in targets)
        proposed = propose(case.subject, strategies)
        choice = _choice(case, proposed, naming, topics)
        for error in proposed.failed:
            if isinstance(error, TookTooLong):
                slow.setdefault(error.pattern, []).append(qualified_subject(*key))
            else:
                broken[error.problem] = None
        if not naming.owns(key) and not case.subject.links:
            continue
        links.extend(_links(case, choice, known))
        if choice.ambiguous:
            problems.append(ambiguity(source, qualified_subject(*key), choice))
        if not choice.bound and not case.newest.deleted and not case.referenced:
            unbound.append(
                OpenSubject(subject=qualified_subject(*key), strategy=_helpful_strategy(case.subject, kind, known))
            )
    return _BoundByName(
        source=source,
        links=links,
        doubts=(*problems, *broken, *slow_problems(source, slow)),
        unbound=unbound,
        unused=tuple(unused_keys(source, declared, groups)),
    )


def _by_subject(versions: Iterable[SchemaVersion]) -> dict[SubjectKey, list[SchemaVersion]]:
    groups: dict[SubjectKey, list[SchemaVersion]] = {}
    for version in versions:
        groups.setdefault((version.context, version.subject), []).append(version)
    return groups


def _reference_targets(versions: Iterable[SchemaVersion]) -> set[SubjectKey]:
    """Name the subjects that others refer to, in every way that a reference can be read."""
    return {
        (context, SubjectName(subject))
        for version in versions
        for reference in version.references
        for context, subject in reference_locations(version.context, reference.subject)
    }


def _case(
    key: SubjectKey,
    versions: Sequence[SchemaVersion],
    records: Records,
    links: tuple[Link, ...],
    kind: str,
    referenced: bool,
) -> _Case:
    # A version that is deleted, or whose state is not an ordinary one (in review, failed), describes nothing now.
    newest = max(versions, key=lambda version: (not version.deleted, not version.state, version.version))
    group, name = group_and_name(key[1], key[0], kind)
    subject = Subject(name=name, group=group, records=records.get(newest.fingerprint, ()), links=links)
    return _Case(key=key, subject=subject, versions=tuple(versions), newest=newest, referenced=referenced)


def _choice(case: _Case, proposed: Proposed, naming: RegistryNaming, topics: _KnownTopics) -> Choice:
    choice = choose(proposed, topics.sources)
    if choice.topic_known or case.subject.links or not choice.chosen:
        return choice
    if _fits_any_name(choice.chosen, naming) or not _assumable(case, choice.chosen, topics):
        return Choice(others=(*choice.bound, *choice.others))
    return choice


def _fits_any_name(candidate: Candidate, naming: RegistryNaming) -> bool:
    """Return whether a strategy that takes every name for a topic was only one among the registry kind's defaults."""
    weak = candidate.strategy == "simple-topic-id" and not naming.naming.strategies
    return weak and default_names(naming.registry.kind)[0] != candidate.strategy


def _assumable(case: _Case, candidate: Candidate, topics: _KnownTopics) -> bool:
    """Return whether a topic that no source knows may be assumed to exist.

    Not if the subject is deleted or an orphan, or if the brokers listed all topics. One that others refer to needs no
    topic, unless nothing is known of topics and its suffix shows that it has one.
    """
    plain = candidate.strategy == "topic" and not topics.sources
    is_orphan = (case.newest.source, *case.key) in topics.orphans
    return not (topics.are_all or is_orphan or case.newest.deleted) and (plain or not case.referenced)


def _helpful_strategy(subject: Subject, kind: str, known: Mapping[TopicName, SourceId]) -> str:
    """Name a strategy of the registry kind that finds a known topic for *subject*, though it is not configured."""
    choice = choose(propose(subject, strategies_in_force((), kind)), known)
    return choice.chosen.strategy if choice.chosen and choice.topic_known else ""


def _links(case: _Case, choice: Choice, known: Mapping[TopicName, SourceId]) -> Iterator[TopicSchema]:
    for candidate in choice.bound:
        evidence, confidence = _because(case, choice, candidate, known)
        for version in case.versions:
            yield TopicSchema(
                source=version.source,
                topic=candidate.topic,
                role=candidate.role,
                fingerprint=version.fingerprint,
                strategy=candidate.strategy,
                evidence=evidence,
                confidence=confidence,
                context=version.context,
                subject=version.subject,
                version=version.version,
                schema_id=version.schema_id,
                current=version is case.newest and not version.deleted,
                deleted=version.deleted,
            )


def _because(
    case: _Case, choice: Choice, candidate: Candidate, known: Mapping[TopicName, SourceId]
) -> tuple[str, Confidence]:
    """Return the evidence for *candidate*, and its confidence."""
    evidence = next((link.evidence for link in case.subject.links if link.topic == candidate.topic), None)
    if evidence:
        return evidence, Confidence.DECLARED
    rule = f"subject {qualified_subject(*case.key)!r} by strategy {candidate.strategy}"
    if not choice.topic_known:
        return f"{rule}; no source knows the topic", Confidence.ASSUMED
    confidence = Confidence.AMBIGUOUS if choice.ambiguous else Confidence.CONFIRMED
    return f"{rule}; topic known from {known[candidate.topic].partition(':')[0]}", confidence


def _topics_of_subjects(links: Iterable[TopicSchema], known: Mapping[TopicName, SourceId]) -> Iterator[Topic]:
    """Build each topic that is known only from subjects, with the first such registry as source."""
    sources: dict[TopicName, SourceId] = {}
    for link in links:
        sources.setdefault(link.topic, link.source)
    for name in sorted(sources.keys() - known.keys()):
        yield Topic(source=sources[name], name=name)


def _order(link: TopicSchema) -> tuple[str, str, str, str, str, int]:
    return link.topic, link.role, link.subject, link.context, link.source, link.version or 0
