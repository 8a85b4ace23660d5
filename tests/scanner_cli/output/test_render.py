"""Tables, JSON and CSV."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_cli.output.render import cell, csv_text, json_text, ranges, shorten, table_text
from scanner_model.text import writable


def test_columns_are_aligned_and_complete() -> None:
    """Nothing is cut, whatever the width of the terminal."""
    rows = [{"name": "a" * 300, "of_x": True}, {"name": "b", "of_x": False}]

    assert table_text(rows, ("name", "of_x")) == f"NAME{' ' * 298}OF X\n{'a' * 300}  yes\nb\n"


def test_wide_and_combined_characters_keep_the_columns_aligned() -> None:
    """A Chinese character takes two places, an accent of its own none."""
    text = table_text([{"a": "温度", "b": 1}, {"a": "e\u0301", "b": 2}], ("a", "b"))

    assert text == "A     B\n温度  1\ne\u0301     2\n"


def test_control_characters_do_not_move_the_cursor() -> None:
    """A doc may hold anything."""
    assert table_text([{"a": "x\x1b[2J\ny"}], ("a",)) == "A\nx\\x1b[2J\\ny\n"


def test_no_rows_are_a_heading() -> None:
    """Columns have the order that was requested."""
    assert table_text([], ("a", "b")) == "A  B\n"


def test_cells_are_written_for_people() -> None:
    """An absent value is nothing, a false one too."""
    assert [cell(value) for value in (None, False, True, 0, 1.5, ("a", True), {"a": 1})] == [
        "", "", "yes", "0", "1.5", "a, yes", '{"a": 1}',
    ]  # fmt: skip


def test_csv_distinguishes_false_from_absent() -> None:
    """Programs must."""
    assert csv_text([{"a": False, "b": None}, {"a": True, "b": "x,y"}], ("a", "b")) == 'a,b\nfalse,\ntrue,"x,y"\n'


_ANY = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("=+-@\t\r\n\0,\";'"))


@given(st.lists(_ANY, min_size=1, max_size=4))
def test_csv_is_read_back(values) -> None:
    """Whatever a doc holds, the row stays one row, and an apostrophe stands before what a spreadsheet would run."""
    names = [f"c{number}" for number in range(len(values))]
    text = csv_text([dict(zip(names, values, strict=True))], names)

    (row,) = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert [cell.removeprefix("'") for cell in row] == [writable(value).removeprefix("'") for value in values]
    assert not [cell for cell in row if cell.lstrip().startswith(("=", "+", "-", "@"))]


def test_numbers_in_a_row_are_written_as_a_range():
    """Sixty versions of a subject must not make a table eight hundred columns wide."""
    assert ranges([]) == ""
    assert ranges([1]) == "1"
    assert ranges([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7-8"
    assert ranges(range(1, 61)) == "1-60"


@given(st.text(max_size=200))
def test_long_names_keep_both_ends(name):
    """The start of a name identifies its owner, the end topic and side."""
    short = shorten(name)

    assert len(short) <= 80
    assert short == name or (name.startswith(short[:55]) and name.endswith(short[-24:]))


def test_numbers_in_csv_are_no_formulas() -> None:
    """A negative offset stays a number."""
    assert csv_text([{"a": -1, "b": "-1"}], ("a", "b")) == "a,b\n-1,'-1\n"


@pytest.mark.parametrize("character", ["\x7f", "\x9b", "\u202e", "\u2066", "\u2028"])
def test_json_escapes_what_would_move_the_cursor(character) -> None:
    """JSON lets it stand, and a terminal obeys it; to programs both mean the same."""
    text = json_text({"name": f"a{character}b"})

    assert character not in text
    assert json.loads(text)["name"] == f"a{character}b"
