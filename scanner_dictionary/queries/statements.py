"""Queries for statements of streaming SQL: Flink statements and ksqlDB queries, their state and text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, select

from scanner_dictionary.queries.topics import fitting, newest_scans
from scanner_dictionary.schema import tables as t


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
    fits, of_source = fitting(pattern), fitting(source)
    newest = newest_scans(conn)
    rows = chain(
        (_flink(row, newest) for row in conn.execute(_chosen(t.flink_statement, cluster, include_gone))),
        (_ksqldb(row, newest) for row in conn.execute(_chosen(t.ksql_query, cluster, include_gone))),
    )
    matching = (row for row in rows if fits(row.name) and of_source(row.source) and _has_state(row, state))
    return iter(sorted(matching, key=lambda row: (row.cluster, row.source, row.name, row.gone)))


def _has_state(row: StatementRow, state: str | None) -> bool:
    return state is None or row.state.lower() == state.lower()


def _chosen(table: Table, cluster: str | None, include_gone: bool) -> Select[Any]:
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
