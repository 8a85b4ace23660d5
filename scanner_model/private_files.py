"""Private files and directories, whatever the umask: written atomically, under unpredictable names."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
