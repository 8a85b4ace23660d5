"""Patterns of others are matched in linear time."""

from __future__ import annotations

import pytest

from scanner_model.linear_patterns import LONGEST, InvalidPattern, LinearPattern


@pytest.mark.parametrize("text", ["(", "[z-a]", "(?<!a)b", r"(a)\1", "a" * (LONGEST + 1), "(a{999}){999}"])
def test_an_invalid_pattern_is_rejected(text: str) -> None:
    with pytest.raises(InvalidPattern):
        LinearPattern(text)


def test_a_name_that_is_not_utf8_is_matched() -> None:
    """As the operating system's names of files are, with half of a surrogate pair for each byte."""
    assert LinearPattern("a.b").fits("a\udc80b")
    assert LinearPattern("a/(?P<x>[^/]+)").group("a/é", "x") == "é"
    assert LinearPattern("a/(?P<x>[^/]+)").group("b/é", "x") == ""


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|aa)+$", "(.*)(.*)(.*)(.*)x", "(?:[^/]+/)*(?:[^/]+/)*x"])
def test_a_pattern_that_backtracks_elsewhere_ends(pattern: str) -> None:
    """With `re`, these do not end within the age of the universe."""
    assert not LinearPattern(pattern).fits("a/" * 50_000 + "a" * 50_000 + "!")
