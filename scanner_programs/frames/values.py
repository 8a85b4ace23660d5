"""Values of data frames: the columns of topics and tables that a value is derived from, and what is inside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from scanner_model.columns import ELEMENT, KEY, MAP_VALUE, ColumnPath, field_segment

IDENTITY, TRANSFORMATION, AGGREGATION = "", "TRANSFORMATION", "AGGREGATION"
"""How a value is derived, as OpenLineage calls it; a copy has no word."""


class Dataset(NamedTuple):
    """What a frame is read from or written to: a topic (*namespace* empty), or a table, path or pattern."""

    namespace: str
    name: str


Origin = tuple[Dataset, ColumnPath]
"""A column of a dataset; an empty path is the message or row as a whole."""

TEXT = "\0text"
"""The segment of a path below which is what the text of a table's column contains; no field can be called so."""

Decider = tuple[Origin, str]
"""A column that affects a result without being a part of it, and OpenLineage's subtype, as FILTER."""


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A type of Spark, as far as it has members: *fields* of a struct, the *element* of an array or value of a map.

    *name* is that of a type without members, as Spark's class has it: `long`; empty if unknown.
    """

    kind: str
    fields: tuple[tuple[str, Type | None], ...] = ()
    element: Type | None = None
    name: str = field(default="", compare=False)

    @property
    def class_name(self) -> str:
        """Return the name of Spark's class without `Type`, in lower case; empty if unknown."""
        return self.name if self.kind == "plain" else self.kind

    @property
    def simple(self) -> str | None:
        """Return the type as Spark shows it in `dtypes`; None if a part of it is unknown."""
        if self.kind == "plain":
            return _SIMPLE.get(self.name, self.name) or None
        inner = [(name, kind.simple if kind is not None else None) for name, kind in self.fields]
        if self.kind == "array":
            inner = [("", self.element.simple if self.element is not None else None)]
        listed = ",".join(f"{name}:{kind}".lstrip(":") for name, kind in inner)
        return f"{self.kind}<{listed}>" if self.kind != "map" and all(kind for _, kind in inner) else None


