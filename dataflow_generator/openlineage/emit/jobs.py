"""Job entries of events: names, facets and inputs and outputs of jobs, and the runs that their states imply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from dataflow_generator.graph import Node, NodeKind
from dataflow_generator.jobs.model import Dataset, JobFlows
from dataflow_generator.openlineage.emit import facets as f
from dataflow_generator.openlineage.emit.facets import Facets
from dataflow_generator.openlineage.emit.run_events import DatasetEntry, JobEntry, RunEntry, our_version, run_id
from dataflow_generator.openlineage.identity.names import KAFKA, Name


class Engine(NamedTuple):
    """The engine of a kind of job: its terms for `jobType`, and its display name (empty: unknown)."""

    integration: str
    job: str
    name: str = ""
    dialect: str = ""


ENGINES: Mapping[str, Engine] = {
    "catalog": Engine("CATALOG", "PROCESS"),
    "connector": Engine("KAFKA_CONNECT", "CONNECTOR", "Kafka Connect"),
    "consumer-group": Engine("KAFKA", "CONSUMER_GROUP", "Kafka"),
    # As Flink's own listener reports it: a consumer drops the inputs and outputs of other FLINK jobs.
    "flink": Engine("FLINK", "JOB", "Apache Flink", "flink"),
    "ksqldb": Engine("KSQLDB", "QUERY", "ksqlDB", "ksqldb"),
    "manual": Engine("MANUAL", "FLOW"),
    "materialization": Engine("KAFKA", "MATERIALIZATION", "Kafka"),
    "streams": Engine("KAFKA_STREAMS", "APPLICATION", "Kafka Streams"),
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


def _engine(node: Node) -> Engine | None:
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


def described_datasets(datasets: Iterable[Dataset | None]) -> tuple[DatasetEntry, ...]:
    """Return the entries of datasets, each once and sorted by name, without unknown ones (None)."""
    return tuple(
        DatasetEntry(
            namespace=dataset.namespace,
            name=dataset.name,
            facets={"datasetType": f.dataset_type("TOPIC")} if dataset.kind is NodeKind.TOPIC else {},
        )
        for dataset in sorted({dataset for dataset in datasets if dataset})
    )
