"""From a flow graph and the dictionary's rows to events: of datasets, of jobs, and of the runs that states show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dataflow_generator.graph import FlowGraph, Node
from dataflow_generator.openlineage.emit.column_lineage import column_lineage, lineage_facet
from dataflow_generator.openlineage.emit.datasets import DescribedDatasets, Known
from dataflow_generator.openlineage.emit.graph_jobs import Flow, Job, graph_jobs
from dataflow_generator.openlineage.emit.graph_jobs import parts as parts_of
from dataflow_generator.openlineage.emit.jobs import job_facets, job_name, job_run
from dataflow_generator.openlineage.emit.run_events import (
    DatasetEntry,
    Event,
    JobEntry,
    dataset_event,
    job_event,
    our_producer,
    run_event,
)
from dataflow_generator.openlineage.identity.names import Name
from scanner_dictionary.engine.bulk_insert import in_chunks
from scanner_model.errors import InputInvalid

DESIGN, RUN, BOTH = "design", "run", "both"
"""What is told: datasets and jobs as they are; each job as a run, for consumers that take nothing else; or both."""

_AT_ONCE = 200
_MOST = 200
"""Datasets of one event: what a job of more reads and writes is told in several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How a graph is told: *at* is the time of all events (ISO 8601 with a zone), *producer* the URI of who says so.

    *lineage* adds the newer `lineage` facet to every job; without it only where `columnLineage` cannot tell all.
    *job_namespace* is that of all jobs; empty leaves each its own.
    """

    at: str
    way: str = DESIGN
    producer: str = field(default_factory=our_producer)
    lineage: bool = False
    job_namespace: str = ""

    def job_name(self, node: Node) -> Name:
        """Return a job's namespace and name as it is told."""
        own = job_name(node)
        return own._replace(namespace=self.job_namespace or own.namespace)


def graph_events(graph: FlowGraph, known: Known, telling: Telling) -> Iterator[Event]:
    """Return the events of *graph*, the same ones for the same graph: datasets first, then jobs, then runs.

    Raises InputInvalid where two jobs would have one name in the namespace of all jobs.
    """
    told = graph_jobs(graph)
    _check_names((job.node for job in told.jobs.values()), telling)
    datasets = DescribedDatasets(told, known)
    if telling.way != RUN:
        for keys in in_chunks(list(told.datasets), _AT_ONCE):
            for dataset in datasets.described(keys).values():
                yield dataset_event(dataset, telling.at, telling.producer)
        for _, told_job in _told_jobs(told.jobs.values(), datasets, telling, whole=False):
            yield job_event(told_job, telling.at, telling.producer)
    if telling.way != DESIGN:
        for job, told_job in _told_jobs(told.jobs.values(), datasets, telling, whole=True):
            yield run_event(job_run(job.node, telling.at), told_job, telling.at, telling.producer)


class _Part(NamedTuple):
    """Some of the datasets that a job reads and writes, and the job's flows by their two datasets."""

    job: Job
    flows: Mapping[tuple[str, str], list[Flow]]
    reads: list[str]
    writes: list[str]

    @property
    def datasets(self) -> list[str]:
        """List both."""
        return [*self.reads, *self.writes]


def _told_jobs(
    jobs: Iterable[Job], datasets: DescribedDatasets, telling: Telling, *, whole: bool
) -> Iterator[tuple[Job, JobEntry]]:
    """Return jobs in parts; *whole* describes their datasets, too, which otherwise events of their own do."""
    for some in _together(part for job in jobs for part in _parts(job)):
        keys = list(dict.fromkeys(key for part in some for key in part.datasets))
        described = datasets.described(keys) if whole else _plain(keys, datasets)
        for part in some:
            yield part.job, _told_job(part, described, datasets, telling)


def _parts(job: Job) -> Iterator[_Part]:
    flows: dict[tuple[str, str], list[Flow]] = defaultdict(list)
    for flow in job.flows:
        flows[flow.source, flow.target].append(flow)
    return (_Part(job, flows, reads, writes) for reads, writes in parts_of(job, _MOST))


def _together(parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    """Group parts whose datasets are asked for at once: a question for each job takes longer than all the rest."""
    some: list[_Part] = []
    count = 0
    for part in parts:
        some.append(part)
        count += len(part.datasets)
        if count >= _AT_ONCE:
            yield some
            some, count = [], 0
    yield some


def _told_job(
    part: _Part, described: Mapping[str, DatasetEntry], datasets: DescribedDatasets, telling: Telling
) -> JobEntry:
    name = telling.job_name(part.job.node)
    made = {key: [flow for source in part.reads for flow in part.flows.get((source, key), ())] for key in part.writes}
    more = {"lineage": lineage_facet(made, part.reads, datasets.name)} if telling.lineage or _is_beyond(made) else {}
    return JobEntry(
        namespace=name.namespace,
        name=name.name,
        facets={**job_facets(part.job.node), **more},
        inputs=tuple(described[key] for key in part.reads),
        outputs=tuple(_made(described[key], made[key], datasets) for key in part.writes),
    )


def _check_names(nodes: Iterable[Node], telling: Telling) -> None:
    first: dict[Name, Node] = {}
    for node in nodes if telling.job_namespace else ():
        other = first.setdefault(telling.job_name(node), node)
        if job_name(other) != job_name(node):
            what = f"two jobs would be one: {other.namespace}/{other.name} and {node.namespace}/{node.name}"
            raise InputInvalid(what, where=f"job namespace {telling.job_namespace}", hint="leave each job its own")


def _is_beyond(made: Mapping[str, list[Flow]]) -> bool:
    """Report whether a flow starts at a whole dataset, of which `columnLineage` cannot tell."""
    return any(flow.source_path is None for flows in made.values() for flow in flows)


def _plain(keys: Collection[str], datasets: DescribedDatasets) -> Mapping[str, DatasetEntry]:
    return {key: DatasetEntry(**datasets.name(key)._asdict()) for key in keys}


def _made(dataset: DatasetEntry, flows: list[Flow], datasets: DescribedDatasets) -> DatasetEntry:
    facet = column_lineage(flows, datasets.name)
    return replace(dataset, facets={**dataset.facets, "columnLineage": facet}) if facet else dataset
