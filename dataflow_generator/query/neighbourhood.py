"""The neighbourhood of datasets: outgoing flows with the jobs that make them, and jobs without column flows."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, islice, product, takewhile
from typing import Generic, NamedTuple, TypeVar

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.query.traversal import EdgeLookup, Hop, Kinds, Refined
from scanner_model.columns import ColumnPath

K = TypeVar("K", bound=Hashable)
E = TypeVar("E", bound=Refined)

_CONTAINS: Kinds = frozenset((EdgeKind.CONTAINS,))
_FLOWS: Kinds = frozenset((EdgeKind.COLUMN_FLOW,))
_READS: Kinds = frozenset((EdgeKind.READS,))
_WRITES: Kinds = frozenset((EdgeKind.WRITES,))
_KEEPS: Kinds = frozenset((EdgeKind.MATERIALIZES,))
_COMPUTING = ("DIRECT", "")


class Use(IntEnum):
    """How a node is used, the closest first; along a route the loosest use counts.

    DEPENDS includes a job that reads through the consumer group at the start. UNKNOWN: it reads the whole dataset,
    with unknown column flows. MADE: the job at the start writes it. WRITES: it is a job that writes the node.
    """

    COPIES = 0
    COMPUTES = 1
    DEPENDS = 2
    UNKNOWN = 3
    MADE = 4
    WRITES = 5


class NodeInfo(NamedTuple):
    """A node's kind, name, and a column's path (None for other nodes).

    *partly_read*: it is a job some of whose columns were not resolved.
    """

    kind: str
    name: str
    path: ColumnPath | None = None
    partly_read: bool = False


class Step(NamedTuple):
    """An edge's kind of flow and its evidence."""

    type: str
    subtype: str
    evidence: str


class ColumnFlow(NamedTuple, Generic[K, E]):
    """An edge between columns, with the dataset and path of both; the path of a whole dataset is ()."""

    hop: Hop[K, E]
    source: K
    path: ColumnPath
    target: K
    target_path: ColumnPath


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactGraph(Generic[K, E]):
    """The graph interface of impact analysis: edges as in lineage, details of nodes and of edges.

    *column_flows* returns the column flows from datasets in the graph's order; None: they are read edge by edge.
    """

    ahead: EdgeLookup[K, E]
    node_infos: Callable[[Iterable[K]], Mapping[K, NodeInfo]]
    step: Callable[[E], Step]
    column_flows: Callable[[Sequence[K]], Iterable[ColumnFlow[K, E]]] | None = None


class DatasetFlow(NamedTuple, Generic[K, E]):
    """A flow from *path* of a dataset to *target_path* of another, () being the whole; *jobs* may make it.

    *hops* are its edges: one between columns, or in and out of a job without column flows, whose target may be None.
    """

    path: ColumnPath
    target: K | None
    target_path: ColumnPath
    use: Use
    hops: tuple[Hop[K, E], ...]
    jobs: tuple[K, ...]


class OutgoingFlows(Generic[K, E]):
    """The outgoing flows of one dataset, by path; its length is that of its paths."""

    def __init__(self) -> None:
        self._flows: dict[ColumnPath, list[DatasetFlow[K, E]]] = {}
        self._paths: list[ColumnPath] = []

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, flow: DatasetFlow[K, E]) -> None:
        """Add *flow* behind the others from its path."""
        if flow.path not in self._flows:
            self._flows[flow.path] = []
            insort(self._paths, flow.path)
        self._flows[flow.path].append(flow)

    def at(self, path: ColumnPath) -> Iterator[DatasetFlow[K, E]]:
        """Return the flows from *path*, from paths inside it, and from paths that contain it."""
        outer = (path[:size] for size in range(len(path)))
        inner = takewhile(lambda other: other[: len(path)] == path, islice(self._paths, self._index(path), None))
        return chain.from_iterable(self._flows.get(each, ()) for each in chain(outer, inner))

    def _index(self, path: ColumnPath) -> int:
        return bisect_left(self._paths, path) if path else 0


