"""The spool: lines that the disk keeps before they are acknowledged, in segments that are stored and then removed."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Full, Queue
from typing import BinaryIO

from scanner_model.errors import InputInvalid

_SUFFIX = ".ndjson"
_PATIENCE = 30.0


class SpoolFull(Exception):
    """Say that nothing more can be kept now: too many wait, or the disk does not take it."""


@dataclass(slots=True)
class _Entry:
    lines: tuple[str, ...]
    aside: tuple[str, ...]
    kept: threading.Event = field(default_factory=threading.Event)
    error: str = ""


class Spool:
    """Keeps lines in a directory; many who wait share one write to the disk (a group commit).

    *aside* keeps the lines that are not to be stored. At most *waiting* callers wait, and segments hold at most
    *largest* bytes together: beyond that `keep` raises SpoolFull.
    """

    def __init__(self, directory: Path, aside: Path, *, waiting: int = 256, largest: int = 1 << 30) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self._lock_file = _locked(directory)
        self._aside = aside
        self._largest = largest
        self._queue: Queue[_Entry | None] = Queue(waiting)
        self._segment = _Segment(directory, _next_number(directory))
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="spool", daemon=True)
        self._thread.start()

    def keep(self, lines: tuple[str, ...], aside: tuple[str, ...] = ()) -> None:
        """Come back when the disk keeps *lines*; raises SpoolFull where it does not, and then none of them counts."""
        if self.size() > self._largest:
            raise SpoolFull("the spool is full: the dictionary does not take events in fast enough")
        entry = _Entry(lines, aside)
        try:
            self._queue.put_nowait(entry)
        except Full as error:
            raise SpoolFull("too many requests wait") from error
        if not entry.kept.wait(_PATIENCE):
            raise SpoolFull("the disk is too slow")
        if entry.error:
            raise SpoolFull(entry.error)

    def size(self) -> int:
        """Give the bytes of all segments."""
        return sum(_size_of(file) for file in self._files())

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
                self._segment.add([line for entry in entries for line in entry.lines])
            if aside := [line for entry in entries for line in entry.aside]:
                _append(self._aside, aside)
        except OSError as failure:
            error = f"the disk does not keep it: {failure.strerror or failure}"
        for entry in entries:
            entry.error = error
            entry.kept.set()


def whole_lines(file: Path) -> Iterator[str]:
    """Give the lines of a segment; one that a crash cut off was never acknowledged, and is left out."""
    with file.open("rb") as stream:
        for line in stream:
            if line.endswith(b"\n"):
                yield line.decode("utf-8", "surrogateescape").rstrip("\n")


class _Segment:
    """A file that lines are added to; it is made when the first one is."""

    def __init__(self, directory: Path, number: int) -> None:
        self.number = number
        self.path = directory / f"{number:010}{_SUFFIX}"
        self.size = 0
        self._out: BinaryIO | None = None

    def add(self, lines: list[str]) -> None:
        """Add *lines* and have the disk keep them; where that fails none of them stays."""
        if not lines:
            return
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        out = self._open()
        try:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        except OSError:
            os.ftruncate(out.fileno(), self.size)
            raise
        self.size += len(data)

    def close(self) -> None:
        """Close the file."""
        if self._out is not None:
            self._out.close()
            self._out = None

    def _open(self) -> BinaryIO:
        if self._out is None:
            self._out = self.path.open("ab", buffering=0)
            _sync_directory(self.path.parent)
        return self._out


def _append(file: Path, lines: list[str]) -> None:
    with file.open("ab") as out:
        out.write("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
        out.flush()
        os.fsync(out.fileno())


def _locked(directory: Path) -> BinaryIO:
    lock = (directory / "lock").open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        what = "another listener uses this spool"
        raise InputInvalid(what, where=str(directory), hint="end it, or name another directory with --spool") from error
    return lock


def _next_number(directory: Path) -> int:
    numbers = [int(file.stem) for file in directory.glob(f"[0-9]*{_SUFFIX}") if file.stem.isdigit()]
    return max(numbers, default=0) + 1


def _size_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
