"""Impact analysis: downstream search for what is affected, with the closest use and shortest route for each node."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from dataflow_generator.graph import EdgeKind
from dataflow_generator.query.neighbourhood import DatasetFlow, E, ImpactGraph, K, Neighbourhood, NodeInfo, Use
from dataflow_generator.query.traversal import Hop
from scanner_model.columns import ColumnPath

__all__ = ["Affected", "ImpactGraph", "NodeInfo", "Root", "Use", "impact"]


_DEEPEST = 50
"""Maximal segments of a path: a cycle that copies a structure into itself would lengthen it forever."""

_USES = tuple(Use)
"""The closest first."""

B = TypeVar("B", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Root(Generic[K]):
    """The start: a job or a consumer group (*is_job*), a dataset, or with a *path* a column of it."""

    node: K
    path: ColumnPath = ()
    is_job: bool = False


class Route(NamedTuple, Generic[K, E]):
    """A route from the start: its edges and its jobs."""

    hops: tuple[Hop[K, E], ...]
    jobs: tuple[K, ...] = ()


class Affected(NamedTuple, Generic[K, E]):
    """An affected job (*path* None), dataset (()) or column, in so many edges (*steps*) from the start.

    *use* is how the start is used along all of the route: the closest use, on the shortest such route. *trace* returns
    this route: of thousands that are affected few are shown. *groups* are those of a job.
    """

    node: K
    path: ColumnPath | None
    use: Use
    steps: int
    trace: Callable[[], Route[K, E]]
    groups: tuple[K, ...] = ()

    @property
    def route(self) -> tuple[Hop[K, E], ...]:
        """Return the edges from the start."""
        return self.trace().hops

    @property
    def through(self) -> tuple[K, ...]:
        """Return the jobs of the route."""
        return self.trace().jobs


def impact(
    root: Root[K], graph: ImpactGraph[K, E], neighbourhood: Neighbourhood[K, E] | None = None
) -> tuple[Affected[K, E], ...]:
    """Return what is affected if *root* is renamed or dropped, the nearest first; without *root* itself.

    A field of a structure is followed where the structure as a whole is copied. What affects a whole dataset affects
    everything derived from it. For datasets without known columns no downstream columns are listed. *neighbourhood*
    is one of *graph* that several calls share, so that the flows of a dataset are loaded once.
    """
    search = _Search(graph, neighbourhood or Neighbourhood(graph))
    writers = search.start(root)
    search.go()
    jobs = search.with_groups([*writers, *search.jobs()])
    affected = [*jobs, *search.datasets(), *search.columns()]
    return tuple(sorted(affected, key=lambda item: (item.steps, item.use)))


class _Reach(NamedTuple, Generic[K, E]):
    """How a state is reached, the best first in order: by the closest use, then by the fewest steps.

    A start has no *flow*.
    """

    use: Use
    steps: int
    before: _State[K] | None = None
    flow: DatasetFlow[K, E] | None = None


class _State(NamedTuple, Generic[K]):
    """A dataset or column with the use along a route; a looser use by a shorter route is another state."""

    dataset: K
    path: ColumnPath
    use: Use


class _Search(Generic[K, E]):
    """One search: the shortest reach of each state, and the best of each job so far."""

    def __init__(self, graph: ImpactGraph[K, E], neighbourhood: Neighbourhood[K, E]) -> None:
        self._graph = graph
        self._neighbourhood = neighbourhood
        self._reached: dict[_State[K], _Reach[K, E]] = {}
        self._jobs: dict[K, _Reach[K, E]] = {}
        self._initial: dict[K, tuple[Hop[K, E], ...]] = {}
        self._roots: frozenset[K] = frozenset()

    def start(self, root: Root[K]) -> list[Affected[K, E]]:
        """Start from *root*; return the jobs that write it, or that read through it."""
        if root.is_job:
            return self._start_at_job(root.node)
        self._reached = {_State(root.node, root.path, Use.COPIES): _Reach(Use.COPIES, 0)}
        return [
            Affected(hop.source, None, Use.WRITES, 1, partial(Route, (hop,)))
            for hop in self._neighbourhood.into(root.node, root.path)
        ]

    def _start_at_job(self, root: K) -> list[Affected[K, E]]:
        """Start from the outputs of a job, or of the jobs of a consumer group."""
        members = {hop.target: (hop,) for hop in self._graph.ahead([root], True, frozenset((EdgeKind.MEMBER_OF,)))}
        self._roots = frozenset((root, *members))
        for hop in self._graph.ahead([root, *members], True, frozenset((EdgeKind.WRITES,))):
            self._initial.setdefault(hop.target, (*members.get(hop.source, ()), hop))
        self._reached = {
            _State(node, (), Use.COPIES): _Reach(Use.COPIES, len(route)) for node, route in self._initial.items()
        }
        return [Affected(job, None, Use.DEPENDS, len(route), partial(Route, route)) for job, route in members.items()]

    def go(self) -> None:
        """Follow flows until no better reach is found."""
        frontier = list(self._reached)
        while frontier:
            self._neighbourhood.load(state.dataset for state in frontier)
            better: dict[_State[K], None] = {}
            for state in frontier:
                if outgoing := self._neighbourhood[state.dataset]:
                    better |= dict.fromkeys(self._follow(state, outgoing.at(state.path)))
            frontier = list(better)

    def _follow(self, state: _State[K], flows: Iterable[DatasetFlow[K, E]]) -> Iterator[_State[K]]:
        """Yield the states that *flows* from *state* reach, if no better reach of them is known."""
        _, path, state_use = state
        steps = self._reached[state].steps
        for flow in flows:
            _, target, target_path, use, hops, jobs = flow
            reach = _Reach(max(state_use, use), steps + len(hops), state, flow)
            for job in jobs:
                if job not in self._roots and (job not in self._jobs or reach[:2] < self._jobs[job][:2]):
                    self._jobs[job] = reach
            if target is not None:
                reached = _State(target, _target_of(flow, path) if path else target_path, reach.use)
                if self._is_better(reached, reach.steps):
                    self._reached[reached] = reach
                    yield reached

    def _is_better(self, state: _State[K], steps: int) -> bool:
        """Return whether no route as short is known for an equal or closer use."""
        dataset, path, loosest = state
        for use in _USES:
            known = self._reached.get(_State(dataset, path, use))
            if known is not None and known.steps <= steps:
                return False
            if use == loosest:
                break
        return True

    def jobs(self) -> Iterator[Affected[K, E]]:
        """Yield the affected jobs, each with the route to it."""
        for job, reach in self._jobs.items():
            hops = reach.flow.hops if reach.flow else ()
            steps = reach.steps - len(hops) + len(hops[:1])
            yield Affected(job, None, reach.use, steps, partial(self._route_to_job, job, reach, steps))

    def _route_to_job(self, job: K, reach: _Reach[K, E], steps: int) -> Route[K, E]:
        """Return the first *steps* edges of the route through *job*, and the other jobs."""
        hops, jobs = self._route(reach)
        return Route(hops[:steps], tuple(other for other in jobs if other != job))

    def with_groups(self, jobs: list[Affected[K, E]]) -> list[Affected[K, E]]:
        """Return *jobs* with their consumer groups, which are not affected beside them: they may read other topics."""
        groups: dict[K, dict[K, None]] = {}
        readers = list(dict.fromkeys(job.node for job in jobs if job.use is not Use.WRITES))
        for hop in self._graph.ahead(readers, False, frozenset((EdgeKind.MEMBER_OF,))):
            groups.setdefault(hop.target, {})[hop.source] = None
        members = {group for listed in groups.values() for group in listed}
        return [job._replace(groups=tuple(groups.get(job.node, ()))) for job in jobs if job.node not in members]

    def datasets(self) -> Iterator[Affected[K, E]]:
        """Yield the affected datasets, each with its closest use."""
        for dataset, reach in self._best(lambda state: state.dataset).items():
            if dataset in self._initial:
                hops = self._initial[dataset]
                yield Affected(dataset, (), Use.MADE, len(hops), partial(Route, hops, _members(hops)))
            elif reach.flow is not None:
                yield Affected(dataset, (), reach.use, reach.steps, partial(self._route, reach))

    def columns(self) -> Iterator[Affected[K, E]]:
        """Yield the affected columns."""
        for (dataset, path), reach in self._best(lambda state: (state.dataset, state.path)).items():
            if path and reach.flow is not None and reach.use is not Use.UNKNOWN:
                yield Affected(dataset, path, reach.use, reach.steps, partial(self._route, reach))

    def _best(self, by: Callable[[_State[K]], B]) -> dict[B, _Reach[K, E]]:
        best: dict[B, _Reach[K, E]] = {}
        for state, reach in self._reached.items():
            key = by(state)
            if key not in best or reach[:2] < best[key][:2]:
                best[key] = reach
        return best

    def _route(self, reach: _Reach[K, E]) -> Route[K, E]:
        """Return the edges from the start, and their jobs."""
        flows: list[DatasetFlow[K, E]] = []
        start: _State[K] | None = None
        while reach.flow is not None and reach.before is not None:
            flows.append(reach.flow)
            start, reach = reach.before, self._reached[reach.before]
        initial = self._initial.get(start.dataset, ()) if start else ()
        ahead = flows[::-1]
        route = (*initial, *(hop for flow in ahead for hop in flow.hops))
        jobs = (job for flow in ahead for job in flow.jobs)
        return Route(route, tuple(dict.fromkeys((*_members(initial), *jobs))))


def _members(route: tuple[Hop[K, E], ...]) -> tuple[K, ...]:
    """Return the job at the start of a consumer group's *route*; none where it starts at the job itself."""
    return tuple(hop.target for hop in route[:1] if hop.kind == EdgeKind.MEMBER_OF)


def _target_of(flow: DatasetFlow[K, E], path: ColumnPath) -> ColumnPath:
    """Return the target of *path*: a field of a copied structure maps to the same field of the copy."""
    part = path[len(flow.path) :]
    inside = len(path) > len(flow.path) and flow.use is Use.COPIES
    target = (*flow.target_path, *part) if inside else flow.target_path
    return target if len(target) <= _DEEPEST else flow.target_path
