"""Inputs of jobs: manual flows, ksqlDB's collections and queries, Flink's statements and jobs, columns of topics."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, Table, and_, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.columns import CELLS, column_fact, column_of
from scanner_dictionary.queries.declared import runs
from scanner_dictionary.schema import tables as t
from scanner_model.columns import KEY, Column, ColumnPath
from scanner_model.kafka import StreamsTopology
from scanner_model.manual import FlowEnd, ManualFlow
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.streaming_sql import ClusterNames, CollectionColumn, FlinkStatement, KsqlSource, Query

_ENVIRONMENT, _DISPLAYED = "environment", "display_name"
"""Kinds of aliases; those that begin with the first are of the environment."""


def flink_statements(conn: Connection) -> Mapping[Server, tuple[FlinkStatement, ...]]:
    """Return the live statements of each source, the oldest first, then by name."""
    rows = conn.execute(_statements())
    return {
        (cluster, source): tuple(map(_statement, group))
        for (cluster, source), group in groupby(rows, key=lambda row: (row.cluster_name, row.source_name))
    }


def cluster_names(conn: Connection) -> Mapping[str, ClusterNames]:
    """Return the names of each cluster, by its name in cluster.json."""
    alias = t.cluster_alias.c
    query = select(t.cluster.c.name, t.cluster.c.kafka_cluster_id, alias.kind, alias.alias)
    joined = query.outerjoin(t.cluster_alias, alias.cluster_id == t.cluster.c.id)
    names_by_kind: dict[str, dict[str, set[str]]] = {}
    for name, kafka_id, kind, other in conn.execute(joined):
        names = names_by_kind.setdefault(name, {"": {name, kafka_id} - {""}})
        names.setdefault(kind or "", set()).update({other} if other else ())
    return {name: _names(kinds) for name, kinds in names_by_kind.items()}


def _names(kinds: Mapping[str, set[str]]) -> ClusterNames:
    catalogs = (names for kind, names in kinds.items() if kind.startswith(_ENVIRONMENT))
    databases = kinds[""] | kinds.get(_DISPLAYED, set())
    return ClusterNames(frozenset(databases), frozenset[str]().union(*catalogs), complete=_DISPLAYED in kinds)


def _statements() -> Select[Any]:
    statement = t.flink_statement.c
    names = t.cluster.c.name.label("cluster_name"), t.source.c.name.label("source_name")
    return (
        select(t.flink_statement, *names)
        .join(t.cluster, t.cluster.c.id == statement.cluster_id)
        .join(t.source, t.source.c.id == statement.source_id)
        .where(statement.gone.is_(None), runs(t.flink_statement))
        .order_by(t.cluster.c.name, t.source.c.name, statement.created, statement.name)
    )


def _statement(row: Row[Any]) -> FlinkStatement:
    topics = None if row.topics_read is None else tuple(map(TopicName, json.loads(row.topics_read)))
    return FlinkStatement(
        source=SourceId(row.source_name),
        name=row.name,
        statement=row.statement,
        kind=row.kind,
        state=row.state,
        detail=row.detail,
        catalog_name=row.catalog_name,
        database_name=row.database_name,
        compute_pool=row.compute_pool,
        region=row.region,
        principal=row.principal,
        uid=row.uid,
        created=row.created,
        hidden=row.hidden,
        topics_read=topics,
        engine=row.engine,
    )


ClusterTopic = tuple[str, str]
"""A cluster's name and a topic's."""

Server = tuple[str, str]
"""The names of a cluster and of a source in it."""


_TOPICS_AT_ONCE = 500
_SIDE = t.topic_schema.c.schema_role


def manual_flows(conn: Connection) -> Iterator[tuple[str, ManualFlow]]:
    """List the manual flows, each with its cluster, in the order they were stored."""
    for row in conn.execute(reported_rows(t.manual_flow).order_by(t.manual_flow.c.id)):
        yield (
            row.cluster_name,
            ManualFlow(
                source=SourceId(row.source_name),
                origin=_end(row.origin_namespace, row.origin_name, row.origin_path),
                target=_end(row.target_namespace, row.target_name, row.target_path),
                job=row.job,
                description=row.description,
                evidence=row.evidence,
                suggested=row.suggested,
            ),
        )


def ksql_collections(conn: Connection) -> Mapping[Server, tuple[KsqlSource, ...]]:
    """Return the streams and tables of each ksqlDB server with their columns, by name."""
    query = reported_rows(t.ksql_source).order_by(t.ksql_source.c.name)
    columns = _collection_columns(conn)
    servers: dict[Server, list[KsqlSource]] = {}
    for row in conn.execute(query):
        servers.setdefault((row.cluster_name, row.source_name), []).append(_collection(row, columns.get(row.id, ())))
    return {server: tuple(listed) for server, listed in servers.items()}


def _collection(row: Row[Any], columns: tuple[CollectionColumn, ...]) -> KsqlSource:
    return KsqlSource(
        source=SourceId(row.source_name),
        name=row.name,
        kind=row.kind,
        topic=TopicName(row.topic_name),
        key_format=row.key_format,
        value_format=row.value_format,
        statement=row.statement,
        window=row.window_type,
        columns=columns,
        partitions=row.partitions,
        replication=row.replication,
        internal=row.is_internal,
    )


def ksql_queries(conn: Connection) -> Iterator[tuple[str, Query]]:
    """List ksqlDB's queries, each with its cluster, by cluster, server and name."""
    query = reported_rows(t.ksql_query).order_by(t.cluster.c.name, t.source.c.name, t.ksql_query.c.name)
    for row in conn.execute(query):
        yield (
            row.cluster_name,
            Query(
                source=SourceId(row.source_name),
                name=row.name,
                kind=row.kind,
                state=row.state,
                statement=row.statement,
                sources=tuple(json.loads(row.sources)),
                sinks=tuple(json.loads(row.sinks)),
                sink_topics=tuple(json.loads(row.sink_topics)),
                consumer_group=row.consumer_group,
            ),
        )


