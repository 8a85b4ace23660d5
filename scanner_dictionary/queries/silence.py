"""Queries for applications that monitoring knew and has not seen for long, where it has looked all the time."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary.queries.clients import ClientRow, application_of_group, observed
from scanner_dictionary.queries.facts import stored_rows
from scanner_dictionary.queries.state import last_scans
from scanner_dictionary.queries.subjects import TopicKey
from scanner_dictionary.schema import tables as t
from scanner_model.clients import AT_SCAN, Direction
from scanner_model.scan import SourceStatus

_RETENTION = timedelta(days=7)
"""Kafka's default of `offsets.retention.minutes`: brokers list a group that long after its last member left."""
_SLACK = 20
"""Windows of a metric may leave gaps of one part in this many: scans do not start at the same second every day."""
_WITHOUT_MEMBERS = frozenset({"empty", "dead"})


class Silence(NamedTuple):
    """Applications by name, also by those of their groups, each with when monitoring last saw it, in ISO 8601.

    *silent* were not seen for the asked time, *seen* were, or may have been.
    """

    silent: Mapping[str, str]
    seen: frozenset[str]


def silence(conn: Connection, least: timedelta) -> Silence:
    """Return which applications were not seen for at least *least* before the newest scan of their cluster.

    A client of metrics is silent if the windows of every source that knew it cover that time without it, a consumer
    group if brokers list it no more since. Where a source samples, is stale, or was read too rarely, nothing is silent.
    """
    silent: dict[str, str] = {}
    seen: set[str] = set()
    for known in _known(conn):
        if known.is_idle:
            continue
        if known.since > known.now - least:
            seen |= known.names
        elif known.covers(least):
            silent |= {name: max(known.last_seen, silent.get(name, "")) for name in known.names}
    return Silence({name: at for name, at in sorted(silent.items()) if name not in seen}, frozenset(seen))


class Sighting(NamedTuple):
    """When monitoring last saw an application.

    It is not seen *since* then; *now* is the end of the newest scan. *is_present*: that scan saw it. *is_covered*:
    sources looked all the time since. *idle_since* is the scan (ISO 8601) from which on brokers list its group without
    members; empty for others. *kind* is consumer-group, or what else was seen, *name* that of the application.
    """

    since: datetime
    now: datetime
    is_present: bool
    is_covered: bool
    idle_since: str
    kind: str
    name: str


def sightings(conn: Connection, topic: TopicKey | None = None) -> Mapping[str, Sighting]:
    """Return the newest sighting of each application by its names, also by those of its groups.

    With *topic*, only of those that read it, and of its reading: also of those that did so in an earlier scan.
    """
    found: dict[str, Sighting] = {}
    for known in _known(conn, topic):
        idle = _idle_since(conn, known.names) if known.is_idle else ""
        present = known.is_present and not known.is_idle
        covered = known.covers(known.now - known.since)
        sighting = Sighting(known.since, known.now, present, covered, idle, known.kind, known.name)
        for name in known.names:
            before = found.get(name)
            if before is None or (sighting.is_present, sighting.since) > (before.is_present, before.since):
                found[name] = sighting
    return found


def _idle_since(conn: Connection, names: Collection[str]) -> str:
    """Return the end of the scan that found a group in its state; the group was not looked at between scans."""
    log = t.change_log.c
    of_group = log.entity_kind == "consumer_group", log.entity.in_([json.dumps([name]) for name in sorted(names)])
    query = select(t.scan.c.finished, log.action, log.after_json).join(t.scan, t.scan.c.id == log.scan_id)
    changes = [
        row.finished
        for row in conn.execute(query.where(*of_group).order_by(log.scan_id))
        if row.action != "changed" or "state" in json.loads(row.after_json or "{}")
    ]
    return max(changes, default="")


class _Known(NamedTuple):
    """An application by its names: *since* when it is not seen, and whether sources *covers* a time before *now*.

    *is_idle*: a group that brokers list without members.
    """

    names: frozenset[str]
    last_seen: str
    since: datetime
    now: datetime
    covers: Callable[[timedelta], bool]
    is_present: bool
    kind: str
    name: str
    is_idle: bool = False


def _known(conn: Connection, topic: TopicKey | None = None) -> Iterator[_Known]:
    """Yield what monitoring and brokers know of applications, in every cluster; of the readers of *topic* only."""
    for scan in last_scans(conn):
        if topic is None or topic.cluster == scan.cluster:
            now = datetime.fromisoformat(scan.finished)
            look = _Look(_reads(conn, scan.cluster), _windows(conn, scan.cluster), now)
            yield from _clients(conn, scan.cluster, look, topic)
            yield from _groups(conn, scan.cluster, look, topic)


