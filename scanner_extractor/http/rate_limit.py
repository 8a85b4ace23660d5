"""Injectable clock, and a rate limit shared by all threads of one source."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass


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

    def take(self) -> None:
        """Wait for the turn of one request."""
        with self._lock:
            now = self._clock.now()
            turn = max(self._next, now - self._burst, self._held)
            self._next = turn + self._interval
        if turn > now:
            self._clock.pause(turn - now)

    def hold(self, seconds: float) -> None:
        """Let no request start for *seconds*, as requested by the server."""
        with self._lock:
            self._held = max(self._held, self._clock.now() + seconds)
