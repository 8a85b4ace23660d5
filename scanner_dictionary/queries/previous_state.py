"""The last known state of sources that a scan could not read."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select

from scanner_dictionary.schema import tables as t
from scanner_model.catalogs import Metric
from scanner_model.kafka import Topic
from scanner_model.names import ClusterName, Role, SourceId, TopicName
from scanner_model.scan import PreviousState

_KAFKA = "kafka"


def previous_state(conn: Connection, cluster: ClusterName, sources: Collection[SourceId]) -> PreviousState:
    """Return the live topics that *sources* reported in *cluster*, and the sides that have schemas of theirs.

    Topics have their settings and whether they are internal. Brokers reached through other addresses than before are
    the same source.
    """
    levels = _levels(conn, cluster)
    cluster_id = conn.scalar(select(t.cluster.c.kafka_cluster_id).where(t.cluster.c.name == cluster)) or ""
    if not sources:
        return PreviousState(metrics=levels, cluster_id=cluster_id)
    brokers, topic = _brokers(sources), t.topic.c
    reported = select(t.source.c.name.label("source"), t.source.c.kind, topic.name, topic.is_internal, topic.config)
    topics = _of_sources(reported, cluster, sources)
    topics = topics.join(t.topic, t.topic.c.source_id == t.source.c.id).where(topic.gone.is_(None))
    link = t.topic_schema.c
    sides = _of_sources(select(t.topic.c.name, link.schema_role), cluster, sources)
    sides = sides.join(t.topic_schema, link.source_id == t.source.c.id).join(t.topic, t.topic.c.id == link.topic_id)
    sides = sides.where(link.gone.is_(None), link.is_current)
    return PreviousState(
        topics=tuple(
            Topic(
                source=brokers if brokers and row.kind == _KAFKA else SourceId(row.source),
                name=TopicName(row.name),
                internal=row.is_internal,
                config=tuple(sorted(json.loads(row.config).items())),
            )
            for row in conn.execute(topics.order_by(topic.name))
        ),
        sides=frozenset((TopicName(topic), Role(role)) for topic, role in conn.execute(sides)),
        metrics=levels,
        cluster_id=cluster_id,
    )


def _levels(conn: Connection, cluster: ClusterName) -> tuple[Metric, ...]:
    """Return the metrics of topics that are levels, as each source reported them last."""
    metric = t.metric.c
    query = (
        select(t.source.c.name.label("source"), metric.name, metric.topic, metric.amount, metric.ended)
        .join(t.source, t.source.c.id == metric.source_id)
        .join(t.cluster, t.cluster.c.id == metric.cluster_id)
        .where(t.cluster.c.name == cluster, metric.gone.is_(None), metric.started == "", metric.object_kind == "")
    )
    return tuple(
        Metric(
            source=SourceId(row.source),
            name=row.name,
            topic=row.topic,
            amount=row.amount,
            ended=row.ended,
        )
        for row in conn.execute(query.order_by(t.source.c.name, metric.name, metric.topic))
    )


def known_queries(conn: Connection, cluster: ClusterName) -> Mapping[SourceId, Mapping[str, frozenset[str]]]:
    """Return the live queries of each ksqlDB server of *cluster* by name, with the topics that they write."""
    query = t.ksql_query.c
    rows = (
        select(t.source.c.name.label("source"), query.name, query.sink_topics)
        .join(t.source, t.source.c.id == query.source_id)
        .join(t.cluster, t.cluster.c.id == query.cluster_id)
        .where(t.cluster.c.name == cluster, query.gone.is_(None))
    )
    queries: dict[SourceId, dict[str, frozenset[str]]] = {}
    for source, name, topics in conn.execute(rows):
        queries.setdefault(SourceId(source), {})[name] = frozenset(json.loads(topics))
    return queries


def is_known(conn: Connection, cluster: ClusterName) -> bool:
    """Return whether a scan of *cluster* is stored."""
    scans = select(t.scan.c.id).join(t.cluster, t.cluster.c.id == t.scan.c.cluster_id)
    return conn.execute(scans.where(t.cluster.c.name == cluster).limit(1)).first() is not None


def _brokers(sources: Collection[SourceId]) -> SourceId | None:
    """Return the brokers among *sources*: a cluster has them once."""
    return next((source for source in sorted(sources) if source.partition(":")[0] == _KAFKA), None)


def _of_sources(query: Select[Any], cluster: str, sources: Collection[SourceId]) -> Select[Any]:
    named: ColumnElement[bool] = t.source.c.name.in_(sorted(sources))
    if _brokers(sources):
        named |= t.source.c.kind == _KAFKA
    clusters = query.select_from(t.source).join(t.cluster, t.cluster.c.id == t.source.c.cluster_id)
    return clusters.where(t.cluster.c.name == cluster, named)