class _Look(NamedTuple):
    """When each source was read, the shortest window of each, and the end of the newest scan."""

    reads: Mapping[str, list[datetime]]
    windows: Mapping[str, timedelta]
    now: datetime

    def covers(self, source: str, window: timedelta, least: timedelta) -> bool:
        """Return whether the reads of a source, each of the *window* before it, leave no gap in the last *least*."""
        end = self.now
        allowed = window + window / _SLACK
        for at in sorted(self.reads.get(source, ()), reverse=True):
            if end - at > allowed:
                return False
            end = at
            if at - window <= self.now - least:
                return True
        return False


def _reads(conn: Connection, cluster: str) -> Mapping[str, list[datetime]]:
    """Return when each source was read completely, by its name."""
    outcome, source = t.scan_outcome.c, t.source.c
    query = (
        select(source.name, t.scan.c.finished)
        .select_from(t.scan_outcome)
        .join(t.scan, t.scan.c.id == outcome.scan_id)
        .join(t.source, source.id == outcome.source_id)
        .join(t.cluster, t.cluster.c.id == t.scan.c.cluster_id)
        .where(t.cluster.c.name == cluster, outcome.status == SourceStatus.READ)
    )
    found: dict[str, list[datetime]] = {}
    for name, finished in conn.execute(query):
        found.setdefault(name, []).append(datetime.fromisoformat(finished))
    return found


def _windows(conn: Connection, cluster: str) -> Mapping[str, timedelta]:
    """Return the shortest window of the metrics of each source; a look at the moment of a scan has none."""
    found: dict[str, timedelta] = {}
    for row in conn.execute(stored_rows(t.client_use, cluster)):
        if row.window_length != AT_SCAN:
            length = datetime.fromisoformat(row.ended) - datetime.fromisoformat(row.started)
            found[row.source_name] = min(length, found.get(row.source_name, length))
    return found


def _clients(conn: Connection, cluster: str, look: _Look, topic: TopicKey | None) -> Iterator[_Known]:
    """Yield each observed application."""
    by_application: dict[str, list[ClientRow]] = {}
    for row in observed(conn, cluster=cluster, topic=topic.name if topic else None, include_gone=True):
        if topic and row.use != Direction.READS:
            continue
        by_application.setdefault(row.application, []).append(row)
    for application, rows in by_application.items():
        names = frozenset({application, *(each.name for row in rows for each in row.identities)})
        at = max(row.last_seen for row in rows)
        sources = {each.source for row in rows for each in row.identities}
        is_sure = not any(row.sampled or row.stale for row in rows)

        def covers(least: timedelta, sources: set[str] = sources, is_sure: bool = is_sure) -> bool:
            windows = {name: look.windows.get(name) for name in sources}
            return is_sure and all(
                window is not None and look.covers(name, window, least) for name, window in windows.items()
            )

        present = not all(row.gone for row in rows)
        yield _Known(names, at, datetime.fromisoformat(at), look.now, covers, present, rows[0].kind, application)


def _groups(conn: Connection, cluster: str, look: _Look, topic: TopicKey | None) -> Iterator[_Known]:
    """Yield each consumer group; brokers list one until `_RETENTION` after its last member left."""
    finished = {row.id: row.finished for row in conn.execute(select(t.scan.c.id, t.scan.c.finished))}
    application = application_of_group(conn, cluster)
    read = t.consumer_group_topic.c
    of_topic = select(read.consumer_group_id, read.gone).where(read.topic_name == topic.name) if topic else None
    left = dict(tuple(row) for row in conn.execute(of_topic)) if of_topic is not None else None
    for row in conn.execute(stored_rows(t.consumer_group, cluster)):
        if left is not None and row.id not in left:
            continue
        names, at = frozenset({row.name, application(row.name)}), finished[row.last_seen]
        gone = row.gone if left is None or row.gone is not None else left[row.id]
        since = look.now if gone is None else datetime.fromisoformat(finished[gone])
        covers = partial(look.covers, row.source_name, _RETENTION)
        is_idle = gone is None and row.state.lower() in _WITHOUT_MEMBERS
        yield _Known(names, at, since, look.now, covers, gone is None, "consumer-group", application(row.name), is_idle)
