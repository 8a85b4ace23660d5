"""A JSON Schema as Confluent's registry takes it apart: one part for each type, enum, const, condition, combination.

Sources: the libraries that the registry parses with, everit-org/json-schema 1.14 until draft 7 and json-sKema after
it. A keyword of another type than the written one is a part of its own; several parts are an `allOf` of them.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scanner_extractor.evolution.differences import Difference, Effort, SchemaText, undecided
from scanner_extractor.formats.json_schema.references import Located, References
from scanner_extractor.formats.limits import read_json
from scanner_model.columns import ELEMENT, MAP_VALUE, ColumnPath, field_segment

Json = Any

COMBINED = ("allOf", "anyOf", "oneOf")
ANY, FALSE = "any", "false"
UNKNOWN = "unknown"
"""The kind of a schema that is not known: its reference is dynamic, or leads to no text."""
REFERENCE = "reference"
"""The kind of a reference that leads to a further reference."""

_CONDITIONS = ("if", "then", "else")
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_ARRAY = ("items", "minItems", "maxItems", "uniqueItems", "contains")
_NUMBER = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTED = ("minContains", "maxContains")
_STRING = ("minLength", "maxLength", "pattern")
_OBJECT = (
    *("properties", "required", "minProperties", "maxProperties"),
    *("patternProperties", "additionalProperties", "propertyNames"),
)

_UNTIL_DRAFT_7: Mapping[str, tuple[str, ...]] = {
    "array": (*_ARRAY, "additionalItems"),
    "object": (*_OBJECT, "dependencies"),
    "number": _NUMBER,
    "string": (*_STRING, "format"),
}
_MODERN: Mapping[str, tuple[str, ...]] = {
    "array": (*_ARRAY, "prefixItems", "unevaluatedItems"),
    "object": (*_OBJECT, "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
    "number": _NUMBER,
    "string": _STRING,
}
"""Type → keywords that mean it where it is not written. What a draft does not have is not compared."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Node:
    """One schema, or one part of it: its *kind* and the keywords of this kind.

    The keywords are those of draft 2020-12, but `items` are the elements where there is no tuple (`prefixItems`), and
    `additionalItems` those behind one. *own* are parts of a combination that are no schemas of the text, *members*
    those that are. *bytes* marks what Kafka Connect wrote for bytes.
    """

    kind: str
    place: Located
    schemas: Schemas
    body: Mapping[str, Json]
    own: tuple[Node, ...] = ()
    members: tuple[Json, ...] = ()
    bytes: bool = False

    @property
    def is_combined(self) -> bool:
        """Return whether it combines schemas."""
        return self.kind in COMBINED

    @cached_property
    def parts(self) -> tuple[Node, ...]:
        """Return what a combination combines; empty for any other kind."""
        return tuple(part for _, part in self._named_parts)

    @cached_property
    def distinct(self) -> tuple[Node, ...]:
        """Return the parts without repetitions, as the registry counts them: by their texts."""
        return tuple(dict(self._named_parts).values())

    @cached_property
    def _named_parts(self) -> tuple[tuple[Hashable, Node], ...]:
        """Return the parts, each with what is the same for equal ones."""
        named: list[tuple[Hashable, Node]] = [(part._name, part) for part in self.own]
        for member in self.members:
            node = self.inner(member)
            if node.own and node.kind == "allOf" and self.place.resource.dialect.modern and not is_reference(member):
                named += node._named_parts  # json-sKema's parts of a member become members
            else:
                named.append((self.schemas.number(member), node))
        return tuple(named)

    @property
    def _name(self) -> Hashable:
        body = tuple((word, self.schemas.number(value)) for word, value in sorted(self.body.items()))
        return (self.kind, body, tuple(map(self.schemas.number, self.members)), tuple(part._name for part in self.own))

    @cached_property
    def size(self) -> int:
        """Return how many members its keywords list."""
        return sum(len(value) for value in self.body.values() if isinstance(value, dict | list))

    @property
    def behind(self) -> Node:
        """Return what a reference that leads to a reference means; any other node itself."""
        return self.schemas.node(self.place) if self.kind == REFERENCE else self

    def inner(self, schema: Json) -> Node:
        """Return the schema that *schema* inside this one means."""
        return self.schemas.node(self.schemas.texts.child(schema, self.place))


