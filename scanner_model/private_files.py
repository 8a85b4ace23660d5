"""Files and directories that appear whole or not at all; private ones whatever the umask, their names unpredictable."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from scanner_model.errors import InputInvalid

_FILE = 0o600
_DIRECTORY = 0o700
_ALWAYS = os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def make_directory(path: Path) -> None:
    """Create *path* and its missing parents, all private; a directory that is there stays as it is.

    Raises OSError, as FileExistsError where something else is there.
    """
    try:
        path.mkdir(mode=_DIRECTORY)
    except FileNotFoundError:
        if path.parent == path:
            raise
        make_directory(path.parent)
        make_directory(path)
    except FileExistsError:
        if not path.is_dir():
            raise
    else:
        path.chmod(_DIRECTORY)


def make_private(directory: Path) -> None:
    """Make *directory* and all its content private: libraries wrote it with the umask's permissions."""
    for folder, _, files in os.walk(directory):
        Path(folder).chmod(_DIRECTORY)
        for name in files:
            (Path(folder) / name).chmod(_FILE)


@contextlib.contextmanager
def temporary_directory() -> Iterator[Path]:
    """Yield an empty private directory that is removed at the end, also if this process is killed.

    A shell waits for the end of its input, which comes when this process ends in any way, and removes the directory. It
    is in a session of its own, so that a signal to the process group does not reach it.
    """
    with (
        tempfile.TemporaryDirectory(prefix="scanner-", ignore_cleanup_errors=True) as name,
        contextlib.ExitStack() as stack,
    ):
        with contextlib.suppress(OSError):
            command = ["/bin/sh", "-c", 'cat >/dev/null; exec rm -rf -- "$0"', name]
            null = subprocess.DEVNULL
            stack.enter_context(
                subprocess.Popen(  # noqa: S603 - a list, and a fixed script
                    command, stdin=subprocess.PIPE, stdout=null, stderr=null, cwd="/", start_new_session=True
                )
            )
        yield Path(name)


@contextlib.contextmanager
def atomic_path(target: Path, *, durable: bool = False) -> Iterator[Path]:
    """Yield an empty private file beside *target*, which takes its place at the end, or is removed after an error.

    *durable*: the disk holds it first. Its name begins with a dot and cannot be foreseen, so no link waits there.
    """
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".part")
    part = Path(name)
    try:
        os.fchmod(descriptor, _FILE)
        yield part
        if durable:
            os.fsync(descriptor)
        part.replace(target)
    finally:
        os.close(descriptor)
        part.unlink(missing_ok=True)
    if durable:
        sync_directory(target.parent)


def open_private(path: Path, flags: int) -> int:
    """Open *path*, created private where it is missing, and return its descriptor.

    A link is not followed, unless to a device or a pipe (`/dev/stderr`). Raises OSError.
    """
    if path.is_symlink() and path.exists() and not path.is_file():
        descriptor = os.open(path, flags | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)  # what it leads to was exchanged meanwhile
    return os.open(path, flags | _ALWAYS, _FILE)


def create_private(path: Path) -> None:
    """Create *path* as an empty private file; raises FileExistsError for any file or link that is there."""
    os.close(os.open(path, os.O_WRONLY | os.O_EXCL | _ALWAYS, _FILE))


def append_whole(descriptor: int, data: bytes) -> None:
    """Append *data* to a file opened with O_APPEND and have the disk hold it: all of it, or nothing of it.

    Raises OSError. A full disk may take a part of a write and report no error; what it took is cut off again.
    """
    status = os.fstat(descriptor)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if stat.S_ISREG(status.st_mode):
            os.fsync(descriptor)
    except OSError:
        if stat.S_ISREG(status.st_mode):
            os.ftruncate(descriptor, status.st_size)
        raise


def sync_directory(directory: Path) -> None:
    """Flush the entries of *directory* to disk."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def user_directory(name: str, parent: Path) -> Path:
    """Return a private directory in *parent*, called after *name*, that processes of this user share.

    Where something that is not ours has its name, a directory of this call alone.
    """
    shared = parent / f"{name}-{os.geteuid()}"
    with contextlib.suppress(OSError):
        make_directory(shared)
        status = shared.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077:
            return shared
    return Path(tempfile.mkdtemp(dir=parent, prefix=f"{name}-"))


@contextmanager
def atomic_file(path: Path) -> Iterator[TextIO]:
    """Open *path* for UTF-8 text; it takes the place of an earlier file when all of it is written.

    A device or pipe is written to as it comes; a link to a file is replaced, not followed. Raises InputInvalid where it
    cannot be written.
    """
    with _named(path):
        if path.is_dir():
            raise InputInvalid("is a directory, and a file is wanted", where=str(path), hint="name a file in it")
        if path.exists() and not path.is_file():
            # Renaming a file over /dev/stdout would replace the device itself.
            with path.open("w", encoding="utf-8", newline="\n") as out:
                yield out
            return
        with atomic_path(path) as part, part.open("w", encoding="utf-8", newline="\n") as out:
            yield out


@contextmanager
def atomic_directory(path: Path, names: Collection[str]) -> Iterator[Path]:
    """Return a directory to write *names* into; it takes the place of *path* when all of it is written.

    An earlier directory is replaced where it holds nothing but files with *names*. Raises InputInvalid where it holds
    something else, or cannot be written.
    """
    with _named(path):
        target = path.resolve()
        _check_replaceable(target, path, names)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".scanner-") as beside:
            part = Path(beside) / "new"
            make_directory(part)
            yield part
            make_private(part)
            _put(part, target, Path(beside) / "old")


def _put(new: Path, target: Path, aside: Path) -> None:
    """Let *new* take the place of the directory *target*, which is put *aside*, or stays where that fails."""
    if not target.exists():
        new.replace(target)
        return
    target.replace(aside)
    try:
        new.replace(target)
    except OSError:
        aside.replace(target)
        raise


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "look at the path, its rights and the free space; nothing was changed"
        raise InputInvalid(f"cannot be written: {error.strerror or error}", where=str(path), hint=hint) from error


def _check_replaceable(target: Path, shown: Path, names: Collection[str]) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise InputInvalid("is a file, and a directory is wanted", where=str(shown), hint="name another one")
    others = sorted({file.name for file in target.iterdir()} - set(names))
    if others:
        what = f"the directory holds something else: {others[0]}"
        raise InputInvalid(what, where=str(shown), hint="name a new directory, or empty this one")
