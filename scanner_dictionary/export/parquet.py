"""The dictionary as Parquet, one file a table, and a dictionary restored from such an export; needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet
from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Integer, Table

from scanner_dictionary.engine.open import REVISION, open_dictionary, writing
from scanner_dictionary.engine.rows import batches, consistent_read, insert_rows, tables
from scanner_dictionary.schema.facts import about
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_directory

_ROWS_AT_ONCE = 20_000
_ROWS_IN_GROUP = 64_000
_CHARACTERS_IN_GROUP = 64 * 1024 * 1024

_TYPES = ((Boolean, "bool"), (BigInteger, "int64"), (Integer, "int32"), (Float, "float64"))
"""SQL type → Arrow's, the first that fits; all others are text."""


def export_parquet(conn: Connection, directory: Path) -> None:
    """Write each table as `<table>.parquet` into *directory*, in bounded memory; same dictionary, same bytes.

    The directory appears whole or not at all, and may take the place of an earlier export. Columns and types are those
    of the dictionary; the files' schemas hold its documentation. Raises InputInvalid where the directory cannot
    be written, DictionaryUnusable where the dictionary cannot be read.
    """
    consistent_read(conn)
    listed = tables()
    with atomic_directory(directory, [_file(table) for table in listed]) as part:
        for table in listed:
            _write(conn, table, part / _file(table))


def _file(table: Table) -> str:
    return f"{table.name}.parquet"


def _write(conn: Connection, table: Table, file: Path) -> None:
    schema = _schema(table)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        waiting: list[Any] = []
        rows = size = 0
        for batch in batches(conn, table):
            columns = zip(schema, zip(*batch, strict=True), strict=True)
            waiting.append(pa.record_batch([pa.array(cells, column.type) for column, cells in columns], schema=schema))
            rows, size = rows + len(batch), size + waiting[-1].nbytes
            if rows >= _ROWS_IN_GROUP or size >= _CHARACTERS_IN_GROUP:
                writer.write_table(pa.Table.from_batches(waiting), row_group_size=rows)
                waiting, rows, size = [], 0, 0
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting), row_group_size=rows)


def _schema(table: Table) -> Any:  # noqa: ANN401 - pyarrow has no types
    fields = [
        pa.field(column.name, pa.type_for_alias(_type(column)), bool(column.nullable), {"doc": str(column.doc)})
        for column in table.columns
    ]
    return pa.schema(fields, {"doc": about(table), "revision": REVISION})


def _type(column: Column[Any]) -> str:
    return next((name for type_, name in _TYPES if isinstance(column.type, type_)), "string")


def restore_parquet(directory: Path, file: Path) -> None:
    """Build the dictionary that was exported into *directory* in the new SQLite *file*, in bounded memory.

    Raises InputInvalid where the directory holds no export, or that of another revision.
    """
    check_parquet(directory)
    engine = open_dictionary(str(file))
    try:
        with writing(engine) as conn:
            for table in tables():
                insert_rows(conn, table, _rows(directory, table))
    finally:
        engine.dispose()


def check_parquet(directory: Path) -> None:
    """Raise InputInvalid if *directory* is not an export of a dictionary of our revision."""
    hint = f"`scanner dictionary export --format parquet -o {directory}` writes one"
    missing = [table.name for table in tables() if not (directory / _file(table)).is_file()]
    if missing:
        raise InputInvalid(f"no export of a dictionary: {missing[0]} is missing", where=str(directory), hint=hint)
    revision = parquet.read_schema(directory / _file(tables()[0])).metadata.get(b"revision", b"").decode()
    if revision != REVISION:
        raise InputInvalid(f"an export of revision {revision}; this is {REVISION}", where=str(directory), hint=hint)


def _rows(directory: Path, table: Table) -> Iterator[tuple[Any, ...]]:
    names = table.columns.keys()
    for batch in parquet.ParquetFile(directory / _file(table)).iter_batches(_ROWS_AT_ONCE, columns=names):
        yield from zip(*(batch.column(name).to_pylist() for name in names), strict=True)
