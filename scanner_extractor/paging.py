"""Paging, written once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import count
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
    patience: int = 1,
) -> Iterator[T]:
    """Yield every new item until *patience* pages in a row bring none; *fetch* takes an offset and a size.

    A server may cap the size, ignore the offset (its second page brings nothing new) or shift items between pages.
    After a page that brings nothing new, the next *size* items are skipped.
    Raises PayloadUnexpected when *pages* pages each brought something new: that server invents them.
    """
    seen: set[Hashable] = set()
    skipped = idle = 0
    for _ in range(pages):
        fresh: dict[Hashable, T] = {}
        for item in fetch(len(seen) + skipped, size):
            if key(item) not in seen:
                fresh.setdefault(key(item), item)
        idle = 0 if fresh else idle + 1
        if idle == patience:
            return
        skipped += 0 if fresh else size
        yield from fresh.values()
        seen.update(fresh)
    raise PayloadUnexpected(f"more than {pages} pages, and still new items", hint="does the server honour the offset?")


def by_token(
    fetch: Callable[[str], tuple[Sequence[T], str]],
    *,
    key: Callable[[T], Hashable],
    pages: int = MOST_PAGES,
    idle: int = 50,
) -> Iterator[T]:
    """Yield every new item until a page has no token for the next; *fetch* takes a token, empty for the first page.

    An empty page in the middle ends nothing. Raises PayloadUnexpected where a token comes again, *idle* pages in a row
    bring nothing new, or there are more than *pages*: that server never ends.
    """
    items: set[Hashable] = set()
    tokens, token, vain = {""}, "", 0
    while True:
        listed, token = fetch(token)
        vain += 1
        for item in listed:
            if key(item) not in items:
                items.add(key(item))
                vain = 0
                yield item
        if not token:
            return
        if token in tokens or vain >= idle or len(tokens) >= pages:
            raise PayloadUnexpected(f"its pages do not end: {len(tokens)} were read", hint="report it to its operator")
        tokens.add(token)


def by_number(
    fetch: Callable[[int], Sequence[T]], *, key: Callable[[T], Hashable], pages: int = MOST_PAGES
) -> Iterator[T]:
    """Yield every new item until a page brings none; *fetch* takes a page's number, from 0. Raises as `paged` does."""
    return paged(_numbered(fetch), key=key, pages=pages)


def _numbered(fetch: Callable[[int], Sequence[T]]) -> Callable[[int, int], Sequence[T]]:
    numbers = count()
    return lambda _offset, _size: fetch(next(numbers))