class Schemas:
    """The nodes of one text and of its references; each schema has one."""

    def __init__(self, schema: SchemaText) -> None:
        """Raises InputInvalid for invalid JSON."""
        self.texts = References(read_json(schema.text), schema.references.get)
        self._nodes: dict[int, Node] = {}
        self._numbers: dict[Hashable, int] = {}
        self._numbered: dict[int, int] = {}
        self._any = Node(kind=ANY, place=self.texts.root, schemas=self, body={})
        self._false = Node(kind=FALSE, place=self.texts.root, schemas=self, body={})

    @property
    def root(self) -> Node:
        """Return the node of the whole text."""
        return self.node(self.texts.root)

    def node(self, place: Located) -> Node:
        """Return the node of the schema at *place*."""
        if not isinstance(place.schema, dict):
            return self._false if place.schema is False else self._any
        key = id(place.schema)
        if key not in self._nodes:
            self._nodes[key] = self._read(place)
        return self._nodes[key]

    def number(self, value: Json) -> int:
        """Return a number that equal values of the text share."""
        if not isinstance(value, dict | list):
            return self._numbers.setdefault((type(value), value), len(self._numbers))
        key = id(value)
        if key not in self._numbered:
            shape: list[Hashable] = [type(value)]
            for word in sorted(value) if isinstance(value, dict) else range(len(value)):
                shape.append((word, self.number(value[word])))
            self._numbered[key] = self._numbers.setdefault(tuple(shape), len(self._numbers))
        return self._numbered[key]

    def _read(self, place: Located) -> Node:
        modern = place.resource.dialect.modern
        if modern and any(word in place.schema for word in _DYNAMIC):
            return Node(kind=UNKNOWN, place=place, schemas=self, body=place.schema)
        parts = tuple(self._parts(place))
        if "$ref" in place.schema and (not modern or not parts):
            return self._referred(place)
        if "$ref" in place.schema:
            reference = {"$ref": place.schema["$ref"]}
            return Node(kind="allOf", place=place, schemas=self, body={}, own=parts, members=(reference,))
        marked = place.schema.get("connect.type") == "bytes"
        if len(parts) != 1:
            kind = "allOf" if parts else ANY
            return Node(kind=kind, place=place, schemas=self, body={}, own=parts, bytes=marked)
        part = parts[0]
        counted = {} if modern else {word: place.schema[word] for word in _COUNTED if word in place.schema}
        body = {**part.body, **counted} if part.kind == "array" else part.body
        return Node(
            kind=part.kind, place=place, schemas=self, body=body, own=part.own, members=part.members, bytes=marked
        )

    def _referred(self, place: Located) -> Node:
        reference = place.schema["$ref"]
        target = self.texts.follow(reference, place) if isinstance(reference, str) else None
        if target is None:
            return Node(kind=UNKNOWN, place=place, schemas=self, body=place.schema)
        if is_reference(target.schema) and not (target.resource.dialect.modern and any(self._parts(target))):
            return Node(kind=REFERENCE, place=target, schemas=self, body={})
        return self.node(target)

    def _parts(self, place: Located) -> Iterator[Node]:
        schema: dict[str, Json] = place.schema
        for word in ("enum", "const", "not"):
            if word in schema and not (word == "const" and place.resource.dialect.legacy):
                yield Node(kind=word, place=place, schemas=self, body={word: schema[word]})
        for word in COMBINED:
            if isinstance(schema.get(word), list):
                yield Node(kind=word, place=place, schemas=self, body={}, members=tuple(schema[word]))
        yield from self._typed(place)
        conditions = _CONDITIONS[:1] if place.resource.dialect.modern else _CONDITIONS
        if any(word in schema for word in conditions):
            yield Node(kind="if", place=place, schemas=self, body={})

    def _typed(self, place: Located) -> Iterator[Node]:
        """Yield the part of the written types, and one for the keywords of each other type."""
        schema, modern = place.schema, place.resource.dialect.modern
        keywords = _MODERN if modern else _UNTIL_DRAFT_7
        types = schema.get("type")
        written = types if isinstance(types, list) else [types] if isinstance(types, str) else []
        parts = []
        for word in map(str, written):
            kind = _kind(word)
            body = {**_body(kind, schema, keywords.get(kind, ()), modern), "type": word}
            parts.append(Node(kind=kind, place=place, schemas=self, body=body))
        if isinstance(types, list):
            yield Node(kind="anyOf", place=place, schemas=self, body={}, own=tuple(parts))
        else:
            yield from parts
        for kind in (kind for kind in keywords if kind not in map(_kind, map(str, written))):
            # json-sKema has a part for each property and pattern: none for an empty object of them.
            if any(word in schema and not (modern and schema[word] == {}) for word in keywords[kind]):
                yield Node(kind=kind, place=place, schemas=self, body=_body(kind, schema, keywords[kind], modern))


def is_reference(schema: Json) -> bool:
    """Return whether *schema* refers to another one."""
    return isinstance(schema, dict) and "$ref" in schema


def _kind(word: str) -> str:
    return "number" if word == "integer" else word


