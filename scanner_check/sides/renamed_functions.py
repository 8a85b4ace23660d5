"""Functions that have another name, class or file in the second of two commits, and do the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from scanner_check.sides.programs import Part

_MOST_TURNS = 4
_FUNCTION = " ("
"""What the text of a function without annotations begins with."""


def without_renames(
    near: Sequence[Mapping[Part, tuple[str, int]]], others: Sequence[Mapping[Part, tuple[str, int]]]
) -> list[dict[Part, tuple[str, int]]]:
    """Return the code of two commits without what only has another file, or a function another name, now.

    What calls such a function, by its name or by that of its class, does so by one name in both. *others* are functions
    of each that one may have become.
    """
    sides = [{**other, **own} for own, other in zip(near, others, strict=True)]
    for _ in range(_MOST_TURNS):  # what a renamed function calls may be renamed, too
        gone, come = (
            {part: text for part, (text, _) in side.items() if part not in other}
            for side, other in (sides, sides[::-1])
        )
        texts = Counter(gone.values()), Counter(come.values())
        pairs = [(old, new) for old, text in gone.items() for new, other in come.items() if text == other]
        moved = [(old, new) for old, new in pairs if old[1] == new[1]]
        renamed = [
            (old, new)
            for old, new in pairs
            if old[1] != new[1] and gone[old].startswith(_FUNCTION) and {one[gone[old]] for one in texts} == {1}
        ]
        # Without a call of it, what a framework finds by its name has another one.
        renamed = [pair for pair in renamed if all(map(_is_called, pair, sides))]
        if not (moved or renamed):
            break
        for at, side in enumerate(sides):
            for pair in (*moved, *renamed):
                side.pop(pair[at], None)
            for part, (text, line) in side.items():
                for pair in renamed:
                    for call in _calls_of(pair[at]):
                        text = text.replace(call, f"Call({pair[0][1]}, ")
                side[part] = text, line
    return [{part: side[part] for part in own if part in side} for own, side in zip(near, sides, strict=True)]


def _is_called(part: Part, side: Mapping[Part, tuple[str, int]]) -> bool:
    calls = _calls_of(part)
    return any(call in text for other, (text, _) in side.items() if other != part for call in calls)


def _calls_of(part: Part) -> list[str]:
    """Return how calls of a function begin: by its name, alone or behind that of its class."""
    owner, _, name = part[1].rpartition(".")
    names = [name, *(f"{one}.{name}" for one in dict.fromkeys((owner, "this")) if one)]
    return [f"Call({each}, " for each in names]
