"""The dictionary as Parquet, one file a table. The only module of the dictionary that imports pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Integer, Table

from scanner_dictionary.engine.open import REVISION
from scanner_dictionary.export.atomic_write import atomic_directory
from scanner_dictionary.export.table_stream import batches, consistent_read, tables
from scanner_dictionary.schema.column_types import about
from scanner_model.errors import InputInvalid

_ROWS_IN_GROUP = 64_000
_CHARACTERS_IN_GROUP = 64 * 1024 * 1024

_TYPES = ((Boolean, "bool"), (BigInteger, "int64"), (Integer, "int32"), (Float, "float64"))
"""SQL type → Arrow's, the first that fits; all others are text."""


def export_parquet(conn: Connection, directory: Path) -> None:
    """Write each table as `<table>.parquet` into *directory*, in bounded memory; same dictionary, same bytes.

    The directory appears whole or not at all, and may take the place of an earlier export. Columns and types are those
    of the dictionary; the files' schemas hold its documentation. Raises InputInvalid where pyarrow is missing or the
    directory cannot be written, DictionaryUnusable where the dictionary cannot be read.
    """
    _check_installed(directory)
    consistent_read(conn)
    listed = tables()
    with atomic_directory(directory, [_file(table) for table in listed]) as part:
        for table in listed:
            _write(conn, table, part / _file(table))


def _file(table: Table) -> str:
    return f"{table.name}.parquet"


def _check_installed(directory: Path) -> None:
    try:
        import pyarrow.parquet  # noqa: F401 - only whether it is there
    except ImportError as error:
        hint = "pip install 'kafka-lineage-scanner[parquet]'"
        raise InputInvalid("Parquet needs pyarrow", where=str(directory), hint=hint) from error


def _write(conn: Connection, table: Table, file: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

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
    import pyarrow as pa

    fields = [
        pa.field(column.name, pa.type_for_alias(_type(column)), bool(column.nullable), {"doc": str(column.doc)})
        for column in table.columns
    ]
    return pa.schema(fields, {"doc": about(table), "revision": REVISION})


def _type(column: Column[Any]) -> str:
    return next((name for type_, name in _TYPES if isinstance(column.type, type_)), "string")
