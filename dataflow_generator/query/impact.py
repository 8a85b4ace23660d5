"""Impact analysis: downstream search for what is affected, with the closest use and shortest route for each node."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected(Generic[K, E]):
    """An affected job (*path* None), dataset (()) or column; *route* is the route from the start, *through* its jobs.

    *use* is how the start is used along all of *route*: the closest use, on the shortest such route.
    """

    node: K
    path: ColumnPath | None
    use: Use
    route: tuple[Hop[K, E], ...]
    through: tuple[K, ...]

    @property
    def steps(self) -> int:
        """Return the number of edges from the start."""
        return len(self.route)


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
    jobs = [*writers, *search.jobs()]
    affected = [*jobs, *search.groups(jobs), *search.datasets(), *search.columns()]
    return tuple(sorted(affected, key=lambda item: (item.steps, item.use)))


class _Reach(NamedTuple, Generic[K, E]):
    """How a state is reached; a start has no *flow*."""

    use: Use
    steps: int
    before: _State[K] | None = None
    flow: DatasetFlow[K, E] | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """Return the sort key of reaches, the best first."""
        return self.use, self.steps


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
            Affected(node=hop.source, path=None, use=Use.WRITES, route=(hop,), through=())
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
        return [
            Affected(node=job, path=None, use=Use.DEPENDS, route=route, through=()) for job, route in members.items()
        ]

    def go(self) -> None:
        """Follow flows until no better reach is found."""
        frontier = list(self._reached)
        while frontier:
            self._neighbourhood.load(state.dataset for state in frontier)
            better: dict[_State[K], None] = {}
            for state in frontier:
                better |= dict.fromkeys(self._from(state))
            frontier = list(better)

    def _from(self, state: _State[K]) -> Iterator[_State[K]]:
        steps = self._reached[state].steps
        for flow in self._neighbourhood[state.dataset].at(state.path):
            reach = _Reach(max(state.use, flow.use), steps + len(flow.hops), state, flow)
            for job in flow.jobs:
                if job not in self._roots and (job not in self._jobs or reach.rank < self._jobs[job].rank):
                    self._jobs[job] = reach
            if flow.target is not None:
                reached = _State(flow.target, _target_of(flow, state.path), reach.use)
                if self._is_better(reached, reach.steps):
                    self._reached[reached] = reach
                    yield reached

    def _is_better(self, state: _State[K], steps: int) -> bool:
        """Return whether no route as short is known for an equal or closer use."""
        for use in _USES[: state.use + 1]:
            known = self._reached.get(_State(state.dataset, state.path, use))
            if known is not None and known.steps <= steps:
                return False
        return True

    def jobs(self) -> Iterator[Affected[K, E]]:
        """Yield the affected jobs, each with the route to it."""
        for job, reach in self._jobs.items():
            route, through = self._route(reach)
            hops = reach.flow.hops if reach.flow else ()
            earlier = tuple(other for other in through if other != job)
            yield Affected(
                node=job, path=None, use=reach.use, route=(*route[: len(route) - len(hops)], *hops[:1]), through=earlier
            )

    def groups(self, jobs: list[Affected[K, E]]) -> Iterator[Affected[K, E]]:
        """Return the consumer groups through which *jobs* read, affected like these."""
        by_job = {
            affected.node: affected
            for affected in jobs
            if affected.use is not Use.WRITES and affected.node not in self._roots
        }
        groups: dict[K, Affected[K, E]] = {}
        for hop in self._graph.ahead(list(by_job), False, frozenset((EdgeKind.MEMBER_OF,))):
            job = by_job[hop.target]
            group = Affected(
                node=hop.source, path=None, use=job.use, route=(*job.route, hop), through=(*job.through, job.node)
            )
            known = groups.get(hop.source, group)
            groups[hop.source] = min(known, group, key=lambda candidate: (candidate.use, candidate.steps))
        return iter(groups.values())

    def datasets(self) -> Iterator[Affected[K, E]]:
        """Yield the affected datasets, each with its closest use."""
        for dataset, reach in self._best(lambda state: state.dataset).items():
            if dataset in self._initial:
                hops = self._initial[dataset]
                yield Affected(node=dataset, path=(), use=Use.MADE, route=hops, through=_members(hops))
            elif reach.flow is not None:
                yield self._affected(dataset, (), reach)

    def columns(self) -> Iterator[Affected[K, E]]:
        """Yield the affected columns."""
        for (dataset, path), reach in self._best(lambda state: (state.dataset, state.path)).items():
            if path and reach.flow is not None and reach.use is not Use.UNKNOWN:
                yield self._affected(dataset, path, reach)

    def _best(self, by: Callable[[_State[K]], B]) -> dict[B, _Reach[K, E]]:
        best: dict[B, _Reach[K, E]] = {}
        for state, reach in self._reached.items():
            key = by(state)
            if key not in best or reach.rank < best[key].rank:
                best[key] = reach
        return best

    def _affected(self, node: K, path: ColumnPath, reach: _Reach[K, E]) -> Affected[K, E]:
        route, through = self._route(reach)
        return Affected(node=node, path=path, use=reach.use, route=route, through=through)

    def _route(self, reach: _Reach[K, E]) -> tuple[tuple[Hop[K, E], ...], tuple[K, ...]]:
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
        return route, tuple(dict.fromkeys((*_members(initial), *jobs)))


def _members(route: tuple[Hop[K, E], ...]) -> tuple[K, ...]:
    """Return the job at the start of a consumer group's *route*; none where it starts at the job itself."""
    return tuple(hop.target for hop in route[:1] if hop.kind == EdgeKind.MEMBER_OF)


def _target_of(flow: DatasetFlow[K, E], path: ColumnPath) -> ColumnPath:
    """Return the target of *path*: a field of a copied structure maps to the same field of the copy."""
    part = path[len(flow.path) :]
    inside = len(path) > len(flow.path) and flow.use is Use.COPIES
    target = (*flow.target_path, *part) if inside else flow.target_path
    return target if len(target) <= _DEEPEST else flow.target_path
