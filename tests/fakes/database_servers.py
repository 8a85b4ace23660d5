"""Servers that speak as much of PostgreSQL's and MySQL's protocols as a driver needs to be misled."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Behave = Callable[[socket.socket], None]


@contextmanager
def serving(behave: Behave) -> Iterator[int]:
    """Serve each connection with *behave* on the port that is returned, until the end of the context."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server, behave), daemon=True).start()
        yield server.getsockname()[1]


def _accept(server: socket.socket, behave: Behave) -> None:
    with suppress(OSError):
        while True:
            threading.Thread(target=_serve, args=(server.accept()[0], behave), daemon=True).start()


def _serve(connection: socket.socket, behave: Behave) -> None:
    with connection, suppress(OSError):
        behave(connection)


def silent(connection: socket.socket) -> None:
    """Read whatever comes, and answer nothing."""
    while connection.recv(65536):
        pass


def endless_postgres(connection: socket.socket) -> None:
    """Answer the first statement with rows without end."""
    _log_in_to_postgres(connection)
    connection.recv(65536)
    connection.sendall(_message(b"T", struct.pack("!H", 1) + b"v\0" + struct.pack("!IHIhih", 0, 0, 25, -1, -1, 0)))
    row = _message(b"D", struct.pack("!HI", 1, 100_000) + b"x" * 100_000)
    while True:
        connection.sendall(row)


def silent_postgres(connection: socket.socket) -> None:
    """Let the client log in, and answer no statement."""
    _log_in_to_postgres(connection)
    silent(connection)


def freezing_postgres() -> Behave:
    """Return what lets the first client log in, and from then on answers nobody."""
    clients: list[socket.socket] = []

    def behave(connection: socket.socket) -> None:
        clients.append(connection)
        if len(clients) == 1:
            _log_in_to_postgres(connection)
        silent(connection)

    return behave


def slow_postgres(connection: socket.socket) -> None:
    """Let everyone log in, and answer a statement after a second."""
    _log_in_to_postgres(connection)
    while connection.recv(65536):
        time.sleep(1)
        connection.sendall(_message(b"C", b"SET\0") + _message(b"Z", b"I"))


def cleartext_postgres(received: list[bytes]) -> Behave:
    """Return what requests the password itself, and adds what the client sends then to *received*."""

    def behave(connection: socket.socket) -> None:
        _start_postgres(connection)
        connection.sendall(_message(b"R", struct.pack("!I", 3)))
        received.append(connection.recv(65536))

    return behave


def endless_mysql(connection: socket.socket) -> None:
    """Answer the first query that is not a setting with rows without end."""
    _log_in_to_mysql(connection)
    while query := connection.recv(65536):
        if query[5:].upper().startswith((b"SET", b"ROLLBACK", b"COMMIT")):
            connection.sendall(_packet(1, _OK))
            continue
        column = b"\x03def\0\0\0\x01v\x01v\x0c\x21\0\xff\0\0\0\xfd\0\0\0\0\0"
        connection.sendall(_packet(1, b"\x01") + _packet(2, column) + _packet(3, _END))
        number = 4
        while True:
            connection.sendall(_packet(number, b"\xfd" + struct.pack("<I", 100_000)[:3] + b"x" * 100_000))
            number += 1


def silent_mysql(connection: socket.socket) -> None:
    """Let the client log in, and answer no statement."""
    _log_in_to_mysql(connection)
    silent(connection)


def slow_mysql(connection: socket.socket) -> None:
    """Let the client log in, and answer a byte at a time."""
    _log_in_to_mysql(connection)
    connection.recv(65536)
    connection.sendall(_packet(1, bytes(1_000_000))[:4])
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


def cleartext_mysql(method: bytes, received: list[bytes]) -> Behave:
    """Return what switches to *method*, and adds what the client sends then to *received*."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(_GREETING)
        connection.recv(65536)
        connection.sendall(_packet(2, b"\xfe" + method + b"\0"))
        received.append(connection.recv(65536))

    return behave


def _message(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!I", len(content) + 4) + content


def _start_postgres(connection: socket.socket) -> None:
    """Refuse encryption until the client starts without."""
    while True:
        length = struct.unpack("!I", connection.recv(4))[0]
        if struct.unpack("!I", connection.recv(length - 4)[:4])[0] < 80_877_103:
            return
        connection.sendall(b"N")


def _log_in_to_postgres(connection: socket.socket) -> None:
    _start_postgres(connection)
    settings = (b"server_version\x0016.1\0", b"client_encoding\0UTF8\0", b"standard_conforming_strings\0on\0")
    shown = b"".join(_message(b"S", setting) for setting in settings)
    connection.sendall(_message(b"R", bytes(4)) + shown + _message(b"K", bytes(8)) + _message(b"Z", b"I"))


def _packet(number: int, content: bytes) -> bytes:
    return struct.pack("<I", len(content))[:3] + bytes([number % 256]) + content


_OK = b"\0\0\0\x02\0\0\0"
_END = b"\xfe\0\0\2\0"
_WITHOUT_TLS = 0xF7FF & ~0x0800
_GREETING = _packet(
    0,
    b"\x0a8.0.30\0\1\0\0\0AAAAAAAA\0"
    + struct.pack("<HBHHB", _WITHOUT_TLS, 33, 2, 0x81FF, 21)
    + bytes(10)
    + b"BBBBBBBBBBBB\0mysql_native_password\0",
)


def _log_in_to_mysql(connection: socket.socket) -> None:
    connection.sendall(_GREETING)
    connection.recv(65536)
    connection.sendall(_packet(2, _OK))
