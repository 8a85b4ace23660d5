"""Values as cells hold them: JSON as text in one form, text without what a database refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, select

from scanner_dictionary.schema.tables import metadata
from scanner_model.columns import ELEMENT, MAP_VALUE, Column
from scanner_model.errors import Problem
from scanner_model.text import REPLACEMENT, storable

__all__ = ["column_cells", "json_cell", "list_cell", "problems_cell", "storable"]


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
    placeholders = f"({', '.join([_placeholder(conn)] * len(names))})"
    start = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES "  # noqa: S608 - our own names
    group = max(1, _CELLS // len(names))
    several = start + ", ".join([placeholders] * group)
    for chunk in in_chunks(rows, _AT_ONCE // group * group):
        in_groups = len(chunk) // group * group
        _run(conn, several, (chain.from_iterable(chunk[at : at + group]) for at in range(0, in_groups, group)))
        _run(conn, start + placeholders, chunk[in_groups:])


def update_rows(conn: Connection, table: Table, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Set the columns *names* of the rows whose id is each row's last member."""
    placeholder = _placeholder(conn)
    sets = ", ".join(f"{name} = {placeholder}" for name in names)
    _run(conn, f"UPDATE {table.name} SET {sets} WHERE id = {placeholder}", rows)  # noqa: S608 - our own names


def _run(conn: Connection, statement: str, rows: Iterable[Iterable[Any]]) -> None:
    for chunk in in_chunks(rows):
        conn.exec_driver_sql(statement, [tuple(row) for row in chunk])


def _placeholder(conn: Connection) -> str:
    return "?" if conn.dialect.paramstyle == "qmark" else "%s"


_LIMIT = 2**63
_MARKS = (ELEMENT, MAP_VALUE)
_NUL = re.compile(r"(?<!\\)((?:\\\\)*+)\\u0000")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def json_cell(value: object) -> str:
    """Return JSON text, the same bytes for the same value; what is not ASCII is written as it is."""
    if value == ():  # as of most facts most lists are
        return "[]"
    text = _ENCODER.encode(value)
    # An escaped NUL would come back as one, in names that are stored elsewhere, too.
    return storable(_NUL.sub(rf"\1{REPLACEMENT}", text) if "\\u0000" in text else text)


def list_cell(items: Iterable[str]) -> str | None:
    """Return a JSON array, None where there is nothing in it."""
    cells = list(items)
    return json_cell(cells) if cells else None


def problems_cell(problems: Iterable[Problem]) -> str:
    """Return problems as a JSON array of objects."""
    return json_cell(
        tuple({"where": problem.where, "what": problem.what, "hint": problem.hint} for problem in problems)
    )


def column_cells(column: Column) -> tuple[Any, ...]:
    """Return the cells that describe a column, in the order of `column_types.column_description`."""
    path, number = column.path, column.number
    # Nearly all are, and then nothing needs quoting.
    plain = all(map(str.isidentifier, path)) or all(part.isidentifier() or part in _MARKS for part in path)
    return (
        len(path),
        '["' + '","'.join(path) + '"]' if plain and path else json_cell(path),
        ".".join(path) if plain else storable(column.name),
        storable(column.type),
        _storable_text(column.logical_type),
        column.nullable,
        _storable_text(column.default),
        _storable_text(column.doc),
        list_cell(column.tags) if column.tags else None,
        _storable_text(column.recursive),
        list_cell(column.branches) if column.branches else None,
        number if number is None or -_LIMIT <= number < _LIMIT else None,
        list_cell(column.inherited_tags) if column.inherited_tags else None,
    )


def _storable_text(text: str | None) -> str | None:
    return text if text is None or (text.isascii() and "\0" not in text) else storable(text)


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
    yield from conn.execute(query.execution_options(yield_per=_STREAMED_ROWS)).partitions()
