"""The state of a dictionary: newest scan, graph, freshness of sources, stale facts, since when something is unused."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, exists, func, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph.store import stored_graph
from scanner_dictionary.queries.facts import newest_scans
from scanner_dictionary.queries.subjects import SubjectKey, TopicKey
from scanner_dictionary.schema import tables as t
from scanner_model.scan import SourceStatus


class SourceAge(NamedTuple):
    """A source with the end of the scan that read all of it last, in ISO 8601; empty where none ever did.

    *stale_reason* is why it could not be read since, empty while it is fresh.
    """

    cluster: str
    name: str
    kind: str
    read_at: str
    stale_reason: str


class LastScan(NamedTuple):
    """The newest scan of a cluster; *finished* in ISO 8601."""

    cluster: str
    number: int
    finished: str


def source_ages(conn: Connection) -> tuple[SourceAge, ...]:
    """Return every source by cluster and name, without those whose facts were forgotten."""
    source = t.source.c
    query = (
        select(t.cluster.c.name, source.name, source.kind, t.scan.c.finished, source.stale_since, source.stale_reason)
        .select_from(t.source)
        .join(t.cluster, t.cluster.c.id == source.cluster_id)
        .outerjoin(t.scan, t.scan.c.id == source.last_read)
        .where(source.stale_since.is_not(None) | (source.stale_reason != SourceStatus.FORGOTTEN))
        .order_by(t.cluster.c.name, source.name)
    )
    return tuple(
        SourceAge(cluster, name, kind, at or "", (reason or "it could not be read") if since is not None else "")
        for cluster, name, kind, at, since, reason in conn.execute(query)
    )


def has_reading_jobs(conn: Connection, namespace: str) -> bool:
    """Return whether the graph has a job or group that reads a topic of the cluster with this *namespace*."""
    edge, node = t.flow_edge.c, t.flow_node.c
    query = select(edge.id).join(t.flow_node, node.id == edge.source_node_id)
    reads = edge.kind == "reads", node.kind == "topic", node.namespace == namespace
    return conn.execute(query.where(*reads).limit(1)).first() is not None


def last_scans(conn: Connection) -> tuple[LastScan, ...]:
    """Return the newest scan of each cluster, by name."""
    newest = select(func.max(t.scan.c.id)).group_by(t.scan.c.cluster_id)
    query = select(t.cluster.c.name, t.scan.c.id, t.scan.c.finished).join(t.cluster).where(t.scan.c.id.in_(newest))
    return tuple(LastScan(*row) for row in conn.execute(query.order_by(t.cluster.c.name)))


def scan_time(conn: Connection, number: int) -> str:
    """Return the end of a scan in ISO 8601; empty where it is not stored."""
    return conn.execute(select(t.scan.c.finished).where(t.scan.c.id == number)).scalar() or ""


def last_group_left(conn: Connection, topic: TopicKey) -> int | None:
    """Return the scan that found the last consumer group of a topic gone; None where none was ever seen to leave."""
    group, read = t.consumer_group.c, t.consumer_group_topic.c
    ended = func.max(func.coalesce(read.gone, group.gone))
    query = select(ended).select_from(t.consumer_group_topic).join(t.consumer_group, group.id == read.consumer_group_id)
    return conn.execute(query.where(group.cluster_id == topic.cluster_id, read.topic_name == topic.name)).scalar()


def last_topic_left(conn: Connection, subject: SubjectKey) -> int | None:
    """Return the scan that found the last topic of a subject unbound or gone; None where none was."""
    link = t.topic_schema.c
    ended = func.max(func.coalesce(link.gone, t.topic.c.gone))
    query = select(ended).select_from(t.topic_schema).join(t.topic, t.topic.c.id == link.topic_id)
    at = link.registry_id == subject.registry_id, link.context == subject.context, link.subject == subject.name
    return conn.execute(query.where(*at)).scalar()


def topic_settings(conn: Connection, topic: str, cluster: str) -> Mapping[str, str]:
    """Return the settings of a topic; empty where none were read."""
    query = select(t.topic.c.config).join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    cell = conn.execute(query.where(t.topic.c.name == topic, t.cluster.c.name == cluster)).scalar()
    return dict(json.loads(cell)) if cell else {}


def kept_for(settings: Mapping[str, str]) -> timedelta | None:
    """Return how long a topic with these settings keeps a record at most; None where that is unknown or without end.

    A segment is deleted when its newest record is too old, so a record may stay longer by the time that one is filled.
    """
    policy, retention, segment = (settings.get(name, "") for name in ("cleanup.policy", "retention.ms", "segment.ms"))
    if policy != "delete" or not retention.isdecimal():
        return None
    return timedelta(milliseconds=int(retention)) + (
        timedelta(milliseconds=int(segment)) if segment.isdecimal() else _WEEK
    )


_WEEK = timedelta(days=7)
"""Kafka's default of `segment.ms`."""


