r"""Parts of a text between marks, found in linear time: `{{ … }}`, comments, lists in brackets.

A pattern such as `\{\{.*?\}\}` reads to the end of the text for each mark that is not closed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Marks = tuple[re.Pattern[str], re.Pattern[str]]
"""What opens a part, and what closes it."""


def enclosed(text: str, *marks: Marks) -> Iterator[tuple[int, int]]:
    """Yield start and end of each part, from left to right; a part that is not closed is skipped.

    If two parts open at one place, the first of *marks* wins.
    """
    openings = [opening.search(text) for opening, _ in marks]
    at = 0
    while True:
        for number, found in enumerate(openings):
            if found is not None and found.start() < at:
                openings[number] = marks[number][0].search(text, at)
        starts = [(found.start(), number) for number, found in enumerate(openings) if found is not None]
        if not starts:
            return
        start, number = min(starts)
        opened = openings[number]
        closed = marks[number][1].search(text, opened.end()) if opened else None
        if closed is None:
            openings[number] = None  # none of these is closed any more
        else:
            at = closed.end()
            yield start, at


def replace_enclosed(text: str, replacement: Callable[[str], str], *marks: Marks) -> str:
    """Return *text* with each part replaced by what *replacement* returns for it."""
    pieces, behind = [], 0
    for start, end in enclosed(text, *marks):
        pieces += [text[behind:start], replacement(text[start:end])]
        behind = end
    return "".join((*pieces, text[behind:]))
