"""Paging, written once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from scanner_model.errors import PayloadUnexpected

T = TypeVar("T")

MOST_PAGES = 100_000


def paged(
    fetch: Callable[[int, int], Sequence[T]],
    *,
    key: Callable[[T], Hashable],
    size: int = 500,
    pages: int = MOST_PAGES,
) -> Iterator[T]:
    """Yield every new item until a page brings none; *fetch* takes an offset and a size.

    A server may cap the size, ignore the offset (its second page brings nothing new) or shift items between pages.
    Raises PayloadUnexpected when *pages* pages each brought something new: that server invents them.
    """
    seen: set[Hashable] = set()
    for _ in range(pages):
        fresh: dict[Hashable, T] = {}
        for item in fetch(len(seen), size):
            if key(item) not in seen:
                fresh.setdefault(key(item), item)
        if not fresh:
            return
        yield from fresh.values()
        seen.update(fresh)
    raise PayloadUnexpected(f"more than {pages} pages, and still new items", hint="does the server honour the offset?")
