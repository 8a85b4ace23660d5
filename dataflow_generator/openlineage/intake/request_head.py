"""Parse the head of an HTTP/1 request as strictly as RFC 9112 allows, against request smuggling."""

from __future__ import annotations

import re
from typing import BinaryIO, NamedTuple

from dataflow_generator.openlineage.intake.requests import Head

LONGEST = 32 * 1024
"""The largest size of a head, in bytes."""

_LINE = re.compile(rb"([A-Z]{1,20}) (/[\x21-\x7e]*) HTTP/1\.([01])\r\n")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*\r\n")
_ONCE = frozenset(
    {
        "authorization",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "origin",
        "transfer-encoding",
    }
)


class HeadBroken(Exception):
    """Raised for a malformed head, with the *status* of the response."""

    def __init__(self, what: str, status: int = 400) -> None:
        super().__init__(what)
        self.status = status


class RequestHead(NamedTuple):
    """A head, and whether the client may send another request on the connection."""

    head: Head
    persistent: bool

    @property
    def waits(self) -> bool:
        """Return whether the client waits for `100 Continue` before it sends the body."""
        return self.persistent and self.head.headers.get("expect", "").lower() == "100-continue"

    @property
    def has_body(self) -> bool:
        """Return whether a body follows, which must be read or the connection closed."""
        headers = self.head.headers
        return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def read_head(stream: BinaryIO) -> RequestHead | None:
    """Read a head; None where the client closed the connection before it. Raises HeadBroken."""
    line = _line(stream, LONGEST)
    if line == b"\r\n":  # RFC 9112, 2.2: an empty line before a request is ignored
        line = _line(stream, LONGEST)
    if not line:
        return None
    match = _LINE.fullmatch(line)
    if not match:
        raise HeadBroken("the request line is malformed", 505 if line.endswith(b" HTTP/2.0\r\n") else 400)
    fields = _fields(stream, LONGEST - len(line))
    new = match[3] == b"1"
    if new and "host" not in fields:
        raise HeadBroken("the Host header is missing")
    if not new and "transfer-encoding" in fields:
        raise HeadBroken("HTTP/1.0 does not allow Transfer-Encoding")
    head = Head(method=match[1].decode(), path=match[2].decode(), headers=fields)
    tokens = {token.strip() for token in fields.get("connection", "").lower().split(",")}
    return RequestHead(head, persistent=new and "close" not in tokens)


def _fields(stream: BinaryIO, room: int) -> dict[str, str]:
    fields: dict[str, str] = {}
    while (line := _line(stream, room)) != b"\r\n":
        room -= len(line)
        match = _FIELD.fullmatch(line)
        if not match:
            raise HeadBroken("a header is malformed")
        name, value = match[1].decode().lower(), match[2].decode("latin-1")
        if name in fields and name in _ONCE:
            raise HeadBroken(f"the header {name} is sent twice")
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def _line(stream: BinaryIO, room: int) -> bytes:
    line = stream.readline(max(room, 0) + 1)
    if len(line) > room:
        raise HeadBroken("the head is too long", 431)
    return line
