"""Parse the types of streaming engines, as `struct<id bigint, "Tags" character varying[]>`, into shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape
from scanner_model.columns import ELEMENT, MAP_VALUE, field_segment

_LONGEST = 20_000
_SIGN = re.compile(r'"(?:[^"]|"")*"|[<>(),]')
_STRUCT = re.compile(r"struct<(.*)>", re.DOTALL | re.IGNORECASE)
_MAP = re.compile(r"map\((.*)\)", re.DOTALL | re.IGNORECASE)
_MEMBER = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>\w+))\s+(?P<type>\S.*)', re.DOTALL)
_SIZED = re.compile(r"(?P<word>\w[\w ]*)\((?P<size>[\d, ]+)\)")


@lru_cache(maxsize=4_096)
def engine_type(text: str) -> Shape:
    """Parse a type; one that cannot be parsed keeps its text as its word. Source: RisingWave, `DataType`."""
    return _parsed(text.strip(), 1) if len(text) <= _LONGEST else Shape(word=text[:_LONGEST])


def _parsed(text: str, depth: int) -> Shape:
    if depth > DEEPEST:
        return Shape(word=text)
    if text.endswith("[]"):
        element = _parsed(text[:-2].rstrip(), depth + 1)
        return Shape(word="array", parts=(Part(segment=ELEMENT, shape=element),))
    if match := _STRUCT.fullmatch(text):
        members = tuple(_members(match[1], depth + 1))
        return Shape(word="struct", parts=members) if members else Shape(word=text)
    if (match := _MAP.fullmatch(text)) and len(types := list(_items(match[1]))) == 2:
        return Shape(word="map", parts=(Part(segment=MAP_VALUE, shape=_parsed(types[1], depth + 1)),))
    if match := _SIZED.fullmatch(text):
        return Shape(word=match["word"].rstrip(), logical=text.replace(" (", "(").replace(", ", ","))
    return Shape(word=text)


def _members(text: str, depth: int) -> Iterator[Part]:
    """Yield the members of a struct; one without a name is left out."""
    for item in _items(text):
        if match := _MEMBER.fullmatch(item):
            name = match["plain"] or match["quoted"].replace('""', '"')
            yield Part(segment=field_segment(name), shape=_parsed(match["type"], depth))


def _items(text: str) -> Iterator[str]:
    """Split at commas outside of brackets and quotes."""
    start = depth = 0
    for sign in _SIGN.finditer(text):
        depth += (sign[0] in "<(") - (sign[0] in ">)")
        if sign[0] == "," and depth == 0:
            yield text[start : sign.start()].strip()
            start = sign.end()
    if last := text[start:].strip():
        yield last
