"""Queries for subjects by name, for who uses a topic, and the tags that catalogs set on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import translate
from itertools import groupby
from re import IGNORECASE
from re import compile as pattern_of
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, case, func, select

from scanner_dictionary.queries.facts import is_stale, newest_scans
from scanner_dictionary.schema import tables as t
from scanner_model.columns import Column, ColumnPath
from scanner_model.owners import CODE_OWNED_PROGRAM, CODE_OWNED_TOPIC, OWNED_TOPIC, OWNER_PATTERN, Owners
from scanner_model.text import tasks_apart

FAILED = ("FAILED", "DEGRADED")
"""States of a connector, of a task and of a statement that failed."""


class TopicUser(NamedTuple):
    """A connector, consumer group or ksqlDB collection that uses a topic.

    *state* is empty if it has none; that of a connector counts the tasks in another state.
    """

    kind: str
    name: str
    what: str
    state: str
    source: str


def topic_users(conn: Connection, cluster: str, topic: str) -> Iterator[TopicUser]:
    """Yield those that exist, connectors first, then groups, then collections, each by name."""
    ids = select(t.cluster.c.id).where(t.cluster.c.name == cluster).scalar_subquery()
    source = t.source.c.name
    connector = t.connector.c
    query = select(connector.id, connector.name, connector.topics, connector.state, source).join(
        t.source, connector.source_id == t.source.c.id
    )
    live = connector.cluster_id == ids, connector.gone.is_(None), connector.topics.is_not(None)
    for number, name, topics, state, of in conn.execute(query.where(*live).order_by(connector.name)):
        if topic in json.loads(topics):
            task = t.connector_task.c
            states = conn.scalars(select(task.state).where(task.connector_id == number)).all()
            yield TopicUser("job", name, "uses", ", ".join(filter(None, (state, tasks_apart(state, states)))), of)
    group, read = t.consumer_group.c, t.consumer_group_topic.c
    groups = (
        select(group.name, group.state, source)
        .select_from(t.consumer_group_topic)
        .join(t.consumer_group, group.id == read.consumer_group_id)
        .join(t.source, t.source.c.id == read.source_id)
        .where(group.cluster_id == ids, read.topic_name == topic, read.gone.is_(None), group.gone.is_(None))
    )
    for name, state, of in conn.execute(groups.order_by(group.name)):
        yield TopicUser("consumer-group", name, "reads", state, of)
    collection = t.ksql_source.c
    named = select(collection.name, source).join(t.source, t.source.c.id == collection.source_id)
    on_topic = collection.cluster_id == ids, collection.topic_name == topic, collection.gone.is_(None)
    for name, of in conn.execute(named.where(*on_topic).order_by(collection.name)):
        yield TopicUser("collection", name, "is a collection of", "", of)


class CatalogAnnotations(NamedTuple):
    """Annotations of a topic, of several catalogs those of the first that has one; tags are those of all, by name."""

    tags: tuple[str, ...] = ()
    owner: str = ""
    description: str = ""

    def beside(self, tags: tuple[str, ...], description: str) -> CatalogAnnotations:
        """Add annotations of the topic from other sources, which take precedence."""
        return CatalogAnnotations(
            tuple(dict.fromkeys((*tags, *self.tags))), self.owner, description or self.description
        )


NOTHING = CatalogAnnotations()


def catalog_annotations(
    conn: Connection, *, cluster: int | None = None, topic: str | None = None
) -> Mapping[tuple[int, str], CatalogAnnotations]:
    """Return the annotations of each topic, by cluster and name: of all, or of one *topic* of *cluster*.

    An owner that manual input states is that of a topic without another; then comes that of its files.
    """
    note = t.annotation.c
    query = select(note.cluster_id, note.topic, note.tags, note.owner, note.description).where(
        note.topic.is_not(None), note.gone.is_(None)
    )
    query = query if topic is None else query.where(note.cluster_id == cluster, note.topic == topic)
    annotations: dict[tuple[int, str], CatalogAnnotations] = {}
    for cluster_id, name, tags, owner, description in conn.execute(query.order_by(_LATER, note.id)):
        known = annotations.get((cluster_id, name), NOTHING)
        every = tuple(sorted({*known.tags, *json.loads(tags)}))
        annotations[cluster_id, name] = CatalogAnnotations(
            every, known.owner or owner, known.description or description
        )
    return annotations


_LATER = case({OWNED_TOPIC: 1, CODE_OWNED_TOPIC: 2}, value=t.annotation.c.kind, else_=0)


def stated_owners(conn: Connection) -> Mapping[str, Owners]:
    """Return the owners that manual input states, and those of programs by their files, by the name of the cluster."""
    owners: dict[str, dict[str, dict[str, str]]] = {}
    note = t.annotation.c
    query = select(t.cluster.c.name.label("cluster"), note.kind, note.name, note.owner).join(t.cluster)
    kinds = note.kind.in_((OWNER_PATTERN, CODE_OWNED_PROGRAM))
    for row in conn.execute(query.where(kinds, note.gone.is_(None)).order_by(note.id)):
        owners.setdefault(row.cluster, {}).setdefault(row.kind, {})[row.name] = row.owner
    return {
        cluster: Owners(stated.get(OWNER_PATTERN, {}), stated.get(CODE_OWNED_PROGRAM, {}))
        for cluster, stated in owners.items()
    }


FieldTags = Mapping[tuple[str, str], Mapping[ColumnPath, tuple[str, ...]]]
"""Tags of fields by path, for each schema's id and record."""


