"""Effects of Debezium's transforms on columns: its envelope, the outbox, tables that share a topic (debezium-core)."""

from __future__ import annotations

from dataclasses import replace

from dataflow_generator.connectors.transforms.model import ColumnEffect, Step
from dataflow_generator.connectors.transforms.records import Carried, Columns, Record, begins, change, moved, segments
from scanner_model.column_path import ColumnPath, field_segment
from scanner_model.names import Role

AFTER: ColumnPath = ("after",)
_DELETED: ColumnPath = ("__deleted",)
_HANDLING = ("delete.tombstone.handling.mode", "delete.handling.mode")


def unwrap(step: Step, record: Record) -> Record:
    """Replace the value by the row after the change; metadata of `add.fields` are added under new names."""
    more = dict(added(step))

    def mend(columns: tuple[Carried, ...]) -> Columns:
        if not any(begins(one.path, AFTER) for one in columns):
            return columns  # not an envelope: the transform passes it through
        rows = [moved(one, one.path[1:]) for one in columns if begins(one.path, AFTER) and len(one.path) > 1]
        extra = [moved(found, name) if found else Carried(name) for name, found in _metadata(columns, more)]
        return (*rows, *extra, *map(Carried, marks(step)))

    return change(record, Role.VALUE, mend)


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
    columns: tuple[Carried, ...], added: dict[ColumnPath, ColumnPath]
) -> list[tuple[ColumnPath, Carried | None]]:
    """Yield each added field from the envelope or from its `source`; the connector adds it where neither has it."""
    places = {one.path: one for one in columns}
    return [(name, places.get(path) or places.get(("source", *path))) for name, path in added.items()]


def outbox(step: Step, record: Record) -> Record:
    """Replace an outbox row by its payload as the value and the aggregate's id as the key."""
    columns = record.value
    if columns is None:
        return Record(None, None)
    wrapped = any(begins(one.path, AFTER) for one in columns)
    row = {one.path[1:] if wrapped else one.path: one for one in columns if not wrapped or begins(one.path, AFTER)}

    def field(name: str, default: str) -> ColumnPath:
        return (field_segment(step.settings.text(f"table.field.event.{name}", default=default)),)

    envelope = [part for part in _placed(step) if part[1] == "envelope"]
    payload = _taken(row, field("payload", "payload"), ("payload",) if envelope else ())
    if step.settings.is_on("table.expand.json.payload") or any(one.changed for one in payload):
        payload = tuple(replace(one, changed=True) for one in payload)
    extra = [one for name, _, new in envelope for one in _taken(row, (field_segment(name),), (field_segment(new),))]
    return Record(_taken(row, field("key", "aggregateid"), ()), (*payload, *extra))


def _placed(step: Step) -> list[tuple[str, str, str]]:
    """Return `field:placement[:alias]` of the additional fields."""
    parts = [item.split(":") for item in step.names("table.fields.additional.placement")]
    return [(one[0], one[1].lower(), one[2] if len(one) > 2 else one[0]) for one in parts if len(one) > 1]


def _taken(row: dict[ColumnPath, Carried], field: ColumnPath, place: ColumnPath) -> tuple[Carried, ...]:
    return tuple(moved(one, (*place, *path[len(field) :])) for path, one in row.items() if begins(path, field))


def logical_key(default: str) -> ColumnEffect:
    """Build the effect that adds a key field to distinguish rows of tables that share a topic."""

    def effect(step: Step, record: Record) -> Record:
        if not step.settings.is_on("key.enforce.uniqueness", default=True):
            return record
        name = step.settings.text("key.field.name", default=default)
        return change(record, Role.KEY, lambda columns: (*columns, Carried((field_segment(name),))))

    return effect
