"""Declared flows as jobs, and the uses of topics that files declare or source code suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.graph import Certainty, NodeKind, present
from dataflow_generator.jobs.model import (
    ColumnFlow,
    ColumnRef,
    GraphDataset,
    JobFlows,
    Naming,
    Pair,
    Use,
    job_node,
    partly_read_job,
    uses,
)
from dataflow_generator.sql.lineage import Effect
from scanner_model.errors import InputInvalid
from scanner_model.manual import DeclaredFlow, FlowEnd

_PATTERN = "regex:"
"""What the name of several topics begins with, which a job reads by a pattern."""


def manual_jobs(
    flows: Iterable[tuple[str, DeclaredFlow]],
    naming: Naming,
    topics: Callable[[], Mapping[str, Sequence[str]]] = dict,
) -> Iterator[JobFlows]:
    """Yield the jobs of *flows* (each with its cluster), ordered by cluster and name.

    What is read by a pattern is read from each of the *topics* of its cluster that match; without one, the pattern is
    the dataset.
    """
    jobs: dict[tuple[str, str], list[DeclaredFlow]] = {}
    for cluster, flow in flows:
        name = flow.job or f"{flow.origin.name} -> {flow.target.name}"
        is_pattern = not flow.origin.namespace and flow.origin.name.startswith(_PATTERN)
        names = _matching(flow.origin.name, topics().get(cluster, ())) if is_pattern else ()
        jobs.setdefault((cluster, name), []).extend(
            [replace(flow, origin=replace(flow.origin, name=topic)) for topic in names] or [flow]
        )
    for cluster, name in sorted(jobs):
        yield _job(cluster, name, jobs[cluster, name], naming)


def _matching(pattern: str, topics: Iterable[str]) -> list[str]:
    """Return the topics that a pattern matches; none if it is invalid."""
    try:
        matches = java_regex(pattern.removeprefix(_PATTERN)).matches
        return [topic for topic in topics if matches(topic)]
    except InputInvalid:
        return []


def _job(cluster: str, name: str, flows: list[DeclaredFlow], naming: Naming) -> JobFlows:
    if all(flow.suggested or flow.separate for flow in flows):
        return _separate_job(cluster, name, flows, naming)
    reading, writing = [flow for flow in flows if flow.origin.name], [flow for flow in flows if flow.target.name]
    descriptions = tuple(sorted({flow.description for flow in flows} - {""}))
    attributes = present(description="\n".join(descriptions), type="manual")
    return JobFlows(
        job=job_node(naming.clusters[cluster], name, attributes),
        certainty=Certainty.DECLARED,
        reads=_uses((_column(cluster, flow.origin, naming).dataset, flow.evidence) for flow in reading),
        writes=_uses((_column(cluster, flow.target, naming).dataset, flow.evidence) for flow in writing),
        columns=_columns(cluster, flows, naming),
    )


def _separate_job(cluster: str, name: str, flows: list[DeclaredFlow], naming: Naming) -> JobFlows:
    """Return a job that source code or a list of users describes: data passes only along flows with both ends."""
    declared = [flow for flow in flows if not flow.suggested]
    reads, writes = uses(
        Pair(_topic(cluster, flow.origin, naming), _topic(cluster, flow.target, naming), flow.evidence)
        for flow in flows
    )
    origins, targets = (
        {_topic(cluster, end, naming) for end in ends}
        for ends in ((flow.origin for flow in declared), (flow.target for flow in declared))
    )
    descriptions = "\n".join(sorted({flow.description for flow in flows} - {""}))
    # An effect between whole datasets: columns are copied or decide rows, and the program does not list them.
    is_partly = any(flow.effect and flow.origin.path is None and flow.target.path is None for flow in flows)
    found = JobFlows(
        job=job_node(naming.clusters[cluster], name, present(description=descriptions, type="application")),
        certainty=Certainty.DECLARED if declared else Certainty.SUGGESTED,
        reads=tuple(_with_certainty(use, origins) for use in reads) if declared else reads,
        writes=tuple(_with_certainty(use, targets) for use in writes) if declared else writes,
        columns=_columns(cluster, flows, naming),
    )
    return partly_read_job(found) if is_partly else found


def _with_certainty(use: Use, declared: set[GraphDataset | None]) -> Use:
    return use if use.dataset in declared else replace(use, certainty=Certainty.SUGGESTED)


def _columns(cluster: str, flows: list[DeclaredFlow], naming: Naming) -> tuple[ColumnFlow, ...]:
    """Return the flows between columns, or between a column and a dataset."""
    ends = (
        (_column(cluster, flow.origin, naming), _column(cluster, flow.target, naming), flow)
        for flow in flows
        if flow.origin.name and flow.target.name
    )
    return tuple(
        ColumnFlow(origin, target, _type(origin, target, flow.effect), flow.effect, flow.evidence)
        for origin, target, flow in ends
        if origin.path is not None or target.path is not None
    )


def _topic(cluster: str, end: FlowEnd, naming: Naming) -> GraphDataset | None:
    return _column(cluster, end, naming).dataset if end.name else None


def _column(cluster: str, end: FlowEnd, naming: Naming) -> ColumnRef:
    if not end.namespace and end.name.startswith(_PATTERN):
        return ColumnRef(GraphDataset(NodeKind.DATASET, naming.clusters[cluster], end.name), end.path)
    dataset = naming.dataset(end.namespace, end.name) if end.namespace else naming.topic(cluster, end.name)
    return ColumnRef(dataset, end.path)


def _type(origin: ColumnRef, target: ColumnRef, effect: str) -> str:
    # An effect on a whole dataset cannot be DIRECT (OpenLineage, ColumnLineageDatasetFacet).
    is_whole = origin.path is None or target.path is None
    return "INDIRECT" if is_whole or (effect and Effect(effect).type == "INDIRECT") else "DIRECT"


def _uses(pairs: Iterable[tuple[GraphDataset, str]]) -> tuple[Use, ...]:
    evidence: dict[GraphDataset, str] = {}
    for dataset, why in sorted(pairs):
        evidence.setdefault(dataset, why)
    return tuple(Use(dataset, why) for dataset, why in evidence.items())