_SIMPLE = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The *origins* of a value and how it is derived from them; *deciders* affect it without being a part of it.

    *type* is None if unknown. *parts* are the members of a struct that the program builds, *inner* the element of an
    array that it builds, *weight* how many values are inside. *texts* are the constants that it may be. *unclear*: the
    value may have origins that are not listed.
    """

    origins: frozenset[Origin] = frozenset()
    effect: str = IDENTITY
    deciders: frozenset[Decider] = frozenset()
    type: Type | None = None
    parts: tuple[tuple[str, Value], ...] | None = None
    inner: Value | None = None
    texts: frozenset[str] = frozenset()
    unclear: bool = False
    weight: int = 1

    @property
    def every(self) -> frozenset[Origin]:
        """Return the origins and the deciders."""
        return self.origins | {origin for origin, _ in self.deciders}

    @property
    def member_names(self) -> tuple[str, ...] | None:
        """Return the names of the members of a struct; None if they are not known."""
        if self.parts is not None:
            return tuple(name for name, _ in self.parts)
        if self.type is not None and self.type.kind == "struct":
            return tuple(name for name, _ in self.type.fields)
        return None

    def member(self, name: str) -> Value:
        """Return a member of a struct, or of each struct in an array; of a computed value, the value as a whole."""
        if self.parts is not None:
            found = _find(self.parts, name)
            return found if found is not None else replace(self, parts=None, unclear=True, type=None)
        if self.inner is not None:
            return self.inner.member(name)
        if self.type is not None and self.type.kind == "array":
            return self.element().member(name)
        own, kind = name, None
        if self.type is not None and self.type.kind == "struct":
            own, kind = next((each for each in self.type.fields if each[0].casefold() == name.casefold()), (name, None))
        if self.type is not None and self.type.kind == "map":
            return self._below(MAP_VALUE, self.type.element)
        if self.type is not None and self.type.name:  # a method of a number, text or time
            return replace(with_effect(self, self.effect or TRANSFORMATION), type=None)
        return self._below(field_segment(own), kind)

    def element(self) -> Value:
        """Return an element of an array, or a value of a map."""
        if self.inner is not None:
            return self.inner
        mark = MAP_VALUE if self.type is not None and self.type.kind == "map" else ELEMENT
        return self._below(mark, self.type.element if self.type is not None else None)

    def _below(self, segment: str, kind: Type | None) -> Value:
        if self.effect != IDENTITY:
            return replace(self, type=kind, parts=None, inner=None)
        origins = frozenset((dataset, (*path, segment)) for dataset, path in self.origins)
        return replace(self, origins=origins, type=kind, parts=None, inner=None)

    def parsed(self, kind: Type | None) -> Value:
        """Return what a text or bytes contain: of a message, its fields, which are below the origins.

        What a text in a field of type string contains is computed from that field; and of a text that may be one of
        several columns, nothing is known to be below any of them. A column of a table may hold whole messages: what is
        in its text is below a segment of its own.
        """
        is_text = self.type is not None and self.type.kind == "plain" and any(path for _, path in self.origins)
        is_table = not self.effect and bool(self.origins) and all(dataset.namespace for dataset, _ in self.origins)
        is_any = self.unclear and len(self.origins) > 1
        if is_table and not is_any:
            inside = frozenset((dataset, (*path, TEXT)) for dataset, path in self.origins)
            return Value(inside, IDENTITY, self.deciders, kind, unclear=self.unclear)
        is_column = is_text or any(dataset.namespace for dataset, _ in self.origins)
        effect = TRANSFORMATION if is_column or is_any else IDENTITY
        return Value(self.origins, effect, self.deciders, kind, unclear=self.unclear)


NOTHING = Value()


def _find(parts: Iterable[tuple[str, Value]], name: str) -> Value | None:
    listed = list(parts)
    exact = (value for known, value in listed if known == name)
    return next(exact, next((value for known, value in listed if known.casefold() == name.casefold()), None))


def combined(values: Iterable[Value], effect: str = TRANSFORMATION, kind: Type | None = None) -> Value:
    """Return a value that is computed from *values*."""
    listed = list(values)
    return Value(
        frozenset().union(*(value.origins for value in listed)),
        AGGREGATION if any(value.effect == AGGREGATION for value in listed) else effect,
        frozenset().union(*(value.deciders for value in listed)),
        kind,
        unclear=any(value.unclear for value in listed),
    )


def any_of(values: Iterable[Value]) -> Value:
    """Return a value that may be derived from any of *values*; of very many columns, from their datasets as a whole."""
    result = replace(combined(values), unclear=True)
    if len(result.origins) <= _MOST_ORIGINS:
        return result
    return replace(result, origins=frozenset((dataset, ()) for dataset, _ in result.origins))


def either(values: Iterable[Value]) -> Value:
    """Return a value that is one of *values*: a copy if all of them are copies."""
    listed = list(dict.fromkeys(values))
    if len(listed) == 1:
        return listed[0]
    effects = {value.effect for value in listed if value.origins}
    effect = IDENTITY if effects <= {IDENTITY} else AGGREGATION if AGGREGATION in effects else TRANSFORMATION
    types = {value.type for value in listed}
    texts = (
        frozenset().union(*(value.texts for value in listed)) if all(value.texts for value in listed) else frozenset()
    )
    result = replace(
        combined(listed, effect), effect=effect, type=types.pop() if len(types) == 1 else None, texts=texts
    )
    names = {value.member_names for value in listed}
    is_one = all(value.parts is None and value.type is listed[0].type for value in listed)
    if not is_one and len(names) == 1 and (members := names.pop()):
        parts = tuple((name, either(each.member(name) for each in listed)) for name in members)
        return replace(result, parts=parts, weight=1 + sum(part.weight for _, part in parts))
    return result


def with_effect(value: Value, effect: str) -> Value:
    """Return *value* derived by *effect*, with its members."""
    if value.effect in (effect, AGGREGATION) and (value.parts is None and value.inner is None):
        return value
    parts = value.parts and tuple((name, with_effect(part, effect)) for name, part in value.parts)
    inner = value.inner and with_effect(value.inner, effect)
    return replace(value, effect=effect if value.effect != AGGREGATION else AGGREGATION, parts=parts, inner=inner)


def struct(parts: Iterable[tuple[str, Value]]) -> Value:
    """Return a struct that the program builds; the members of a very large one are not kept."""
    listed = tuple(parts)
    weight = 1 + sum(value.weight for _, value in listed)
    whole = combined(value for _, value in listed)
    return replace(whole, parts=listed, weight=weight) if weight <= _MOST_MEMBERS else replace(whole, unclear=True)


def array_of(inner: Value, effect: str = TRANSFORMATION) -> Value:
    """Return an array that the program builds of elements such as *inner*."""
    whole = combined([inner], effect)
    return replace(whole, inner=inner, weight=1 + inner.weight) if inner.weight <= _MOST_MEMBERS else whole


def deciding(values: Iterable[Value], subtype: str) -> frozenset[Decider]:
    """Return the origins of *values* as those that decide."""
    return frozenset((origin, subtype) for origin in every_origin(values))


def every_origin(values: Iterable[Value]) -> frozenset[Origin]:
    """Return the origins and deciders of all *values*: many columns of a wide table have the same ones."""
    listed = list(values)
    deciders = frozenset().union(*(value.deciders for value in listed))
    return frozenset().union(*(value.origins for value in listed), (origin for origin, _ in deciders))


def decided(value: Value, by: Iterable[Value], subtype: str) -> Value:
    """Return *value* with the origins of other values as deciders."""
    listed = list(by)
    added = deciding(listed, subtype)
    unclear = value.unclear or any(each.unclear for each in listed)
    return replace(value, deciders=value.deciders | added, unclear=unclear) if added or unclear else value


_MOST_MEMBERS = 3_000
_MOST_ORIGINS = 30
"""Columns that a value of unknown origin is traced to one by one: more of them tell a reader nothing."""
_RECORD = ("topic", "partition", "offset", "timestamp", "timestampType", "headers")


def record_columns(topics: Iterable[Dataset]) -> tuple[tuple[str, Value], ...]:
    """Return the columns of Spark's Kafka source; only key and value contain data of the message."""
    listed = list(topics)
    key = Value(frozenset((topic, (KEY,)) for topic in listed))
    value = Value(frozenset((topic, ()) for topic in listed))
    return (("key", key), ("value", value), *((name, NOTHING) for name in _RECORD))
