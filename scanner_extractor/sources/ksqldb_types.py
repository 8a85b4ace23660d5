"""Reads the types that people created in ksqlDB, and the functions that a server knows."""

from __future__ import annotations

import re
from typing import Any

from scanner_extractor.exchange import Json
from scanner_model.errors import PayloadUnexpected
from scanner_model.estate import KsqlFunction, KsqlType
from scanner_model.names import SourceId

_PLAIN = re.compile(r"[A-Z_][A-Z0-9_]*")
_DEEPEST = 100


def read_type(name: str, schema: Json, source: SourceId) -> KsqlType:
    """Read a member of `types` as the SQL that it stands for; raises PayloadUnexpected for no type.

    The server does not tell the keys of a MAP, which are STRING where nobody says otherwise.
    """
    return KsqlType(source=source, name=name, definition=_definition(schema, 0))


def read_function(payload: dict[str, Any], source: SourceId) -> KsqlFunction:
    """Read a member of `functions`; raises PayloadUnexpected without a name."""
    name = payload.get("name")
    if not isinstance(name, str) or not name:
        raise PayloadUnexpected("a function has no name")
    return KsqlFunction(source=source, name=name, kind=str(payload.get("type") or "").upper())


def _definition(schema: Json, depth: int) -> str:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(kind, str) or depth > _DEEPEST:
        raise PayloadUnexpected("a type cannot be told from its description")
    match kind:
        case "STRUCT":
            return f"STRUCT<{', '.join(_field(field, depth) for field in schema.get('fields') or ())}>"
        case "ARRAY":
            return f"ARRAY<{_definition(schema.get('memberSchema'), depth + 1)}>"
        case "MAP":
            return f"MAP<STRING, {_definition(schema.get('memberSchema'), depth + 1)}>"
        case "DECIMAL":
            return kind + _digits(schema.get("parameters"))
        case _:
            return kind


def _field(field: Json, depth: int) -> str:
    name = field.get("name") if isinstance(field, dict) else None
    if not isinstance(name, str):
        raise PayloadUnexpected("a field of a type has no name")
    shown = name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"
    return f"{shown} {_definition(field.get('schema'), depth + 1)}"


def _digits(parameters: Json) -> str:
    match parameters:
        case {"precision": int(precision), "scale": int(scale)}:
            return f"({precision}, {scale})"
        case _:
            return ""
