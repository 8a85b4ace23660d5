"""Schema texts still to be read, each with all that its columns depend on, and how one or a million of them are."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from scanner_extractor.formats import read_columns
from scanner_extractor.packing import PackedColumns
from scanner_model.columns import Column, Lookup, ParsedSchema
from scanner_model.names import RecordName

TagPatterns = tuple[tuple[str, tuple[str, ...]], ...]

MANY = 300_000
"""Columns that are kept as objects; those of later schemas wait as bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A schema text, *texts* behind its references by name, the tags of its metadata, which record (None: the root)."""

    format: str
    text: str
    texts: Mapping[str, str]
    tags: TagPatterns
    record: RecordName | None


ReadEach = Callable[[Sequence[Unread]], Iterable[ParsedSchema]]
"""Read every text, in the order given: here, or by many processes that each call `read_bundle`."""


def read_one(unread: Unread) -> ParsedSchema:
    """Read the columns of a text, with the tags of its metadata laid on them."""
    parsed = read_columns(unread.format, unread.text, _lookup(unread.format, unread.texts), unread.record)
    return replace(parsed, columns=with_tags(parsed.columns, parsed.name, unread.tags)) if unread.tags else parsed


def read_here(unread: Sequence[Unread]) -> Iterator[ParsedSchema]:
    """Read one text after the other in this process; beyond MANY columns they become bytes."""
    columns = 0
    for one in unread:
        parsed = read_one(one)
        columns += len(parsed.columns)
        yield packed(parsed) if columns > MANY else parsed


def bundles(unread: Iterable[Unread], size: int) -> Iterator[bytes]:
    """Cut *unread* into bytes for `read_bundle`, each of texts of about *size* characters; one text is never cut."""
    bundle: list[Unread] = []
    length = 0
    for one in unread:
        bundle.append(one)
        length += len(one.text)
        if length >= size:
            yield pickle.dumps(bundle)
            bundle, length = [], 0
    if bundle:
        yield pickle.dumps(bundle)


def read_bundle(bundle: bytes) -> bytes:
    """Read what `bundles` wrote; give bytes for `unbundled`. A pure function for other processes."""
    # Bytes of our own processes, which nobody else can write: to unpickle them is safe.
    unread: list[Unread] = pickle.loads(bundle)  # noqa: S301
    return pickle.dumps([packed(read_one(one)) for one in unread])


def unbundled(bundle: bytes) -> list[ParsedSchema]:
    """Give what `read_bundle` read; the columns stay bytes until somebody looks at them."""
    found: list[ParsedSchema] = pickle.loads(bundle)  # noqa: S301 - as above
    return found


def packed(schema: ParsedSchema) -> ParsedSchema:
    """Give *schema* with its columns as bytes."""
    return replace(schema, columns=PackedColumns(schema.columns))


def with_tags(columns: Sequence[Column], record: str, patterns: TagPatterns) -> Sequence[Column]:
    """Add the tags of every pattern that a column's name matches, with or without the record's name before it.

    `*` stands for one name and `**` for any number, as in the data contracts of Confluent's registry.
    """
    if not patterns:
        return columns
    return tuple(_tagged(column, record, patterns) for column in columns)


def _lookup(format_name: str, texts: Mapping[str, str]) -> Lookup:
    """Look a reference up by its name, and an Avro one also by the records that its text defines.

    A registry takes any reference name for Avro, as its parser just learns the named types of every text.
    """
    if format_name != "AVRO":
        return texts.get

    @cache
    def defining() -> Mapping[str, str]:
        return {record: text for text in texts.values() for record in read_columns("AVRO", text, texts.get).records}

    return lambda name: texts[name] if name in texts else defining().get(name)


def _tagged(column: Column, record: str, patterns: TagPatterns) -> Column:
    names = (column.name, f"{record}.{column.name}")
    found = [tag for pattern, tags in patterns if any(_fits(_pieces(pattern), name) for name in names) for tag in tags]
    return replace(column, tags=tuple(dict.fromkeys((*column.tags, *found)))) if found else column


@lru_cache(maxsize=1024)
def _pieces(pattern: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"(\*\*\.|\*\*|\*|\?)", pattern)))


def _fits(pieces: tuple[str, ...], name: str) -> bool:
    """Check whether the whole *name* matches: the places that each piece can end at, so that no pattern takes long."""
    ends = {0}
    for piece in pieces:
        if not ends:
            return False
        ends = _ends(piece, name, ends)
    return len(name) in ends


def _ends(piece: str, name: str, starts: set[int]) -> set[int]:
    if piece == "?":
        return {at + 1 for at in starts if at < len(name)}
    if piece == "**":
        return set(range(min(starts), len(name) + 1))
    if piece == "**.":
        return starts | {at + 1 for at in range(min(starts), len(name)) if name[at] == "."}
    if piece == "*":
        return {end for at in starts for end in range(at, _next_dot(name, at) + 1)}
    return {at + len(piece) for at in starts if name.startswith(piece, at)}


def _next_dot(name: str, at: int) -> int:
    found = name.find(".", at)
    return len(name) if found < 0 else found
