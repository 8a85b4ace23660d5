"""A record while transforms are applied: its columns, and the original column of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.transforms.topic_templates import Template
from scanner_model.columns import ColumnPath, field_segment
from scanner_model.errors import InputInvalid
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


@dataclass(frozen=True, slots=True)
class Step:
    """A transform as configured: *alias* is its name in `transforms`, *settings* are the keys under it."""

    alias: str
    class_name: str
    side: Role
    settings: Config

    def required(self, key: str) -> str:
        """Return a setting without default, exactly as written; raises InputInvalid where it is missing."""
        values = dict(self.settings.pairs)
        if key not in values:
            what = f"{self.class_name} has no {key!r}, which has no default: Kafka refuses the connector"
            raise InputInvalid(what, where=f"transforms.{self.alias}.{key}")
        return values[key]

    def names(self, *keys: str) -> tuple[str, ...]:
        """Return a setting's items as Kafka's ConfigDef does: split at every comma, stripped."""
        return tuple(item.strip() for item in self.settings.text(*keys).split(",") if item.strip())


TopicEffect = Callable[[Step, Template], tuple[Template | None, ...]]
"""Returns the topics that a record of this topic may be routed to; None: depends on data. Raises InputInvalid."""

ColumnEffect = Callable[[Step, Record], Record]
"""Returns the record with its columns after the transform. Raises InputInvalid."""


Position = tuple[Role, ColumnPath]
"""A column on one side of a message."""

Positions = tuple[Position, ...]


def same_position(_: Step, position: Position) -> Positions:
    """Return the position unchanged."""
    return (position,)


@dataclass(frozen=True, slots=True)
class Transform:
    """A transform's effects, and a one-line description for the documentation.

    *origins* inverts the effect on columns: the possible positions of a column before the transform.
    """

    topics: TopicEffect
    columns: ColumnEffect
    about: str
    origins: Callable[[Step, Position], Positions] = same_position


def same_topic(step: Step, topic: Template) -> tuple[Template | None, ...]:  # noqa: ARG001 - a TopicEffect
    """Leave the topic unchanged."""
    return (topic,)


def any_topic(step: Step, topic: Template) -> tuple[Template | None, ...]:  # noqa: ARG001 - a TopicEffect
    """Return an unknown topic: it depends on data."""
    return (None,)


def same_columns(step: Step, record: Record) -> Record:  # noqa: ARG001 - a ColumnEffect
    """Leave the columns unchanged."""
    return record


def any_columns(step: Step, record: Record) -> Record:
    """Make the columns of the side unknown."""
    return record.with_side(step.side, None)
