"""Bodies of requests off a stream: by length or in chunks, unpacked, and never larger than allowed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import BinaryIO

_AT_ONCE = 65_536
_LONGEST_LINE = 1_024
_TRAILERS = 50
_GZIP = 31
"""zlib's word for: expect the header of gzip."""


class BodyTooLarge(Exception):
    """Say that a body, or what it unpacks to, is larger than allowed."""


class BodyBroken(Exception):
    """Say that a body ended early, is badly cut into chunks, or cannot be unpacked."""


def read_body(stream: BinaryIO, headers: Mapping[str, str], largest: int) -> bytes:
    """Read and unpack a body of which `receiving.admit` approved the head; raises BodyTooLarge or BodyBroken."""
    chunked = headers.get("transfer-encoding", "").strip().lower() == "chunked"
    pieces = _chunks(stream, largest) if chunked else _of_length(stream, int(headers.get("content-length", "0")))
    packed = headers.get("content-encoding", "identity").strip().lower() in ("gzip", "x-gzip")
    body = bytearray()
    for piece in _unpacked(pieces, largest) if packed else pieces:
        body += piece
        if len(body) > largest:
            raise BodyTooLarge
    return bytes(body)


def _of_length(stream: BinaryIO, length: int) -> Iterator[bytes]:
    while length:
        piece = stream.read(min(length, _AT_ONCE))
        if not piece:
            raise BodyBroken("the body ended before its Content-Length")
        length -= len(piece)
        yield piece


def _chunks(stream: BinaryIO, largest: int) -> Iterator[bytes]:
    """Read chunks up to the last, and the trailers after it."""
    seen = 0
    while size := _size(stream.readline(_LONGEST_LINE)):
        seen += size
        if seen > largest + _LONGEST_LINE:  # gzip makes what is very short longer
            raise BodyTooLarge
        yield from _of_length(stream, size)
        if stream.readline(_LONGEST_LINE).strip():
            raise BodyBroken("a chunk is longer than its size says")
    if all(stream.readline(_LONGEST_LINE).strip() for _ in range(_TRAILERS)):
        raise BodyTooLarge


def _size(line: bytes) -> int:
    text = line.partition(b";")[0].strip()
    try:
        if not text or len(text) > 16 or text[:1] in b"+-":
            raise ValueError
        return int(text, 16)
    except ValueError as error:
        raise BodyBroken("the size of a chunk is no number") from error


def _unpacked(pieces: Iterator[bytes], largest: int) -> Iterator[bytes]:
    """Unpack gzip a bounded piece at a time, so that a small body cannot fill the memory."""
    unpacker = zlib.decompressobj(_GZIP)
    for piece in pieces:
        waiting = piece
        while waiting and not unpacker.eof:
            try:
                yield unpacker.decompress(waiting, largest + 1)
            except zlib.error as error:
                raise BodyBroken("the body is not gzip, or damaged") from error
            waiting = unpacker.unconsumed_tail
    if not unpacker.eof:
        raise BodyBroken("the body is not gzip, or ended early")
