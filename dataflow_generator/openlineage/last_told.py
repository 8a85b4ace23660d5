"""What a file of events ends with: a monitor that was killed while it added one knows only so whether it did."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from dataflow_generator.openlineage.journal import Journal
from scanner_model.errors import InputInvalid

Json = Any
_ROOM = 64 * 1024
"""Bytes that a library may add to an event, as its own tags are."""


def settle(journal: Journal, file: Path) -> None:
    """Take the event that waits first for delivered where *file* ends with it; end a line that was cut.

    Raises InputInvalid where the file cannot be read or written, ScannerError where the journal cannot.
    """
    first = journal.waiting()[:1]
    try:
        if first and ends_with(file, first[0]):
            journal.delivered(first)
    except OSError as error:
        what = f"cannot be used: {error.strerror or error}"
        raise InputInvalid(what, where=str(file), hint="name another file with --file") from error


def ends_with(file: Path, line: str) -> bool:
    """Tell whether the last line of *file* is the event of *line*; a last line without an end is none, and is ended."""
    if not file.is_file():
        return False
    with file.open("r+b") as found:
        size = found.seek(0, os.SEEK_END)
        found.seek(max(size - 2 * len(line.encode()) - _ROOM, 0))
        tail = found.read()
        if tail and not tail.endswith(b"\n"):
            found.write(b"\n")
            return False
    return _identity(tail.strip().rpartition(b"\n")[2]) == _identity(line)


def _identity(line: str | bytes) -> tuple[Json, ...]:
    """Give run, state and moment of an event: no two events of a monitor share them; empty for what is no event."""
    try:
        event = json.loads(line)
        return event["run"]["runId"], event["eventType"], event["eventTime"]
    except (ValueError, KeyError, TypeError):
        return ()
