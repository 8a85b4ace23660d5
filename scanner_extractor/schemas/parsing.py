"""Parse requests for schema texts, in this process or in bundles for other processes."""

from __future__ import annotations

import marshal
import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import overload

from scanner_extractor.contract_tags import TagPatterns, with_tags
from scanner_extractor.formats import read_columns
from scanner_extractor.schemas.references import lookup_in
from scanner_model.columns import Column, ParsedSchema
from scanner_model.names import RecordName

_MEMBERS = ("path", "type", "logical_type", "nullable", "default", "doc", "tags", "recursive", "branches", "number")
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


def parse_in_process(requests: Sequence[ParseRequest]) -> Iterator[ParsedSchema]:
    """Read one text after the other in this process; beyond MANY columns they become bytes."""
    columns = 0
    for request in requests:
        parsed = parse_one(request)
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
    """Return what `read_bundle` read; the columns stay bytes until somebody looks at them."""
    schemas: list[ParsedSchema] = pickle.loads(bundle)  # noqa: S301 - as above
    return schemas


def packed(schema: ParsedSchema) -> ParsedSchema:
    """Return *schema* with its columns as bytes."""
    return replace(schema, columns=PackedColumns(schema.columns))
