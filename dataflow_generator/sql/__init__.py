"""Read streaming SQL (ksqlDB and Flink): sources, sinks and column flows of statements. No I/O."""

from __future__ import annotations

from dataflow_generator.sql.catalog import NOTHING_KNOWN, Catalog, KnownTable
from dataflow_generator.sql.dialects import Dialect, guess_dialect
from dataflow_generator.sql.flows import Dataset, Effect, Flow, Place, StatementFlows
from dataflow_generator.sql.reader import read_catalog, read_sql

__all__ = [
    "NOTHING_KNOWN",
    "Catalog",
    "Dataset",
    "Dialect",
    "Effect",
    "Flow",
    "KnownTable",
    "Place",
    "StatementFlows",
    "guess_dialect",
    "read_catalog",
    "read_sql",
]
