"""How much of statements and connectors was read: the counts that a graph comes with."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_model.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Counts of statements by how they were read, of connectors by whether we know their class, and every problem.

    *columns*: down to columns; *tables*: sources and sinks only; *unread*: not even these are known. Connectors are
    read to datasets; one of an unknown class keeps the topics that are known of it.
    """

    columns: int = 0
    tables: int = 0
    unread: int = 0
    connectors: int = 0
    unknown_connectors: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def statements(self) -> int:
        """Count all statements."""
        return self.columns + self.tables + self.unread
