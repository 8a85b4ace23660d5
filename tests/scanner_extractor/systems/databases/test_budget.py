"""What one read of a database may take."""

from __future__ import annotations

import pytest

from scanner_extractor.systems.databases.budget import LONGEST, Budget
from scanner_model.errors import SourceUnreachable


class Clock:
    """A clock that goes on when it is told to."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    """Return a clock at 0."""
    return Clock()


def test_time_of_each_answer_begins_with_it(clock) -> None:
    """Many answers take longer than one may."""
    budget = Budget(seconds=2, max_bytes=10, now=clock)
    for clock.time in (1.5, 3.0, 4.5):
        budget.spend(0)
        budget.begin_answer()
    clock.time = 6.5

    with pytest.raises(SourceUnreachable, match="an answer took longer than 2 s"):
        budget.spend(0)


def test_bytes_of_all_answers_are_added(clock) -> None:
    """Many small answers are as large as one."""
    budget = Budget(seconds=2, max_bytes=10, now=clock)
    budget.spend(6)
    budget.begin_answer()

    with pytest.raises(SourceUnreachable, match="more than 10 bytes"):
        budget.spend(6)


def test_all_answers_together_end(clock) -> None:
    """A server that always answers in time may have no last answer."""
    budget = Budget(seconds=2, max_bytes=10, now=clock)
    clock.time = LONGEST - 1
    budget.begin_answer()
    clock.time = LONGEST

    with pytest.raises(SourceUnreachable, match="it was read for 3600 s"):
        budget.spend(0)
