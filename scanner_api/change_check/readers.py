"""Whether anything was scanned that could name who reads a topic: without that, nobody being hit says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dataflow_generator.jobs.model import Naming
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.lineage_inputs.topics import graph_clusters
from scanner_dictionary.queries.state import has_reading_jobs, source_ages
from scanner_dictionary.queries.subjects import SubjectKey, TopicLink, referrers

NAMING_READERS = frozenset({"kafka", "kafka_rest", "connect", "ksqldb", "flink", "streams"})
"""Kinds of sources that list all jobs, groups or applications that they have: none is an answer.

Files, manual input, events, catalogs and databases tell of those only that somebody put there.
"""

WHAT_TO_SCAN = (
    "scan what names readers: Kafka (its consumer groups), Connect, ksqlDB, Flink, topologies of Kafka Streams; "
    "or deployment files, OpenLineage events, manual input"
)


def why_no_readers(conn: Connection, links: Iterable[TopicLink], subject: SubjectKey | None) -> Iterator[str]:
    """Yield why nobody is known to read the topics of *links*, once for each cluster, or the data of *subject*.

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
