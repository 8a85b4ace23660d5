"""The jobs of a statement or connector as it is stored, and as a proposed text would make them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from dataflow_generator.jobs.connect import report_connector
from dataflow_generator.jobs.kinds import (
    JobReading,
    LookupContext,
    read_connectors,
    read_queries,
    read_statements,
)
from dataflow_generator.sql import StatementFlows
from scanner_dictionary.lineage_inputs import jobs as inputs
from scanner_dictionary.lineage_inputs.topics import Connection
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.flink import FlinkStatement
from scanner_model.ksqldb import Query

_CHOOSES_TOPICS = ("topic", "transforms", "table", "database", "schema", "collection", "query", "predicates")
"""Starts of the settings on which the topics of a connector depend."""


class JobPair(NamedTuple):
    """Readings of what one text runs, before and after; empty where it did, or does, not exist."""

    before: tuple[JobReading, ...]
    after: tuple[JobReading, ...]


def flink_pair(
    conn: Connection, cluster: str, stored: FlinkStatement, text: str | None, context: LookupContext
) -> JobPair:
    """Read the jobs of *stored*, and those of *text* in its place, None where it is deleted.

    A statement that its source does not have yet is read beside those that it has.
    """
    rows = [row for _, row in inputs.flink_statements(conn, cluster, stored.source)]
    at = next((index for index, row in enumerate(rows) if row.name == stored.name), len(rows))
    before = tuple(read_statements(conn, cluster, rows, {at} if at < len(rows) else set(), context))
    if text is None:
        return JobPair(before, ())
    proposed = replace(stored, statement=text, topics_read=None)
    changed = [*rows[:at], proposed, *rows[at + 1 :]]
    return JobPair(before, tuple(read_statements(conn, cluster, changed, {at}, context)))


def ksql_pair(
    conn: Connection, cluster: str, stored: Query, proposed: StatementFlows | None, context: LookupContext
) -> JobPair:
    """Read the job of *stored*, and that of the *proposed* statement in its place, None where it is deleted."""
    exists = any(query == stored for at, query in inputs.ksql_queries(conn) if at == cluster)
    before = tuple(read_queries(conn, [(cluster, stored)], context)) if exists else ()
    if proposed is None:
        return JobPair(before, ())
    same_sinks = set(proposed.sinks) == set(stored.sinks)
    query = replace(
        stored,
        statement=proposed.text,
        sources=proposed.sources,
        sinks=proposed.sinks,
        sink_topics=stored.sink_topics if same_sinks else (),
    )
    return JobPair(before, tuple(read_queries(conn, [(cluster, query)], context)))


def connector_pair(
    conn: Connection,
    stored: ConnectorRow | None,
    proposed: ConnectorRow | None,
    context: LookupContext,
) -> JobPair:
    """Read the job of the connector *stored*, and that of *proposed* in its place; None where there is none.

    The topics that the worker reports tell about the stored configuration only: where a setting differs on which they
    depend, neither side is read with them.
    """
    if stored and proposed and _topics_may_differ(stored.config, proposed.config):
        stored, proposed = stored._replace(topics=None), proposed._replace(topics=None)
    before, after = (_connector(conn, [row] if row else [], context) for row in (stored, proposed))
    return JobPair(before, after)


def _connector(conn: Connection, rows: Collection[ConnectorRow], context: LookupContext) -> tuple[JobReading, ...]:
    reported = [report_connector(row, context.topics(), context.naming) for row in rows]
    return tuple(read_connectors(conn, reported, context))


def _topics_may_differ(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    differing = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return any(name.startswith(_CHOOSES_TOPICS) for name in differing)
