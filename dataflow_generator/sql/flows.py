"""What the reader tells of a statement: datasets read and written, flows between columns, what it could not read."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from scanner_model.column_path import ColumnPath
from scanner_model.problems import Problem


class Effect(StrEnum):
    """How a source bears on a target: OpenLineage's subtypes (ColumnLineageDatasetFacet 1-2-0)."""

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
        """Return OpenLineage's type: DIRECT where the value is made of the source, else INDIRECT."""
        return "DIRECT" if self in _DIRECT else "INDIRECT"


_DIRECT = frozenset((Effect.IDENTITY, Effect.TRANSFORMATION, Effect.AGGREGATION))


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A column of a dataset, or the whole dataset where *path* is empty; *dataset* empty: a query's own result."""

    dataset: str
    path: ColumnPath = ()


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """One place bears on another."""

    target: Place
    source: Place
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A table or stream that a statement reads or writes.

    *name* is as the statement writes it (in ksqlDB as the engine folds it), *qualified* with the current catalog and
    database put in front where the text says which. *topics* and *topic_pattern* are empty where no DDL tells.
    *options* are those of its DDL, as they stand there: they may hold secrets. *metadata* are those of its columns
    that are no fields of its records.
    """

    name: str
    qualified: tuple[str, ...]
    topics: tuple[str, ...] = ()
    topic_pattern: str = ""
    options: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    metadata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFlows:
    """One statement, read. *sources* are base tables: views and WITH are followed. Everything is sorted.

    *problems* name constructs that are not known: where one stands, sources and sinks are told, columns are not.
    *unresolved* names columns that nothing in the text or catalog explains: the statement was read, knowledge lacks.
    *at* is where it starts in its text, `line:column`.
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
