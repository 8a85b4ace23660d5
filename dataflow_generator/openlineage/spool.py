"""The spool: events on disk before they are acknowledged, in segments that are imported and removed; refused events."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Full, Queue
from types import TracebackType
from typing import Any, BinaryIO, Self, TextIO

from dataflow_generator.openlineage.redaction import canonical, clean_facet, parsed
from scanner_model.errors import InputInvalid, Problem
from scanner_model.private_files import append_whole, make_directory, open_private, sync_directory
from scanner_model.redaction import is_secret_name, mask_json, mask_text

Json = Any

_LONGEST = 1 << 20
"""The largest number of characters stored of a text that is not JSON."""


def rejection(where: str, text: str, problems: Sequence[Problem]) -> str:
    """Return a rejected text as one line of JSON: its location, the problems, and the event or the text."""
    listed = [{"where": problem.where, "what": problem.what, "hint": problem.hint} for problem in problems]
    return canonical({"where": where, "problems": listed} | _redacted(text))


class RejectedFile:
    """A file to which rejected texts are appended; it is created with the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._out: TextIO | None = None

    def __enter__(self) -> Self:
        """Return itself; the file is opened later."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Flush to disk and close."""
        if self._out is not None:
            self.sync()
            self._out.close()
            self._out = None

    def add(self, line: str) -> None:
        """Add *line*; raises InputInvalid where the file cannot be written."""
        try:
            if self._out is None:
                descriptor = open_private(self.path, os.O_WRONLY | os.O_APPEND)
                self._out = os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")
            self._out.write(f"{line}\n")
        except OSError as error:
            what = f"cannot be written: {error.strerror or error}"
            raise InputInvalid(what, where=str(self.path), hint="choose another file with --rejected") from error

    def sync(self) -> None:
        """Flush to disk."""
        if self._out is not None:
            self._out.flush()
            os.fsync(self._out.fileno())


def _redacted(text: str) -> dict[str, Json]:
    try:
        value = parsed(text)
        return {"event": _clean(value)}
    except (ValueError, RecursionError):
        return {"text": mask_text(text[:_LONGEST])}


