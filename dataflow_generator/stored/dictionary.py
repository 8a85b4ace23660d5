"""The data dictionary as a handle: opened once, then passed to every function of the library."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from dataflow_generator.graph import Certainty, EdgeKind, NodeKind
from scanner_dictionary.engine.open import Connection, Engine, open_for_reading, resolve_url
from scanner_dictionary.engine.open import open_dictionary as open_engine
from scanner_dictionary.engine.pool import ReaderPool
from scanner_dictionary.engine.soundness import OF_DATA, damage
from scanner_dictionary.engine.sqlite import only_read
from scanner_dictionary.export import CopyProgress as CopyProgress
from scanner_dictionary.export import TableCopy as TableCopy
from scanner_dictionary.export import copy_dictionary as copy_rows
from scanner_dictionary.queries.history import clusters
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.state import (
    ClusterMeasures,
    SourceMeasures,
    cluster_measures,
    source_measures,
)
from scanner_dictionary.validation.findings import Severity
from scanner_model.errors import DictionaryUnusable, InputInvalid
from scanner_model.lazy_names import deferred

_PAST = deferred("dataflow_generator.build.past:past_dictionary")
_WORDS = {
    ("flow_node", "kind"): tuple(NodeKind),
    ("flow_edge", "kind"): tuple(EdgeKind),
    ("flow_edge", "certainty"): tuple(Certainty),
    ("finding", "severity"): tuple(Severity),
}
"""The words of the graph, which the dictionary stores as texts."""

DEFAULT_PATIENCE = 10.0
"""Seconds to wait while another program writes the dictionary."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A data dictionary: a SQLite file or a PostgreSQL database.

    *url* is a path, `sqlite:///FILE` or `postgresql://…`. *patience* is how many seconds a write waits for another
    writer; *notify* gets one message when it starts to wait. Nothing is open between two calls, except for the
    connections of a *pool*, see `pooled`. *moment* is the scan or date whose state questions see, see `at`.
    """

    url: str = field(repr=False)
    patience: float = DEFAULT_PATIENCE
    notify: Callable[[str], None] | None = field(default=None, repr=False, compare=False)
    pool: ReaderPool | _OneConnection | None = field(default=None, repr=False, compare=False)
    moment: str | int | None = None

    @property
    def shown(self) -> str:
        """Return the location without its password."""
        return resolve_url(self.url).shown

    @property
    def exists(self) -> bool:
        """Return whether a dictionary exists: false for a missing file; unknown for a server."""
        file = resolve_url(self.url).file
        return file is None or file.exists()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for queries; raises DictionaryUnusable if it is missing or takes too long.

        With a *moment* it leads to a private copy in the state of that time; raises NameUnknown where none is known.
        """
        with ExitStack() as stack:
            conn = stack.enter_context(self.pool.connect() if self.pool else _asking(self.url))
            if self.moment is not None:
                conn = stack.enter_context(_PAST(conn, self.moment, self.notify))
            try:
                yield conn
            except UnicodeEncodeError as error:
                hint = "write it in UTF-8"
                raise InputInvalid(f"{error.object!r} holds bytes that are not UTF-8", hint=hint) from error
            except OF_DATA as error:
                if damaged := damage(conn, _WORDS) or (isinstance(error, sqlite3.Error) and str(error)):
                    what, hint = f"the dictionary is damaged: {damaged}", "restore a copy, or scan into a new file"
                    raise DictionaryUnusable(what, where=self.shown, hint=hint) from error
                raise

    def writing(self, *, create: bool = False) -> Engine:
        """Open the dictionary for writes; *create* makes a missing one. Raises DictionaryUnusable."""
        return open_engine(self.url, create=create, patience=self.patience, notify=self.notify)

    def at(self, moment: str | int | None) -> Dictionary:
        """Return the dictionary as it was after a scan (its number) or at a date or time; None: as it is.

        A question that is given it answers as it would have answered then. *notify* gets the scan that is meant.
        """
        return self if moment is None else replace(self, moment=moment)

    @contextmanager
    def as_of(self, moment: str | int | None) -> Iterator[Dictionary]:
        """Yield the dictionary as `at` returns it, turned back once for all questions within; None: as it is."""
        if moment is None:
            yield self
            return
        with self.at(moment).reading() as conn:
            yield replace(self, pool=_OneConnection(conn))

    def check_writable(self) -> None:
        """Raise DictionaryUnusable where rights, or a read-only file system, forbid to write the dictionary's file.

        A full disk or another writer does not fail here: it may have passed when something is written.
        """
        file = resolve_url(self.url).file
        if file and not all(os.access(path, os.W_OK) for path in (file, file.parent) if path.exists()):
            hint = "choose another dictionary, or a file system that is not read-only"
            raise DictionaryUnusable("the dictionary cannot be written", where=self.shown, hint=hint)

    def pooled(self, *, size: int = 16, seconds: float = 30.0) -> Dictionary:
        """Return the dictionary with up to *size* connections that stay open for readers, until `close`.

        A query is cancelled after *seconds*. A file that was replaced, or a server that comes back, is opened again.
        """
        return replace(self, pool=ReaderPool(self.url, size=size, seconds=seconds))

    def close(self) -> None:
        """Close the connections of the pool; nothing without one."""
        if self.pool:
            self.pool.close()

    def sibling(self, ending: str) -> Path:
        """Return the path beside the dictionary's file; in the working directory where it is on a server."""
        file = resolve_url(self.url).file
        return file.with_name(file.name + ending) if file else Path(f"openlineage{ending}")


