"""Transforms that change the topic of a record, those of Debezium, and the topics that lead to a given one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.transforms.model import (
    ColumnEffect,
    Columns,
    Position,
    Positions,
    Record,
    Step,
    TracedColumn,
    change,
    moved,
    segments,
    starts_with,
)
from dataflow_generator.connectors.transforms.topic_templates import Template, Wildcard, joined, quoted, replaced
from scanner_model.columns import ColumnPath, field_segment
from scanner_model.names import Role

AFTER: ColumnPath = ("after",)
_DELETED: ColumnPath = ("__deleted",)
_HANDLING = ("delete.tombstone.handling.mode", "delete.handling.mode")


def unwrap(step: Step, record: Record) -> Record:
    """Replace the value by the row after the change; metadata of `add.fields` are added under new names."""
    more = dict(added(step))

    def edit(columns: tuple[TracedColumn, ...]) -> Columns:
        if not any(starts_with(column.path, AFTER) for column in columns):
            return columns  # not an envelope: the transform passes it through
        rows = [
            moved(column, column.path[1:])
            for column in columns
            if starts_with(column.path, AFTER) and len(column.path) > 1
        ]
        extra = [moved(field, name) if field else TracedColumn(name) for name, field in _metadata(columns, more)]
        return (*rows, *extra, *map(TracedColumn, marks(step)))

    return change(record, Role.VALUE, edit)


def added(step: Step) -> list[tuple[ColumnPath, ColumnPath]]:
    """Return the new name and the path of each of `add.fields`: `op`, `source.ts_ms`, `table`, `op:action`."""
    prefix = dict(step.settings.pairs).get("add.fields.prefix", "__")
    pairs = [item.partition(":") for item in step.names("add.fields")]
    return [
        ((field_segment(prefix + (new or old.replace(".", "_"))),), segments(old, nested=True)) for old, _, new in pairs
    ]


def marks(step: Step) -> tuple[ColumnPath, ...]:
    """Return the field that marks deleted rows, where they are rewritten and not dropped."""
    return (_DELETED,) if step.settings.text(*_HANDLING).lower().startswith("rewrite") else ()


def _metadata(
    columns: tuple[TracedColumn, ...], added: dict[ColumnPath, ColumnPath]
) -> list[tuple[ColumnPath, TracedColumn | None]]:
    """Yield each added field from the envelope or from its `source`; the connector adds it where neither has it."""
    positions = {column.path: column for column in columns}
    return [(name, positions.get(path) or positions.get(("source", *path))) for name, path in added.items()]


def outbox(step: Step, record: Record) -> Record:
    """Replace an outbox row by its payload as the value and the aggregate's id as the key."""
    columns = record.value
    if columns is None:
        return Record(None, None)
    wrapped = any(starts_with(column.path, AFTER) for column in columns)
    row = {
        column.path[1:] if wrapped else column.path: column
        for column in columns
        if not wrapped or starts_with(column.path, AFTER)
    }

    def field(name: str, default: str) -> ColumnPath:
        return (field_segment(step.settings.text(f"table.field.event.{name}", default=default)),)

    envelope = [part for part in _additional_fields(step) if part[1] == "envelope"]
    payload = _moved_fields(row, field("payload", "payload"), ("payload",) if envelope else ())
    if step.settings.is_on("table.expand.json.payload") or any(column.changed for column in payload):
        payload = tuple(replace(column, changed=True) for column in payload)
    extra = [
        column
        for name, _, new in envelope
        for column in _moved_fields(row, (field_segment(name),), (field_segment(new),))
    ]
    return Record(_moved_fields(row, field("key", "aggregateid"), ()), (*payload, *extra))


def _additional_fields(step: Step) -> list[tuple[str, str, str]]:
    """Return `field:placement[:alias]` of the additional fields."""
    parts = [item.split(":") for item in step.names("table.fields.additional.placement")]
    return [(part[0], part[1].lower(), part[2] if len(part) > 2 else part[0]) for part in parts if len(part) > 1]


def _moved_fields(
    row: dict[ColumnPath, TracedColumn], field: ColumnPath, position: ColumnPath
) -> tuple[TracedColumn, ...]:
    return tuple(
        moved(column, (*position, *path[len(field) :])) for path, column in row.items() if starts_with(path, field)
    )


def logical_key(default: str) -> ColumnEffect:
    """Build the effect that adds a key field to distinguish rows of tables that share a topic."""

    def effect(step: Step, record: Record) -> Record:
        if not step.settings.is_on("key.enforce.uniqueness", default=True):
            return record
        name = step.settings.text("key.field.name", default=default)
        return change(record, Role.KEY, lambda columns: (*columns, TracedColumn((field_segment(name),))))

    return effect


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


_LETTERS = re.compile(r"'(?:[^']|'')*'|(?P<letters>([A-Za-z])\2*)|.", re.DOTALL)
_TOPIC_OR_TIME = re.compile(r"(\$\{(?:topic|timestamp)\})")
_REFERENCE = re.compile(r"(\$\{\w+\}|\$\d+)")
_DATE_FORMATS = ("timestamp.format", "topic.timestamp.format", "message.timestamp.format")
_TOPIC_SIGNS = re.compile(r"[^a-zA-Z0-9._-]")