class Neighbourhood(Generic[K, E]):
    """The neighbourhoods of datasets, loaded on first use, many at a time."""

    def __init__(self, graph: ImpactGraph[K, E]) -> None:
        self._graph = graph
        self._outgoing: dict[K, OutgoingFlows[K, E]] = {}

    def __getitem__(self, dataset: K) -> OutgoingFlows[K, E]:
        return self._outgoing[dataset]

    def load(self, datasets: Iterable[K]) -> None:
        """Load the outgoing flows of *datasets* that are not loaded yet."""
        new = [dataset for dataset in dict.fromkeys(datasets) if dataset not in self._outgoing]
        if not new:
            return
        self._outgoing |= {dataset: OutgoingFlows[K, E]() for dataset in new}
        reads = list(self._graph.ahead(new, True, _READS))
        writes = list(self._graph.ahead(_unique(hop.target for hop in reads), True, _WRITES))
        jobs = Jobs(reads, writes, self._graph)
        covered: set[tuple[K, K]] = set()
        for hop, dataset, path, target, target_path in (self._graph.column_flows or self._column_flows)(new):
            makers = jobs.of(hop, dataset, target)
            use = use_of(self._graph.step(hop.edge))
            self._outgoing[dataset].add(DatasetFlow(path, target, target_path, use, (hop,), makers))
            covered.add((dataset, target))
            for maker in makers:
                covered.add((dataset, maker))
        for hop in self._graph.ahead(new, True, _KEEPS):
            if (hop.source, hop.target) not in covered:  # a table without known columns is a copy nevertheless
                self._outgoing[hop.source].add(_whole_dataset(hop))
        for hop in reads:
            if (hop.source, hop.target) not in covered or jobs.is_partly_read(hop.target):
                leaving = [write for write in writes if write.source == hop.target and _on_same_route(hop, write)]
                for flow in _flows_without_columns(hop, leaving):
                    self._outgoing[hop.source].add(flow)

    def into(self, dataset: K, path: ColumnPath) -> Iterator[Hop[K, E]]:
        """Return the edges from jobs that write *path* of *dataset*, or that have no column flows into it."""
        writes = list(self._graph.ahead([dataset], False, _WRITES))
        reads = list(self._graph.ahead(_unique(hop.source for hop in writes), False, _READS))
        jobs = Jobs(reads, writes, self._graph)
        written: dict[K, list[ColumnPath]] = {}
        for hop, origin, target_path in self._flows_into(dataset):
            for job in jobs.of(hop, origin, dataset):
                written.setdefault(job, []).append(target_path)
        for hop in writes:
            if hop.source not in written or any(is_related(path, target_path) for target_path in written[hop.source]):
                yield hop

    def _flows_into(self, dataset: K) -> Iterator[tuple[Hop[K, E], K, ColumnPath]]:
        columns = [hop.target for hop in self._graph.ahead([dataset], True, _CONTAINS)]
        hops = list(self._graph.ahead([dataset, *columns], False, _FLOWS))
        ends = self._ends(_unique(end for hop in hops for end in (hop.source, hop.target)))
        for hop in hops:
            yield hop, ends[hop.source][0], ends[hop.target][1]

    def _column_flows(self, datasets: Sequence[K]) -> Iterator[ColumnFlow[K, E]]:
        columns = [hop.target for hop in self._graph.ahead(datasets, True, _CONTAINS)]
        hops = list(self._graph.ahead([*datasets, *columns], True, _FLOWS))
        ends = self._ends(_unique(end for hop in hops for end in (hop.source, hop.target)))
        for hop in hops:
            yield ColumnFlow(hop, *ends[hop.source], *ends[hop.target])

    def _ends(self, nodes: list[K]) -> dict[K, tuple[K, ColumnPath]]:
        """Return the dataset and path of each node."""
        node_infos = self._graph.node_infos(nodes)
        columns = [node for node in nodes if node_infos[node].kind == NodeKind.COLUMN]
        holders = {hop.target: hop.source for hop in self._graph.ahead(columns, False, _CONTAINS)}
        return {node: (holders.get(node, node), node_infos[node].path or ()) for node in nodes}


