"""Bare cells of what a graph is made of, to tell what changed since: topics, links, rows that tell of jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, select

from scanner_dictionary.lineage_inputs.jobs import reported_rows
from scanner_dictionary.schema import openlineage as events
from scanner_dictionary.schema import tables as t

__all__ = [
    "collection_cells",
    "connector_cells",
    "definition_sizes",
    "link_cells",
    "query_cells",
    "statement_cells",
    "tells_more",
    "topic_cells",
]


def definition_prints(conn: Connection) -> list[tuple[Any, ...]]:
    """List the key, the fingerprint and the number of columns of every definition, in the order of the keys."""
    definition = t.schema_definition.c
    query = select(definition.id, definition.fingerprint, definition.column_count).order_by(definition.id)
    found = conn.execute(query)
    # Past SQLAlchemy's row: it costs as much as reading the cells.
    return list(map(tuple, found.cursor.fetchall())) if found.cursor else []


Cells = Sequence[Any]


def topic_cells(conn: Connection) -> Sequence[Cells]:
    """List live topics in the graph's order: cluster, name, then what their nodes are made of; last the row's key."""
    topic = t.topic.c
    cells = topic.name, topic.partitions, topic.is_internal, topic.description, topic.tags, topic.id
    query = select(t.cluster.c.name, *cells).join(t.cluster, t.cluster.c.id == topic.cluster_id)
    return _bare(conn, query.where(topic.gone.is_(None)).order_by(t.cluster.c.name, topic.name))


def link_cells(conn: Connection) -> Sequence[Cells]:
    """List current links of live topics by topic's key, role and definition's key."""
    link = t.topic_schema.c
    cells = link.topic_id, link.schema_role, link.definition_id, link.strategy, link.evidence, link.confidence
    query = select(*cells).join(t.topic, t.topic.c.id == link.topic_id)
    query = query.where(link.is_current, link.gone.is_(None), t.topic.c.gone.is_(None))
    return _bare(conn, query.order_by(*cells))


def definition_sizes(conn: Connection) -> Sequence[tuple[int, int]]:
    """List the keys of all definitions in order, each with the number of its columns."""
    definition = t.schema_definition.c
    return _bare(conn, select(definition.id, definition.column_count).order_by(definition.id))


def connector_cells(conn: Connection) -> Sequence[Cells]:
    """List connectors in their order: key, cluster, source, name, then what their jobs are made of."""
    names = ("name", "kind", "connector_class", "config", "state", "managed_id", "topics")
    return _rows(conn, t.connector, names, (t.cluster.c.name, t.source.c.name, t.connector.c.name))


def query_cells(conn: Connection) -> Sequence[Cells]:
    """List ksqlDB's queries in their order: key, cluster, source, name, then what their jobs are made of."""
    names = ("name", "kind", "state", "statement", "sources", "sinks", "sink_topics", "consumer_group")
    return _rows(conn, t.ksql_query, names, (t.cluster.c.name, t.source.c.name, t.ksql_query.c.name))


def collection_cells(conn: Connection) -> Iterator[tuple[tuple[str, str], Cells]]:
    """List what queries of a ksqlDB server (cluster, source) are read with: collections, their columns, functions."""
    source, column, function = t.ksql_source.c, t.ksql_column.c, t.ksql_function.c
    names = ("id", "name", "kind", "topic_name", "key_format", "value_format", "statement", "window_type")
    query = reported_rows(t.ksql_source).with_only_columns(
        t.cluster.c.name, t.source.c.name, *(source[name] for name in names)
    )
    columns = query.with_only_columns(t.cluster.c.name, t.source.c.name, t.ksql_column).join(
        t.ksql_column, column.ksql_source_id == source.id
    )
    aggregates = reported_rows(t.ksql_function).where(function.kind == "AGGREGATE")
    aggregates = aggregates.with_only_columns(t.cluster.c.name, t.source.c.name, function.name).order_by(function.id)
    ordered = query.order_by(source.id), columns.order_by(source.id, column.ordinal), aggregates
    for each in ordered:
        yield from (((row[0], row[1]), row[2:]) for row in _bare(conn, each))


def statement_cells(conn: Connection) -> Sequence[Cells]:
    """List Flink's statements in their order: key, cluster, source, name, then what their jobs are made of."""
    names = ("name", "statement", "state", "catalog_name", "database_name", "kind", "compute_pool", "region")
    more = ("principal", "created", "hidden", "topics_read")
    statement = t.flink_statement.c
    order = t.cluster.c.name, t.source.c.name, statement.created, statement.name
    return _rows(conn, t.flink_statement, (*names, *more), order)


def tells_more(conn: Connection) -> bool:
    """Return whether events or catalogs tell of datasets: what they say of one bears on the jobs of others."""
    told = [t.catalog_table, t.materialization]
    found = [select(table.c.id).where(table.c.gone.is_(None)) for table in told]
    found += [select(table.c.id) for table in (events.lineage_job, events.lineage_dataset)]
    return any(conn.execute(query.limit(1)).first() is not None for query in found)


def _rows(conn: Connection, table: Table, names: Sequence[str], order: Sequence[Any]) -> Sequence[Cells]:
    cells = (table.c[name] for name in names)
    query = reported_rows(table).with_only_columns(table.c.id, t.cluster.c.name, t.source.c.name, *cells)
    return _bare(conn, query.order_by(None).order_by(*order))


def _bare(conn: Connection, query: Select[Any]) -> Sequence[Any]:
    # Past SQLAlchemy's row: it costs as much as reading the cells.
    found = conn.execute(query)
    return found.cursor.fetchall() if found.cursor else ()
