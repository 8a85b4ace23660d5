"""The jobs of a flow graph: what each reads and writes, and its column flows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dataflow_generator.graph import Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.jobs.model import GraphDataset, JobFlows
from dataflow_generator.openlineage.emit import run_events as f
from dataflow_generator.openlineage.emit.run_events import DatasetEntry, Facets, JobEntry, RunEntry, our_version, run_id
from dataflow_generator.openlineage.names import KAFKA, Name
from scanner_model.columns import ColumnPath

_FROM_EVENTS = "openlineage"


class EmittedFlow(NamedTuple):
    """A flow between two datasets, by node key; a path of None is the whole dataset."""

    source: str
    source_path: ColumnPath | None
    target: str
    target_path: ColumnPath | None
    type: str
    subtype: str


class Use(NamedTuple):
    """A dataset, by node key, on one of a job's routes (empty: on all of them), with the evidence."""

    dataset: str
    route: str
    evidence: str


@dataclass(slots=True)
class Job:
    """The node of a job, with what it reads and writes, and its flows."""

    node: Node
    reads: list[Use] = field(default_factory=list)
    writes: list[Use] = field(default_factory=list)
    flows: list[EmittedFlow] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphJobs:
    """Datasets and jobs by node key, in the order of the graph.

    *columns* are those in flows, by dataset; *clusters* are the nodes of clusters by namespace.
    """

    datasets: Mapping[str, Node]
    jobs: Mapping[str, Job]
    columns: Mapping[str, tuple[Node, ...]]
    clusters: Mapping[str, Node]


def graph_jobs(graph: FlowGraph) -> GraphJobs:
    """Return the jobs of *graph*, without schemas and without jobs that are known from events of other producers.

    A consumer group without a job is a job itself; a materialized topic is a job from topic to table.
    """
    nodes = _nodes(graph)
    datasets = {node.key: node for node in nodes if node.kind in (NodeKind.TOPIC, NodeKind.DATASET)}
    columns = _by_dataset((node for node in nodes if node.kind is NodeKind.COLUMN), datasets)
    columns_by_key = {node.key: (key, node.path) for key, listed in columns.items() for node in listed}
    columns_by_key |= {key: (key, None) for key in datasets}
    edges = [edge for edge in graph.edges() if edge.kind not in (EdgeKind.CONTAINS, EdgeKind.HAS_SCHEMA)]
    jobs = _jobs(nodes, edges, datasets)
    owners = _Owners(jobs)
    for edge in edges:
        if edge.kind is EdgeKind.COLUMN_FLOW and edge.source in columns_by_key and edge.target in columns_by_key:
            flow = EmittedFlow(*columns_by_key[edge.source], *columns_by_key[edge.target], edge.type, edge.subtype)
            for job in owners.of(flow, edge.evidence):
                job.flows.append(flow)
    clusters = {node.namespace: node for node in nodes if node.kind is NodeKind.CLUSTER}
    return GraphJobs(datasets=datasets, jobs=jobs, columns=columns, clusters=clusters)


def _nodes(graph: FlowGraph) -> list[Node]:
    """Return the nodes with a namespace: schemas, and the columns in them, have none."""
    return [node for node in graph.nodes() if node.namespace and node.kind is not NodeKind.SCHEMA]


def _by_dataset(columns: Iterable[Node], datasets: Collection[str]) -> Mapping[str, tuple[Node, ...]]:
    by_dataset: dict[str, list[Node]] = defaultdict(list)
    for node in columns:
        for kind in (NodeKind.TOPIC, NodeKind.DATASET):
            key = f"{kind}:{node.namespace}/{node.name}"
            if key in datasets:
                by_dataset[key].append(node)
    return {key: tuple(listed) for key, listed in by_dataset.items()}


def _jobs(nodes: Iterable[Node], edges: Iterable[Edge], datasets: Mapping[str, Node]) -> dict[str, Job]:
    known = {node.key: Job(node) for node in nodes if node.kind in (NodeKind.JOB, NodeKind.CONSUMER_GROUP)}
    not_ours = {key for key, job in known.items() if dict(job.node.attributes).get("type") == _FROM_EVENTS}
    for edge in edges:
        if edge.kind is EdgeKind.READS and edge.target in known:
            known[edge.target].reads.append(Use(edge.source, edge.subtype, edge.evidence))
        elif edge.kind is EdgeKind.WRITES and edge.source in known:
            known[edge.source].writes.append(Use(edge.target, edge.subtype, edge.evidence))
        elif edge.kind is EdgeKind.MEMBER_OF:
            not_ours |= {end for end in (edge.source, edge.target) if end.startswith(f"{NodeKind.CONSUMER_GROUP}:")}
        elif edge.kind is EdgeKind.MATERIALIZES and edge.source in datasets:
            job = _materialization(datasets[edge.source])
            known.setdefault(job.node.key, job).writes.append(Use(edge.target, "", edge.evidence))
            known[job.node.key].reads = [Use(edge.source, "", edge.evidence)]
    return {key: job for key, job in known.items() if key not in not_ours}


