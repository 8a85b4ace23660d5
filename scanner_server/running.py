"""Runs an application until a signal ends it, with bounds on the connections of its clients."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from scanner_api.files import Notify
from scanner_model.errors import InputInvalid
from scanner_server.options import ServerOptions

_BACKLOG = 1_024
_GRACE = 10
_PAUSE = 1.0
_MOST_CANCELS = 5


def run(app: Starlette, options: ServerOptions, announce: Notify) -> None:
    """Serve *app* until SIGINT or SIGTERM; *announce* gets its address once connections are accepted.

    Raises InputInvalid where the address or the certificate cannot be used.
    """
    # Clients' mistakes are answered and not logged; unexpected errors are.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    with _listening(options) as listening:
        config = uvicorn.Config(
            app,
            http=protocol(Deadlines(most=options.connections)),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=int(options.idle),
            timeout_graceful_shutdown=_GRACE,
            ssl_certfile=options.certificate,
            ssl_keyfile=options.key,
            h11_max_incomplete_event_size=32 * 1024,
        )
        _load_certificate(config, options)
        server = _Server(config)
        with server.capture_signals():  # whoever reads the address may send a signal before the server runs
            announce(options.at(int(listening.getsockname()[1])))
            server.run(sockets=[listening])


async def end_others(pause: float = _PAUSE) -> None:
    """End the other tasks of this loop; one that goes on after *pause* seconds is cancelled again, a few times.

    A process that is being started when the loop ends is never reported as ended: asyncio waits for it without end,
    until the task that started it is cancelled once more (`base_subprocess.py`, Python 3.11 and 3.12).
    """
    for _ in range(_MOST_CANCELS):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if not others:
            return
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=pause)


class _Server(uvicorn.Server):
    """A server that a signal ends as if it had been asked to; uvicorn's own would die of the signal at the end."""

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal, and leave no task to the end of the loop, which would wait for it without a limit."""
        await super().serve(sockets)
        await end_others()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGINT and SIGTERM meanwhile."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _load_certificate(config: uvicorn.Config, options: ServerOptions) -> None:
    try:
        config.load()
    except OSError as error:  # ssl.SSLError is one
        where, hint = f"--tls-cert {options.certificate}", "name PEM files of a certificate chain and its key"
        raise InputInvalid(f"cannot be used: {error.strerror or error}", where=where, hint=hint) from error


def _listening(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        return socket.create_server((options.host, options.port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        what = f"cannot be bound: {getattr(error, 'strerror', None) or error}"
        raise InputInvalid(what, where=f"{options.host}:{options.port}", hint="choose another --port") from error


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
