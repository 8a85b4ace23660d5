"""What stands around datasets: flows that leave them, with the jobs that make these, and jobs that tell no flows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.query.traversal import Ahead, Hop, Kinds, Refined
from scanner_model.column_path import ColumnPath

K = TypeVar("K", bound=Hashable)
E = TypeVar("E", bound=Refined)

_CONTAINS: Kinds = frozenset((EdgeKind.CONTAINS,))
_FLOWS: Kinds = frozenset((EdgeKind.COLUMN_FLOW,))
_READS: Kinds = frozenset((EdgeKind.READS,))
_WRITES: Kinds = frozenset((EdgeKind.WRITES,))
_KEEPS: Kinds = frozenset((EdgeKind.MATERIALIZES,))
_COMPUTING = ("DIRECT", "")


class Use(IntEnum):
    """What something makes of a node, the closest first: what is so along a whole way is its loosest step.

    DEPENDS is also a job that reads through the consumer group at the start. UNKNOWN: it reads all of it, and nobody
    tells what of that goes where. MADE: the job at the start writes it. WRITES: it is a job that writes the node.
    """

    COPIES = 0
    COMPUTES = 1
    DEPENDS = 2
    UNKNOWN = 3
    MADE = 4
    WRITES = 5


class Spot(NamedTuple):
    """What is to be known of a node: its kind, its name, and a column's path (None for other nodes)."""

    kind: str
    name: str
    path: ColumnPath | None = None


class Step(NamedTuple):
    """An edge's kind of flow and its evidence."""

    type: str
    subtype: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[K, E]):
    """A graph as impact asks it: edges as lineage does, what nodes are, and what an edge says."""

    ahead: Ahead[K, E]
    spots: Callable[[Iterable[K]], Mapping[K, Spot]]
    step: Callable[[E], Step]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow(Generic[K, E]):
    """A flow from *path* of a dataset to *target_path* of another, () being the whole; *jobs* may make it.

    *hops* are its edges: one between columns, or in and out of a job that tells no flows, whose target may be None.
    """

    path: ColumnPath
    target: K | None
    target_path: ColumnPath
    use: Use
    hops: tuple[Hop[K, E], ...]
    jobs: tuple[K, ...]


@dataclass(slots=True)
class Near(Generic[K, E]):
    """The flows that leave one dataset, by path."""

    flows: list[Flow[K, E]] = field(default_factory=list)

    def at(self, path: ColumnPath) -> Iterator[Flow[K, E]]:
        """Return the flows from *path*, from what is inside it, and from what it is inside of."""
        place: Callable[[Flow[K, E]], ColumnPath] = attrgetter("path")
        for size in range(len(path)):
            yield from self._from(path[:size], place, inside=False)
        yield from self._from(path, place, inside=True)

    def _from(
        self, path: ColumnPath, place: Callable[[Flow[K, E]], ColumnPath], *, inside: bool
    ) -> Iterator[Flow[K, E]]:
        at = bisect_left(self.flows, path, key=place)
        while at < len(self.flows) and self.flows[at].path[: len(path)] == path:
            if not inside and self.flows[at].path != path:
                return
            yield self.flows[at]
            at += 1


class Neighbourhood(Generic[K, E]):
    """The neighbourhoods of datasets, read when they are first asked for, many at a time."""

    def __init__(self, asked: Asked[K, E]) -> None:
        self._asked = asked
        self._near: dict[K, Near[K, E]] = {}

    def __getitem__(self, dataset: K) -> Near[K, E]:
        return self._near[dataset]

    def load(self, datasets: Iterable[K]) -> None:
        """Read what leaves *datasets*, as far as it is not read yet."""
        new = [each for each in dict.fromkeys(datasets) if each not in self._near]
        if not new:
            return
        self._near |= {each: Near[K, E]() for each in new}
        reads = list(self._asked.ahead(new, True, _READS))
        writes = list(self._asked.ahead(_unique(hop.target for hop in reads), True, _WRITES))
        told: set[tuple[K, K]] = set()
        for dataset, flow in self._column_flows(new, Jobs(reads, writes, self._asked)):
            self._near[dataset].flows.append(flow)
            told.update((dataset, job) for job in flow.jobs)
            told.update([(dataset, flow.target)] if flow.target is not None else [])
        for hop in self._asked.ahead(new, True, _KEEPS):
            if (hop.source, hop.target) not in told:  # a table whose columns nobody tells is a copy all the same
                self._near[hop.source].flows.append(_whole(hop))
        for hop in reads:
            if (hop.source, hop.target) not in told:
                leaving = [each for each in writes if each.source == hop.target and _is_one_way(hop, each)]
                self._near[hop.source].flows += _silent(hop, leaving)
        for dataset in new:
            self._near[dataset].flows.sort(key=attrgetter("path"))

    def into(self, dataset: K, path: ColumnPath) -> Iterator[Hop[K, E]]:
        """Return the edges from jobs that write *path* of *dataset*, or tell no flows into it."""
        writes = list(self._asked.ahead([dataset], False, _WRITES))
        reads = list(self._asked.ahead(_unique(hop.source for hop in writes), False, _READS))
        jobs = Jobs(reads, writes, self._asked)
        told: dict[K, list[ColumnPath]] = {}
        for hop, origin, place in self._flows_into(dataset):
            for job in jobs.of(hop, origin, dataset):
                told.setdefault(job, []).append(place)
        for hop in writes:
            if hop.source not in told or any(is_related(path, place) for place in told[hop.source]):
                yield hop

    def _flows_into(self, dataset: K) -> Iterator[tuple[Hop[K, E], K, ColumnPath]]:
        columns = [hop.target for hop in self._asked.ahead([dataset], True, _CONTAINS)]
        hops = list(self._asked.ahead([dataset, *columns], False, _FLOWS))
        ends = self._ends(_unique(end for hop in hops for end in (hop.source, hop.target)))
        for hop in hops:
            yield hop, ends[hop.source][0], ends[hop.target][1]

    def _column_flows(self, datasets: list[K], jobs: Jobs[K, E]) -> Iterator[tuple[K, Flow[K, E]]]:
        columns = [hop.target for hop in self._asked.ahead(datasets, True, _CONTAINS)]
        hops = list(self._asked.ahead([*datasets, *columns], True, _FLOWS))
        ends = self._ends(_unique(end for hop in hops for end in (hop.source, hop.target)))
        for hop in hops:
            (source, path), (target, place) = ends[hop.source], ends[hop.target]
            step = self._asked.step(hop.edge)
            makers = jobs.of(hop, source, target)
            use = use_of(step)
            yield source, Flow(path=path, target=target, target_path=place, use=use, hops=(hop,), jobs=makers)

    def _ends(self, nodes: list[K]) -> dict[K, tuple[K, ColumnPath]]:
        """Return the dataset and path behind each node."""
        spots = self._asked.spots(nodes)
        columns = [node for node in nodes if spots[node].kind == NodeKind.COLUMN]
        holders = {hop.target: hop.source for hop in self._asked.ahead(columns, False, _CONTAINS)}
        return {node: (holders.get(node, node), spots[node].path or ()) for node in nodes}


