"""Queries for one subject: its versions with their texts, the topics that it describes, and what refers to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, and_, func, or_, select

from scanner_dictionary.queries.columns import columns_of
from scanner_dictionary.queries.resolve import mentioned_topics
from scanner_dictionary.schema import tables as t
from scanner_model.errors import Problem
from scanner_model.names import Fingerprint, RecordName, SourceId, SubjectName
from scanner_model.schemas import DEFAULT_CONTEXT, Definition, Reference, SchemaVersion, qualified_subject


class SubjectKey(NamedTuple):
    """A subject of one registry, whose type is *kind*.

    *level* is its compatibility level in the registry's word, then policy, group and alias; empty
    where not read. *registry_version* is that of the registry's program, empty where not read.
    """

    id: int
    cluster: str
    cluster_id: int
    registry_id: int
    registry: str
    context: str
    name: str
    level: str
    gone: bool
    kind: str
    registry_version: str

    @property
    def full_name(self) -> str:
        """Return the name with its context."""
        return qualified_subject(self.context, self.name)


class VersionKey(NamedTuple):
    """A version of a subject; *definition* is the key of the parsed schema, None where its text was not parsed.

    *gone*: its registry no longer has it; *deleted*: only softly.
    """

    id: int
    subject_id: int
    version: int
    schema_id: str
    format: str
    definition: int | None
    deleted: bool
    gone: int | None
    last_seen: int

    @property
    def live(self) -> bool:
        """Return whether the registry has it and it is not deleted."""
        return self.gone is None and not self.deleted


class TopicLink(NamedTuple):
    """A topic's side that a version of a subject describes, or described; *gone* is the scan that found it ended."""

    cluster: str
    topic: str
    role: str
    registry_id: int | None
    context: str
    subject: str
    version: int | None
    definition: int
    current: bool
    gone: int | None


class Referrer(NamedTuple):
    """A version whose schema refers to another subject, by version; -1 is the newest."""

    cluster: str
    subject: str
    version: int
    refers_to: int
    live: bool


def subjects_named(conn: Connection, name: str, cluster: str | None = None) -> tuple[SubjectKey, ...]:
    """Return the subjects called *name*, with or without its context, by cluster and registry; those that exist first.

    Without a context the name means the default one, else any that has it.
    """
    plain = name[1:].partition(":")[2] if name.startswith(":") else name
    query = _subjects().where(t.subject.c.name.in_((name, plain)))
    rows = [SubjectKey(*row) for row in conn.execute(_in_cluster(query, cluster))]
    exact = [row for row in rows if row.full_name == name] or [row for row in rows if row.name == name]
    return tuple([row for row in exact if not row.gone] or exact)


class TopicKey(NamedTuple):
    """A topic; *gone* is the scan number that found it deleted, None while it exists."""

    id: int
    cluster: str
    cluster_id: int
    name: str
    gone: int | None
    last_seen: int


def topics_named(conn: Connection, name: str, cluster: str | None = None) -> tuple[TopicKey, ...]:
    """Return the topics called *name* of all clusters, or of one; those that exist where any does.

    A topic that only jobs mention exists, too; its key is 0.
    """
    topic = t.topic.c
    query = select(topic.id, t.cluster.c.name, topic.cluster_id, topic.name, topic.gone, topic.last_seen)
    query = query.join(t.cluster, t.cluster.c.id == topic.cluster_id).where(topic.name == name)
    rows = [TopicKey(*row) for row in conn.execute(_in_cluster(query, cluster).order_by(t.cluster.c.name))]
    mentioned = mentioned_topics(conn, cluster, names=[name])
    rows += [TopicKey(0, topic.cluster, topic.cluster_id, name, None, 0) for topic in mentioned]
    return tuple([row for row in rows if row.gone is None] or rows)


def topic_names(conn: Connection, cluster: str | None = None) -> Iterator[str]:
    """Yield the names of the topics that exist, then of those that only jobs mention."""
    query = select(t.topic.c.name).join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    yield from conn.scalars(_in_cluster(query.where(t.topic.c.gone.is_(None)).order_by(t.topic.c.name), cluster))
    yield from (topic.name for topic in mentioned_topics(conn, cluster))


def subject_names(conn: Connection, cluster: str | None = None) -> Iterator[str]:
    """List the names of the subjects that exist, with their contexts."""
    rows = conn.execute(_in_cluster(_subjects().where(t.subject.c.gone.is_(None)), cluster))
    return (SubjectKey(*row).full_name for row in rows)


