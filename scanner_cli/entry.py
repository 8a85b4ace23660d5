"""The entry point of the program: from here on it can be interrupted, also during the imports."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NoReturn

INTERRUPTED = "interrupted: unfinished work is not stored; the dictionary holds the last complete scan"
"""The message after Ctrl-C."""

_STDERR = 2


def main() -> NoReturn:
    """Run the command line of this process; files that libraries create (SQLite, Spark) are private to the user."""
    os.umask(0o077)
    try:
        from scanner_cli import main as program  # noqa: PLC0415 - may be interrupted, too

        program.main()
    except KeyboardInterrupt:
        with suppress(OSError):
            os.write(_STDERR, f"{INTERRUPTED}\n".encode())
        os._exit(1)
