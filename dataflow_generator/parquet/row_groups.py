"""Row groups of Parquet files taken into another file as the bytes they are: only here is the layout of files known.

pyarrow offers no such thing: it would read and write every value. Source: parquet.thrift of Apache Parquet (a file's
metadata stands at its end, in Thrift's compact protocol; all places in it are counted from the start of the file).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

_MAGIC = b"PAR1"
_END = 8
_BYTE, _SHORT, _INT, _LONG, _DOUBLE, _BINARY, _LIST, _STRUCT = 3, 4, 5, 6, 7, 8, 9, 12
_STRUCTS, _ROWS, _GROUPS = 64, 3, 4
_CHUNK, _CHUNK_TOLD = 1, 1 * _STRUCTS + 3
_COUNT, _FILE_OFFSET = 3, 5
_CHUNK_OFFSET = _CHUNK * _STRUCTS + 2
_SIZE, _DATA, _INDEX, _DICTIONARY = (_CHUNK_TOLD * _STRUCTS + field for field in (7, 9, 10, 11))
_ELSEWHERE = frozenset(_CHUNK * _STRUCTS + field for field in (4, 6, 8, 9)) | {_CHUNK_TOLD * _STRUCTS + 14}
"""What stands outside the row group: indexes of pages, keys, Bloom filters. This program writes none."""

_PLACES = frozenset({_FILE_OFFSET, _CHUNK_OFFSET, _DATA, _INDEX, _DICTIONARY})


class Unknown(ValueError):
    """Raised when a file has what is not known here: who wants its row groups reads and writes their rows."""


class RowGroup(NamedTuple):
    """A row group: the bytes of its columns, and what is *told* of it, in which *places* stand (start, end, value)."""

    columns: memoryview
    told: bytes
    places: Sequence[tuple[int, int, int]]
    first: int
    rows: int


class ParquetBytes(NamedTuple):
    """A whole file: its row groups, and what else is told at its end, before, between and after their number."""

    groups: Sequence[RowGroup]
    told: tuple[bytes, bytes, bytes]


def read_groups(data: bytes) -> ParquetBytes:
    """Take a file apart; raises Unknown for one that is not as this program writes them."""
    size = int.from_bytes(data[-_END:-4], "little")
    if data[:4] != _MAGIC or data[-4:] != _MAGIC or size + _END > len(data):
        raise Unknown("no Parquet file")
    try:
        return _read(data, data[-_END - size : -_END])
    except (IndexError, RecursionError) as error:
        raise Unknown("the end of the file is cut") from error


def write_groups(file: BinaryIO, like: ParquetBytes, groups: Sequence[RowGroup]) -> None:
    """Write a file of *groups*, which have the columns of those of *like*."""
    file.write(_MAGIC)
    at = len(_MAGIC)
    told: list[bytes] = []
    for group in groups:
        file.write(group.columns)
        told.append(_moved(group, at - group.first))
        at += len(group.columns)
    before, between, after = like.told
    rows = _written(sum(group.rows for group in groups) << 1)
    count = bytes([len(told) << 4 | _STRUCT]) if len(told) < 15 else bytes([0xF0 | _STRUCT]) + _written(len(told))
    end = b"".join((before, rows, between, count, *told, after))
    file.write(end + len(end).to_bytes(4, "little") + _MAGIC)


def _read(data: bytes, end: bytes) -> ParquetBytes:
    groups: list[RowGroup] = []
    cuts: dict[int, tuple[int, int]] = {}
    for field, kind, at in _fields(end):
        if field == _GROUPS and kind == _LIST:
            count, _, place = _list(end, at)
            for _ in range(count):
                group, place = _group(data, end, place)
                groups.append(group)
            cuts[field] = at, place
        elif field == _ROWS:
            cuts[field] = at, _skip(end, at, kind)
    if sorted(cuts) != [_ROWS, _GROUPS] or cuts[_ROWS][1] > cuts[_GROUPS][0]:
        raise Unknown("no row groups")
    (rows, after_rows), (listed, after_groups) = cuts[_ROWS], cuts[_GROUPS]
    return ParquetBytes(groups, (end[:rows], end[after_rows:listed], end[after_groups:]))


def _group(data: bytes, end: bytes, at: int) -> tuple[RowGroup, int]:
    found: list[tuple[int, int, int, int]] = []
    after = _longs(end, at, 0, found)
    named: dict[int, list[int]] = {}
    for name, _, _, value in found:
        named.setdefault(name, []).append(value)
    if not named.keys().isdisjoint(_ELSEWHERE):
        raise Unknown("something of a row group stands elsewhere")
    first = min(named.get(_DATA, []) + named.get(_DICTIONARY, []), default=0)
    size = sum(named.get(_SIZE, ()))
    if first < len(_MAGIC) or first + size > len(data) or len(named.get(_COUNT, ())) != 1:
        raise Unknown("a row group that is not in the file")
    places = [(start - at, stop - at, value) for name, start, stop, value in found if name in _PLACES and value]
    columns = memoryview(data)[first : first + size]
    return RowGroup(columns, end[at:after], places, first, named[_COUNT][0]), after


def _moved(group: RowGroup, by: int) -> bytes:
    """Return the same of a row group whose bytes stand elsewhere."""
    found: list[bytes] = []
    last = 0
    for start, stop, value in group.places:
        found += [group.told[last:start], _written(value + by << 1)]
        last = stop
    return b"".join([*found, group.told[last:]])


def _fields(data: bytes) -> Iterator[tuple[int, int, int]]:
    """List the fields of the outermost struct: number, type, and where its value begins."""
    at = field = 0
    while data[at]:
        kind, delta, at = data[at] & 15, data[at] >> 4, at + 1
        if not delta:
            number, at = _number(data, at)
            field = delta = number >> 1
        else:
            field += delta
        yield field, kind, at
        at = _skip(data, at, kind)


def _longs(data: bytes, at: int, path: int, found: list[tuple[int, int, int, int]]) -> int:
    """Collect the 64-bit numbers of a struct and of those in it, by their paths; gives where it ends."""
    field = 0
    while data[at]:
        kind, delta, at = data[at] & 15, data[at] >> 4, at + 1
        if delta:
            field += delta
        else:
            number, at = _number(data, at)
            field = number >> 1
        name = path * _STRUCTS + field
        if kind == _LONG:
            number, end = _number(data, at)
            found.append((name, at, end, number >> 1))
            at = end
        elif kind == _STRUCT and name == _CHUNK_TOLD:
            at = _longs(data, at, name, found)
        elif kind == _LIST and name == _CHUNK:
            count, _, at = _list(data, at)
            for _ in range(count):
                at = _longs(data, at, name, found)
        else:
            at = _skip(data, at, kind)
    return at + 1


def _skip(data: bytes, at: int, kind: int) -> int:
    if kind < _BYTE:
        return at
    if kind in (_SHORT, _INT, _LONG):
        while data[at] > 127:
            at += 1
        return at + 1
    if kind == _BINARY:
        size, at = _number(data, at)
        return at + size
    if kind == _STRUCT:
        while data[at]:
            kind, long, at = data[at] & 15, not data[at] >> 4, at + 1
            at = _skip(data, _number(data, at)[1] if long else at, kind)
        return at + 1
    if kind == _LIST:
        count, kind, at = _list(data, at)
        for _ in range(count):
            at = _skip(data, at, max(kind, _BYTE))
        return at
    if kind in (_BYTE, _DOUBLE):
        return at + (1 if kind == _BYTE else 8)
    raise Unknown(f"a value of Thrift's type {kind}")


def _list(data: bytes, at: int) -> tuple[int, int, int]:
    """Return how many values a list has, of which type, and where the first begins."""
    count, kind = data[at] >> 4, data[at] & 15
    if count < 15:
        return count, kind, at + 1
    count, at = _number(data, at + 1)
    return count, kind, at


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number in groups of seven bits, and where it ends."""
    value = shift = 0
    while data[at] > 127:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _written(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
