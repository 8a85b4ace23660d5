"""Pages of lists: their items, and the cursors that continue them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar, overload

from scanner_model.errors import InputInvalid

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Sequence[T], Generic[T]):
    """Items of a list; *next_cursor* continues it, None at its end.

    *complete* is False where something may be missing on all pages: names are not indexed yet, or an item is cut.
    *did_you_mean* are the nearest names, where nothing has the one that was looked for.
    """

    items: tuple[T, ...]
    next_cursor: str | None = None
    complete: bool = True
    did_you_mean: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


def page_of(rows: Iterable[T], cursor: str | None, limit: int | None) -> Page[T]:
    """Return a page of a list that is computed whole; its cursor holds a position. Raises InputInvalid for another."""
    (start,) = read_cursor(cursor, int) if cursor else (0,)
    if limit is None:
        return Page(tuple(islice(rows, start, None)))
    items = tuple(islice(rows, start, start + limit + 1))
    return Page(items[:limit], write_cursor(start + limit) if len(items) > limit else None)


def keyed_page(rows: Iterable[T], key: Callable[[T], Sequence[object]], limit: int | None) -> Page[T]:
    """Return the first *limit* of *rows*, of which at most one more is read; the cursor holds the key of the last."""
    items = tuple(rows)
    if limit is None or len(items) <= limit:
        return Page(items)
    return Page(items[:limit], write_cursor(*key(items[limit - 1])))


def write_cursor(*values: object) -> str:
    """Return a cursor, opaque to clients, that holds *values*."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read_cursor(cursor: str, *kinds: type) -> tuple[Any, ...]:
    """Return the values of *cursor*, which must be of *kinds*; raises InputInvalid for another text."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        values = None
    if not isinstance(values, list) or tuple(map(type, values)) != kinds:
        raise InputInvalid("the cursor is none of this list", where="cursor", hint="take next_cursor of a page")
    return tuple(values)