@dataclass(frozen=True, slots=True)
class _OneConnection:
    """A connection that stays open, in place of a pool."""

    conn: Connection

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        yield self.conn

    def close(self) -> None:
        """Leave the connection open: who opened it closes it."""


@contextmanager
def _asking(url: str) -> Iterator[Connection]:
    with open_for_reading(url) as engine, engine.connect() as conn:
        if conn.dialect.name == "sqlite":
            only_read(conn)
        yield conn


def open_dictionary(
    url: str | Path,
    *,
    create: bool = False,
    patience: float = DEFAULT_PATIENCE,
    notify: Callable[[str], None] | None = None,
) -> Dictionary:
    """Open the dictionary at *url* once, so that a missing or incompatible one is reported here, and return its handle.

    *create* makes a missing dictionary and migrates an older one; without it nothing is written. *patience* and
    *notify*: see `Dictionary`.
    Raises DictionaryUnusable.

    >>> dictionary = open_dictionary("sqlite:///dictionary.db", create=True)
    """
    handle = Dictionary(str(url), patience, notify)
    if create:
        handle.writing(create=True).dispose()
    else:
        with handle.reading():
            pass
    return handle


def copy_dictionary(
    source: Dictionary, target: Dictionary, *, progress: CopyProgress = lambda *_: None
) -> tuple[TableCopy, ...]:
    """Copy every table of *source* into *target*, which is made where it is missing and must be empty; return counts.

    It is one transaction: where it fails or is interrupted *target* is empty. An older *source* is migrated first.
    *progress* is called with a table's name, the rows copied, and all of its rows. Raises InputInvalid where
    *target* is not empty, DictionaryUnusable where either cannot be read or written.

    >>> copy_dictionary(dictionary, Dictionary("postgresql://scanner@db/dictionary"))
    """
    with source.reading() as conn:
        engine = target.writing(create=True)
        try:
            return copy_rows(conn, engine, target.shown, progress)
        finally:
            engine.dispose()


def known_cluster(conn: Connection, name: str | None) -> str | None:
    """Return *name*; raises NameUnknown with suggestions where the dictionary has no such cluster."""
    if name is None:
        return None
    names = [row.name for row in clusters(conn)]
    if name not in names:
        raise unknown_name("cluster", name, names, f"known: {', '.join(names)}" if names else "nothing was scanned yet")
    return name


Measures = tuple[tuple[ClusterMeasures, ...], tuple[SourceMeasures, ...]]
"""The figures of the clusters and of the sources, in the order of their names."""


def measures(dictionary: Dictionary) -> Measures:
    """Return the figures as the newest scans left them."""
    with dictionary.reading() as conn:
        return cluster_measures(conn), source_measures(conn)