def field_tags(conn: Connection, cluster: int, schemas: Collection[str] | None = None) -> FieldTags:
    """Return the tags of fields of records that schemas of *cluster*'s registries have.

    *schemas* are the ids of those that are wanted; None for all.
    """
    note = t.annotation.c
    query = select(note.schema_id, note.record, note.path, note.tags).where(
        note.path.is_not(None), note.schema_id.is_not(None), note.gone.is_(None)
    )
    if schemas is None:
        query = query.where(note.cluster_id == cluster)
    else:
        # + 0: SQLite would take the index of the cluster, and read all annotations of it.
        query = query.where(note.schema_id.in_(sorted(schemas)), note.cluster_id + 0 == cluster)
    by_subject: dict[tuple[str, str], dict[ColumnPath, tuple[str, ...]]] = {}
    for schema_id, record, path, tags in conn.execute(query.order_by(note.id)):
        fields, where = by_subject.setdefault((schema_id, record or ""), {}), tuple(json.loads(path))
        fields[where] = tuple(sorted({*fields.get(where, ()), *json.loads(tags)}))
    return by_subject


def tagged(columns: tuple[Column, ...], tags: Mapping[ColumnPath, tuple[str, ...]]) -> tuple[Column, ...]:
    """Add the catalog's tags to those in the schema."""
    return tuple(
        replace(
            column,
            tags=tuple(dict.fromkeys((*column.tags, *tags[column.path]))),
            inherited_tags=tuple(tag for tag in column.inherited_tags if tag not in tags[column.path]),
        )
        if column.path in tags
        else column
        for column in columns
    )


_GLOB = frozenset("*?[")
_GLOB_PARTS = pattern_of(r"\[!?\]?[^\]]*\]|[*?\[]")
"""What stands between the literal parts of a glob."""

_BETWEEN_FIELDS = pattern_of(r'[.`{}"\\\x00-\x1f]|\[|\]')
"""What is between the names of fields in a column's name, or written otherwise in JSON."""


class SubjectRow(NamedTuple):
    """A subject of a registry, its live versions, and the topics that it describes now.

    *format* is that of the newest version. *stale*: its registry could not be read since.
    """

    cluster: str
    registry: str
    context: str
    name: str
    format: str
    versions: tuple[int, ...]
    topics: tuple[str, ...]
    deleted: bool
    stale: bool
    gone: bool


def schemas(
    conn: Connection,
    *,
    cluster: str | None = None,
    pattern: str | None = None,
    topic: str | None = None,
    include_gone: bool = False,
) -> Iterator[SubjectRow]:
    """List subjects by cluster, registry, context and name; *pattern* as for topics, *topic* is one they describe."""
    names = None if topic is None else conn.scalars(_subjects_of(topic)).all()
    query = _versions() if names is None else _versions().where(t.subject.c.name.in_(names))
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    query = query if include_gone else query.where(t.subject.c.gone.is_(None))
    fits, described, latest = name_filter(pattern), _described(conn, names), newest_scans(conn)
    for _, group in groupby(conn.execute(query), key=lambda row: row.id):
        versions = list(group)
        row = _subject(versions, described, latest) if fits(versions[0].name) else None
        if row is not None and (topic is None or topic in row.topics):
            yield row


