"""Tables on a terminal: they fit, no word is cut, and nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scanner_cli.output.terminal import aligned, text_width

HEAD = ("TOPIC", "NAME", "TAGS", "STATE")
ROWS = (
    ("orders", "customer.address.street", "PII, gold", "RUNNING"),
    ("retail.payments", "total", "", "FAILED"),
)
CELLS = st.text(alphabet="abcXYZ019.-_/ é温", max_size=30)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[\d*m", "", text)


def test_a_table_that_fits_is_as_everywhere() -> None:
    """A wide terminal shows what a file has."""
    assert aligned([HEAD, *ROWS], 200) == aligned([HEAD, *ROWS], None)


def test_cells_are_wrapped_between_words() -> None:
    """A name that is cut in the middle of a word is another name."""
    assert aligned([HEAD, *ROWS], 38).splitlines() == [
        "TOPIC     NAME       TAGS      STATE",
        "orders    customer.  PII,      RUNNING",
        "          address.   gold",
        "          street",
        "retail.   total                FAILED",
        "payments",
    ]


def test_empty_columns_are_left_out_on_a_terminal_only() -> None:
    """A file has the columns that its reader expects."""
    rows = [("a", "b"), ("1", "")]

    assert aligned(rows, 80) == "a\n1\n"
    assert aligned(rows, None) == "a  b\n1\n"
    assert aligned(rows[:1], 80) == "a  b\n"


def test_what_fits_in_no_way_is_written_as_records() -> None:
    """Columns that are cut say nothing."""
    assert aligned([HEAD, *ROWS], 20).split("\n\n")[1].splitlines() == [
        "TOPIC  retail.payments",
        "NAME   total",
        "STATE  FAILED",
    ]


@example([("", "", " 0000温温温")], 10)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5), st.integers(10, 60))
def test_a_table_fits_and_loses_no_character(rows, width) -> None:
    """Records, which are written where it cannot fit, are broken by the terminal."""
    text = aligned([("A", "B", "C"), *rows], width)
    cells = "".join(cell for row in rows for cell in row)

    assert all(text.count(letter) >= cells.count(letter) for letter in set(cells) - {" "})
    lines = text.splitlines()
    assert max(map(text_width, lines)) <= width or all(re.match("[ABC]  |$", line) for line in lines)


@pytest.mark.parametrize(
    ("column", "cell", "code"),
    [
        ("BACKWARD", "breaks", "31"),
        ("SEVERITY", "error", "31"),
        ("SEVERITY", "warning", "33"),
        ("STATE", "FAILED", "31"),
        ("STATE", "RUNNING, 1 of 1 tasks FAILED", "31"),
        ("STALE", "yes", "33"),
        ("TAGS", "gold, PII", "35"),
        ("NAME", "error", ""),
        ("TAGS", "PIIX", ""),
    ],
)
def test_colours_say_what_breaks_fails_or_is_personal(column, cell, code) -> None:
    """And the text is the same without them."""
    painted = aligned([(column,), (cell,)], 80, colours=True)

    assert painted.splitlines()[1] == (f"\x1b[{code}m{cell}\x1b[0m" if code else cell)
    assert plain(painted) == aligned([(column,), (cell,)], 80)
