"""The change log played again: what each fact was at one scan and at a later one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, select, tuple_

from scanner_dictionary import tables as t

State = Mapping[str, Any]

_EMPTY: tuple[Any, ...] = (None, "", False, "[]", "{}", [])
_NOTHING: State = {}


@dataclass(frozen=True, slots=True)
class Replayed:
    """A fact that differs: what it was and what it is, each None where it was not there; empty members are left out."""

    kind: str
    name: tuple[Any, ...]
    before: State | None
    after: State | None

    def reversed(self) -> Replayed:
        """Give the same going back in time."""
        return Replayed(self.kind, self.name, self.after, self.before)


def replay(conn: Connection, cluster: int, older: int, newer: int) -> Iterator[Replayed]:
    """List the facts of *cluster* that differ between scans *older* and *newer*, by kind and name."""
    log = t.change_log.c
    of_cluster = t.change_log.join(t.scan, t.scan.c.id == log.scan_id)
    touched = select(log.entity_kind, log.entity).select_from(of_cluster)
    touched = touched.where(t.scan.c.cluster_id == cluster, log.scan_id > older, log.scan_id <= newer)
    query = (
        select(log.entity_kind, log.entity, log.scan_id, log.action, log.after_json)
        .select_from(of_cluster)
        .where(t.scan.c.cluster_id == cluster, log.scan_id <= newer)
        .where(tuple_(log.entity_kind, log.entity).in_(touched))
        .order_by(log.entity_kind, log.entity, log.scan_id, log.ordinal)
    )
    for (kind, entity), entries in groupby(conn.execute(query), key=lambda row: (row.entity_kind, row.entity)):
        before, after = _states(entries, older)
        if before != after:
            yield Replayed(kind, tuple(json.loads(entity)), before, after)


def _states(entries: Iterable[Any], older: int) -> tuple[State | None, State | None]:
    before = after = None
    for entry in entries:
        after = _next(after, entry)
        before = after if entry.scan_id <= older else before
    return before, after


def _next(state: State | None, entry: Any) -> State | None:  # noqa: ANN401 - a row of the log
    if entry.action == "gone":
        return None
    told = json.loads(entry.after_json) if entry.after_json else {}
    kept = (state or _NOTHING) if entry.action == "changed" else _NOTHING
    return {name: value for name, value in {**kept, **told}.items() if value not in _EMPTY}
