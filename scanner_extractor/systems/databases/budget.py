"""What one read of a database may take: seconds for an answer and for all of them, bytes for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from scanner_model.errors import ScannerError, SourceUnreachable

LONGEST = 3600.0
"""Seconds that all answers of one read may take."""


@dataclass(slots=True)
class Budget:
    """Bounds one read: *seconds* for each answer, *max_bytes* for all; of every connection that it opens, together."""

    seconds: float
    max_bytes: int
    now: Callable[[], float] = time.monotonic
    received: int = 0
    started: float = field(init=False)
    answer_ends: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.now()
        self.begin_answer()

    def begin_answer(self) -> None:
        """Let the time of an answer begin."""
        self.answer_ends = self.now() + self.seconds

    def spend(self, count: int) -> None:
        """Add *count* bytes; raises ScannerError beyond a bound, of bytes or of time."""
        self.received += count
        if self.received > self.max_bytes:
            raise _exceeded(f"it sent more than {self.max_bytes} bytes", "raise its `max_bytes`, or list its `schemas`")
        if self.now() >= self.started + LONGEST:
            raise _exceeded(f"it was read for {LONGEST:g} s", "list fewer of its `schemas`")
        if self.now() >= self.answer_ends:
            raise _exceeded(f"an answer took longer than {self.seconds:g} s", "raise its `read_timeout`")


def _exceeded(what: str, hint: str) -> ScannerError:
    return SourceUnreachable(f"the database was given up: {what}", hint=hint)
