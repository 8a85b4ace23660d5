"""Queries for the schema ids that records of a topic have, and the versions of subjects that they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, or_, select

from scanner_dictionary.queries.facts import fact_of, is_stale, newest_scans, reported_rows
from scanner_dictionary.queries.resolve import FoundCluster
from scanner_dictionary.schema import tables as t
from scanner_model.schemas import OF_SCHEMAS, IdAnswer, SchemaIdUse


class VersionInUse(NamedTuple):
    """A version of a subject that a schema id is of; *registry* is the address of its registry."""

    registry: str
    context: str
    subject: str
    version: int


class SchemaIdRow(NamedTuple):
    """What the newest records of a topic show about schemas.

    *answer* is id or guid, with the *identifier* and its *versions* (none: no registry has it), none (no id), null (no
    key or value), empty (no record), refused or unread, with the reason in *detail*. *role* is key or value; empty
    where it is about the topic. *records* are how many of the newest records show it; 0: earlier ones did. *partition*,
    *offset* and *time* are those of the newest that shows it. *stale*: the records could not be read since.
    """

    role: str
    answer: str
    identifier: str
    records: int
    partition: int | None
    offset: int | None
    time: str
    since: str
    detail: str
    versions: tuple[VersionInUse, ...]
    stale: bool


def schema_ids_of(conn: Connection, cluster: FoundCluster, topic: str) -> tuple[SchemaIdRow, ...] | None:
    """Return what the newest records of a topic show, keys first; None where no scan looked at its records."""
    query = reported_rows(t.schema_id_use).where(t.cluster.c.id == cluster.id, t.schema_id_use.c.topic == topic)
    rows = conn.execute(query).all()
    if not rows:
        return None
    newest = newest_scans(conn)
    uses = [(fact_of(SchemaIdUse, row), is_stale(row, newest)) for row in rows]
    versions = _versions(conn, cluster.id, [use for use, _ in uses])
    listed = (
        SchemaIdRow(
            role=use.role,
            answer=use.answer.value,
            identifier=use.identifier,
            records=use.records,
            partition=use.partition,
            offset=use.offset,
            time=use.time,
            since=use.since,
            detail=use.detail,
            versions=versions.get((use.answer, use.identifier), ()),
            stale=stale,
        )
        for use, stale in uses
    )
    return tuple(sorted(listed, key=lambda row: (row.role, row.answer, len(row.identifier), row.identifier)))


def versions_in_use(
    rows: Iterable[SchemaIdRow] | None, role: str, subject: tuple[str, str, str]
) -> tuple[int, ...] | None:
    """Return the versions of a *subject* (registry, context, name) that ids of one side are of.

    None where the records were not looked at, or no registry has the subject.
    """
    if rows is None or not subject[0]:
        return None
    listed = (version for row in rows if row.role == role for version in row.versions)
    return tuple(sorted({version.version for version in listed if version[:3] == subject}))


def _versions(
    conn: Connection, cluster: int, uses: Iterable[SchemaIdUse]
) -> Mapping[tuple[IdAnswer, str], tuple[VersionInUse, ...]]:
    """Return the live versions that have one of the ids or GUIDs, by id."""
    wanted = {(use.answer, use.identifier) for use in uses if use.answer in OF_SCHEMAS}
    if not wanted:
        return {}
    version, names = t.subject_version.c, (t.registry.c.url, t.subject.c.context, t.subject.c.name)
    query = (
        select(version.schema_id, version.guid, *names, version.version)
        .join(t.subject, t.subject.c.id == version.subject_id)
        .join(t.registry, t.registry.c.id == t.subject.c.registry_id)
        .where(t.registry.c.cluster_id == cluster, version.gone.is_(None))
        .where(
            or_(
                version.schema_id.in_(sorted(name for answer, name in wanted if answer is IdAnswer.ID)),
                version.guid.in_(sorted(name for answer, name in wanted if answer is IdAnswer.GUID)),
            )
        )
    )
    found: dict[tuple[IdAnswer, str], list[VersionInUse]] = {}
    for schema_id, guid, *named in conn.execute(query):
        for key in wanted & {(IdAnswer.ID, schema_id), (IdAnswer.GUID, guid)}:
            found.setdefault(key, []).append(VersionInUse(*named))
    return {key: tuple(sorted(listed)) for key, listed in found.items()}
