"""Output to the terminal: standard streams, signals, control characters.

Everything that a person reads goes through `echo` and `echo_err`, so that a terminal obeys no control characters in
names of topics, fields or files.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import click

from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.text import visible


@contextmanager
def ended_by_signal() -> Iterator[Callable[[float], bool]]:
    """Return a function that waits for some seconds; it returns True, at once, when SIGINT or SIGTERM was sent.

    A second signal has its default effect. For the main thread only. A signal only writes into a pipe, because a
    handler must not take a lock that the interrupted code may hold.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in (signal.SIGINT, signal.SIGTERM)}

    def restore(*_: object) -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, restore)
    others = signal.set_wakeup_fd(write)
    try:
        yield lambda seconds: bool(select.select([read], [], [], seconds)[0])
    finally:
        signal.set_wakeup_fd(others)
        restore()
        os.close(read)
        os.close(write)


_STDERR = 2


def echo_err(text: str, *, lines: bool = False) -> None:
    """Write *text* to stderr with control characters escaped; line feeds, too, unless *lines* is set.

    A closed stderr is ignored.
    """
    with contextlib.suppress(OSError):
        click.echo(visible(text, lines=lines), err=True)


def echo(text: str, *, end: str = "\n") -> None:
    """Write output to stdout: unchanged for programs, with control characters escaped on a terminal."""
    click.echo(visible(text, lines=True) if sys.stdout.isatty() else text, nl=False)
    if end:
        click.echo(end, nl=False)


def echo_lines(lines: Iterable[str]) -> None:
    """Write lines of output to stdout as `echo` does."""
    sys.stdout.writelines((visible(line, lines=True) for line in lines) if sys.stdout.isatty() else lines)


class Stdout:
    """Standard output as an open text file for exports."""

    def writelines(self, lines: Iterable[str], /) -> None:
        """Write *lines* as `echo_lines` does."""
        echo_lines(lines)


def report_error(error: ScannerError) -> None:
    """Write an error to stderr: where, what, and what to do; a line for each problem if there are several."""
    problems = error.problems if isinstance(error, InputInvalid) else ()
    if len(problems) < 2:
        echo_err(f"error: {error}")
    else:
        echo_err(
            "\n  ".join([f"error: {len(problems)} problems:", *(visible(str(problem)) for problem in problems)]),
            lines=True,
        )


def protect_std_streams() -> None:
    """Open /dev/null for closed standard streams, so that no other file, such as the dictionary, gets their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(_STDERR, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def configure_utf8() -> None:
    """Write UTF-8 in any locale: names of topics may contain any character, and programs read the output.

    A lone surrogate, as in a file name that is not UTF-8, becomes an escape, which is valid in JSON.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def silence_stdout() -> None:
    """Redirect the rest of stdout to /dev/null after its reader closed the pipe; Python would report it at exit."""
    with contextlib.suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def flush_streams() -> None:
    """Flush both output streams."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
