"""The types of transforms: one configured transform, and its effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.transforms.records import Record
from dataflow_generator.connectors.transforms.topic_templates import Template
from scanner_model.column_path import ColumnPath
from scanner_model.errors import InputInvalid
from scanner_model.names import Role


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
