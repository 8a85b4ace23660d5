"""CSV rows that every reader parses alike and that are safe against formula injection."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scanner_model.text import writable

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""Prefixes that make a cell a formula in some spreadsheet (OWASP's list)."""
_QUOTED = re.compile('[",;|\t\n\v\f\r\x85\u2028\u2029]')
"""Characters that some reader takes for the end of a cell or a line."""


def csv_row(cells: Iterable[Any]) -> str:
    """Return one line, with its end: text, numbers, `true` and `false`; None is empty.

    An apostrophe stands before text that a spreadsheet would run as a formula, and U+FFFD for control characters that
    no spreadsheet reads. Cells with a separator or a line end of any kind are quoted.
    """
    line = ",".join(map(_cell, cells))
    return f"{line}\n" if line else '""\n'


def _cell(value: Any) -> str:  # noqa: ANN401 - whatever a row holds
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return _text(value)


def _text(text: str) -> str:
    harmless = f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
    harmless = writable(harmless)
    return '"' + harmless.replace('"', '""') + '"' if _QUOTED.search(harmless) else harmless