def versions_of(conn: Connection, subject: SubjectKey) -> tuple[VersionKey, ...]:
    """Return every version of a subject that is known, the oldest first."""
    query = select(*_version_cells()).where(t.subject_version.c.subject_id == subject.id)
    return tuple(VersionKey(*row) for row in conn.execute(query.order_by(t.subject_version.c.version)))


def versions_with_id(
    conn: Connection, schema_id: str, cluster: str | None = None
) -> tuple[tuple[SubjectKey, VersionKey], ...]:
    """Return the versions that have a registry's schema id, each with its subject."""
    version = t.subject_version.c
    query = _in_cluster(_subjects().add_columns(*_version_cells()), cluster)
    query = query.join(t.subject_version, version.subject_id == t.subject.c.id).where(version.schema_id == schema_id)
    width = len(SubjectKey._fields)
    return tuple((SubjectKey(*row[:width]), VersionKey(*row[width:])) for row in conn.execute(query))


def definition_of(conn: Connection, key: int) -> Definition:
    """Read a parsed schema with its columns."""
    cell = t.schema_definition.c
    row = conn.execute(select(t.schema_definition).where(cell.id == key)).one()
    return Definition(
        fingerprint=Fingerprint(row.fingerprint),
        format=row.format,
        text=row.schema_text,
        name=RecordName(row.name),
        columns=columns_of(conn, (key,)).get(key, ()),
        problems=tuple(Problem(**problem) for problem in json.loads(row.problems)),
        tags=tuple(json.loads(row.tags)),
    )


def metadata_properties(conn: Connection, versions: Iterable[VersionKey]) -> dict[int, dict[str, str]]:
    """Return the metadata properties of each of *versions*, by its number; empty where it has none."""
    cell = t.subject_version.c
    keys = [version.id for version in versions]
    rows = conn.execute(select(cell.version, cell.metadata).where(cell.id.in_(keys)))
    return {number: json.loads(text).get("properties") or {} if text else {} for number, text in rows}


def version_finder(conn: Connection, registry_id: int) -> Callable[[str, SubjectName, int], SchemaVersion | None]:
    """Return a lookup of one registry's versions by context, subject and number (-1: the newest)."""

    def find(context: str, subject: SubjectName, number: int) -> SchemaVersion | None:
        version = t.subject_version.c
        query = _texts().where(
            t.subject.c.registry_id == registry_id, t.subject.c.context == context, t.subject.c.name == subject
        )
        query = query if number < 0 else query.where(version.version == number)
        # A version that is there comes first, then one that is not deleted, then the newest.
        order = version.gone.is_not(None), version.deleted, version.version.desc()
        row = conn.execute(query.order_by(*order).limit(1)).one_or_none()
        return None if row is None else _schema_version(conn, row)

    return find


def version_fact(conn: Connection, key: int) -> SchemaVersion:
    """Read a version with its text and references."""
    return _schema_version(conn, conn.execute(_texts().where(t.subject_version.c.id == key)).one())


def topics_of_subject(conn: Connection, subject: SubjectKey) -> tuple[TopicLink, ...]:
    """Return the topics that a subject describes or described, current links first."""
    link = t.topic_schema.c
    at = and_(link.registry_id == subject.registry_id, link.context == subject.context, link.subject == subject.name)
    return _links(conn, at)


def links_of_manual_subject(conn: Connection, name: str, cluster: str | None = None) -> tuple[TopicLink, ...]:
    """Return the current links of a subject that manual input names and no registry has."""
    link = t.topic_schema.c
    at = and_(link.registry_id.is_(None), link.subject == name, link.is_current, link.gone.is_(None))
    return tuple(found for found in _links(conn, at) if found.gone is None and cluster in (None, found.cluster))


def schemas_of_topic(conn: Connection, topic: int) -> tuple[TopicLink, ...]:
    """Return the links of a topic, current ones first."""
    return _links(conn, t.topic_schema.c.topic_id == topic)


