"""What is gathered while one statement is resolved: datasets, effects on the whole result, what nothing explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dataflow_generator.sql.catalog import Session
from dataflow_generator.sql.dialects import Dialect
from dataflow_generator.sql.flows import Dataset, Effect
from dataflow_generator.sql.lineage import Origin, Value
from dataflow_generator.sql.nodes import Part, Parts, Query
from scanner_model.problems import Problem

if TYPE_CHECKING:
    from dataflow_generator.sql.scopes import Rows, Scope

MOST_COLUMNS = 5000
"""Columns that one relation may have; a few `*` over each other multiply without end."""


_METADATA = (Part.METADATA, Part.VIRTUAL)


class TooLarge(Exception):
    """Say that a relation has more columns than we follow; never leaves the reader, which makes a problem of it."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a part of a statement reads, and what of it bears on the whole result."""

    sources: set[str]
    effects: set[tuple[Origin, Effect]]


class Analysis:
    """One statement's resolution; *query* resolves a query in a scope, and is handed in as the grammar's is.

    *persistent* is False for a query that stands for itself, which shows more of ksqlDB's keys.
    """

    def __init__(
        self,
        session: Session,
        dialect: Dialect,
        locate: Callable[[int], str],
        query: Callable[[Query, Scope], Rows],
    ) -> None:
        self.session = session
        self.flink = dialect is Dialect.FLINK
        self.query = query
        self.persistent = True
        self.sources: set[str] = set()
        self.effects: set[tuple[Origin, Effect]] = set()
        self.datasets: dict[str, Dataset] = {}
        self.unresolved: dict[Problem, None] = {}
        self._locate = locate

    @contextmanager
    def apart(self) -> Iterator[Gathered]:
        """Gather what is read and what bears on the result apart, for a part that may not be used."""
        outer = self.sources, self.effects
        gathered = Gathered(set(), set())
        self.sources, self.effects = gathered.sources, gathered.effects
        try:
            yield gathered
        finally:
            self.sources, self.effects = outer

    def take(self, gathered: Gathered) -> None:
        """Add what was gathered apart."""
        self.sources |= gathered.sources
        self.effects |= gathered.effects

    def affect(self, values: Iterable[Value], effect: Effect) -> None:
        """Say that the origins of *values* bear on every row of the result."""
        self.effects.update((origin, effect) for value in values for origin in value.origins())

    def note(self, at: int, what: str, hint: str = "") -> None:
        """Say that a column could not be explained, once."""
        self.unresolved[Problem(self._locate(at), what, hint)] = None

    def dataset(self, parts: Parts) -> str:
        """Give the name of a dataset, and remember it with its topics."""
        name = self.written(parts)
        if name not in self.datasets:
            known = self.session.table(parts)
            topics, pattern = (known.topics, known.topic_pattern) if known else ((), "")
            self.datasets[name] = Dataset(
                name=name,
                qualified=self.session.qualified(parts),
                topics=topics,
                topic_pattern=pattern,
                options=known.options if known else (),
                metadata=tuple(one.name for one in known.columns if one.part in _METADATA) if known else (),
            )
        return name

    def written(self, parts: Parts) -> str:
        """Give a name with dots; in Flink a part that holds a dot or a backquote is quoted."""
        if not self.flink:
            return ".".join(parts)
        return ".".join("`" + part.replace("`", "``") + "`" if "." in part or "`" in part else part for part in parts)
