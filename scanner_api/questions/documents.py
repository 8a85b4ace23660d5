"""Rows as JSON documents, and the JSON Schema of these documents, both from the types of the rows.

Every face writes a row with `document`, so that it is the same everywhere; docs/json.md describes the members.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from scanner_api.questions.question import Page
from scanner_dictionary.graph.versions import GraphOfScan
from scanner_dictionary.queries.connectors import ConnectorRow, StatementRow, TaskRow
from scanner_dictionary.queries.listings import TopicRow
from scanner_dictionary.queries.node_history import HistoryRow
from scanner_dictionary.queries.tables import TableLine
from scanner_dictionary.queries.topic_schemas import SchemaAnswer
from scanner_model.columns import Column
from scanner_model.scan import SourceResult
from scanner_model.streaming_sql import KSQLDB

Json = Any

COMPONENTS = "#/components/schemas/"


def _default(text: str | None) -> Json:
    """Parse a default; numbers that JSON does not have (NaN, 1e400) and very deep values stay text."""
    if text is None:
        return None
    try:
        value = json.loads(text, parse_constant=str, parse_float=_finite)
        json.dumps(value, indent=2)
    except RecursionError:
        return text
    return value


def _json_or_text(text: str | None) -> Json:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _schema_id(text: str | None) -> int | str | None:
    """Return the number of a schema; some registries name them with UUIDs instead."""
    return int(text) if text and text.isdecimal() else text or None


def _text_or_null(text: str) -> str | None:
    return text or None


class TableAlias(NamedTuple):
    """Another name of a table's data."""

    namespace: str
    name: str


def _aliases(pairs: tuple[tuple[str, str], ...]) -> Json:
    return [{"namespace": namespace, "name": name} for namespace, name in pairs]


def _hundredths(seconds: float) -> float:
    return round(seconds, 2)


def _engine(name: str) -> str:
    return KSQLDB if name == KSQLDB else "flink"


class _Conversion(NamedTuple):
    """How a member is written where that is not its value: its type in the document, and the function to it."""

    kind: Any
    write: Callable[[Any], Json]


_PAIRS = _Conversion(Mapping[str, str], dict)
_NULL_FOR_EMPTY = _Conversion(str | None, _text_or_null)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """Where the document of a row differs from its members.

    *names* are members under another name, *computed* are properties with their types, *converted* are values that are
    written in another form; those of *optional* are only there where they are set, those of *left_out* never.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    computed: Mapping[str, Any] = field(default_factory=dict)
    converted: Mapping[str, _Conversion] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()


_SHAPES: Mapping[type, _Shape] = {
    Column: _Shape(
        names={"branches": "of"},
        computed={"name": str, "has_default": bool},
        converted={"default": _Conversion(Any, _default)},
        optional=frozenset({"inherited_tags", "recursive", "branches", "number"}),
    ),
    SchemaAnswer: _Shape(
        converted={
            "schema_id": _Conversion(int | str | None, _schema_id),
            **dict.fromkeys(("subject", "registry", "owner"), _NULL_FOR_EMPTY),
        }
    ),
    Page: _Shape(optional=frozenset({"did_you_mean"})),
    ConnectorRow: _Shape(
        names={"connector_class": "class", "plugin_version": "version"},
        computed={"failed_tasks": int, "error": str},
        converted={"config": _PAIRS},
    ),
    GraphOfScan: _Shape(left_out=frozenset({"coverage"})),
    HistoryRow: _Shape(converted=dict.fromkeys(("before", "after"), _Conversion(Any, _json_or_text))),
    SourceResult: _Shape(
        converted={"seconds": _Conversion(float, _hundredths), "unread": _Conversion(tuple[str, ...], sorted)}
    ),
    StatementRow: _Shape(
        names={"catalog_name": "catalog", "database_name": "database"},
        converted={"engine": _Conversion(str, _engine)},
        left_out=frozenset({"uid"}),
    ),
    TableLine: _Shape(
        names={"table_format": "format"},
        converted={
            "symlinks": _Conversion(tuple[TableAlias, ...], _aliases),
            "parameters": _PAIRS,
        },
    ),
    TaskRow: _Shape(computed={"error": str}),
    TopicRow: _Shape(left_out=frozenset({"config"})),
}
_PLAIN_SHAPE = _Shape()

_PLAIN: Mapping[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}


class _Member(NamedTuple):
    """A member of a row, and its form in the document."""

    attribute: str
    name: str
    write: Callable[[Any], Json] | None
    optional: bool


def document(value: object) -> Json:
    """Return *value* as a JSON value: a named tuple or dataclass is an object of its members."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    members = _members(kind)
    if members is not None:
        return _object(value, members)
    if isinstance(value, str):
        return str(value.value) if isinstance(value, Enum) else value
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Mapping):
        return {str(key): member if type(member) in _PLAIN else document(member) for key, member in value.items()}
    return [member if type(member) in _PLAIN else document(member) for member in value]  # type: ignore[attr-defined]


