"""Signals that end a command, and what is written to stderr."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from scanner_cli.console import echo_err, ended_by_signal


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_wait_at_once_and_handlers_are_as_before(number) -> None:
    """A signal ends the wait at once, not at the next heartbeat."""
    before = signal.getsignal(number)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), number))
    with ended_by_signal() as wait:
        assert wait(0.0) is False
        timer.start()

        assert wait(60.0) is True
        assert wait(60.0) is True
    assert signal.getsignal(number) is before


def test_second_signal_has_its_default_effect() -> None:
    """What hangs at the end can be broken off."""
    with ended_by_signal():
        signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("text", "lines", "shown"),
    [
        ("topic \x1b[2Jorders", False, "topic \\x1b[2Jorders\n"),
        ("a\nerror: b", False, "a\\nerror: b\n"),
        ("a\nb\r\x07", True, "a\nb\\r\\x07\n"),
        ("\u202eorders", True, "\\u202eorders\n"),
    ],
)
def test_stderr_gets_no_control_characters(capsys, text, lines, shown) -> None:
    """Names and messages of servers must not move the cursor, ring, or begin a line that looks like ours."""
    echo_err(text, lines=lines)

    assert capsys.readouterr().err == shown
