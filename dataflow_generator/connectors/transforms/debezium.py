"""Effects of Debezium's transforms on columns: its envelope, the outbox, tables that share a topic (debezium-core)."""

from __future__ import annotations

from dataclasses import replace

from dataflow_generator.connectors.transforms.model import (
    ColumnEffect,
    Columns,
    Record,
    Step,
    TracedColumn,
    change,
    moved,
    segments,
    starts_with,
)
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
