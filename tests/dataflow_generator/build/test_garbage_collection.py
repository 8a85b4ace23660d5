"""The garbage collector's rhythm is lent, not taken."""

import gc

import pytest

from dataflow_generator.build.graph_builder import infrequent_collection


def test_the_rhythm_is_given_back_after_an_error() -> None:
    """The rest of the process goes on as before."""
    before = gc.get_threshold()

    with pytest.raises(ValueError, match="broken"):
        _fail()
    assert gc.get_threshold() == before


def test_meanwhile_it_looks_less_often() -> None:
    """A graph is millions of objects and no circle."""
    before = gc.get_threshold()

    with infrequent_collection():
        assert gc.get_threshold()[0] > before[0]


def _fail() -> None:
    with infrequent_collection():
        raise ValueError("broken")
