"""Parse requests for schema texts, in this process or in bundles for others; tags of data contracts."""

from __future__ import annotations

import marshal
import pickle
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import overload

from scanner_extractor.formats import read_columns
from scanner_extractor.schemas.references import lookup_in
from scanner_model.columns import ELEMENT, MAP_VALUE, Column, ColumnPath, ParsedSchema, element, field_name, is_branch
from scanner_model.errors import Problem
from scanner_model.names import RecordName

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

    `*` is any characters but a dot, `**` any characters, `?` one character but a dot, and brackets hold a set of
    characters and ranges, so that `$.a[0].b` does not match the path that is written so (WildcardMatcher.java).
    Brackets that are nested, or not closed, match nothing. Anybody writes a contract: matching tracks the positions
    that each piece can end at, so that no pattern takes long.
    """
    pieces = _pieces(pattern)
    if any("[" in piece and not _SET.fullmatch(piece) for piece in pieces):
        return False
    ends = {0}
    for piece in pieces:
        if not ends:
            return False
        ends = _ends(piece, name, ends)
    return len(name) in ends


def _tagged(column: Column, name: str, patterns: TagPatterns) -> Column:
    matching = [tag for pattern, tags in patterns if name and matches(pattern, name) for tag in tags]
    if not matching:
        return column
    own = [tag for tag in column.tags if tag not in column.inherited_tags]
    inherited = tuple(tag for tag in column.inherited_tags if tag not in matching)
    return replace(column, tags=tuple(dict.fromkeys((*own, *matching, *inherited))), inherited_tags=inherited)


def _full_name(path: ColumnPath, schema: ParsedSchema, format_name: str) -> str:
    """Return the name that Confluent knows a field by; empty if it is not a field."""
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


_SET = re.compile(r"\[(\]?[^\[\]]+|\])\]")
_PIECES = re.compile(rf"({_SET.pattern.replace('(', '(?:')}|\*\*|\*|\?)")
_RANGES = re.compile(r"(.)-(.)|(.)", re.DOTALL)


@lru_cache(maxsize=1024)
def _pieces(pattern: str) -> tuple[str, ...]:
    return tuple(filter(None, _PIECES.split(pattern.replace("**.*", "**"))))


def _ends(piece: str, name: str, starts: set[int]) -> set[int]:
    if piece == "?":
        return {at + 1 for at in starts if name[at : at + 1] not in ("", ".")}
    if piece == "**":
        return set(range(min(starts), len(name) + 1))
    if piece == "*":
        return {end for at in starts for end in range(at, _next_dot(name, at) + 1)}
    if _SET.fullmatch(piece):
        return {at + 1 for at in starts if at < len(name) and _is_in(piece[1:-1], name[at])}
    return {at + len(piece) for at in starts if name.startswith(piece, at)}


def _is_in(characters: str, letter: str) -> bool:
    """Return whether a set has *letter*; a `*` or `?` in it stands for what it stands for outside, `^` for itself."""
    if letter != "." and re.search(r"\*|\?", characters.replace("**", "")):
        return True
    ranges = _RANGES.findall(characters.replace("**", ".*"))
    return any(low <= letter <= high or letter == single != "" for low, high, single in ranges)


def _next_dot(name: str, at: int) -> int:
    dot = name.find(".", at)
    return len(name) if dot < 0 else dot


_MEMBERS = (
    *("path", "type", "logical_type", "nullable", "default", "doc", "tags", "recursive", "branches", "number"),
    "inherited_tags",
)
_cells = attrgetter(*_MEMBERS)
_FAST = 1


class PackedColumns(Sequence[Column]):
    """Columns as bytes, a twentieth of their size as objects; unpickled on access."""

    __slots__ = ("_count", "_packed")

    def __init__(self, columns: Iterable[Column]) -> None:
        cells = list(map(_cells, columns))
        self._count = len(cells)
        self._packed = zlib.compress(marshal.dumps(cells), _FAST)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Column]:
        # Our own bytes, which no other process can write: safe to unpickle.
        for cells in marshal.loads(zlib.decompress(self._packed)):  # noqa: S302
            yield Column(**dict(zip(_MEMBERS, cells, strict=True)))

    @overload
    def __getitem__(self, at: int) -> Column: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Column]: ...
    def __getitem__(self, at: int | slice) -> Column | Sequence[Column]:
        return tuple(self)[at]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._packed)


MANY = 300_000
"""Columns that are kept as objects; those of later schemas wait as bytes. One that lies deep counts as several."""

_NAMES = 4
"""Names on its path that a column may have to count as one."""

MOST_MULTIPLIED = 2_000_000
"""Columns that texts may have together because their types contain each other, beside those that they list."""

_CHARACTERS = 20
"""Fewest characters in which a text lists a column, with its name, its type and the signs around them."""

MULTIPLIED = Problem(
    "$",
    "not read: the schemas before it import each other, and have too many columns together",
    "the text is stored without columns; scan fewer schemas at a time, or let fewer import each other",
)
"""The problem of a text that is not read because those before it have too many columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRequest:
    """A schema text, *texts* behind its references by name, the tags of its metadata, which record (None: the root)."""

    format: str
    text: str
    texts: Mapping[str, str]
    tags: TagPatterns
    record: RecordName | None


