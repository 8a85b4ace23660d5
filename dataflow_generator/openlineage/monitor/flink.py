"""Observe Flink statements and jobs: state, lineage and error of each, from one poll."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dataflow_generator.jobs.flink.job_matching import sink_table, title_tables
from dataflow_generator.jobs.flink.resolve import FlinkContext
from dataflow_generator.jobs.flink.statements import flink_jobs, flink_namespace
from dataflow_generator.jobs.model import JobFlows
from dataflow_generator.openlineage.emit.facets import job_type
from dataflow_generator.openlineage.emit.jobs import described_job
from dataflow_generator.openlineage.emit.run_events import JobEntry
from dataflow_generator.openlineage.monitor.state_machine import ObservedJob, run_error
from dataflow_generator.openlineage.monitor.state_mapping import FLINK, Phase, phase_of
from scanner_model.flink import FlinkJob, FlinkStatement

_ERROR_STATES = ("DEGRADED", "FAILED", "FAILING")
"""States in which the detail that the service reports is an error."""


class Statements:
    """The statements of one source of *cluster*; they are parsed again only where a poll changed them."""

    def __init__(self, cluster: str, context: FlinkContext) -> None:
        self._cluster = cluster
        self._context = context
        self._parsed: tuple[FlinkStatement, ...] = ()
        self._jobs: Mapping[str, JobEntry] = {}

    def observe(self, statements: Iterable[FlinkStatement]) -> list[ObservedJob]:
        """Return the statements that move data as observed jobs; several in one text share its state."""
        listed = {statement.name: statement for statement in statements}
        ordered = sorted(listed.values(), key=lambda statement: (statement.created, statement.name))
        current = tuple(map(_without_state, ordered))
        if current != self._parsed:
            flows = _flows(self._cluster, current, self._context)
            self._jobs = {job.job.name: described_job(job) for job in flows}
            self._parsed = current
        owners = ((listed.get(name) or listed[name.rpartition(":")[0]], job) for name, job in self._jobs.items())
        return [_observed(statement, job) for statement, job in owners]


def script_jobs(cluster: str, scripts: Iterable[FlinkStatement], context: FlinkContext) -> tuple[JobFlows, ...]:
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
    namespace = flink_namespace(cluster, FlinkStatement(source=job.source, name=job.name, statement=""))
    return JobEntry(namespace=namespace, name=job.title or job.name, facets={"jobType": job_type("FLINK", "JOB")})


def _flows(cluster: str, statements: tuple[FlinkStatement, ...], context: FlinkContext) -> Iterable[JobFlows]:
    return (reading.flows for reading in flink_jobs(cluster, statements, range(len(statements)), context))


def _without_state(statement: FlinkStatement) -> FlinkStatement:
    """Return a statement without state and detail, except that it failed: a failed one declares no tables."""
    failed = phase_of(statement.state, FLINK) is Phase.FAILED or statement.state.upper() == "FAILING"
    return replace(statement, state="FAILED" if failed else "", detail="")


def _observed(statement: FlinkStatement, job: JobEntry) -> ObservedJob:
    error = None
    if statement.state.upper() in _ERROR_STATES:
        error = run_error(statement.detail, f"the statement is {statement.state}")
    return ObservedJob(name=job.name, phase=phase_of(statement.state, FLINK), job=job, error=error)
