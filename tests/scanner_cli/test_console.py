"""Signals that end a command, while it waits and while it works."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from scanner_cli.console import ended_by_signal


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
