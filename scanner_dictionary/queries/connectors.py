"""Queries for connectors: their state, tasks and configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Row, exists, or_

from scanner_dictionary.queries.facts import (
    children_of,
    fact_of,
    fact_state,
    members_of,
    newest_scans,
    runs,
    stored_rows,
)
from scanner_dictionary.queries.topics import FAILED as FAILED
from scanner_dictionary.queries.topics import name_filter
from scanner_dictionary.schema import tables as t
from scanner_model.kafka import Connector, ConnectorTask
from scanner_model.streaming_sql import KSQLDB, Query, StreamingStatement
from scanner_model.text import first_line, tasks_apart

"""States of something that failed; DEGRADED is Confluent Cloud's state where some tasks did."""

DEAD = (*FAILED, "FAILING", "ERROR", "UNRESPONSIVE")
"""States of a statement that does not work."""


class TaskRow(ConnectorTask):
    """A task of a connector; *trace* is empty while it has not failed."""

    __slots__ = ()

    @property
    def error(self) -> str:
        """Return the first line of its trace."""
        return first_line(self.trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorRow(Connector):
    """A connector as last reported, and its cluster. *stale*: its source could not be read since."""

    cluster: str
    tasks: tuple[TaskRow, ...] = ()
    stale: bool = False
    gone: bool = False

    @property
    def failed_tasks(self) -> int:
        """Return the number of its tasks that failed."""
        return sum(task.state in FAILED for task in self.tasks)

    @property
    def apart(self) -> str:
        """Return which of its tasks have another state than it; empty if none has."""
        return tasks_apart(self.state, [task.state for task in self.tasks])

    @property
    def error(self) -> str:
        """Return the first line of the first trace, the connector's own before those of its tasks."""
        traces = (self.trace, *(task.trace for task in self.tasks))
        return next(filter(None, map(first_line, traces)), "")


def connectors(
    conn: Connection,
    *,
    cluster: str | None = None,
    pattern: str | None = None,
    failed: bool = False,
    include_gone: bool = False,
) -> Iterator[ConnectorRow]:
    """List connectors by cluster, source and name; *failed*: only those that failed, or with a failed task.

    One that a deployment file declares is listed, with the state DECLARED, unless one of its name runs.
    *pattern* is a glob where it holds `*`, `?` or `[`, else a part of the name.
    """
    query = stored_rows(t.connector, cluster, include_gone=include_gone).where(runs(t.connector))
    query = query.order_by(t.cluster.c.name, t.source.c.name, t.connector.c.name)
    query = query.where(_has_failed()) if failed else query
    fits, newest = name_filter(pattern), newest_scans(conn)
    tasks = children_of(conn, t.connector_task, lambda row: TaskRow(**members_of(TaskRow, row)))
    for row in conn.execute(query):
        if fits(row.name):
            yield fact_of(ConnectorRow, row, tasks=tasks.get(row.id, ()), **fact_state(row, newest))


def _has_failed() -> Any:  # noqa: ANN401 - SQLAlchemy's own type of a condition
    task = t.connector_task.c
    return or_(
        t.connector.c.state.in_(FAILED),
        exists().where(task.connector_id == t.connector.c.id, task.state.in_(FAILED)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRow(StreamingStatement):
    """A statement as last reported, and its cluster; texts that its engine does not report are empty.

    *stale*: its source could not be read since.
    """

    cluster: str
    stale: bool
    gone: bool


def statements(
    conn: Connection,
    *,
    cluster: str | None = None,
    pattern: str | None = None,
    state: str | None = None,
    source: str | None = None,
    include_gone: bool = False,
) -> Iterator[StatementRow]:
    """List statements by cluster, source and name.

    *pattern* is a glob where it holds `*`, `?` or `[`, else a part of the name; *source* the same of its source's id.
    *state* is the state as the server names it, in any letter case.
    """
    fits, of_source = name_filter(pattern), name_filter(source)
    newest = newest_scans(conn)
    statements, queries = (
        conn.execute(stored_rows(table, cluster, include_gone=include_gone))
        for table in (t.flink_statement, t.ksql_query)
    )
    rows = chain(
        (fact_of(StatementRow, row, **fact_state(row, newest)) for row in statements),
        (_query(row, newest) for row in queries),
    )
    matching = (row for row in rows if fits(row.name) and of_source(row.source) and _has_state(row, state))
    return iter(sorted(matching, key=lambda row: (row.cluster, row.source, row.name, row.gone)))


def _has_state(row: StatementRow, state: str | None) -> bool:
    return state is None or row.state.lower() == state.lower()


def _query(row: Row[Any], newest: Mapping[int, int]) -> StatementRow:
    query = fact_of(Query, row)
    return StatementRow(
        source=query.source,
        name=query.name,
        kind=query.kind,
        state=query.state,
        statement=query.statement,
        engine=KSQLDB,
        **fact_state(row, newest),
    )
