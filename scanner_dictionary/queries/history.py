"""Queries for what was scanned: clusters, scans, results of sources, problems."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, func, select, text

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.facts import fact_of, reported_rows
from scanner_dictionary.schema import tables as t
from scanner_model.catalogs import Metric
from scanner_model.errors import NameUnknown, Problem
from scanner_model.kafka import Connector, Topic
from scanner_model.names import ClusterName, RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.scan import PreviousState, SourceResult
from scanner_model.schemas import KnownText, SchemaIdUse
from scanner_model.streaming_sql import KsqlSource, Query, message_names


class ClusterRow(NamedTuple):
    """A cluster and its addresses; *scans* counts its scans, *last_scan* is the newest scan number."""

    name: str
    kafka_cluster_id: str
    brokers: tuple[str, ...]
    scans: int
    last_scan: int | None


class ScanRow(NamedTuple):
    """A scan and the numbers of facts that it changed; times are ISO 8601 in UTC."""

    id: int
    cluster: str
    started: str
    finished: str
    mode: str
    status: str
    added: int
    changed: int
    gone: int
    returned: int
    stale: int
    refused: int


class SourceRow(NamedTuple):
    """A source; *stale_since* is the first scan number that could not (fully) read it since, None while it is fresh."""

    cluster: str
    name: str
    kind: str
    last_queried: int | None
    last_read: int | None
    stale_since: int | None
    stale_reason: str


def clusters(conn: Connection) -> tuple[ClusterRow, ...]:
    """List the clusters by name, with their live addresses."""
    number = func.count(t.scan.c.id), func.max(t.scan.c.id)
    scanned = select(t.scan.c.cluster_id, *number).group_by(t.scan.c.cluster_id)
    counts = {cluster: (count, last) for cluster, count, last in conn.execute(scanned)}
    live = (t.broker.c.cluster_id == t.cluster.c.id) & t.broker.c.gone.is_(None)
    query = select(t.cluster, t.broker.c.address).outerjoin(t.broker, live)
    rows = conn.execute(query.order_by(t.cluster.c.name, t.broker.c.address))
    return tuple(
        ClusterRow(name, kafka_id, tuple(row.address for row in group if row.address), *counts.get(id_, (0, None)))
        for (id_, name, kafka_id), group in groupby(rows, key=lambda row: (row.id, row.name, row.kafka_cluster_id))
    )


def scans(conn: Connection, *, cluster: str | None = None) -> Iterator[ScanRow]:
    """List the scans, newest first."""
    scan = t.scan.c
    counts = (scan.added, scan.changed, scan.gone, scan.returned, scan.stale, scan.refused)
    query = select(scan.id, t.cluster.c.name, scan.started, scan.finished, scan.mode, scan.status, *counts)
    query = query.select_from(t.scan).join(t.cluster).order_by(scan.id.desc())
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    return map(ScanRow._make, conn.execute(query))


def outcomes(conn: Connection, scan_id: int) -> tuple[SourceResult, ...]:
    """List how each source answered in a scan, in the scan's order; raises NameUnknown for an unknown scan."""
    _check(conn, scan_id)
    outcome = t.scan_outcome.c
    query = select(t.scan_outcome, t.source.c.name.label("source_name")).join(t.source)
    rows = conn.execute(query.where(outcome.scan_id == scan_id).order_by(outcome.ordinal))
    return tuple(fact_of(SourceResult, row) for row in rows)


def problems(conn: Connection, scan_id: int) -> tuple[Problem, ...]:
    """List the problems of a scan, in the scan's order; raises NameUnknown for an unknown scan."""
    _check(conn, scan_id)
    problem = t.scan_problem.c
    query = select(problem.location, problem.what, problem.hint).where(problem.scan_id == scan_id)
    return tuple(Problem(*row) for row in conn.execute(query.order_by(problem.ordinal)))


def sources(conn: Connection) -> tuple[SourceRow, ...]:
    """List the sources by cluster and name, with the reasons of stale ones."""
    source = t.source.c
    columns = (source.kind, source.last_queried, source.last_read, source.stale_since, source.stale_reason)
    query = select(t.cluster.c.name, source.name, *columns).select_from(t.source).join(t.cluster)
    return tuple(SourceRow(*row) for row in conn.execute(query.order_by(t.cluster.c.name, source.name)))


