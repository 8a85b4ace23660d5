"""Queries for the versions of subjects that are in use: by the schema ids of records, and by files with the schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import Connection, exists, func, select

from scanner_dictionary.queries.facts import FILES
from scanner_dictionary.queries.resolve import FoundCluster
from scanner_dictionary.queries.schema_ids import SchemaIdRow, schema_ids_of
from scanner_dictionary.queries.state import kept_for, last_scans, replaced_at, topic_settings
from scanner_dictionary.queries.subjects import (
    SubjectKey,
    VersionKey,
    live_subjects,
    referrers,
    topics_of_subject,
    versions_of,
)
from scanner_dictionary.schema import tables as t

Use = Literal["newest", "written", "in-records", "in-files", "referenced", "unused", "unknown"]


class VersionUse(NamedTuple):
    """A live version of a subject at a topic, and who uses it.

    *use* is newest, written (the newest records have its id), in-records (earlier ones had it), in-files (a scanned
    file has this schema), referenced (another schema refers to it), unused, or unknown; *why* says it for people.
    *records* are how many of the newest records have it, None if they were not looked at. *last_written* is the time of
    the newest of them, *replaced* when the next version came (ISO 8601); both may be empty. *files* are subjects of
    scanned repositories with the same schema.
    """

    cluster: str
    registry: str
    subject: str
    version: int
    topic: str
    role: str
    use: Use
    why: str
    records: int | None
    last_written: str
    replaced: str
    files: tuple[str, ...]


def version_uses(conn: Connection, cluster: str | None = None, subject: str | None = None) -> Iterator[VersionUse]:
    """Yield the live versions of the subjects of registries, by cluster, subject, topic and version.

    A *subject* of that name only; without one, those with several live versions.
    """
    reading = _VersionUses(conn, cluster)
    version = t.subject_version.c
    live = select(version.subject_id).where(version.gone.is_(None), ~version.deleted)
    several = frozenset(conn.scalars(live.group_by(version.subject_id).having(func.count() > 1)))
    for key in reading.subjects.values():
        if key.kind != FILES and (key.id in several if subject is None else subject in (key.full_name, key.name)):
            yield from reading.of(key)


def unused_versions(conn: Connection, cluster: int) -> Iterator[tuple[str, str]]:
    """Yield the old versions of a cluster, by its key, that nothing has at any topic of the subject, and why."""
    looked = select(t.schema_id_use.c.id).where(t.schema_id_use.c.cluster_id == cluster).limit(1)
    name = conn.execute(select(t.cluster.c.name).where(t.cluster.c.id == cluster, exists(looked))).scalar()
    if name is None:
        return
    by_version: dict[tuple[str, int], list[VersionUse]] = {}
    for row in version_uses(conn, name):
        by_version.setdefault((row.subject, row.version), []).append(row)
    for (subject, version), rows in by_version.items():
        if all(row.use == "unused" for row in rows):
            yield f"subject {subject!r} version {version}", rows[0].why


_STRENGTH: tuple[Use, ...] = (
    "newest",
    "written",
    "in-records",
    "in-files",
    "referenced",
    "unknown",
    "unused",
)
"""Uses of a version; of several at one topic the first counts."""


class _VersionUses:
    """The uses of versions: of each subject at its topics, and of one that others refer to at theirs."""

    def __init__(self, conn: Connection, cluster: str | None) -> None:
        self._conn = conn
        self._now = {scan.cluster: scan.finished for scan in last_scans(conn)}
        self._files = _files(conn)
        self.subjects = {(key.registry_id, key.full_name): key for key in live_subjects(conn, cluster)}
        self._rows: dict[int, tuple[VersionUse, ...]] = {}

    def of(self, key: SubjectKey) -> tuple[VersionUse, ...]:
        """Return the uses of the live versions of a subject."""
        if key.id not in self._rows:
            self._rows[key.id] = ()  # subjects that refer to each other
            self._rows[key.id] = tuple(self._of_subject(key))
        return self._rows[key.id]

    def _of_subject(self, key: SubjectKey) -> Iterator[VersionUse]:
        live = [version for version in versions_of(self._conn, key) if version.live]
        referred = self._referred(key, live)
        links = topics_of_subject(self._conn, key)
        for topic, role in dict.fromkeys((link.topic, link.role) for link in links if link.gone is None):
            ids = schema_ids_of(self._conn, FoundCluster(key.cluster_id, key.cluster, 0), topic)
            for version in live:
                seen = _seen(ids, key, version.version, role)
                yield self._at_topic(key, version, (topic, role), seen, referred.get(version.version, ()), live)
        if not any(link.gone is None for link in links) and referred:
            for version in live:
                yield from self._through(key, version, referred.get(version.version, ()), live)

    def _referred(self, key: SubjectKey, live: list[VersionKey]) -> Mapping[int, list[VersionUse]]:
        """Return the uses of the versions that refer to each version of a subject."""
        found: dict[int, list[VersionUse]] = {}
        for each in referrers(self._conn, key):
            other = self.subjects.get((key.registry_id, each.subject))
            if other is not None and each.live and live:
                number = live[-1].version if each.refers_to < 0 else each.refers_to
                rows = [row for row in self.of(other) if row.version == each.version]
                found.setdefault(number, []).extend(rows or [_without_topic(other, each.version)])
        return found

    def _at_topic(
        self,
        key: SubjectKey,
        version: VersionKey,
        side: tuple[str, str],
        seen: list[SchemaIdRow] | None,
        referring: Sequence[VersionUse],
        live: list[VersionKey],
    ) -> VersionUse:
        replaced = self._replaced(key, version, live)
        having = tuple(sorted(self._files.get(version.definition or 0, ())))
        newest: tuple[Use, str] = ("newest", "it is the newest version")
        found = _use(seen, having) if replaced else newest
        users = [row for row in referring if row.use != "unused"]
        if found is None and users:
            found = "referenced", f"{users[0].subject} refers to it"
        use, why = found or _old(self._conn, key, side[0], (replaced, self._now.get(key.cluster, "")))
        if seen is None and use == "unused":
            use, why = "unknown", "records were not looked at: set `observe_schema_ids` in cluster.json"
        return VersionUse(
            cluster=key.cluster,
            registry=key.registry,
            subject=key.full_name,
            version=version.version,
            topic=side[0],
            role=side[1],
            use=use,
            why=why,
            records=None if seen is None else sum(row.records for row in seen),
            last_written=max((row.time for row in seen or ()), default=""),
            replaced=replaced,
            files=tuple(sorted({*having, *(file for row in users for file in row.files)})),
        )

    def _through(
        self, key: SubjectKey, version: VersionKey, referring: Sequence[VersionUse], live: list[VersionKey]
    ) -> Iterator[VersionUse]:
        """Yield the uses of a version without a topic of its own: those of the versions that refer to it."""
        replaced = self._replaced(key, version, live)
        having = self._files.get(version.definition or 0, [])
        sides: dict[tuple[str, str], VersionUse] = {}
        for row in sorted(referring, key=lambda row: _STRENGTH.index(row.use)):
            sides.setdefault((row.topic, row.role), row)
        for row in sides.values():
            use: Use = "newest" if not replaced else "referenced" if row.use == "newest" else row.use
            yield row._replace(
                subject=key.full_name,
                version=version.version,
                use=use,
                why=f"{row.subject} version {row.version} refers to it: {row.why}",
                replaced=replaced,
                files=tuple(sorted({*having, *row.files})),
            )
        if not sides:
            use = "in-files" if having else "unknown" if replaced else "newest"
            why = "no topic of the subject, and no schema that refers to this version, is known"
            row = _without_topic(key, version.version)
            yield row._replace(use=use, why=why, replaced=replaced, files=tuple(sorted(having)))

    def _replaced(self, key: SubjectKey, version: VersionKey, live: list[VersionKey]) -> str:
        return replaced_at(self._conn, key, version.version) if version != live[-1] else ""


def _without_topic(key: SubjectKey, version: int) -> VersionUse:
    """Return a version of a subject whose topic is not known: what refers to others counts as used."""
    return VersionUse(
        cluster=key.cluster,
        registry=key.registry,
        subject=key.full_name,
        version=version,
        topic="",
        role="",
        use="referenced",
        why="no topic of it is known",
        records=None,
        last_written="",
        replaced="",
        files=(),
    )


def _seen(ids: tuple[SchemaIdRow, ...] | None, key: SubjectKey, number: int, role: str) -> list[SchemaIdRow] | None:
    """Return what records show of a version; None if they could not be read, or not all of them."""
    if ids is None or any(row.answer in ("refused", "unread") or row.stale for row in ids):
        return None
    wanted = key.registry, key.context, key.name, number
    return [row for row in ids if row.role == role and wanted in row.versions]


def _use(seen: list[SchemaIdRow] | None, files: tuple[str, ...]) -> tuple[Use, str] | None:
    """Return how records or files use a version; None if they do not, or if that is unknown."""
    if seen and (count := sum(row.records for row in seen)):
        newest = max(row.time for row in seen)
        return "written", f"{count} of the newest records have it, the last of {newest}"
    if seen:
        return "in-records", "earlier records have it"
    if files:
        return "in-files", f"the schema of {', '.join(files)}"
    return None


def _old(conn: Connection, key: SubjectKey, topic: str, times: tuple[str, str]) -> tuple[Use, str]:
    """Return whether records of a version that none shows may still be in the topic."""
    replaced, now = times
    kept = kept_for(topic_settings(conn, topic, key.cluster))
    if kept is None:
        return "unknown", f"replaced on {replaced[:10]}; how long {topic} keeps records is unknown or without end"
    if datetime.fromisoformat(replaced.replace("Z", "+00:00")) + kept >= datetime.fromisoformat(now):
        return "unknown", f"replaced on {replaced[:10]}; {topic} keeps records for up to {kept.days} days"
    return (
        "unused",
        f"replaced on {replaced[:10]}; no examined record has it, and {topic} keeps none for {kept.days} days",
    )


def _files(conn: Connection) -> Mapping[int, list[str]]:
    """Return the subjects of scanned files by their definition: equal schemas share one."""
    version, subject = t.subject_version.c, t.subject.c
    query = (
        select(version.definition_id, t.cluster.c.name, subject.name)
        .join(t.subject, subject.id == version.subject_id)
        .join(t.registry, t.registry.c.id == subject.registry_id)
        .join(t.cluster, t.cluster.c.id == t.registry.c.cluster_id)
        .where(t.registry.c.kind == FILES, version.gone.is_(None))
    )
    found: dict[int, list[str]] = {}
    for definition, cluster, name in conn.execute(query):
        found.setdefault(definition or 0, []).append(f"{name} in {cluster}")
    return found
