"""Paging against servers that behave, and servers that do not."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.paging import paged
from scanner_model.errors import PayloadUnexpected


@given(total=st.integers(0, 50), size=st.integers(1, 20), cap=st.integers(1, 20))
def test_every_item_comes_once_in_order_whatever_the_server_caps(total, size, cap):
    """A short page is no end marker: servers replace a size they do not like."""
    items = list(range(total))

    found = list(paged(lambda start, wanted: items[start : start + min(wanted, cap)], key=str, size=size))

    assert found == items


def test_server_that_ignores_the_offset_is_asked_twice_only():
    """It answers everything each time, for ever."""
    asked = []

    found = list(paged(lambda start, size: asked.append(start) or ["a", "b", "a"], key=str))

    assert (found, asked) == (["a", "b"], [0, 2])


def test_item_that_moved_to_the_next_page_is_not_given_twice():
    """Somebody registered a schema between two pages."""
    pages = iter([["a", "b"], ["b", "c"], []])

    assert list(paged(lambda start, size: next(pages), key=str)) == ["a", "b", "c"]


def test_server_that_invents_items_is_stopped():
    """Nothing may run for ever, not even a lie."""
    numbers = count()

    with pytest.raises(PayloadUnexpected):
        list(paged(lambda start, size: [next(numbers)], key=str, pages=100))
