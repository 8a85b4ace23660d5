"""Where questions are answered: quick ones in threads, those that may take seconds in processes, which can be ended.

Each kind has its own places, its own bounded queue and its own deadline, so that neither holds up the other.
"""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_process

from scanner_api.dictionary import Dictionary
from scanner_api.questions.table import QUESTIONS
from scanner_model.errors import ScannerError
from scanner_model.threads import start
from scanner_server.options import ServerOptions

T = TypeVar("T")

_CONNECTIONS = 4
"""Connections to the dictionary that one process may have."""


class TryLater(ScannerError):
    """Raised when a question was not answered because of others, or of the dictionary: the client asks again."""


class OverDeadline(ScannerError):
    """Raised when a question took too long by itself: the client asks for less."""


class _Queue:
    """At most *places* questions at once, and *waiting* more that wait for a place."""

    def __init__(self, places: int, waiting: int) -> None:
        self.free = anyio.Semaphore(places)
        self._most, self._inside = places + waiting, 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Count a question; raises TryLater where too many wait."""
        if self._inside >= self._most:
            raise TryLater("too many requests at once", hint="send it again")
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1


class Workers:
    """Answers questions about *dictionary*, a pooled one; each within the seconds of *options*, or with an error."""

    def __init__(self, dictionary: Dictionary, options: ServerOptions) -> None:
        self._dictionary, self._options = dictionary, options
        self._light = _Queue(options.threads, options.waiting)
        self._heavy = _Queue(options.heavy, options.heavy_waiting)
        self._processes = anyio.CapacityLimiter(options.heavy)

    async def run(self, answer: Callable[..., T], arguments: dict[str, Any], *, heavy: bool) -> T:
        """Return what *answer*, a function of a module, returns for the dictionary and *arguments*.

        Raises TryLater, OverDeadline, and the errors of *answer*.
        """
        if heavy and self._options.heavy:
            return await self._in_process(answer, arguments)
        return await self.in_thread(partial(answer, self._dictionary, **arguments))

    async def warm(self) -> int | None:
        """Start a process that has loaded what heavy questions need, so that the first of them need not wait for it.

        Returns the process's ID; None where questions have no processes, or none can be started.
        """
        with suppress(anyio.BrokenWorkerProcess, OSError):
            if self._options.heavy:
                return await anyio.to_process.run_sync(_load_answers, cancellable=True, limiter=self._processes)
        return None

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of *work*, which is quick; raises TryLater. A thread that hangs keeps its place."""
        with self._light.entered(), anyio.move_on_after(self._options.seconds):
            await self._light.free.acquire()
            return await asyncio.shield(asyncio.wrap_future(self._started(work)))
        what = f"the dictionary did not answer within {self._options.seconds:g} s"
        raise TryLater(what, hint="send it again later")

    def _started(self, work: Callable[[], T]) -> Future[T]:
        """Start *work* in a thread; its place is free when it has ended, not when its waiter gave up."""
        loop = asyncio.get_running_loop()

        def release(_: object) -> None:
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(self._light.free.release)

        try:
            future = start(work, "answer")
        except RuntimeError:  # no more threads can be started
            self._light.free.release()
            raise
        future.add_done_callback(release)
        return future

    async def _in_process(self, answer: Callable[..., T], arguments: dict[str, Any]) -> T:
        """Return the result of *answer* in a process, which is ended at the deadline."""
        options, begun = self._options, False
        plain = replace(self._dictionary, pool=None, notify=None)
        with self._heavy.entered(), anyio.move_on_after(options.heavy_seconds):
            async with self._heavy.free:
                begun = True
                call = partial(_answer, plain, options, answer, arguments)
                try:
                    return await anyio.to_process.run_sync(call, cancellable=True, limiter=self._processes)
                except anyio.BrokenWorkerProcess as error:
                    what = "the process that answered has ended"
                    raise TryLater(what, hint="is there memory enough? Ask for less") from error
        if begun:
            hint = "ask for less: a smaller limit, fewer hops, a smaller schema; or use the command line"
            raise OverDeadline(f"the answer took longer than {options.heavy_seconds:g} s", hint=hint)
        raise TryLater("other requests took too long", hint="send it again")


def _load_answers() -> int:
    """Import the functions of the questions, in a process of its own, and return its ID."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for question in QUESTIONS:
        _ = question.answer
    return os.getpid()


def _answer(dictionary: Dictionary, options: ServerOptions, answer: Callable[..., T], arguments: dict[str, Any]) -> T:
    """Return the result of *answer*, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the server ends this process
    signal.setitimer(signal.ITIMER_REAL, options.heavy_seconds + 1)  # ends it where the server was killed
    pooled = dictionary.pooled(size=_CONNECTIONS, seconds=options.seconds)
    try:
        return answer(pooled, **arguments)
    except Exception as error:
        error.add_note(traceback.format_exc())  # a traceback itself does not leave its process
        raise
    finally:
        pooled.close()
        signal.setitimer(signal.ITIMER_REAL, 0)
