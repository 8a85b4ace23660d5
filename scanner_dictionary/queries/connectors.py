"""Queries for connectors: their state, tasks and configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, exists, or_

from scanner_dictionary.queries.facts import children_of, fact_state, members_of, newest_scans, runs, stored_rows
from scanner_dictionary.queries.topics import name_filter
from scanner_dictionary.schema import tables as t
from scanner_model.kafka import Connector
from scanner_model.streaming_sql import FlinkStatement

FAILED = ("FAILED", "DEGRADED")
"""States of something that failed; DEGRADED is Confluent Cloud's state where some tasks did."""

DEAD = (*FAILED, "FAILING", "ERROR", "UNRESPONSIVE")
"""States of a statement that does not work."""


class TaskRow(NamedTuple):
    """A task of a connector; *trace* is empty while it has not failed, *error* is its first line."""

    number: int
    state: str
    worker: str
    trace: str
    error: str


class ConnectorRow(NamedTuple):
    """A connector as last reported; *topics* is None where the topics it uses are unknown.

    *error* is the first line of the first trace, the connector's own before those of its tasks. *stale*: its source
    could not be read since.
    """

    cluster: str
    source: str
    name: str
    kind: str
    connector_class: str
    state: str = ""
    worker: str = ""
    tasks: tuple[TaskRow, ...] = ()
    failed_tasks: int = 0
    topics: tuple[str, ...] | None = None
    plugin_version: str = ""
    managed_id: str = ""
    error: str = ""
    trace: str = ""
    config: Mapping[str, str] = MappingProxyType({})
    stale: bool = False
    gone: bool = False


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
    fits, newest, tasks = name_filter(pattern), newest_scans(conn), children_of(conn, t.connector_task, _task)
    return (_connector(row, newest, tasks.get(row.id, ())) for row in conn.execute(query) if fits(row.name))


def _first_line(trace: str) -> str:
    """Return the first line of *trace*: the message; those below are the stack."""
    return next(iter(trace.strip().splitlines()), "")


def _has_failed() -> Any:  # noqa: ANN401 - SQLAlchemy's own type of a condition
    task = t.connector_task.c
    return or_(
        t.connector.c.state.in_(FAILED),
        exists().where(task.connector_id == t.connector.c.id, task.state.in_(FAILED)),
    )


def _task(row: Row[Any]) -> TaskRow:
    return TaskRow(row.task_number, row.state, row.worker, row.trace, _first_line(row.trace))


def _connector(row: Row[Any], newest: Mapping[int, int], tasks: tuple[TaskRow, ...]) -> ConnectorRow:
    members = members_of(Connector, row)
    return ConnectorRow(
        source=row.source_name,
        tasks=tasks,
        failed_tasks=sum(task.state in FAILED for task in tasks),
        error=_first_line(row.trace) or next((task.error for task in tasks if task.error), ""),
        **members | {"config": dict(members["config"])},
        **fact_state(row, newest),
    )


class StatementRow(NamedTuple):
    """A statement as last reported; texts that its engine does not report are empty.

    *engine* is flink or ksqldb. *topics_read* are those that the engine reports as read, None where it does not.
    *hidden*: the service issued it for itself. *stale*: its source could not be read since.
    """

    cluster: str
    source: str
    name: str
    engine: str
    kind: str
    state: str
    detail: str
    statement: str
    catalog: str
    database: str
    compute_pool: str
    region: str
    principal: str
    created: str
    topics_read: tuple[str, ...] | None
    hidden: bool
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
    of_flink, of_ksqldb = (
        conn.execute(stored_rows(table, cluster, include_gone=include_gone))
        for table in (t.flink_statement, t.ksql_query)
    )
    rows = chain((_flink(row, newest) for row in of_flink), (_ksqldb(row, newest) for row in of_ksqldb))
    matching = (row for row in rows if fits(row.name) and of_source(row.source) and _has_state(row, state))
    return iter(sorted(matching, key=lambda row: (row.cluster, row.source, row.name, row.gone)))


def _has_state(row: StatementRow, state: str | None) -> bool:
    return state is None or row.state.lower() == state.lower()


def _flink(row: Row[Any], newest: Mapping[int, int]) -> StatementRow:
    members = members_of(FlinkStatement, row)
    del members["uid"]
    names = {"catalog": members.pop("catalog_name"), "database": members.pop("database_name")}
    engine = "ksqldb" if members.pop("engine") == "ksqldb" else "flink"
    return StatementRow(source=row.source_name, engine=engine, **members, **names, **fact_state(row, newest))


def _ksqldb(row: Row[Any], newest: Mapping[int, int]) -> StatementRow:
    unknown = ("detail", "catalog", "database", "compute_pool", "region", "principal", "created")
    members: dict[str, Any] = {name: getattr(row, name) for name in ("name", "kind", "state", "statement")}
    members |= dict.fromkeys(unknown, "") | {"engine": "ksqldb", "topics_read": None, "hidden": False}
    return StatementRow(source=row.source_name, **members, **fact_state(row, newest))
