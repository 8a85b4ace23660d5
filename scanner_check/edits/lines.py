"""The lines that differ between two texts."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple

_MOST_COMPARED = 3_000


class Hunk(NamedTuple):
    """Lines that are replaced: *before* and *after* without their ends, the first of each from its *line*, from 1."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    line_before: int
    line_after: int


def hunks(before: str, after: str) -> list[Hunk]:
    """Return the lines that differ, in their order; of two long texts, everything between the first and last of them.

    Blanks at the end of a line, and the form of its end, do not count.
    """
    old, new = ([line.rstrip() for line in text.splitlines()] for text in (before, after))
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if not left and not right:
        return []
    if len(left) + len(right) > _MOST_COMPARED:
        return [Hunk(tuple(left), tuple(right), start + 1, start + 1)]
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return [
        Hunk(tuple(left[a:b]), tuple(right[c:d]), start + a + 1, start + c + 1)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
