"""Files that are written (checked before the work, replaced atomically after it), and callbacks of long operations."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dataflow_generator.build.coverage import ProgressCallback as GraphProgress
from dataflow_generator.build.coverage import silent as no_graph_progress
from scanner_extractor.results import Progress as ScanProgress
from scanner_extractor.results import no_progress as no_scan_progress
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory

__all__ = ["GraphProgress", "Notify", "ScanProgress", "ignore", "no_graph_progress", "no_scan_progress"]


Notify = Callable[[str], None]
"""Called with one message for people, without a line feed; possibly from another thread."""


def ignore(message: str) -> None:
    """Drop *message*."""


def check_file(file: Path, option: str) -> Path:
    """Return *file* where it can be written; raises InputInvalid where it cannot."""
    directory = file.parent
    if file.is_dir():
        raise InputInvalid("is a directory", where=f"{option} {file}", hint="name a file in it")
    if not directory.is_dir():
        what = "its directory does not exist"
        raise InputInvalid(what, where=f"{option} {file}", hint=f"create it: mkdir -p {directory}")
    if not os.access(file if file.exists() else directory, os.W_OK):
        raise InputInvalid("cannot be written", where=f"{option} {file}", hint="check its permissions")
    return file


def check_directory(directory: Path, option: str) -> Path:
    """Create *directory* if it is missing, and return it; raises InputInvalid where it cannot be written."""
    where = f"{option} {directory}"
    try:
        make_directory(directory)
    except FileExistsError as error:
        raise InputInvalid("is a file", where=where, hint="name a directory") from error
    except OSError as error:
        raise InputInvalid(
            f"cannot be created: {error.strerror}", where=where, hint="name another directory"
        ) from error
    if not os.access(directory, os.W_OK):
        raise InputInvalid("is not writable", where=where, hint="check its permissions")
    return directory


def write_text(file: Path, text: str) -> None:
    """Write *text* as *file*: whole, or the old file stays; raises InputInvalid where it cannot be written."""
    try:
        if file.exists() and not file.is_file():  # a device or a pipe
            file.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            with atomic_path(file) as part:
                part.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        hint = "check its permissions and the free space"
        raise InputInvalid(f"cannot be written: {error.strerror}", where=str(file), hint=hint) from error
