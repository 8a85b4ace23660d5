"""A bounded list of columns, against hostile or enormous schemas."""

from __future__ import annotations

import json
import re

from scanner_model.columns import Column
from scanner_model.documents.json_input import TooLarge, load_shared
from scanner_model.errors import InputInvalid, Problem

MOST_COLUMNS = 200_000
"""Maximum columns of one schema: about a hundred times the widest one in practice."""

MOST_SEGMENTS = 5_000_000
"""Segments of all paths together: bounds memory where many columns lie deep."""

MOST_CHARACTERS = 50_000_000
"""Characters of all paths together: a name may be as long as a text."""

LONGEST_NAME = 1000
"""Characters of a type's full name: types inside each other repeat the names around them."""

DEEPEST_PATH = 1000
"""Segments of one path."""

CUT = Problem(
    "$",
    f"the schema has more columns than {MOST_COLUMNS}, or deeper ones than {DEEPEST_PATH} names, or too long names",
    "the rest is truncated",
)


class ColumnList:
    """Collects columns until a bound is reached; then `cut` is set and further columns are dropped."""

    def __init__(self) -> None:
        self.columns: list[Column] = []
        self.cut = False
        self.full = False
        self._segments = 0
        self._characters = 0

    def add(self, column: Column) -> bool:
        """Add *column*; return whether there is room for its children."""
        self._segments += len(column.path)
        self._characters += sum(map(len, column.path))
        if len(self.columns) >= MOST_COLUMNS or self._segments > MOST_SEGMENTS or self._characters > MOST_CHARACTERS:
            self.full = self.cut = True
        else:
            self.columns.append(column)
        return not self.full

    def too_deep(self, depth: int) -> bool:
        """Return whether a path of *depth* segments is longer than we keep, and remember that something was cut."""
        if depth <= DEEPEST_PATH:
            return False
        self.cut = True
        return True


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair, which no UTF-8 file or dictionary could hold."""

REPLACEMENT = "\ufffd"


def read_json(text: str) -> object:
    """Read one JSON document; half a surrogate pair is read as U+FFFD, because no file or dictionary could hold it.

    The value is shared with others that read the same text: change nothing in it. Raises InputInvalid, with line and
    column, where *text* is not JSON or nests deeper than 800 levels.
    """
    text = _storable(text.removeprefix("\ufeff"))
    try:
        value: object = load_shared(text)
    except TooLarge as error:
        raise InputInvalid(f"the text cannot be read: {error}") from error
    except json.JSONDecodeError as error:
        where = f"{error.lineno}:{error.colno}"
        raise InputInvalid(f"not JSON: {error.msg}", where=where) from error
    except ValueError as error:
        # An integer of more digits than Python agrees to read.
        raise InputInvalid("a number has more digits than can be read") from error
    return value


def _storable(text: str) -> str:
    text = text if text.isascii() else SURROGATE.sub(REPLACEMENT, text)
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda match: "\\ufffd" if match["lone"] else match[0], text)
