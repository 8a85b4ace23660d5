"""Keys of stored rows: in the graph's order, and with room between them, so that most rows keep theirs. Pure.

What stands above the schemas has keys below zero. Nodes of it lie apart; an edge's key is made of the kind of edge,
the node it belongs to and its place there. A schema's key follows from the definitions before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import groupby, islice
from operator import itemgetter, lt
from typing import Any

from dataflow_generator.graph import Edge, EdgeKind

_NODES = 1 << 34
_WIDEST = 1 << 16
_EDGES = 1 << 62
_SECTION, _OWNER = 59, 24


class Unrenewable(Exception):
    """When a stored graph cannot be changed in place; who renews it makes it anew then, and nobody else sees it."""


class Section(IntEnum):
    """The kinds of edges above the schemas in the graph's order, each with the node that an edge belongs to."""

    TOPICS = 0
    """From the cluster: the topic."""
    SCHEMAS = 1
    """The topic."""
    READS = 2
    """The job, or the consumer group."""
    WRITES = 3
    """The job."""
    MEMBERS = 4
    """The consumer group."""
    COLUMNS = 5
    """The column."""
    FLOWS = 6
    """The job."""


def node_numbers(count: int) -> Iterator[int]:
    """Number so many nodes above the schemas, as far apart as they may be."""
    apart = min(_WIDEST, (_NODES - 1) // (count + 1))
    return (at * apart - _NODES for at in range(1, count + 1))


def edge_span(section: Section, owner: int) -> tuple[int, int]:
    """Return the first and the last key of a node's edges."""
    first = (section << _SECTION) + ((owner + _NODES) << _OWNER) - _EDGES
    return first, first + (1 << _OWNER) - 1


def plain_edge_numbers() -> Iterator[int]:
    """Number the edges of a graph of which nobody knows whose they are."""
    return iter(range(-_EDGES, 0))


def edge_numbers(
    edges: Iterable[Edge], keys: Mapping[str, int], flowing: Iterable[tuple[str, int]]
) -> Iterator[tuple[int, Edge]]:
    """Number edges above the schemas, in the graph's order; *flowing* counts each job's flows between columns."""
    jobs = (job for job, count in flowing for _ in range(count))
    owned = ((_owned(edge, keys, jobs), edge) for edge in edges)
    for (section, owner), group in groupby(owned, key=itemgetter(0)):
        first, last = edge_span(section, owner)
        for number, (_, edge) in enumerate(group, first):
            if number > last:
                raise Unrenewable
            yield number, edge


def _owned(edge: Edge, keys: Mapping[str, int], jobs: Iterator[str]) -> tuple[Section, int]:
    section, owner = _OWNERS[edge.kind](edge, jobs)
    return section, keys[owner]


def _contained(edge: Edge) -> Section:
    return Section.TOPICS if edge.source.startswith("cluster:") else Section.COLUMNS


_OWNERS: Mapping[EdgeKind, Callable[[Edge, Iterator[str]], tuple[Section, str]]] = {
    EdgeKind.CONTAINS: lambda edge, _: (_contained(edge), edge.target),
    EdgeKind.HAS_SCHEMA: lambda edge, _: (Section.SCHEMAS, edge.source),
    EdgeKind.READS: lambda edge, _: (Section.READS, edge.target),
    EdgeKind.WRITES: lambda edge, _: (Section.WRITES, edge.source),
    EdgeKind.MEMBER_OF: lambda edge, _: (Section.MEMBERS, edge.source),
    EdgeKind.COLUMN_FLOW: lambda _, jobs: (Section.FLOWS, next(jobs)),
}


def schema_places(sizes: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return the key of each definition's node by the definition's own; those of its columns follow it.

    Definitions are never changed and new ones come last, so a key stays.
    """
    places: dict[int, int] = {}
    at = 1
    for definition, columns in sizes:
        places[definition] = at
        at += 1 + columns
    return places


class Line:
    """The nodes above the schemas, in sections that follow each other; each node has what it is sorted by."""

    def __init__(self, sections: Iterable[tuple[Iterable[Any], Iterable[int]]]) -> None:
        """Take of each section what its nodes are sorted by and their keys; raises Unrenewable if not in order."""
        listed = [(list(sorts), list(numbers)) for sorts, numbers in sections]
        self._sorts = [sorts for sorts, _ in listed]
        self._numbers = [numbers for _, numbers in listed]
        numbers = [number for section in self._numbers for number in section]
        if not all(_rises(each) for each in (numbers, *self._sorts)):
            raise Unrenewable

    def insert(self, section: int, sorts: Iterable[Any]) -> dict[Any, int]:
        """Return keys to new nodes of a section; raises Unrenewable where too many stand in one place already."""
        here, numbers = self._sorts[section], self._numbers[section]
        found: dict[Any, int] = {}
        merged: tuple[list[Any], list[int]] = [], []
        done = 0
        for at, group in groupby(sorted(sorts), key=lambda sort: bisect_left(here, sort)):
            placed = self._between(list(group), self._bounds(section, at))
            found |= placed
            merged[0].extend((*here[done:at], *placed))
            merged[1].extend((*numbers[done:at], *placed.values()))
            done = at
        self._sorts[section], self._numbers[section] = [*merged[0], *here[done:]], [*merged[1], *numbers[done:]]
        return found

    def _bounds(self, section: int, at: int) -> tuple[int, int]:
        before = [-_NODES, *(numbers[-1] for numbers in self._numbers[:section] if numbers)]
        after = [*(numbers[0] for numbers in self._numbers[section + 1 :] if numbers), 0]
        numbers = self._numbers[section]
        return numbers[at - 1] if at else before[-1], numbers[at] if at < len(numbers) else after[0]

    def _between(self, sorts: list[Any], bounds: tuple[int, int]) -> dict[Any, int]:
        low, high = bounds
        if high - low <= len(sorts):
            raise Unrenewable
        # Behind all others there is no end to the room: leave as much as elsewhere.
        high = min(high, low + _WIDEST * (len(sorts) + 1))
        return {sort: low + (high - low) * at // (len(sorts) + 1) for at, sort in enumerate(sorts, 1)}


def _rises(listed: Sequence[Any]) -> bool:
    return all(map(lt, listed, islice(listed, 1, None)))
