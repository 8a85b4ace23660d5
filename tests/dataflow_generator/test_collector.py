"""The garbage collector's rhythm is lent, not taken."""

import gc

import pytest

from dataflow_generator.collector import seldom_collected


def test_the_rhythm_is_given_back_after_an_error() -> None:
    """The rest of the process goes on as before."""
    before = gc.get_threshold()

    with pytest.raises(ValueError, match="broken"):
        _fail()
    assert gc.get_threshold() == before


def test_meanwhile_it_looks_less_often() -> None:
    """A graph is millions of objects and no circle."""
    before = gc.get_threshold()

    with seldom_collected():
        assert gc.get_threshold()[0] > before[0]


def _fail() -> None:
    with seldom_collected():
        raise ValueError("broken")
