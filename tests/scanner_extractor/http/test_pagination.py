"""Paging against servers that behave, and servers that do not."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.http.pagination import FAR, LONGEST, PagesWithoutEnd, by_number, by_token, paged
from scanner_model.errors import PayloadUnexpected, SourceObjected


@given(total=st.integers(0, 50), size=st.integers(1, 20), cap=st.integers(1, 20))
def test_every_item_comes_once_in_order_whatever_the_server_caps(total, size, cap):
    """A short page is no end marker: servers replace a size they do not like."""
    items = list(range(total))

    found = list(paged(lambda start, wanted: items[start : start + min(wanted, cap)], key=str, size=size))

    assert found == items


def test_server_that_ignores_the_offset_is_queried_twice_only():
    """It answers everything each time, for ever."""
    asked = []

    found = list(paged(lambda start, size: asked.append(start) or ["a", "b", "a"], key=str))

    assert (found, asked) == (["a", "b"], [0, 2])


def test_item_that_moved_to_the_next_page_is_not_given_twice():
    """Somebody registered a schema between two pages."""
    pages = iter([["a", "b"], ["b", "c"], []])

    assert list(paged(lambda start, size: next(pages), key=str)) == ["a", "b", "c"]


def test_pages_without_anything_new_are_passed_over_as_long_as_patience_lasts():
    """A server that drops items after it cut a page gives empty pages in the midst of others."""
    items = [*range(3), *[None] * 12, *range(3, 6), *[None] * 12, 6]

    def page(start, size):
        return [item for item in items[start : start + size] if item is not None]

    assert list(paged(page, key=str, size=10, patience=2)) == list(range(7))
    assert list(paged(page, key=str, size=10)) == list(range(3))


def test_server_that_invents_items_is_stopped():
    """Nothing may run for ever, not even a lie."""
    numbers = count()

    with pytest.raises(PayloadUnexpected):
        list(paged(lambda start, size: [next(numbers)], key=str, pages=100))


def tokens(*pages):
    """Return pages as a server that names each next one by its number."""
    asked = []

    def fetch(token):
        asked.append(token)
        number = int(token or 0)
        return pages[number], str(number + 1) if number + 1 < len(pages) else ""

    return fetch, asked


def test_empty_page_in_the_middle_ends_nothing():
    """Filtered lists have them; only a missing token is the end."""
    fetch, asked = tokens([1, 2], [], [2, 3])

    assert list(by_token(fetch, key=int)) == [1, 2, 3]
    assert asked == ["", "1", "2"]


@pytest.mark.parametrize(
    "fetch", [lambda token: ([1], "same"), lambda token: ([1], f"{token}x"), lambda token: ([], f"{token}x")]
)
def test_pages_that_do_not_end_are_refused(fetch):
    """What was read before that was given already."""
    found = by_token(fetch, key=int, idle=5)

    with pytest.raises(PayloadUnexpected):
        list(found)


def test_no_more_pages_than_allowed_are_read():
    """Each of them brings something new for ever."""
    with pytest.raises(PayloadUnexpected):
        list(by_token(lambda token: ([len(token)], f"{token}x"), key=int, pages=7))


def test_numbered_pages_end_with_one_that_brings_nothing():
    """Its size may be capped."""
    assert list(by_number(lambda page: [[1, 2], [3], []][page], key=int)) == [1, 2, 3]
    assert list(by_number(lambda page: [1, 2], key=int)) == [1, 2]


def kept(pages):
    """Read *pages* and give what they gave, and what the error kept."""
    found = []
    with pytest.raises(PagesWithoutEnd) as caught:
        found.extend(pages)
    return found, list(caught.value.items)


def test_server_that_has_items_at_any_offset_is_found_out_after_a_few_pages():
    """Nothing real has a thousand million items; what was read is kept."""
    asked = []

    found, items = kept(paged(lambda start, size: asked.append(start) or range(start, start + 3), key=int))

    assert found == items == list(range(60))
    assert (len(asked), asked[-1]) == (21, FAR)


def test_long_list_of_a_server_that_refuses_far_offsets_is_read_to_its_end():
    """Search engines bound the offset: that proves nothing."""

    def page(start, size):
        if start == FAR:
            raise SourceObjected("too far", status=400)
        return range(start, min(start + 2, 101))

    assert list(paged(page, key=int)) == list(range(101))


def test_long_list_of_a_server_that_ignores_the_offset_now_and_then_is_read():
    """At a far offset it answers what is known already."""
    assert list(paged(lambda start, size: range(start % FAR, min(start % FAR + 2, 101)), key=int)) == list(range(101))


def test_pages_by_token_that_bring_one_item_each_for_ever_are_cut_off():
    """Tokens prove no end, and no real list has thousands of pages of one."""
    numbers = count()

    found, items = kept(by_token(lambda token: ([next(numbers)], f"t{next(numbers)}"), key=int))

    assert found == items
    assert 1000 < len(items) < 3000


@pytest.mark.parametrize("listing", ["offset", "token"])
def test_list_that_takes_too_long_is_cut_off(listing):
    """A server may be slow enough to be read for days."""
    times = count(0.0, LONGEST / 4)
    numbers = count()
    pages = {
        "offset": lambda: paged(lambda start, size: [start], key=int, now=lambda: next(times)),
        "token": lambda: by_token(
            lambda token: ([next(numbers)], f"t{next(numbers)}"), key=int, now=lambda: next(times)
        ),
    }

    found, items = kept(pages[listing]())

    assert found == items
    assert len(items) < 10


def test_pages_with_too_many_items_end():
    """A server that invents items fills the memory with few pages, too."""
    pages = count()

    def fetch(_token: str) -> tuple[range, str]:
        page = next(pages)
        assert page < 20
        return range(page * 60_000, (page + 1) * 60_000), str(page)

    with pytest.raises(PagesWithoutEnd, match="more than 500000 items"):
        list(by_token(fetch, key=int))

    assert next(pages) == 9
