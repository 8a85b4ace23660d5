"""The collector of cycles is paused inside a block, and never for longer."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from scanner_model.errors import InputInvalid
from scanner_model.memory import uncollected


@contextmanager
def collecting() -> Iterator[None]:
    """Have the collector as a program has it: the session pauses it during a test."""
    was_enabled = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not was_enabled:
            gc.disable()


def test_the_collector_is_paused_inside_and_runs_afterwards() -> None:
    with collecting():
        with uncollected():
            assert not gc.isenabled()
            with uncollected():
                assert not gc.isenabled()
            assert not gc.isenabled()

        assert gc.isenabled()


def test_a_function_that_fails_does_not_leave_it_paused() -> None:
    @uncollected()
    def fail() -> None:
        assert not gc.isenabled()
        raise InputInvalid("nothing")

    with collecting():
        with pytest.raises(InputInvalid):
            fail()

        assert gc.isenabled()
