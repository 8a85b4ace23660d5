"""The spool: lines that the disk keeps before they are acknowledged, in segments that are stored and then removed."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Full, Queue
from typing import BinaryIO

from scanner_model.errors import InputInvalid
from scanner_model.private_files import append_whole, make_directory, open_private, sync_directory

_SUFFIX = ".ndjson"
_UNREADABLE = ".unreadable"
_PATIENCE = 30.0


class SpoolFull(Exception):
    """Say that nothing more can be kept now: too many wait, or the disk does not take it."""


@dataclass(slots=True)
class _Entry:
    lines: bytes
    aside: bytes
    kept: threading.Event = field(default_factory=threading.Event)
    error: str = ""


class Spool:
    """Keeps lines in a private directory; many who wait share one write to the disk (a group commit).

    *aside* keeps the lines that are not to be stored. At most *waiting* callers wait, and segments hold at most
    *largest* bytes together: beyond that `keep` raises SpoolFull.
    """

    def __init__(self, directory: Path, aside: Path, *, waiting: int = 256, largest: int = 1 << 30) -> None:
        _make(directory)
        self.directory = directory
        self._lock_file = _locked(directory)
        self._aside = aside
        self._largest = largest
        self._queue: Queue[_Entry | None] = Queue(waiting)
        self._segment = _Segment(directory, _next_number(directory))
        self._turn = threading.Lock()
        self.failure = ""
        """Why the last lines could not be kept; empty where they were."""
        self._thread = threading.Thread(target=self._run, name="spool", daemon=True)
        self._thread.start()

    def keep(self, lines: tuple[str, ...], aside: tuple[str, ...] = ()) -> None:
        """Come back when the disk keeps *lines*; raises SpoolFull where it does not, and then none of them counts."""
        if self.size() > self._largest:
            raise SpoolFull("the spool is full: the dictionary does not take events in fast enough")
        entry = _Entry(_encoded(lines), _encoded(aside))
        try:
            self._queue.put_nowait(entry)
        except Full as error:
            raise SpoolFull("too many requests wait") from error
        if not entry.kept.wait(_PATIENCE):
            raise SpoolFull("the disk is too slow")
        if entry.error:
            raise SpoolFull(entry.error)

    def size(self) -> int:
        """Return the bytes of all segments."""
        return sum(_size_of(file) for file in self._files())

    def set_aside(self, file: Path) -> None:
        """Rename a segment that cannot be read, so that the others are stored; it keeps its events. Raises OSError."""
        file.replace(file.with_name(file.name + _UNREADABLE))

    def unreadable(self) -> int:
        """Return how many segments were set aside, also by an earlier listener; an operator renames or removes them."""
        return sum(1 for _ in self.directory.glob(f"*{_SUFFIX}{_UNREADABLE}"))

    def closed(self) -> list[Path]:
        """Close the segment that is written, where it holds anything, and list those that can be stored, in order."""
        with self._turn:
            if self._segment.size:
                self._segment.close()
                self._segment = _Segment(self.directory, self._segment.number + 1)
            current = self._segment.path
        return [file for file in self._files() if file != current]

    def remove(self, file: Path) -> None:
        """Remove a segment, all of which is stored."""
        file.unlink(missing_ok=True)

    @property
    def alive(self) -> bool:
        """Return whether lines can be kept: the thread that writes them runs."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Write what waits, and end."""
        self._queue.put(None)
        self._thread.join(_PATIENCE)
        self._segment.close()
        self._lock_file.close()

    def _files(self) -> list[Path]:
        return sorted(self.directory.glob(f"[0-9]*{_SUFFIX}"))

    def _run(self) -> None:
        more = True
        while more:
            entries = [self._queue.get()]
            while True:
                try:
                    entries.append(self._queue.get_nowait())
                except Empty:
                    break
            more = None not in entries
            self._write([entry for entry in entries if entry is not None])

    def _write(self, entries: list[_Entry]) -> None:
        """Put the lines of *entries* on the disk with one write, and wake those who wait for it."""
        error = ""
        try:
            with self._turn:
                self._add(b"".join(entry.lines for entry in entries))
            if aside := b"".join(entry.aside for entry in entries):
                _append(self._aside, aside)
        except OSError as failure:
            error = f"the disk does not keep it: {failure.strerror or failure}"
        self.failure = error
        for entry in entries:
            entry.error = error
            entry.kept.set()

    def _add(self, lines: bytes) -> None:
        try:
            self._segment.add(lines)
        except OSError:
            # What the disk holds of this segment's last pages is not sure any more: nothing is added behind them.
            self._segment.end()
            self._segment = _Segment(self.directory, self._segment.number + 1)
            raise