def replaced_at(conn: Connection, subject: SubjectKey, version: int) -> str:
    """Return when the version after *version* was registered, else when it was scanned first; empty where none is."""
    cell = t.subject_version.c
    query = (
        select(cell.registered_at, t.scan.c.finished)
        .join(t.scan, t.scan.c.id == cell.first_seen)
        .where(cell.subject_id == subject.id, cell.version > version)
        .order_by(cell.version)
        .limit(1)
    )
    row = conn.execute(query).one_or_none()
    return "" if row is None else row[0] or row[1]


class StaleSource(NamedTuple):
    """A source that could not be read completely since scan *since*, and why."""

    cluster: str
    source: str
    since: int
    reason: str


class DictionaryState(NamedTuple):
    """The newest scan (0 and empty if absent), and the graph's scan (None without a graph).

    *tag* changes with every scan and every generated graph.
    """

    scan: int
    finished: str
    graph_scan: int | None
    tag: str
    stale: tuple[StaleSource, ...]


def dictionary_state(conn: Connection) -> DictionaryState:
    """Return the state; it takes a few look-ups however large the dictionary is."""
    newest = conn.execute(select(t.scan.c.id, t.scan.c.finished).order_by(t.scan.c.id.desc()).limit(1)).one_or_none()
    graph = stored_graph(conn)
    source = t.source.c
    query = select(t.cluster.c.name, source.name, source.stale_since, source.stale_reason)
    query = query.join(t.cluster, t.cluster.c.id == source.cluster_id).where(source.stale_since.is_not(None))
    scan, finished = newest or (0, "")
    tag = f"{scan}-{graph.last_scan}.{graph.nodes}.{graph.edges}" if graph else f"{scan}-0"
    stale = tuple(StaleSource(*row) for row in conn.execute(query.order_by(t.cluster.c.name, source.name)))
    return DictionaryState(scan, finished, graph.last_scan if graph else None, tag, stale)


class ClusterMeasures(NamedTuple):
    """Figures of a cluster for monitoring: its newest scan, live topics, those without a schema, findings by rule."""

    cluster: str
    scan: int
    finished: str
    topics: int
    without_schema: int
    findings: tuple[tuple[str, int], ...]


class SourceMeasures(NamedTuple):
    """A source: whether the last scan read all of it, and when a scan did last (empty: never)."""

    cluster: str
    source: str
    up: bool
    read_at: str


def cluster_measures(conn: Connection) -> tuple[ClusterMeasures, ...]:
    """Return the figures of every cluster, by name."""
    topic, link, finding, scan = t.topic.c, t.topic_schema.c, t.finding.c, t.scan.c
    newest = select(scan.cluster_id, func.max(scan.id).label("id")).group_by(scan.cluster_id).subquery()
    rows = select(t.cluster.c.id, t.cluster.c.name, scan.id, scan.finished).join(newest, newest.c.id == scan.id)
    rows = rows.join(t.cluster, t.cluster.c.id == scan.cluster_id).order_by(t.cluster.c.name)
    live = select(topic.cluster_id, func.count()).where(topic.gone.is_(None)).group_by(topic.cluster_id)
    described = exists().where(link.topic_id == topic.id, link.is_current, link.gone.is_(None))
    topics = {row[0]: row[1] for row in conn.execute(live)}
    without = {row[0]: row[1] for row in conn.execute(live.where(~described, ~topic.is_internal))}
    counted = select(finding.cluster_id, finding.rule, func.count()).group_by(finding.cluster_id, finding.rule)
    findings: dict[int, list[tuple[str, int]]] = {}
    for cluster, rule, count in conn.execute(counted.order_by(finding.cluster_id, finding.rule)):
        findings.setdefault(cluster, []).append((rule, count))
    return tuple(
        ClusterMeasures(name, scan, finished, topics.get(key, 0), without.get(key, 0), tuple(findings.get(key, ())))
        for key, name, scan, finished in conn.execute(rows).all()
    )