class Jobs(Generic[K, E]):
    """The jobs that read and write datasets, and so may make a flow between two of them."""

    def __init__(self, reads: Iterable[Hop[K, E]], writes: Iterable[Hop[K, E]], graph: ImpactGraph[K, E]) -> None:
        self._readers: dict[K, dict[K, list[Hop[K, E]]]] = {}
        self._writers: dict[K, dict[K, list[Hop[K, E]]]] = {}
        self._why: dict[K, set[str]] = {}
        self._between: dict[tuple[K, K], tuple[K, ...]] = {}
        self._graph = graph
        for hop in reads:
            self._readers.setdefault(hop.source, {}).setdefault(hop.target, []).append(hop)
            self._why.setdefault(hop.target, set()).add(graph.step(hop.edge).evidence)
        for hop in writes:
            self._writers.setdefault(hop.target, {}).setdefault(hop.source, []).append(hop)
            self._why.setdefault(hop.source, set()).add(graph.step(hop.edge).evidence)
        self._infos = graph.node_infos(_unique(self._why))
        self._names = {job: info.name for job, info in self._infos.items()}

    def is_partly_read(self, job: K) -> bool:
        """Return whether a job may use columns in ways that no flow shows."""
        return self._infos[job].partly_read

    def of(self, hop: Hop[K, E], source: K, target: K) -> tuple[K, ...]:
        """Return the jobs that may make a flow: those between both ends, narrowed by its evidence."""
        if (source, target) not in self._between:
            self._between[source, target] = self._jobs_between(source, target)
        between = self._between[source, target]
        if len(between) < 2:
            return between
        why = self._graph.step(hop.edge).evidence
        named = [job for job in between if self._names[job] in why]
        longest = [job for job in named if not self._is_part(job, named)]
        candidates = longest or [job for job in between if why in self._why[job]]
        return tuple(candidates or between)

    def _jobs_between(self, source: K, target: K) -> tuple[K, ...]:
        """Return the jobs that read *source* and write *target* on one route, in the order of their reads."""
        readers, writers = self._readers.get(source, {}), self._writers.get(target, {})
        both = readers.keys() & writers.keys()  # goes through the fewer: a hub has thousands of readers
        ordered = both if len(both) < 2 else (job for job in readers if job in both)
        return tuple(
            job for job in ordered if any(_on_same_route(*hops) for hops in product(readers[job], writers[job]))
        )

    def _is_part(self, job: K, others: Iterable[K]) -> bool:
        """Return whether the evidence names another job whose name contains this one's: `orders_1` and `orders_12`."""
        name = self._names[job]
        return any(name != self._names[other] and name in self._names[other] for other in others)


def use_of(step: Step) -> Use:
    """Return the use of a flow's source; a declared flow without subtype counts as computed."""
    if step.subtype == "IDENTITY":
        return Use.COPIES
    return Use.COMPUTES if step.type in _COMPUTING else Use.DEPENDS


def is_related(path: ColumnPath, other: ColumnPath) -> bool:
    """Return whether a path equals the other, or is inside it, or contains it."""
    shared = min(len(path), len(other))
    return path[:shared] == other[:shared]


def _on_same_route(read: Hop[K, E], write: Hop[K, E]) -> bool:
    """Return whether a read may reach a write inside the job: on the same route, or one is on all of them."""
    return read.edge.subtype == write.edge.subtype or not (read.edge.subtype and write.edge.subtype)


def _whole_dataset(hop: Hop[K, E]) -> DatasetFlow[K, E]:
    return DatasetFlow(path=(), target=hop.target, target_path=(), use=Use.COPIES, hops=(hop,), jobs=())


def _flows_without_columns(read: Hop[K, E], writes: Collection[Hop[K, E]]) -> Iterator[DatasetFlow[K, E]]:
    """Build the flows of a job some or all of whose column flows are not known."""
    jobs = (read.target,)
    for hop in writes:
        hops = (read, hop)
        yield DatasetFlow(path=(), target=hop.target, target_path=(), use=Use.UNKNOWN, hops=hops, jobs=jobs)
    if not writes:
        yield DatasetFlow(path=(), target=None, target_path=(), use=Use.UNKNOWN, hops=(read,), jobs=jobs)


def _unique(nodes: Iterable[K]) -> list[K]:
    return list(dict.fromkeys(nodes))
