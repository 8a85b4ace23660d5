"""Progress reports of long operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

ProgressCallback = Callable[[str, int, int | None], None]
"""Called with a kind of items, how many are done, and their total (None: unknown); from any thread."""

JOBS, SCHEMAS = "job partitions", "schema files"


def silent(what: str, done: int, total: int | None) -> None:
    """Report nothing."""


def counted(report: ProgressCallback, what: str, items: Iterable[T], total: int | None = None) -> Iterator[T]:
    """Yield *items*, and report after each one that it is done."""
    report(what, 0, total)
    for done, item in enumerate(items, 1):
        yield item
        report(what, done, total)
