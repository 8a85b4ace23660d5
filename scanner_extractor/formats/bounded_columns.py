"""A bounded list of columns, against hostile or enormous schemas."""

from __future__ import annotations

from scanner_model.columns import Column
from scanner_model.errors import Problem

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
