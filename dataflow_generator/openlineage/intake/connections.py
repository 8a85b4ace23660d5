"""Client connections: a bounded number, each with a deadline for the whole request."""

from __future__ import annotations

import io
import re
import socket
import threading
import time
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from dataflow_generator.openlineage.intake.requests import Head

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_DRAINED = 65_536


class State(Enum):
    """What a connection waits for: a request, the rest of one, or our response."""

    IDLE = "idle"
    REQUEST = "request"
    ANSWER = "answer"


class Connection(io.RawIOBase):
    """A client's socket as a stream; reads end at the deadline that `expect` set, however slowly bytes arrive."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self.sock = sock
        self.state = State.IDLE
        self.since = time.monotonic()
        self._deadline = self.since

    def expect(self, seconds: float) -> None:
        """Set the deadline of all following reads together to *seconds* from now."""
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read available bytes; raises TimeoutError when the deadline has passed."""
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        self.sock.settimeout(seconds)
        return self.sock.recv_into(buffer)

    def send(self, data: bytes, seconds: float) -> None:
        """Send *data* within *seconds*; raises OSError where the client does not receive it."""
        self.sock.settimeout(seconds)
        self.sock.sendall(data)

    def drain(self, seconds: float) -> None:
        """Read and discard what the client still sends: closing at once could discard the response."""
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)
            self.expect(seconds)
            buffer = bytearray(_DRAINED)
            while self.readinto(buffer):
                continue

    def cut(self) -> None:
        """Shut the connection down from another thread; its reads return at once."""
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)


class Connections:
    """At most *most* connections: a new one replaces the one that has kept us waiting longest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Connection] = set()
        self._changed = threading.Condition()

    def add(self, connection: Connection) -> bool:
        """Add a connection; False where all others wait for our responses."""
        with self._changed:
            if len(self._open) >= self._most:
                waiting = [other for other in self._open if other.state is not State.ANSWER]
                if not waiting:
                    return False
                oldest = min(waiting, key=lambda other: other.since)
                self._open.discard(oldest)
                oldest.cut()
            self._open.add(connection)
            return True

    def note(self, connection: Connection, state: State) -> None:
        """Set the state of *connection*; its waiting time starts when it becomes idle."""
        with self._changed:
            connection.state = state
            if state is State.IDLE:
                connection.since = time.monotonic()
            self._changed.notify_all()

    def remove(self, connection: Connection) -> None:
        """Remove a closed connection."""
        with self._changed:
            self._open.discard(connection)
            self._changed.notify_all()

    def end(self, seconds: float) -> None:
        """Close idle connections at once, the others after their responses, or after *seconds*."""
        with self._changed:
            self._cut_idle()
            self._changed.wait_for(self._cut_idle, seconds)
            for connection in self._open:
                connection.cut()

    def _cut_idle(self) -> bool:
        for connection in self._open:
            if connection.state is State.IDLE:
                connection.cut()
        return all(connection.state is State.IDLE for connection in self._open)


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
