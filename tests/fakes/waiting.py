"""How tests wait for another process or thread: for what it does, and not for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

PATIENCE = 120.0
"""Seconds that nothing takes on a busy machine; a test that waits longer would hang."""


def wait_until(condition: Callable[[], Result], seconds: float = PATIENCE) -> Result:
    """Return what *condition* returns as soon as it is true; raises AssertionError after *seconds*."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.01)
    return result
