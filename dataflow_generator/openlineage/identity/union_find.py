"""Union-find."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class UnionFind(Generic[T]):
    """Disjoint groups of members; groups that share a member are one."""

    def __init__(self) -> None:
        self._above: dict[T, T] = {}

    def join(self, members: Iterable[T]) -> None:
        """Merge *members*, and the groups that they are in, into one group."""
        roots = [self._root(member) for member in members]
        for root in roots[1:]:
            self._above[self._root(root)] = self._root(roots[0])

    def all(self) -> list[list[T]]:
        """Return the groups, with members in the order in which they were first joined."""
        found: dict[T, list[T]] = {}
        for member in self._above:
            found.setdefault(self._root(member), []).append(member)
        return list(found.values())

    def _root(self, member: T) -> T:
        above = self._above.setdefault(member, member)
        while above != member:
            self._above[member] = self._above[above]  # path halving
            member, above = above, self._above[above]
        return member
