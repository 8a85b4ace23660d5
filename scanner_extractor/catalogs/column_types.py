"""Parse the types of Hive, Spark and similar engines, as `struct<a:array<int>>`, and what tables of catalogs share."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
from urllib.parse import urlsplit

from scanner_model.columns import ELEMENT, MAP_VALUE, Column, ColumnPath, field_segment
from scanner_model.documents.json_input import load_text
from scanner_model.payload import Json, Payload, canonical
from scanner_model.redaction import mask_config, mask_text

DEEPEST = 100
"""Levels of nesting that a type is followed; what is deeper is kept as its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A type: the catalog's *word*, what refines it, and the parts inside; *branches* are those of a union."""

    word: str
    logical: str | None = None
    parts: tuple[Part, ...] = ()
    branches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a type, or a column: *segment* is its step of a column path."""

    segment: str
    shape: Shape
    nullable: bool = True
    doc: str | None = None
    tags: tuple[str, ...] = ()


def columns_of(parts: Iterable[Part], path: ColumnPath = ()) -> Iterator[Column]:
    """List the columns of *parts*, parents before what is in them; no shape is deeper than DEEPEST."""
    for part in parts:
        column_path = (*path, part.segment)
        yield Column(
            path=column_path,
            type=part.shape.word,
            logical_type=part.shape.logical,
            nullable=part.nullable,
            doc=part.doc,
            tags=part.tags,
            branches=part.shape.branches,
        )
        yield from columns_of(part.shape.parts, column_path)


_LONGEST = 1_000_000
_WORD = re.compile(r"\s*(?P<word>[A-Za-z_]\w*(?:[ \t]+(?!(?i:comment|not)\b)[A-Za-z]\w*)*)\s*")
_ARGUMENTS = re.compile(r"\(\s*+(?P<arguments>[^()<>]{0,100}?)\s*\)\s*")
_NAME = re.compile(r"\s*(?:`(?P<quoted>(?:[^`]|``)*+)`\s*+|(?P<plain>[^:<>,`\s][^:<>,`]*+)):")
_NAME_BEFORE_SPACE = re.compile(r"\s*(?:`(?P<quoted>(?:[^`]|``)*)`|(?P<plain>[^:<>,`\s]+))\s+(?=[A-Za-z_])")
"""Some engines write `struct<a int(11)>`."""
_END = re.compile(r">\s*")
_NOT_NULL = re.compile(r"(?i:not\s+null)\s*")
_COMMENT = re.compile(r"(?i:comment)\s+(?:'(?P<single>(?:[^'\\]|\\.|'')*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\")\s*")
_ESCAPE = re.compile(r"(?:\\|'(?='))(.)", re.DOTALL)


class _Unreadable(ValueError):
    """Raised for an unknown type."""


@lru_cache(maxsize=1024)
def hive_shape(text: str) -> Shape | None:
    """Read a type; None if it is unknown or nested too deeply. Source: Hive, LanguageManual Types."""
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
    match = _NAME.match(text, at) or _NAME_BEFORE_SPACE.match(text, at)
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


class _SparkTypeUnreadable(ValueError):
    """Raised when a value is not a Spark type."""


def spark_shape(text: str) -> Shape | None:
    """Read a type, or the field that holds it; None where it is neither, or is nested too deeply.

    Source: Spark, `DataType.json`. Databricks writes a whole field, other servers of its API the type alone.
    """
    try:
        value = load_text(text)
        return _spark_type(value["type"] if isinstance(value, dict) and "name" in value else value, 1)
    except (ValueError, RecursionError, KeyError):
        return None


def _spark_type(value: Json, depth: int) -> Shape:
    match value:
        case str() if shape := hive_shape(value):
            return shape
        case {"type": str(kind)} if depth <= DEEPEST:
            return _spark_nested(kind, value, depth + 1)
        case _:
            raise _SparkTypeUnreadable


def _spark_nested(kind: str, value: Mapping[str, Json], depth: int) -> Shape:
    match kind, value:
        case "struct", {"fields": list(fields)}:
            return Shape(word=kind, parts=tuple(_field(field, depth) for field in fields))
        case "array", {"elementType": element}:
            nullable = value.get("containsNull") is not False
            return Shape(
                word=kind, parts=(Part(segment=ELEMENT, shape=_spark_type(element, depth), nullable=nullable),)
            )
        case "map", {"valueType": value_type}:
            nullable = value.get("valueContainsNull") is not False
            return Shape(
                word=kind, parts=(Part(segment=MAP_VALUE, shape=_spark_type(value_type, depth), nullable=nullable),)
            )
        case "udt", {"sqlType": inner}:
            return _spark_type(inner, depth)
        case _:
            raise _SparkTypeUnreadable


def _field(field: Json, depth: int) -> Part:
    match field:
        case {"name": str(name), "type": inner}:
            metadata = field.get("metadata")
            comment = metadata.get("comment") if isinstance(metadata, dict) else None
            return Part(
                segment=field_segment(name),
                shape=_spark_type(inner, depth),
                nullable=field.get("nullable") is not False,
                doc=comment if isinstance(comment, str) and comment else None,
            )
        case _:
            raise _SparkTypeUnreadable


_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs"}
_CONTAINER = re.compile(r"(?i:abfss?|wasbs?)://[^/:@?#\s]+@")
_KEYED = frozenset({"s3", "gs", "abfss", "wasbs"})
_ROOTED = frozenset({"hdfs", "dbfs"})


def moment(entry: Payload, *names: str) -> str:
    """Return a time of an entry as ISO 8601 in UTC, see `Payload.time`; empty if absent."""
    time = entry.time(*names)
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if time else ""


def parameters(members: Mapping[str, Json], read: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return members as sorted pairs of text, without *read* and empty ones; secrets are masked.

    By name and by what they are, as those of a connector's configuration; also inside of what is nested.
    """
    values = {
        name: _plain(value) for name, value in members.items() if name not in read and value not in (None, "", [], {})
    }
    return tuple(sorted((name, _plain(value)) for name, value in mask_config(values).items()))


def mask_location(location: str) -> str:
    """Return a location without what is secret in it; what stands before `@` in Azure's stores is a container."""
    container = _CONTAINER.match(location)
    return container[0] + mask_text(location[container.end() :]) if container else mask_text(location)


def location_name(location: str) -> tuple[str, str] | None:
    """Name the place of files as OpenLineage does; None if it is not a file address.

    Keys of object stores have no leading slash, other paths have one; none ends in one. Source: OpenLineage, naming.
    """
    scheme, mark, rest = mask_location(location).partition("://")
    scheme = _SCHEMES.get(scheme.lower(), scheme.lower())
    if not mark or scheme not in _KEYED | _ROOTED:
        return None
    authority, _, path = rest.partition("/")
    key = path.strip("/")
    return f"{scheme}://{authority}", (key if scheme in _KEYED and key else f"/{key}")


def server_namespace(scheme: str, address: str, port: int) -> str:
    """Return the OpenLineage namespace of a server at `host`, `host:port` or a URL; *port* is its usual one."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    host = parts.hostname or "localhost"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{parts.port or port}"


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else canonical(value)
