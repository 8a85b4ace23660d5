"""Column paths: tuples and the dotted names that people use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_model.columns import ELEMENT, MAP_VALUE, branch, element, field_segment, parse_path, path_name
from scanner_model.errors import InputInvalid

FIELDS = st.text(max_size=12).map(field_segment)
MARKS = st.one_of(
    st.just(ELEMENT), st.just(MAP_VALUE), st.integers(0, 99).map(element), st.text(max_size=8).map(branch)
)


@given(st.lists(st.one_of(FIELDS, MARKS), max_size=5).map(tuple))
def test_every_path_is_read_back_from_its_name(path: tuple[str, ...]) -> None:
    """A field may be called anything; the dotted name must still mean one path only."""
    assert parse_path(path_name(path)) == path


@given(st.text(max_size=12), st.one_of(MARKS))
def test_a_field_is_never_taken_for_a_mark(name: str, mark: str) -> None:
    """A field that is really called `[]` must not look like an array's element."""
    assert field_segment(name) != mark


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (("customer", "id"), "customer.id"),
        (("my.field", "x"), "`my.field`.x"),
        (("lines", ELEMENT, "sku"), "lines.[].sku"),
        (("labels", MAP_VALUE), "labels.{}"),
        (("pair", element(0)), "pair.[0]"),
        (("pay", branch("com.acme.Card"), "no"), "pay.<com.acme.Card>.no"),
        ((field_segment("[]"),), "`[]`"),
        (("a`b",), "`a``b`"),
        ((), ""),
    ],
)
def test_names_are_written_as_people_know_them(path: tuple[str, ...], name: str) -> None:
    """Marks stand as they are; what could mislead is quoted."""
    assert path_name(path) == name


@pytest.mark.parametrize("text", [".", "a.", "a..b", "`a", "a`b", "`a`b", "<x", "a.<x>y"])
def test_a_name_with_a_dot_or_quote_out_of_place_is_refused(text: str) -> None:
    """A typing error must not select another column."""
    with pytest.raises(InputInvalid):
        parse_path(text)
