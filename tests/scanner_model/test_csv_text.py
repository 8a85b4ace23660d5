from __future__ import annotations

import pytest

from scanner_model.text import csv_row


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r", "\n=", " =", "\uff1d", "\u00a0="])
def test_text_that_a_spreadsheet_would_run_has_an_apostrophe(start: str) -> None:
    """A field of a stranger's schema must not be run on an auditor's machine."""
    assert csv_row([f"{start}1"]).lstrip('"').startswith("'")


@pytest.mark.parametrize("separator", ["\r", "\n", "\r\n", ";", ",", "\t", "\u2028", "\x85"])
def test_cell_with_a_separator_of_any_reader_is_quoted(separator: str) -> None:
    """Half of it would begin a cell or a row, where a formula is run."""
    assert csv_row([f"a{separator}=1", "b"]) == f'"a{separator}=1",b\n'


def test_control_characters_are_replaced_and_the_rest_stays() -> None:
    """Spreadsheets end a text at NUL."""
    assert csv_row(["a\0b", "\x1b", 'q"', True, None, -1, 1.5]) == 'a\ufffdb,\ufffd,"q""",true,,-1,1.5\n'


def test_row_of_one_empty_cell_is_no_empty_line() -> None:
    """Readers skip empty lines."""
    assert csv_row([""]) == '""\n'
