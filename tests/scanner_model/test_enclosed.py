"""Parts of a text between marks are found as a pattern finds them, in linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.enclosed import enclosed, replace_enclosed

BRACES = re.compile(r"\{\{"), re.compile(r"\}\}")
PERCENT = re.compile(r"\{%"), re.compile(r"%\}")
PATTERN = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


@given(st.lists(st.sampled_from(["{", "}", "{{", "}}", "{%", "%}", "%", "a", "\n"]), max_size=30).map("".join))
def test_the_parts_are_those_of_the_pattern(text: str) -> None:
    """The pattern backtracks; the parts that it finds are right."""
    assert list(enclosed(text, BRACES, PERCENT)) == [match.span() for match in PATTERN.finditer(text)]


def test_each_part_is_replaced() -> None:
    assert replace_enclosed("a {{ b }} {% c %} {{", str.upper, BRACES, PERCENT) == "a {{ B }} {% C %} {{"


@pytest.mark.parametrize("pump", ["{{", "{%", "{% {{ a }} ", "{{ %}"])
def test_unclosed_marks_are_looked_for_once(pump: str) -> None:
    """A pattern would take hours for this text; the bound of the suite's own time is enough."""
    text = pump * 200_000

    assert len(replace_enclosed(text, lambda _: "", BRACES, PERCENT)) <= len(text)
