"""The sources of a cluster: which there are, how each answered in a scan, and what that proves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from scanner_dictionary.engine.bulk_insert import insert_rows
from scanner_dictionary.engine.serialization import json_cell, storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import next_id
from scanner_dictionary.write.entities import PLAIN
from scanner_model.names import SourceId
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus

_ONE_A_CLUSTER = "kafka"
_TOLD = (
    "topics",
    "registries",
    "versions",
    "topic_schemas",
    "consumer_groups",
    "ksql_sources",
    "queries",
    "connectors",
    "manual_flows",
    *PLAIN,
)
"""The members of a scan that list facts with a source."""
_UNASKED = SourceResult(
    source=SourceId(""),
    kind="",
    answer=SourceStatus.SKIPPED,
    reason="cluster.json does not lead to it any more (`scanner dictionary forget` says that it is no more)",
)
_FORGOTTEN = "forgotten"
_ANSWERED = (SourceStatus.READ, SourceStatus.PARTIAL, SourceStatus.FORGOTTEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The keys of a cluster's sources by name, their kinds, and how those asked answered.

    *telling* are those that answered or told a fact: only their facts can change.
    """

    ids: Mapping[SourceId, int]
    kinds: Mapping[int, str]
    outcomes: Mapping[int, SourceResult]
    telling: frozenset[int]

    def lists(self, source: int) -> bool:
        """Return whether *source* listed all that exists: what it does not name is gone or among the unread.

        A partial answer that names nothing unread does not say what is missing, so it proves nothing.
        """
        outcome = self.outcomes.get(source, _UNASKED)
        listed = outcome.answer in (SourceStatus.READ, SourceStatus.FORGOTTEN)
        return listed or (outcome.answer is SourceStatus.PARTIAL and bool(outcome.unread))

    def is_silent(self, source: int) -> bool:
        """Return whether *source* did not answer: a fact of its own in the scan is then only remembered, not seen."""
        outcome = self.outcomes.get(source)
        return outcome is not None and outcome.answer in (
            SourceStatus.UNAVAILABLE,
            SourceStatus.SKIPPED,
            SourceStatus.KEPT,
        )

    def unread(self, source: int) -> frozenset[str]:
        """Return the names that exist in *source* and could not be read."""
        return self.outcomes.get(source, _UNASKED).unread


def write_sources(conn: Connection, cluster: int, scan: ClusterScan, number: int) -> Sources:
    """Add the sources that are new, and note on each how fresh its facts are."""
    outcomes = {each.source: each for each in scan.outcomes}
    stored = list(conn.execute(select(t.source).where(t.source.c.cluster_id == cluster).order_by(t.source.c.id)))
    ids = _named(conn, stored, outcomes)
    facts = set(_of_facts(scan))
    new = [name for name in {*outcomes, *facts} if storable(name) not in ids]
    first = next_id(conn, t.source)
    for id_, name in enumerate(sorted(new), first):
        ids[storable(name)] = id_
        row = {"id": id_, "cluster_id": cluster, "name": storable(name), "kind": _kind(name, outcomes)}
        conn.execute(insert(t.source).values(**row, stale_reason=""))
    by_id = {ids[storable(name)]: outcome for name, outcome in outcomes.items()}
    _note_freshness(conn, ids.values(), by_id, number)
    kinds = dict(conn.execute(select(t.source.c.id, t.source.c.kind).where(t.source.c.cluster_id == cluster)).all())
    both = {SourceId(name): ids[storable(name)] for name in chain(ids, outcomes, facts)}
    answered = {name for name, each in outcomes.items() if each.answer in _ANSWERED}
    telling = frozenset(both[name] for name in answered | facts)
    return Sources(ids=both, kinds=kinds, outcomes=by_id, telling=telling)


def write_outcomes(conn: Connection, scan: ClusterScan, sources: Sources, number: int) -> None:
    """Note how each source answered in scan *number*."""
    rows = (
        (
            number,
            i,
            sources.ids[each.source],
            each.kind,
            str(each.answer),
            each.got,
            each.asked,
            storable(each.reason),
            storable(each.hint),
            each.requests,
            each.seconds,
            json_cell(sorted(each.unread)),
        )
        for i, each in enumerate(scan.outcomes)
    )
    insert_rows(conn, t.scan_outcome, rows)


def _of_facts(scan: ClusterScan) -> Iterator[SourceId]:
    """List the sources of all facts; one of them may have no outcome."""
    for member in _TOLD:
        yield from (each.source for each in getattr(scan, member))


def _kind(name: SourceId, outcomes: Mapping[SourceId, SourceResult]) -> str:
    return outcomes[name].kind if name in outcomes else name.partition(":")[0]


def _named(conn: Connection, stored: Collection[Row[Any]], outcomes: Mapping[SourceId, SourceResult]) -> dict[str, int]:
    """Return the stored keys by name; brokers asked through other addresses than before are the same source."""
    ids = {row.name: row.id for row in stored}
    asked = [each.source for each in outcomes.values() if each.kind == _ONE_A_CLUSTER]
    before = [row.name for row in stored if row.kind == _ONE_A_CLUSTER]
    if len(asked) == len(before) == 1 and asked != before:
        id_ = ids.pop(before[0])
        conn.execute(update(t.source).where(t.source.c.id == id_).values(name=storable(asked[0])))
        ids[storable(asked[0])] = id_
    return ids


def _note_freshness(conn: Connection, ids: Collection[int], outcomes: Mapping[int, SourceResult], number: int) -> None:
    query = select(t.source.c.id, t.source.c.stale_since, t.source.c.stale_reason)
    before = {id_: (since, reason) for id_, since, reason in conn.execute(query)}
    for id_ in sorted(ids):
        outcome = outcomes.get(id_, _UNASKED)
        since, reason = before[id_]
        if outcome.answer is SourceStatus.KEPT or (id_ not in outcomes and reason == _FORGOTTEN):
            continue
        said = _freshness(outcome, since, number)
        conn.execute(update(t.source).where(t.source.c.id == id_).values(**said))


def _freshness(outcome: SourceResult, since: int | None, number: int) -> dict[str, Any]:
    """Return what *outcome* makes of a source that was stale *since* a scan, or fresh."""
    match outcome.answer:
        case SourceStatus.READ:
            return {"last_asked": number, "last_read": number, "stale_since": None, "stale_reason": ""}
        case SourceStatus.FORGOTTEN:
            return {"stale_since": None, "stale_reason": _FORGOTTEN}
        case answer:
            asked = {} if answer is SourceStatus.SKIPPED else {"last_asked": number}
            reason = storable(outcome.reason) or f"answered {answer}"
            return asked | {"stale_since": since or number, "stale_reason": reason}
