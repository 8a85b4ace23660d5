"""Tables on a terminal: as wide as it is, cells wrapped between words, colours for what breaks or fails."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from itertools import zip_longest
from unicodedata import combining, east_asian_width

_GAP = 2
_BETWEEN_WORDS = re.compile(r"(?<=[\s.,/:;=#_>-])|(?<=[a-z0-9])(?=[A-Z])")
"""Where a line may be broken: behind a mark, and where the next word of a name begins."""

_RED, _YELLOW, _MAGENTA, _BOLD = "31", "33", "35", "1"
_BAD = frozenset({"breaks", "error", "failed", "degraded", "unavailable"})
_DOUBTFUL = frozenset({"warning", "unknown", "impact", "partial", "stale"})
_MARKS = frozenset({"stale", "gone", "deleted"})
_VERDICTS = frozenset({"backward", "forward", "severity", "state", "status", "verdict", "action"})
_PERSONAL = "pii"


def terminal_width() -> int | None:
    """Return how many cells a line of standard output has; None if it is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def has_colours() -> bool:
    """Return whether standard output shows colours: a terminal, unless NO_COLOR is set (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def aligned(lines: Sequence[Sequence[str]], width: int | None, *, colours: bool = False) -> str:
    """Return *lines*, the head first, in columns; cells are wrapped between words where *width* is not None.

    A column that is empty below its head is left out then. What does not fit with one word a line is written as
    records: a line for each cell that is not empty.
    """
    if width is None:
        widths = [max(map(text_width, column)) for column in zip_longest(*lines)]
        return "".join(f"{_row(line, widths)}\n" for line in lines)
    used = [at for at in range(len(lines[0])) if any(line[at] for line in lines[1:])] or range(len(lines[0]))
    shown = [[line[at] for at in used] for line in lines]
    names = [name.lower() for name in shown[0]]
    fitting = _widths(shown, width - _GAP * (len(names) - 1))
    if fitting is None:
        return _records(shown, names, colours=colours)
    return "".join(_wrapped(line, fitting, names, colours=colours, head=line is shown[0]) for line in shown)


def _widths(lines: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return the widths of columns that fit into *room*, the widest ones narrowed first; None where none do."""
    natural = [max(map(text_width, column)) for column in zip(*lines, strict=True)]
    if sum(natural) <= room:
        return natural
    least = [max(_longest_piece(text) for text in column) for column in zip(*lines, strict=True)]
    if sum(least) > room:
        return None
    low, high = 0, max(natural)
    while low < high:  # the largest limit that fits
        limit = (low + high + 1) // 2
        fits = sum(_limited(natural, least, limit)) <= room
        low, high = (limit, high) if fits else (low, limit - 1)
    return _limited(natural, least, low)


def _limited(natural: Sequence[int], least: Sequence[int], limit: int) -> list[int]:
    return [max(small, min(wide, limit)) for wide, small in zip(natural, least, strict=True)]


def _longest_piece(text: str) -> int:
    """Return the width of the longest piece behind the indentation, which each line of a cell has."""
    inside = text.lstrip(" ")
    return len(text) - len(inside) + max(text_width(piece.rstrip()) for piece in _BETWEEN_WORDS.split(inside))


def _wrapped(line: Sequence[str], widths: Sequence[int], names: Sequence[str], *, colours: bool, head: bool) -> str:
    cells = [_folded(text, width) for text, width in zip(line, widths, strict=True)]
    codes = [_BOLD if head else _code(name, text) for name, text in zip(names, line, strict=True)]
    rows = zip_longest(*cells, fillvalue="")
    return "".join(f"{_row(row, widths, codes if colours else ())}\n" for row in rows)


def _folded(text: str, width: int) -> list[str]:
    """Return *text* in lines of at most *width*, broken between pieces; an indentation stays."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    lines: list[str] = []
    line = indent
    for piece in _BETWEEN_WORDS.split(text.lstrip(" ")):
        if line.strip() and text_width(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = indent
        line += piece if line.strip() else piece.lstrip()
    return [*lines, line.rstrip()]


def _records(lines: Sequence[Sequence[str]], names: Sequence[str], *, colours: bool) -> str:
    label = max(map(text_width, lines[0]))
    blocks = []
    for line in lines[1:]:
        filled = ((head, name, text) for head, name, text in zip(lines[0], names, line, strict=True) if text)
        block = (
            f"{_padded(head, label)}  {_painted(text, _code(name, text)) if colours else text}\n"
            for head, name, text in filled
        )
        blocks.append("".join(block))
    return "\n".join(blocks)


def _row(cells: Sequence[str], widths: Sequence[int], codes: Sequence[str] = ()) -> str:
    last = max((at for at, text in enumerate(cells) if text), default=-1)
    shown = []
    for at, text in enumerate(cells[: last + 1]):
        padding = " " * (widths[at] - text_width(text)) if at < last else ""
        shown.append(_painted(text, codes[at] if codes else "") + padding)
    return (" " * _GAP).join(shown)


def _code(name: str, text: str) -> str:
    """Return the colour of a cell of the column *name*; empty for none."""
    word = text.lower()
    if name in _VERDICTS:
        words = set(re.split(r"\W+", word))
        return _RED if words & _BAD else _YELLOW if words & _DOUBTFUL else ""
    if name == "failed":
        return _RED if text else ""
    if name in _MARKS:
        return _YELLOW if text else ""
    is_personal = name.endswith("tags") and _PERSONAL in re.split(r"[^\w]+", word)
    return _MAGENTA if is_personal else ""


def _painted(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _padded(text: str, width: int) -> str:
    return text + " " * (width - text_width(text))


def text_width(text: str) -> int:
    """Return how many cells *text* takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
