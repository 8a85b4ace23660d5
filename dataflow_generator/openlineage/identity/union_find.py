"""Things that are one: groups that grow together wherever two of them share a member."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class UnionFind(Generic[T]):
    """Disjoint groups (union-find); what was never joined is a group of its own."""

    def __init__(self) -> None:
        self._above: dict[T, T] = {}

    def join(self, members: Iterable[T]) -> None:
        """Build *members*, and the groups that they are in, one group."""
        roots = [self._root(member) for member in members]
        for root in roots[1:]:
            self._above[self._root(root)] = self._root(roots[0])

    def all(self) -> list[list[T]]:
        """List the groups, members in the order in which they were first joined."""
        found: dict[T, list[T]] = {}
        for member in self._above:
            found.setdefault(self._root(member), []).append(member)
        return list(found.values())

    def _root(self, member: T) -> T:
        above = self._above.setdefault(member, member)
        while above != member:
            self._above[member] = self._above[above]  # halve the way for whoever asks next
            member, above = above, self._above[above]
        return member
