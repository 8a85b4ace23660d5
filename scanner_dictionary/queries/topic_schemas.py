"""The schemas and columns of a topic, by broker and topic (and schema id, subject, version)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, select

from scanner_dictionary.queries.columns import columns_of
from scanner_dictionary.queries.resolve import FoundCluster, FoundTopic, cluster_of, topic_of, unknown_name
from scanner_dictionary.queries.topics import NOTHING, catalog_annotations, field_tags, tagged
from scanner_dictionary.schema import tables as t
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid
from scanner_model.schemas import qualified_subject

_NEWEST = ("latest", -1)

Links = list[Row[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaAnswer:
    """A schema of a topic.

    *subject* is empty, *version* and *schema_id* are None where no registry is behind it; *registry* is empty then.
    *current*: it describes the topic now. *stale*: its source could not be read since. *deleted*: the registry keeps
    the version as deleted. *gone*: the topic, or its link to this schema, was deleted. *tags* and *owner* are
    the topic's, *record_tags* the schema's own, which its columns inherit.
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
    links = _links(conn, found_topic)
    if schema_id is not None:
        chosen = _with_id(links, str(schema_id), subject, version)
    elif subject is not None:
        chosen = _of_version(_of_subject(links, subject), version, subject)
    elif version is not None:
        chosen = _of_version(links, version, "the topic")
    else:
        chosen = _live_links([row for row in links if row.is_current], found_topic)
    return _schema_answers(conn, cluster, found_topic, sorted(chosen, key=_order))


def _check_version(version: int | str | None) -> None:
    if isinstance(version, str) and version not in _NEWEST and not version.isdecimal():
        raise InputInvalid(f"{version!r} is not a version", hint="write a number or `latest`")


def _links(conn: Connection, topic: FoundTopic) -> Links:
    """Read every link of a topic, deleted ones too, in the order of the result."""
    link, definition = t.topic_schema.c, t.schema_definition.c
    query = (
        select(
            t.topic_schema,
            definition.format,
            definition.name,
            definition.schema_text,
            definition.tags.label("record_tags"),
            t.source.c.stale_since,
            t.registry.c.url,
        )
        .join(t.schema_definition, definition.id == link.definition_id)
        .join(t.source, t.source.c.id == link.source_id)
        .outerjoin(t.registry, t.registry.c.id == link.registry_id)
        .where(link.topic_id == topic.id)
    )
    return sorted(conn.execute(query), key=_order)


def _order(row: Row[Any]) -> tuple[Any, ...]:
    return row.schema_role, row.subject, row.context, row.version or 0, row.schema_id or "", row.id


def _with_id(links: Links, schema_id: str, subject: str | None, version: int | str | None) -> Links:
    """Return one link for each side that has this schema: of the requested subject and version where there is one."""
    rows = [row for row in links if row.schema_id == schema_id]
    if not rows:
        known = sorted({row.schema_id for row in links if row.schema_id is not None})
        raise unknown_name("schema id", schema_id, known, _listed("this topic has", known))
    for fits in (_is_called(subject or ""), lambda row: str(row.version) == str(version)):
        rows = [row for row in rows if fits(row)] or rows
    best: dict[tuple[Any, ...], Row[Any]] = {}
    for row in sorted(rows, key=lambda row: (row.gone is None, row.is_current, not row.deleted, row.version or 0)):
        best[row.schema_role, row.definition_id] = row
    return list(best.values())


def _of_subject(links: Links, subject: str) -> Links:
    of_subject = list(filter(_is_called(subject), links))
    if not of_subject:
        known = sorted({_full_name(row) for row in links if row.subject})
        raise unknown_name("subject", subject, known, _listed("this topic has", known))
    return of_subject


def _is_called(subject: str) -> Callable[[Row[Any]], bool]:
    return lambda row: subject in (row.subject, f":{row.context}:{row.subject}")


def _full_name(row: Row[Any]) -> str:
    return qualified_subject(row.context, row.subject)


def _of_version(links: Links, version: int | str | None, whose: str) -> Links:
    """Return a version of each subject: the newest where none is named."""
    if version is None or version in _NEWEST:
        return [row for group in _by_subject(links) for row in _newest(group)]
    rows = [row for row in links if str(row.version) == str(int(version))]
    if not rows:
        known = [str(number) for number in sorted({row.version for row in links if row.version is not None})]
        raise unknown_name("version", str(version), (), _listed(f"{whose} has", known))
    return [row for row in rows if row.gone is None] or rows


def _by_subject(links: Links) -> Iterator[Links]:
    def of(row: Row[Any]) -> tuple[str, str, str, int]:
        return row.schema_role, row.subject, row.context, row.registry_id or 0

    return (list(group) for _, group in groupby(sorted(links, key=of), key=of))


def _newest(group: Links) -> Links:
    """Return the links of the newest version of one subject; one that is deleted or gone only where all are."""
    present = [row for row in group if row.gone is None]
    alive = [row for row in present if not row.deleted] or present or group
    newest = max(row.version or 0 for row in alive)
    return [row for row in alive if (row.version or 0) == newest]


def _live_links(links: Links, topic: FoundTopic) -> Links:
    """Return the live links; for a deleted topic, those that it had last."""
    end = topic.gone
    return [row for row in links if row.gone is None or (end is not None and row.gone >= end)]


def _schema_answers(
    conn: Connection, cluster: FoundCluster, topic: FoundTopic, links: Sequence[Row[Any]]
) -> tuple[SchemaAnswer, ...]:
    columns = columns_of(conn, {row.definition_id for row in links})
    note = catalog_annotations(conn, cluster=cluster.id, topic=topic.name).get((cluster.id, topic.name), NOTHING)
    note = note.beside(topic.tags, "")
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
            columns=tagged(columns.get(row.definition_id, ()), fields.get((row.schema_id or "", row.name), {})),
            deleted=row.deleted,
            gone=row.gone is not None or topic.gone is not None,
            current=row.is_current,
            context=row.context,
            registry=row.url or "",
            text=row.schema_text,
            tags=note.tags,
            owner=note.owner,
            record_tags=tuple(json.loads(row.record_tags)),
        )
        for row in links
    )


def _listed(start: str, known: Iterable[str]) -> str:
    names = list(known)
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"{start} {', '.join(names[:10])}{more}" if names else f"{start} none"
