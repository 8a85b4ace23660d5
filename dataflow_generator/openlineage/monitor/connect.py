"""Observe connectors: state, lineage and error of each, from one poll of Connect."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from dataflow_generator.connectors import Config, read_connector
from dataflow_generator.connectors import Connector as ConnectorConfig
from dataflow_generator.jobs.connect import DIRECTIONS, connect_namespace, named_dataset
from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.openlineage.emit.facets import job_type
from dataflow_generator.openlineage.emit.jobs import described_datasets
from dataflow_generator.openlineage.emit.run_events import JobEntry
from dataflow_generator.openlineage.identity.names import KAFKA
from dataflow_generator.openlineage.monitor.state_machine import ObservedJob, RunError, first_line, run_error
from dataflow_generator.openlineage.monitor.state_mapping import CONNECT, Phase, phase_of
from scanner_model.connect import Connector, ConnectorTask

_FAILED = "FAILED"


def observed_connector(connector: Connector, cluster: str, naming: Naming, topics: Collection[str] = ()) -> ObservedJob:
    """Return a connector as an observed job; *topics* are the known ones of *cluster*, for patterns.

    A running connector whose tasks have all failed has failed; one with some failed tasks runs, with an error.
    """
    phase = phase_of(connector.state, CONNECT)
    failed = [task for task in connector.tasks if task.state.upper() == _FAILED]
    if phase is Phase.RUNNING and failed and len(failed) == len(connector.tasks):
        phase = Phase.FAILED
    # Cached: the configuration does not change from poll to poll.
    job = _job(replace(connector, state="", worker="", trace="", tasks=()), cluster, naming, tuple(sorted(topics)))
    return ObservedJob(name=connector.name, phase=phase, job=job, error=_error(connector, failed))


def names_topics(job: JobEntry) -> bool:
    """Return whether *job* names topics, and no topic pattern."""
    kafka = [dataset.name for dataset in (*job.inputs, *job.outputs) if dataset.namespace.startswith(KAFKA)]
    return bool(kafka) and not any(name.startswith("regex:") for name in kafka)


def _error(connector: Connector, failed: list[ConnectorTask]) -> RunError | None:
    state = connector.state.upper()
    if state in (_FAILED, "DEGRADED") and (connector.trace or not failed):
        return run_error(connector.trace, f"the connector is {state}")
    if not failed:
        return None
    which = ", ".join(str(task.number) for task in failed)
    trace = next((task.trace for task in failed if task.trace), "")
    what = f"{len(failed)} of {len(connector.tasks)} tasks failed ({which})"
    return RunError(message=f"{what}: {first_line(trace)}" if trace else what, trace=trace)


@lru_cache(maxsize=1_024)
def _job(connector: Connector, cluster: str, naming: Naming, topics: tuple[str, ...]) -> JobEntry:
    flows = read_connector(
        ConnectorConfig(
            name=connector.name,
            config=Config.of(dict(connector.config)),
            direction=DIRECTIONS.get(connector.kind),
            known=topics,
            active=connector.topics,
            namespace=naming.clusters[cluster],
        )
    ).flows
    return JobEntry(
        namespace=connect_namespace(cluster, connector.source),
        name=connector.name,
        facets={"jobType": job_type("KAFKA_CONNECT", connector.kind.upper())},
        inputs=described_datasets(named_dataset(flow.source, naming) for flow in flows),
        outputs=described_datasets(named_dataset(flow.target, naming) for flow in flows),
    )
