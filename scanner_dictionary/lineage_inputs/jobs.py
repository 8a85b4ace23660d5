"""Inputs of jobs: manual flows, ksqlDB's collections and queries, Flink's statements and jobs, columns of topics."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.columns import CELLS, column_fact, column_of
from scanner_dictionary.queries.facts import children_of, fact_of, reported_rows, runs
from scanner_dictionary.schema import tables as t
from scanner_model.columns import KEY, Column, ColumnPath
from scanner_model.kafka import ConsumerGroup, StreamsTopology
from scanner_model.manual import DeclaredFlow
from scanner_model.names import Role, TopicName
from scanner_model.streaming_sql import ClusterNames, CollectionColumn, KsqlSource, Query, StreamingStatement

_ENVIRONMENT, _DISPLAYED = "environment", "display_name"
"""Kinds of aliases; those that begin with the first are of the environment."""


def statements(conn: Connection) -> Mapping[Server, tuple[StreamingStatement, ...]]:
    """Return the live statements of each source, the oldest first, then by name."""
    rows = conn.execute(_statements())
    return {
        (cluster, source): tuple(fact_of(StreamingStatement, row) for row in group)
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
    return (
        reported_rows(t.flink_statement)
        .where(runs(t.flink_statement))
        .order_by(t.cluster.c.name, t.source.c.name, statement.created, statement.name)
    )


ClusterTopic = tuple[str, str]
"""A cluster's name and a topic's."""

Server = tuple[str, str]
"""The names of a cluster and of a source in it."""


_TOPICS_AT_ONCE = 500
_SIDE = t.topic_schema.c.schema_role


def declared_flows(conn: Connection) -> Iterator[tuple[str, DeclaredFlow]]:
    """List the manual flows, each with its cluster, in the order they were stored."""
    for row in conn.execute(reported_rows(t.manual_flow).order_by(t.manual_flow.c.id)):
        yield row.cluster_name, fact_of(DeclaredFlow, row)


def ksql_collections(conn: Connection) -> Mapping[Server, tuple[KsqlSource, ...]]:
    """Return the streams and tables of each ksqlDB server with their columns, by name."""
    query = reported_rows(t.ksql_source).order_by(t.ksql_source.c.name)
    columns = children_of(conn, t.ksql_column, _collection_column)
    servers: dict[Server, list[KsqlSource]] = {}
    for row in conn.execute(query):
        collection = fact_of(KsqlSource, row, columns=columns.get(row.id, ()))
        servers.setdefault((row.cluster_name, row.source_name), []).append(collection)
    return {server: tuple(listed) for server, listed in servers.items()}


def ksql_queries(conn: Connection) -> Iterator[tuple[str, Query]]:
    """List ksqlDB's queries, each with its cluster, by cluster, server and name."""
    query = reported_rows(t.ksql_query).order_by(t.cluster.c.name, t.source.c.name, t.ksql_query.c.name)
    return ((row.cluster_name, fact_of(Query, row)) for row in conn.execute(query))


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


def _collection_column(row: Row[Any]) -> CollectionColumn:
    role = Role(row.schema_role) if row.schema_role else None
    return CollectionColumn(column=column_fact(row), role=role, header=row.header)


def consumer_groups(conn: Connection) -> Iterator[tuple[str, ConsumerGroup]]:
    """List the groups, each with its cluster, by cluster and name; the topics of each by name."""
    read = t.consumer_group_topic.c
    topics: dict[int, list[TopicName]] = {}
    query = select(read.consumer_group_id, read.topic_name).where(read.gone.is_(None)).order_by(read.topic_name)
    for group, topic in conn.execute(query):
        topics.setdefault(group, []).append(topic)
    for row in conn.execute(reported_rows(t.consumer_group).order_by(t.cluster.c.name, t.consumer_group.c.name)):
        yield row.cluster_name, fact_of(ConsumerGroup, row, topics=tuple(topics.get(row.id, ())))


def topologies(conn: Connection) -> Iterator[tuple[str, StreamsTopology]]:
    """List topologies, each with its cluster, by cluster, source and application id."""
    topology = t.streams_topology
    query = reported_rows(topology).order_by(t.cluster.c.name, t.source.c.name, topology.c.name)
    return ((row.cluster_name, fact_of(StreamsTopology, row)) for row in conn.execute(query))
