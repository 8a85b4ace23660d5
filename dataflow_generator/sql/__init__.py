"""Read streaming SQL (ksqlDB and Flink): sources, sinks and column flows of statements. No I/O."""

from __future__ import annotations

from dataflow_generator.sql.catalog import EMPTY_CATALOG, Catalog, KnownTable
from dataflow_generator.sql.lexer import Dialect, guess_dialect
from dataflow_generator.sql.lineage import ColumnRef, Dataset, Effect, Flow, StatementFlows
from dataflow_generator.sql.reader import read_catalog, read_sql

__all__ = [
    "EMPTY_CATALOG",
    "Catalog",
    "ColumnRef",
    "Dataset",
    "Dialect",
    "Effect",
    "Flow",
    "KnownTable",
    "StatementFlows",
    "guess_dialect",
    "read_catalog",
    "read_sql",
]
