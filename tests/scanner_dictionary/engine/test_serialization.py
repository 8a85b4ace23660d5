"""What a cell holds."""

from __future__ import annotations

import json

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_dictionary.engine.rows import column_cells, json_cell, storable
from scanner_model.columns import Column, parse_path

_ANY = st.text(st.characters(codec=None), max_size=8)


@examples(100)
@given(_ANY)
def test_any_text_can_be_stored(text) -> None:
    """A database takes neither NUL nor half a surrogate pair; everything else stays."""
    stored = storable(text)

    assert "\0" not in stored
    assert stored.encode("utf-8").decode("utf-8") == stored
    assert stored == text or any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text)


@examples(100)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6), max_size=3))
def test_path_and_name_of_a_column_report_the_same(path) -> None:
    """Programs read the JSON array, people the dotted name; the short way for plain names must not differ."""
    cells = column_cells(Column(path=tuple(path), type="string"))

    assert tuple(json.loads(cells[1])) == tuple(path)
    assert cells[1] == json_cell(path)
    assert cells[2] == Column(path=tuple(path), type="string").name


def test_plain_path_is_read_back() -> None:
    """The dotted name is a path, too."""
    cells = column_cells(Column(path=("order", "items", "[]", "id"), type="long", tags=("PII",)))

    assert parse_path(cells[2]) == ("order", "items", "[]", "id")
    assert cells[8] == '["PII"]'


def test_field_number_beyond_every_database_is_left_out() -> None:
    """It is no number of a field, and must not cost the scan."""
    assert column_cells(Column(path=("a",), type="int32", number=2**70))[-1] is None


def test_json_cell_holds_no_nul_to_come_back() -> None:
    """A name out of it is stored elsewhere, too, in a database that takes no NUL."""
    parsed = json.loads(json_cell({"a\0": ["\\u0000", "\\\0", "b\0"]}))

    assert parsed == {"a\ufffd": ["\\u0000", "\\\ufffd", "b\ufffd"]}
