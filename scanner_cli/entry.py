"""What a command line runs first: it can be interrupted from here on, also while everything else is still imported."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NoReturn

INTERRUPTED = "interrupted: what was not finished is not stored; the dictionary holds the last whole scan"
"""What somebody who pressed Ctrl-C is told."""

_STDERR = 2


def main() -> NoReturn:
    """Run the command line of this process; files that libraries create (SQLite, Spark) are their user's alone."""
    os.umask(0o077)
    try:
        from scanner_cli import main as program

        program.main()
    except KeyboardInterrupt:
        with suppress(OSError):
            os.write(_STDERR, f"{INTERRUPTED}\n".encode())
        os._exit(1)
