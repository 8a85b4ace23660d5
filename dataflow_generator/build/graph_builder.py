"""From jobs and their flows to nodes and edges, in one order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.graph import Attributes, Certainty, Edge, EdgeKind, Node, NodeKind, present
from dataflow_generator.jobs.model import ColumnFlow, Dataset, JobFlows, Place, Use
from scanner_model.columns import Column

Described = Mapping[tuple[str, str], tuple[Column, ...]]
"""The columns of a topic, by its namespace and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flows:
    """The part of a graph that jobs make: it is small, and so held in memory."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    coverage: Coverage = Coverage()


class JobGraph(NamedTuple):
    """One job alone: the edges of what it reads and writes, its flows between columns, and the columns by key."""

    uses: tuple[Edge, ...]
    flows: tuple[Edge, ...]
    places: Mapping[str, Place]


def build_job_alone(job: JobFlows) -> JobGraph:
    """Build one job, for who has drawn the others."""
    flows = list(_flows([job]))
    places = {key: place for key, (place, _) in _columns(flows).items()}
    return JobGraph(tuple(dict.fromkeys(_uses([job]))), tuple(dict.fromkeys(map(_column_edge, flows))), places)


def build_flows(jobs: Iterable[JobFlows], there: Collection[str], described: Described, coverage: Coverage) -> Flows:
    """Build *jobs*; *there* are the keys of nodes that the graph has without them.

    Nodes: datasets, consumer groups and jobs, columns. Edges: what these read and write, which job a group is of, what
    datasets contain, flows of columns.
    """
    found = {each.job.key: each for each in jobs}
    listed = [found[key] for key in sorted(found)]
    datasets = sorted(datasets_of(listed))
    flows = list(_flows(listed))
    columns = _columns(flows)
    kept = [Node(each.key, each.kind, each.namespace, each.name) for each in datasets if each.key not in there]
    places = {key: place for key, (place, _) in columns.items()}
    nodes = [*kept, *(each.job for each in listed), *column_nodes(places, described)]
    edges = [*_uses(listed), *(edge for _, edge in columns.values()), *map(_column_edge, flows)]
    unique = {node.key: node for node in nodes}
    return Flows(
        nodes=tuple(unique.values()),
        edges=tuple(dict.fromkeys(edges)),
        coverage=coverage,
    )


def datasets_of(jobs: Iterable[JobFlows]) -> frozenset[Dataset]:
    """Return every dataset that *jobs* name."""
    return frozenset(dataset for each in jobs for dataset in _datasets(each))


def _datasets(job: JobFlows) -> Iterator[Dataset]:
    yield from (use.dataset for use in (*job.reads, *job.writes))
    for flow in job.columns:
        yield flow.source.dataset
        yield flow.target.dataset


def _uses(jobs: list[JobFlows]) -> Iterator[Edge]:
    for each in jobs:
        for use in sorted(each.reads, key=_use_order):
            sure = use.certainty or each.certainty
            yield Edge(use.dataset.key, each.job.key, EdgeKind.READS, use.evidence, sure, "", use.way)
    for each in jobs:
        for use in sorted(each.writes, key=_use_order):
            sure = use.certainty or each.certainty
            yield Edge(each.job.key, use.dataset.key, EdgeKind.WRITES, use.evidence, sure, "", use.way)
    for each in jobs:
        evidence = f"consumer group {each.job.name} of the job"
        for key in sorted(each.member_of):
            yield Edge(each.job.key, key, EdgeKind.MEMBER_OF, evidence, each.certainty)


def _use_order(use: Use) -> tuple[Dataset, str]:
    return use.dataset, use.way


class _Keyed(NamedTuple):
    """A flow between columns with the keys of its ends: there may be millions, and a key is not told for nothing."""

    source: str
    target: str
    flow: ColumnFlow
    sure: Certainty


def _flows(jobs: list[JobFlows]) -> Iterator[_Keyed]:
    for each in jobs:
        keyed = (_Keyed(one.source.key, one.target.key, one, one.certainty or each.certainty) for one in each.columns)
        yield from sorted(keyed, key=_order)


def _order(each: _Keyed) -> tuple[str, ...]:
    return each.source, each.target, each.flow.type, each.flow.subtype, each.flow.evidence


def _columns(flows: list[_Keyed]) -> dict[str, tuple[Place, Edge]]:
    """List the columns that take part in flows, each with the edge from its dataset: believed for its first flow."""
    found: dict[str, tuple[Place, Edge]] = {}
    for source, target, flow, sure in flows:
        for key, place in ((source, flow.source), (target, flow.target)):
            if place.path is not None and key not in found:
                found[key] = place, Edge(place.dataset.key, key, EdgeKind.CONTAINS, flow.evidence, sure)
    return {key: found[key] for key in sorted(found)}


def _column_edge(each: _Keyed) -> Edge:
    ends, flow = (each.source, each.target), each.flow
    return Edge(*ends, EdgeKind.COLUMN_FLOW, flow.evidence, each.sure, flow.type, flow.subtype)


def column_nodes(places: Mapping[str, Place], described: Described) -> Iterator[Node]:
    """Build the nodes of columns in flows, by key, as far as they are *described*."""
    paths = {name: {each.path: each for each in reversed(columns)} for name, columns in described.items()}
    for key, (dataset, path) in ((key, (place.dataset, place.path or ())) for key, place in places.items()):
        attributes = _attributes(paths.get((dataset.namespace, dataset.name), {}).get(path))
        yield Node(key, NodeKind.COLUMN, dataset.namespace, dataset.name, path, attributes)


def _attributes(column: Column | None) -> Attributes:
    if column is None:
        return ()
    return present(logical_type=column.logical_type, nullable=column.nullable, tags=column.tags, type=column.type)
