"""Schema texts still to be read, each with all that its columns depend on, and how one or a million of them are."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scanner_extractor.contract_tags import TagPatterns, with_tags
from scanner_extractor.formats import read_columns
from scanner_extractor.packing import PackedColumns
from scanner_extractor.references import lookup_in
from scanner_model.columns import ParsedSchema
from scanner_model.names import RecordName

MANY = 300_000
"""Columns that are kept as objects; those of later schemas wait as bytes. One that lies deep counts as several."""

_NAMES = 4
"""Names on its path that a column may have to count as one."""


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
    parsed = read_columns(unread.format, unread.text, lookup_in(unread.format, unread.texts), unread.record)
    return replace(parsed, columns=with_tags(parsed, unread.format, unread.tags), holders={})


def read_here(unread: Sequence[Unread]) -> Iterator[ParsedSchema]:
    """Read one text after the other in this process; beyond MANY columns they become bytes."""
    columns = 0
    for one in unread:
        parsed = read_one(one)
        names = sum(len(column.path) for column in parsed.columns)
        columns += max(len(parsed.columns), names // _NAMES)
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
