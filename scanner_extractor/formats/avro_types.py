"""Avro's types one level deep: what a place in a schema holds once names, wrappers and unions are seen through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from scanner_extractor.formats.avro_logical import refinement
from scanner_extractor.formats.avro_names import (
    NAMED,
    PRIMITIVES,
    Attributes,
    NamedType,
    NamedTypes,
    listed,
    worded,
)

UNREADABLE = "unknown"
"""The type of a place that says no type, or nothing that could be one."""

_CONTAINERS = frozenset({"record", "array", "map"})
_MEMBERS = {
    "record": "fields",
    "error": "fields",
    "array": "items",
    "map": "values",
    "enum": "symbols",
    "fixed": "size",
}
_MAP_ENTRY = "io.confluent.connect.avro.MapEntry"
"""The name of the records by which Connect's Avro converter writes a map whose keys are not strings."""
_INTERNAL = "connect.internal.type"

_WORDS = frozenset({str})

Complaint = Callable[[str], None]


class Shape(NamedTuple):
    """One alternative of a place: the Avro word, what refines it, the objects that described it, outermost first.

    *name* is the full name of a record, enum or fixed. *inner* is what the columns below are read from: a record's
    definition, the schema of an array's elements or a map's values; None where there is none. *namespace* is where
    names inside are read. *opens* is the named type that one enters here, for the cycle guard.
    """

    word: str
    namespace: str
    logical: str | None = None
    attributes: tuple[Attributes, ...] = ()
    name: str = ""
    inner: object = None
    opens: str = ""

    @property
    def branch(self) -> str:
        """Give the name that this has as a branch of a union: the full name of a named type, else the word."""
        return self.name or self.word

    @property
    def has_columns(self) -> bool:
        """Tell whether columns of its own stand below it."""
        return self.word in _CONTAINERS and self.inner is not None


_PRIMITIVES = {word: Shape(word, "") for word in PRIMITIVES}
"""One of each, as nothing is read below them and so no namespace counts."""

_SURE = {word: (word, False) for word in PRIMITIVES - {"null"}}
_PERHAPS = {word: (word, True) for word in PRIMITIVES - {"null"}}


def leaf_of(schema: object) -> tuple[str, bool] | None:
    """Give the word of a primitive and whether it may be null; None where *schema* is anything else."""
    if isinstance(schema, str):
        return _SURE.get(schema)
    if not isinstance(schema, list) or len(schema) != 2:
        return None
    first, second = schema
    word = second if first == "null" else first if second == "null" else None
    return _PERHAPS.get(word) if isinstance(word, str) else None


class Types:
    """Settles what stands at a place of a schema; what is wrong there is told to the caller's *complain*."""

    def __init__(self, names: NamedTypes) -> None:
        self._names = names

    def alternatives(self, schema: object, namespace: str, complain: Complaint) -> list[Shape]:
        """List what may stand at a place, null included; unions in unions are opened. Empty for an empty union."""
        if isinstance(schema, str):
            return [self._of_word(schema, namespace, complain)]
        if isinstance(schema, list) and _WORDS.issuperset(map(type, schema)):
            return [self._of_word(word, namespace, complain) for word in schema]
        if isinstance(schema, dict) and isinstance(schema.get("type"), str):
            return [self._of_object(schema, (), namespace, complain)]
        return list(self._opened(schema, namespace, complain))

    def _opened(self, schema: object, namespace: str, complain: Complaint) -> Iterator[Shape]:
        waiting: list[tuple[object, tuple[Attributes, ...]]] = [(schema, ())]
        while waiting:
            inner, around = waiting.pop()
            if isinstance(inner, list):
                waiting.extend((one, around) for one in reversed(inner))
            elif isinstance(inner, dict) and isinstance(inner.get("type"), dict | list):
                waiting.append((inner["type"], (*around, inner)))
            elif isinstance(inner, dict):
                yield self._of_object(inner, around, namespace, complain)
            elif isinstance(inner, str):
                yield _within(around, self._of_word(inner, namespace, complain))
            else:
                complain(_no_type(inner))
                yield Shape(UNREADABLE, namespace, attributes=around)

    def _of_object(
        self, schema: Attributes, around: tuple[Attributes, ...], namespace: str, complain: Complaint
    ) -> Shape:
        word = schema.get("type")
        if not isinstance(word, str):
            complain(_no_type(word))
            return Shape(UNREADABLE, namespace, attributes=(*around, schema))
        if word in NAMED:
            return _within(around, _of_named(self._names.defined(schema, namespace)))
        if word in ("array", "map") and schema.get(_MEMBERS[word]) is not None:
            return _within((*around, schema), self._collection(word, schema, namespace))
        return _within((*around, schema), self._of_word(word, namespace, complain))

    def _of_word(self, word: str, namespace: str, complain: Complaint) -> Shape:
        primitive = _PRIMITIVES.get(word)
        if primitive:
            return primitive
        named = self._names.find(word, namespace)
        if named:
            return _of_named(named)
        complain(f"{word!r} without its {_MEMBERS[word]!r}" if word in _MEMBERS else f"no schema defines {word!r}")
        return Shape(word, namespace)

    def _collection(self, word: str, schema: Attributes, namespace: str) -> Shape:
        """Read a map or an array, or the map that Connect means by an array of entries."""
        inner = schema[_MEMBERS[word]]
        entry = self._entry(inner, namespace) if word == "array" else None
        if entry and _is_map_entry(schema, entry):
            for field in listed(entry.definition, "fields"):
                if isinstance(field, dict) and field.get("name") == "value":
                    return Shape("map", entry.namespace, inner=field.get("type"), opens=entry.name)
        return Shape(word, namespace, inner=inner)

    def _entry(self, items: object, namespace: str) -> NamedType | None:
        if isinstance(items, dict) and items.get("type") == "record":
            return self._names.defined(items, namespace)
        return self._names.find(items, namespace) if isinstance(items, str) and items not in PRIMITIVES else None


def _is_map_entry(array: Attributes, entry: NamedType) -> bool:
    marks = (worded(array, _INTERNAL), worded(entry.definition, _INTERNAL))
    return entry.name == _MAP_ENTRY or "MapEntry" in marks


def _of_named(named: NamedType) -> Shape:
    name, namespace, definition = named
    word = worded(definition, "type")
    if word in ("record", "error"):
        logical = refinement(definition, "record", name)
        return Shape("record", namespace, logical, (definition,), name, inner=definition, opens=name)
    return Shape(word, namespace, refinement(definition, word, name, definition.get("size")), (definition,), name)


def _within(around: tuple[Attributes, ...], shape: Shape) -> Shape:
    """Give *shape* with the attributes of the objects *around* it; what is nearest to the type refines it."""
    if not around:
        return shape
    logical = shape.logical
    size = shape.attributes[-1].get("size") if shape.attributes else None
    for attributes in reversed(around):
        logical = logical or refinement(attributes, shape.word, shape.name, size)
    # Spelled out, because `replace` costs more than all the rest of this.
    return Shape(
        shape.word,
        shape.namespace,
        logical,
        (*around, *shape.attributes),
        shape.name,
        shape.inner,
        shape.opens,
    )


def _no_type(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return "no type" if value is None else f"{kinds[type(value)]} is not an Avro type"
