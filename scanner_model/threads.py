"""Parallel work in daemon threads: neither Ctrl-C nor work that hangs keeps the program alive."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from typing import TypeVar

Result = TypeVar("Result")


def start(work: Callable[[], Result], name: str | None = None) -> Future[Result]:
    """Run *work* in a thread of its own, called *name*; its result or exception is in the future."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  the future raises it where its result is read
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def run_ordered(works: Iterable[Callable[[], Result]], threads: int) -> Iterator[Result]:
    """Yield the result of each of *works* in order; at most *threads* run, or wait to be read, at once."""
    rest = iter(works)
    started = deque(start(work) for work in islice(rest, max(1, threads)))
    while started:
        yield started.popleft().result()
        started.extend(start(work) for work in islice(rest, 1))
