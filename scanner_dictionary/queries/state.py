"""What state a dictionary is in: its newest scan, its graph, and the sources whose facts are not fresh."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, exists, func, select

from scanner_dictionary.graph.store import stored_graph
from scanner_dictionary.schema import tables as t


class StaleSource(NamedTuple):
    """A source that could not be read completely since scan *since*, and why."""

    cluster: str
    source: str
    since: int
    reason: str


class DictionaryState(NamedTuple):
    """The newest scan (0 and empty where there is none), and the scan that the graph is of (None without a graph).

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