def columns_of_topics(conn: Connection, topics: Collection[ClusterTopic]) -> Mapping[ClusterTopic, tuple[Column, ...]]:
    """Read the columns that *topics* have now, keys first, then in document order; a topic without any is not listed.

    A topic of several schemas has the columns of all of them. Those of the key stand behind `@key` in their paths.
    """
    wanted = frozenset(topics)
    by_topic: dict[ClusterTopic, list[Column]] = {}
    for chunk in in_chunks(sorted({name for _, name in wanted}), _TOPICS_AT_ONCE):
        query = _current_columns().where(t.topic.c.name.in_(chunk))
        cells = (t.schema_column.c[name] for name in CELLS)
        result = conn.execute(query.with_only_columns(t.cluster.c.name, t.topic.c.name, _SIDE, *cells))
        # Past SQLAlchemy's row: it costs as much as reading the cells.
        for cluster, topic, side, *column in result.cursor.fetchall() if result.cursor else ():
            if (cluster, topic) in wanted:
                by_topic.setdefault((cluster, topic), []).append(_column_of_side(side, tuple(column)))
    return {topic: tuple(columns) for topic, columns in by_topic.items()}


def paths_of_topics(
    conn: Connection, topics: Collection[ClusterTopic]
) -> Mapping[ClusterTopic, tuple[ColumnPath, ...]]:
    """Read the paths of those columns only, each once: of large installations, a fraction of the time."""
    wanted = frozenset(topics)
    by_topic: dict[ClusterTopic, dict[ColumnPath, None]] = {}
    for chunk in in_chunks(sorted({name for _, name in wanted}), _TOPICS_AT_ONCE):
        query = _current_columns().where(t.topic.c.name.in_(chunk))
        result = conn.execute(query.with_only_columns(t.cluster.c.name, t.topic.c.name, _SIDE, t.schema_column.c.path))
        for cluster, topic, side, path in result.cursor.fetchall() if result.cursor else ():
            if (cluster, topic) in wanted:
                by_topic.setdefault((cluster, topic), {}).setdefault(_path(path, side))
    return {topic: tuple(paths) for topic, paths in by_topic.items()}


@lru_cache(maxsize=1 << 16)
def _path(cell: str, side: str) -> ColumnPath:
    path = tuple(json.loads(cell))
    return (KEY, *path) if side == Role.KEY else path


@lru_cache(maxsize=1 << 16)
def _column_of_side(side: str, cells: tuple[Any, ...]) -> Column:
    """Return a column from its `CELLS`; cached, because many schemas share columns."""
    column = column_of(*cells)
    return replace(column, path=(KEY, *column.path)) if side == Role.KEY else column