def _body(kind: str, schema: dict[str, Json], keywords: tuple[str, ...], modern: bool) -> dict[str, Json]:
    body = {word: schema[word] for word in keywords if word in schema}
    if kind == "array":
        return _modern_array(body, schema) if modern else _array(body)
    if kind == "object" and isinstance(dependencies := body.pop("dependencies", None), dict):
        body["dependentRequired"] = {name: names for name, names in dependencies.items() if isinstance(names, list)}
        body["dependentSchemas"] = {name: need for name, need in dependencies.items() if not isinstance(need, list)}
    return body


def _array(body: dict[str, Json]) -> dict[str, Json]:
    if isinstance(body.get("items"), list):
        body["prefixItems"] = body.pop("items")
    elif "items" in body and body.get("additionalItems") is False:
        del body["additionalItems"]  # without a tuple no element is additional
    return body


def _modern_array(body: dict[str, Json], schema: dict[str, Json]) -> dict[str, Json]:
    if "items" in body and (body.get("prefixItems") or body["items"] is False):
        body["additionalItems"] = body.pop("items")
    elif body.get("items") is True:
        del body["items"]
    if "contains" in body:
        body["minContains"] = 1
        body.update({word: schema[word] for word in _COUNTED if word in schema})
    return body


_LONGEST = 32
"""Segments of a path: a schema that refers to itself has no last one."""


def removed_values(reader: SchemaText, writer: SchemaText) -> Iterator[Difference]:
    """Yield the columns whose enum has not all values that the writer's has, in the same place of both schemas.

    Raises InputInvalid for invalid JSON, TooMuchEffort where the schemas have too many places.
    """
    for before, after, path in _pairs(reader, writer):
        values, kept = before.get("enum"), after.get("enum")
        if isinstance(values, list) and isinstance(kept, list):
            known = {json.dumps(value, sort_keys=True) for value in kept}
            gone = [text for value in values if (text := json.dumps(value, sort_keys=True)) not in known]
            if gone:
                why = f"the reader lacks the values {', '.join(gone[:5])}"
                yield Difference(path, "ENUM_ARRAY_NARROWED", why)


_UNCOMPARED = ("propertyNames", "patternProperties", "contains", *_CONDITIONS)
"""Keywords that a registry takes in any form, and that reject documents all the same."""


def uncompared(reader: SchemaText, writer: SchemaText) -> Iterator[Difference]:
    """Yield the conditions of the reader's schema that the writer's has not or otherwise, and no registry compares.

    Raises what `removed_values` does.
    """
    for before, after, path in _pairs(reader, writer):
        changed = [word for word in _UNCOMPARED if word in after and before.get(word) != after[word]]
        if changed:
            yield undecided(f"a registry does not compare {', '.join(changed)}, and readers may reject documents", path)


def _pairs(reader: SchemaText, writer: SchemaText) -> Iterator[tuple[Json, Json, ColumnPath]]:
    """Yield the schemas that are objects in the same place of both texts: the writer's, the reader's, the path."""
    old, new = (References(read_json(text.text), text.references.get) for text in (writer, reader))
    effort = Effort()
    waiting: deque[tuple[Located, Located, ColumnPath]] = deque([(old.root, new.root, ())])
    seen: set[tuple[int, int]] = set()
    while waiting:
        before, after, path = waiting.popleft()
        effort.spend(1)
        before, after = _target(old, before), _target(new, after)
        pair = id(before.schema), id(after.schema)
        if pair in seen:
            continue  # a schema that refers to itself: the shortest path counts
        seen.add(pair)
        if not isinstance(before.schema, dict) or not isinstance(after.schema, dict):
            continue
        yield before.schema, after.schema, path
        ours, theirs = dict(_inside(old, before)), dict(_inside(new, after))
        for place in ours.keys() & theirs.keys() if len(path) < _LONGEST else ():
            waiting.append((ours[place], theirs[place], (*path, *place[0])))


def _target(texts: References, place: Located) -> Located:
    """Return what a reference leads to; the place itself without a reference, or if it leads nowhere."""
    for _ in range(_LONGEST):
        reference = place.schema.get("$ref") if isinstance(place.schema, dict) else None
        target = texts.follow(reference, place) if isinstance(reference, str) else None
        if target is None:
            break
        place = target
    return place


def _inside(texts: References, place: Located) -> Iterator[tuple[tuple[ColumnPath, str], Located]]:
    """Yield the schemas inside one, each with the path to its column and what tells it from others there."""
    schema = place.schema
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield ((field_segment(name),), ""), texts.child(inner, place)
    for word, segment in (("items", ELEMENT), ("additionalProperties", MAP_VALUE)):
        if isinstance(schema.get(word), dict):
            yield ((segment,), ""), texts.child(schema[word], place)
    for word in ("allOf", "anyOf", "oneOf"):
        for number, inner in enumerate(schema[word] if isinstance(schema.get(word), list) else ()):
            yield ((), f"{word} {number}"), texts.child(inner, place)
