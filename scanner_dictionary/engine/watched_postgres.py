"""A connection to PostgreSQL that is given up when the server has stopped answering, as where it is frozen."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from functools import partial
from selectors import DefaultSelector
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")

SILENCE = 10.0
"""Seconds without an answer after which it is found out whether the server lives."""
_INTERVAL = 0.1


def connect(
    *positional: Any,  # noqa: ANN401 - psycopg's
    silence: float = SILENCE,
    **named: Any,  # noqa: ANN401 - psycopg's
) -> psycopg.Connection[Any]:
    """Connect as psycopg does; after *silence* an answer is waited for as long as the server lets others connect."""
    connection = _Watched.connect(*positional, **named)
    connection.connect_again = partial(psycopg.connect, *positional, **named)
    connection.silence = silence
    return connection


class _Watched(psycopg.Connection[Any]):
    connect_again: Callable[[], psycopg.Connection[Any]]
    silence: float

    def wait(self, gen: Generator[Any, Any, T], *positional: Any, **named: Any) -> T:  # noqa: ANN401 - psycopg's
        """Wait for an answer as psycopg does, and look at the time meanwhile."""
        return super().wait(self._watched(gen), *positional, **named)

    def _watched(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        try:
            wanted = next(gen)
            while True:
                heard = time.monotonic()
                while not self._is_ready(wanted):
                    if time.monotonic() > heard + self.silence:
                        self._check_server()
                        heard = time.monotonic()
                wanted = gen.send((yield wanted))
        except StopIteration as end:
            answer: T = end.value
            return answer

    def _is_ready(self, wanted: int) -> bool:
        with DefaultSelector() as selector:
            selector.register(self.fileno(), wanted)
            return bool(selector.select(_INTERVAL))

    def _check_server(self) -> None:
        """Raise OperationalError if the server accepts no connection; if it does, it works on a long statement.

        A frozen server's system still acknowledges what is sent to it, so that TCP's own limits are of no use.
        """
        try:
            self.connect_again().close()
        except psycopg.errors.ConnectionTimeout as error:
            self.close()
            raise psycopg.OperationalError("the connection was closed: the server does not answer") from error
        except psycopg.OperationalError:
            return  # it answered, as where it has too many connections