def _clean(value: Json) -> Json:
    """Return a JSON value with secrets redacted, as in the facets of an event, at any depth."""
    if isinstance(value, dict):
        own = mask_json({key: item for key, item in value.items() if not isinstance(item, dict | list)})
        return {key: own[key] if key in own else _clean_member(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return mask_text(value) if isinstance(value, str) else value


def _clean_member(key: str, value: Json) -> Json:
    if key in ("facets", "inputFacets", "outputFacets") and isinstance(value, dict):
        return {name: clean_facet(name, facet) for name, facet in value.items()}
    return mask_json({key: value})[key] if is_secret_name(key) else _clean(value)


_SUFFIX = ".ndjson"
_UNREADABLE = ".unreadable"
_PATIENCE = 30.0


class SpoolFull(Exception):
    """Raised when events cannot be stored now: too many requests wait, or the disk cannot be written."""


@dataclass(slots=True)
class _Entry:
    lines: bytes
    rejected: bytes
    written: threading.Event = field(default_factory=threading.Event)
    error: str = ""


class Spool:
    """Stores lines in a private directory; concurrent callers share one write to the disk (group commit).

    *rejected* is the file of lines that are not imported. At most *waiting* callers wait, and segments have at most
    *largest* bytes in total: beyond that `append` raises SpoolFull.
    """

    def __init__(self, directory: Path, rejected: Path, *, waiting: int = 256, largest: int = 1 << 30) -> None:
        _make(directory)
        self.directory = directory
        self._lock_file = _locked(directory)
        self._rejected = rejected
        self._largest = largest
        self._queue: Queue[_Entry | None] = Queue(waiting)
        self._segment = _Segment(directory, _next_number(directory))
        self._turn = threading.Lock()
        self._size = 0
        self._measure()
        self.failure = ""
        """Why the last write failed; empty where it succeeded."""
        self._thread = threading.Thread(target=self._run, name="spool", daemon=True)
        self._thread.start()

    def append(self, lines: tuple[str, ...], rejected: tuple[str, ...] = ()) -> None:
        """Return when *lines* are on disk; raises SpoolFull where they cannot be written, and then none is stored."""
        if self._size > self._largest:
            raise SpoolFull("the spool is full: the import into the dictionary is too slow")
        entry = _Entry(_encoded(lines), _encoded(rejected))
        try:
            self._queue.put_nowait(entry)
        except Full as error:
            raise SpoolFull("too many waiting requests") from error
        if not entry.written.wait(_PATIENCE):
            raise SpoolFull("the disk is too slow")
        if entry.error:
            raise SpoolFull(entry.error)

    def size(self) -> int:
        """Return the bytes of all segments, without a look at the disk."""
        return self._size

    def set_aside(self, file: Path) -> None:
        """Rename an unreadable segment, so that the others are imported. Raises OSError."""
        file.replace(file.with_name(file.name + _UNREADABLE))
        self._measure()

    def unreadable(self) -> int:
        """Return the number of segments set aside, also by earlier listeners; an operator renames or removes them."""
        return sum(1 for _ in self.directory.glob(f"*{_SUFFIX}{_UNREADABLE}"))

    def closed(self) -> list[Path]:
        """Close the current segment, unless it is empty, and return those that can be imported, in order."""
        with self._turn:
            if self._segment.size:
                self._segment.close()
                self._segment = _Segment(self.directory, self._segment.number + 1)
            current = self._segment.path
        self._measure()  # an operator may have removed some
        return [file for file in self._files() if file != current]

    def remove(self, file: Path) -> None:
        """Remove an imported segment."""
        file.unlink(missing_ok=True)
        self._measure()

    @property
    def alive(self) -> bool:
        """Return whether the writer thread is running."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Write waiting entries, and stop."""
        self._queue.put(None)
        self._thread.join(_PATIENCE)
        self._segment.close()
        self._lock_file.close()

    def _measure(self) -> None:
        self._size = sum(_size_of(file) for file in self._files())

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
        """Write the lines of *entries* to disk at once, and wake the waiting callers."""
        error = ""
        try:
            with self._turn:
                self._add(b"".join(entry.lines for entry in entries))
            if rejected := b"".join(entry.rejected for entry in entries):
                _append(self._rejected, rejected)
        except OSError as failure:
            error = f"cannot be written to disk: {failure.strerror or failure}"
        self.failure = error
        for entry in entries:
            entry.error = error
            entry.written.set()

    def _add(self, lines: bytes) -> None:
        try:
            self._segment.add(lines)
            self._size += len(lines)
        except OSError:
            # The last pages of this segment may be damaged: nothing is appended after them.
            self._segment.end()
            self._segment = _Segment(self.directory, self._segment.number + 1)
            raise


def whole_lines(file: Path) -> Iterator[str]:
    """Yield the lines of a segment; a line truncated by a crash was never acknowledged, and is left out.

    Raises OSError where it cannot be read, is a link or not a regular file.
    """
    # Opening a named pipe would block.
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        for line in stream:
            if line.endswith(b"\n"):
                yield line.decode("utf-8", "surrogateescape").rstrip("\n")


class _Segment:
    """A file to which lines are appended; it is created with the first one."""

    def __init__(self, directory: Path, number: int) -> None:
        self.number = number
        self.path = directory / f"{number:010}{_SUFFIX}"
        self.size = 0
        self._out: int | None = None

    def add(self, lines: bytes) -> None:
        """Append *lines* and flush them to disk; raises OSError where that fails, and then none of them stays."""
        if lines:
            append_whole(self._open(), lines)
            self.size += len(lines)

    def end(self) -> None:
        """Close the file, and remove it if it is empty."""
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
    """Encode lines of JSON; lone surrogates are escaped, which is equivalent in JSON."""
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _append(file: Path, lines: bytes) -> None:
    descriptor = open_private(file, os.O_WRONLY | os.O_APPEND)
    try:
        append_whole(descriptor, lines)
    finally:
        os.close(descriptor)


def _make(directory: Path) -> None:
    """Create the spool's directory; raises InputInvalid where other users could add or remove segments."""
    try:
        make_directory(directory)
        status = directory.stat()
        owners = {status.st_uid, directory.lstat().st_uid}
    except OSError as error:
        what = f"cannot be created: {error.strerror or error}"
        raise InputInvalid(what, where=str(directory), hint="choose another directory with --spool") from error
    if status.st_mode & stat.S_IWOTH or owners - {os.geteuid(), 0}:
        what = "the directory belongs to another user, or everyone can write into it"
        raise InputInvalid(what, where=str(directory), hint="choose another directory with --spool, or chmod 700 it")


def _locked(directory: Path) -> BinaryIO:
    try:
        lock = os.fdopen(open_private(directory / "lock", os.O_WRONLY), "wb")
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise InputInvalid(what, where=str(directory), hint="choose another directory with --spool") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        what = "another listener uses this spool"
        raise InputInvalid(
            what, where=str(directory), hint="stop it, or choose another directory with --spool"
        ) from error
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
