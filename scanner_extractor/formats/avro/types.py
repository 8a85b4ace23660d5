"""Resolve Avro types one level deep: names, wrappers and unions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from scanner_extractor.formats.avro.names import NAMED, PRIMITIVES, Attributes, NamedType, NamedTypes, listed, worded

_LOGICAL = {
    "big-decimal": ("bytes",),
    "date": ("int",),
    "duration": ("fixed",),
    "local-timestamp-micros": ("long",),
    "local-timestamp-millis": ("long",),
    "local-timestamp-nanos": ("long",),
    "time-micros": ("long",),
    "time-millis": ("int",),
    "timestamp-micros": ("long",),
    "timestamp-millis": ("long",),
    "timestamp-nanos": ("long",),
    "uuid": ("string", "fixed"),
}
"""Logical types and what they may annotate (Avro specification 1.12, section Logical Types); decimal stands apart."""

_UNIT = 10**20
_LOG_2 = 30_102_999_566_398_119_521
"""The decimal logarithm of 2 in units of 10^-20: a schema may give sizes that no float holds."""

_SIZES = {"duration": 12, "uuid": 16}
"""Bytes that a fixed must have to be of a logical type."""


def refinement(attributes: Attributes, word: str, name: str, size: object = None) -> str | None:
    """Read what refines the type *word* called *name*; None: nothing, or ignored by the specification.

    *size* is the size of a fixed.

    A logical type that is unknown, or impossible for the type, is ignored. Without one, `connect.name` is taken
    (`io.debezium.time.Timestamp`), but not where it only repeats the type's own name, as on records.
    """
    logical = worded(attributes, "logicalType")
    if logical == "decimal" and word in ("bytes", "fixed"):
        decimal = _decimal(attributes)
        if decimal and (word == "bytes" or _holds(size, attributes["precision"])):
            return decimal
    elif word in _LOGICAL.get(logical, ()) and (word != "fixed" or size == _SIZES[logical]):
        return logical
    connect = worded(attributes, "connect.name")
    return connect if connect and word != "record" and connect != name else None


def _decimal(attributes: Attributes) -> str | None:
    precision, scale = attributes.get("precision"), attributes.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision or precision == 0:
        return None
    return f"decimal({precision},{scale})"


def _holds(size: object, precision: object) -> bool:
    """Return whether a number of *precision* digits fits a two's complement of *size* bytes."""
    return type(size) is int and type(precision) is int and precision * _UNIT <= (8 * size - 1) * _LOG_2


UNREADABLE = "unknown"
"""The type of a position without a valid type."""

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

Report = Callable[[str], None]


class Shape(NamedTuple):
    """One alternative at a position: the Avro word, what refines it, the objects that described it, outermost first.

    *name* is the full name of a record, enum or fixed. *inner* is what the columns below are read from: a record's
    definition, the schema of an array's elements or a map's values; None if absent. *namespace* is where
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
        """Return the name that this has as a branch of a union: the full name of a named type, else the word."""
        return self.name or self.word

    @property
    def has_columns(self) -> bool:
        """Return whether it has columns below it."""
        return self.word in _CONTAINERS and self.inner is not None


_PRIMITIVES = {word: Shape(word, "") for word in PRIMITIVES}
"""One of each, as nothing is read below them and so no namespace counts."""

_SURE = {word: (word, False) for word in PRIMITIVES - {"null"}}
_PERHAPS = {word: (word, True) for word in PRIMITIVES - {"null"}}


def leaf_of(schema: object) -> tuple[str, bool] | None:
    """Return the word of a primitive and whether it may be null; None where *schema* is anything else."""
    if isinstance(schema, str):
        return _SURE.get(schema)
    if not isinstance(schema, list) or len(schema) != 2:
        return None
    first, second = schema
    word = second if first == "null" else first if second == "null" else None
    return _PERHAPS.get(word) if isinstance(word, str) else None


class Types:
    """Resolves the types at a position of a schema; problems are passed to the caller's *report*."""

    def __init__(self, names: NamedTypes) -> None:
        self._names = names

    def alternatives(self, schema: object, namespace: str, report: Report) -> list[Shape]:
        """List the alternatives at a position, null included; unions in unions are opened. Empty for an empty union."""
        if isinstance(schema, str):
            return [self._of_word(schema, namespace, report)]
        if isinstance(schema, list) and _WORDS.issuperset(map(type, schema)):
            return [self._of_word(word, namespace, report) for word in schema]
        if isinstance(schema, dict) and isinstance(schema.get("type"), str):
            return [self._of_object(schema, (), namespace, report)]
        return list(self._opened(schema, namespace, report))

    def _opened(self, schema: object, namespace: str, report: Report) -> Iterator[Shape]:
        waiting: list[tuple[object, tuple[Attributes, ...]]] = [(schema, ())]
        while waiting:
            inner, wrappers = waiting.pop()
            if isinstance(inner, list):
                waiting.extend((branch, wrappers) for branch in reversed(inner))
            elif isinstance(inner, dict) and isinstance(inner.get("type"), dict | list):
                waiting.append((inner["type"], (*wrappers, inner)))
            elif isinstance(inner, dict):
                yield self._of_object(inner, wrappers, namespace, report)
            elif isinstance(inner, str):
                yield _within(wrappers, self._of_word(inner, namespace, report))
            else:
                report(_no_type(inner))
                yield Shape(UNREADABLE, namespace, attributes=wrappers)

    def _of_object(self, schema: Attributes, wrappers: tuple[Attributes, ...], namespace: str, report: Report) -> Shape:
        word = schema.get("type")
        if not isinstance(word, str):
            report(_no_type(word))
            return Shape(UNREADABLE, namespace, attributes=(*wrappers, schema))
        if word in NAMED:
            return _within(wrappers, _of_named(self._names.defined(schema, namespace)))
        if word in ("array", "map") and schema.get(_MEMBERS[word]) is not None:
            return _within((*wrappers, schema), self._collection(word, schema, namespace))
        return _within((*wrappers, schema), self._of_word(word, namespace, report))

    def _of_word(self, word: str, namespace: str, report: Report) -> Shape:
        primitive = _PRIMITIVES.get(word)
        if primitive:
            return primitive
        named = self._names.find(word, namespace)
        if named:
            return _of_named(named)
        report(f"{word!r} without its {_MEMBERS[word]!r}" if word in _MEMBERS else f"no schema defines {word!r}")
        return Shape(word or UNREADABLE, namespace)

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


def _within(wrappers: tuple[Attributes, ...], shape: Shape) -> Shape:
    """Return *shape* with the attributes of the objects *wrappers* it; what is nearest to the type refines it."""
    if not wrappers:
        return shape
    logical = shape.logical
    size = shape.attributes[-1].get("size") if shape.attributes else None
    for attributes in reversed(wrappers):
        logical = logical or refinement(attributes, shape.word, shape.name, size)
    # Spelled out, because `replace` costs more than all the rest of this.
    return Shape(
        shape.word,
        shape.namespace,
        logical,
        (*wrappers, *shape.attributes),
        shape.name,
        shape.inner,
        shape.opens,
    )


def _no_type(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return "no type" if value is None else f"{kinds[type(value)]} is not an Avro type"
