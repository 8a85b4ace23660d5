"""Flows that people declared, as jobs: one for each name, or for each pair of datasets where none is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dataflow_generator.graph import Certainty, present
from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.model import ColumnFlow, Dataset, JobFlows, Place, Use, job_node
from scanner_model.manual import FlowEnd, ManualFlow


def manual_jobs(flows: Iterable[tuple[str, ManualFlow]], naming: Naming) -> Iterator[JobFlows]:
    """Return the jobs behind *flows* (each with its cluster), by cluster and name."""
    jobs: dict[tuple[str, str], list[ManualFlow]] = {}
    for cluster, flow in flows:
        name = flow.job or f"{flow.origin.name} -> {flow.target.name}"
        jobs.setdefault((cluster, name), []).append(flow)
    for cluster, name in sorted(jobs):
        yield _job(cluster, name, jobs[cluster, name], naming)


def _job(cluster: str, name: str, flows: list[ManualFlow], naming: Naming) -> JobFlows:
    places = [(_place(cluster, flow.origin, naming), _place(cluster, flow.target, naming), flow) for flow in flows]
    descriptions = tuple(sorted({flow.description for flow in flows} - {""}))
    attributes = present(description="\n".join(descriptions), type="manual")
    return JobFlows(
        job=job_node(naming.clusters[cluster], name, attributes),
        certainty=Certainty.DECLARED,
        reads=_uses((origin.dataset, flow.evidence) for origin, _, flow in places),
        writes=_uses((target.dataset, flow.evidence) for _, target, flow in places),
        columns=tuple(
            ColumnFlow(origin, target, _type(origin, target), "", flow.evidence)
            for origin, target, flow in places
            if origin.path is not None or target.path is not None
        ),
    )


def _place(cluster: str, end: FlowEnd, naming: Naming) -> Place:
    dataset = naming.dataset(end.namespace, end.name) if end.namespace else naming.topic(cluster, end.name)
    return Place(dataset, end.path)


def _type(origin: Place, target: Place) -> str:
    # What bears on a whole dataset cannot be what a value is made of (OpenLineage, ColumnLineageDatasetFacet).
    return "INDIRECT" if origin.path is None or target.path is None else "DIRECT"


def _uses(found: Iterable[tuple[Dataset, str]]) -> tuple[Use, ...]:
    evidence: dict[Dataset, str] = {}
    for dataset, why in sorted(found):
        evidence.setdefault(dataset, why)
    return tuple(Use(dataset, why) for dataset, why in evidence.items())
