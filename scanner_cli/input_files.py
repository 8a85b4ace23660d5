"""Reading a file or standard input that a command line names."""

from __future__ import annotations

import click

from scanner_model.errors import InputInvalid

_LARGEST = 64 * 1024 * 1024


def read_text(name: str, what: str = "schema") -> str:
    """Read a file, or standard input for `-`; raises InputInvalid for one that is not UTF-8 or too large.

    *what* names the expected contents in messages.
    """
    try:
        with click.open_file(name, "rb") as file:
            raw: bytes = file.read(_LARGEST + 1)
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=name, hint=f"save the {what} as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "not a valid file name"
        raise InputInvalid(f"cannot be read: {reason}", where=name, hint=f"name a {what} file") from error
    if len(raw) > _LARGEST:
        raise InputInvalid(f"is larger than {_LARGEST // 2**20} MiB", where=name, hint=f"name a {what} file")
    return text
