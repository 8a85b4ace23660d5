"""The whole dictionary out of its database: a SQL script for H2 and others, Parquet files."""

from __future__ import annotations

from scanner_dictionary.export.parquet import export_parquet
from scanner_dictionary.export.sql_script import export_h2

__all__ = ["export_h2", "export_parquet"]
