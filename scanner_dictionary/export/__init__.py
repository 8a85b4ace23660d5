"""The whole dictionary out of its database: a SQL script for H2 and others, Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import Connection, Table
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.schema import CreateIndex, CreateTable

from scanner_dictionary.engine.open import REVISION, VERSION_TABLE
from scanner_dictionary.engine.rows import batches, consistent_read, tables
from scanner_dictionary.export.atomic_write import atomic_file
from scanner_dictionary.schema.facts import about
from scanner_dictionary.schema.views import VIEWS
from scanner_model.plugins import require

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
    """Raise InputInvalid where *directory* is no export of a dictionary of our revision, or pyarrow is missing."""
    _parquet(directory).check_parquet(directory)


def _parquet(directory: Path) -> Any:  # noqa: ANN401 - a module that is imported where it is needed
    return require("scanner_dictionary.export.parquet", "Parquet needs pyarrow", extra="parquet", where=str(directory))
