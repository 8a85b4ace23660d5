"""What the dictionary does not know: stale or old sources, a missing or old graph, statements not read, readers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from dataflow_generator.jobs.model import Naming
from scanner_check.model import ChangeFinding, Place, Verdict
from scanner_check.users.hits import Hits
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.store import StoredGraph, newest_scan
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.state import SourceAge, has_reading_jobs, source_ages
from scanner_dictionary.queries.subjects import SubjectKey, TopicLink, referrers

_LISTED = 10


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


def graph_findings(conn: Connection, hits: Hits, place: Place) -> Iterator[ChangeFinding]:
    """Yield why an empty list of users may be incomplete."""
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


def _unknown(rule: str, cluster: str, item: str, what: str, place: Place, why: tuple[str, ...] = ()) -> ChangeFinding:
    target = f"cluster {cluster}" if cluster else "the graph"
    return ChangeFinding(rule=rule, verdict=Verdict.UNKNOWN, place=place, target=target, item=item, what=what, why=why)


# --- readers

NAMING_READERS = frozenset({"kafka", "kafka_rest", "connect", "ksqldb", "flink", "streams"})
"""Kinds of sources that list all jobs, groups or applications that they have: none is an answer.

Files, manual input, events, catalogs and databases only contain users that were entered there.
"""

WHAT_TO_SCAN = (
    "scan what names readers: Kafka (its consumer groups), Connect, ksqlDB, Flink, topologies of Kafka Streams; "
    "or deployment files, OpenLineage events, manual input"
)


def why_no_readers(conn: Connection, links: Iterable[TopicLink], subject: SubjectKey | None) -> Iterator[str]:
    """Yield why no readers are known of the topics of *links*, once for each cluster, or the data of *subject*.

    Nothing where a source that names readers was scanned, or where the graph has a job that reads a topic of the
    cluster. A schema that others refer to, and that no topic has, is read through those.
    """
    topics: dict[str, list[str]] = {}
    for link in links:
        topics.setdefault(link.cluster, []).append(link.topic)
    if not topics and subject is not None and not any(referrer.live for referrer in referrers(conn, subject)):
        yield f"no topic is known that {subject.full_name} describes, so its readers are not known"
    for cluster, names in topics.items():
        if not names_readers(conn, cluster):
            listed = ", ".join(dict.fromkeys(names))
            yield f"nothing was scanned in cluster {cluster} that could name who reads {listed}"


def names_readers(conn: Connection, cluster: str) -> bool:
    """Return whether anything that was scanned in *cluster* could name readers of its topics."""
    if any(source.kind in NAMING_READERS for source in source_ages(conn) if source.cluster == cluster):
        return True
    return has_reading_jobs(conn, Naming(graph_clusters(conn)).clusters[cluster])
