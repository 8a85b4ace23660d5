"""A bounded thread pool and a rate limit for requests to one source, with results in a fixed order."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, wait
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from scanner_model.errors import PayloadUnexpected, ScannerError, SourceUnreachable
from scanner_model.threads import start

Job = TypeVar("Job")
Result = TypeVar("Result")

_NO_ANSWER = (SourceUnreachable, PayloadUnexpected)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPool:
    """Size of the pool, and when it gives up.

    After more than *failures* consecutive failures, or *patience* seconds without a response, the source is
    considered unavailable. *patience* is below the runner's deadline, so that partial results are retained.
    """

    threads: int = 16
    failures: int = 20
    patience: float = 90.0


@dataclass(frozen=True, slots=True)
class _Answered(Generic[Result]):
    index: int
    result: Result | ScannerError | None


def map_concurrently(
    jobs: Sequence[Job],
    call: Callable[[Job], Result],
    *,
    pool: WorkerPool,
    on_result: Callable[[int], None] = lambda done: None,  # noqa: ARG005 - it ignores the number
) -> list[Result | ScannerError]:
    """Return the result or the error of each job, in the order of *jobs*; *on_result* gets the number of those by then.

    Jobs that are no longer tried get SourceUnreachable.
    """
    results: list[Result | ScannerError] = [_skipped()] * len(jobs)
    waiting: queue.SimpleQueue[tuple[int, Job]] = queue.SimpleQueue()
    for numbered in enumerate(jobs):
        waiting.put(numbered)
    answers: queue.SimpleQueue[_Answered[Result]] = queue.SimpleQueue()
    stop = threading.Event()
    work = partial(_work, waiting, call, answers, stop)
    workers = [start(work, "source worker") for _ in range(min(max(1, pool.threads), len(jobs)))]
    try:
        if not _collect(results, answers, pool, on_result):
            failed = wait(workers, return_when=FIRST_EXCEPTION).done
            causes = [worker.exception() for worker in failed]
            raise RuntimeError("a worker thread of the source failed") from next(filter(None, causes), None)
    finally:
        stop.set()
    return results


def _work(
    waiting: queue.SimpleQueue[tuple[int, Job]],
    call: Callable[[Job], Result],
    answers: queue.SimpleQueue[_Answered[Result]],
    stop: threading.Event,
) -> None:
    while not stop.is_set():
        try:
            index, job = waiting.get_nowait()
        except queue.Empty:
            return
        result: Result | ScannerError | None = None
        try:
            result = call(job)
        except ScannerError as error:
            result = error
        finally:
            answers.put(_Answered(index, result))


def _collect(
    results: list[Result | ScannerError],
    answers: queue.SimpleQueue[_Answered[Result]],
    pool: WorkerPool,
    on_result: Callable[[int], None],
) -> bool:
    """Put the answers in their places until the source is given up; False where a thread failed."""
    failed = 0
    for done in range(1, len(results) + 1):
        try:
            answer = answers.get(timeout=pool.patience)
        except queue.Empty:
            break
        if answer.result is None:
            return False
        results[answer.index] = answer.result
        on_result(done)
        failed = failed + 1 if isinstance(answer.result, _NO_ANSWER) else 0
        if failed > pool.failures:
            break
    return True


def _skipped() -> ScannerError:
    return SourceUnreachable("not requested, because the source stopped responding", hint="try again later")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A clock: monotonic seconds, sleep, and a random number between two bounds."""

    now: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    draw: Callable[[float, float], float] = random.Random().uniform  # noqa: S311  it spreads requests, it guards nothing


class Rate:
    """A token bucket: at most *per_second* requests start in a second, a tenth of them at once.

    *per_second* None limits nothing; `hold` works all the same.
    """

    def __init__(self, per_second: float | None, clock: Clock) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._burst = max(0.0, (per_second or 0.0) / 10 - 1) * self._interval
        self._clock = clock
        self._lock = threading.Lock()
        self._next = float("-inf")
        self._held = float("-inf")
        self.taken = 0

    def take(self) -> None:
        """Wait for the turn of one request, and count it."""
        with self._lock:
            self.taken += 1
            now = self._clock.now()
            turn = max(self._next, now - self._burst, self._held)
            self._next = turn + self._interval
        if turn > now:
            self._clock.pause(turn - now)

    def hold(self, seconds: float) -> None:
        """Let no request start for *seconds*, as requested by the server."""
        with self._lock:
            self._held = max(self._held, self._clock.now() + seconds)


class Outage:
    """The time since which a source has left requests unanswered; the requests of all threads share it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: float | None = None

    def goes_on(self) -> float:
        """Count a try without an answer, and return the seconds since the first of them."""
        now = self._clock.now()
        since = self._since = now if self._since is None else self._since
        return now - since

    def ends(self) -> None:
        """Count an answer."""
        self._since = None
