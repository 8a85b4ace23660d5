"""The shortest paths between two nodes, breadth first. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

from dataflow_generator.query.traversal import E, EdgeLookup, Hop, K, Kinds, leads_on, route_into

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
