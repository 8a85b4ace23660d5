"""Build the nodes and edges of jobs and their flows, in the order of the graph."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.graph import Attributes, Certainty, Edge, EdgeKind, Node, NodeKind, present
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Use
from scanner_model.columns import Column

_OBJECTS = 5_000_000


@contextmanager
def infrequent_collection() -> Iterator[None]:
    """Collect only after five million new objects, instead of every 700, within the block: they form no cycles."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


Described = Mapping[tuple[str, str], tuple[Column, ...]]
"""The columns of a topic, by its namespace and name."""


def merged_columns(parts: Iterable[Described]) -> Described:
    """Merge the columns that partitions found; a topic of several partitions has each column once."""
    columns_of: dict[tuple[str, str], dict[Column, None]] = {}
    for part in parts:
        for topic, columns in part.items():
            columns_of.setdefault(topic, {}).update(dict.fromkeys(columns))
    return {topic: tuple(columns) for topic, columns in columns_of.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flows:
    """The part of a graph that jobs make: it is small, and so held in memory."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    coverage: Coverage = Coverage()


class JobGraph(NamedTuple):
    """The part of the graph that one job contributes: its reads and writes, its column flows, and columns by key."""

    uses: tuple[Edge, ...]
    flows: tuple[Edge, ...]
    columns: Mapping[str, ColumnRef]


def build_job_alone(job: JobFlows) -> JobGraph:
    """Build the edges and columns of a single job."""
    flows = list(_flows([job]))
    refs = {key: ref for key, (ref, _) in _columns(flows).items()}
    return JobGraph(tuple(dict.fromkeys(_uses([job]))), tuple(dict.fromkeys(map(_column_edge, flows))), refs)


def build_flows(jobs: Iterable[JobFlows], existing: Collection[str], described: Described, coverage: Coverage) -> Flows:
    """Build the nodes and edges of *jobs*; *existing* are the keys of nodes that the graph has without them.

    Nodes: datasets, consumer groups and jobs, columns. Edges: reads and writes, group to job, dataset to column, column
    flows.
    """
    by_key = {job.job.key: job for job in jobs}
    listed = [by_key[key] for key in sorted(by_key)]
    datasets = sorted(datasets_of(listed))
    flows = list(_flows(listed))
    columns = _columns(flows)
    dataset_nodes = [
        Node(dataset.key, dataset.kind, dataset.namespace, dataset.name)
        for dataset in datasets
        if dataset.key not in existing
    ]
    refs = {key: ref for key, (ref, _) in columns.items()}
    nodes = [*dataset_nodes, *(flows_of_job.job for flows_of_job in listed), *column_nodes(refs, described)]
    edges = [*_uses(listed), *(edge for _, edge in columns.values()), *map(_column_edge, flows)]
    unique = {node.key: node for node in nodes}
    return Flows(
        nodes=tuple(unique.values()),
        edges=tuple(dict.fromkeys(edges)),
        coverage=coverage,
    )


def datasets_of(jobs: Iterable[JobFlows]) -> frozenset[GraphDataset]:
    """Return every dataset that *jobs* name."""
    return frozenset(dataset for job in jobs for dataset in _datasets(job))


def _datasets(job: JobFlows) -> Iterator[GraphDataset]:
    yield from (use.dataset for use in (*job.reads, *job.writes))
    for flow in job.columns:
        yield flow.source.dataset
        yield flow.target.dataset


def _uses(jobs: list[JobFlows]) -> Iterator[Edge]:
    for job in jobs:
        for use in sorted(job.reads, key=_use_order):
            certainty = use.certainty or job.certainty
            yield Edge(use.dataset.key, job.job.key, EdgeKind.READS, use.evidence, certainty, "", use.route)
    for job in jobs:
        for use in sorted(job.writes, key=_use_order):
            certainty = use.certainty or job.certainty
            yield Edge(job.job.key, use.dataset.key, EdgeKind.WRITES, use.evidence, certainty, "", use.route)
    for job in jobs:
        evidence = f"consumer group {job.job.name} of the job"
        for key in sorted(job.member_of):
            yield Edge(job.job.key, key, EdgeKind.MEMBER_OF, evidence, job.certainty)


def _use_order(use: Use) -> tuple[GraphDataset, str]:
    return use.dataset, use.route


class _KeyedFlow(NamedTuple):
    """A column flow with the keys of its ends: there may be millions, and each key is computed once."""

    source: str
    target: str
    flow: ColumnFlow
    certainty: Certainty


def _flows(jobs: list[JobFlows]) -> Iterator[_KeyedFlow]:
    for job in jobs:
        keyed = (
            _KeyedFlow(flow.source.key, flow.target.key, flow, flow.certainty or job.certainty) for flow in job.columns
        )
        yield from sorted(keyed, key=_order)


def _order(keyed: _KeyedFlow) -> tuple[str, ...]:
    return keyed.source, keyed.target, keyed.flow.type, keyed.flow.subtype, keyed.flow.evidence


def _columns(flows: list[_KeyedFlow]) -> dict[str, tuple[ColumnRef, Edge]]:
    """Return the columns in flows by key, each with the edge from its dataset, with the evidence of its first flow."""
    columns: dict[str, tuple[ColumnRef, Edge]] = {}
    for source, target, flow, certainty in flows:
        for key, column in ((source, flow.source), (target, flow.target)):
            if column.path is not None and key not in columns:
                columns[key] = column, Edge(column.dataset.key, key, EdgeKind.CONTAINS, flow.evidence, certainty)
    return {key: columns[key] for key in sorted(columns)}


def _column_edge(keyed: _KeyedFlow) -> Edge:
    flow = keyed.flow
    ends = keyed.source, keyed.target
    return Edge(*ends, EdgeKind.COLUMN_FLOW, flow.evidence, keyed.certainty, flow.type, flow.subtype)


def column_nodes(columns: Mapping[str, ColumnRef], described: Described) -> Iterator[Node]:
    """Yield the nodes of *columns* (by key), with attributes where they are *described*."""
    paths = {name: {column.path: column for column in reversed(listed)} for name, listed in described.items()}
    for key, column in columns.items():
        dataset, path = column.dataset, column.path or ()
        attributes = _attributes(paths.get((dataset.namespace, dataset.name), {}).get(path))
        yield Node(key, NodeKind.COLUMN, dataset.namespace, dataset.name, path, attributes)


def _attributes(column: Column | None) -> Attributes:
    if column is None:
        return ()
    return present(logical_type=column.logical_type, nullable=column.nullable, tags=column.tags, type=column.type)