def _check(conn: Connection, scan_id: int) -> None:
    if conn.execute(select(t.scan.c.id).where(t.scan.c.id == scan_id)).first() is None:
        last = conn.execute(select(func.max(t.scan.c.id))).scalar()
        hint = f"the newest is {last}; `scanner changes --scans` lists them" if last else "run `scanner scan` first"
        raise NameUnknown(f"the dictionary knows no scan {scan_id}", hint=hint)


_SIZES = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}
_COUNTED: tuple[tuple[str, Table], ...] = (
    ("topics", t.topic),
    ("subjects", t.subject),
    ("versions", t.subject_version),
    ("schemas", t.schema_definition),
    ("columns", t.schema_column),
    ("consumer groups", t.consumer_group),
    ("collections", t.ksql_source),
    ("queries", t.ksql_query),
    ("connectors", t.connector),
    ("manual flows", t.manual_flow),
    ("lineage jobs", t.openlineage.lineage_job),
    ("lineage datasets", t.openlineage.lineage_dataset),
    ("graph nodes", t.flow_node),
    ("graph edges", t.flow_edge),
)


def dictionary_size(conn: Connection) -> int:
    """Return the size in bytes."""
    return int(conn.execute(text(_SIZES[conn.dialect.name])).scalar_one())


def dictionary_counts(conn: Connection) -> tuple[tuple[str, int], ...]:
    """Return (what, how many) live rows in a fixed order; schemas and columns count those that any topic ever had."""
    return tuple((what, _count(conn, table)) for what, table in _COUNTED)


def _count(conn: Connection, table: Table) -> int:
    query = select(func.count()).select_from(table)
    query = query.where(table.c.gone.is_(None)) if "gone" in table.c else query
    return conn.execute(query).scalar_one()


_KAFKA = "kafka"
_TEXTS_AT_ONCE = 500


def known_texts(conn: Connection, digests: Collection[str]) -> Mapping[str, KnownText]:
    """Return what earlier scans read of texts, by digest; one that none read is absent."""
    read, fingerprint = t.schema_text.c, t.schema_definition.c.fingerprint
    query = select(read.digest, read.reader, fingerprint, read.reading).join(t.schema_definition)
    known: dict[str, KnownText] = {}
    for chunk in in_chunks(sorted(digests), _TEXTS_AT_ONCE):
        rows = conn.execute(query.where(read.digest.in_(chunk)))
        known |= {row[0]: KnownText._make(row) for row in rows}
    return known


def previous_state(conn: Connection, cluster: ClusterName, sources: Collection[SourceId]) -> PreviousState:
    """Return the live topics that *sources* reported in *cluster*, the sides that have schemas of theirs, ids in use.

    Brokers reached through other addresses than before are the same source.
    """
    levels = _levels(conn, cluster)
    cluster_id = conn.scalar(select(t.cluster.c.kafka_cluster_id).where(t.cluster.c.name == cluster)) or ""
    in_use = reported_rows(t.schema_id_use).where(t.cluster.c.name == cluster).order_by(t.schema_id_use.c.id)
    schema_ids = tuple(fact_of(SchemaIdUse, row) for row in conn.execute(in_use))
    if not sources:
        return PreviousState(metrics=levels, cluster_id=cluster_id, schema_ids=schema_ids)
    brokers = _brokers(sources)
    topics = _of_sources(reported_rows(t.topic), cluster, sources).order_by(t.topic.c.name)
    link = t.topic_schema.c
    named = select(t.topic.c.name, link.schema_role).select_from(t.topic_schema).join(t.topic)
    named = named.join(t.source, t.source.c.id == link.source_id).join(
        t.cluster, t.cluster.c.id == t.topic.c.cluster_id
    )
    sides = _of_sources(named.where(link.gone.is_(None), link.is_current), cluster, sources)
    return PreviousState(
        topics=tuple(_topic(row, brokers) for row in conn.execute(topics)),
        sides=frozenset((TopicName(topic), Role(role)) for topic, role in conn.execute(sides)),
        metrics=levels,
        cluster_id=cluster_id,
        messages=_messages(conn, cluster, sources),
        connector_topics=_connector_topics(conn, cluster, sources),
        schema_ids=schema_ids,
        orphans=_orphans(conn, cluster) if brokers else frozenset(),
    )


def _orphans(conn: Connection, cluster: ClusterName) -> frozenset[tuple[SourceId, str, SubjectName]]:
    """Return the live subjects that are linked to no topic."""
    subject, link = t.subject.c, t.topic_schema.c
    bound = select(link.id).where(
        link.registry_id == subject.registry_id,
        link.context == subject.context,
        link.subject == subject.name,
        link.gone.is_(None),
    )
    query = select(t.source.c.name, subject.context, subject.name).select_from(t.subject)
    query = query.join(t.source, t.source.c.id == subject.source_id).join(t.cluster)
    live = query.where(t.cluster.c.name == cluster, subject.gone.is_(None), ~subject.deleted, ~bound.exists())
    return frozenset((SourceId(source), context, SubjectName(name)) for source, context, name in conn.execute(live))


