"""Waiting for another writer of a dictionary: how long, the message, and which process that is if known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

Say = Callable[[str], None]

OPTION = "scanner_waiting"
"""The execution option of an engine that holds its `Waiting`."""

_LOCKS = Path("/proc/locks")
_RESERVED = 0x40000001
"""The byte of a SQLite file that its writer locks (SQLite's os.h, RESERVED_BYTE)."""

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
    """Wait up to *seconds* for another writer; *say* gets one message about it. *shown* names the dictionary."""

    seconds: float
    shown: str = ""
    say: Say = _silent

    def announce(self, writer: str) -> None:
        """Report that *writer* is waited for; it is empty where it is unknown."""
        writer_name = writer or "another program"
        self.say(f"waiting up to {self.seconds:g} s for {writer_name} to finish writing the dictionary {self.shown}")


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
