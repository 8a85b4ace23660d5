"""One transform of a connector: its settings, the side that it works on, and what a transform is made of."""

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
    """A transform as configured: *alias* is its name in `transforms`, *settings* what stands under it."""

    alias: str
    class_name: str
    side: Role
    settings: Config

    def required(self, key: str) -> str:
        """Return a setting that has no default, exactly as written; raises InputInvalid where it is missing."""
        values = dict(self.settings.pairs)
        if key not in values:
            what = f"{self.class_name} has no {key!r}, which has no default: Kafka refuses the connector"
            raise InputInvalid(what, where=f"transforms.{self.alias}.{key}")
        return values[key]

    def names(self, *keys: str) -> tuple[str, ...]:
        """List a setting's items as Kafka's ConfigDef does: split at every comma, trimmed."""
        return tuple(item.strip() for item in self.settings.text(*keys).split(",") if item.strip())


TopicEffect = Callable[[Step, Template], tuple[Template | None, ...]]
"""Which topics a record of this topic may go to; None: one that only the data tells. Raises InputInvalid."""

ColumnEffect = Callable[[Step, Record], Record]
"""Which columns a record has afterwards. Raises InputInvalid."""


Place = tuple[Role, ColumnPath]
"""A column on one side of a message."""

Places = tuple[Place, ...]


def same_place(_: Step, place: Place) -> Places:
    """Report that a column stood where it stands."""
    return (place,)


@dataclass(frozen=True, slots=True)
class Transform:
    """A transform's effects, and in one line for the documentation what they are.

    *origins* reads the effect on columns backwards: where the column at a place may have stood before.
    """

    topics: TopicEffect
    columns: ColumnEffect
    about: str
    origins: Callable[[Step, Place], Places] = same_place


def same_topic(step: Step, topic: Template) -> tuple[Template | None, ...]:  # noqa: ARG001 - a TopicEffect
    """Leave the topic as it is."""
    return (topic,)


def any_topic(step: Step, topic: Template) -> tuple[Template | None, ...]:  # noqa: ARG001 - a TopicEffect
    """Report that the data decides the topic."""
    return (None,)


def same_columns(step: Step, record: Record) -> Record:  # noqa: ARG001 - a ColumnEffect
    """Leave the columns as they are."""
    return record


def any_columns(step: Step, record: Record) -> Record:
    """Report that the columns of the side cannot be told."""
    return record.with_side(step.side, None)
