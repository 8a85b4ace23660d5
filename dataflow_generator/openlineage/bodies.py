"""Bodies of requests off a stream: by length or in chunks, unpacked, and never larger than allowed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import BinaryIO

_AT_ONCE = 65_536
_LONGEST_LINE = 256
_TRAILERS = 20
_PACKED = 1_024
"""Bytes that gzip may add to what is very short."""
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})(?:;[\t\x20-\x7e]*)?\r\n")
_TRAILER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n")
_GZIP = 31
"""zlib's word for: expect the header of gzip."""


class BodyTooLarge(Exception):
    """Say that a body, or what it unpacks to, is larger than allowed."""


class BodyBroken(Exception):
    """Say that a body ended early, is badly cut into chunks, or cannot be unpacked."""


def read_body(stream: BinaryIO, headers: Mapping[str, str], largest: int) -> bytes:
    """Read and unpack a body of which `receiving.admit` approved the head; raises BodyTooLarge or BodyBroken."""
    chunked = "transfer-encoding" in headers
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
    """Read chunks up to the last, and the trailers after it; lines of sizes count, too."""
    seen = 0
    while size := _size(line := stream.readline(_LONGEST_LINE)):
        seen += size + len(line)
        if size > largest + _PACKED or seen > 2 * (largest + _PACKED):
            raise BodyTooLarge
        yield from _of_length(stream, size)
        if stream.read(2) != b"\r\n":
            raise BodyBroken("a chunk is longer than its size says")
    for _ in range(_TRAILERS):
        if (line := stream.readline(_LONGEST_LINE)) == b"\r\n":
            return
        if not _TRAILER.fullmatch(line):
            raise BodyBroken("what follows the last chunk is no trailer")
    raise BodyTooLarge


def _size(line: bytes) -> int:
    """Read a chunk's size as RFC 9112 writes it, and nothing that another server may read as another number."""
    match = _CHUNK.fullmatch(line)
    if not match:
        raise BodyBroken("the size of a chunk is no number")
    return int(match[1], 16)


def _unpacked(pieces: Iterator[bytes], largest: int) -> Iterator[bytes]:
    """Unpack gzip, of one member or several, a bounded piece at a time: a small body cannot fill the memory."""
    unpacker = zlib.decompressobj(_GZIP)
    for piece in pieces:
        waiting = piece
        while waiting:
            if unpacker.eof:
                unpacker = zlib.decompressobj(_GZIP)
            try:
                yield unpacker.decompress(waiting, largest + 1)
            except zlib.error as error:
                raise BodyBroken("the body is not gzip, or damaged") from error
            waiting = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    if not unpacker.eof:
        raise BodyBroken("the body is not gzip, or ended early")
