"""Events of a flow graph: dataset, job and run events, with descriptions from the dictionary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dataflow_generator.graph import FlowGraph, Node
from dataflow_generator.openlineage.emit.datasets import (
    DescribedDatasets,
    DictionaryMetadata,
    column_lineage,
    lineage_facet,
)
from dataflow_generator.openlineage.emit.jobs import EmittedFlow, Job, graph_jobs, job_facets, job_name, job_run
from dataflow_generator.openlineage.emit.jobs import parts as parts_of
from dataflow_generator.openlineage.emit.run_events import (
    DatasetEntry,
    Event,
    JobEntry,
    dataset_event,
    job_event,
    our_producer,
    run_event,
)
from dataflow_generator.openlineage.names import Name
from scanner_dictionary.engine.rows import in_chunks
from scanner_model.errors import InputInvalid

DESIGN, RUN, BOTH = "design", "run", "both"
"""Which events are emitted: dataset and job events; a run event per job, for consumers that accept only those; both."""

_AT_ONCE = 200
_MOST = 200
"""The largest number of datasets in one event; a job with more is split into several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOptions:
    """How a graph is emitted: *at* is the time of all events (ISO 8601 with a zone), *producer* their producer URI.

    *lineage* adds the newer `lineage` facet to every job, not only where `columnLineage` cannot express all flows.
    *job_namespace* replaces the namespace of all jobs; empty keeps that of each.
    """

    at: str
    mode: str = DESIGN
    producer: str = field(default_factory=our_producer)
    lineage: bool = False
    job_namespace: str = ""

    def job_name(self, node: Node) -> Name:
        """Return the namespace and name of a job in events."""
        own = job_name(node)
        return own._replace(namespace=self.job_namespace or own.namespace)


def graph_events(graph: FlowGraph, metadata: DictionaryMetadata, options: EventOptions) -> Iterator[Event]:
    """Yield the events of *graph*, deterministically: datasets first, then jobs, then runs.

    Raises InputInvalid where two jobs would have one name in the common namespace.
    """
    contents = graph_jobs(graph)
    _check_names((job.node for job in contents.jobs.values()), options)
    datasets = DescribedDatasets(contents, metadata)
    if options.mode != RUN:
        for keys in in_chunks(list(contents.datasets), _AT_ONCE):
            for dataset in datasets.described(keys).values():
                yield dataset_event(dataset, options.at, options.producer)
        for _, entry in _job_entries(contents.jobs.values(), datasets, options, with_facets=False):
            yield job_event(entry, options.at, options.producer)
    if options.mode != DESIGN:
        for job, entry in _job_entries(contents.jobs.values(), datasets, options, with_facets=True):
            yield run_event(job_run(job.node, options.at), entry, options.at, options.producer)


class _Part(NamedTuple):
    """Some of the datasets that a job reads and writes, and the job's flows by their two datasets."""

    job: Job
    flows: Mapping[tuple[str, str], list[EmittedFlow]]
    reads: list[str]
    writes: list[str]

    @property
    def datasets(self) -> list[str]:
        """Return the keys of the datasets that are read, then of those that are written."""
        return [*self.reads, *self.writes]


def _job_entries(
    jobs: Iterable[Job], datasets: DescribedDatasets, options: EventOptions, *, with_facets: bool
) -> Iterator[tuple[Job, JobEntry]]:
    """Yield the entries of jobs, large ones in parts; *with_facets* includes the facets of datasets."""
    for group in _grouped_parts(part for job in jobs for part in _parts(job)):
        keys = list(dict.fromkeys(key for part in group for key in part.datasets))
        described = datasets.described(keys) if with_facets else _plain(keys, datasets)
        for part in group:
            yield part.job, _job_entry(part, described, datasets, options)


def _parts(job: Job) -> Iterator[_Part]:
    flows: dict[tuple[str, str], list[EmittedFlow]] = defaultdict(list)
    for flow in job.flows:
        flows[flow.source, flow.target].append(flow)
    return (_Part(job, flows, reads, writes) for reads, writes in parts_of(job, _MOST))


def _grouped_parts(parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    """Group parts whose datasets are queried together: a query for each job would dominate the run time."""
    group: list[_Part] = []
    count = 0
    for part in parts:
        group.append(part)
        count += len(part.datasets)
        if count >= _AT_ONCE:
            yield group
            group, count = [], 0
    yield group


def _job_entry(
    part: _Part, described: Mapping[str, DatasetEntry], datasets: DescribedDatasets, options: EventOptions
) -> JobEntry:
    name = options.job_name(part.job.node)
    flows_to = {
        key: [flow for source in part.reads for flow in part.flows.get((source, key), ())] for key in part.writes
    }
    more = (
        {"lineage": lineage_facet(flows_to, part.reads, datasets.name)}
        if options.lineage or _needs_lineage_facet(flows_to)
        else {}
    )
    return JobEntry(
        namespace=name.namespace,
        name=name.name,
        facets={**job_facets(part.job.node), **more},
        inputs=tuple(described[key] for key in part.reads),
        outputs=tuple(_with_lineage(described[key], flows_to[key], datasets) for key in part.writes),
    )


def _check_names(nodes: Iterable[Node], options: EventOptions) -> None:
    first: dict[Name, Node] = {}
    for node in nodes if options.job_namespace else ():
        other = first.setdefault(options.job_name(node), node)
        if job_name(other) != job_name(node):
            what = f"two jobs would be one: {other.namespace}/{other.name} and {node.namespace}/{node.name}"
            raise InputInvalid(
                what,
                where=f"job namespace {options.job_namespace}",
                hint="leave the option out, so that each job keeps its own",
            )


def _needs_lineage_facet(flows_to: Mapping[str, list[EmittedFlow]]) -> bool:
    """Return whether a flow starts at a whole dataset, which `columnLineage` cannot express."""
    return any(flow.source_path is None for flows in flows_to.values() for flow in flows)


def _plain(keys: Collection[str], datasets: DescribedDatasets) -> Mapping[str, DatasetEntry]:
    return {key: DatasetEntry(**datasets.name(key)._asdict()) for key in keys}


def _with_lineage(dataset: DatasetEntry, flows: list[EmittedFlow], datasets: DescribedDatasets) -> DatasetEntry:
    facet = column_lineage(flows, datasets.name)
    return replace(dataset, facets={**dataset.facets, "columnLineage": facet}) if facet else dataset