def source_measures(conn: Connection) -> tuple[SourceMeasures, ...]:
    """Return the figures of every source, by cluster and name."""
    source = t.source.c
    query = select(t.cluster.c.name, source.name, source.stale_since, t.scan.c.finished)
    query = query.join(t.cluster, t.cluster.c.id == source.cluster_id).outerjoin(
        t.scan, t.scan.c.id == source.last_read
    )
    rows = conn.execute(query.order_by(t.cluster.c.name, source.name))
    return tuple(SourceMeasures(cluster, name, since is None, read or "") for cluster, name, since, read in rows)


_AT_ONCE = 500

_NAMED: Mapping[str, Table] = {
    "topic": t.topic,
    "consumer-group": t.consumer_group,
    "connector": t.connector,
    "ksqldb": t.ksql_query,
    "flink": t.flink_statement,
    "streams": t.streams_topology,
}
"""The tables of facts that the graph has nodes of; a source and a name identify a row."""


class StaleFact(NamedTuple):
    """A fact that the newest scan of its cluster did not confirm, because *source* could not be read; *reason* is why.

    *kind* is topic, consumer-group, connector, ksqldb, flink or streams. A topic whose current schema is not confirmed
    is one, too; *source* is that of the schema.
    """

    kind: str
    cluster: str
    source: str
    name: str
    reason: str


def has_stale_sources(conn: Connection) -> bool:
    """Return whether the newest scan of any cluster could not read a source."""
    return conn.execute(select(t.source.c.id).where(t.source.c.stale_since.is_not(None)).limit(1)).first() is not None


def stale_facts(conn: Connection, names: Collection[str]) -> tuple[StaleFact, ...]:
    """Return the stale facts that are called one of *names*; a single look-up where every source is fresh."""
    source = t.source.c
    query = select(source.id, t.cluster.c.id, t.cluster.c.name, source.name, source.stale_reason)
    query = query.join(t.cluster, t.cluster.c.id == source.cluster_id).where(source.stale_since.is_not(None))
    sources = {key: rest for key, *rest in conn.execute(query)}
    if not sources:
        return ()
    newest = newest_scans(conn)
    return tuple(
        StaleFact(kind, cluster, source_name, name, reason or "it could not be read")
        for kind, name, key, last_seen in _rows(conn, sources, sorted(names))
        for cluster_id, cluster, source_name, reason in (sources[key],)
        if last_seen < newest.get(cluster_id, 0)
    )


def _rows(conn: Connection, sources: Collection[int], names: list[str]) -> Iterator[tuple[str, str, int, int]]:
    """Yield kind, name, source and last scan of the facts with one of *names* that exist."""
    for chunk in in_chunks(names, _AT_ONCE):
        for kind, table in _NAMED.items():
            query = select(table.c.name, table.c.source_id, table.c.last_seen)
            query = query.where(table.c.name.in_(chunk), table.c.source_id.in_(sources), table.c.gone.is_(None))
            yield from ((kind, *row) for row in conn.execute(query))
        yield from (("topic", *row) for row in conn.execute(_schemas(sources, chunk)))


def _schemas(sources: Collection[int], names: Collection[str]) -> Select[Any]:
    link, topic = t.topic_schema.c, t.topic.c
    query = select(topic.name, link.source_id, link.last_seen).join(t.topic_schema, link.topic_id == topic.id)
    current = link.is_current, link.gone.is_(None), topic.gone.is_(None)
    return query.where(topic.name.in_(names), link.source_id.in_(sources), *current)
