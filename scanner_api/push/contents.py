"""The graph as catalogs get it: datasets with columns and descriptions, jobs with what they read, write and map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dataflow_generator.graph import FlowGraph, Node
from dataflow_generator.openlineage.emit.datasets import DescribedDatasets, DictionaryMetadata, dataset_kind, owners_of
from dataflow_generator.openlineage.emit.graph_events import RUN, EventOptions, graph_events
from dataflow_generator.openlineage.emit.jobs import EmittedFlow, GraphJobs, Job, graph_jobs, job_name
from dataflow_generator.openlineage.emit.run_events import Event
from dataflow_generator.openlineage.redaction import clean_namespace, clean_text
from scanner_dictionary.engine.rows import in_chunks
from scanner_model.columns import Column, ColumnPath
from scanner_model.redaction import mask_statement, mask_text

_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PushDataset:
    """A dataset: *kind* is TOPIC, TABLE, FILE … or empty; *tags* are of the dataset, columns have their own.

    *is_part*: the columns are only those that flows name. *partitions* are those of a topic, 0 where they are unknown.
    """

    key: str
    namespace: str
    name: str
    kind: str
    columns: tuple[Column, ...]
    is_part: bool
    partitions: int = 0
    description: str = ""
    owners: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class ColumnPair(NamedTuple):
    """A flow between two columns; *subtype* is OpenLineage's, such as IDENTITY."""

    source: ColumnPath
    target: ColumnPath
    subtype: str


class DatasetEdge(NamedTuple):
    """What a job takes from one dataset, by key, to another: its column flows, none where they are unknown."""

    source: str
    target: str
    columns: tuple[ColumnPair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushJob:
    """A job: *type* is scanner's (connector, flink, ksqldb …), *edges* are what it takes from where to where."""

    namespace: str
    name: str
    type: str
    description: str
    statement: str
    owners: tuple[str, ...]
    tags: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    edges: tuple[DatasetEdge, ...]


class GraphContents:
    """Datasets and jobs of *graph*, in its order; *metadata* describes datasets. *at* is when the scan ended."""

    def __init__(self, graph: FlowGraph, metadata: DictionaryMetadata, at: str) -> None:
        self.at = at
        self._graph, self._metadata = graph, metadata
        self._jobs: GraphJobs = graph_jobs(graph)
        self._described = DescribedDatasets(self._jobs, metadata)

    @cached_property
    def names(self) -> Mapping[str, tuple[str, str]]:
        """Return namespace and name of each dataset by its key."""
        nodes = self._jobs.datasets.items()
        return {key: (clean_namespace(node.namespace), clean_text(node.name)) for key, node in nodes}

    def datasets(self) -> Iterator[PushDataset]:
        """Yield every dataset; the columns of topics are read from the dictionary in chunks."""
        for keys in in_chunks(list(self._jobs.datasets), _AT_ONCE):
            for key, description in self._described.descriptions(keys).items():
                namespace, name = self.names[key]
                yield PushDataset(
                    key=key,
                    namespace=namespace,
                    name=name,
                    kind=dataset_kind(self._jobs.datasets[key]),
                    columns=_distinct(description.columns),
                    is_part=description.is_part,
                    partitions=_partitions(self._jobs.datasets[key]),
                    description=mask_text(description.text),
                    owners=description.owners,
                    tags=description.tags,
                )

    def run_events(self) -> Iterator[Event]:
        """Yield an OpenLineage run event for each job, large ones in parts."""
        return graph_events(self._graph, self._metadata, EventOptions(at=self.at, mode=RUN))

    def jobs(self) -> Iterator[PushJob]:
        """Yield every job that reads or writes something."""
        yield from self._push_jobs

    @cached_property
    def _push_jobs(self) -> tuple[PushJob, ...]:
        return tuple(_push_job(job) for job in self._jobs.jobs.values() if job.reads or job.writes)


def _partitions(node: Node) -> int:
    """Return the number of partitions of a topic; 0 where it is unknown."""
    partitions = dict(node.attributes).get("partitions")
    return partitions if isinstance(partitions, int) else 0


def _push_job(job: Job) -> PushJob:
    node: Node = job.node
    attributes = dict(node.attributes)
    name = job_name(node)
    tags = attributes.get("tags", ())
    return PushJob(
        namespace=clean_namespace(name.namespace),
        name=clean_text(name.name),
        type=str(attributes.get("type") or node.kind),
        description=mask_text(str(attributes.get("description") or attributes.get("connector_class") or "")),
        statement=mask_statement(str(attributes.get("statement") or "")),
        owners=owners_of(node),
        tags=tags if isinstance(tags, tuple) else (),
        reads=tuple(dict.fromkeys(use.dataset for use in job.reads)),
        writes=tuple(dict.fromkeys(use.dataset for use in job.writes)),
        edges=_edges(job),
    )


def _edges(job: Job) -> tuple[DatasetEdge, ...]:
    """Return the edges of a job: datasets that share a route, with their column flows."""
    flows: dict[tuple[str, str], list[EmittedFlow]] = defaultdict(list)
    for read in job.reads:
        for write in job.writes:
            if not read.route or not write.route or read.route == write.route:
                flows.setdefault((read.dataset, write.dataset), [])
    for flow in job.flows:
        flows[flow.source, flow.target].append(flow)
    return tuple(DatasetEdge(source, target, _pairs(listed)) for (source, target), listed in flows.items())


def _pairs(flows: Sequence[EmittedFlow]) -> tuple[ColumnPair, ...]:
    """Return the flows between columns; those of whole datasets are the edge itself."""
    pairs = {
        ColumnPair(flow.source_path, flow.target_path, flow.subtype)
        for flow in flows
        if flow.source_path is not None and flow.target_path is not None
    }
    return tuple(sorted(pairs, key=lambda pair: (pair.target, pair.source, pair.subtype)))


def _distinct(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns without those whose path came before."""
    by_path: dict[ColumnPath, Column] = {}
    for column in columns:
        by_path.setdefault(column.path, column)
    return tuple(by_path.values())
