"""Queries for applications that monitoring knew and has not seen for long, where it has looked all the time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary.queries.clients import ClientRow, application_of_group, observed
from scanner_dictionary.queries.facts import stored_rows
from scanner_dictionary.queries.state import last_scans
from scanner_dictionary.schema import tables as t
from scanner_model.clients import AT_SCAN
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
    for scan in last_scans(conn):
        now = datetime.fromisoformat(scan.finished)
        reads = _reads(conn, scan.cluster)
        windows = _windows(conn, scan.cluster)
        for names, at, is_silent in (
            *_clients(conn, scan.cluster, _Look(reads, windows, now, least)),
            *_groups(conn, scan.cluster, _Look(reads, {}, now, least)),
        ):
            if is_silent:
                silent |= {name: max(at, silent.get(name, "")) for name in names}
            elif is_silent is False:
                seen |= names
    return Silence({name: at for name, at in sorted(silent.items()) if name not in seen}, frozenset(seen))


class _Look(NamedTuple):
    """When each source was read, the shortest window of each, the end of the newest scan, and the least silence."""

    reads: Mapping[str, list[datetime]]
    windows: Mapping[str, timedelta]
    now: datetime
    least: timedelta

    def covers(self, source: str, window: timedelta) -> bool:
        """Return whether the reads of a source, each of the *window* before it, leave no gap since the moment."""
        end = self.now
        allowed = window + window / _SLACK
        for at in sorted(self.reads.get(source, ()), reverse=True):
            if end - at > allowed:
                return False
            end = at
            if at - window <= self.now - self.least:
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


def _clients(conn: Connection, cluster: str, look: _Look) -> Iterator[tuple[set[str], str, bool | None]]:
    """Yield the names of each observed application, when it was last seen, and whether it is silent (None: unknown)."""
    by_application: dict[str, list[ClientRow]] = {}
    for row in observed(conn, cluster=cluster, include_gone=True):
        by_application.setdefault(row.application, []).append(row)
    for application, rows in by_application.items():
        names = {application, *(each.name for row in rows for each in row.identities)}
        at = max(row.last_seen for row in rows)
        sources = {each.source for row in rows for each in row.identities}
        is_old = datetime.fromisoformat(at) <= look.now - look.least
        is_sure = not any(row.sampled or row.stale for row in rows)
        looked = all(name in look.windows and look.covers(name, look.windows[name]) for name in sources)
        yield names, at, (is_sure and looked) if is_old else False


def _groups(conn: Connection, cluster: str, look: _Look) -> Iterator[tuple[set[str], str, bool | None]]:
    """Yield the names of each consumer group as `_clients` does; a listed group without members is neither."""
    finished = {row.id: row.finished for row in conn.execute(select(t.scan.c.id, t.scan.c.finished))}
    application = application_of_group(conn, cluster)
    for row in conn.execute(stored_rows(t.consumer_group, cluster)):
        names, at = {row.name, application(row.name)}, finished[row.last_seen]
        if row.gone is None:
            yield names, at, None if row.state.lower() in _WITHOUT_MEMBERS else False
            continue
        is_old = datetime.fromisoformat(finished[row.gone]) <= look.now - look.least
        yield names, at, look.covers(row.source_name, _RETENTION) if is_old else False
