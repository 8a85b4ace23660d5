"""Where questions are answered: quick ones in threads, those that may take seconds in processes, which can be ended.

Each kind has its own places, its own bounded queue and its own deadline, so that neither holds up the other. A quick
one that would have to wait is answered by a process that has nothing to do: Python runs one thread of a process.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache, partial
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

_TURN = 0.1
"""Seconds for which a thread waits for the one before it: two at once take longer than one after the other."""

_CROWD = 8
"""Quick questions, answered and waiting, beyond which a process is started for them; a browser sends six at once."""

_STAYS = 240
"""Seconds for which an unused process is counted on; it is ended after 300."""


class TryLater(ScannerError):
    """Raised when a question was not answered because of others, or of the dictionary: the client asks again."""


class OverDeadline(ScannerError):
    """Raised when a question took too long by itself: the client asks for less."""


class _Queue:
    """At most *places* questions at once, and *waiting* more that wait for a place."""

    def __init__(self, places: int, waiting: int) -> None:
        self.free = anyio.Semaphore(places)
        self._most, self.inside = places + waiting, 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Count a question; raises TryLater where too many wait."""
        if self.inside >= self._most:
            raise TryLater("too many requests at once", hint="send it again")
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1


class Workers:
    """Answers questions about *dictionary*, a pooled one; each within the seconds of *options*, or with an error."""

    def __init__(self, dictionary: Dictionary, options: ServerOptions) -> None:
        self._dictionary, self._options = dictionary, options
        self._light = _Queue(options.threads, options.waiting)
        self._heavy = _Queue(options.heavy, options.heavy_waiting)
        self._processes = anyio.CapacityLimiter(options.heavy)
        self._turn = threading.Lock()
        self._started_until = float("-inf")
        """Until when a process that has loaded the answers is there, by the monotonic clock."""
        self._starting: asyncio.Task[int | None] | None = None

    async def run(self, answer: Callable[..., T], arguments: dict[str, Any], *, heavy: bool) -> T:
        """Return what *answer*, a function of a module, returns for the dictionary and *arguments*.

        Raises TryLater, OverDeadline, and the errors of *answer*.
        """
        if heavy and self._options.heavy:
            return await self._in_process(answer, arguments)
        return await self._light_answer(
            partial(answer, self._dictionary, **arguments), partial(self._call, self._posted(answer, arguments))
        )

    async def warm(self) -> int | None:
        """Start a process that has loaded what heavy questions need, so that the first of them need not wait for it.

        Returns the process's ID; None where questions have no processes, or none can be started.
        """
        with suppress(TryLater, OSError):
            if self._options.heavy:
                return await self._call(partial(_load_answers, gc.get_threshold()))
        return None

    def _posted(self, answer: Callable[..., T], arguments: dict[str, Any]) -> Callable[[], T]:
        """Return the call of *answer* as it is sent to a process."""
        plain = replace(self._dictionary, pool=None, notify=None)
        return partial(_answer, plain, self._options, answer, arguments)

    def _has_process(self) -> bool:
        return time.monotonic() < self._started_until

    def _start_process(self) -> None:
        """Start a process for what waits, unless one is being started."""
        if self._options.heavy and (self._starting is None or self._starting.done()):
            self._starting = asyncio.get_running_loop().create_task(self.warm())

    async def _call(self, work: Callable[[], T]) -> T:
        """Return the result of *work* in a process, which is ended if the caller is cancelled."""
        stays = _STAYS
        try:
            return await anyio.to_process.run_sync(work, cancellable=True, limiter=self._processes)
        except ScannerError:  # is its answer
            raise
        except anyio.BrokenWorkerProcess as error:
            stays = 0
            what = "the process that answered has ended"
            raise TryLater(what, hint="is there memory enough? Ask for less") from error
        except BaseException:  # it is ended with its caller, or cannot be started
            stays = 0
            raise
        finally:
            self._started_until = time.monotonic() + stays

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of *work*, which is quick; raises TryLater. A thread that hangs keeps its place."""
        return await self._light_answer(work)

    async def _light_answer(self, work: Callable[[], T], elsewhere: Callable[[], Awaitable[T]] | None = None) -> T:
        """Return the result of *work* in a thread, or of *elsewhere* if a thread works and a process does not."""
        with self._light.entered(), anyio.move_on_after(self._options.seconds):
            await self._light.free.acquire()
            if elsewhere and self._light.inside > _CROWD and not self._has_process():
                self._start_process()
            if elsewhere and self._turn.locked() and self._has_process() and not self._processes.borrowed_tokens:
                with suppress(TryLater, OSError):  # the process has ended meanwhile, and no other can be started
                    try:
                        return await elsewhere()
                    finally:
                        self._light.free.release()
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
            future = start(partial(self._in_turn, work), "answer")
        except RuntimeError:  # no more threads can be started
            self._light.free.release()
            raise
        future.add_done_callback(release)
        return future

    def _in_turn(self, work: Callable[[], T]) -> T:
        """Return the result of *work*, begun when that of another thread has ended, unless that takes longer."""
        has_turn = self._turn.acquire(timeout=_TURN)
        try:
            return work()
        finally:
            if has_turn:
                self._turn.release()

    async def _in_process(self, answer: Callable[..., T], arguments: dict[str, Any]) -> T:
        """Return the result of *answer* in a process, which is ended at the deadline."""
        options, begun = self._options, False
        with self._heavy.entered(), anyio.move_on_after(options.heavy_seconds):
            async with self._heavy.free:
                begun = True
                return await self._call(self._posted(answer, arguments))
        if begun:
            hint = "ask for less: a smaller limit, fewer hops, a smaller schema; or use the command line"
            raise OverDeadline(f"the answer took longer than {options.heavy_seconds:g} s", hint=hint)
        raise TryLater("other requests took too long", hint="send it again")


def _load_answers(gc_threshold: tuple[int, int, int]) -> int:
    """Import the functions of the questions, in a process of its own, and return its ID.

    It collects garbage as seldom as the server does: answers have no cycles.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*gc_threshold)
    for question in QUESTIONS:
        _ = question.answer
    return os.getpid()


def _answer(dictionary: Dictionary, options: ServerOptions, answer: Callable[..., T], arguments: dict[str, Any]) -> T:
    """Return the result of *answer*, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the server ends this process
    signal.setitimer(signal.ITIMER_REAL, options.heavy_seconds + 1)  # ends it where the server was killed
    try:
        return answer(_kept_open(dictionary, options.seconds), **arguments)
    except Exception as error:
        error.add_note(traceback.format_exc())  # a traceback itself does not leave its process
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@lru_cache(maxsize=1)
def _kept_open(dictionary: Dictionary, seconds: float) -> Dictionary:
    """Return the dictionary with connections that stay open, whose statements are compiled once in a process."""
    return dictionary.pooled(size=_CONNECTIONS, seconds=seconds)
