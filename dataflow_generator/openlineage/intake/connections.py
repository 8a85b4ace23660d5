"""Client connections: a bounded number, each with a deadline for the whole request."""

from __future__ import annotations

import io
import socket
import threading
import time
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

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
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left)
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
