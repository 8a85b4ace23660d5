"""What the dictionary does not know: stale or old sources, a missing or old graph, statements not read, readers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from dataflow_generator.jobs.model import Naming
from scanner_check.model import ChangeFinding, Message, Place
from scanner_check.rows.files import FUTURE_SOURCE, NO_GRAPH, OLD_GRAPH, OLD_SOURCE, STALE_SOURCE, UNREAD_JOBS
from scanner_check.rows.rule import Rule
from scanner_check.rows.schemas import NO_READERS_KNOWN
from scanner_check.users.hits import Hits
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import StoredGraph, newest_scan
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.state import SourceAge, has_reading_jobs, source_ages
from scanner_dictionary.queries.subjects import SubjectKey, TopicLink, referrers

_LISTED = 10
_GRAPH = "the graph"


_AHEAD = timedelta(minutes=5)
"""How far the clock of the machine that scans may be ahead of this one."""


class Age(NamedTuple):
    """How long before *now* a source may have been read."""

    now: datetime
    most: timedelta


def source_findings(conn: Connection, cluster: str | None, place: Place, age: Age | None) -> Iterator[ChangeFinding]:
    """Yield a finding for each source that is stale, was never read, or is older than *age*, where one is given.

    The age of one that was read in the future is not known.
    """
    for source in source_ages(conn):
        if cluster not in (None, source.cluster):
            continue
        if source.stale_reason or not source.read_at:
            yield _of_source(STALE_SOURCE, source, place, source.stale_reason)
        elif age is not None and _time(source) < age.now - age.most:
            oldest = (age.now - age.most).isoformat(timespec="seconds")
            yield _of_source(OLD_SOURCE, source, place, source.read_at, oldest)
        elif age is not None and _time(source) > age.now + _AHEAD:
            now = age.now.isoformat(timespec="seconds")
            yield _of_source(FUTURE_SOURCE, source, place, source.read_at, now)


def graph_findings(conn: Connection, hits: Hits, place: Place) -> Iterator[ChangeFinding]:
    """Yield why an empty list of users may be incomplete."""
    if hits.graph is None:
        yield NO_GRAPH.unknown(place, _GRAPH)
        return
    newest = newest_scan(conn)
    if hits.graph.last_scan < newest:
        yield OLD_GRAPH.unknown(place, _GRAPH, hits.graph.last_scan, newest)
    if what := jobs_not_read(hits.graph):
        coverage = json.loads(hits.graph.coverage or "{}")
        problems = [Message("of file", (one["where"], one["what"])) for one in coverage.get("problems", ())]
        yield UNREAD_JOBS.unknown(place, _GRAPH, what, reasons=tuple(problems[:_LISTED]))


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


def _of_source(rule: Rule, source: SourceAge, place: Place, *values: str) -> ChangeFinding:
    target = f"cluster {source.cluster}" if source.cluster else _GRAPH
    return rule.unknown(place, target, source.name, *values, item=source.name)


# --- readers

NAMING_READERS = frozenset({"kafka", "kafka_rest", "connect", "ksqldb", "flink", "streams"})
"""Kinds of sources that list all jobs, groups or applications that they have: none is an answer.

Files, manual input, events, catalogs and databases only contain users that were entered there.
"""


def why_no_readers(conn: Connection, links: Iterable[TopicLink], subject: SubjectKey | None) -> Iterator[Message]:
    """Yield why no readers are known of the topics of *links*, once for each cluster, or the data of *subject*.

    Nothing where a source that names readers was scanned, or where the graph has a job that reads a topic of the
    cluster. A schema that others refer to, and that no topic has, is read through those.
    """
    topics: dict[str, list[str]] = {}
    for link in links:
        topics.setdefault(link.cluster, []).append(link.topic)
    if not topics and subject is not None and not any(referrer.live for referrer in referrers(conn, subject)):
        yield NO_READERS_KNOWN.message(subject.full_name, form="without topic")
    for cluster, names in topics.items():
        if not names_readers(conn, cluster):
            yield NO_READERS_KNOWN.message(cluster, tuple(dict.fromkeys(names)), form="not scanned")


def names_readers(conn: Connection, cluster: str) -> bool:
    """Return whether anything that was scanned in *cluster* could name readers of its topics."""
    if any(source.kind in NAMING_READERS for source in source_ages(conn) if source.cluster == cluster):
        return True
    return has_reading_jobs(conn, Naming(graph_clusters(conn)).clusters[cluster])
