"""Runs an application until a signal ends it."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from scanner_api.files import Notify
from scanner_model.errors import InputInvalid
from scanner_server.connections import Deadlines, protocol
from scanner_server.options import ServerOptions

_BACKLOG = 1_024
_GRACE = 10


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
        announce(options.at(int(listening.getsockname()[1])))
        _Server(config).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that a signal ends as if it had been asked to; uvicorn's own would die of the signal at the end."""

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
