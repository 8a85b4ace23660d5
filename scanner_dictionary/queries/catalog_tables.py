"""Queries for tables outside Kafka: those of catalogs, and those that topics are materialized as."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, select

from scanner_dictionary.queries.columns import column_fact
from scanner_dictionary.queries.topics import name_filter, newest_scans
from scanner_dictionary.schema import tables as t
from scanner_model.catalogs import TableKey
from scanner_model.columns import Column

_SERVICE = "tableflow"


class TableLine(NamedTuple):
    """A table as last reported; *topic* is the topic that it materializes, empty for a catalog's own.

    *provider* is the kind of catalog; *state* and *write_mode* are those of a materialized topic, else empty. A
    catalog may list a table of a materialized topic, too: then both are lines. *stale*: its source could not be read
    since.
    """

    cluster: str
    source: str
    provider: str
    namespace: str
    name: str
    topic: str
    kind: str
    table_format: str
    state: str
    write_mode: str
    location: str
    serde: str
    owner: str
    description: str
    created: str
    updated: str
    partition_keys: tuple[str, ...]
    symlinks: tuple[tuple[str, str], ...]
    parameters: Mapping[str, str]
    detail: str
    columns: tuple[Column, ...]
    stale: bool
    gone: bool
    definition: str = ""
    keys: tuple[TableKey, ...] = ()


def tables(
    conn: Connection,
    *,
    cluster: str | None = None,
    provider: str | None = None,
    pattern: str | None = None,
    include_gone: bool = False,
) -> Iterator[TableLine]:
    """List tables by cluster, provider, namespace, name and topic; *pattern* is a glob, or a part of the name."""
    newest, columns = newest_scans(conn), _columns(conn)
    lines = [
        _table(row, newest, columns.get(row.id, ())) for row in _rows(conn, t.catalog_table, cluster, include_gone)
    ]
    lines += [_materialization(row, newest) for row in _rows(conn, t.materialization, cluster, include_gone)]
    fits = name_filter(pattern)
    matching = (line for line in lines if provider in (None, line.provider) and (fits(line.name) or fits(line.topic)))
    return iter(sorted(matching, key=_order))


def _order(line: TableLine) -> tuple[str, ...]:
    return line.cluster, line.provider, line.namespace, line.name, line.topic, line.table_format, line.source


def _rows(conn: Connection, table: Table, cluster: str | None, include_gone: bool) -> list[Any]:
    query: Select[Any] = (
        select(table, t.cluster.c.name.label("cluster"), t.source.c.name.label("source"), t.source.c.stale_since)
        .join(t.cluster, t.cluster.c.id == table.c.cluster_id)
        .join(t.source, t.source.c.id == table.c.source_id)
        .order_by(table.c.id)
    )
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    return list(conn.execute(query if include_gone else query.where(table.c.gone.is_(None))))


def _table(row: Any, newest: Mapping[int, int], columns: tuple[Column, ...]) -> TableLine:  # noqa: ANN401 - of the query
    return TableLine(
        cluster=row.cluster,
        source=row.source,
        provider=row.provider,
        namespace=row.namespace,
        name=row.name,
        topic="",
        kind=row.kind,
        table_format=row.table_format,
        state="",
        write_mode="",
        location=row.location,
        serde=row.serde,
        owner=row.owner,
        description=row.description,
        created=row.created,
        updated=row.updated,
        partition_keys=tuple(json.loads(row.partition_keys)),
        symlinks=tuple((namespace, name) for namespace, name in json.loads(row.symlinks)),
        parameters=dict(json.loads(row.parameters)),
        detail="",
        columns=columns,
        stale=_is_stale(row, newest),
        gone=row.gone is not None,
        definition=row.definition,
        keys=table_keys(row.keys),
    )


def table_keys(cell: str) -> tuple[TableKey, ...]:
    """Return the keys of a table from their cell."""
    listed = json.loads(cell) if cell != "[]" else ()
    return tuple(TableKey(kind, tuple(of), to, tuple(referenced)) for kind, of, to, referenced in listed)


def _materialization(row: Any, newest: Mapping[int, int]) -> TableLine:  # noqa: ANN401 - of the query
    return TableLine(
        cluster=row.cluster,
        source=row.source,
        provider=row.catalog_kind.lower() or _SERVICE,
        namespace=row.namespace,
        name=row.name,
        topic=row.topic,
        kind=row.storage,
        table_format=row.table_format.lower(),
        state="SUSPENDED" if row.suspended else row.state,
        write_mode=row.write_mode,
        location=row.location,
        serde="",
        owner="",
        description="",
        created="",
        updated="",
        partition_keys=(),
        symlinks=(),
        parameters={},
        detail=row.detail,
        columns=(),
        stale=_is_stale(row, newest),
        gone=row.gone is not None,
    )


def _is_stale(row: Any, newest: Mapping[int, int]) -> bool:  # noqa: ANN401 - of the query
    return row.gone is None and row.stale_since is not None and row.last_seen < newest.get(row.cluster_id, 0)


def _columns(conn: Connection) -> Mapping[int, tuple[Column, ...]]:
    column = t.catalog_column.c
    rows = conn.execute(select(t.catalog_column).order_by(column.catalog_table_id, column.ordinal))
    return {key: tuple(map(column_fact, group)) for key, group in groupby(rows, key=lambda row: int(row[0]))}
