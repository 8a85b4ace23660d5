"""What stands inside a JSON Schema's objects and arrays: properties, map values, elements, tuple places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from scanner_extractor.formats.json_schema_merge import Merged, Parts
from scanner_extractor.formats.json_schema_refs import Located, References, Schema
from scanner_extractor.formats.json_schema_types import claim, compatible

_Name = TypeVar("_Name", str, int)

_ANNOTATIONS = ("title", "description", "default", "confluent:tags")
_INNER = (
    "additionalItems",
    "additionalProperties",
    "connect.type",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "required",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A property of an object: its name, everything that applies to it, and whether it is always there."""

    name: str
    parts: Parts
    required: bool


class Inside:
    """Lists what stands inside one merged place, in document order (Connect's own order where it wrote one)."""

    def __init__(self, merged: Merged, references: References) -> None:
        self._references = references
        self._solid = merged.solid
        self._extra = merged.extra

    def members(self) -> tuple[Member, ...]:
        """List the properties; one that only a branch or a condition describes may be absent."""
        solid, extra = _by_name(self._solid, self._properties), _by_name(self._extra_of("object"), self._properties)
        required = {name for place in self._solid for name in _texts(place.schema.get("required"))}
        members = [
            Member(name=name, parts=layered(solid.get(name, []), extra.get(name, [])), required=name in required)
            for name in solid | extra
        ]
        return tuple(sorted(members, key=_connect_index))

    def value(self) -> Parts:
        """Give what the values of names that are not listed are; several patterns may describe them."""
        solid = [value for place in self._solid for value in self._values(place)]
        return layered(solid, [value for place in self._extra_of("object") for value in self._values(place)])

    def element(self) -> Parts:
        """Give what an array's elements are, after those of a tuple."""
        solid = [rest for place in self._solid for rest in self._rest(place)]
        return layered(solid, [rest for place in self._extra_of("array") for rest in self._rest(place)])

    def tuple_places(self) -> tuple[tuple[int, Parts], ...]:
        """List what stands at each place of a tuple, with its index."""
        solid, extra = _by_name(self._solid, self._places), _by_name(self._extra_of("array"), self._places)
        return tuple((at, layered(solid.get(at, []), extra.get(at, []))) for at in sorted(solid | extra))

    def any_solid(self) -> bool:
        """Tell whether anything stands inside whatever branch a value is of."""
        return any(map(self.lists, self._solid))

    def lists(self, place: Located) -> bool:
        """Return whether *place* itself lists properties, values or elements."""
        listed = (self._properties, self._values, self._rest, self._places)
        return any(True for inner in listed for _ in inner(place))

    def bare(self) -> Parts:
        """Give the same without names, words and choices: what also holds for a branch of the place's own union."""
        kept = (
            replace(place, schema={key: place.schema[key] for key in _INNER if key in place.schema}, made=True, via=())
            for place in (*self._solid, *self._extra)
        )
        return tuple(place for place in kept if place.schema)

    def _child(self, schema: Schema, place: Located) -> Located:
        """Locate a property, element or value that *place* lists, inside everything that *place* is a part of."""
        return replace(self._references.child(schema, place), inside=place.inside)

    def _extra_of(self, word: str) -> Parts:
        claims = ((place, claim(place.schema)) for place in self._extra)
        return tuple(place for place, said in claims if not said or compatible(said.types, (word,)))

    def _properties(self, place: Located) -> Iterator[tuple[str, Located]]:
        for name, schema in _dict(place.schema.get("properties")).items():
            if schema is not False:
                yield name, self._child(schema, place)

    def _values(self, place: Located) -> Iterator[Located]:
        rest = place.schema.get("additionalProperties", place.schema.get("unevaluatedProperties"))
        schemas = list(_dict(place.schema.get("patternProperties")).values())
        schemas += [rest] if isinstance(rest, dict) else []
        values = [self._child(schema, place) for schema in schemas if schema is not False]
        yield from one_of(values, same=False)

    def _rest(self, place: Located) -> Iterator[Located]:
        items, prefix = place.schema.get("items"), place.schema.get("prefixItems")
        rest = place.schema.get("additionalItems") if isinstance(items, list) else items
        rest = place.schema.get("unevaluatedItems") if rest is None else rest
        is_tuple = isinstance(items, list) or isinstance(prefix, list)
        if isinstance(rest, dict) or (rest is True and not is_tuple):
            yield self._child(rest, place)

    def _places(self, place: Located) -> Iterator[tuple[int, Located]]:
        items, prefix = place.schema.get("items"), place.schema.get("prefixItems")
        schemas = items if isinstance(items, list) else prefix if isinstance(prefix, list) else []
        for index, schema in enumerate(schemas):
            if schema is not False:
                yield index, self._child(schema, place)


def layered(solid: list[Located], extra: list[Located]) -> Parts:
    """Lay what holds for some values over what always holds; where nothing always holds, it is one of the others."""
    if solid:
        return (*solid, *(replace(place, extra=True) for place in extra))
    return tuple(one_of([replace(place, extra=False) for place in extra], same=True))


def one_of(places: list[Located], *, same: bool) -> Iterator[Located]:
    """Make one place of several that describe it differently: it is as any of them says (*same*: see Choice)."""
    distinct = list({id(place.schema): place for place in places}.values())
    if len(distinct) < 2:
        yield from distinct
        return
    words = next((words for place in distinct if (words := _annotations(place.schema))), {})
    inside = entered(distinct)
    yield replace(distinct[0], schema=words, options=tuple(distinct), same=same, made=True, inside=inside)


def entered(places: Iterable[Located]) -> frozenset[int]:
    """Return the identities of all schemas that *places* stand inside of."""
    return frozenset[int]().union(*(place.inside for place in places))


def _annotations(schema: Schema) -> dict[str, Any]:
    return {key: schema[key] for key in _ANNOTATIONS if key in schema} if isinstance(schema, dict) else {}


def _by_name(places: Parts, listed: Callable[[Located], Iterator[tuple[_Name, Located]]]) -> dict[_Name, list[Located]]:
    found: dict[_Name, list[Located]] = {}
    for place in places:
        for name, child in listed(place):
            found.setdefault(name, []).append(child)
    return found


def _connect_index(member: Member) -> tuple[bool, int]:
    indexes = (place.schema.get("connect.index") for place in member.parts if isinstance(place.schema, dict))
    index = next((index for index in indexes if type(index) is int), None)
    return (index is None, index or 0)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
