"""Reads Spark's types as JSON, in which Databricks (`type_json`) and Spark's tables in Glue write them, into shapes."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scanner_extractor.catalogs.hive_types import hive_shape
from scanner_extractor.catalogs.shapes import DEEPEST, Part, Shape
from scanner_extractor.exchange import Json
from scanner_model.paths import ELEMENT, MAP_VALUE, field_segment


class _Unreadable(ValueError):
    """Say that a value is no type of Spark's."""


def spark_shape(text: str) -> Shape | None:
    """Read a type, or the field that holds it; None where it is neither, or is nested too deeply.

    Source: Spark, `DataType.json`. Databricks writes a whole field, other servers of its API the type alone.
    """
    try:
        value = json.loads(text)
        return _type(value["type"] if isinstance(value, dict) and "name" in value else value, 1)
    except (ValueError, RecursionError, KeyError):
        return None


def _type(value: Json, depth: int) -> Shape:
    match value:
        case str() if shape := hive_shape(value):
            return shape
        case {"type": str(kind)} if depth <= DEEPEST:
            return _nested(kind, value, depth + 1)
        case _:
            raise _Unreadable


def _nested(kind: str, value: Mapping[str, Json], depth: int) -> Shape:
    match kind, value:
        case "struct", {"fields": list(fields)}:
            return Shape(word=kind, parts=tuple(_field(field, depth) for field in fields))
        case "array", {"elementType": element}:
            nullable = value.get("containsNull") is not False
            return Shape(word=kind, parts=(Part(segment=ELEMENT, shape=_type(element, depth), nullable=nullable),))
        case "map", {"valueType": held}:
            nullable = value.get("valueContainsNull") is not False
            return Shape(word=kind, parts=(Part(segment=MAP_VALUE, shape=_type(held, depth), nullable=nullable),))
        case "udt", {"sqlType": inner}:
            return _type(inner, depth)
        case _:
            raise _Unreadable


def _field(field: Json, depth: int) -> Part:
    match field:
        case {"name": str(name), "type": inner}:
            metadata = field.get("metadata")
            comment = metadata.get("comment") if isinstance(metadata, dict) else None
            return Part(
                segment=field_segment(name),
                shape=_type(inner, depth),
                nullable=field.get("nullable") is not False,
                doc=comment if isinstance(comment, str) and comment else None,
            )
        case _:
            raise _Unreadable
