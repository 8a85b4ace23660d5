"""How much of the statements was read: the count that a graph comes with."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_model.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Counts of statements by how they were read, and every problem with its statement.

    *columns*: down to columns; *tables*: sources and sinks only; *unread*: not even these are known.
    """

    columns: int = 0
    tables: int = 0
    unread: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def statements(self) -> int:
        """Count all statements."""
        return self.columns + self.tables + self.unread
