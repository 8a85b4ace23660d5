"""Connections to a dictionary that stay open for many readers, such as those of a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from scanner_dictionary.engine.open import Location, open_dictionary, postgres_engine, resolve_url, translate_errors
from scanner_dictionary.engine.sqlite import OPTION, Waiting, keep_write_ahead, limit_time, pooled_sqlite_engine

_CONNECTING = 5
"""Seconds to wait for a database server."""


class ReaderPool:
    """Up to *size* open connections to the dictionary at *url*; a statement is cancelled after *seconds*.

    A dictionary that cannot be opened is tried again by the next reader, and a file that was replaced is opened again.
    """

    def __init__(self, url: str, *, size: int = 16, seconds: float = 30.0) -> None:
        self._url, self._size, self._seconds = url, size, seconds
        self._location = resolve_url(url)
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._file: tuple[int, int] | None = None

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Open a connection in a read transaction; raises DictionaryUnusable, also from its statements."""
        with self._current().connect() as conn:
            if self._location.file is not None:
                limit_time(conn, self._seconds)
            yield conn

    def close(self) -> None:
        """Close the connections; a later reader opens them again."""
        with self._lock:
            self._dispose()

    def _current(self) -> Engine:
        file = _identity(self._location.file)
        engine = self._engine
        if engine is not None and file == self._file:
            return engine
        with self._lock:
            if self._engine is None or file != self._file:
                self._dispose()
                # Checks that the dictionary exists, and its revision.
                open_dictionary(self._url, create=False).dispose()
                self._engine, self._file = self._open(self._location), file
            return self._engine

    def _dispose(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
        self._engine = None

    def _open(self, location: Location) -> Engine:
        if location.file is not None:
            engine = pooled_sqlite_engine(location.file, patience=self._seconds, size=self._size)
            with engine.connect() as conn:
                keep_write_ahead(conn)
        else:
            engine = postgres_engine(
                location,
                connect_timeout=_CONNECTING,
                pool_size=self._size,
                max_overflow=0,
                pool_timeout=self._seconds,
                pool_pre_ping=True,
            )
            event.listen(engine, "connect", self._limit_session)
        engine.update_execution_options(**{OPTION: Waiting(seconds=self._seconds, shown=location.shown)})
        translate_errors(engine, location.shown)
        return engine

    def _limit_session(self, driver: Any, _: object) -> None:  # noqa: ANN401 - the driver's connection
        with driver.cursor() as cursor:
            cursor.execute(f"SET statement_timeout = {int(self._seconds * 1000)}")
            cursor.execute("SET default_transaction_read_only = on")
        driver.commit()


def _identity(file: Path | None) -> tuple[int, int] | None:
    """Return what changes where another file takes the place of *file*; None for a server, or no file."""
    try:
        status = file.stat() if file else None
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status else None
