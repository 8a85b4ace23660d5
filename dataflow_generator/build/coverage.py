"""How much of statements and connectors was read: the counts that a graph comes with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import chain

from scanner_model.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Counts of statements by how they were read, of connectors by whether we know their class, and every problem.

    *columns*: down to columns; *tables*: sources and sinks only; *unread*: not even these are known. *connectors* are
    read to datasets only, *connector_columns* down to columns; one of an unknown class keeps the topics that are known
    of it.
    """

    columns: int = 0
    tables: int = 0
    unread: int = 0
    connector_columns: int = 0
    connectors: int = 0
    unknown_connectors: int = 0
    problems: tuple[Problem, ...] = ()

    @staticmethod
    def total(parts: Iterable[Coverage]) -> Coverage:
        """Add up counts, and put the problems of all one after the other."""
        listed = tuple(parts)
        counts = [each.name for each in fields(Coverage) if each.name != "problems"]
        return Coverage(
            **{name: sum(getattr(part, name) for part in listed) for name in counts},
            problems=tuple(chain.from_iterable(part.problems for part in listed)),
        )

    @property
    def statements(self) -> int:
        """Count all statements."""
        return self.columns + self.tables + self.unread
