"""How a command that runs until it is asked to end hears of it."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ended_by_signal() -> Iterator[Callable[[float], bool]]:
    """Give a function that waits for some seconds: True, and at once, when SIGINT or SIGTERM was sent.

    A signal more acts as if nobody waited. For the main thread only. All that a signal does is to write into a pipe:
    what a handler would lock, the code that it interrupts may hold.
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
