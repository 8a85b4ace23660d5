"""The whole dictionary out of its database: a SQL script for H2 and others, Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scanner_dictionary.engine.open import Connection
from scanner_dictionary.export.sql_script import export_h2
from scanner_model.plugins import require

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
