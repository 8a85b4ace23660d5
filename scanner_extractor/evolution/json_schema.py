"""JSON Schema's evolution as Confluent's registry judges it: whether documents that one schema allows, another allows.

Source: Confluent's documentation, "JSON Schema compatibility rules" (open, closed and partially open content models),
and recorded answers of a registry 8.3.1; the words for differences are the registry's. Keywords that are not compared
here (`if`, `patternProperties`, `dependencies`, `unevaluatedProperties`, …) leave a pair undecided where they differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scanner_extractor.evolution.differences import Difference, SchemaText, undecided, within
from scanner_extractor.formats.json_schema.references import Located, References
from scanner_extractor.formats.limits import read_json
from scanner_model.columns import MAP_VALUE, element

Json = Any

_BY_KEYWORD = (
    ("object", ("properties", "required", "additionalProperties", "minProperties", "maxProperties")),
    ("array", ("items", "minItems", "maxItems", "uniqueItems")),
    ("string", ("minLength", "maxLength", "pattern")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)
"""Type → keywords that mean it where no type is written."""

_COMBINED = ("allOf", "anyOf", "oneOf")
_UNCOMPARED = (
    *("if", "then", "else", "not", "patternProperties", "dependencies", "dependentRequired", "dependentSchemas"),
    *("unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains", "propertyNames"),
    *("prefixItems", "additionalItems", "$dynamicRef", "$recursiveRef"),
)
_BOUNDS = (
    *(("maxLength", "MAX_LENGTH", 1), ("minLength", "MIN_LENGTH", -1), ("maximum", "MAXIMUM", 1)),
    *(("minimum", "MINIMUM", -1), ("exclusiveMaximum", "EXCLUSIVE_MAXIMUM", 1)),
    *(("exclusiveMinimum", "EXCLUSIVE_MINIMUM", -1), ("maxProperties", "MAX_PROPERTIES", 1)),
    *(("minProperties", "MIN_PROPERTIES", -1), ("maxItems", "MAX_ITEMS", 1), ("minItems", "MIN_ITEMS", -1)),
)
"""Keyword, the registry's word, and 1 where a larger value allows more."""

_MOST_REFERENCES = 64


def differences(reader: SchemaText, writer: SchemaText) -> tuple[Difference, ...]:
    """Return why *reader* does not allow every document that *writer* allows; empty where it does.

    Raises InputInvalid where a text is no JSON.
    """
    update, original = (References(read_json(schema.text), schema.references.get) for schema in (reader, writer))
    comparison = _Comparison()
    return comparison.compare(_node(original.root, original), _node(update.root, update))


@dataclass(frozen=True, slots=True)
class _Node:
    """One schema without its reference: its *kind*, its JSON, and its parts where it combines several."""

    kind: str
    body: dict[str, Json]
    place: Located
    texts: References
    parts: tuple[_Node, ...] = ()

    def inner(self, body: Json) -> _Node:
        """Return the schema that *body* inside this one means."""
        return _node(self.texts.child(body, self.place), self.texts)


def _node(place: Located, texts: References) -> _Node:
    for _ in range(_MOST_REFERENCES):
        body = place.schema
        if not (isinstance(body, dict) and isinstance(body.get("$ref"), str)):
            break
        target = texts.follow(body["$ref"], place)
        if target is None:
            return _Node("?", body, place, texts)
        place = target
    if not isinstance(place.schema, dict):
        return _Node("false" if place.schema is False else "any", {}, place, texts)
    return _joined(tuple(_parts(place, texts)), "allOf", place, texts)


def _joined(parts: tuple[_Node, ...], criterion: str, place: Located, texts: References) -> _Node:
    if len(parts) == 1:
        return parts[0]
    return _Node(criterion if parts else "any", place.schema, place, texts, parts)


def _parts(place: Located, texts: References) -> Iterator[_Node]:
    """Yield what a schema demands, as the registry's library takes it apart: its type, enum, const, combinations."""
    body: dict[str, Json] = place.schema
    words = body.get("type")
    if isinstance(words, list):
        branches = tuple(_Node(_word(str(word)), body | {"type": word}, place, texts) for word in words)
        yield _joined(branches, "anyOf", place, texts)
    elif isinstance(words, str):
        yield _Node(_word(words), body, place, texts)
    elif kind := next((kind for kind, keywords in _BY_KEYWORD if any(word in body for word in keywords)), None):
        yield _Node(kind, body, place, texts)
    for keyword in ("enum", "const", "not"):
        if keyword in body and (keyword != "enum" or isinstance(body["enum"], list)):
            yield _Node(keyword, body, place, texts)
    for keyword in _COMBINED:
        if isinstance(body.get(keyword), list):
            members = tuple(_node(texts.child(member, place), texts) for member in body[keyword])
            yield _Node(keyword, body, place, texts, members)


def _word(name: str) -> str:
    return "number" if name == "integer" else name


