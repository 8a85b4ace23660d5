"""A connection of psycopg whose answers are bounded: libpq collects an answer as long as the server sends."""

from __future__ import annotations

import socket
import sys
from collections.abc import Generator
from selectors import DefaultSelector
from typing import Any, TypeVar

import psycopg

from scanner_extractor.systems.databases.budget import Budget
from scanner_model.errors import ScannerError

T = TypeVar("T")

_RECEIVED = slice(128, 136)
"""Where Linux's `struct tcp_info` has tcpi_bytes_received."""
_INTERVAL = 0.1


def connect(budget: Budget, *positional: Any, **named: Any) -> psycopg.Connection[Any]:  # noqa: ANN401 - psycopg's
    """Connect as psycopg does; raises psycopg.OperationalError, caused by a ScannerError, beyond the *budget*."""
    connection = _Bounded.connect(*positional, **named)
    connection.budget = budget
    return connection


class _Bounded(psycopg.Connection[Any]):
    budget: Budget
    counted = 0

    def wait(self, gen: Generator[Any, Any, T], *positional: Any, **named: Any) -> T:  # noqa: ANN401 - psycopg's
        """Wait for an answer as psycopg does, and look at time and size meanwhile."""
        self.budget.begin_answer()
        try:
            return super().wait(self._within(gen), *positional, **named)
        except ScannerError as error:
            self.close()
            raise psycopg.OperationalError(error.what) from error

    def _within(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        try:
            wanted = next(gen)
            while True:
                while not self._is_ready(wanted):
                    self.budget.spend(0)
                received = _received(self.fileno())
                self.budget.spend(received - self.counted)
                self.counted = received
                wanted = gen.send((yield wanted))
        except StopIteration as end:
            answer: T = end.value
            return answer

    def _is_ready(self, wanted: int) -> bool:
        with DefaultSelector() as selector:
            selector.register(self.fileno(), wanted)
            return bool(selector.select(_INTERVAL))


def _received(descriptor: int) -> int:
    """Return the bytes that a TCP connection has received; 0 where only the server's host knows, or not on Linux."""
    if not hasattr(socket, "TCP_INFO"):
        return 0
    with socket.fromfd(descriptor, socket.AF_INET, socket.SOCK_STREAM) as connection:
        try:
            info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.stop)
        except OSError:  # a Unix socket
            return 0
    return int.from_bytes(info[_RECEIVED], sys.byteorder)
