"""Circles in a directed graph: one for each part in which every node leads to every other. No I/O, no recursion."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.openlineage.identity.union_find import UnionFind
from dataflow_generator.query.traversal import DATASETS, Kinds

N = TypeVar("N", bound=tuple[str, ...])


def cycles(ahead: Mapping[N, Sequence[N]]) -> Iterator[tuple[N, ...]]:
    """Return the shortest circle through the first node of each part that holds one, by first node.

    Takes time linear in the graph's size.
    """
    for part in sorted(_parts(_going_on(ahead)), key=min):
        first = min(part)
        if len(part) > 1 or first in ahead.get(first, ()):
            yield _circle(first, part, ahead)


def _going_on(ahead: Mapping[N, Sequence[N]]) -> Mapping[N, Sequence[N]]:
    """Leave out, round by round, what leads nowhere: in most graphs that is nearly all, and no circle goes through it.

    Rounds end when one of them left out less than a tenth, so that all of them together are linear.
    """
    left = ahead
    while True:
        near = ((node, [one for one in after if one in left]) for node, after in left.items())
        kept = {node: after for node, after in near if after}
        if not kept or len(kept) * 10 > len(left) * 9:
            return kept
        left = kept


def _circle(first: N, part: frozenset[N], ahead: Mapping[N, Sequence[N]]) -> tuple[N, ...]:
    before: dict[N, N] = {}
    waiting = deque([first])
    while waiting:
        node = waiting.popleft()
        for after in sorted(ahead.get(node, ())):
            if after == first:
                way = [node]
                while way[-1] != first:
                    way.append(before[way[-1]])
                return tuple(reversed(way))
            if after in part and after not in before:
                before[after] = node
                waiting.append(after)
    return (first,)


def _parts(ahead: Mapping[N, Sequence[N]]) -> Iterator[frozenset[N]]:
    """Return the strongly connected parts (Tarjan's algorithm, its calls on a list)."""
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
                    yield _taken(node, stack)
            elif after not in index:
                index[after] = low[after] = len(index)
                stack[after] = None
                calls.append((after, iter(ahead.get(after, ()))))
            elif after in stack:
                low[node] = min(low[node], index[after])


def _taken(root: N, stack: dict[N, None]) -> frozenset[N]:
    part: list[N] = []
    while not part or part[-1] != root:
        part.append(stack.popitem()[0])
    return frozenset(part)


CONNECTED: Kinds = DATASETS | {EdgeKind.MEMBER_OF}
"""The edges that hold topics, datasets, jobs and consumer groups together."""

_NAMING = (NodeKind.TOPIC, NodeKind.DATASET, NodeKind.JOB, NodeKind.CONSUMER_GROUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A part that hangs together, called by its least topic, or else dataset, job or group; *sizes* by kind of node."""

    name: str
    sizes: Mapping[str, int]

    @property
    def nodes(self) -> int:
        """Count its nodes."""
        return sum(self.sizes.values())


def components(links: Iterable[tuple[str, str]]) -> tuple[Component, ...]:
    """List what *links*, pairs of nodes' ids, hold together, the largest first."""
    groups: UnionFind[str] = UnionFind()
    for link in links:
        groups.join(link)
    return tuple(sorted(map(_component, groups.all()), key=lambda each: (-each.nodes, each.name)))


def kind_of(node: str) -> str:
    """Return the kind that a node's id begins with."""
    return node.partition(":")[0]


def _component(nodes: Sequence[str]) -> Component:
    by_kind: dict[str, list[str]] = {}
    for node in nodes:
        by_kind.setdefault(kind_of(node), []).append(node)
    naming = next((kind for kind in _NAMING if kind in by_kind), min(by_kind))
    return Component(name=min(by_kind[naming]), sizes={kind: len(by_kind[kind]) for kind in sorted(by_kind)})
