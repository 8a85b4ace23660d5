"""Exit statuses: their meanings, and the status for an error."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum

from scanner_model.errors import InputInvalid, NameUnknown, ScannerError


class Exit(IntEnum):
    """What each exit status of `scanner` means."""

    DONE = 0
    FAILED = 1
    INPUT_INVALID = 2
    PARTIAL = 3
    UNKNOWN = 4


def exit_status(error: ScannerError) -> Exit:
    """Return the exit status that *error* ends the program with."""
    match error:
        case InputInvalid():
            return Exit.INPUT_INVALID
        case NameUnknown():
            return Exit.UNKNOWN
        case _:
            return Exit.FAILED


def combined_status(statuses: Collection[Exit]) -> Exit:
    """Return the status of several scans as one: partial unless all have the same one."""
    distinct = set(statuses)
    if len(distinct) > 1:
        return Exit.PARTIAL
    return distinct.pop() if distinct else Exit.DONE