def _versions() -> Select[Any]:
    """Select each subject with its versions, also one without live versions."""
    subject, version = t.subject.c, t.subject_version.c
    return (
        select(
            t.subject,
            t.cluster.c.name.label("cluster"),
            t.registry.c.cluster_id,
            t.registry.c.url,
            t.source.c.stale_since,
            version.version,
            version.format,
            version.gone.label("version_gone"),
        )
        .join(t.registry, t.registry.c.id == subject.registry_id)
        .join(t.source, t.source.c.id == subject.source_id)
        .join(t.cluster, t.cluster.c.id == t.registry.c.cluster_id)
        .join(t.subject_version, version.subject_id == subject.id)
        .order_by(t.cluster.c.name, t.registry.c.url, subject.context, subject.name, subject.id, version.version)
    )


def _subject(
    versions: list[Any], described: Mapping[tuple[int, str, str], tuple[str, ...]], latest: Mapping[int, int]
) -> SubjectRow:
    first = versions[0]
    return SubjectRow(
        cluster=first.cluster,
        registry=first.url,
        context=first.context,
        name=first.name,
        format=versions[-1].format,
        versions=tuple(row.version for row in versions if row.version_gone is None or first.gone is not None),
        topics=described.get((first.registry_id, first.context, first.name), ()),
        deleted=first.deleted,
        stale=is_stale(first, latest),
        gone=first.gone is not None,
    )


def _subjects_of(topic: str) -> Select[Any]:
    """Select the names of the subjects that describe a topic, in any cluster."""
    link = t.topic_schema.c
    query = select(link.subject).join(t.topic, t.topic.c.id == link.topic_id).where(t.topic.c.name == topic)
    return query.where(link.is_current, link.gone.is_(None)).distinct()


def _described(conn: Connection, subjects: Sequence[str] | None) -> dict[tuple[int, str, str], tuple[str, ...]]:
    """Map each subject to the topics that it describes now, by name; only those called one of *subjects*."""
    link = t.topic_schema.c
    query = (
        select(link.registry_id, link.context, link.subject, t.topic.c.name)
        .join(t.topic, t.topic.c.id == link.topic_id)
        .where(link.registry_id.in_(select(t.registry.c.id)), link.gone.is_(None), link.is_current)
        .distinct()
    )
    rows = sorted(conn.execute(query if subjects is None else query.where(link.subject.in_(subjects))))
    return {key: tuple(row[3] for row in group) for key, group in groupby(rows, key=lambda row: tuple(row[:3]))}


def name_filter(pattern: str | None) -> Callable[[str], bool]:
    """Return a predicate for names: a glob where *pattern* holds `*`, `?` or `[`, else a part of it."""
    if not pattern:
        return lambda _: True
    if is_glob(pattern):
        glob = pattern_of(translate(pattern), IGNORECASE)
        return lambda name: glob.match(name) is not None
    part = pattern.lower()
    return lambda name: part in name.lower()


def name_condition(name: ColumnElement[str], pattern: str | None) -> ColumnElement[bool] | None:
    """Return a condition for all names that `name_filter` accepts, and few others; None if *pattern* has no letters."""
    return _holds(name, _GLOB_PARTS.split(pattern or ""))


def field_condition(name: ColumnElement[str], pattern: str | None) -> ColumnElement[bool] | None:
    """Return a condition for a text that contains field names: each column that *pattern* matches has such a field.

    The text may be JSON. None if *pattern* has no letters.
    """
    return _holds(name, [field for piece in _GLOB_PARTS.split(pattern or "") for field in _BETWEEN_FIELDS.split(piece)])


def _holds(name: ColumnElement[str], pieces: Iterable[str]) -> ColumnElement[bool] | None:
    literal = max((piece for piece in pieces if piece.isascii()), key=len, default="").lower()
    escaped = literal.replace("/", "//").replace("%", "/%").replace("_", "/_")
    return func.lower(name).like(f"%{escaped}%", escape="/") if literal else None


def is_glob(pattern: str) -> bool:
    """Return whether *pattern* is a glob, not a part of a name."""
    return not _GLOB.isdisjoint(pattern)


def cluster_ids(conn: Connection) -> dict[str, int]:
    """Map the name of each cluster to its key."""
    return {row.name: row.id for row in conn.execute(select(t.cluster.c.name, t.cluster.c.id))}
