"""Compares the keywords that limit single values: enum, const, bounds, patterns, multiples."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from scanner_extractor.evolution.differences import Difference
from scanner_extractor.evolution.json_schema.nodes import Node

Json = Any

_BOUNDS = (
    *(("maxLength", "MAX_LENGTH", 1), ("minLength", "MIN_LENGTH", -1), ("maximum", "MAXIMUM", 1)),
    *(("minimum", "MINIMUM", -1), ("exclusiveMaximum", "EXCLUSIVE_MAXIMUM", 1)),
    *(("exclusiveMinimum", "EXCLUSIVE_MINIMUM", -1), ("maxProperties", "MAX_PROPERTIES", 1)),
    *(("minProperties", "MIN_PROPERTIES", -1), ("maxItems", "MAX_ITEMS", 1), ("minItems", "MIN_ITEMS", -1)),
    *(("maxContains", "MAX_CONTAINS", 1), ("minContains", "MIN_CONTAINS", -1)),
)
"""Keyword, the registry's word, and 1 where a larger value allows more."""


def compare_values(old: Node, new: Node) -> Iterator[Difference]:
    """Yield which values *old* allows and *new* does not; both are of one kind."""
    before, after = old.body, new.body
    if old.kind == "enum":
        yield from _enum(before["enum"], after["enum"])
    elif old.kind == "const" and _text(before["const"]) != _text(after["const"]):
        yield Difference((), "ENUM_ARRAY_CHANGED", "the constant differs")
    elif old.kind == "number" and after.get("type") == "integer" and before.get("type") != "integer":
        yield Difference((), "TYPE_NARROWED", "a number is not an integer")
    for keyword, word, direction in _BOUNDS:
        yield from _bound(before.get(keyword), after.get(keyword), word, direction)
    yield from _multiple(before.get("multipleOf"), after.get("multipleOf"))
    if "pattern" in after and before.get("pattern") != after["pattern"]:
        yield Difference((), f"PATTERN_{'CHANGED' if 'pattern' in before else 'ADDED'}", "the pattern differs")


def _enum(before: Json, after: Json) -> Iterator[Difference]:
    known = set(map(_text, after)) if isinstance(after, list) else set()
    missing = [value for value in before if _text(value) not in known] if isinstance(before, list) else []
    if missing:
        yield Difference((), "ENUM_ARRAY_NARROWED", f"the reader lacks the values {_shown(missing)}")


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
        return
    before, after = Fraction(str(old)), Fraction(str(new))
    if before % after:
        word = "MULTIPLE_OF_EXPANDED" if before and not after % before else "MULTIPLE_OF_CHANGED"
        yield Difference((), word, f"it was {old} and is {new}")


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _shown(values: Sequence[Json]) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:5])
