"""Reads Hive's type texts, as `struct<a:int,b:array<struct<c:decimal(10,2)>>>`, into shapes."""

from __future__ import annotations

import re
from functools import lru_cache

from scanner_extractor.catalogs.shapes import DEEPEST, Part, Shape
from scanner_model.paths import ELEMENT, MAP_VALUE, field_segment

_LONGEST = 1_000_000
_WORD = re.compile(r"\s*(?P<word>[A-Za-z_]\w*(?:[ \t]+(?!(?i:comment|not)\b)[A-Za-z]\w*)*)\s*")
_ARGUMENTS = re.compile(r"\(\s*(?P<arguments>[^()<>]{0,100}?)\s*\)\s*")
_NAME = re.compile(r"\s*(?:`(?P<quoted>(?:[^`]|``)*)`|(?P<plain>[^:<>,`\s][^:<>,`]*))\s*:")
_END = re.compile(r">\s*")
_NOT_NULL = re.compile(r"(?i:not\s+null)\s*")
_COMMENT = re.compile(r"(?i:comment)\s+(?:'(?P<single>(?:[^'\\]|\\.|'')*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\")\s*")
_ESCAPE = re.compile(r"(?:\\|'(?='))(.)", re.DOTALL)


class _Unreadable(ValueError):
    """Say that a text is no type that we know."""


@lru_cache(maxsize=1024)
def hive_shape(text: str) -> Shape | None:
    """Read a type; None where it is none that we know, or is nested too deeply. Source: Hive, LanguageManual Types."""
    if len(text) > _LONGEST:
        return None
    try:
        shape, at = _type(text, 0, 1)
    except _Unreadable:
        return None
    return shape if at == len(text) else None


def known_shape(text: str) -> Shape:
    """Read a type; one that cannot be read keeps its text as its word."""
    return hive_shape(text) or Shape(word=text)


def _type(text: str, at: int, depth: int) -> tuple[Shape, int]:
    match = _WORD.match(text, at)
    if not match or depth > DEEPEST:
        raise _Unreadable
    word, at = match["word"], match.end()
    if text.startswith("<", at):
        return _nested(word, text, at + 1, depth)
    arguments = _ARGUMENTS.match(text, at)
    if not arguments:
        return Shape(word=word), at
    numbers = ",".join(part.strip() for part in arguments["arguments"].split(","))
    return Shape(word=word, logical=f"{word}({numbers})"), arguments.end()


def _nested(word: str, text: str, at: int, depth: int) -> tuple[Shape, int]:
    kind = word.lower()
    parts: list[Part] = []
    while parts or kind != "struct" or not text.startswith(">", at):
        part, at = _part(kind, len(parts), text, at, depth)
        parts.append(part)
        if not text.startswith(",", at):
            break
        at += 1
    end = _END.match(text, at)
    if not end:
        raise _Unreadable
    return _shape(word, kind, tuple(parts)), end.end()


def _part(kind: str, number: int, text: str, at: int, depth: int) -> tuple[Part, int]:
    if kind != "struct":
        shape, at = _type(text, at, depth + 1)
        segment = ELEMENT if kind == "array" else MAP_VALUE if number else ""
        return Part(segment=segment, shape=shape), at
    match = _NAME.match(text, at)
    if not match:
        raise _Unreadable
    name = match["plain"].rstrip() if match["quoted"] is None else match["quoted"].replace("``", "`")
    shape, at = _type(text, match.end(), depth + 1)
    fixed = _NOT_NULL.match(text, at)
    at = fixed.end() if fixed else at
    comment = _COMMENT.match(text, at)
    doc = _ESCAPE.sub(r"\1", comment["single"] or comment["double"] or "") or None if comment else None
    part = Part(segment=field_segment(name), shape=shape, nullable=not fixed, doc=doc)
    return part, comment.end() if comment else at


def _shape(word: str, kind: str, parts: tuple[Part, ...]) -> Shape:
    match kind, len(parts):
        case ("struct", _) | ("array", 1):
            return Shape(word=word, parts=parts)
        case "map", 2:
            return Shape(word=word, parts=parts[1:])  # a key has no columns of its own
        case "uniontype", _:
            return Shape(word=word, branches=tuple(part.shape.logical or part.shape.word for part in parts))
        case _:
            raise _Unreadable
