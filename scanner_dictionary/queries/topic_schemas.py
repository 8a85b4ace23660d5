"""The schemas and columns of a topic, by broker and topic (and schema id, subject, version)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, literal, or_, select, true

from scanner_dictionary.queries.columns import FoundTag, columns_of
from scanner_dictionary.queries.resolve import FoundCluster, FoundTopic, cluster_of, topic_of, unknown_name
from scanner_dictionary.queries.schema_ids import schema_ids_of, versions_in_use
from scanner_dictionary.queries.tag_decisions import tag_decisions, with_accepted
from scanner_dictionary.queries.topics import NOTHING, catalog_annotations, field_tags, tagged
from scanner_dictionary.schema import tables as t
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid
from scanner_model.schemas import qualified_subject
from scanner_model.tag_decisions import Decision

_NEWEST = ("latest", -1)
_LARGEST = (1 << 63) - 1

Links = list[Row[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaAnswer:
    """A schema of a topic.

    *subject* is empty, *version* and *schema_id* are None where no registry is behind it; *registry* is empty then.
    *current*: it describes the topic now. *stale*: its source could not be read since. *deleted*: the registry keeps
    the version as deleted. *gone*: the topic, or its link to this schema, was deleted. *tags* and *owner* are
    the topic's, *record_tags* the schema's own, which its columns inherit. *found_tags* are those that its columns
    inherit along flows, by their names; None where that is not known. *in_use* are the versions of the subject whose
    ids records of the topic have; None where its records were not looked at.
    """

    cluster: str
    topic: str
    role: str
    subject: str
    version: int | None
    schema_id: str | None
    format: str
    name: str
    strategy: str
    evidence: str
    confidence: str
    stale: bool
    columns: tuple[Column, ...]
    deleted: bool = False
    gone: bool = False
    current: bool = True
    context: str = ""
    registry: str = ""
    text: str = ""
    tags: tuple[str, ...] = ()
    owner: str = ""
    record_tags: tuple[str, ...] = ()
    found_tags: Mapping[str, tuple[FoundTag, ...]] | None = None
    in_use: tuple[int, ...] | None = None


def schemas_of(
    conn: Connection,
    broker: str,
    topic: str,
    *,
    schema_id: str | int | None = None,
    subject: str | None = None,
    version: int | str | None = None,
) -> tuple[SchemaAnswer, ...]:
    """List schemas of a topic, keys first, then by subject, version and id; empty: the topic is known and has none.

    Without more, all current ones. *schema_id*: exactly that schema. *subject* (also as `:.context:subject`): its
    newest version that is not deleted, or *version* of it; `latest` and -1 are the newest. Deleted schemas are returned
    only where there are no others. Raises NameUnknown with the nearest known names for an unknown broker, topic, id,
    subject or version, InputInvalid for a malformed one.
    """
    return schemas_in(conn, cluster_of(conn, broker), topic, schema_id=schema_id, subject=subject, version=version)


def schemas_in(
    conn: Connection,
    cluster: FoundCluster,
    topic: str,
    *,
    schema_id: str | int | None = None,
    subject: str | None = None,
    version: int | str | None = None,
) -> tuple[SchemaAnswer, ...]:
    """List schemas of a topic of *cluster*, as `schemas_of` does."""
    _check_version(version)
    found_topic = topic_of(conn, cluster, topic)
    links = _TopicLinks(conn, found_topic)
    if schema_id is not None:
        chosen = links.with_id(str(schema_id), subject, version)
    elif subject is not None or version is not None:
        chosen = links.of_version(subject, version)
    else:
        chosen = links.current()
    return _schema_answers(conn, cluster, found_topic, sorted(chosen, key=_order))


def _check_version(version: int | str | None) -> None:
    if isinstance(version, str) and version not in _NEWEST and not version.isdecimal():
        raise InputInvalid(f"{version!r} is not a version", hint="write a number or `latest`")


@dataclass(frozen=True, slots=True)
class _TopicLinks:
    """The links of *topic* to schemas, deleted ones too. It may have very many: what is asked for is read, no more."""

    conn: Connection
    topic: FoundTopic

    def current(self) -> Links:
        """Read the live links; for a deleted topic, those that it had last."""
        gone, end = t.topic_schema.c.gone, self.topic.gone
        return self._read(
            t.topic_schema.c.is_current, gone.is_(None) if end is None else or_(gone.is_(None), gone >= end)
        )

    def with_id(self, schema_id: str, subject: str | None, version: int | str | None) -> Links:
        """Read one link for each side that has this schema: of the requested subject and version where there is one."""
        rows = self._read(t.topic_schema.c.schema_id == schema_id)
        if not rows:
            raise unknown_name(
                "schema id", schema_id, (), self._listed("this topic", true(), t.topic_schema.c.schema_id)
            )
        rows = [row for row in rows if subject in (row.subject, f":{row.context}:{row.subject}")] or rows
        rows = [row for row in rows if str(row.version) == str(version)] or rows
        best: dict[tuple[Any, ...], Row[Any]] = {}
        for row in sorted(rows, key=lambda row: (row.gone is None, row.is_current, not row.deleted, row.version or 0)):
            best[row.schema_role, row.definition_id] = row
        return list(best.values())

    def of_version(self, subject: str | None, version: int | str | None) -> Links:
        """Read a version of the subject, or of each: the newest where none is named."""
        of_subject = true() if subject is None else _is_called(subject)
        newest = version is None or version in _NEWEST
        rows = self._newest(of_subject) if newest else self._numbered(of_subject, int(version or 0))
        if rows or (newest and subject is None):
            return rows
        if subject is not None and not self._known(of_subject, t.topic_schema.c.subject):
            known = self._known(true(), t.topic_schema.c.context, t.topic_schema.c.subject)
            names = sorted(qualified_subject(row.context, row.subject) for row in known if row.subject)
            raise unknown_name("subject", subject, names, _listed("this topic has", names))
        versions = self._listed(subject or "the topic", of_subject, t.topic_schema.c.version)
        raise unknown_name("version", str(version), (), versions)

    def _numbered(self, condition: ColumnElement[bool], version: int) -> Links:
        rows = self._read(condition, t.topic_schema.c.version == min(version, _LARGEST))
        return [row for row in rows if row.gone is None] or rows

    def _newest(self, condition: ColumnElement[bool]) -> Links:
        """Read the newest version of each subject; one that is deleted or gone only where all are."""
        link = t.topic_schema.c
        group = link.schema_role, link.subject, link.context, link.registry_id
        newest = select(*group, func.max(_RANK)).where(link.topic_id == self.topic.id, condition).group_by(*group)
        best = {tuple(row) for row in self.conn.execute(newest)}
        rows = self._read(condition, _RANK.in_({row[-1] for row in best}))
        return [row for row in rows if (row.schema_role, row.subject, row.context, row.registry_id, row.rank) in best]

    def _read(self, *conditions: ColumnElement[bool]) -> Links:
        query = _LINKS.where(t.topic_schema.c.topic_id == self.topic.id, *conditions)
        return sorted(self.conn.execute(query), key=_order)

    def _known(self, condition: ColumnElement[bool], *columns: ColumnElement[Any]) -> Sequence[Row[Any]]:
        query = select(*columns).where(t.topic_schema.c.topic_id == self.topic.id, condition, columns[-1].is_not(None))
        return self.conn.execute(query.distinct().order_by(*columns)).all()

    def _listed(self, whose: str, condition: ColumnElement[bool], column: ColumnElement[Any]) -> str:
        return _listed(f"{whose} has", [str(value) for (value,) in self._known(condition, column)])


_link = t.topic_schema.c
_RANK = (
    case((and_(_link.gone.is_(None), ~_link.deleted), 2), (_link.gone.is_(None), 1), else_=0) * literal(1 << 40)
    + func.coalesce(_link.version, 0)
).label("rank")
"""Orders the versions of a subject: those that are there before deleted ones, and those before what is gone."""

_LINKS = (
    select(
        t.topic_schema,
        t.schema_definition.c.format,
        t.schema_definition.c.name,
        t.schema_definition.c.schema_text,
        t.schema_definition.c.tags.label("record_tags"),
        t.source.c.stale_since,
        t.registry.c.url,
        _RANK,
    )
    .join(t.schema_definition, t.schema_definition.c.id == _link.definition_id)
    .join(t.source, t.source.c.id == _link.source_id)
    .outerjoin(t.registry, t.registry.c.id == _link.registry_id)
)


def _order(row: Row[Any]) -> tuple[Any, ...]:
    return row.schema_role, row.subject, row.context, row.version or 0, row.schema_id or "", row.id


def _is_called(subject: str) -> ColumnElement[bool]:
    """Return the condition for links of *subject*, which may be written with its context."""
    link = t.topic_schema.c
    return or_(link.subject == subject, literal(":") + link.context + ":" + link.subject == subject)


def _schema_answers(
    conn: Connection, cluster: FoundCluster, topic: FoundTopic, links: Sequence[Row[Any]]
) -> tuple[SchemaAnswer, ...]:
    columns = columns_of(conn, {row.definition_id for row in links})
    note = catalog_annotations(conn, cluster=cluster.id, topic=topic.name).get((cluster.id, topic.name), NOTHING)
    note = note.beside(topic.tags, "")
    accepted = tag_decisions(conn, Decision.ACCEPTED).get((cluster.name, topic.name), {})
    ids = schema_ids_of(conn, cluster, topic.name)
    fields = field_tags(conn, cluster.id, {row.schema_id or "" for row in links})
    return tuple(
        SchemaAnswer(
            cluster=cluster.name,
            topic=topic.name,
            role=row.schema_role,
            subject=row.subject,
            version=row.version,
            schema_id=row.schema_id,
            format=row.format,
            name=row.name,
            strategy=row.strategy,
            evidence=row.evidence,
            confidence=row.confidence,
            stale=row.gone is None and row.stale_since is not None and row.last_seen < cluster.latest,
            columns=tagged(
                columns.get(row.definition_id, ()),
                with_accepted(fields.get((row.schema_id or "", row.name), {}), accepted, row.schema_role),
            ),
            deleted=row.deleted,
            gone=row.gone is not None or topic.gone is not None,
            current=row.is_current,
            context=row.context,
            registry=row.url or "",
            text=row.schema_text,
            tags=note.tags,
            owner=note.owner,
            record_tags=tuple(json.loads(row.record_tags)),
            in_use=versions_in_use(ids, row.schema_role, (row.url or "", row.context, row.subject)),
        )
        for row in links
    )


def _listed(start: str, known: Iterable[str]) -> str:
    names = list(known)
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"{start} {', '.join(names[:10])}{more}" if names else f"{start} none"
