"""A whole dictionary copied into an empty one, in the same or another kind of database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Table, func, select, text

from scanner_dictionary.engine.open import dictionary_error, writing
from scanner_dictionary.engine.rows import batches, consistent_read, insert_rows, tables
from scanner_model.errors import DictionaryUnusable, InputInvalid

CopyProgress = Callable[[str, int, int], None]
"""Is called with the name of a table, how many of its rows were copied, and how many there are."""


_ROWS_AT_ONCE = 20_000
"""Rows of one COPY: what a slow server has not taken of it stays in memory."""


class TableCopy(NamedTuple):
    """A copied table: its rows in the source, and those that were counted in the target."""

    table: str
    source_rows: int
    target_rows: int


def copy_dictionary(
    source: Connection, target: Engine, shown: str, progress: CopyProgress = lambda *_: None
) -> tuple[TableCopy, ...]:
    """Copy every table of *source* to *target*, which *shown* names, in one transaction and in bounded memory.

    The rows are those of one moment, even while a scan is stored. Both dictionaries have our revision. Raises
    InputInvalid where *target* has rows, DictionaryUnusable where a database cannot be read or written; *target* is
    as empty as before then.
    """
    consistent_read(source)
    totals = _counts(source)
    with writing(target) as conn:
        _check_empty(conn, shown)
        for table in tables():
            _fill(conn, table, _rows(source, table, totals[table.name], progress), shown)
        if conn.dialect.name == "postgresql":
            # Until the server has counted by itself, it would plan queries as for empty tables.
            conn.execute(text(f"ANALYZE {', '.join(totals)}"))
        counted = _counts(conn)
        _check_counts(totals, counted, shown)
    return tuple(TableCopy(name, total, counted[name]) for name, total in totals.items())


def _counts(conn: Connection) -> dict[str, int]:
    return {table.name: conn.execute(select(func.count()).select_from(table)).scalar_one() for table in tables()}


def _check_empty(conn: Connection, shown: str) -> None:
    occupied = (table.name for table in tables() if conn.execute(select(table).limit(1)).first() is not None)
    name = next(occupied, None)
    if name is not None:
        hint = "name an empty database or a new file; nothing was changed"
        raise InputInvalid(f"the target is not empty: the table {name} has rows", where=shown, hint=hint)


def _check_counts(totals: dict[str, int], counted: dict[str, int], shown: str) -> None:
    for name, total in totals.items():
        if counted[name] != total:
            what = f"the table {name} has {counted[name]} rows, and {total} in the source"
            raise DictionaryUnusable(what, where=shown, hint="the target was left empty: report this as a defect")


def _rows(source: Connection, table: Table, total: int, progress: CopyProgress) -> Iterator[Sequence[Any]]:
    """Yield the rows of *table*, and report them to *progress* a batch at a time."""
    done = 0
    progress(table.name, done, total)
    for batch in batches(source, table):
        yield from batch
        done += len(batch)
        progress(table.name, done, total)


def _fill(conn: Connection, table: Table, rows: Iterator[Sequence[Any]], shown: str) -> None:
    if conn.dialect.name != "postgresql":
        insert_rows(conn, table, rows)
        return
    driver: Any = conn.connection.driver_connection
    statement = f"COPY {table.name} ({', '.join(table.columns.keys())}) FROM STDIN"
    # COPY is past SQLAlchemy, and so past its translation of errors.
    try:
        with driver.cursor() as cursor:
            for first in rows:
                with cursor.copy(statement) as copy:
                    for row in chain((first,), islice(rows, _ROWS_AT_ONCE - 1)):
                        copy.write_row(row)
    except conn.dialect.loaded_dbapi.Error as error:
        raise dictionary_error(error, shown) from error
