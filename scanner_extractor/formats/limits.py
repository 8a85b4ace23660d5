"""A bounded list of columns, against hostile or enormous schemas."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeVar

from scanner_model.columns import Column, ColumnPath, path_name
from scanner_model.documents.json_input import TooLarge, load_shared
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import RecordName

MOST_COLUMNS = 200_000
"""Maximum columns of one schema: about a hundred times the widest one in practice."""

MANY_COLUMNS = 5_000
"""Columns beyond which it is worth counting them before they are read."""

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
    """Collects at most *most* columns; beyond that, or another bound, `cut` is set and further columns are dropped."""

    def __init__(self, most: int = MOST_COLUMNS) -> None:
        self._most = most
        self.columns: list[Column] = []
        self.cut = False
        self.full = False
        self._segments = 0
        self._characters = 0

    def add(self, column: Column) -> bool:
        """Add *column*; return whether there is room for its children."""
        self._segments += len(column.path)
        self._characters += sum(map(len, column.path))
        if len(self.columns) >= self._most or self._segments > MOST_SEGMENTS or self._characters > MOST_CHARACTERS:
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


class Collected(Protocol):
    """What a reader of schemas collects: columns, the types at paths, further uses of these types, and problems."""

    collected: ColumnList
    holders: dict[ColumnPath, RecordName]
    repeated: list[tuple[ColumnPath, str]]
    problems: dict[Problem, None]


_Walk = TypeVar("_Walk", bound=Collected)


def counted(read: Callable[[bool, int], _Walk], shown_once: Problem) -> _Walk:
    """Return what *read* collects; of types that multiply to too many columns, those of each at its first use.

    *read* takes whether to show a type once, and the columns to collect at most. *shown_once* is added to the problems
    if it does.
    """
    walk = read(False, MANY_COLUMNS)
    if not walk.collected.full:
        return walk
    brief = read(True, MOST_COLUMNS)
    if not brief.repeated:
        return brief
    if expanded_columns(brief.collected.columns, brief.holders, brief.repeated) <= MOST_COLUMNS:
        walk = read(False, MOST_COLUMNS)
        if not walk.collected.full:
            return walk
    brief.problems[shown_once] = None
    return brief


def expanded_columns(
    columns: Iterable[Column], holders: Mapping[ColumnPath, str], repeated: Iterable[tuple[ColumnPath, str]]
) -> int:
    """Return at least how many columns a schema has if each use of a named type repeats the columns of the type.

    *columns* show those of each type at its first use, whose path is in *holders*; *repeated* are its other uses. The
    uses inside the type itself are not among them, so the first uses and the others form no circle.
    """
    own: Counter[str] = Counter()
    uses: dict[str, set[str]] = {}
    times: Counter[tuple[str, str]] = Counter()

    def holder_of(path: ColumnPath) -> str:
        inside = (path[:end] for end in range(len(path) - 1, -1, -1))
        place = next((place for place in inside if place in holders), ())
        return holders.get(place) or path_name(place)

    def use(path: ColumnPath, name: str) -> None:
        holder = holder_of(path)
        uses.setdefault(holder, set()).add(name)
        times[holder, name] += 1

    for column in columns:
        own[holder_of(column.path)] += 1
        if column.path in holders and column.path:
            use(column.path, holders[column.path] or path_name(column.path))
    for path, name in repeated:
        use(path, name)
    totals: dict[str, int] = {}
    waiting = list({name for name, _ in times} - {name for _, name in times})
    while waiting:
        name = waiting[-1]
        missing = [used for used in uses.get(name, ()) if used not in totals]
        waiting += missing
        if not missing:
            total = own[waiting.pop()] + sum(times[name, used] * totals[used] for used in uses.get(name, ()))
            totals[name] = min(total, MOST_COLUMNS + 1)
    return max(totals.values(), default=0)


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
