"""Parse ClickHouse's types, as `Map(String, Array(Tuple(id UInt64, at Nullable(DateTime))))`, into shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape
from scanner_model.columns import ELEMENT, MAP_VALUE, element, field_segment

_LONGEST = 100_000
_WRAPPERS = frozenset({"LowCardinality", "Nullable"})
_ENUMS = frozenset({"Enum", "Enum8", "Enum16", "JSON", "Object", "Dynamic"})
"""Types whose arguments are values or limits, not a size."""
_SIGN = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[(),]", re.DOTALL)
_MEMBER = re.compile(r"\s*(?:`(?P<quoted>(?:[^`\\]|\\.)*)`|(?P<plain>[A-Za-z_]\w*))\s+(?P<type>[A-Za-z].*)", re.DOTALL)
_TYPE = re.compile(r"\s*(?P<word>[A-Za-z]\w*)\s*(?:\((?P<arguments>.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ClickHouseType:
    """A type without `Nullable` and `LowCardinality`, and whether a value may be NULL."""

    shape: Shape
    nullable: bool = False


@lru_cache(maxsize=4_096)
def clickhouse_type(text: str) -> ClickHouseType:
    """Parse a type; one that cannot be parsed keeps its text as its word. Source: ClickHouse, Data types."""
    if len(text) > _LONGEST:
        return ClickHouseType(Shape(word=text[:_LONGEST]))
    return _parsed(text, 1)


def _parsed(text: str, depth: int) -> ClickHouseType:
    match = _TYPE.fullmatch(text)
    if not match or depth > DEEPEST:
        return ClickHouseType(Shape(word=text.strip()))
    word, written = match["word"], match["arguments"]
    if written is None:
        return ClickHouseType(Shape(word=word))
    arguments = tuple(_arguments(written))
    if word in _WRAPPERS and len(arguments) == 1:
        inner = _parsed(arguments[0], depth + 1)
        return ClickHouseType(inner.shape, nullable=inner.nullable or word == "Nullable")
    if word == "SimpleAggregateFunction" and len(arguments) == 2:
        return _parsed(arguments[1], depth + 1)
    return ClickHouseType(_shape(word, arguments, depth + 1))


def _shape(word: str, arguments: tuple[str, ...], depth: int) -> Shape:
    match word, len(arguments):
        case "Array", 1:
            return Shape(word=word, parts=(_part(ELEMENT, arguments[0], depth),))
        case "Map", 2:
            return Shape(word=word, parts=(_part(MAP_VALUE, arguments[1], depth),))
        case "Tuple", _:
            return Shape(word=word, parts=tuple(_members(arguments, depth)))
        case "Nested", _:
            inside = Shape(word="Tuple", parts=tuple(_members(arguments, depth)))
            return Shape(word=word, parts=(Part(segment=ELEMENT, shape=inside, nullable=False),))
        case "Variant", _:
            types = (_parsed(argument, depth).shape for argument in arguments)
            return Shape(word=word, branches=tuple(shape.logical or shape.word for shape in types))
        case _:
            return Shape(word=word, logical=None if word in _ENUMS else f"{word}({','.join(arguments)})")


def _members(arguments: tuple[str, ...], depth: int) -> Iterator[Part]:
    """Yield the members of a tuple: by name, or by position where they have none."""
    for index, argument in enumerate(arguments):
        if match := _MEMBER.fullmatch(argument):
            name = match["plain"] or re.sub(r"\\(.)", r"\1", match["quoted"], flags=re.DOTALL)
            yield _part(field_segment(name), match["type"], depth)
        else:
            yield _part(element(index), argument, depth)


def _part(segment: str, text: str, depth: int) -> Part:
    inner = _parsed(text, depth)
    return Part(segment=segment, shape=inner.shape, nullable=inner.nullable)


def _arguments(text: str) -> Iterator[str]:
    """Split at commas outside of brackets and quotes."""
    start = depth = 0
    for sign in _SIGN.finditer(text):
        depth += (sign[0] == "(") - (sign[0] == ")")
        if sign[0] == "," and depth == 0:
            yield text[start : sign.start()].strip()
            start = sign.end()
    if last := text[start:].strip():
        yield last
