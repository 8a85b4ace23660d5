"""Jobs of a graph with the facets that describe them, and the runs that their states show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dataflow_generator.graph import Node, NodeKind
from dataflow_generator.openlineage.emit import facets as f
from dataflow_generator.openlineage.emit.facets import Facets
from dataflow_generator.openlineage.emit.run_events import RunEntry, our_version, run_id
from dataflow_generator.openlineage.identity.names import KAFKA, Name


class Engine(NamedTuple):
    """What runs a kind of jobs: the words for `jobType`, and its name for people (empty: nothing that we know)."""

    integration: str
    job: str
    name: str = ""
    dialect: str = ""


ENGINES: Mapping[str, Engine] = {
    "catalog": Engine("CATALOG", "PROCESS"),
    "connector": Engine("KAFKA_CONNECT", "CONNECTOR", "Kafka Connect"),
    "consumer-group": Engine("KAFKA", "CONSUMER_GROUP", "Kafka"),
    # As Flink's own listener says it: of other jobs of FLINK, a consumer keeps neither inputs nor outputs.
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
"""States of runs by the servers' own words; any other is OTHER."""


def job_name(node: Node) -> Name:
    """Return a job's namespace and name; a group's must not be those of a job beside its topics.

    Never the name by which its own engine tells of it: a consumer that takes the newest event for all there is, loses
    our columns with the next one of the engine's, which tells none.
    """
    if node.kind is NodeKind.CONSUMER_GROUP:
        return Name(f"kafka-consumers://{node.namespace.removeprefix(KAFKA)}", node.name)
    return Name(node.namespace, node.name)


def job_facets(node: Node) -> Facets:
    """Return what is known of a job, but for its lineage."""
    told: dict[str, Any] = dict(node.attributes)
    engine = _engine(node)
    found: dict[str, Any] = {}
    if engine:
        found["jobType"] = f.job_type(engine.integration, engine.job)
    if told.get("statement"):
        found["sql"] = f.sql(told["statement"], engine.dialect if engine else "")
    if text := told.get("description") or told.get("connector_class"):
        found["documentation"] = f.documentation(text)
    if told.get("owners"):
        found["ownership"] = f.ownership(told["owners"])
    if told.get("tags"):
        found["tags"] = f.tags(told["tags"])
    if told.get("source_code"):
        found["sourceCodeLocation"] = f.source_code(told["source_code"])
    return found


def job_run(node: Node, at: str) -> RunEntry:
    """Return the run that a job's state shows at a moment: the same for the same moment and job."""
    told: dict[str, Any] = dict(node.attributes)
    engine = _engine(node)
    name = (engine.name if engine else "") or "scanner"
    version = str(told.get("engine", "")).rpartition(" ")[2] or (our_version() if name == "scanner" else "")
    facets = {"processing_engine": f.processing_engine(name, version, our_version())}
    state = _STATES.get(str(told.get("state", "")).upper(), "OTHER")
    return RunEntry(id=run_id(at, *job_name(node)), state=state, facets=facets)


def _engine(node: Node) -> Engine | None:
    kind = node.kind if node.kind is NodeKind.CONSUMER_GROUP else dict(node.attributes).get("type", "")
    return ENGINES.get(str(kind))