class Jobs(Generic[K, E]):
    """Which jobs read and write which datasets, and so make a flow between two."""

    def __init__(self, reads: Iterable[Hop[K, E]], writes: Iterable[Hop[K, E]], asked: Asked[K, E]) -> None:
        self._readers: dict[K, dict[K, list[Hop[K, E]]]] = {}
        self._writers: dict[K, dict[K, list[Hop[K, E]]]] = {}
        self._why: dict[K, set[str]] = {}
        self._asked = asked
        for hop in reads:
            self._readers.setdefault(hop.source, {}).setdefault(hop.target, []).append(hop)
            self._why.setdefault(hop.target, set()).add(asked.step(hop.edge).evidence)
        for hop in writes:
            self._writers.setdefault(hop.target, {}).setdefault(hop.source, []).append(hop)
            self._why.setdefault(hop.source, set()).add(asked.step(hop.edge).evidence)
        self._names = {job: spot.name for job, spot in asked.spots(_unique(self._why)).items()}

    def of(self, hop: Hop[K, E], source: K, target: K) -> tuple[K, ...]:
        """Get the jobs that may make a flow: those between both ends, of several the ones that its evidence names."""
        writers = self._writers.get(target, {})
        readers = self._readers.get(source, {})
        between = [
            job
            for job, reads in readers.items()
            if any(_is_one_way(read, write) for read in reads for write in writers.get(job, ()))
        ]
        if len(between) < 2:
            return tuple(between)
        why = self._asked.step(hop.edge).evidence
        named = [job for job in between if self._names[job] in why]
        longest = [job for job in named if not self._is_part(job, named)]
        alike = longest or [job for job in between if why in self._why[job]]
        return tuple(alike or between)

    def _is_part(self, job: K, others: Iterable[K]) -> bool:
        """Check if the evidence names another job whose name holds this one's: `orders_1` stands in `orders_12`."""
        name = self._names[job]
        return any(name != self._names[each] and name in self._names[each] for each in others)


def use_of(step: Step) -> Use:
    """Return what a flow makes of its source; what a person declared without a subtype is something made of it."""
    if step.subtype == "IDENTITY":
        return Use.COPIES
    return Use.COMPUTES if step.type in _COMPUTING else Use.DEPENDS


def is_related(one: ColumnPath, other: ColumnPath) -> bool:
    """Return whether a path is the other, or inside it, or around it."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _is_one_way(read: Hop[K, E], write: Hop[K, E]) -> bool:
    """Return whether what a job reads may get to what it writes: on the same of its ways, or one is on all of them."""
    return read.edge.subtype == write.edge.subtype or not (read.edge.subtype and write.edge.subtype)


def _whole(hop: Hop[K, E]) -> Flow[K, E]:
    return Flow(path=(), target=hop.target, target_path=(), use=Use.COPIES, hops=(hop,), jobs=())


def _silent(read: Hop[K, E], writes: Collection[Hop[K, E]]) -> Iterator[Flow[K, E]]:
    """Build the flows of a job of which nobody knows what it makes of which column."""
    jobs = (read.target,)
    for hop in writes:
        hops = (read, hop)
        yield Flow(path=(), target=hop.target, target_path=(), use=Use.UNKNOWN, hops=hops, jobs=jobs)
    if not writes:
        yield Flow(path=(), target=None, target_path=(), use=Use.UNKNOWN, hops=(read,), jobs=jobs)


def _unique(nodes: Iterable[K]) -> list[K]:
    return list(dict.fromkeys(nodes))
