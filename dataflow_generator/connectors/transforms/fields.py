"""Effects on columns of Apache Kafka's transforms and similar ones (connect/transforms)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dataflow_generator.connectors.transforms.model import (
    Columns,
    Record,
    Step,
    TracedColumn,
    change,
    moved,
    segments,
    starts_with,
    without_parents,
)
from scanner_model.columns import ColumnPath, field_segment
from scanner_model.names import Role

_INSERTED = ("topic.field", "partition.field", "offset.field", "timestamp.field", "static.field")


def replace_field(step: Step, record: Record) -> Record:
    """Drop and rename top-level fields; renames are not stripped, dots do not denote nested fields."""
    included = {field_segment(name) for name in step.names("include", "whitelist")}
    dropped = {field_segment(name) for name in step.names("exclude", "blacklist")}
    pairs = (pair.partition(":") for pair in step.names("renames"))
    names = {field_segment(old): field_segment(new) for old, _, new in pairs}

    def edit(columns: tuple[TracedColumn, ...]) -> Columns:
        if step.settings.hides("include", "whitelist", "exclude", "blacklist", "renames"):
            return None
        remaining = (
            column for column in columns if _top(column) not in dropped and (not included or _top(column) in included)
        )
        return tuple(
            moved(column, (names.get(_top(column), _top(column)), *column.path[1:])) if column.path else column
            for column in remaining
        )

    return change(record, step.side, edit)


def mask_field(step: Step, record: Record) -> Record:
    """Replace values: the column remains, and shows nothing of them."""
    fields = {field_segment(name) for name in step.names("fields")}
    return _mark_masked(record, step.side, lambda column: _top(column) in fields)


def hoist_field(step: Step, record: Record) -> Record:
    """Wrap the whole side in one field."""
    field = field_segment(step.required("field"))
    return change(record, step.side, lambda columns: tuple(moved(column, (field, *column.path)) for column in columns))


def extract_field(step: Step, record: Record) -> Record:
    """Replace the side by one field; other fields are dropped.

    A field inside a value with unknown fields, such as a Protobuf timestamp's seconds, comes from that value.
    """
    nested = step.settings.text("field.syntax.version").upper() == "V2"
    field = segments(step.required("field"), nested=nested)

    def edit(columns: tuple[TracedColumn, ...]) -> Columns:
        inside = tuple(
            moved(column, column.path[len(field) :]) for column in columns if starts_with(column.path, field)
        )
        if not inside:
            return tuple(moved(column, ()) for column in without_parents(columns) if starts_with(field, column.path))
        return without_parents(inside) if len(inside) > 1 else inside

    return change(record, step.side, edit)


def flatten(step: Step, record: Record) -> Record:
    """Join the names of nested records; arrays and maps are unchanged."""
    delimiter = step.settings.text("delimiter", default=".")
    return change(
        record,
        step.side,
        lambda columns: tuple(moved(column, _flat(column.path, delimiter)) for column in without_parents(columns)),
    )


def value_to_key(step: Step, record: Record) -> Record:
    """Build the key from fields of the value."""
    fields = {field_segment(name) for name in step.names("fields")}
    value = record.value
    return replace(record, key=None if value is None else tuple(column for column in value if _top(column) in fields))


def key_to_value(step: Step, record: Record) -> Record:
    """Add fields of the key to the value (Aiven's KeyToValue); all of them, under one name, where none is listed."""
    listed = [part.partition(":") for part in step.names("key.fields")]
    names = {field_segment(old): field_segment(new or old) for old, _, new in listed}
    if record.key is None or not names or "*" in names:
        return replace(record, value=None)
    added = tuple(
        moved(column, (names[_top(column)], *column.path[1:])) for column in record.key if _top(column) in names
    )
    return change(record, Role.VALUE, lambda columns: (*columns, *added))


def insert_field(step: Step, record: Record) -> Record:
    """Add fields that come from no column; `!` and `?` after a name only mark it as required or optional."""
    names = (step.settings.text(key).rstrip("!?") for key in _INSERTED)
    return _with_created(record, step.side, tuple((field_segment(name),) for name in names if name))


def cast(step: Step, record: Record) -> Record:
    """Change the types of some fields, or of the whole side."""
    specs = step.names("spec")
    fields = {field_segment(spec.rpartition(":")[0]) for spec in specs if ":" in spec}
    casts_side = any(":" not in spec for spec in specs)
    return _mark_changed(record, step.side, lambda column: _top(column) in fields or (casts_side and not column.path))


def bytes_to_string(step: Step, record: Record) -> Record:
    """Change the type of some fields (jcustenborder's BytesToString)."""
    fields = {field_segment(name) for name in step.names("fields")}
    return _mark_changed(record, step.side, lambda column: _top(column) in fields)


def convert_timestamp(step: Step, record: Record) -> Record:
    """Change the type of one field, or of the whole side where none is named."""
    nested = step.settings.text("field.syntax.version").upper() == "V2"
    name = step.settings.text("field")
    field = segments(name, nested=nested) if name else ()
    return _mark_changed(record, step.side, lambda column: column.path == field)


def header_from(step: Step, record: Record) -> Record:
    """Copy fields into headers, or move them there."""
    if step.settings.text("operation").lower() != "move":
        return record
    fields = {field_segment(name) for name in step.names("fields")}
    return change(record, step.side, lambda columns: tuple(column for column in columns if _top(column) not in fields))


def drop(step: Step, record: Record) -> Record:
    """Drop the whole side."""
    return record.with_side(step.side, ())


def hash_field(step: Step, record: Record) -> Record:
    """Replace a field, or the whole side, by its hash (Aiven)."""
    name = step.settings.text("field.name")
    field = (field_segment(name),) if name else ()
    return _mark_masked(record, step.side, lambda column: starts_with(column.path, field))


def header_to_value(step: Step, record: Record) -> Record:
    """Add fields that come from headers (Debezium's HeaderToValue)."""
    paths = tuple(segments(name, nested=True) for name in step.names("fields"))
    return _with_created(record, Role.VALUE, paths)


def topic_to_field(step: Step, record: Record) -> Record:
    """Add a field that holds the topic's name."""
    return _with_created(record, step.side, ((field_segment(step.settings.text("field", default="topic")),),))


def _with_created(record: Record, side: Role, paths: tuple[ColumnPath, ...]) -> Record:
    def edit(columns: tuple[TracedColumn, ...]) -> Columns:
        others = tuple(column for column in columns if column.path not in paths)
        return (*others, *(TracedColumn(path) for path in paths))

    return change(record, side, edit)


def _mark_changed(record: Record, side: Role, wanted: Callable[[TracedColumn], bool]) -> Record:
    return change(record, side, lambda columns: tuple(replace(c, changed=c.changed or wanted(c)) for c in columns))


def _mark_masked(record: Record, side: Role, wanted: Callable[[TracedColumn], bool]) -> Record:
    return change(record, side, lambda columns: tuple(replace(c, masked=c.masked or wanted(c)) for c in columns))


def _top(column: TracedColumn) -> str:
    return column.path[0] if column.path else ""


def _flat(path: ColumnPath, delimiter: str) -> ColumnPath:
    """Join the segments of *path* up to the first that is inside an array, a map or a union."""
    names = next((path[:n] for n, part in enumerate(path) if part[:1] in ("[", "{", "<")), path)
    return (delimiter.join(names), *path[len(names) :]) if names else path
