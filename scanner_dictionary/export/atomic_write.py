"""Files and directories that appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory, make_private


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
