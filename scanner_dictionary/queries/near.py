"""The known names that a wrong one may mean, found fast among a hundred thousand."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise

from scanner_model.errors import NameUnknown

_LIKELY = 60
_SHOWN = 3


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """List up to three of *known* that look like *name*, nearest first; letter case does not matter.

    Comparing letter by letter is slow, so only those are compared that share most pairs of letters.
    """
    wanted = pairs_of(name)
    likely = nlargest(_LIKELY, set(known), key=lambda each: (len(wanted & pairs_of(each)), -len(each), each))
    lower: dict[str, list[str]] = {}
    for each in likely:
        lower.setdefault(each.lower(), []).append(each)
    close = get_close_matches(name.lower(), lower, n=_SHOWN, cutoff=0.5)
    return tuple(each for word in close for each in sorted(lower[word]))[:_SHOWN]


def unknown(kind: str, name: str, known: Iterable[str], otherwise: str, place: str = "the dictionary") -> NameUnknown:
    """Say that *place* knows no *kind* called *name*; the hint names the nearest of *known*, or else *otherwise*."""
    near = nearest(name, known)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else otherwise
    return NameUnknown(f"{place} knows no {kind} {name!r}", hint=hint)


def pairs_of(name: str) -> frozenset[str]:
    """Give the pairs of letters in *name* by which it is told from others: two that follow each other, in lower case.

    A name of one letter has that.
    """
    letters = name.lower()
    return frozenset(map("".join, pairwise(letters))) or frozenset(letters)