class _Case(NamedTuple):
    """How a case joins words: word boundaries, separator, and the form of the first and later words."""

    words: re.Pattern[str]
    between: str
    first: Callable[[str], str]
    rest: Callable[[str], str]


_DASH, _UNDERSCORE, _HUMP = re.compile("-"), re.compile("_"), re.compile(r"(?=[A-Z])")
_CASES = {
    "LOWER_HYPHEN": _Case(_DASH, "-", str.lower, str.lower),
    "LOWER_UNDERSCORE": _Case(_UNDERSCORE, "_", str.lower, str.lower),
    "LOWER_CAMEL": _Case(_HUMP, "", str.lower, str.capitalize),
    "UPPER_CAMEL": _Case(_HUMP, "", str.capitalize, str.capitalize),
    "UPPER_UNDERSCORE": _Case(_UNDERSCORE, "_", str.upper, str.upper),
}


def regex_router(step: Step, topic: Template) -> tuple[Template | None, ...]:
    """Replace the first match of a pattern that matches the whole name; other names are unchanged."""
    return _replaced(step, topic, "regex", "replacement")


def logical_table_router(step: Step, topic: Template) -> tuple[Template | None, ...]:
    """Do the same under Debezium's names; invalid characters become underscores."""
    routed = _replaced(step, topic, "topic.regex", "topic.replacement")
    return tuple(template and Template(tuple(_sanitized(part) for part in template.parts)) for template in routed)


def change_case(step: Step, topic: Template) -> tuple[Template | None, ...]:
    """Convert the name to another case (jcustenborder's ChangeTopicCase, by Guava's CaseFormat)."""
    before, after = (_CASES.get(step.required(key).strip().upper()) for key in ("from", "to"))
    name = topic.name
    if name is None or before is None or after is None:
        return (None,)
    words = [word for word in before.words.split(name) if word]
    words_ = [(after.rest if position else after.first)(word) for position, word in enumerate(words)]
    return (Template.of(after.between.join(words_)),)


def timestamp_router(step: Step, topic: Template) -> tuple[Template | None, ...]:
    """Build the name from the topic and a date, the record's or one in the message: a family of names."""
    form = step.settings.text("topic.format", default="${topic}-${timestamp}")
    date = _date(step.settings.text(*_DATE_FORMATS, default="yyyyMMdd"))
    parts: list[str | Wildcard] = []
    for part in _TOPIC_OR_TIME.split(form):
        parts.extend(topic.parts if part == "${topic}" else (date,) if part == "${timestamp}" else (part,))
    return (joined(parts),)


def outbox_router(step: Step, topic: Template) -> tuple[Template | None, ...]:  # noqa: ARG001 - a TopicEffect
    """Replace the topic by a name with a field of the outbox row inserted."""
    form = step.settings.text("route.topic.replacement", default="outbox.event.${routedByValue}")
    return (joined(Wildcard() if _REFERENCE.fullmatch(part) else part for part in _REFERENCE.split(form)),)


def route_by_field(step: Step, topic: Template) -> tuple[Template | None, ...]:
    """Read the topic from a field where `route.by.field` is set."""
    return (None,) if step.settings.text("route.by.field") else (topic,)


def _replaced(step: Step, topic: Template, regex: str, replacement: str) -> tuple[Template | None, ...]:
    pattern = step.required(regex)
    return replaced(topic, java_regex(pattern), step.required(replacement))


def _sanitized(part: str | Wildcard) -> str | Wildcard:
    return _TOPIC_SIGNS.sub("_", part) if isinstance(part, str) else part


def _date(form: str) -> Wildcard:
    """Return a pattern of a java.text.SimpleDateFormat's output: a number per field, a word for names."""
    patterns: list[str | int] = []
    samples = ("", "")
    for match in _LETTERS.finditer(form):
        letters = match["letters"] or ""
        if not letters:
            text = match[0][1:-1].replace("''", "'") if match[0].startswith("'") else match[0]
            patterns.append(quoted(text))
            samples = (samples[0] + text, samples[1] + text)
        elif letters[0] in "GEaz" or (letters[0] in "ML" and len(letters) > 2):
            patterns.append(".+")
            samples = (samples[0] + "Xqx", samples[1] + "Zzz")
        else:
            joins = bool(patterns) and isinstance(patterns[-1], int)
            patterns[-1:] = [patterns[-1] + len(letters)] if joins else [*patterns[-1:], len(letters)]  # type: ignore[operator]
            samples = (samples[0] + ("71536204" * len(letters))[-len(letters) :], samples[1] + "20" * len(letters))
            samples = (samples[0], samples[1][: len(samples[0])])
    return Wildcard(
        "".join(f"\\d{{{pattern}}}" if isinstance(pattern, int) else pattern for pattern in patterns), samples
    )
