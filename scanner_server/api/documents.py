"""Rows of the library as JSON documents, and the JSON Schema of these documents, both from the types of the rows."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from scanner_model.columns import Column

Json = Any

COMPONENTS = "#/components/schemas/"

_PROPERTIES: Mapping[type, Mapping[str, type]] = {Column: {"name": str}}
"""Computed members that are part of a document."""

_PLAIN: Mapping[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}


def document(value: object) -> Json:
    """Return *value* as a JSON value: a named tuple or dataclass is an object of its members."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    names = _members(kind)
    if names is not None:
        # A call for each plain value would take longer than all the rest.
        members = ((name, getattr(value, name)) for name in names)
        return {name: member if type(member) in _PLAIN else document(member) for name, member in members}
    if isinstance(value, str):
        return str(value.value) if isinstance(value, Enum) else value
    if isinstance(value, Mapping):
        return {str(key): member if type(member) in _PLAIN else document(member) for key, member in value.items()}
    return [member if type(member) in _PLAIN else document(member) for member in value]  # type: ignore[attr-defined]


@lru_cache(maxsize=512)
def _members(kind: Any) -> tuple[str, ...] | None:  # noqa: ANN401
    """Return the names of the members of a row's type; None for another type."""
    own: tuple[str, ...] | None = getattr(kind, "_fields", None)
    if own is None and is_dataclass(kind):
        own = tuple(field.name for field in fields(kind))
    return None if own is None else (*own, *_PROPERTIES.get(kind, ()))


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
            return {"type": "string", "enum": [str(member.value) for member in kind]}
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
        names = _members(row)
        if names is None:  # a NewType of a plain type
            return self.of(row.__supertype__)
        if name not in self.components:
            self.components[name] = {}
            hints = get_type_hints(row) | dict(_PROPERTIES.get(row, {}))
            if get_args(kind):
                (parameter,) = row.__parameters__
                hints = {key: self._bound(hint, parameter, get_args(kind)[0]) for key, hint in hints.items()}
            self.components[name] = {
                "type": "object",
                "properties": {member: self.of(hints[member]) for member in names},
                "required": list(names),
            }
        return {"$ref": f"{COMPONENTS}{name}"}

    def _bound(self, hint: Any, parameter: Any, argument: Any) -> Any:  # noqa: ANN401
        return hint[argument] if parameter in getattr(hint, "__parameters__", ()) else hint
