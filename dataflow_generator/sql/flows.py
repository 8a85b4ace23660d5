"""The result of reading a statement: datasets read and written, flows between columns, problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from scanner_model.column_path import ColumnPath
from scanner_model.problems import Problem


class Effect(StrEnum):
    """How a source affects a target: OpenLineage's subtypes (ColumnLineageDatasetFacet 1-2-0)."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    JOIN = "JOIN"
    FILTER = "FILTER"
    GROUP_BY = "GROUP_BY"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITIONAL = "CONDITIONAL"

    @property
    def type(self) -> str:
        """Return OpenLineage's type: DIRECT where the value is derived from the source, else INDIRECT."""
        return "DIRECT" if self in _DIRECT else "INDIRECT"


_DIRECT = frozenset((Effect.IDENTITY, Effect.TRANSFORMATION, Effect.AGGREGATION))


@dataclass(frozen=True, slots=True, order=True)
class ColumnRef:
    """A column of a dataset, or the whole dataset where *path* is empty; *dataset* empty: a query's own result."""

    dataset: str
    path: ColumnPath = ()


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """One column reference affects another."""

    target: ColumnRef
    source: ColumnRef
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A table or stream that a statement reads or writes.

    *name* is as the statement writes it (in ksqlDB upper-cased as the engine does), *qualified* with the current
    catalog and database prepended where known. *topics* and *topic_pattern* are empty where no DDL names them.
    *options* are those of its DDL, unchanged: they may hold secrets. *metadata* are its columns that are not fields
    of its records.
    """

    name: str
    qualified: tuple[str, ...]
    topics: tuple[str, ...] = ()
    topic_pattern: str = ""
    options: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    metadata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFlows:
    """One parsed statement; *sources* are base tables: views and WITH are resolved. Everything is sorted.

    *problems* name unsupported constructs: such a statement has sources and sinks, but no columns. *unresolved* names
    columns that neither the text nor the catalog defines: the statement was parsed, but definitions are missing. *at*
    is its position in the text, `line:column`.
    """

    text: str
    kind: str
    sources: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    flows: tuple[Flow, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    problems: tuple[Problem, ...] = ()
    unresolved: tuple[Problem, ...] = ()
    at: str = ""
