"""A record while transforms are applied: its columns, and the original column of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from scanner_model.column_path import ColumnPath, field_segment
from scanner_model.names import Role


@dataclass(frozen=True, slots=True)
class TracedColumn:
    """A column in its current position; *origin* is its original one, None for a column that a transform added.

    *changed*: its value differs from its origin's (a cast); *masked*: it has nothing of its origin's value. *steps*
    are the transforms that affected it; they are ignored in comparisons.
    """

    path: ColumnPath
    origin: tuple[Role, ColumnPath] | None = None
    changed: bool = False
    masked: bool = False
    steps: tuple[str, ...] = field(default=(), compare=False)


Columns = tuple[TracedColumn, ...] | None
"""The columns of one side, in order; None: unknown."""


@dataclass(frozen=True, slots=True)
class Record:
    """Key and value of a record."""

    key: Columns = ()
    value: Columns = ()

    @classmethod
    def of(cls, value: Iterable[ColumnPath], key: Iterable[ColumnPath] = ()) -> Record:
        """Build the record before any transform."""
        return cls(
            tuple(TracedColumn(path, (Role.KEY, path)) for path in key),
            tuple(TracedColumn(path, (Role.VALUE, path)) for path in value),
        )

    def side(self, role: Role) -> Columns:
        """Return the columns of one side."""
        return self.key if role is Role.KEY else self.value

    def with_side(self, role: Role, columns: Columns) -> Record:
        """Return the record with *columns* on one side."""
        return replace(self, key=columns) if role is Role.KEY else replace(self, value=columns)


UNKNOWN = Record(None, None)


def change(record: Record, role: Role, edit: Callable[[tuple[TracedColumn, ...]], Columns]) -> Record:
    """Change the columns of one side; unknown columns remain unknown."""
    columns = record.side(role)
    return record if columns is None else record.with_side(role, edit(columns))


def starts_with(path: ColumnPath, start: ColumnPath) -> bool:
    """Return whether *path* is *start* or a column inside it."""
    return path[: len(start)] == start


def moved(column: TracedColumn, path: ColumnPath) -> TracedColumn:
    """Return *column* at another path."""
    return replace(column, path=path)


def without_parents(columns: tuple[TracedColumn, ...]) -> tuple[TracedColumn, ...]:
    """Remove columns that only contain others."""
    parents = {column.path[:length] for column in columns for length in range(len(column.path))}
    return tuple(column for column in columns if column.path not in parents)


def segments(name: str, *, nested: bool) -> ColumnPath:
    """Return the path that a setting names; dots denote nesting in the newer field syntax only (KIP-821)."""
    if not nested:
        return (field_segment(name),)
    path, part, quoted = [], "", False
    for char in name:
        if char == "`":
            quoted = not quoted
        elif char == "." and not quoted:
            path.append(field_segment(part))
            part = ""
        else:
            part += char
    return (*path, field_segment(part))
