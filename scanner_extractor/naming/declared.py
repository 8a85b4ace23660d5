"""Topics declared for subjects: registry associations, manual assignments, cluster.json."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scanner_extractor.naming import Link
from scanner_extractor.naming.subjects import mapped_key, mapped_links
from scanner_model.documents.json_positions import closest_match
from scanner_model.manual import Assignment
from scanner_model.names import SourceId, SubjectName
from scanner_model.problems import Problem
from scanner_model.schemas import Association, SchemaVersion, qualified_subject

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
    for given in assignments:
        link = Link(topic=given.topic, strategy="manual", evidence=given.place, role=given.role)
        links.setdefault((given.context, given.subject), []).append(link)
    return DeclaredTopics(
        kind=kind, by_subject={place: tuple(topics) for place, topics in links.items()}, mapping=mapping
    )


def cluster_associations(
    source: SourceId, associations: Iterable[Association], cluster_id: str
) -> tuple[tuple[Association, ...], tuple[Problem, ...]]:
    """Return the associations whose topics are of the Kafka cluster *cluster_id*, or of no cluster by name.

    One registry serves many clusters, whose topics bear the same names. Where the id is not known (empty), those that
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
    source: SourceId, declared: DeclaredTopics, places: Iterable[tuple[str, SubjectName]]
) -> Iterator[Problem]:
    """Report members of `naming.subjects` that match no subject of the registry."""
    listed = tuple(places)
    used = {mapped_key(declared.mapping, subject, context, declared.kind) for context, subject in listed}
    names = sorted({subject for _, subject in listed})
    for count, key in enumerate(sorted(declared.mapping.keys() - used)):
        hint = closest_match(key, names) if count < _HINTED else ""
        yield Problem(str(source), f"naming.subjects names {key!r}, and the registry has no such subject", hint)


def unmatched(assignments: Iterable[Assignment], versions: Iterable[SchemaVersion]) -> Iterator[Problem]:
    """Report assignments of subjects that no readable registry has."""
    places: set[tuple[str | None, SubjectName]] = set()
    for version in versions:
        places |= {(version.context, version.subject), (None, version.subject)}
    names = sorted({subject for _, subject in places})
    missing = [given for given in assignments if (given.context, given.subject) not in places]
    for count, given in enumerate(missing):
        hint = closest_match(given.subject, names) if count < _HINTED else ""
        yield Problem(given.place, f"no registry that answered has a subject {given.subject!r}", hint)
