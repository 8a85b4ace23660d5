"""Connectivity of a graph: cycles of strongly connected components, connected components, union-find. No I/O."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.query.traversal import DATASETS, Kinds

T = TypeVar("T")


class UnionFind(Generic[T]):
    """Disjoint groups of members; groups that share a member are one."""

    def __init__(self) -> None:
        self._parent: dict[T, T] = {}

    def join(self, members: Iterable[T]) -> None:
        """Merge *members*, and the groups that they are in, into one group."""
        roots = [self._root(member) for member in members]
        for root in roots[1:]:
            self._parent[self._root(root)] = self._root(roots[0])

    def all(self) -> list[list[T]]:
        """Return the groups, with members in the order in which they were first joined."""
        members: dict[T, list[T]] = {}
        for member in self._parent:
            members.setdefault(self._root(member), []).append(member)
        return list(members.values())

    def _root(self, member: T) -> T:
        above = self._parent.setdefault(member, member)
        while above != member:
            self._parent[member] = self._parent[above]  # path halving
            member, above = above, self._parent[above]
        return member


N = TypeVar("N", bound=tuple[str, ...])


def cycles(ahead: Mapping[N, Sequence[N]]) -> Iterator[tuple[N, ...]]:
    """Yield the shortest cycle through the least node of each strongly connected component, in order.

    Takes time linear in the graph's size.
    """
    for part in sorted(_strongly_connected(_without_dead_ends(ahead)), key=min):
        first = min(part)
        if len(part) > 1 or first in ahead.get(first, ()):
            yield _shortest_cycle(first, part, ahead)


def _without_dead_ends(ahead: Mapping[N, Sequence[N]]) -> Mapping[N, Sequence[N]]:
    """Remove nodes without successors repeatedly: in most graphs these are nearly all, and no cycle contains them.

    Stops when a round removes less than a tenth of the nodes, so that all rounds together are linear.
    """
    rest = ahead
    while True:
        filtered = ((node, [successor for successor in after if successor in rest]) for node, after in rest.items())
        remaining = {node: after for node, after in filtered if after}
        if not remaining or len(remaining) * 10 > len(rest) * 9:
            return remaining
        rest = remaining


def _shortest_cycle(first: N, part: frozenset[N], ahead: Mapping[N, Sequence[N]]) -> tuple[N, ...]:
    before: dict[N, N] = {}
    waiting = deque([first])
    while waiting:
        node = waiting.popleft()
        for after in sorted(ahead.get(node, ())):
            if after == first:
                path = [node]
                while path[-1] != first:
                    path.append(before[path[-1]])
                return tuple(reversed(path))
            if after in part and after not in before:
                before[after] = node
                waiting.append(after)
    return (first,)


def _strongly_connected(ahead: Mapping[N, Sequence[N]]) -> Iterator[frozenset[N]]:
    """Yield the strongly connected components (Tarjan's algorithm with an explicit stack)."""
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    stack: dict[N, None] = {}
    for root in ahead:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack[root] = None
        calls = [(root, iter(ahead.get(root, ())))]
        while calls:
            node, rest = calls[-1]
            after = next(rest, None)
            if after is None:
                calls.pop()
                if calls:
                    low[calls[-1][0]] = min(low[calls[-1][0]], low[node])
                if low[node] == index[node]:
                    yield _pop_component(node, stack)
            elif after not in index:
                index[after] = low[after] = len(index)
                stack[after] = None
                calls.append((after, iter(ahead.get(after, ()))))
            elif after in stack:
                low[node] = min(low[node], index[after])


def _pop_component(root: N, stack: dict[N, None]) -> frozenset[N]:
    part: list[N] = []
    while not part or part[-1] != root:
        part.append(stack.popitem()[0])
    return frozenset(part)


CONNECTED: Kinds = DATASETS | {EdgeKind.MEMBER_OF}
"""The edges that connect topics, datasets, jobs and consumer groups."""

_NAMING = (NodeKind.TOPIC, NodeKind.DATASET, NodeKind.JOB, NodeKind.CONSUMER_GROUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A connected component, named after its least topic, or else dataset, job or group; *sizes* by kind of node."""

    name: str
    sizes: Mapping[str, int]

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return sum(self.sizes.values())


def components(links: Iterable[tuple[str, str]]) -> tuple[Component, ...]:
    """Return the connected components of *links*, pairs of nodes' ids, the largest first."""
    groups: UnionFind[str] = UnionFind()
    for link in links:
        groups.join(link)
    return tuple(sorted(map(_component, groups.all()), key=lambda component: (-component.nodes, component.name)))


def kind_of(node: str) -> str:
    """Return the kind at the start of a node's id."""
    return node.partition(":")[0]


def _component(nodes: Sequence[str]) -> Component:
    by_kind: dict[str, list[str]] = {}
    for node in nodes:
        by_kind.setdefault(kind_of(node), []).append(node)
    naming = next((kind for kind in _NAMING if kind in by_kind), min(by_kind))
    return Component(name=min(by_kind[naming]), sizes={kind: len(by_kind[kind]) for kind in sorted(by_kind)})
