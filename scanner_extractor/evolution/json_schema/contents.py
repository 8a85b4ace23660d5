"""Compares objects and arrays: properties, elements, and what they allow beside those (their content model)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any

import regex

from scanner_extractor.evolution.differences import Difference, Effort, undecided, within
from scanner_extractor.evolution.json_schema.nodes import ANY, Node, is_reference
from scanner_model.columns import MAP_VALUE, element
from scanner_model.documents.pattern_limits import TimeLimit, TookTooLong, is_too_large, shown

Json = Any

_ABSENT = object()
_OPEN = "old data were open to other properties, and may hold it with another type"
_OTHER_TYPE = "old data may hold it with another type"
_LACKING = "it is required, and data may lack it"
_LIMITED = "the reader allows others of another type only"
_CLOSED = "the reader is closed to others"


class _NotKnown(Exception):
    """Raised where a pattern cannot be evaluated."""


class Contents:
    """Compares objects and arrays with *compare*, which compares two schemas."""

    def __init__(self, compare: Callable[[Node, Node], tuple[Difference, ...]], effort: Effort) -> None:
        self._compare = compare
        self._effort = effort
        self._patterns: dict[str, regex.Pattern[str] | None] = {}
        self._limit = TimeLimit(total=1.0)

    def objects(self, old: Node, new: Node) -> Iterator[Difference]:
        """Yield what two objects differ in, beside the number of properties."""
        before, after = _properties(old), _properties(new)
        needed, needed_before = _required(new), _required(old)
        for name in dict.fromkeys((*after, *before)):
            try:
                if name not in after:
                    yield from within(name, self._removed(name, old.inner(before[name]), before[name], new))
                elif name not in before:
                    yield from within(name, self._added(name, old, new, name in needed))
                else:
                    yield from within(name, self._compare(old.inner(before[name]), new.inner(after[name])))
                    if name in needed - needed_before and not _has_default(after[name], new):
                        yield Difference((name,), "REQUIRED_ATTRIBUTE_ADDED", _LACKING)
            except _NotKnown as error:
                yield undecided(str(error), (name,))
        yield from self._additional(old, new, "Properties")
        yield from self._unevaluated(old, new, "Properties")
        yield from self._dependencies(old, new)

    def _added(self, name: str, old: Node, new: Node, required: bool) -> Iterator[Difference]:
        schema = _properties(new)[name]
        has_default = _has_default(schema, new)
        model = self._property_model(old, name)
        if model is True:
            if not _is_empty(schema, new):
                word = ("REQUIRED_PROPERTY_WITH_DEFAULT" if has_default else "REQUIRED_PROPERTY") if required else ""
                yield Difference((), f"{word or 'OPTIONAL_PROPERTY'}_ADDED_TO_OPEN_CONTENT_MODEL", _OPEN)
            return
        if model is not False:
            yield from self._covered((old.inner(model), new.inner(schema)), "PROPERTY_ADDED", _OTHER_TYPE)
        if required and not has_default:
            yield Difference((), "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL", _LACKING)

    def _removed(self, name: str, old: Node, schema: Json, new: Node) -> Iterator[Difference]:
        model = self._property_model(new, name)
        if model is False and schema is not False:
            yield Difference((), "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL", _CLOSED)
        elif not isinstance(model, bool):
            yield from self._covered((old, new.inner(model)), "PROPERTY_REMOVED", _LIMITED)

    def _covered(self, pair: tuple[Node, Node], word: str, why: str) -> Iterator[Difference]:
        """Yield why the schema of others does not cover a property or an element that was added or removed."""
        inside = self._compare(*pair)
        if any(difference.certain for difference in inside):
            yield Difference((), f"{word}_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL", why)
        yield from inside

    def _property_model(self, node: Node, name: str) -> Json:
        """Return what an object allows a property that it does not list: True, False, or a schema.

        Raises _NotKnown where a pattern cannot be evaluated.
        """
        patterns = node.body.get("patternProperties")
        patterns = patterns if isinstance(patterns, dict) else {}
        for pattern, schema in patterns.items():
            if self._matches(pattern, name):
                return schema
        model = _others(node, "Properties")
        return False if model is True and patterns else model

    def _matches(self, pattern: str, name: str) -> bool:
        self._effort.spend(1)
        if pattern not in self._patterns:
            self._patterns[pattern] = _compiled(pattern)
        compiled = self._patterns[pattern]
        try:
            if compiled is not None:
                return self._limit.run(compiled.search, name, pattern) is not None
        except TookTooLong:
            self._patterns[pattern] = None
        raise _NotKnown(f"the pattern {shown(pattern)} of patternProperties cannot be evaluated")

    def _additional(self, old: Node, new: Node, what: str) -> Iterator[Difference]:
        before, after = (node.body.get(f"additional{what}", True) for node in (old, new))
        word = f"ADDITIONAL_{what.upper()}"
        if before is not False and after is False:
            yield Difference((), f"{word}_REMOVED", _CLOSED)
        elif before is True and isinstance(after, dict):
            yield Difference((), f"{word}_NARROWED", "the reader limits the type of others")
        elif isinstance(before, dict) and isinstance(after, dict):
            step = MAP_VALUE if what == "Properties" else element()
            yield from within(step, self._compare(old.inner(before), new.inner(after)))

    def _unevaluated(self, old: Node, new: Node, what: str) -> Iterator[Difference]:
        before, after = (node.body.get(f"unevaluated{what}", _ABSENT) for node in (old, new))
        word = f"UNEVALUATED_{what.upper()}"
        if after is _ABSENT or before is False:
            return
        if after is False:
            yield Difference((), f"{word}_REMOVED", _CLOSED)
        elif before is _ABSENT or (_is_empty(before, old) and not _is_empty(after, new)):
            yield Difference((), f"{word}_NARROWED", "the reader limits the type of others")
        elif not _is_empty(after, new):
            yield from within(MAP_VALUE, self._compare(old.inner(before), new.inner(after)))

    def _dependencies(self, old: Node, new: Node) -> Iterator[Difference]:
        for name, names in _mapping(new, "dependentRequired").items():
            before = _mapping(old, "dependentRequired").get(name) or ()
            if not set(map(str, names)) <= set(map(str, before)):
                change = "EXTENDED" if before and set(map(str, before)) <= set(map(str, names)) else "CHANGED"
                rule = f"DEPENDENCY_ARRAY_{change if before else 'ADDED'}"
                yield Difference((name,), rule, "data that have it may lack what it now depends on")
        for name, schema in _mapping(new, "dependentSchemas").items():
            known = _mapping(old, "dependentSchemas")
            if name not in known:
                yield Difference((name,), "DEPENDENCY_SCHEMA_ADDED", "data that have it may not fit the schema")
            else:
                yield from self._compare(old.inner(known[name]), new.inner(schema))

    def arrays(self, old: Node, new: Node) -> Iterator[Difference]:
        """Yield what two arrays differ in, beside the number of elements."""
        before, after = (node.body.get("items", _ABSENT) for node in (old, new))
        if before is _ABSENT and after is not _ABSENT:
            yield Difference((element(),), "SCHEMA_ADDED", "the reader limits the type of elements")
        elif before is not _ABSENT and after is not _ABSENT:
            yield from within(element(), self._compare(old.inner(before), new.inner(after)))
        for ours, theirs in zip_longest(_tuple(old), _tuple(new), fillvalue=_ABSENT):
            yield from within(element(), self._item((ours, theirs), old, new))
        yield from self._additional(old, new, "Items")
        yield from self._unevaluated(old, new, "Items")
        if new.body.get("uniqueItems") is True and old.body.get("uniqueItems") is not True:
            yield Difference((), "UNIQUE_ITEMS_ADDED", "the reader demands that elements differ")

    def _item(self, schemas: tuple[Json, Json], old: Node, new: Node) -> Iterable[Difference]:
        """Compare one element of a tuple; a side that has fewer has none."""
        before, after = schemas
        if before is not _ABSENT and after is not _ABSENT:
            return self._compare(old.inner(before), new.inner(after))
        if after is _ABSENT:
            model = _others(new, "Items")
            if not isinstance(model, bool):
                return self._covered((old.inner(before), new.inner(model)), "ITEM_REMOVED", _LIMITED)
            removed = Difference((), "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL", _CLOSED)
            return () if model or before is False else (removed,)
        model = _others(old, "Items")
        if not isinstance(model, bool):
            return self._covered((old.inner(model), new.inner(after)), "ITEM_ADDED", _OTHER_TYPE)
        added = Difference((), "ITEM_ADDED_TO_OPEN_CONTENT_MODEL", _OTHER_TYPE)
        return (added,) if model and not _is_empty(after, new) else ()


def _compiled(pattern: str) -> regex.Pattern[str] | None:
    """Return a pattern that can be evaluated; None where it cannot."""
    try:
        return None if is_too_large(pattern) else regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError):
        return None


def _others(node: Node, what: str) -> Json:
    """Return what an object or array allows beside what it lists: True, False, or a schema."""
    additional = node.body.get(f"additional{what}", True)
    if additional is not True:
        return additional
    unevaluated = node.body.get(f"unevaluated{what}", True)
    return True if _is_empty(unevaluated, node) else unevaluated


def _is_empty(schema: Json, node: Node) -> bool:
    """Return whether *schema* itself allows anything; a reference does not, wherever it leads."""
    return not is_reference(schema) and node.inner(schema).kind == ANY


def _has_default(schema: Json, node: Node) -> bool:
    """Return whether *schema* has a default; beside a reference, it counts from draft 2019-09 on."""
    written = isinstance(schema, dict) and "default" in schema
    return written and (node.place.resource.dialect.modern or not is_reference(schema))


def _mapping(node: Node, keyword: str) -> dict[str, Json]:
    listed = node.body.get(keyword)
    return listed if isinstance(listed, dict) else {}


def _properties(node: Node) -> dict[str, Json]:
    return _mapping(node, "properties")


def _required(node: Node) -> frozenset[str]:
    listed = node.body.get("required")
    return frozenset(str(name) for name in listed) if isinstance(listed, list) else frozenset()


def _tuple(node: Node) -> list[Json]:
    listed = node.body.get("prefixItems")
    return listed if isinstance(listed, list) else []
