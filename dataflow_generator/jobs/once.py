"""Results that several kinds of jobs need of the same rows of a generation, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

R = TypeVar("R")


class Once:
    """Remembers results by the identity of the rows that they are computed from, which it keeps alive."""

    def __init__(self) -> None:
        self._results: dict[tuple[str, tuple[int, ...]], tuple[Sequence[object], Any]] = {}

    def of(self, name: str, rows: Sequence[object], compute: Callable[[], R]) -> R:
        """Return the result *name* of *rows*; *compute* is called if it is not known yet."""
        key = name, tuple(map(id, rows))
        if key not in self._results:
            self._results[key] = rows, compute()
        result: R = self._results[key][1]
        return result