class _Comparison:
    """Compares pairs of schemas, the written (*old*) with the reader's (*new*). Paths are relative to the pair."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, str, int], tuple[Difference, ...]] = {}

    def compare(self, old: _Node, new: _Node) -> tuple[Difference, ...]:
        """Return what *old* allows and *new* does not; a pair inside itself adds nothing."""
        pair = (old.kind, id(old.place.schema), new.kind, id(new.place.schema))
        if pair in self._known:
            return self._known[pair][:1]
        self._known[pair] = ()
        self._known[pair] = tuple(self._pair(old, new))
        return self._known[pair]

    def _allows(self, old: _Node, new: _Node) -> bool:
        return not self.compare(old, new)

    def _pair(self, old: _Node, new: _Node) -> Iterator[Difference]:
        if "?" in (old.kind, new.kind):
            missing = old if old.kind == "?" else new
            yield undecided(f"$ref {missing.body.get('$ref')!r} leads to no text that is known")
            return
        if self._one_allows(old, new):
            return
        both_combined = bool(old.parts and new.parts)
        if old.kind != new.kind and not both_combined:
            if old.kind != "false" and new.kind != "any":
                yield Difference((), "TYPE_CHANGED", f"{old.kind} is not {new.kind}")
            return
        if both_combined:
            yield from self._combined(old, new)
            return
        yield from _values(old, new)
        yield from _not_compared(old, new)
        if old.kind == "object":
            yield from self._object(old, new)
        elif old.kind == "array":
            yield from self._items(old, new)

    def _one_allows(self, old: _Node, new: _Node) -> bool:
        """Return whether one branch decides: of a choice on the new side, of a conjunction on the old."""
        if new.parts and not old.parts and (len(new.parts) == 1 or new.kind != "allOf"):
            return any(self._allows(old, part) for part in new.parts)
        if old.parts and not new.parts and (len(old.parts) == 1 or old.kind == "allOf"):
            return any(self._allows(part, new) for part in old.parts)
        return False

    def _combined(self, old: _Node, new: _Node) -> Iterator[Difference]:
        ours, theirs = _distinct(new.parts), _distinct(old.parts)
        if not _criteria_allow(old, new):
            yield Difference((), "COMBINED_TYPE_CHANGED", f"{old.kind} is not {new.kind}")
            return
        if len(theirs) < len(ours) and new.kind == "allOf":
            yield Difference((), "PRODUCT_TYPE_EXTENDED", "more is demanded of each value")
        if len(theirs) > len(ours) and old.kind != "allOf":
            yield Difference((), "SUM_TYPE_NARROWED", "a branch was removed")
        if self._matched(theirs, ours) < min(len(theirs), len(ours)):
            yield Difference((), "COMBINED_TYPE_SUBSCHEMAS_CHANGED", "the branches, or the values of an enum, differ")

    def _matched(self, old: Sequence[_Node], new: Sequence[_Node]) -> int:
        """Count how many branches can be paired so that the new one of each pair allows the old one."""
        allowed = [[index for index, branch in enumerate(new) if self._allows(other, branch)] for other in old]
        partner: dict[int, int] = {}

        def find(index: int, tried: set[int]) -> bool:
            for candidate in allowed[index]:
                if candidate not in tried:
                    tried.add(candidate)
                    if candidate not in partner or find(partner[candidate], tried):
                        partner[candidate] = index
                        return True
            return False

        return sum(find(index, set()) for index in range(len(old)))

    def _object(self, old: _Node, new: _Node) -> Iterator[Difference]:
        before, after = _properties(old), _properties(new)
        needed, needed_before = _required(new), _required(old)
        for name in dict.fromkeys((*after, *before)):
            if name not in after:
                yield from self._removed(name, old.inner(before[name]), new)
            elif name not in before:
                yield from self._added(name, old, new.inner(after[name]), name in needed)
            else:
                yield from within(name, self.compare(old.inner(before[name]), new.inner(after[name])))
                if name in needed - needed_before and not _has_default(after[name]):
                    yield Difference((name,), "REQUIRED_ATTRIBUTE_ADDED", "it is required, and data may lack it")
        yield from self._additional(old, new)

    def _added(self, name: str, old: _Node, new: _Node, required: bool) -> Iterator[Difference]:
        model = _others(old)
        word = "REQUIRED" if required else "OPTIONAL"
        if model is None:
            yield undecided(
                "whether old data may hold it depends on patternProperties or unevaluatedProperties", (name,)
            )
            return
        if model is True:
            if new.kind != "any":
                what = "old data were open to other properties, and may hold it with another type"
                yield Difference((name,), f"{word}_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL", what)
            return
        if model is not False and (inside := self.compare(old.inner(model), new)):
            what = "old data may hold it with another type"
            yield Difference((name,), "PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL", what)
            yield from within(name, inside)
        if required and not _has_default(new.place.schema):
            what = "it is required, and data may lack it"
            yield Difference((name,), "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL", what)

    def _removed(self, name: str, old: _Node, new: _Node) -> Iterator[Difference]:
        model = _others(new)
        if model is None:
            yield undecided(
                "whether it is still allowed depends on patternProperties or unevaluatedProperties", (name,)
            )
        elif model is False and old.kind != "false":
            what = "the reader is closed to other properties"
            yield Difference((name,), "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL", what)
        elif not isinstance(model, bool) and (inside := self.compare(old, new.inner(model))):
            what = "the reader allows other properties of another type only"
            yield Difference((name,), "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL", what)
            yield from within(name, inside)

    def _additional(self, old: _Node, new: _Node) -> Iterator[Difference]:
        before, after = (node.body.get("additionalProperties", True) for node in (old, new))
        if before is not False and after is False:
            yield Difference((), "ADDITIONAL_PROPERTIES_REMOVED", "the reader is closed to other properties")
        elif before is True and isinstance(after, dict):
            what = "the reader limits the type of other properties"
            yield Difference((), "ADDITIONAL_PROPERTIES_NARROWED", what)
        elif isinstance(before, dict) and isinstance(after, dict):
            yield from within(MAP_VALUE, self.compare(old.inner(before), new.inner(after)))

    def _items(self, old: _Node, new: _Node) -> Iterator[Difference]:
        before, after = (node.body.get("items") for node in (old, new))
        if isinstance(before, list) or isinstance(after, list):
            if before != after:
                yield undecided("the items of a tuple differ")
        elif before is None and after is not None:
            yield Difference((element(),), "SCHEMA_ADDED", "the reader limits the type of elements")
        elif before is not None and after is not None:
            yield from within(element(), self.compare(old.inner(before), new.inner(after)))
        if new.body.get("uniqueItems") is True and old.body.get("uniqueItems") is not True:
            yield Difference((), "UNIQUE_ITEMS_ADDED", "the reader demands that elements differ")


def _values(old: _Node, new: _Node) -> Iterator[Difference]:
    """Compare the keywords that limit single values."""
    if old.kind == "enum":
        missing = [value for value in old.body["enum"] if value not in new.body["enum"]]
        if missing:
            yield Difference((), "ENUM_ARRAY_NARROWED", f"the reader lacks the values {_shown(missing)}")
    if old.kind == "const" and old.body["const"] != new.body["const"]:
        yield Difference((), "ENUM_ARRAY_CHANGED", "the constant differs")
    if old.kind == "number" and new.body.get("type") == "integer" and old.body.get("type") != "integer":
        yield Difference((), "TYPE_NARROWED", "a number is not an integer")
    if old.kind in ("string", "number", "object", "array"):
        for keyword, word, direction in _BOUNDS:
            yield from _bound(old.body.get(keyword), new.body.get(keyword), word, direction)
        yield from _multiple(old.body.get("multipleOf"), new.body.get("multipleOf"))
        before, after = old.body.get("pattern"), new.body.get("pattern")
        if after is not None and before != after:
            yield Difference((), f"PATTERN_{'ADDED' if before is None else 'CHANGED'}", "the pattern differs")


def _bound(old: Json, new: Json, word: str, direction: int) -> Iterator[Difference]:
    if not _is_number(new):
        return
    if not _is_number(old):
        yield Difference((), f"{word}_ADDED", "the reader has a limit that data do not keep")
    elif (new - old) * direction < 0:
        yield Difference((), f"{word}_{'DECREASED' if direction > 0 else 'INCREASED'}", f"it was {old} and is {new}")


def _multiple(old: Json, new: Json) -> Iterator[Difference]:
    if not _is_number(new) or not new:
        return
    if not _is_number(old):
        yield Difference((), "MULTIPLE_OF_ADDED", "the reader has a limit that data do not keep")
    elif old != new and old % new:
        word = "MULTIPLE_OF_EXPANDED" if old and not new % old else "MULTIPLE_OF_CHANGED"
        yield Difference((), word, f"it was {old} and is {new}")


def _not_compared(old: _Node, new: _Node) -> Iterator[Difference]:
    keywords = [word for word in _UNCOMPARED if old.body.get(word) != new.body.get(word)]
    if keywords:
        yield undecided(f"{', '.join(keywords)}: the effect of these keywords is not compared")


def _criteria_allow(old: _Node, new: _Node) -> bool:
    single, was_single = len(new.parts) == 1, len(old.parts) == 1
    if old.kind == new.kind or new.kind == "anyOf":
        return True
    return (single and was_single) or (was_single and new.kind == "oneOf") or (single and old.kind == "allOf")


def _distinct(parts: tuple[_Node, ...]) -> list[_Node]:
    by_text = {(part.kind, json.dumps(part.body, sort_keys=True)): part for part in parts}
    return list(by_text.values())


def _others(node: _Node) -> Json:
    """Return what an object allows beside its properties: True, False, a schema; None where that is not known."""
    if "patternProperties" in node.body or "unevaluatedProperties" in node.body:
        return None
    return node.body.get("additionalProperties", True)


def _properties(node: _Node) -> dict[str, Json]:
    listed = node.body.get("properties")
    return listed if isinstance(listed, dict) else {}


def _required(node: _Node) -> frozenset[str]:
    listed = node.body.get("required")
    return frozenset(str(name) for name in listed) if isinstance(listed, list) else frozenset()


def _has_default(schema: Json) -> bool:
    return isinstance(schema, dict) and "default" in schema


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(values: Sequence[Json]) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:5])
