"""Inverse effects of transforms on columns: the position of a column before a transform, given the one after it."""

from __future__ import annotations

from collections.abc import Callable

from dataflow_generator.connectors.transforms.debezium import added, marks
from dataflow_generator.connectors.transforms.model import Position, Positions, Step
from dataflow_generator.connectors.transforms.records import segments
from scanner_model.column_path import field_segment
from scanner_model.names import Role

Origins = Callable[[Step, Position], Positions]
"""Returns possible earlier positions of a column, the most plausible first. Raises InputInvalid."""


def renamed(step: Step, position: Position) -> Positions:
    """Return the name before ReplaceField's renames."""
    side, path = position
    pairs = (pair.partition(":") for pair in step.names("renames"))
    old = {field_segment(new): field_segment(old) for old, _, new in pairs}
    return ((side, (old.get(path[0], path[0]), *path[1:])),) if path and side is step.side else (position,)


def hoisted(step: Step, position: Position) -> Positions:
    """Remove the field that the side was wrapped in."""
    side, path = position
    if side is not step.side:
        return (position,)
    return ((side, path[1:]),) if path[:1] == (field_segment(step.required("field")),) else ()


def extracted(step: Step, position: Position) -> Positions:
    """Add the field that was extracted."""
    side, path = position
    nested = step.settings.text("field.syntax.version").upper() == "V2"
    before = segments(step.required("field"), nested=nested)
    return ((side, (*before, *path)),) if side is step.side else (position,)


def flattened(step: Step, position: Position) -> Positions:
    """Split a joined name; rows of tables are flat, so only the envelope's parts were joined."""
    side, path = position
    if side is not step.side or not path:
        return (position,)
    sign = step.settings.text("delimiter", default=".")
    joined = [part for part in ("after", "before") if path[0].startswith(part + sign)]
    return (*((side, (part, path[0][len(part + sign) :], *path[1:])) for part in joined), position)


def of_value(_: Step, position: Position) -> Positions:
    """Return the same path in the value, from which the key was built."""
    return ((Role.VALUE, position[1]),)


def of_key(step: Step, position: Position) -> Positions:
    """Return the fields of the key that were added to the value."""
    side, path = position
    listed = [part.partition(":") for part in step.names("key.fields")]
    names = {field_segment(new or old): field_segment(old) for old, _, new in listed}
    if side is Role.VALUE and path and path[0] in names:
        return ((Role.KEY, (names[path[0]], *path[1:])), position)
    return (position,)


def unwrapped(step: Step, position: Position) -> Positions:
    """Return the position in Debezium's envelope; added metadata do not belong to the row."""
    side, path = position
    if side is Role.VALUE and path in (*(name for name, _ in added(step)), *marks(step)):
        return ()
    return ((side, ("after", *path)),) if side is Role.VALUE else (position,)


def of_outbox(step: Step, position: Position) -> Positions:
    """Return the positions of payload and key in an outbox row."""
    side, path = position
    name, default = ("key", "aggregateid") if side is Role.KEY else ("payload", "payload")
    field = field_segment(step.settings.text(f"table.field.event.{name}", default=default))
    return ((Role.VALUE, ("after", field, *path)), (Role.VALUE, (field, *path)))
