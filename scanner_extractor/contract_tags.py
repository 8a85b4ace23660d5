"""Tags of data contracts: which columns the patterns of a version's metadata mean, by the rules of Confluent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from scanner_model.columns import Column, ParsedSchema
from scanner_model.names import RecordName
from scanner_model.paths import ELEMENT, MAP_VALUE, ColumnPath, element, field_name, is_branch

TagPatterns = tuple[tuple[str, tuple[str, ...]], ...]


def with_tags(schema: ParsedSchema, format_name: str, patterns: TagPatterns) -> Sequence[Column]:
    """Return the columns of *schema* with the tags of every pattern that matches a field's full name.

    In Avro and Protobuf that is the full name of the record that declares the field, a dot, and the field; in JSON
    Schema its path from `$`. Elements, map values and branches of unions are no fields, and have no such name.
    """
    if not patterns:
        return schema.columns
    return tuple(_tagged(column, _full_name(column.path, schema, format_name), patterns) for column in schema.columns)


def matches(pattern: str, name: str) -> bool:
    """Check whether a pattern of Confluent's matches a whole name.

    `*` is any characters but a dot, `**` any characters, `?` one character but a dot. Brackets are a set of characters
    to Confluent, so that `$.a[0].b` does not match the path that is written so; no pattern with brackets matches here.
    Anybody writes a contract: matching tracks the positions that each piece can end at, so that no pattern takes long.
    """
    if "[" in pattern or "]" in pattern:
        return False
    ends = {0}
    for piece in _pieces(pattern):
        if not ends:
            return False
        ends = _ends(piece, name, ends)
    return len(name) in ends


def _tagged(column: Column, name: str, patterns: TagPatterns) -> Column:
    found = [tag for pattern, tags in patterns if name and matches(pattern, name) for tag in tags]
    return replace(column, tags=tuple(dict.fromkeys((*column.tags, *found)))) if found else column


def _full_name(path: ColumnPath, schema: ParsedSchema, format_name: str) -> str:
    """Return the name that Confluent knows a field by; empty for what is no field."""
    own = field_name(path[-1]) if path else None
    if own is None:
        return ""
    if format_name == "JSON":
        return _json_path(path)
    holders = schema.holders or {(): schema.name}
    holder = holders.get(path[:-1], RecordName(""))
    return f"{holder}.{own}" if holder else ""


def _json_path(path: ColumnPath) -> str:
    """Return a JSON path, of the first element where there are many; empty where Confluent does not look."""
    written = "$"
    for segment in path:
        name = field_name(segment)
        if name is not None:
            written += f".{name}"
        elif segment == MAP_VALUE:
            return ""
        elif not is_branch(segment):
            written += element(0) if segment == ELEMENT else segment
    return written


@lru_cache(maxsize=1024)
def _pieces(pattern: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"(\*\*|\*|\?)", pattern.replace("**.*", "**"))))


def _ends(piece: str, name: str, starts: set[int]) -> set[int]:
    if piece == "?":
        return {at + 1 for at in starts if name[at : at + 1] not in ("", ".")}
    if piece == "**":
        return set(range(min(starts), len(name) + 1))
    if piece == "*":
        return {end for at in starts for end in range(at, _next_dot(name, at) + 1)}
    return {at + len(piece) for at in starts if name.startswith(piece, at)}


def _next_dot(name: str, at: int) -> int:
    found = name.find(".", at)
    return len(name) if found < 0 else found
