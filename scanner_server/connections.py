"""Connections of clients with deadlines: for a head, for a body, for taking the response; and a bounded number."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds that a client has for a *head* and a *body* as a whole, and to take what was sent; *most* connections."""

    head: float = 20.0
    body: float = 90.0
    response: float = 60.0
    most: int = 1_000


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn, which by itself waits for a started request, and for a slow reader, without end.

    Beyond the number of connections, the one that has kept the server waiting longest is closed.
    """

    deadlines = Deadlines()
    _deadline: asyncio.TimerHandle | None = None
    _stage = ""
    _since = 0.0
    _writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request; close another connection where there are too many."""
        super().connection_made(transport)
        # asyncio does so only for sockets of a stated protocol; else a body waits 40 ms for an acknowledgement.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._since = self.loop.time()
        self._expect("head", self.deadlines.head)
        if len(self.connections) > self.deadlines.most:
            waiting = [
                connection
                for connection in self.connections
                if isinstance(connection, BoundedProtocol) and not connection.waits_for_us
            ]
            oldest = min(waiting, key=lambda connection: connection._since, default=self)
            oldest.transport.abort()

    @property
    def is_busy(self) -> bool:
        """Return whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def waits_for_us(self) -> bool:
        """Return whether a request has arrived as a whole, and its response has not ended."""
        return self.is_busy and not self.cycle.more_body

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadlines."""
        self._expect("", None)
        self._stop_write_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process received data; the deadline of a head or body does not move while it arrives."""
        if not self.is_busy and self._stage != "head":
            self._expect("head", self.deadlines.head)
        super().data_received(data)
        self._note_stage()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._since = self.loop.time()
        self._expect("", None)
        super().on_response_complete()
        self._note_stage()

    def pause_writing(self) -> None:
        """Start the time that the client has to take what was sent."""
        self._stop_write_deadline()
        self._writing = self.loop.call_later(self.deadlines.response, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Cancel the deadline of writing: the client has read what was sent."""
        self._stop_write_deadline()
        super().resume_writing()

    def _note_stage(self) -> None:
        if self.is_busy and self.cycle.more_body:
            self._expect("body", self.deadlines.body)
        elif self.is_busy:
            self._expect("", None)

    def _expect(self, stage: str, seconds: float | None) -> None:
        """Set the deadline of *stage*, unless it is that already."""
        if stage and stage == self._stage:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        self._stage = stage
        self._deadline = self.loop.call_later(seconds, self.transport.abort) if seconds is not None else None

    def _stop_write_deadline(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None


def protocol(deadlines: Deadlines) -> type[Any]:
    """Return the protocol with *deadlines*, for uvicorn."""
    return type("Protocol", (BoundedProtocol,), {"deadlines": deadlines})