def _connector_topics(
    conn: Connection, cluster: ClusterName, sources: Collection[SourceId]
) -> Mapping[tuple[SourceId, str], tuple[TopicName, ...]]:
    """Return the topics of the connectors of *sources*, as far as they are known."""
    rows = conn.execute(_of_sources(reported_rows(t.connector), cluster, sources))
    connectors = (fact_of(Connector, row) for row in rows)
    return {(item.source, item.name): item.topics for item in connectors if item.topics is not None}


def _messages(
    conn: Connection, cluster: ClusterName, sources: Collection[SourceId]
) -> Mapping[SubjectName, RecordName]:
    """Return the Protobuf messages that the collections of *sources* name."""
    query = _of_sources(reported_rows(t.ksql_source), cluster, sources)
    return message_names(fact_of(KsqlSource, row) for row in conn.execute(query))


def _levels(conn: Connection, cluster: ClusterName) -> tuple[Metric, ...]:
    """Return the metrics of topics that are levels, as each source reported them last."""
    metric = t.metric.c
    query = reported_rows(t.metric).where(t.cluster.c.name == cluster, metric.started == "", metric.object_kind == "")
    rows = conn.execute(query.order_by(t.source.c.name, metric.name, metric.topic))
    return tuple(fact_of(Metric, row) for row in rows)


def known_queries(conn: Connection, cluster: ClusterName) -> Mapping[SourceId, Mapping[str, frozenset[str]]]:
    """Return the live queries of each ksqlDB server of *cluster* by name, with the topics that they write."""
    queries: dict[SourceId, dict[str, frozenset[str]]] = {}
    for row in conn.execute(reported_rows(t.ksql_query).where(t.cluster.c.name == cluster)):
        query = fact_of(Query, row)
        queries.setdefault(query.source, {})[query.name] = frozenset(query.sink_topics)
    return queries


def known_groups(conn: Connection, cluster: ClusterName) -> frozenset[str]:
    """Return the names of the live consumer groups of *cluster*."""
    rows = conn.execute(reported_rows(t.consumer_group).where(t.cluster.c.name == cluster))
    return frozenset(row.name for row in rows)


def missing_names(conn: Connection, cluster: ClusterName) -> Mapping[SourceId, frozenset[str]]:
    """Return the names that the last answer of each source of *cluster* lacked, though they are known to exist."""
    outcome = t.scan_outcome.c
    answered = select(outcome.source_id, func.max(outcome.scan_id).label("scan_id"))
    last = answered.where(outcome.status.in_(("read", "partial"))).group_by(outcome.source_id).subquery()
    query = (
        select(t.source.c.name, outcome.unread)
        .join(t.source, t.source.c.id == outcome.source_id)
        .join(last, (last.c.source_id == outcome.source_id) & (last.c.scan_id == outcome.scan_id))
        .join(t.cluster, t.cluster.c.id == t.source.c.cluster_id)
        .where(t.cluster.c.name == cluster)
    )
    return {SourceId(name): frozenset(json.loads(unread)) for name, unread in conn.execute(query)}


def is_known(conn: Connection, cluster: ClusterName) -> bool:
    """Return whether a scan of *cluster* is stored."""
    scans = select(t.scan.c.id).join(t.cluster, t.cluster.c.id == t.scan.c.cluster_id)
    return conn.execute(scans.where(t.cluster.c.name == cluster).limit(1)).first() is not None


def _brokers(sources: Collection[SourceId]) -> SourceId | None:
    """Return the brokers among *sources*: a cluster has them once."""
    return next((source for source in sorted(sources) if source.partition(":")[0] == _KAFKA), None)


def _topic(row: Row[Any], brokers: SourceId | None) -> Topic:
    topic = fact_of(Topic, row)
    return replace(topic, source=brokers) if brokers and topic.source.partition(":")[0] == _KAFKA else topic


def _of_sources(query: Select[Any], cluster: str, sources: Collection[SourceId]) -> Select[Any]:
    named: ColumnElement[bool] = t.source.c.name.in_(sorted(sources))
    if _brokers(sources):
        named |= t.source.c.kind == _KAFKA
    return query.where(t.cluster.c.name == cluster, named)