def ksql_aggregates(conn: Connection) -> Mapping[Server, frozenset[str]]:
    """Return the names of each ksqlDB server's aggregate functions, user's too."""
    query = reported_rows(t.ksql_function).where(t.ksql_function.c.kind == "AGGREGATE")
    servers: dict[Server, set[str]] = {}
    for row in conn.execute(query):
        servers.setdefault((row.cluster_name, row.source_name), set()).add(row.name)
    return {server: frozenset(names) for server, names in servers.items()}


def reported_rows(table: Table) -> Select[Any]:
    """Select the live rows of *table*, with the names of their cluster and source."""
    names = t.cluster.c.name.label("cluster_name"), t.source.c.name.label("source_name")
    return (
        select(table, *names)
        .join(t.cluster, t.cluster.c.id == table.c.cluster_id)
        .join(t.source, t.source.c.id == table.c.source_id)
        .where(table.c.gone.is_(None))
    )


def _current_columns() -> Select[Any]:
    link, column = t.topic_schema.c, t.schema_column.c
    names = t.cluster.c.name.label("cluster_name"), t.topic.c.name.label("topic_name")
    return (
        select(*names, _SIDE, t.schema_column)
        .select_from(t.topic_schema)
        .join(t.topic, t.topic.c.id == link.topic_id)
        .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
        .join(t.schema_column, column.definition_id == link.definition_id)
        .where(link.is_current, link.gone.is_(None), t.topic.c.gone.is_(None))
        .order_by(t.cluster.c.name, t.topic.c.name, link.schema_role, link.definition_id, link.id, column.ordinal)
    )


def _collection_columns(conn: Connection) -> Mapping[int, tuple[CollectionColumn, ...]]:
    column = t.ksql_column.c
    rows = conn.execute(select(t.ksql_column).order_by(column.ksql_source_id, column.ordinal))
    return {key: tuple(map(_collection_column, group)) for key, group in groupby(rows, key=lambda row: row[0])}


def _collection_column(row: Row[Any]) -> CollectionColumn:
    role = Role(row.schema_role) if row.schema_role else None
    return CollectionColumn(column=column_fact(row), role=role, header=row.header)


def _end(namespace: str, name: str, path: str | None) -> FlowEnd:
    return FlowEnd(namespace=namespace, name=name, path=None if path is None else tuple(json.loads(path)))


class GroupRow(NamedTuple):
    """A consumer group; *state* is as the broker names it, *topics* those that it has offsets for or is assigned."""

    cluster: str
    source: str
    name: str
    state: str
    topics: tuple[str, ...]


def consumer_groups(conn: Connection) -> Iterator[GroupRow]:
    """List the groups by cluster and name, each with its topics by name."""
    group, topic = t.consumer_group.c, t.consumer_group_topic.c
    present = and_(topic.consumer_group_id == group.id, topic.gone.is_(None))
    query = (
        select(t.cluster.c.name, t.source.c.name, group.name, group.state, topic.topic_name)
        .select_from(t.consumer_group)
        .join(t.cluster, t.cluster.c.id == group.cluster_id)
        .join(t.source, t.source.c.id == group.source_id)
        .outerjoin(t.consumer_group_topic, present)
        .where(group.gone.is_(None))
        .order_by(t.cluster.c.name, group.name, topic.topic_name)
    )
    for (cluster, source, name, state), rows in groupby(conn.execute(query), key=lambda row: tuple(row[:4])):
        yield GroupRow(cluster, source, name, state, tuple(row[4] for row in rows if row[4] is not None))


def topologies(conn: Connection) -> Iterator[tuple[str, StreamsTopology]]:
    """List topologies, each with its cluster, by cluster, source and application id."""
    topology = t.streams_topology
    query = (
        select(t.cluster.c.name.label("cluster_name"), t.source.c.name.label("source_name"), topology)
        .join(t.cluster, t.cluster.c.id == topology.c.cluster_id)
        .join(t.source, t.source.c.id == topology.c.source_id)
        .where(topology.c.gone.is_(None))
        .order_by(t.cluster.c.name, t.source.c.name, topology.c.name)
    )
    for row in conn.execute(query):
        source = SourceId(row.source_name)
        yield row.cluster_name, StreamsTopology(source=source, name=row.name, topology=row.topology, file=row.file)
