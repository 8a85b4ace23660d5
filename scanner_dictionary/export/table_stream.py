"""Rows of a dictionary's tables as a stream, and a dictionary loaded from its Parquet export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, select

from scanner_dictionary.engine.open import REVISION, open_dictionary, writing
from scanner_dictionary.engine.rows import insert_rows
from scanner_dictionary.schema.tables import metadata
from scanner_model.errors import InputInvalid

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


_ROWS_AT_ONCE = 20_000


def restore_parquet(directory: Path, file: Path) -> None:
    """Build the dictionary that was exported into *directory* in the new SQLite *file*, in bounded memory.

    Raises InputInvalid where the directory holds no export, or that of another revision.
    """
    check_snapshot(directory)
    engine = open_dictionary(str(file))
    try:
        with writing(engine) as conn:
            for table in tables():
                insert_rows(conn, table, _rows(directory, table))
    finally:
        engine.dispose()


def check_snapshot(directory: Path) -> None:
    """Raise InputInvalid where *directory* is no export of a dictionary of our revision."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        what, hint = "Parquet cannot be read: pyarrow is not installed", "pip install 'kafka-lineage-scanner[parquet]'"
        raise InputInvalid(what, where=str(directory), hint=hint) from error

    hint = f"`scanner dictionary export --format parquet -o {directory}` writes one"
    missing = [table.name for table in tables() if not _file(directory, table).is_file()]
    if missing:
        raise InputInvalid(f"no export of a dictionary: {missing[0]} is missing", where=str(directory), hint=hint)
    revision = parquet.read_schema(_file(directory, tables()[0])).metadata.get(b"revision", b"").decode()
    if revision != REVISION:
        raise InputInvalid(f"an export of revision {revision}; this is {REVISION}", where=str(directory), hint=hint)


def _rows(directory: Path, table: Table) -> Iterator[tuple[Any, ...]]:
    from pyarrow import parquet

    names = table.columns.keys()
    for batch in parquet.ParquetFile(_file(directory, table)).iter_batches(_ROWS_AT_ONCE, columns=names):
        yield from zip(*(batch.column(name).to_pylist() for name in names), strict=True)


def _file(directory: Path, table: Table) -> Path:
    return directory / f"{table.name}.parquet"
