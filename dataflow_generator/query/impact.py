"""The search for what is affected: ahead along flows, for each place the closest use and the shortest way to it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from dataflow_generator.graph import EdgeKind
from dataflow_generator.query.neighbourhood import Asked, E, Flow, K, Neighbourhood, Spot, Use
from dataflow_generator.query.traversal import Hop
from scanner_model.column_path import ColumnPath

__all__ = ["Affected", "Asked", "Root", "Spot", "Use", "impact"]


_DEEPEST = 50
"""Segments of a path: a circle that copies a structure into itself would make ever longer ones."""

B = TypeVar("B", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Root(Generic[K]):
    """Where to start: a job or a consumer group (*is_job*), a dataset, or with a *path* a column of it."""

    node: K
    path: ColumnPath = ()
    is_job: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected(Generic[K, E]):
    """A job (*path* None), a dataset (()) or a column of it; *way* leads to it from the start, *through* which jobs.

    *use* is what is made of the start along all of *way*: the closest use there is, on the shortest such way.
    """

    node: K
    path: ColumnPath | None
    use: Use
    way: tuple[Hop[K, E], ...]
    through: tuple[K, ...]

    @property
    def steps(self) -> int:
        """Count the edges from the start."""
        return len(self.way)


def impact(root: Root[K], asked: Asked[K, E]) -> tuple[Affected[K, E], ...]:
    """List what is affected if *root* is renamed or dropped, the nearest first; not the start itself.

    A part of a structure is followed where the structure as a whole is copied. What bears on a whole dataset bears on
    all that is made of it. Of datasets of which no column is known, the columns ahead are not listed.
    """
    search = _Search(asked)
    writers = search.start(root)
    search.go()
    jobs = [*writers, *search.jobs()]
    found = [*jobs, *search.groups(jobs), *search.datasets(), *search.columns()]
    return tuple(sorted(found, key=lambda each: (each.steps, each.use)))


class _Reach(NamedTuple, Generic[K, E]):
    """How a state is reached; a start has no *flow*."""

    use: Use
    steps: int
    before: _State[K] | None = None
    flow: Flow[K, E] | None = None

    @property
    def rank(self) -> tuple[int, int]:
        """Order reaches, the best first."""
        return self.use, self.steps


class _State(NamedTuple, Generic[K]):
    """A place as it is used on one way; a looser use by a shorter way is another state."""

    dataset: K
    path: ColumnPath
    use: Use


class _Search(Generic[K, E]):
    """One search: the shortest reach of each state, and the best of each job so far."""

    def __init__(self, asked: Asked[K, E]) -> None:
        self._asked = asked
        self._around = Neighbourhood(asked)
        self._reached: dict[_State[K], _Reach[K, E]] = {}
        self._jobs: dict[K, _Reach[K, E]] = {}
        self._made: dict[K, tuple[Hop[K, E], ...]] = {}
        self._roots: frozenset[K] = frozenset()

    def start(self, root: Root[K]) -> list[Affected[K, E]]:
        """Set out from *root*; give the jobs that write it, or that read through it."""
        if root.is_job:
            return self._start_at_job(root.node)
        self._reached = {_State(root.node, root.path, Use.COPIES): _Reach(Use.COPIES, 0)}
        return [
            Affected(node=hop.source, path=None, use=Use.WRITES, way=(hop,), through=())
            for hop in self._around.into(root.node, root.path)
        ]

    def _start_at_job(self, root: K) -> list[Affected[K, E]]:
        """Set out from what a job writes, or from what the jobs of a consumer group do."""
        members = {hop.target: (hop,) for hop in self._asked.ahead([root], True, frozenset((EdgeKind.MEMBER_OF,)))}
        self._roots = frozenset((root, *members))
        for hop in self._asked.ahead([root, *members], True, frozenset((EdgeKind.WRITES,))):
            self._made.setdefault(hop.target, (*members.get(hop.source, ()), hop))
        self._reached = {_State(each, (), Use.COPIES): _Reach(Use.COPIES, len(way)) for each, way in self._made.items()}
        return [Affected(node=job, path=None, use=Use.DEPENDS, way=way, through=()) for job, way in members.items()]

    def go(self) -> None:
        """Follow flows until nothing is reached better."""
        frontier = list(self._reached)
        while frontier:
            self._around.load(state.dataset for state in frontier)
            better: dict[_State[K], None] = {}
            for state in frontier:
                better |= dict.fromkeys(self._from(state))
            frontier = list(better)

    def _from(self, state: _State[K]) -> Iterator[_State[K]]:
        steps = self._reached[state].steps
        for flow in self._around[state.dataset].at(state.path):
            reach = _Reach(max(state.use, flow.use), steps + len(flow.hops), state, flow)
            for job in flow.jobs:
                if job not in self._roots and (job not in self._jobs or reach.rank < self._jobs[job].rank):
                    self._jobs[job] = reach
            if flow.target is not None:
                reached = _State(flow.target, _carried(flow, state.path), reach.use)
                if self._is_better(reached, reach.steps):
                    self._reached[reached] = reach
                    yield reached

    def _is_better(self, state: _State[K], steps: int) -> bool:
        """Return whether no way as short is known to the place for a use as close."""
        closer = (self._reached.get(state._replace(use=Use(use))) for use in range(state.use + 1))
        return all(known is None or steps < known.steps for known in closer)

    def jobs(self) -> Iterator[Affected[K, E]]:
        """List the jobs that use what is affected."""
        for job, reach in self._jobs.items():
            way, through = self._way(reach)
            hops = reach.flow.hops if reach.flow else ()
            earlier = tuple(each for each in through if each != job)
            yield Affected(
                node=job, path=None, use=reach.use, way=(*way[: len(way) - len(hops)], *hops[:1]), through=earlier
            )

    def groups(self, jobs: list[Affected[K, E]]) -> Iterator[Affected[K, E]]:
        """List the consumer groups through which *jobs* read, as these are affected."""
        by_job = {each.node: each for each in jobs if each.use is not Use.WRITES and each.node not in self._roots}
        found: dict[K, Affected[K, E]] = {}
        for hop in self._asked.ahead(list(by_job), False, frozenset((EdgeKind.MEMBER_OF,))):
            job = by_job[hop.target]
            group = Affected(
                node=hop.source, path=None, use=job.use, way=(*job.way, hop), through=(*job.through, job.node)
            )
            known = found.get(hop.source, group)
            found[hop.source] = min(known, group, key=lambda each: (each.use, each.steps))
        return iter(found.values())

    def datasets(self) -> Iterator[Affected[K, E]]:
        """List the datasets, each as its closest part is affected."""
        for dataset, reach in self._best(lambda state: state.dataset).items():
            if dataset in self._made:
                made = self._made[dataset]
                yield Affected(node=dataset, path=(), use=Use.MADE, way=made, through=_members(made))
            elif reach.flow is not None:
                yield self._affected(dataset, (), reach)

    def columns(self) -> Iterator[Affected[K, E]]:
        """List the columns."""
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
        way, through = self._way(reach)
        return Affected(node=node, path=path, use=reach.use, way=way, through=through)

    def _way(self, reach: _Reach[K, E]) -> tuple[tuple[Hop[K, E], ...], tuple[K, ...]]:
        """Return the edges from the start, and the jobs that make them."""
        flows: list[Flow[K, E]] = []
        start: _State[K] | None = None
        while reach.flow is not None and reach.before is not None:
            flows.append(reach.flow)
            start, reach = reach.before, self._reached[reach.before]
        made = self._made.get(start.dataset, ()) if start else ()
        ahead = flows[::-1]
        way = (*made, *(hop for flow in ahead for hop in flow.hops))
        jobs = (job for flow in ahead for job in flow.jobs)
        return way, tuple(dict.fromkeys((*_members(made), *jobs)))


def _members(way: tuple[Hop[K, E], ...]) -> tuple[K, ...]:
    """Return the job through which a consumer group's *way* begins; none where it begins at the job itself."""
    return tuple(hop.target for hop in way[:1] if hop.kind == EdgeKind.MEMBER_OF)


def _carried(flow: Flow[K, E], path: ColumnPath) -> ColumnPath:
    """Return where *path* gets to: a part of a copied structure to the same part of the copy."""
    part = path[len(flow.path) :]
    inside = len(path) > len(flow.path) and flow.use is Use.COPIES
    place = (*flow.target_path, *part) if inside else flow.target_path
    return place if len(place) <= _DEEPEST else flow.target_path
