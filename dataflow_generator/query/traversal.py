"""Lineage traversal: the upstream and downstream edges of a node, and shortest paths, breadth first. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from dataflow_generator.graph import EdgeKind, NodeKind


class Refined(Protocol):
    """The part of an edge, in memory or stored, that a traversal needs."""

    @property
    def subtype(self) -> str:
        """Return the subtype; for reads and writes of a job, the route that the edge belongs to."""


K = TypeVar("K", bound=Hashable)
E = TypeVar("E", bound=Refined)

Kinds = frozenset[str]
DATASETS: Kinds = frozenset((EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MATERIALIZES))
COLUMNS: Kinds = frozenset((EdgeKind.COLUMN_FLOW, EdgeKind.CONTAINS))
_CONTAINS: Kinds = frozenset((EdgeKind.CONTAINS,))
_MEMBER_OF: Kinds = frozenset((EdgeKind.MEMBER_OF,))
_ALL_ROUTES = ""
"""All routes of a node: of anything but a job, of a job with one route, and of the start."""


class Hop(NamedTuple, Generic[K, E]):
    """An edge in a traversal: the keys of its ends, its kind, and the edge itself."""

    source: K
    target: K
    kind: str
    edge: E


EdgeLookup = Callable[[Sequence[K], bool, Kinds], Iterable[Hop[K, E]]]
"""Returns the edges of some kinds that leave nodes (True) or enter them (False), in the graph's order.

Of `contains` edges only those to a column.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraversalOptions:
    """How many steps a traversal has each way, and edges at *most*; None: as many as there are.

    *columns* also follows column flows.
    """

    upstream: int | None = None
    downstream: int | None = None
    columns: bool = False
    most: int | None = None

    def steps(self, *, forward: bool) -> int | None:
        """Return the steps downstream (*forward*) or upstream."""
        return self.downstream if forward else self.upstream


class Reached(NamedTuple, Generic[K, E]):
    """The edges of a traversal, and how many nodes other than the start it reached each way.

    *complete* is False where the depth or the number of edges ended it before it had reached everything; *cut* where
    that was the number of edges.
    """

    hops: tuple[Hop[K, E], ...]
    upstream: int
    downstream: int
    complete: bool
    cut: bool


def lineage(root: K, kind: str, options: TraversalOptions, ahead: EdgeLookup[K, E]) -> Reached[K, E]:
    """Return the edges that lead to *root* and from it, upstream first, without duplicates, the nearest first.

    A column is followed from column to column; what affects a whole dataset affects each of its columns. A dataset is
    followed through jobs; with *columns*, also each of its own columns. A consumer group is followed through its
    jobs.
    """
    directions = [forward for forward in (False, True) if options.steps(forward=forward) != 0]
    member_of = list(ahead([root], True, _MEMBER_OF)) if kind == NodeKind.CONSUMER_GROUP else []
    all_hops: dict[Hop[K, E], None] = dict.fromkeys(member_of)
    starts, complete = [root, *(hop.target for hop in member_of)], True
    counts = {True: 0, False: 0}
    for forward in directions:
        reached: list[Hop[K, E]] = []
        if kind != NodeKind.COLUMN:
            hops, ended = traverse(starts, forward, DATASETS, options, ahead)
            reached, complete = [*hops], complete and ended
        if kind == NodeKind.COLUMN or options.columns:
            columns = _columns_to_follow(root, kind, forward, ahead)
            hops, ended = traverse(columns, forward, COLUMNS, options, ahead)
            reached, complete = [*reached, *_without_dead_ends(hops, forward=forward)], complete and ended
        all_hops |= dict.fromkeys(reached)
        ends = {hop.target if forward else hop.source for hop in reached if hop.kind != EdgeKind.CONTAINS}
        counts[forward] = len(ends - {root})
    cut = options.most is not None and len(all_hops) > options.most
    return Reached(tuple(all_hops)[: options.most], counts[False], counts[True], complete and not cut, cut)


def traverse(
    starts: Iterable[K], forward: bool, kinds: Kinds, options: TraversalOptions, ahead: EdgeLookup[K, E]
) -> tuple[tuple[Hop[K, E], ...], bool]:
    """Return the edges reached from *starts*, the nearest first, and whether these are all; a cycle is traversed once.

    A job that is entered on one of its routes is left on that route only: a mirror of ten topics has ten routes.
    """
    visited: dict[K, set[str]] = {node: {_ALL_ROUTES} for node in starts}
    frontier = {node: set(routes) for node, routes in visited.items()}
    reached: dict[Hop[K, E], None] = {}
    steps = 0
    most_steps = options.steps(forward=forward)
    while frontier and (most_steps is None or steps < most_steps):
        hops = [hop for hop in ahead(list(frontier), forward, kinds) if leads_on(hop, frontier, forward)]
        reached |= dict.fromkeys(hops)
        frontier = {}
        for hop in hops:
            node, route = (hop.target if forward else hop.source), route_into(hop, forward)
            known = visited.setdefault(node, set())
            if route not in known and _ALL_ROUTES not in known:
                known.add(route)
                frontier.setdefault(node, set()).add(route)
        steps += 1
        if options.most is not None and len(reached) > options.most:
            return tuple(reached), False
    # The nodes at the limit of the depth may be the last ones.
    return tuple(reached), not any(True for _ in ahead(list(frontier), forward, kinds)) if frontier else True


