"""A TCP proxy between scanner and a server, that does something when a client has sent its n-th message."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

HOST = "127.0.0.1"
_CHUNK = 64 * 1024


class Proxy:
    """Forwards connections on *port* (0: any) to *target*; *messages* counts what clients sent, a chunk each.

    *acted* is set once it has done what it was armed for.
    """

    def __init__(self, target: int, port: int = 0) -> None:
        self._target = target
        self._server = socket.create_server((HOST, port))
        self._lock = threading.Lock()
        self._at, self._act = 0, _nothing
        self.messages = 0
        self.acted = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Return the port that clients connect to."""
        return int(self._server.getsockname()[1])

    def arm(self, message: int, act: Callable[[], None]) -> None:
        """Count from 0 again, and call *act* before message number *message* is forwarded; 0 for never."""
        self.acted.clear()
        with self._lock:
            self.messages, self._at, self._act = 0, message, act

    def close(self) -> None:
        """Accept no more connections."""
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                server = socket.create_connection((HOST, self._target))
            except OSError:
                # As the port itself would do: a reset instead of an orderly end.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                return
            with server:
                answers = threading.Thread(target=_forward, args=(server, client, _nothing), daemon=True)
                answers.start()
                _forward(client, server, self._count)
                answers.join()

    def _count(self) -> None:
        with self._lock:
            self.messages += 1
            if self.messages != self._at:
                return
            act = self._act
        act()
        self.acted.set()


def _nothing() -> None:
    pass


def _forward(source: socket.socket, target: socket.socket, before: Callable[[], None]) -> None:
    """Forward until either end closes, then close the other."""
    with suppress(OSError):
        while chunk := source.recv(_CHUNK):
            before()
            target.sendall(chunk)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
