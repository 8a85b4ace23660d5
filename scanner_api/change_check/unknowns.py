"""What the dictionary does not know: stale or old sources, a missing or old graph, statements that were not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from scanner_api.change_check.hits import Hits
from scanner_api.change_check.model import Finding, Place, Verdict
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import StoredGraph, newest_scan
from scanner_dictionary.queries.state import SourceAge, source_ages

_LISTED = 10


_AHEAD = timedelta(minutes=5)
"""How far the clock of the machine that scans may be ahead of this one."""


class Age(NamedTuple):
    """How long before *now* a source may have been read."""

    now: datetime
    most: timedelta


def source_findings(conn: Connection, cluster: str | None, place: Place, age: Age | None) -> Iterator[Finding]:
    """Yield a finding for each source that is stale, was never read, or is older than *age*, where one is given.

    The age of one that was read in the future is not known.
    """
    for source in source_ages(conn):
        if cluster not in (None, source.cluster):
            continue
        if source.stale_reason or not source.read_at:
            what = f"{source.name} is stale: {source.stale_reason or 'it was never read completely'}"
            yield _unknown("stale-source", source.cluster, source.name, what, place)
        elif age is not None and _time(source) < age.now - age.most:
            oldest = (age.now - age.most).isoformat(timespec="seconds")
            what = f"{source.name} was last read at {source.read_at}, before {oldest}"
            yield _unknown("old-source", source.cluster, source.name, what, place)
        elif age is not None and _time(source) > age.now + _AHEAD:
            now = age.now.isoformat(timespec="seconds")
            what = f"{source.name} was last read at {source.read_at}, and it is {now}: one of the clocks is wrong"
            yield _unknown("future-source", source.cluster, source.name, what, place)


def graph_findings(conn: Connection, hits: Hits, place: Place) -> Iterator[Finding]:
    """Yield why nobody being hit may only mean that nobody is known."""
    if hits.graph is None:
        what = "no graph was generated: who uses a column is not known; run `scanner dataflow`"
        yield _unknown("no-graph", "", "", what, place)
        return
    newest = newest_scan(conn)
    if hits.graph.last_scan < newest:
        what = f"the graph is of scan {hits.graph.last_scan}, and the newest scan is {newest}; run `scanner dataflow`"
        yield _unknown("old-graph", "", "", what, place)
    if what := jobs_not_read(hits.graph):
        coverage = json.loads(hits.graph.coverage or "{}")
        problems = [f"{problem['where']}: {problem['what']}" for problem in coverage.get("problems", ())]
        yield _unknown("unread-jobs", "", "", f"{what}: they may use anything", place, tuple(problems[:_LISTED]))


def jobs_not_read(graph: StoredGraph) -> str:
    """Return how many jobs could not be read, or only in part; empty where all were."""
    coverage = json.loads(graph.coverage or "{}")
    counts = [(int(coverage.get(name, 0)), what) for name, what in _NOT_READ.items()]
    return ", ".join(f"{count} {what}" for count, what in counts if count)


_NOT_READ = {
    "unread": "statements or views could not be read",
    "unknown_connectors": "connectors could not be read",
    "partly_read": "statements or views could only be read in part",
}
"""Members of a graph's coverage that count jobs which may use what is not listed."""


def _time(source: SourceAge) -> datetime:
    return datetime.fromisoformat(source.read_at.replace("Z", "+00:00"))


def _unknown(rule: str, cluster: str, item: str, what: str, place: Place, why: tuple[str, ...] = ()) -> Finding:
    target = f"cluster {cluster}" if cluster else "the graph"
    return Finding(rule=rule, verdict=Verdict.UNKNOWN, place=place, target=target, item=item, what=what, why=why)
