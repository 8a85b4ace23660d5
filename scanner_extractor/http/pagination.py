"""Pagination by offset, page token and page number."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import Any, Generic, TypeVar

from scanner_model.errors import PayloadUnexpected, ScannerError

T = TypeVar("T")

MOST_PAGES = 100_000
MOST_ITEMS = 3_000_000
"""Maximum items of one list; lower for lists by token, as nothing else proves their end."""
MOST_BY_TOKEN = 500_000
LONGEST = 3600.0
"""Maximum seconds for one list."""
FAR = 1_000_000_000
"""An offset beyond any list: a list with new items even there is endless."""

_PROBED_AT = 20
"""Pages after which a list is probed at FAR; shorter ones cost no extra request."""
_SMALL_PAGES = 1000
"""Pages that may bring one item each; later ones bring two or more on the average."""
_HINT = "does the server honour pagination parameters? report it to its operator"


class PagesWithoutEnd(PayloadUnexpected):
    """Raised when a list has no end; *items* are those that were read of it."""

    def __init__(self, what: str, items: Iterable[Any]) -> None:
        super().__init__(what, hint=_HINT)
        self.items = tuple(items)


@dataclass(frozen=True, slots=True)
class PartialList(Generic[T]):
    """Items of a list, up to *error* where reading failed; failure on the first page is raised instead."""

    items: tuple[T, ...]
    error: ScannerError | None = None


def read_pages(pages: Iterable[T]) -> PartialList[T]:
    """Read *pages* to the end or to the first failure; raises the failure of the first page."""
    items: list[T] = []
    try:
        for item in pages:
            items.append(item)
    except ScannerError as error:
        if not items:
            raise
        return PartialList(tuple(items), error)
    return PartialList(tuple(items))


@dataclass(slots=True)
class _Growth(Generic[T]):
    """What was read of one list; raises PagesWithoutEnd where it grows beyond any real list."""

    most: int
    pages: int
    now: Callable[[], float]
    items: list[T] = field(default_factory=list)
    read: int = 0
    started: float = 0.0

    def add(self, fresh: Iterable[T]) -> None:
        """Add the new items of a page."""
        self.started = self.started or self.now()
        self.items += fresh
        self.read += 1
        if self.read >= self.pages:
            raise self.endless(f"more than {self.pages} pages, and still new items")
        if len(self.items) > self.most:
            raise self.endless(f"more than {self.most} items")
        if self.read > _SMALL_PAGES and len(self.items) < 2 * (self.read - _SMALL_PAGES):
            raise self.endless(f"{self.read} pages with {len(self.items)} items, and still new ones")
        if self.now() - self.started > LONGEST:
            raise self.endless(f"no end after {LONGEST:g} seconds and {self.read} pages")

    def endless(self, what: str) -> PagesWithoutEnd:
        """Build the error with the items read so far."""
        return PagesWithoutEnd(f"its pagination does not end: {what}", self.items)


def paged(
    fetch: Callable[[int, int], Sequence[T]],
    *,
    key: Callable[[T], Hashable],
    size: int = 500,
    pages: int = MOST_PAGES,
    patience: int = 1,
    now: Callable[[], float] = monotonic,
) -> Iterator[T]:
    """Yield every new item until *patience* pages in a row bring none; *fetch* takes an offset and a size.

    A server may cap the size, ignore the offset (its second page brings nothing new) or shift items between pages.
    After a page that brings nothing new, the next *size* items are skipped.
    Raises PagesWithoutEnd for a server that invents items: it has new ones FAR behind the last, or there are more than
    *pages* pages, too many items, or no end within LONGEST.
    """
    seen: set[Hashable] = set()
    growth = _Growth[T](MOST_ITEMS, pages, now)
    skipped = idle = 0
    while True:
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
        growth.add(fresh.values())
        if growth.read == _PROBED_AT:
            with suppress(_NotProven):
                if any(key(item) not in seen for item in _fetch_far(fetch, size)):
                    raise growth.endless(f"it returns new items even at offset {FAR}, too")


class _NotProven(Exception):
    """Raised when a list could not be probed far behind its end."""


def _fetch_far(fetch: Callable[[int, int], Sequence[T]], size: int) -> Sequence[T]:
    try:
        return fetch(FAR, size)
    except ScannerError as error:  # a server may reject such an offset, and a capture need not contain the response
        raise _NotProven from error


def by_token(
    fetch: Callable[[str], tuple[Sequence[T], str]],
    *,
    key: Callable[[T], Hashable],
    pages: int = MOST_PAGES,
    idle: int = 50,
    now: Callable[[], float] = monotonic,
) -> Iterator[T]:
    """Yield every new item until a page has no token for the next; *fetch* takes a token, empty for the first page.

    An empty page in the middle ends nothing. Raises PagesWithoutEnd where a token comes again, *idle* pages in a row
    bring nothing new, or there are more than *pages*, too many items, or no end within LONGEST.
    """
    items: set[Hashable] = set()
    growth = _Growth[T](MOST_BY_TOKEN, pages, now)
    tokens, token, vain = {""}, "", 0
    while True:
        listed, token = fetch(token)
        fresh: dict[Hashable, T] = {}
        for item in listed:
            if key(item) not in items:
                fresh.setdefault(key(item), item)
        items.update(fresh)
        vain = 0 if fresh else vain + 1
        yield from fresh.values()
        if not token:
            return
        growth.add(fresh.values())
        if token in tokens or vain >= idle:
            raise growth.endless(f"{len(tokens)} were read")
        tokens.add(token)


def by_number(
    fetch: Callable[[int], Sequence[T]], *, key: Callable[[T], Hashable], pages: int = MOST_PAGES
) -> Iterator[T]:
    """Yield every new item until a page brings none; *fetch* takes a page's number, from 0. Raises as `paged` does."""
    return paged(_numbered(fetch), key=key, pages=pages)


def _numbered(fetch: Callable[[int], Sequence[T]]) -> Callable[[int, int], Sequence[T]]:
    numbers = count()
    return lambda offset, size: fetch(FAR // size if offset == FAR else next(numbers))
