"""Observe connectors, ksqlDB queries, Flink statements and jobs: state, lineage and error of each, from one poll."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from dataflow_generator.connectors import Config, read_connector
from dataflow_generator.connectors import Connector as ConnectorConfig
from dataflow_generator.jobs.connect import DIRECTIONS, connect_namespace, named_dataset
from dataflow_generator.jobs.flink.resolve import FlinkContext
from dataflow_generator.jobs.flink.statements import flink_jobs, flink_namespace, sink_table, title_tables
from dataflow_generator.jobs.ksqldb import ksql_jobs
from dataflow_generator.jobs.model import JobFlows, Naming
from dataflow_generator.openlineage.emit.jobs import described_datasets, described_job
from dataflow_generator.openlineage.emit.run_events import JobEntry, job_type
from dataflow_generator.openlineage.names import KAFKA
from dataflow_generator.openlineage.state_machine import (
    CONNECT,
    FLINK,
    KSQLDB,
    ObservedJob,
    Phase,
    RunError,
    phase_of,
    run_error,
)
from scanner_model.kafka import Connector, ConnectorTask
from scanner_model.streaming_sql import FlinkJob, KsqlSource, Query, QueryError, StreamingStatement
from scanner_model.text import first_line

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


_ERROR_STATES = ("DEGRADED", "FAILED", "FAILING")
"""States in which the detail that the service reports is an error."""


class Statements:
    """The statements of one source of *cluster*; they are parsed again only where a poll changed them."""

    def __init__(self, cluster: str, context: FlinkContext) -> None:
        self._cluster = cluster
        self._context = context
        self._parsed: tuple[StreamingStatement, ...] = ()
        self._jobs: Mapping[str, JobEntry] = {}

    def observe(self, statements: Iterable[StreamingStatement]) -> list[ObservedJob]:
        """Return the statements that move data as observed jobs; several in one text share its state."""
        listed = {statement.name: statement for statement in statements}
        ordered = sorted(listed.values(), key=lambda statement: (statement.created, statement.name))
        current = tuple(map(_without_state, ordered))
        if current != self._parsed:
            flows = _flows(self._cluster, current, self._context)
            self._jobs = {job.job.name: described_job(job) for job in flows}
            self._parsed = current
        owners = ((listed.get(name) or listed[name.rpartition(":")[0]], job) for name, job in self._jobs.items())
        return [_observed_statement(statement, job) for statement, job in owners]


def script_jobs(cluster: str, scripts: Iterable[StreamingStatement], context: FlinkContext) -> tuple[JobFlows, ...]:
    """Return the jobs of SQL files: a JobManager does not report the SQL of its jobs."""
    return tuple(_flows(cluster, tuple(scripts), context))


def observed_jobs(
    jobs: Iterable[FlinkJob], causes: Mapping[str, str], scripts: tuple[JobFlows, ...], cluster: str
) -> list[ObservedJob]:
    """Return the jobs of a JobManager as observed jobs; *causes* are the traces of failed ones, by id.

    A job is observed as the statements of *scripts* that write the tables in its title, where each table has exactly
    one writer.
    """
    return [observed for job in jobs for observed in _observed_as(job, causes.get(job.name, ""), scripts, cluster)]


def _observed_as(job: FlinkJob, cause: str, scripts: tuple[JobFlows, ...], cluster: str) -> Iterable[ObservedJob]:
    phase = phase_of(job.state, FLINK)
    error = run_error(cause, f"the job is {job.state}") if phase is Phase.FAILED else None
    for entry in _of_title(job.title, scripts) or (_without_lineage(job, cluster),):
        yield ObservedJob(name=f"{job.name} {entry.name}", phase=phase, job=entry, error=error)


def _of_title(title: str, scripts: tuple[JobFlows, ...]) -> tuple[JobEntry, ...]:
    """Return the statements that a job runs, by the tables in its title; none unless each has exactly one writer."""
    tables = title_tables(title)
    writers = {table: [script for script in scripts if sink_table(script) == table] for table in sorted(tables)}
    if any(len(listed) != 1 for listed in writers.values()):
        return ()
    return tuple(described_job(listed[0]) for listed in writers.values())


def _without_lineage(job: FlinkJob, cluster: str) -> JobEntry:
    namespace = flink_namespace(cluster, job.source)
    return JobEntry(namespace=namespace, name=job.title or job.name, facets={"jobType": job_type("FLINK", "JOB")})


def _flows(cluster: str, statements: tuple[StreamingStatement, ...], context: FlinkContext) -> Iterable[JobFlows]:
    return (reading.flows for reading in flink_jobs(cluster, statements, range(len(statements)), context))


def _without_state(statement: StreamingStatement) -> StreamingStatement:
    """Return a statement without state and detail, except that it failed: a failed one declares no tables."""
    failed = phase_of(statement.state, FLINK) is Phase.FAILED or statement.state.upper() == "FAILING"
    return replace(statement, state="FAILED" if failed else "", detail="")


def _observed_statement(statement: StreamingStatement, job: JobEntry) -> ObservedJob:
    error = None
    if statement.state.upper() in _ERROR_STATES:
        error = run_error(statement.detail, f"the statement is {statement.state}")
    return ObservedJob(name=job.name, phase=phase_of(statement.state, FLINK), job=job, error=error)


_SERVERS = 16
"""Servers whose parsed statements are cached: they change seldom, and are polled often."""


_OVER = timedelta(minutes=20)
"""The age at which an error no longer applies: ksqlDB retries a query after 15 minutes at the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """The latest error of each query of a server, by name; *now* decides which ones still apply."""

    by_query: Mapping[str, QueryError]
    now: datetime


def observed_queries(
    queries: Iterable[Query], collections: tuple[KsqlSource, ...], errors: Errors, at: tuple[str, Naming]
) -> list[ObservedJob]:
    """Return the queries of one server as observed jobs; *at* is the cluster and its dataset naming."""
    listed = tuple(queries)
    jobs = _jobs(tuple(replace(query, state="") for query in listed), collections, *at)
    return [_observed_query(query, jobs[query.name], errors) for query in listed if query.name in jobs]


def _observed_query(query: Query, job: JobEntry, errors: Errors) -> ObservedJob:
    phase = phase_of(query.state, KSQLDB)
    latest = errors.by_query.get(query.name)
    error = None
    if phase is Phase.FAILED:
        error = run_error(latest.message if latest else "", f"the query is {query.state}")
    elif phase is Phase.RUNNING and latest and latest.at and errors.now - latest.at < _OVER:
        # ksqlDB keeps retrying a failing query, and reports it as running meanwhile.
        error = run_error(latest.message)
    return ObservedJob(name=query.name, phase=phase, job=job, error=error)


@lru_cache(maxsize=_SERVERS)
def _jobs(
    queries: tuple[Query, ...], collections: tuple[KsqlSource, ...], cluster: str, naming: Naming
) -> Mapping[str, JobEntry]:
    readings = ksql_jobs(
        ((cluster, collection) for collection in collections), ((cluster, query) for query in queries), {}, naming
    )
    return {reading.flows.job.name: described_job(reading.flows) for reading in readings}
