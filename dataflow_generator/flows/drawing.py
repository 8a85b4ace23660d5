"""From jobs and their flows to nodes and edges, in one order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.facts import ColumnFlow, Dataset, JobFlows, Place, Use
from dataflow_generator.graph import Attributes, Edge, EdgeKind, Node, NodeKind, present
from scanner_model.columns import Column
from scanner_model.paths import ColumnPath

Described = Mapping[tuple[str, str], tuple[Column, ...]]
"""The columns of a topic, by its namespace and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flows:
    """The part of a graph that jobs make: it is small, and so held in memory."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    coverage: Coverage = Coverage()


def drawn(jobs: Iterable[JobFlows], there: Collection[str], described: Described, coverage: Coverage) -> Flows:
    """Draw *jobs*; *there* are the keys of nodes that the graph has without them.

    Nodes: datasets, consumer groups and jobs, columns. Edges: what these read and write, which job a group is of, what
    datasets contain, flows of columns.
    """
    found = {each.job.key: each for each in jobs}
    listed = [found[key] for key in sorted(found)]
    datasets = sorted(datasets_of(listed))
    columns = _columns(listed)
    kept = [Node(each.key, each.kind, each.namespace, each.name) for each in datasets if each.key not in there]
    nodes = [*kept, *(each.job for each in listed), *(_column_node(place, described) for place, _ in columns)]
    edges = [*_uses(listed), *(edge for _, edge in columns), *_column_edges(listed)]
    unique = {node.key: node for node in nodes}
    return Flows(nodes=tuple(unique.values()), edges=tuple(dict.fromkeys(edges)), coverage=coverage)


def datasets_of(jobs: Iterable[JobFlows]) -> frozenset[Dataset]:
    """Give every dataset that *jobs* name."""
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


def _columns(jobs: list[JobFlows]) -> list[tuple[Place, Edge]]:
    """List the columns that take part in flows, each with the edge from its dataset: believed for its first flow."""
    found: dict[str, tuple[Place, Edge]] = {}
    for each in jobs:
        for flow in sorted(each.columns, key=_order):
            for place in (flow.source, flow.target):
                if place.path is not None and place.key not in found:
                    key = place.dataset.key
                    sure = flow.certainty or each.certainty
                    edge = Edge(key, place.key, EdgeKind.CONTAINS, flow.evidence, sure)
                    found[place.key] = place, edge
    return [found[key] for key in sorted(found)]


def _column_edges(jobs: list[JobFlows]) -> Iterator[Edge]:
    for each in jobs:
        for flow in sorted(each.columns, key=_order):
            ends, sure = (flow.source.key, flow.target.key), flow.certainty or each.certainty
            yield Edge(*ends, EdgeKind.COLUMN_FLOW, flow.evidence, sure, flow.type, flow.subtype)


def _order(flow: ColumnFlow) -> tuple[str, ...]:
    return flow.source.key, flow.target.key, flow.type, flow.subtype, flow.evidence


def _column_node(place: Place, described: Described) -> Node:
    dataset, path = place.dataset, place.path or ()
    attributes = _attributes(described.get((dataset.namespace, dataset.name), ()), path)
    return Node(place.key, NodeKind.COLUMN, dataset.namespace, dataset.name, path, attributes)


def _attributes(columns: tuple[Column, ...], path: ColumnPath) -> Attributes:
    column = next((each for each in columns if each.path == path), None)
    if column is None:
        return ()
    return present(logical_type=column.logical_type, nullable=column.nullable, tags=column.tags, type=column.type)
