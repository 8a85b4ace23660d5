"""Reads the fields of a ksqlDB description: STRUCT, ARRAY and MAP unfolded into columns, each with its side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scanner_extractor.exchange import Json
from scanner_model.columns import Column
from scanner_model.errors import PayloadUnexpected
from scanner_model.estate import CollectionColumn
from scanner_model.names import Role
from scanner_model.paths import ELEMENT, MAP_VALUE, ColumnPath, field_segment

_DEEPEST = 100
"""Levels of nesting that we follow; a statement nested this deep does not pass ksqlDB's own parser."""


def read_fields(fields: Json, kind: str) -> tuple[CollectionColumn, ...]:
    """Read the `fields` of a `sourceDescription`, in their order, parents before their children.

    A field's `type` is KEY or HEADER; absent, it is a value column. The pseudo columns that old servers list (SYSTEM)
    are left out. Every value may be null but a table's key. Raises PayloadUnexpected for anything of another shape.
    """
    return tuple(
        CollectionColumn(column=column, role=_role(field), header=str(field.get("headerKey") or ""))
        for field in _objects(fields)
        if field.get("type") != "SYSTEM"
        for column in _columns((_segment(field),), field.get("schema"), nullable=_nullable(field, kind))
    )


def _role(field: dict[str, Any]) -> Role | None:
    match field.get("type"):
        case "KEY":
            return Role.KEY
        case "HEADER":
            return None
        case _:
            return Role.VALUE


def _nullable(field: dict[str, Any], kind: str) -> bool:
    return not (kind == "TABLE" and field.get("type") == "KEY")


def _columns(path: ColumnPath, schema: Json, *, nullable: bool = True) -> Iterator[Column]:
    if not isinstance(schema, dict) or not isinstance(schema.get("type"), str):
        raise PayloadUnexpected(f"the column {'.'.join(path)!r} has no type")
    if len(path) > _DEEPEST:
        raise PayloadUnexpected(f"columns are nested more than {_DEEPEST} levels deep")
    yield Column(path=path, type=schema["type"], logical_type=_logical_type(schema), nullable=nullable)
    match schema["type"]:
        case "STRUCT":
            for child in _objects(schema.get("fields")):
                yield from _columns((*path, _segment(child)), child.get("schema"))
        case "ARRAY":
            yield from _columns((*path, ELEMENT), schema.get("memberSchema"))
        case "MAP":
            yield from _columns((*path, MAP_VALUE), schema.get("memberSchema"))


def _logical_type(schema: dict[str, Any]) -> str | None:
    parameters = schema.get("parameters")
    if schema["type"] != "DECIMAL" or not isinstance(parameters, dict):
        return None
    return f"decimal({parameters.get('precision')},{parameters.get('scale')})"


def _segment(field: dict[str, Any]) -> str:
    name = field.get("name")
    if not isinstance(name, str):
        raise PayloadUnexpected("a column has no name")
    return field_segment(name)


def _objects(value: Json) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise PayloadUnexpected("a list of columns is not one")
    return value