def _materialization(topic: Node) -> Job:
    name = f"keep {topic.name}"
    key = f"{NodeKind.JOB}:{topic.namespace}/{name}"
    return Job(Node(key, NodeKind.JOB, topic.namespace, name, None, (("type", "materialization"),)))


class _Owners:
    """Finds the jobs of a column flow, because an edge between columns does not name its job."""

    def __init__(self, jobs: Mapping[str, Job]) -> None:
        self._jobs = jobs
        self._readers = _by_use((use, key) for key, job in jobs.items() for use in job.reads)
        self._writers = _by_use((use, key) for key, job in jobs.items() for use in job.writes)
        self._cache: dict[tuple[str, str, str], tuple[Job, ...]] = {}

    def of(self, flow: EmittedFlow, evidence: str) -> tuple[Job, ...]:
        """Return the jobs that read the source and write the target; of several, those with the same evidence."""
        key = flow.source, flow.target, _head(evidence)
        if key not in self._cache:
            self._cache[key] = self._find(flow, evidence)
        return self._cache[key]

    def _find(self, flow: EmittedFlow, evidence: str) -> tuple[Job, ...]:
        readers, writers = self._readers.get(flow.source, {}), self._writers.get(flow.target, {})
        routes = {
            key: [use for use in uses if _shares_route(use, writers.get(key, ()))] for key, uses in readers.items()
        }
        able = {key: uses for key, uses in routes.items() if uses}
        same = [key for key, uses in able.items() if any(_same_evidence(evidence, use.evidence) for use in uses)]
        return tuple(self._jobs[key] for key in same or able)


def _by_use(uses: Iterable[tuple[Use, str]]) -> Mapping[str, Mapping[str, list[Use]]]:
    by_job: dict[str, dict[str, list[Use]]] = defaultdict(dict)
    for use, job in uses:
        by_job[use.dataset].setdefault(job, []).append(use)
    return by_job


def _shares_route(use: Use, others: Iterable[Use]) -> bool:
    return any(not use.route or not other.route or use.route == other.route for other in others)


def _same_evidence(flow: str, use: str) -> bool:
    return flow.startswith(use) or _head(flow) == _head(use)


def _head(evidence: str) -> str:
    return evidence.partition(": ")[0]


