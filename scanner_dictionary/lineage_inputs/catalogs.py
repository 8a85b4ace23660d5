"""The graph's inputs about tables outside Kafka: catalogs' tables and links, and topics materialized as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, or_

from scanner_dictionary.queries.columns import column_fact
from scanner_dictionary.queries.facts import children_of, fact_of, reported_rows
from scanner_dictionary.schema import tables as t
from scanner_model.catalogs import BY_NAME, COLUMNS, DATABASE, DOCUMENTED, PRIMARY_KEY, TABLES, CatalogTable
from scanner_model.columns import Column

_VIEWS = ("VIEW", "MATERIALIZED VIEW")
"""The kinds of tables that a SQL text defines, even where a database does not show it."""

Name = tuple[str, str]
"""OpenLineage namespace and name of a dataset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow(CatalogTable):
    """A live table of a catalog or a database, with the cluster whose scan read it."""

    cluster: str

    @property
    def dataset(self) -> Name:
        """Return its OpenLineage namespace and name."""
        return self.namespace, self.name

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
    def names_no_server(self) -> bool:
        """Return whether it is a chart, whose tables may be on any server."""
        return (TABLES, BY_NAME) in self.parameters

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Return the columns of the primary key; empty if absent, or it is not known."""
        return next((key.columns for key in self.keys if key.kind == PRIMARY_KEY), ())


def catalog_tables(conn: Connection, *, columns: bool = True) -> Iterator[TableRow]:
    """List the live tables by namespace and name; of one that several sources report, the first source's."""
    inside = children_of(conn, t.catalog_column, column_fact) if columns else {}
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
    return fact_of(TableRow, row, columns=columns, cluster=row.cluster_name)