def whole_lines(file: Path) -> Iterator[str]:
    """Yield the lines of a segment; one that a crash cut off was never acknowledged, and is left out.

    Raises OSError where it cannot be read, is a link or no file.
    """
    # A pipe of that name would be waited for without an end.
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        for line in stream:
            if line.endswith(b"\n"):
                yield line.decode("utf-8", "surrogateescape").rstrip("\n")


class _Segment:
    """A file that lines are added to; it is made when the first one is."""

    def __init__(self, directory: Path, number: int) -> None:
        self.number = number
        self.path = directory / f"{number:010}{_SUFFIX}"
        self.size = 0
        self._out: int | None = None

    def add(self, lines: bytes) -> None:
        """Add *lines* and have the disk hold them; raises OSError where it does not, and then none of them stays."""
        if lines:
            append_whole(self._open(), lines)
            self.size += len(lines)

    def end(self) -> None:
        """Close the file, and remove it where it holds nothing."""
        created = self._out is not None
        self.close()
        if created and not self.size:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file."""
        if self._out is not None:
            os.close(self._out)
            self._out = None

    def _open(self) -> int:
        if self._out is None:
            self._out = open_private(self.path, os.O_WRONLY | os.O_APPEND | os.O_EXCL)
            sync_directory(self.path.parent)
        return self._out


def _encoded(lines: tuple[str, ...]) -> bytes:
    """Encode lines of JSON; half a surrogate pair becomes its escape, which JSON reads as the same."""
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _append(file: Path, lines: bytes) -> None:
    descriptor = open_private(file, os.O_WRONLY | os.O_APPEND)
    try:
        append_whole(descriptor, lines)
    finally:
        os.close(descriptor)


def _make(directory: Path) -> None:
    """Create the spool's directory; raises InputInvalid where others could put segments into it, or take them out."""
    try:
        make_directory(directory)
        found = directory.stat()
        owners = {found.st_uid, directory.lstat().st_uid}
    except OSError as error:
        what = f"cannot be created: {error.strerror or error}"
        raise InputInvalid(what, where=str(directory), hint="name another directory with --spool") from error
    if found.st_mode & stat.S_IWOTH or owners - {os.geteuid(), 0}:
        what = "the directory belongs to another user, or everyone can write into it"
        raise InputInvalid(what, where=str(directory), hint="name another directory with --spool, or chmod 700 it")


def _locked(directory: Path) -> BinaryIO:
    try:
        lock = os.fdopen(open_private(directory / "lock", os.O_WRONLY), "wb")
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise InputInvalid(what, where=str(directory), hint="name another directory with --spool") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        what = "another listener uses this spool"
        raise InputInvalid(what, where=str(directory), hint="end it, or name another directory with --spool") from error
    return lock


def _next_number(directory: Path) -> int:
    numbers = [int(file.name.partition(".")[0]) for file in directory.glob(f"[0-9]*{_SUFFIX}*") if _is_segment(file)]
    return max(numbers, default=0) + 1


def _is_segment(file: Path) -> bool:
    number = file.name.partition(".")[0]
    return number.isascii() and number.isdigit()


def _size_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
