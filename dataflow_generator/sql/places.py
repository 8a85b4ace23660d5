"""Places in a text for people: line and column."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property


class Lines:
    """The lines of a text, counted when the first place is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        while (at := self._text.find("\n", starts[-1]) + 1) > 0:
            starts.append(at)
        return starts

    def place(self, at: int) -> str:
        """Give the place of an offset as `line:column`, both from 1."""
        line = bisect_right(self._starts, at)
        return f"{line}:{at - self._starts[line - 1] + 1}"