def parts(job: Job, most: int) -> Iterator[tuple[list[str], list[str]]]:
    """Split what *job* reads and writes into parts of about *most* datasets; a small job is one part.

    Routes are preserved: what is read on a route is in one part with what is written on it.
    """
    reads: list[str] = []
    writes: list[str] = []
    for some_reads, some_writes in _steps(job, max(most // 2, 1)):
        grown = {*reads, *some_reads}, {*writes, *some_writes}
        if (reads or writes) and sum(map(len, grown)) > most:
            yield list(dict.fromkeys(reads)), list(dict.fromkeys(writes))
            reads, writes = [], []
        reads += some_reads
        writes += some_writes
    yield list(dict.fromkeys(reads)), list(dict.fromkeys(writes))


def _steps(job: Job, most: int) -> Iterator[tuple[list[str], list[str]]]:
    for route in dict.fromkeys(use.route for use in (*job.reads, *job.writes)):
        reads, writes = ([use.dataset for use in uses if use.route in (route, "")] for uses in (job.reads, job.writes))
        for inputs in _chunks(reads, most):
            yield from ((inputs, outputs) for outputs in _chunks(writes, most))


def _chunks(listed: list[str], most: int) -> list[list[str]]:
    return [listed[start : start + most] for start in range(0, len(listed), most)] or [[]]


class JobEngine(NamedTuple):
    """The engine of a kind of job: its terms for `jobType`, and its display name (empty: unknown)."""

    integration: str
    job: str
    name: str = ""
    dialect: str = ""


ENGINES: Mapping[str, JobEngine] = {
    "application": JobEngine("APPLICATION", "SERVICE"),
    "catalog": JobEngine("CATALOG", "PROCESS"),
    "connector": JobEngine("KAFKA_CONNECT", "CONNECTOR", "Kafka Connect"),
    "consumer-group": JobEngine("KAFKA", "CONSUMER_GROUP", "Kafka"),
    # As Flink's own listener reports it: a consumer drops the inputs and outputs of other FLINK jobs.
    "flink": JobEngine("FLINK", "JOB", "Apache Flink", "flink"),
    "ksqldb": JobEngine("KSQLDB", "QUERY", "ksqlDB", "ksqldb"),
    "manual": JobEngine("MANUAL", "FLOW"),
    "materialization": JobEngine("KAFKA", "MATERIALIZATION", "Kafka"),
    "streams": JobEngine("KAFKA_STREAMS", "APPLICATION", "Kafka Streams"),
}
"""By the type of a job's node."""

_STATES: Mapping[str, str] = {
    "RUNNING": "RUNNING",
    "STABLE": "RUNNING",
    "COMPLETED": "COMPLETE",
    "FINISHED": "COMPLETE",
    "PAUSED": "COMPLETE",
    "STOPPED": "COMPLETE",
    "CANCELED": "ABORT",
    "DELETED": "ABORT",
    "ERROR": "FAIL",
    "FAILED": "FAIL",
    "UNRECOVERABLE": "FAIL",
}
"""Run states by the state that the server reports; any other is OTHER."""


def job_name(node: Node) -> Name:
    """Return the namespace and name of a job; the namespace of a consumer group differs from that of its topics.

    The name is never that of the engine's own events: a consumer that keeps only the newest event of a job would lose
    our columns with the next event of the engine, which has none.
    """
    if node.kind is NodeKind.CONSUMER_GROUP:
        return Name(f"kafka-consumers://{node.namespace.removeprefix(KAFKA)}", node.name)
    return Name(node.namespace, node.name)


def job_facets(node: Node) -> Facets:
    """Return the facets of a job, without its lineage."""
    attributes: dict[str, Any] = dict(node.attributes)
    engine = _engine(node)
    facets: dict[str, Any] = {}
    if engine:
        facets["jobType"] = f.job_type(engine.integration, engine.job)
    if attributes.get("statement"):
        facets["sql"] = f.sql(attributes["statement"], engine.dialect if engine else "")
    if text := attributes.get("description") or attributes.get("connector_class"):
        facets["documentation"] = f.documentation(text)
    if attributes.get("owners"):
        facets["ownership"] = f.ownership(attributes["owners"])
    if attributes.get("tags"):
        facets["tags"] = f.tags(attributes["tags"])
    if attributes.get("source_code"):
        facets["sourceCodeLocation"] = f.source_code(attributes["source_code"])
    return facets


def job_run(node: Node, at: str) -> RunEntry:
    """Return the run that a job's state implies at a moment, with the same id for the same moment and job."""
    attributes: dict[str, Any] = dict(node.attributes)
    engine = _engine(node)
    name = (engine.name if engine else "") or "scanner"
    version = str(attributes.get("engine", "")).rpartition(" ")[2] or (our_version() if name == "scanner" else "")
    facets = {"processing_engine": f.processing_engine(name, version, our_version())}
    state = _STATES.get(str(attributes.get("state", "")).upper(), "OTHER")
    return RunEntry(id=run_id(at, *job_name(node)), state=state, facets=facets)


def _engine(node: Node) -> JobEngine | None:
    kind = node.kind if node.kind is NodeKind.CONSUMER_GROUP else dict(node.attributes).get("type", "")
    return ENGINES.get(str(kind))


def described_job(flows: JobFlows) -> JobEntry:
    """Return the entry of a job as in the graph, with its datasets and its statement, without columns."""
    name = job_name(flows.job)
    return JobEntry(
        namespace=name.namespace,
        name=name.name,
        facets=job_facets(flows.job),
        inputs=described_datasets(use.dataset for use in flows.reads),
        outputs=described_datasets(use.dataset for use in flows.writes),
    )


def described_datasets(datasets: Iterable[GraphDataset | None]) -> tuple[DatasetEntry, ...]:
    """Return the entries of datasets, each once and sorted by name, without unknown ones (None)."""
    return tuple(
        DatasetEntry(
            namespace=dataset.namespace,
            name=dataset.name,
            facets={"datasetType": f.dataset_type("TOPIC")} if dataset.kind is NodeKind.TOPIC else {},
        )
        for dataset in sorted({dataset for dataset in datasets if dataset})
    )
