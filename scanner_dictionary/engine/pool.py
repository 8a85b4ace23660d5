"""Connections to a dictionary that stay open for many readers, such as those of a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from scanner_dictionary.engine.open import COPIED, open_for_reading, resolve_url
from scanner_dictionary.engine.sqlite import limit_time


class ReaderPool:
    """Up to *size* open connections to the dictionary at *url*; a statement is cancelled after *seconds*.

    A dictionary that cannot be opened is tried again by the next reader, and a file that was replaced is opened again.
    """

    def __init__(self, url: str, *, size: int = 16, seconds: float = 30.0) -> None:
        self._url, self._size, self._seconds = url, size, seconds
        self._location = resolve_url(url)
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._open = ExitStack()
        self._file: tuple[int, ...] | None = None

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
        engine = self._engine
        file = _identity(self._location.file, engine)
        if engine is not None and file == self._file:
            return engine
        with self._lock:
            if self._engine is None or file != self._file:
                self._dispose()
                engine = self._open.enter_context(open_for_reading(self._url, patience=self._seconds, size=self._size))
                if self._location.file is None:
                    engine.dispose()  # the connection of the check has no limit
                    event.listen(engine, "connect", self._limit_session)
                self._engine, self._file = engine, _identity(self._location.file, engine)
            return self._engine

    def _dispose(self) -> None:
        self._engine = None
        self._open.close()

    def _limit_session(self, driver: Any, _: object) -> None:  # noqa: ANN401 - the driver's connection
        with driver.cursor() as cursor:
            cursor.execute(f"SET statement_timeout = {int(self._seconds * 1000)}")
        driver.commit()


def _identity(file: Path | None, engine: Engine | None) -> tuple[int, ...] | None:
    """Return what changes if another file takes the place of *file*, or if it is written and *engine* reads a copy.

    None for a server, or no file.
    """
    try:
        status = file.stat() if file else None
    except OSError:
        return None
    if status is None:
        return None
    is_copy = engine is not None and engine.get_execution_options().get(COPIED)
    return (status.st_dev, status.st_ino, *([status.st_mtime_ns] if is_copy else []))