def leads_on(hop: Hop[K, E], frontier: Mapping[K, set[str]], forward: bool) -> bool:
    """Return whether the traversal, which may be limited to some routes of a job, may take this edge."""
    routes = frontier[hop.source if forward else hop.target]
    out_of_job = hop.kind == (EdgeKind.WRITES if forward else EdgeKind.READS)
    return not out_of_job or _ALL_ROUTES in routes or hop.edge.subtype in routes or not hop.edge.subtype


def route_into(hop: Hop[K, E], forward: bool) -> str:
    """Return the route on which the traversal enters a job by *hop*; empty for all routes."""
    into_job = hop.kind == (EdgeKind.READS if forward else EdgeKind.WRITES)
    return hop.edge.subtype if into_job else _ALL_ROUTES


def _columns_to_follow(root: K, kind: str, forward: bool, ahead: EdgeLookup[K, E]) -> list[K]:
    """Return the columns to start at: the node, and the columns in it or in what a job reads or writes."""
    starts = [root]
    if kind == NodeKind.JOB:
        starts = [hop.target if forward else hop.source for hop in ahead(starts, forward, DATASETS)]
    return [*starts, *(hop.target for hop in ahead(starts, True, _CONTAINS))]


def _without_dead_ends(hops: Iterable[Hop[K, E]], *, forward: bool) -> list[Hop[K, E]]:
    """Remove `contains` edges to columns from which no flow continues."""
    listed = list(hops)
    flows = [hop for hop in listed if hop.kind == EdgeKind.COLUMN_FLOW]
    joints = {hop.source if forward else hop.target for hop in flows}
    return [
        hop for hop in listed if hop.kind == EdgeKind.COLUMN_FLOW or (hop.target if forward else hop.source) in joints
    ]


_START = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLimits:
    """At most *paths* are returned, of at most *steps* edges; at most *nodes* are visited."""

    paths: int = 10
    steps: int = 30
    nodes: int = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths(Generic[K, E]):
    """The shortest paths, each from the start to the end; *complete* is False where a limit ended the search."""

    paths: tuple[tuple[Hop[K, E], ...], ...]
    complete: bool


def shortest_paths(
    start: K, end: K, kinds: Kinds, ahead: EdgeLookup[K, E], limits: PathLimits = PathLimits()
) -> Paths[K, E]:
    """Return the paths from *start* to *end* along the data with the fewest edges; none where there is no path.

    A job that is entered on one of its routes is left on that route only.
    """
    before: dict[tuple[K, str], list[tuple[tuple[K, str], Hop[K, E]]]] = {(start, _START): []}
    frontier = {start: {_START}}
    steps = 0
    while frontier and end not in frontier and steps < limits.steps and len(before) <= limits.nodes:
        reached: dict[tuple[K, str], list[tuple[tuple[K, str], Hop[K, E]]]] = {}
        for hop in ahead(list(frontier), True, kinds):
            state = hop.target, route_into(hop, True)
            if leads_on(hop, frontier, True) and state not in before:
                routes = (route for route in frontier[hop.source] if _same_route(hop, route))
                reached.setdefault(state, []).extend(((hop.source, route), hop) for route in routes)
        before |= reached
        frontier = {}
        for node, route in reached:
            frontier.setdefault(node, set()).add(route)
        steps += 1
    ends = [(end, route) for route in sorted(frontier.get(end, ()))] if start != end else []
    paths: list[tuple[Hop[K, E], ...]] = []
    for path in (path for state in ends for path in _paths_back(state, before)):
        if len(paths) == limits.paths:
            return Paths(paths=tuple(paths), complete=False)
        if path not in paths:
            paths.append(path)
    return Paths(paths=tuple(paths), complete=bool(paths) or not frontier or start == end)


def _same_route(hop: Hop[K, E], route: str) -> bool:
    return leads_on(hop, {hop.source: {route}}, True)


def _paths_back(
    state: tuple[K, str], before: dict[tuple[K, str], list[tuple[tuple[K, str], Hop[K, E]]]]
) -> Iterator[tuple[Hop[K, E], ...]]:
    if not before[state]:
        yield ()
    for earlier, hop in before[state]:
        yield from ((*path, hop) for path in _paths_back(earlier, before))
