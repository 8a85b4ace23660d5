"""Queries for connectors: their state, tasks and configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain, groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, exists, or_, select

from scanner_dictionary.queries.declared import runs
from scanner_dictionary.queries.topics import name_filter, newest_scans
from scanner_dictionary.schema import tables as t

FAILED = ("FAILED", "DEGRADED")
"""States of something that failed; DEGRADED is Confluent Cloud's state where some tasks did."""


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
    state: str
    worker: str
    tasks: tuple[TaskRow, ...]
    failed_tasks: int
    topics: tuple[str, ...] | None
    plugin_version: str
    managed_id: str
    error: str
    trace: str
    config: Mapping[str, str]
    stale: bool
    gone: bool


def connectors(
    conn: Connection,
    *,
    cluster: str | None = None,
    pattern: str | None = None,
    failed: bool = False,
    include_gone: bool = False,
) -> Iterator[ConnectorRow]:
    """List connectors by cluster, source and name; *failed*: only those that failed, or of which a task did.

    One that a deployment file declares is listed, with the state DECLARED, unless one of its name runs.
    *pattern* is a glob where it holds `*`, `?` or `[`, else a part of the name.
    """
    query = _connectors()
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    query = query if include_gone else query.where(t.connector.c.gone.is_(None))
    query = query.where(_has_failed()) if failed else query
    fits, newest, tasks = name_filter(pattern), newest_scans(conn), _tasks(conn)
    return (_connector(row, newest, tasks.get(row.id, ())) for row in conn.execute(query) if fits(row.name))


def _first_line(trace: str) -> str:
    """Return the first line of *trace*: the message; those below are the stack."""
    return next(iter(trace.strip().splitlines()), "")


def _connectors() -> Select[Any]:
    columns = t.cluster.c.name.label("cluster"), t.source.c.name.label("source"), t.source.c.stale_since
    return (
        select(t.connector, *columns)
        .join(t.cluster, t.cluster.c.id == t.connector.c.cluster_id)
        .join(t.source, t.source.c.id == t.connector.c.source_id)
        .where(runs(t.connector))
        .order_by(t.cluster.c.name, t.source.c.name, t.connector.c.name)
    )


def _has_failed() -> Any:  # noqa: ANN401 - SQLAlchemy's own type of a condition
    task = t.connector_task.c
    return or_(
        t.connector.c.state.in_(FAILED),
        exists().where(task.connector_id == t.connector.c.id, task.state.in_(FAILED)),
    )


def _tasks(conn: Connection) -> dict[int, tuple[TaskRow, ...]]:
    task = t.connector_task.c
    columns = (task.connector_id, task.task_number, task.state, task.worker, task.trace)
    query = select(*columns).order_by(task.connector_id, task.ordinal)
    rows = conn.execute(query)
    return {
        key: tuple(TaskRow(*row[1:], _first_line(row.trace)) for row in group)
        for key, group in groupby(rows, key=lambda row: row[0])
    }


def _connector(row: Any, newest: Mapping[int, int], tasks: tuple[TaskRow, ...]) -> ConnectorRow:  # noqa: ANN401 - of the query
    return ConnectorRow(
        cluster=row.cluster,
        source=row.source,
        name=row.name,
        kind=row.kind,
        connector_class=row.connector_class,
        state=row.state,
        worker=row.worker,
        tasks=tasks,
        failed_tasks=sum(task.state in FAILED for task in tasks),
        topics=None if row.topics is None else tuple(json.loads(row.topics)),
        plugin_version=row.plugin_version,
        managed_id=row.managed_id,
        error=_first_line(row.trace) or next((task.error for task in tasks if task.error), ""),
        trace=row.trace,
        config=json.loads(row.config),
        stale=row.gone is None and row.stale_since is not None and row.last_seen < newest.get(row.cluster_id, 0),
        gone=row.gone is not None,
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
    rows = chain(
        (_flink(row, newest) for row in conn.execute(_select_jobs(t.flink_statement, cluster, include_gone))),
        (_ksqldb(row, newest) for row in conn.execute(_select_jobs(t.ksql_query, cluster, include_gone))),
    )
    matching = (row for row in rows if fits(row.name) and of_source(row.source) and _has_state(row, state))
    return iter(sorted(matching, key=lambda row: (row.cluster, row.source, row.name, row.gone)))


def _has_state(row: StatementRow, state: str | None) -> bool:
    return state is None or row.state.lower() == state.lower()


def _select_jobs(table: Table, cluster: str | None, include_gone: bool) -> Select[Any]:
    columns = t.cluster.c.name.label("cluster"), t.source.c.name.label("source"), t.source.c.stale_since
    query = (
        select(table, *columns)
        .join(t.cluster, t.cluster.c.id == table.c.cluster_id)
        .join(t.source, t.source.c.id == table.c.source_id)
    )
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    return query if include_gone else query.where(table.c.gone.is_(None))


def _flink(row: Any, newest: Mapping[int, int]) -> StatementRow:  # noqa: ANN401 - of the query
    return StatementRow(
        **_shared(row, newest),
        engine="flink",
        detail=row.detail,
        catalog=row.catalog_name,
        database=row.database_name,
        compute_pool=row.compute_pool,
        region=row.region,
        principal=row.principal,
        created=row.created,
        topics_read=None if row.topics_read is None else tuple(json.loads(row.topics_read)),
        hidden=row.hidden,
    )


def _ksqldb(row: Any, newest: Mapping[int, int]) -> StatementRow:  # noqa: ANN401 - of the query
    empty: dict[str, Any] = dict.fromkeys(
        ("detail", "catalog", "database", "compute_pool", "region", "principal", "created"), ""
    )
    return StatementRow(**_shared(row, newest), **empty, engine="ksqldb", topics_read=None, hidden=False)


def _shared(row: Any, newest: Mapping[int, int]) -> dict[str, Any]:  # noqa: ANN401 - of the query
    return {
        "cluster": row.cluster,
        "source": row.source,
        "name": row.name,
        "kind": row.kind,
        "state": row.state,
        "statement": row.statement,
        "stale": row.gone is None and row.stale_since is not None and row.last_seen < newest.get(row.cluster_id, 0),
        "gone": row.gone is not None,
    }
