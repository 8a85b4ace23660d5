"""The tables of a dictionary in the order of their references, and their rows in bounded batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Table, select

from scanner_dictionary.schema.tables import metadata

_STREAMED_ROWS = 2_000

Rows = Sequence[Sequence[Any]]


def tables() -> tuple[Table, ...]:
    """List the tables, those that are referred to before those that refer to them."""
    return tuple(metadata.sorted_tables)


def consistent_read(conn: Connection) -> None:
    """Let all that *conn* reads from now on be of one moment, even while a scan is stored; must come first.

    SQLite does so by itself; PostgreSQL would show each statement the newest scan.
    """
    if conn.dialect.name == "postgresql" and not conn.in_transaction():
        conn.execution_options(isolation_level="REPEATABLE READ")


def batches(conn: Connection, table: Table) -> Iterator[Rows]:
    """Return the rows of *table*, a bounded number at a time."""
    query = select(table).order_by(*table.primary_key.columns)
    yield from conn.execution_options(yield_per=_STREAMED_ROWS).execute(query).partitions()
