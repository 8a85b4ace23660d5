"""Names of live topics that remember how the names began that anybody looked at: what else there is does not matter."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any


class KnownTopics(tuple[str, ...]):
    """Names in order. *starts* is what those began with that were looked at; an empty text says that all were."""

    starts: set[str]
    _names: tuple[str, ...]

    def __new__(cls, names: tuple[str, ...]) -> KnownTopics:
        """Take names that nobody has looked at yet."""
        made = super().__new__(cls, names)
        made.starts, made._names = set(), names
        return made

    def beginning(self, start: str) -> tuple[str, ...]:
        """Give the names that begin so, in order."""
        self.starts.add(start)
        return beginning(self._names, start)

    def __iter__(self) -> Iterator[str]:
        """Go through all names."""
        self.starts.add("")
        return super().__iter__()

    def __contains__(self, name: object) -> bool:
        """Tell whether there is such a name."""
        self.starts.add(name if isinstance(name, str) else "")
        return super().__contains__(name)

    def __len__(self) -> int:
        """Count all names."""
        self.starts.add("")
        return super().__len__()

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401 - a tuple's, overloaded
        """Give a name by its place among all."""
        self.starts.add("")
        return super().__getitem__(at)


def beginning(names: tuple[str, ...], start: str) -> tuple[str, ...]:
    """Give those of *names*, which are in order, that begin with *start*."""
    # Of a hundred thousand names only those are looked at.
    first = bisect_left(names, start)
    last = first + sum(1 for _ in takewhile(lambda name: name.startswith(start), islice(names, first, None)))
    return names[first:last]
