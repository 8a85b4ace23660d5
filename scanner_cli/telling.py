"""What is written to the terminal, and what to do when nobody reads the output any more.

Everything that a person reads goes through `say` and `put`, so that no name of a stranger is obeyed by a terminal.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable

import click

from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.text import visible

_STDERR = 2


def say(text: str, *, lines: bool = False) -> None:
    """Write *text* to stderr, control characters as escapes; line feeds, too, unless *lines* says that they are ours.

    That nobody reads it is no reason to stop.
    """
    with contextlib.suppress(OSError):
        click.echo(visible(text, lines=lines), err=True)


def put(text: str, *, end: str = "\n") -> None:
    """Write an answer to stdout: byte for byte for programs, and on a terminal with control characters as escapes."""
    click.echo(visible(text, lines=True) if sys.stdout.isatty() else text, nl=False)
    if end:
        click.echo(end, nl=False)


def put_lines(lines: Iterable[str]) -> None:
    """Write the pieces of an answer to stdout as `put` does."""
    sys.stdout.writelines((visible(line, lines=True) for line in lines) if sys.stdout.isatty() else lines)


def tell(error: ScannerError) -> None:
    """Say what is wrong, where, and what next; a line for each problem where there are several."""
    problems = error.problems if isinstance(error, InputInvalid) else ()
    if len(problems) < 2:
        say(f"error: {error}")
    else:
        say("\n  ".join([f"error: {len(problems)} problems:", *(visible(str(each)) for each in problems)]), lines=True)


def hold_streams() -> None:
    """Let closed streams lead nowhere, so that no file of ours, the dictionary above all, gets their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(_STDERR, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale: names of topics hold any character, and programs read the answer.

    Half a character, as in a file name that is not UTF-8, becomes an escape, which JSON understands.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def stop_talking() -> None:
    """Send the rest of stdout nowhere, because its reader is gone; Python would complain at exit."""
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def last_words() -> None:
    """Write out what is still buffered."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
