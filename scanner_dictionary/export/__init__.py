"""The whole dictionary out of its database: SQL scripts, Parquet files, copies in another database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from sqlalchemy import Connection, Engine, Table, func, select, text
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.schema import CreateIndex, CreateTable

from scanner_dictionary.engine.open import REVISION, VERSION_TABLE, dictionary_error, writing
from scanner_dictionary.engine.rows import batches, consistent_read, insert_rows, tables
from scanner_dictionary.schema.facts import about
from scanner_dictionary.schema.views import VIEWS
from scanner_model.errors import DictionaryUnusable, InputInvalid
from scanner_model.plugins import require
from scanner_model.private_files import atomic_file

_LONGEST_STATEMENT = 64 * 1024
"""Characters after which a statement ends; a longer row has a statement of its own."""

_PLAIN = DefaultDialect()


def export_h2(conn: Connection, out: Path | TextIO) -> None:
    """Write the dictionary as a SQL script to *out*, row by row in constant memory; same dictionary, same bytes.

    A file is written whole or not at all. Raises InputInvalid where it cannot be written, DictionaryUnusable where the
    dictionary cannot be read.
    """
    consistent_read(conn)
    if isinstance(out, Path):
        with atomic_file(out) as file:
            file.writelines(_script(conn))
    else:
        out.writelines(_script(conn))


def _script(conn: Connection) -> Iterator[str]:
    listed = tables()
    yield f"-- A data dictionary of scanner, revision {REVISION}. UTF-8; for H2 2.1 or newer, PostgreSQL and SQLite.\n"
    yield "BEGIN;\n"
    yield from (f"DROP VIEW IF EXISTS {view.name};\n" for view in VIEWS)
    yield f"DROP TABLE IF EXISTS {VERSION_TABLE};\n"
    yield from (f"DROP TABLE IF EXISTS {table.name};\n" for table in reversed(listed))
    yield f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY);\n"
    yield f"INSERT INTO {VERSION_TABLE} (version_num) VALUES ({_literal(REVISION)});\n"  # noqa: S608 - ours
    for table in listed:
        yield from _table(conn, table)
    yield from (f"\n-- {view.about}\n{_statement(view.statement)}" for view in VIEWS)
    yield "COMMIT;\n"


def _table(conn: Connection, table: Table) -> Iterator[str]:
    """Return the statements of one table: it, its rows, its indices."""
    yield f"\n-- {about(table)}\n{_statement(str(CreateTable(table).compile(dialect=_PLAIN)))}"
    start = f"INSERT INTO {table.name} ({', '.join(table.columns.keys())}) VALUES\n"
    rows = (row for batch in batches(conn, table) for row in batch)
    for chunk in _chunks(map(_row, rows)):
        yield start + ",\n".join(chunk) + ";\n"
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        yield _statement(str(CreateIndex(index).compile(dialect=_PLAIN)))


def _statement(text: str) -> str:
    lines = (line.rstrip().replace("\t", "  ") for line in text.strip().splitlines())
    return "\n".join(lines) + ";\n"


def _chunks(rows: Iterable[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    length = 0
    for row in rows:
        if chunk and length + len(row) > _LONGEST_STATEMENT:
            yield chunk
            chunk, length = [], 0
        chunk.append(row)
        length += len(row)
    if chunk:
        yield chunk


def _row(row: Sequence[Any]) -> str:
    return f"({', '.join(map(_literal, row))})"


def _literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return repr(value)
    # A NUL is never stored; none of the databases would take one.
    return "'" + str(value).replace("'", "''").replace("\0", "\ufffd") + "'"


__all__ = ["check_parquet", "export_h2", "export_parquet", "restore_parquet"]


def export_parquet(conn: Connection, directory: Path) -> None:
    """Write each table as `<table>.parquet` into *directory*, as `export.parquet.export_parquet` does.

    Raises InputInvalid where pyarrow is missing, too.
    """
    _parquet(directory).export_parquet(conn, directory)


def restore_parquet(directory: Path, file: Path) -> None:
    """Build the dictionary that was exported into *directory* in the new SQLite *file*, in bounded memory.

    Raises InputInvalid where the directory holds no export, or that of another revision, or where pyarrow is missing.
    """
    _parquet(directory).restore_parquet(directory, file)


def check_parquet(directory: Path) -> None:
    """Raise InputInvalid if *directory* is not an export of a dictionary of our revision, or pyarrow is missing."""
    _parquet(directory).check_parquet(directory)


def _parquet(directory: Path) -> Any:  # noqa: ANN401 - a module that is imported where it is needed
    return require("scanner_dictionary.export.parquet", "Parquet needs pyarrow", extra="parquet", where=str(directory))


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
