"""Whether a column of a table can hold every value of a message's field, by their types; what is doubtful can."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from scanner_model.columns import Column


class Family(StrEnum):
    """A family of types."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    BOOLEAN = "boolean"
    TEXT = "text"
    BYTES = "bytes"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type: *size* are the bits of an integer, the precision of a decimal, the length of a text; None is any."""

    family: Family
    size: int | None = None
    scale: int = 0


_INTEGERS = {"tinyint": 8, "smallint": 16, "int2": 16, "mediumint": 24, "int4": 32, "bigint": 64, "int8": 64}
_FLOATS = ("float", "double", "double precision", "real", "double_precision", "float4", "float8")
_TEXTS = ("char", "varchar", "character", "character varying", "nchar", "nvarchar", "varchar2", "nvarchar2")

_OF_DATABASES: Mapping[str, ValueType] = {
    **{word: ValueType(Family.INTEGER, bits) for word, bits in _INTEGERS.items()},
    "int": ValueType(Family.INTEGER, 32),
    "integer": ValueType(Family.INTEGER, 32),
    **dict.fromkeys(("boolean", "bool"), ValueType(Family.BOOLEAN)),
    **dict.fromkeys(_FLOATS, ValueType(Family.FLOAT)),
    **dict.fromkeys(("numeric", "decimal", "number"), ValueType(Family.DECIMAL)),
    **dict.fromkeys((*_TEXTS, "text", "clob"), ValueType(Family.TEXT)),
    **dict.fromkeys(("bytea", "blob", "varbinary", "binary"), ValueType(Family.BYTES)),
}
_OF_MESSAGES: Mapping[str, ValueType] = {
    **dict.fromkeys(("int", "int32", "sint32", "sfixed32"), ValueType(Family.INTEGER, 32)),
    **dict.fromkeys(("uint32", "fixed32", "long", "int64", "sint64", "sfixed64"), ValueType(Family.INTEGER, 64)),
    "integer": ValueType(Family.INTEGER),
    **dict.fromkeys(("float", "double", "number"), ValueType(Family.FLOAT)),
    **dict.fromkeys(("boolean", "bool"), ValueType(Family.BOOLEAN)),
    "string": ValueType(Family.TEXT),
    **dict.fromkeys(("bytes", "fixed"), ValueType(Family.BYTES)),
    **dict.fromkeys(("record", "message", "object", "array", "map"), ValueType(Family.STRUCTURE)),
}
_DECIMAL = re.compile(r"(?:decimal|numeric|number)\((\d+)(?:,\s*(-?\d+))?\)", re.IGNORECASE)
_LENGTH = re.compile(r"\((\d+)\)$")
_DIGITS = {8: 3, 16: 5, 24: 8, 32: 10, 64: 19}
"""The decimal digits of the largest integer of so many bits."""


def database_type(column: Column) -> ValueType | None:
    """Return the type of a table's column; None where it is not known what it can hold, as of dates and enums."""
    refined = column.logical_type or ""
    if column.type == "tinyint" and refined == "tinyint(1)":
        return ValueType(Family.BOOLEAN)  # MySQL's BOOLEAN
    if match := _DECIMAL.fullmatch(refined):
        return ValueType(Family.DECIMAL, int(match[1]), int(match[2] or 0))
    known = _OF_DATABASES.get(column.type)
    if known and known.family is Family.TEXT and (length := _LENGTH.search(refined)):
        return ValueType(Family.TEXT, int(length[1]))
    return known


def message_type(column: Column) -> ValueType | None:
    """Return the type of a message's field; None where it is not known, as of one with another logical type."""
    refined = column.logical_type or ""
    if match := _DECIMAL.fullmatch(refined):
        return ValueType(Family.DECIMAL, int(match[1]), int(match[2] or 0))
    return None if refined or column.branches else _OF_MESSAGES.get(column.type)


def cannot_hold(value: ValueType, column: ValueType) -> str:
    """Return why a column of this type cannot hold every such value; empty where it can, or it is doubtful."""
    match value.family, column.family:
        case Family.TEXT | Family.BYTES | Family.STRUCTURE, (
            Family.INTEGER | Family.DECIMAL | Family.FLOAT | Family.BOOLEAN
        ):
            return f"a {value.family} is no {column.family}"
        case Family.INTEGER | Family.DECIMAL | Family.FLOAT, Family.BOOLEAN:
            return f"a {value.family} is no {column.family}"
        case Family.INTEGER, Family.INTEGER if _exceeds(value.size, column.size):
            return f"{value.size} bits are more than its {column.size}"
        case Family.FLOAT, Family.INTEGER:
            return "it has no fractions"
        case Family.DECIMAL, Family.INTEGER if value.scale > 0:
            return "it has no fractions"
        case Family.DECIMAL, Family.DECIMAL:
            return _decimals(value, column)
        case Family.INTEGER, Family.DECIMAL if value.size and column.size:
            digits = _DIGITS.get(value.size, 0)
            whole = column.size - column.scale
            return f"{digits} digits are more than its {whole}" if digits > whole else ""
        case Family.TEXT, Family.TEXT if _exceeds(value.size, column.size):
            return f"{value.size} characters are more than its {column.size}"
        case _:
            return ""


def _decimals(value: ValueType, column: ValueType) -> str:
    if value.size is None or column.size is None:
        return ""
    whole, held = value.size - value.scale, column.size - column.scale
    if whole > held:
        return f"{whole} digits are more than its {held}"
    if value.scale > column.scale:
        return f"{value.scale} decimal places are more than its {column.scale}"
    return ""


def _exceeds(value: int | None, held: int | None) -> bool:
    return value is not None and held is not None and value > held
