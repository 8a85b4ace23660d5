"""Coverage: how many statements and connectors of a graph were parsed, and how far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from scanner_model.errors import Problem


class Misfit(NamedTuple):
    """A column that does not fit into the table that a job writes: *nodes* are the job's and the columns', by key."""

    nodes: tuple[str, ...]
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Counts of statements and connectors by how far they were parsed, with every problem and misfit.

    Statements: *columns* were parsed to column level, *tables* to sources and sinks only, *unread* not at all. Of those
    that were parsed, *partly_read* use something that cannot be resolved. *unread_files* may declare
    jobs, and are not read.
    *connectors* were read to dataset level, *connector_columns* to column level; *unknown_connectors* are of an unknown
    class and have only the topics that are known from other facts.
    """

    columns: int = 0
    tables: int = 0
    unread: int = 0
    partly_read: int = 0
    unread_files: int = 0
    connector_columns: int = 0
    connectors: int = 0
    unknown_connectors: int = 0
    problems: tuple[Problem, ...] = ()
    misfits: tuple[Misfit, ...] = ()

    @staticmethod
    def of_one(count: str, problems: tuple[Problem, ...]) -> Coverage:
        """Return the coverage of one statement or connector, whose member *count* is 1."""
        counts: dict[str, Any] = {count: 1}
        return Coverage(problems=problems, **counts)

    @staticmethod
    def total(parts: Iterable[Coverage]) -> Coverage:
        """Return the sum of all counts, with the problems concatenated."""
        listed = tuple(parts)
        return Coverage(
            **{name: sum(getattr(part, name) for part in listed) for name in Coverage.counts()},
            problems=tuple(chain.from_iterable(part.problems for part in listed)),
            misfits=tuple(chain.from_iterable(part.misfits for part in listed)),
        )

    @staticmethod
    def counts() -> tuple[str, ...]:
        """Return the names of the members that count."""
        return tuple(field.name for field in fields(Coverage) if field.name not in ("problems", "misfits"))

    @property
    def statements(self) -> int:
        """Return the number of all statements."""
        return self.columns + self.tables + self.unread


T = TypeVar("T")

ProgressCallback = Callable[[str, int, int | None], None]
"""Called with a kind of items, how many are done, and their total (None: unknown); from any thread."""

JOBS, SCHEMAS = "job partitions", "schema files"


def silent(what: str, done: int, total: int | None) -> None:
    """Report nothing."""


def counted(report: ProgressCallback, what: str, items: Iterable[T], total: int | None = None) -> Iterator[T]:
    """Yield *items*, and report after each one that it is done."""
    report(what, 0, total)
    for done, item in enumerate(items, 1):
        yield item
        report(what, done, total)
