"""Source texts are parsed in bounded time, and what takes longer is said."""

from __future__ import annotations

import pytest

from scanner_extractor.sources.applications.code import read_unit
from scanner_extractor.sources.syntax_trees import SLOWEST, Deadline, parse_tree
from scanner_model.errors import InputInvalid

LONG = 'class A { String s = "a"; }\n' * 1_000


def test_a_text_that_takes_too_long_is_an_error_with_the_reason() -> None:
    """It is not half read: what is missing would be unknown."""
    with pytest.raises(InputInvalid, match=f"more than {SLOWEST} seconds"):
        parse_tree("A.java", LONG, Deadline(0, lambda: 1))


def test_the_texts_of_a_tree_can_be_read_at_any_time() -> None:
    """Also when the time for parsing is over."""
    now = 0.0
    root = parse_tree("A.java", LONG, Deadline(1, lambda: now))
    now = 2.0

    assert root.text.decode() == LONG


def test_a_unit_that_is_nested_too_deeply_is_given_up() -> None:
    """Parsing is quick, and what each level contains is read again."""
    times = iter([0.0] * 4 + [SLOWEST + 1.0])

    with pytest.raises(InputInvalid, match="reading it takes"):
        read_unit("A.java", "class A {a " * 500, lambda: next(times))
