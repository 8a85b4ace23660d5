"""The rate limit that all threads of a source share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.http.concurrency import Clock, Rate


class FakeTime:
    """Time that passes only while somebody pauses."""

    def __init__(self) -> None:
        self.now = 0.0
        self.clock = Clock(now=lambda: self.now, pause=self.pass_)

    def pass_(self, seconds: float) -> None:
        self.now += seconds


@given(per_second=st.floats(0.1, 200), count=st.integers(1, 60))
def test_no_more_than_the_limit_and_a_tenth_start_in_any_time(per_second, count):
    """A burst at the start is small, so a server that counts by the second never objects."""
    time = FakeTime()
    rate = Rate(per_second, time.clock)

    for _ in range(count):
        rate.take()

    assert count <= time.now * per_second + max(1, per_second / 10) + 1e-6


def test_no_limit_waits_for_nothing():
    """Our own registries need none."""
    time = FakeTime()
    rate = Rate(None, time.clock)

    for _ in range(100):
        rate.take()

    assert time.now == 0


def test_server_that_requests_a_pause_holds_every_request():
    """A 429 means the source, not the one request that got it."""
    time = FakeTime()
    rate = Rate(None, time.clock)

    rate.hold(5)
    rate.hold(2)
    rate.take()

    assert time.now == 5