ParseTexts = Callable[[Sequence[ParseRequest]], Iterable[ParsedSchema]]
"""Read every text, in the order given: here, or by many processes that each call `read_bundle`."""


def parse_one(request: ParseRequest) -> ParsedSchema:
    """Read the columns of a text, with the tags of its metadata laid on them."""
    parsed = read_columns(request.format, request.text, lookup_in(request.format, request.texts), request.record)
    return replace(parsed, columns=with_tags(parsed, request.format, request.tags), holders={})


def parse_in_process(requests: Sequence[ParseRequest], most: int = MOST_MULTIPLIED) -> Iterator[ParsedSchema]:
    """Read one text after the other in this process; beyond MANY columns they become bytes.

    Imports multiply columns. After *most* columns beyond what all texts together could list, the remaining texts get
    a problem instead of columns.
    """
    columns = 0
    most += sum(len(request.text) for request in requests) // _CHARACTERS
    for request in requests:
        parsed = parse_one(request) if columns <= most else ParsedSchema(problems=(MULTIPLIED,))
        names = sum(len(column.path) for column in parsed.columns)
        columns += max(len(parsed.columns), names // _NAMES)
        yield packed(parsed) if columns > MANY else parsed


def request_bundles(requests: Iterable[ParseRequest], size: int) -> Iterator[bytes]:
    """Cut *requests* into bytes for `read_bundle`, each of texts of about *size* characters; one text is never cut."""
    bundle: list[ParseRequest] = []
    length = 0
    for request in requests:
        bundle.append(request)
        length += len(request.text)
        if length >= size:
            yield pickle.dumps(bundle)
            bundle, length = [], 0
    if bundle:
        yield pickle.dumps(bundle)


def parse_bundle(bundle: bytes) -> bytes:
    """Read what `bundles` wrote; give bytes for `unbundled`. A pure function for other processes."""
    # Bytes of our own processes, which no others can write: safe to unpickle.
    requests: list[ParseRequest] = pickle.loads(bundle)  # noqa: S301
    return pickle.dumps([packed(parse_one(request)) for request in requests])


def unpack_bundle(bundle: bytes) -> list[ParsedSchema]:
    """Return what `read_bundle` read; columns stay bytes until they are used."""
    schemas: list[ParsedSchema] = pickle.loads(bundle)  # noqa: S301 - as above
    return schemas


def packed(schema: ParsedSchema) -> ParsedSchema:
    """Return *schema* with its columns as bytes."""
    return replace(schema, columns=PackedColumns(schema.columns))
