"""Bind subjects that no name binds by the schema ids that were seen in the records of topics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scanner_model.errors import Problem
from scanner_model.names import Role, SourceId, SubjectName, TopicName
from scanner_model.schemas import (
    OF_SCHEMAS,
    Confidence,
    IdAnswer,
    SchemaIdUse,
    SchemaVersion,
    TopicSchema,
    qualified_subject,
)

STRATEGY = "schema-id"
"""The strategy of a link that an id in use made."""

RegisteredSubject = tuple[SourceId, str, SubjectName]
"""A subject by its registry, context and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdsInUse:
    """What records of topics show; *complete*: every registry was read, so that an id that none has is unknown."""

    uses: Sequence[SchemaIdUse] = ()
    complete: bool = True


NONE_IN_USE = IdsInUse()
"""No record was looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The links that ids in use make, and what is wrong with others."""

    links: tuple[TopicSchema, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def subjects(self) -> frozenset[RegisteredSubject]:
        """Return the subjects that are bound so."""
        return frozenset(map(_subject_of, self.links))


def remembered_uses(
    found: Iterable[SchemaIdUse], earlier: Iterable[SchemaIdUse], sources: Mapping[SourceId, bool]
) -> tuple[SchemaIdUse, ...]:
    """Return the uses that hold after a scan: those *found*, and ids that only *earlier* scans saw.

    *sources* are those of this scan, and whether they were read: of one that was, the ids of topics that it still looks
    at stay, with no record; of another one all do. A use that was seen before keeps where it was seen first.
    """
    known = {_key(use): use for use in earlier if use.answer in OF_SCHEMAS and use.source in sources}
    listed = [replace(use, since=known[_key(use)].since) if _key(use) in known else use for use in found]
    new, topics = set(map(_key, listed)), {(use.source, use.topic) for use in listed}
    kept = (
        replace(use, records=0)
        for key, use in known.items()
        if key not in new and (not sources[use.source] or (use.source, use.topic) in topics)
    )
    return (*listed, *kept)


def _oldest_first(use: SchemaIdUse) -> tuple[object, ...]:
    return use.topic, use.role, len(use.identifier), use.identifier, use.source


def _key(use: SchemaIdUse) -> tuple[str, ...]:
    return use.source, use.topic, use.role, use.answer, use.identifier


def observed_links(in_use: IdsInUse, versions: Iterable[SchemaVersion], links: Collection[TopicSchema]) -> Observed:
    """Bind the subjects of the ids in use to the topics where they are in use.

    Subjects are found by id, never by name. One that *links* bind already stays as it is, unless no source knows its
    topic; where a subject of the topic has the id, nothing follows for others that have it. An id of several registries
    or contexts binds nothing, which is reported, and so is one that none has.
    """
    listed = sorted((use for use in in_use.uses if use.answer in OF_SCHEMAS), key=_oldest_first)
    if not listed:
        return Observed()
    index = _Index.of(versions, links)
    made: dict[tuple[TopicName, str, RegisteredSubject], tuple[TopicSchema, ...]] = {}
    unknown: list[SchemaIdUse] = []
    ambiguous: list[SchemaIdUse] = []
    for use in listed:
        having = index.subjects(use)
        free = [subject for subject in having if subject not in index.settled]
        if not having:
            unknown.append(use)
        elif not free or any((use.topic, use.role, subject) in index.bound for subject in having):
            continue
        elif len({subject[:2] for subject in having}) > 1:
            ambiguous.append(use)
        else:
            for subject in free:
                made.setdefault((use.topic, use.role, subject), tuple(index.links(use, subject)))
    problems = (*_unknown(unknown, complete=in_use.complete), *_ambiguous(ambiguous))
    return Observed(links=tuple(link for listed in made.values() for link in listed), problems=problems)


@dataclass(frozen=True, slots=True)
class _Index:
    """The versions by subject, the subjects by id and GUID, and how names and declarations bind them."""

    versions: Mapping[RegisteredSubject, Sequence[SchemaVersion]]
    by_id: Mapping[tuple[IdAnswer, str], Sequence[RegisteredSubject]]
    settled: frozenset[RegisteredSubject]
    bound: frozenset[tuple[TopicName, str, RegisteredSubject]]

    @classmethod
    def of(cls, versions: Iterable[SchemaVersion], links: Collection[TopicSchema]) -> _Index:
        by_subject: dict[RegisteredSubject, list[SchemaVersion]] = {}
        by_id: dict[tuple[IdAnswer, str], dict[RegisteredSubject, None]] = {}
        for version in versions:
            subject = _subject_of(version)
            by_subject.setdefault(subject, []).append(version)
            for key in ((IdAnswer.ID, version.schema_id), (IdAnswer.GUID, version.guid.lower())):
                by_id.setdefault(key, {})[subject] = None
        sure = frozenset(_subject_of(link) for link in links if link.confidence is not Confidence.ASSUMED)
        bound = frozenset((link.topic, link.role.value, _subject_of(link)) for link in links)
        return cls(by_subject, {key: sorted(subjects) for key, subjects in by_id.items()}, sure, bound)

    def subjects(self, use: SchemaIdUse) -> Sequence[RegisteredSubject]:
        return self.by_id.get((use.answer, use.identifier), ())

    def links(self, use: SchemaIdUse, subject: RegisteredSubject) -> Iterator[TopicSchema]:
        """Yield a link of the topic to every version of the subject, as for subjects that a name binds."""
        versions = self.versions[subject]
        newest = max(versions, key=lambda version: (not version.deleted, not version.state, version.version))
        for version in versions:
            yield TopicSchema(
                source=version.source,
                topic=use.topic,
                role=Role(use.role),
                fingerprint=version.fingerprint,
                strategy=STRATEGY,
                evidence=f"schema {use.answer} {use.identifier} in use, {use.since}",
                confidence=Confidence.OBSERVED,
                context=version.context,
                subject=version.subject,
                version=version.version,
                schema_id=version.schema_id,
                current=version is newest and not version.deleted,
                deleted=version.deleted,
            )


def _subject_of(fact: SchemaVersion | TopicSchema) -> RegisteredSubject:
    return fact.source, fact.context, fact.subject


_SHOWN = 5


def _unknown(uses: Sequence[SchemaIdUse], *, complete: bool) -> Iterator[Problem]:
    if uses and complete:
        what = f"{len(uses)} schema ids in use are of no registry that was read: {_listed(uses)}"
        yield Problem(uses[0].source, what, "is their registry configured? records without an id may look like this")
    elif uses:
        what = f"it is unknown whose {len(uses)} schema ids in use are, as not every registry was read: {_listed(uses)}"
        yield Problem(uses[0].source, what)


def _ambiguous(uses: Sequence[SchemaIdUse]) -> Iterator[Problem]:
    if uses:
        what = f"{len(uses)} schema ids in use are of several registries or contexts, and bind nothing: {_listed(uses)}"
        yield Problem(uses[0].source, what, "declare the topics in naming.subjects")


def _listed(uses: Sequence[SchemaIdUse]) -> str:
    shown = ", ".join(f"{use.identifier} in the {use.role} of {use.topic}" for use in uses[:_SHOWN])
    return shown + (", …" if len(uses) > _SHOWN else "")


def names_of(subjects: Iterable[RegisteredSubject], source: SourceId) -> frozenset[str]:
    """Return the names, with their contexts, of those *subjects* that the registry *source* has."""
    return frozenset(qualified_subject(context, name) for registry, context, name in subjects if registry == source)
