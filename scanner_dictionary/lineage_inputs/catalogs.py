"""The graph's inputs about tables outside Kafka: catalogs' tables and links, and topics materialized as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, Table, and_, or_, select

from scanner_dictionary.lineage_inputs.jobs import reported_rows
from scanner_dictionary.queries.catalog_tables import table_keys
from scanner_dictionary.queries.columns import column_fact
from scanner_dictionary.schema import tables as t
from scanner_model.catalogs import COLUMNS, DATABASE, DOCUMENTED, PRIMARY_KEY, TableKey
from scanner_model.columns import Column, ColumnPath

_VIEWS = ("VIEW", "MATERIALIZED VIEW")
"""The kinds of tables that a SQL text defines, even where a database does not show it."""

Name = tuple[str, str]
"""OpenLineage namespace and name of a dataset."""


class TableRow(NamedTuple):
    """A live table of a catalog or a database; unknown texts are empty. *definition* is the SQL text of a view."""

    name: Name
    provider: str
    kind: str
    table_format: str
    location: str
    owner: str
    description: str
    partition_keys: tuple[str, ...]
    symlinks: tuple[Name, ...]
    columns: tuple[Column, ...] = ()
    source: str = ""
    definition: str = ""
    keys: tuple[TableKey, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    cluster: str = ""

    @property
    def database(self) -> str:
        """Return the database that a table of a database is in; empty where names have none."""
        return dict(self.parameters).get("database", "")

    @property
    def schema(self) -> str:
        """Return the schema that a table of a database is in; empty where names have none."""
        return dict(self.parameters).get("schema", "")

    @property
    def lists_all_columns(self) -> bool:
        """Return whether there are no other columns than those listed; a person may describe some only."""
        return bool(self.columns) and (COLUMNS, DOCUMENTED) not in self.parameters

    @property
    def is_of_database(self) -> bool:
        """Return whether a database itself described the table."""
        return self.provider == DATABASE

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Return the columns of the primary key; empty where there is none, or it is not known."""
        return next((key.columns for key in self.keys if key.kind == PRIMARY_KEY), ())


class LinkRow(NamedTuple):
    """A live flow that a catalog reports; paths are None for the whole dataset."""

    cluster: str
    source: str
    origin: Name
    origin_path: ColumnPath | None
    target: Name
    target_path: ColumnPath | None
    process: str
    dependency: str


class MaterializedTopicRow(NamedTuple):
    """A live topic that is materialized as a table; *catalog* is empty for the service's own."""

    cluster: str
    source: str
    topic: str
    table_format: str
    catalog: str
    name: Name
    location: str


def catalog_tables(conn: Connection, *, columns: bool = True) -> Iterator[TableRow]:
    """List the live tables by namespace and name; of one that several sources report, the first source's."""
    inside = _columns(conn) if columns else {}
    for _, rows in groupby(conn.execute(_tables()), key=lambda row: (row.namespace, row.name)):
        row = next(rows)
        yield _table_row(row, inside.get(row.id, ()))


def defined_tables(conn: Connection) -> Iterator[TableRow]:
    """List the live tables that a SQL text defines, each with its first one, by namespace and name; without columns.

    The text may come from another source than what `catalog_tables` returns: a project builds what a database has. A
    view whose database does not show its text has an empty one.
    """
    table = t.catalog_table.c
    hidden = and_(table.provider == DATABASE, table.kind.in_(_VIEWS))
    query = _tables().where(or_(table.definition != "", hidden))
    for _, group in groupby(conn.execute(query), key=lambda row: (row.namespace, row.name)):
        rows = list(group)
        yield _table_row(next((row for row in rows if row.definition), rows[0]), ())


def _tables() -> Select[Any]:
    table = t.catalog_table.c
    return reported_rows(t.catalog_table).order_by(table.namespace, table.name, t.cluster.c.name, t.source.c.name)


def _table_row(row: Row[Any], columns: tuple[Column, ...]) -> TableRow:
    return TableRow(
        name=(row.namespace, row.name),
        provider=row.provider,
        kind=row.kind,
        table_format=row.table_format,
        location=row.location,
        owner=row.owner,
        description=row.description,
        partition_keys=tuple(json.loads(row.partition_keys)),
        symlinks=_names(row.symlinks),
        columns=columns,
        source=row.source_name,
        definition=row.definition,
        keys=table_keys(row.keys),
        parameters=_names(row.parameters),
        cluster=row.cluster_name,
    )


def catalog_links(conn: Connection) -> Iterator[LinkRow]:
    """List the live links by their cluster, source and ends."""
    for row in conn.execute(_ordered(t.catalog_link)):
        origin, target = (row.origin_namespace, row.origin_name), (row.target_namespace, row.target_name)
        paths = _path(row.origin_path), _path(row.target_path)
        ends = origin, paths[0], target, paths[1]
        yield LinkRow(row.cluster_name, row.source_name, *ends, row.process, row.dependency)


def materialized_topics(conn: Connection) -> Iterator[MaterializedTopicRow]:
    """List the live topics that are materialized as tables, by cluster, source and topic."""
    for row in conn.execute(_ordered(t.materialization)):
        name = (row.namespace, row.name)
        words = row.topic, row.table_format, row.catalog
        yield MaterializedTopicRow(row.cluster_name, row.source_name, *words, name, row.location)


def _columns(conn: Connection) -> Mapping[int, tuple[Column, ...]]:
    column = t.catalog_column.c
    rows = conn.execute(select(t.catalog_column).order_by(column.catalog_table_id, column.ordinal))
    return {key: tuple(map(column_fact, group)) for key, group in groupby(rows, key=lambda row: int(row[0]))}


def _ordered(table: Table) -> Select[tuple[object, ...]]:
    return reported_rows(table).order_by(t.cluster.c.name, t.source.c.name, table.c.id)


def _names(cell: str) -> tuple[Name, ...]:
    return tuple((namespace, name) for namespace, name in json.loads(cell))


def _path(cell: str | None) -> ColumnPath | None:
    return None if cell is None else tuple(json.loads(cell))