def _object(value: object, members: tuple[_Member, ...]) -> Json:
    written: dict[str, Json] = {}
    for attribute, name, write, optional in members:
        member = getattr(value, attribute)
        if optional and not member and member != 0:
            continue
        # A call for each plain value would take longer than all the rest.
        if write is not None:
            member = write(member)
        elif type(member) not in _PLAIN:
            member = document(member)
        written[name] = member
    return written


@lru_cache(maxsize=512)
def _members(kind: Any) -> tuple[_Member, ...] | None:  # noqa: ANN401
    """Return the members of a row's type; None for another type."""
    own: tuple[str, ...] | None = getattr(kind, "_fields", None)
    if own is None and is_dataclass(kind):
        names = (member.name for member in fields(kind) if not member.name.startswith("_"))
        own = tuple(sorted(names, key=lambda name: name != "cluster"))  # before the members of a fact that it extends
    if own is None:
        return None
    shape = _SHAPES.get(kind, _PLAIN_SHAPE)
    return tuple(
        _Member(
            name,
            shape.names.get(name, name),
            shape.converted[name].write if name in shape.converted else None,
            name in shape.optional,
        )
        for name in (*own, *shape.computed)
        if name not in shape.left_out
    )


class Schemas:
    """JSON Schemas of types; those of rows are collected as *components* by their names."""

    def __init__(self) -> None:
        self.components: dict[str, Json] = {}

    def of(self, kind: Any) -> Json:  # noqa: ANN401 - a type or a generic alias
        """Return the schema of *kind*: a reference for a row."""
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Literal:
            return {"type": "string", "enum": list(arguments)}
        if origin in (Union, types.UnionType):
            return self._union(arguments)
        if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if origin is not None and _members(origin) is None:
            return {"type": "array", "items": self.of(arguments[0])}
        if isinstance(kind, type) and issubclass(kind, Enum):
            names = [str(member.value) if isinstance(member, str) else member.name.lower() for member in kind]
            return {"type": "string", "enum": names}
        if isinstance(kind, type) and issubclass(kind, str):
            return {"type": "string"}
        return self._component(kind, origin or kind)

    def _union(self, arguments: tuple[Any, ...]) -> Json:
        schemas = [self.of(argument) for argument in arguments]
        if all(schema.keys() == {"type"} for schema in schemas):
            return {"type": [schema["type"] for schema in schemas]}
        return {"anyOf": schemas}

    def _component(self, kind: Any, row: Any) -> Json:  # noqa: ANN401
        inner = getattr(get_args(kind)[0], "__name__", "") if get_args(kind) else ""
        name = f"{row.__name__}{'Of' if inner else ''}{inner}"
        members = _members(row)
        if members is None:  # a NewType of a plain type
            return self.of(row.__supertype__)
        if name not in self.components:
            self.components[name] = {}
            hints = self._hints(kind, row)
            self.components[name] = {
                "type": "object",
                "properties": {member.name: self.of(hints[member.attribute]) for member in members},
                "required": [member.name for member in members if not member.optional],
            }
        return {"$ref": f"{COMPONENTS}{name}"}

    def _hints(self, kind: Any, row: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return the types of the members of *row* as its document has them."""
        shape = _SHAPES.get(row, _PLAIN_SHAPE)
        converted = {name: conversion.kind for name, conversion in shape.converted.items()}
        hints = get_type_hints(row) | dict(shape.computed) | converted
        if not get_args(kind):
            return hints
        (parameter,), (argument,) = row.__parameters__, get_args(kind)
        return {
            name: hint[argument] if parameter in getattr(hint, "__parameters__", ()) else hint
            for name, hint in hints.items()
        }