def referrers(conn: Connection, subject: SubjectKey) -> tuple[Referrer, ...]:
    """Return the versions of the same registry that refer to a subject, by name and version."""
    reference, version = t.schema_reference.c, t.subject_version.c
    names = {subject.full_name} | ({subject.name} if subject.context == DEFAULT_CONTEXT else set())
    inside = and_(reference.subject == subject.name, t.subject.c.context == subject.context)
    live = and_(version.gone.is_(None), version.deleted.is_(False))
    query = (
        select(t.cluster.c.name, t.subject.c.context, t.subject.c.name, version.version, reference.version, live)
        .select_from(t.schema_reference)
        .join(t.subject_version, version.id == reference.subject_version_id)
        .join(t.subject, t.subject.c.id == version.subject_id)
        .join(t.registry, t.registry.c.id == t.subject.c.registry_id)
        .join(t.cluster, t.cluster.c.id == t.registry.c.cluster_id)
        .where(t.subject.c.registry_id == subject.registry_id, or_(reference.subject.in_(names), inside))
        .order_by(t.subject.c.name, version.version)
    )
    return tuple(
        Referrer(cluster, qualified_subject(context, name), number, target, bool(alive))
        for cluster, context, name, number, target, alive in conn.execute(query)
    )


def live_subjects(conn: Connection, cluster: str | None = None) -> tuple[SubjectKey, ...]:
    """Return the subjects that their registries have, and did not delete, by cluster, registry, context and name."""
    live = t.subject.c.gone.is_(None), t.subject.c.deleted.is_(False)
    return tuple(SubjectKey(*row) for row in conn.execute(_in_cluster(_subjects(), cluster).where(*live)))


def _links(conn: Connection, condition: Any) -> tuple[TopicLink, ...]:  # noqa: ANN401 - SQLAlchemy's own type
    link = t.topic_schema.c
    cells = (link.schema_role, link.registry_id, link.context, link.subject, link.version, link.definition_id)
    ended = func.coalesce(link.gone, t.topic.c.gone)
    query: Select[Any] = (
        select(t.cluster.c.name, t.topic.c.name, *cells, link.is_current, ended)
        .select_from(t.topic_schema)
        .join(t.topic, t.topic.c.id == link.topic_id)
        .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
        .where(condition)
        .order_by(link.is_current.desc(), t.cluster.c.name, t.topic.c.name, link.schema_role, link.version, link.id)
    )
    return tuple(TopicLink(*row) for row in conn.execute(query))


def _subjects() -> Select[Any]:
    subject = t.subject.c
    return (
        select(
            subject.id,
            t.cluster.c.name,
            t.cluster.c.id,
            t.registry.c.id,
            t.registry.c.url,
            subject.context,
            subject.name,
            func.coalesce(subject.compatibility, ""),
            subject.gone.is_not(None),
            t.registry.c.kind,
            t.registry.c.server_version,
        )
        .select_from(t.subject)
        .join(t.registry, t.registry.c.id == subject.registry_id)
        .join(t.cluster, t.cluster.c.id == t.registry.c.cluster_id)
        .order_by(t.cluster.c.name, t.registry.c.url, subject.context, subject.name)
    )


def _in_cluster(query: Select[Any], cluster: str | None) -> Select[Any]:
    return query if cluster is None else query.where(t.cluster.c.name == cluster)


def _version_cells() -> tuple[Any, ...]:
    version = t.subject_version.c
    return (
        *(version.id, version.subject_id, version.version, version.schema_id, version.format),
        *(version.definition_id, version.deleted, version.gone, version.last_seen),
    )


def _texts() -> Select[Any]:
    version = t.subject_version.c
    text = func.coalesce(version.schema_text, t.schema_definition.c.schema_text).label("text")
    subject = t.subject.c.context.label("context"), t.subject.c.name.label("subject"), t.source.c.name.label("source")
    return (
        select(version.id, version.version, version.schema_id, version.format, version.deleted, text, *subject)
        .select_from(t.subject_version)
        .join(t.subject, t.subject.c.id == version.subject_id)
        .join(t.source, t.source.c.id == version.source_id)
        .outerjoin(t.schema_definition, t.schema_definition.c.id == version.definition_id)
    )


def _schema_version(conn: Connection, row: Row[Any]) -> SchemaVersion:
    reference = t.schema_reference.c
    query = select(reference.name, reference.subject, reference.version)
    rows = conn.execute(query.where(reference.subject_version_id == row.id).order_by(reference.ordinal))
    return SchemaVersion(
        source=SourceId(row.source),
        subject=SubjectName(row.subject),
        version=row.version,
        schema_id=row.schema_id,
        format=row.format,
        text=row.text or "",
        context=row.context,
        references=tuple(Reference(name=name, subject=SubjectName(of), version=at) for name, of, at in rows),
        deleted=row.deleted,
    )
