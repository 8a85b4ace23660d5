"""Many rows at once, in bounded chunks, past SQLAlchemy's work on each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Table

T = TypeVar("T")

_AT_ONCE = 5_000

_CELLS = 500
"""Cells that one statement inserts, of several rows: a statement for each row costs a quarter more."""


def in_chunks(items: Iterable[T], size: int = _AT_ONCE) -> Iterator[list[T]]:
    """Cut *items* into lists of at most *size*."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def insert_rows(
    conn: Connection, table: Table, rows: Iterable[Sequence[Any]], names: Sequence[str] | None = None
) -> None:
    """Insert *rows*; *names* are the columns of their members, all in the table's order where it is None."""
    names = names or table.columns.keys()
    holes = f"({', '.join([_hole(conn)] * len(names))})"
    start = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES "  # noqa: S608 - our own names
    group = max(1, _CELLS // len(names))
    several = start + ", ".join([holes] * group)
    for chunk in in_chunks(rows, _AT_ONCE // group * group):
        whole = len(chunk) // group * group
        _run(conn, several, (chain.from_iterable(chunk[at : at + group]) for at in range(0, whole, group)))
        _run(conn, start + holes, chunk[whole:])


def update_rows(conn: Connection, table: Table, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Set the columns *names* of the rows whose id is each row's last member."""
    hole = _hole(conn)
    sets = ", ".join(f"{name} = {hole}" for name in names)
    _run(conn, f"UPDATE {table.name} SET {sets} WHERE id = {hole}", rows)  # noqa: S608 - our own names


def _run(conn: Connection, statement: str, rows: Iterable[Iterable[Any]]) -> None:
    for chunk in in_chunks(rows):
        conn.exec_driver_sql(statement, [tuple(row) for row in chunk])


def _hole(conn: Connection) -> str:
    return "?" if conn.dialect.paramstyle == "qmark" else "%s"
