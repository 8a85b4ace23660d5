"""No test compares a clock: a busy machine would make it fail. Tests count calls, steps, bytes or requests instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CLOCK = re.compile(r"\b(perf_counter|process_time|thread_time)(_ns)?\(|\b(monotonic|time)(_ns)?\(\) *-")
"""What measures a piece of work; a deadline that only keeps a test from hanging compares without subtracting."""


def measured(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if CLOCK.search(line)]


def test_no_test_measures_how_long_something_takes() -> None:
    """Figures in seconds are made by `make bench`, where nothing fails because of a neighbour."""
    result = {str(file.relative_to(TESTS)): measured(file.read_text("utf-8")) for file in TESTS.rglob("test_*.py")}

    assert {name: lines for name, lines in result.items() if lines} == {}


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("assert time.monotonic" + "() - started < 5", 1),
        ("started = time.perf_counter" + "()", 1),
        ("assert time.monotonic" + "() < deadline", 0),
    ],
)
def test_a_deadline_is_no_measurement(line: str, count: int) -> None:
    """Waiting for another process needs an end."""
    assert len(measured(line)) == count
