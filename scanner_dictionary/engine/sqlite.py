"""A dictionary in a SQLite file: how it is opened, and how one writer works while readers see the last scan."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.pool import NullPool, QueuePool
from sqlalchemy.util import LRUCache

from scanner_model.errors import DictionaryUnusable
from scanner_model.private_files import create_private

Notify = Callable[[str], None]

OPTION = "scanner_waiting"
"""The execution option of an engine that holds its `Waiting`."""

_LOCKS = Path("/proc/locks")
_RESERVED = 0x40000001
"""The byte of a SQLite file that its writer locks (SQLite's os.h, RESERVED_BYTE)."""

_MAGIC = b"SQLite format 3\0"
_START = 4 << 20
_CREATED = b"CREATE TABLE flow_edge_version"

_WAL_WRITE = 120
"""The byte of the -shm file that the writer locks in write-ahead mode (SQLite's wal.c, WAL_WRITE_LOCK)."""

_BLOCKERS = text(
    "SELECT DISTINCT a.pid, a.usename, coalesce(host(a.client_addr), 'local') FROM pg_locks l"
    " JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.granted AND l.relation = to_regclass(:table)"
    " AND l.mode <> 'AccessShareLock' AND a.pid <> pg_backend_pid() ORDER BY a.pid"
)


def _silent(_: str) -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Wait up to *seconds* for another writer; *notify* gets one message about it. *shown* names the dictionary."""

    seconds: float
    shown: str = ""
    notify: Notify = _silent

    def announce(self, writer: str) -> None:
        """Report that *writer* is waited for; it is empty where it is unknown."""
        writer_name = writer or "another program"
        self.notify(f"waiting up to {self.seconds:g} s for {writer_name} to finish writing the dictionary {self.shown}")


def waiting_of(conn: Connection) -> Waiting:
    """Return the waiting options of the engine of *conn*."""
    waiting: Waiting = conn.get_execution_options()[OPTION]
    return waiting


def sqlite_writer(file: Path) -> str:
    """Return the process that is writing the SQLite *file*; empty where the system does not report it (Linux does)."""
    shared_memory = file.with_name(file.name + "-shm")
    pid = _locker(shared_memory, _WAL_WRITE) or _locker(file, _RESERVED)
    return f"process {pid}" if pid else ""


def postgres_writer(conn: Connection, table: str) -> str:
    """Name the sessions that block writers of *table*; empty where the server does not report them."""
    rows = conn.execute(_BLOCKERS, {"table": table}).all()
    return ", ".join(f"server process {pid} of {user or 'a user'} ({host})" for pid, user, host in rows)


def _locker(file: Path, byte: int) -> int:
    """Return the process with a write lock on *byte*; 0 where none is known.

    Opening the file to ask the system would, once closed, take away the locks of this process (POSIX).
    """
    try:
        inode, lines = file.stat().st_ino, _LOCKS.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return 0
    for line in lines:
        match line.replace("->", "").split()[1:]:
            case ["POSIX", _, "WRITE", pid, device, start, end] if (
                device.endswith(f":{inode}") and int(start) <= byte and (end == "EOF" or byte <= int(end))
            ):
                return max(int(pid), 0)
    return 0


_CACHE_KIB = 65536
_WRITES = "scanner_writes"
_POLL = 0.1
_CHANGING = 500
"""Milliseconds to wait for readers when the journal's mode is changed: who waits for them keeps new ones out."""
_STEPS = 100_000
"""Instructions of SQLite's virtual machine, about a millisecond's, after which the time is looked at."""
_MOST_STEPS = 60_000
"""Times `_STEPS` that one question may take, about a minute: a view of another's dictionary may never end."""

_LONGEST_PATH = 504
"""Bytes of a path that SQLite opens on Unix: 512 with the end of the name of a journal."""

_NO_RIGHTS = ("SQLITE_READONLY", "SQLITE_CANTOPEN")


class _Compiled(LRUCache[tuple[Any, ...], Any]):
    """The compiled statements of every dictionary in a file; compiling takes longer than running most of them.

    A key begins with the engine's own dialect object: the rest is the key.
    """

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:  # noqa: ANN401 - SQLAlchemy's
        return super().get(key[1:], default)

    def __setitem__(self, key: tuple[Any, ...], value: Any) -> None:  # noqa: ANN401 - SQLAlchemy's
        super().__setitem__(key[1:], value)


_COMPILED: Mapping[str, Any] = {"compiled_cache": _Compiled(1_000)}
"""The execution options of every engine over a file."""


def sqlite_engine(file: Path, *, create: bool, patience: float) -> Engine:
    """Return an engine over *file*; it waits *patience* seconds for another writer. Nothing is opened yet."""
    engine = _engine(lambda: _connect(file, "rwc" if create else "rw", patience), poolclass=NullPool)

    def begin(conn: Connection) -> None:
        # sqlite3 itself would begin only before the first INSERT, so that a migration could stop half-way.
        if not conn.get_execution_options().get(_WRITES):
            conn.exec_driver_sql("BEGIN")
        elif not _begin_write(_driver(conn), file, waiting_of(conn)):
            conn.exec_driver_sql("BEGIN IMMEDIATE")  # it fails, and says why

    event.listen(engine, "begin", begin)
    return engine


def reading_sqlite_engine(file: Path, *, patience: float, size: int = 0) -> Engine:
    """Return an engine that never writes *file*; up to *size* connections stay open, for many readers (0: none).

    A connection that stays open keeps a file in write-ahead mode that a scan has changed to it, so that later scans
    block no reader.
    """
    options: dict[str, Any] = {"poolclass": QueuePool, "pool_size": size, "max_overflow": 0, "pool_timeout": patience}
    engine = _engine(lambda: _connect(file, "ro", patience), **options if size else {"poolclass": NullPool})
    event.listen(engine, "begin", lambda conn: conn.exec_driver_sql("BEGIN"))
    return engine


@contextmanager
def private_copy(file: Path) -> Iterator[Path]:
    """Copy a dictionary into a private directory, which is removed at the end, and apply the journals beside it."""
    with TemporaryDirectory(prefix="scanner-") as directory:
        copy = Path(directory) / "dictionary.db"
        for ending in ("", "-wal", "-journal"):
            if (source := file.with_name(file.name + ending)).exists():
                shutil.copyfile(source, copy.with_name(copy.name + ending))
        with suppress(sqlite3.Error):  # who reads the copy meets the error again
            _connect(copy, "rw", 0).close()
        yield copy


def needs_recovery(file: Path, patience: float) -> bool:
    """Return whether a program that was killed left a journal that has to be rolled back before *file* can be read."""
    try:
        _connect(file, "ro", patience).close()
    except sqlite3.Error as error:
        return error.sqlite_errorname == "SQLITE_READONLY_ROLLBACK"
    return False


def _engine(connect: Callable[[], sqlite3.Connection], **options: Any) -> Engine:  # noqa: ANN401 - SQLAlchemy's
    return create_engine("sqlite://", creator=connect, execution_options=_COMPILED, **options)


def limit_time(conn: Connection, seconds: float) -> None:
    """Interrupt a statement of the connection that is running *seconds* from now."""
    end = time.monotonic() + seconds
    _driver(conn).set_progress_handler(lambda: time.monotonic() > end, _STEPS)


def only_read(conn: Connection, *, most: int = _MOST_STEPS) -> None:
    """Reject writes on the connection, and interrupt a statement after *most* times `_STEPS` instructions.

    Work is limited instead of time: a reader may pause between two rows.
    """
    driver = _driver(conn)
    driver.execute("PRAGMA query_only = ON")
    steps = 0

    def begin(*_: object) -> None:
        nonlocal steps
        steps = 0

    def is_over() -> bool:
        nonlocal steps
        steps += 1
        return steps > most

    event.listen(conn, "before_cursor_execute", begin)
    driver.set_progress_handler(is_over, _STEPS)


def check_file(file: Path, shown: str, *, create: bool) -> None:
    """Refuse a place where no dictionary can be, before SQLite says so less clearly."""
    # SQLite follows links before it looks at the length.
    length = max(len(os.fsencode(path)) for path in (file.absolute(), file.resolve()))
    if length > _LONGEST_PATH:
        what = f"the dictionary's path has {length} bytes, and SQLite takes {_LONGEST_PATH}"
        raise DictionaryUnusable(what, where=shown, hint="name a file with a shorter path")
    if file.is_dir():
        raise DictionaryUnusable("the dictionary is a directory", where=shown, hint="name a file in it")
    for place in (file, *(file.with_name(file.name + ending) for ending in ("-wal", "-shm", "-journal"))):
        if place.exists() and not place.is_file():  # to open a pipe waits for its other end
            what = f"{place.name} is a pipe, socket or device, not a file"
            raise DictionaryUnusable(what, where=shown, hint="name another file")
    if create and not file.exists() and not file.parent.is_dir():
        what = "the dictionary's directory does not exist"
        raise DictionaryUnusable(what, where=shown, hint=f"make it: mkdir -p {file.parent}")
    if not create and not file.exists():
        raise DictionaryUnusable("the dictionary does not exist", where=shown, hint="run `scanner scan` first")


def is_dictionary_file(file: Path) -> bool:
    """Return whether *file* looks like a dictionary that scanner wrote; the file is not opened as a database.

    SQLite keeps the statements that created the tables as text, near the start of the file.
    """
    try:
        with file.open("rb") as content:
            return content.read(len(_MAGIC)) == _MAGIC and _CREATED in content.read(_START)
    except OSError:
        return False


@contextmanager
def beside_readers(conn: Connection) -> Iterator[None]:
    """Keep readers at what was committed last while *conn* writes, in a transaction that begins inside.

    The file is in write-ahead mode only meanwhile: at rest a dictionary is one plain file, which can be copied, and
    read from a directory that cannot be written. Where the mode cannot be had (a network disk, a reader just now)
    SQLite's ordinary journal keeps the last scan as safe, and readers may have to wait.
    """
    driver = _driver(conn)
    _try_pragma(driver, f"PRAGMA cache_size = -{_CACHE_KIB}")
    try:
        yield
    finally:
        # Others who have the file open keep it in write-ahead mode; the last one who wrote changes it.
        _try_pragma(driver, f"PRAGMA busy_timeout = {_CHANGING}")
        _try_pragma(driver, "PRAGMA journal_mode = DELETE")


def for_writing(conn: Connection) -> Connection:
    """Let transactions of *conn* take the write lock when they begin, not in their middle."""
    return conn.execution_options(**{_WRITES: True})


def _connect(file: Path, mode: str, patience: float) -> sqlite3.Connection:
    """Connect in one of SQLite's modes: `ro`, `rw`, or `rwc`, which creates a missing file."""
    uri = file.absolute().as_uri()
    if mode == "rwc" and not file.exists():
        _create(file)
    try:
        return _open(f"{uri}?mode={mode}", patience)
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith(_NO_RIGHTS) or not _is_at_rest(file):
            raise
        # A reader without rights on the directory cannot take part in write-ahead mode; nothing is being written now.
        return _open(f"{uri}?immutable=1", patience)


def _create(file: Path) -> None:
    """Create a private *file*; SQLite gives the files that it writes beside it (-wal, -shm, -journal) the same rights.

    A link that leads nowhere is not followed. Raises sqlite3.OperationalError, as SQLite would.
    """
    try:
        create_private(file)
    except FileExistsError:
        if not file.exists():
            error = sqlite3.OperationalError("unable to open database file: it is a link to a file that is not there")
            error.sqlite_errorname = "SQLITE_CANTOPEN"
            raise error from None
    except OSError:
        return  # SQLite says why


def _open(uri: str, patience: float) -> sqlite3.Connection:
    driver = sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        driver.execute("PRAGMA trusted_schema = OFF")
        driver.execute("PRAGMA cell_size_check = ON")
        driver.execute("PRAGMA foreign_keys = ON")
        driver.execute("PRAGMA synchronous = NORMAL")
        driver.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        driver.close()
        raise
    except UnicodeDecodeError as error:  # SQLite's message quotes what it cannot read
        driver.close()
        damaged = sqlite3.DatabaseError("the schema of the database cannot be read")
        damaged.sqlite_errorname = "SQLITE_CORRUPT"
        raise damaged from error
    return driver


def _is_at_rest(file: Path) -> bool:
    return file.exists() and not any(file.with_name(file.name + ending).exists() for ending in ("-wal", "-journal"))


def _begin_write(driver: sqlite3.Connection, file: Path, waiting: Waiting) -> bool:
    """Begin a transaction that may write, in write-ahead mode where that can be had; False where it cannot begin.

    Waits for another writer. The mode is tried each time: an earlier writer may have blocked it.
    """
    end, announced = time.monotonic() + waiting.seconds, False
    while True:
        _try_pragma(driver, f"PRAGMA busy_timeout = {_CHANGING}")
        _try_pragma(driver, "PRAGMA journal_mode = WAL")
        _try_pragma(driver, "PRAGMA busy_timeout = 0")
        try:
            driver.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() >= end:
                return False
        else:
            # Without write-ahead mode a commit waits for readers.
            driver.execute(f"PRAGMA busy_timeout = {int(waiting.seconds * 1000)}")
            return True
        if not announced:
            waiting.announce(sqlite_writer(file))
            announced = True
        time.sleep(_POLL)


def _driver(conn: Connection) -> sqlite3.Connection:
    driver: sqlite3.Connection = conn.connection.driver_connection  # type: ignore[assignment]
    return driver


def _try_pragma(driver: sqlite3.Connection, pragma: str) -> None:
    try:
        driver.execute(pragma).fetchall()
    except sqlite3.OperationalError:
        return
