"""How far long work is, told to whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

ProgressCallback = Callable[[str, int, int | None], None]
"""Told of a kind of things how many are done, and of how many (None: not known); called from any thread."""

JOBS, SCHEMAS = "parts of jobs", "files of schemas"


def silent(what: str, done: int, total: int | None) -> None:
    """Return nobody."""


def counted(told: ProgressCallback, what: str, things: Iterable[T], total: int | None = None) -> Iterator[T]:
    """Return *things*, and tell after each that it is done."""
    told(what, 0, total)
    for done, thing in enumerate(things, 1):
        yield thing
        told(what, done, total)
