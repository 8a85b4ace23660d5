"""Flink's statements and jobs as their runs are told: state, lineage and error, from what one poll says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dataflow_generator.jobs.flink.job_matching import sink_table, title_tables
from dataflow_generator.jobs.flink.resolve import World
from dataflow_generator.jobs.flink.statements import flink_jobs, flink_namespace
from dataflow_generator.jobs.model import JobFlows
from dataflow_generator.openlineage.emit.facets import job_type
from dataflow_generator.openlineage.emit.run_events import JobEntry
from dataflow_generator.openlineage.monitor.jobs import described_job, first_line
from dataflow_generator.openlineage.monitor.state_machine import ObservedJob, RunError
from dataflow_generator.openlineage.monitor.state_mapping import FLINK, Phase, phase_of
from scanner_model.flink import FlinkJob, FlinkStatement

_ILL = ("DEGRADED", "FAILED", "FAILING")
"""States in which what the service says beside them is what is wrong."""


class Statements:
    """The statements of one source of *cluster*, found in *world*; what a poll does not change is not read again."""

    def __init__(self, cluster: str, world: World) -> None:
        self._cluster = cluster
        self._world = world
        self._read: tuple[FlinkStatement, ...] = ()
        self._jobs: Mapping[str, JobEntry] = {}

    def seen(self, statements: Iterable[FlinkStatement]) -> list[ObservedJob]:
        """Return those that move data as their runs are told; several in one text share its state."""
        listed = {each.name: each for each in statements}
        kept = tuple(_lasting(each) for each in sorted(listed.values(), key=lambda each: (each.created, each.name)))
        if kept != self._read:
            self._jobs = {each.job.name: described_job(each) for each in _flows(self._cluster, kept, self._world)}
            self._read = kept
        owners = ((listed.get(name) or listed[name.rpartition(":")[0]], job) for name, job in self._jobs.items())
        return [_seen(statement, job) for statement, job in owners]


def scripted(cluster: str, scripts: Iterable[FlinkStatement], world: World) -> tuple[JobFlows, ...]:
    """Return the jobs that files of SQL tell: whoever runs them, does not tell their text."""
    return tuple(_flows(cluster, tuple(scripts), world))


def observed_jobs(
    jobs: Iterable[FlinkJob], causes: Mapping[str, str], scripts: tuple[JobFlows, ...], cluster: str
) -> list[ObservedJob]:
    """Return the jobs of a JobManager as their runs are told; *causes* are the traces of those that failed, by id.

    A job whose tables (Flink names them in its title) those of *scripts* write, each just one, is told as these.
    """
    return [seen for job in jobs for seen in _jobs_seen(job, causes.get(job.name, ""), scripts, cluster)]


def _jobs_seen(job: FlinkJob, cause: str, scripts: tuple[JobFlows, ...], cluster: str) -> Iterable[ObservedJob]:
    phase = phase_of(job.state, FLINK)
    trouble = None
    if phase is Phase.FAILED:
        trouble = RunError(message=first_line(cause) or f"the job is {job.state}", trace=cause)
    for told in _of_title(job.title, scripts) or (_untold(job, cluster),):
        yield ObservedJob(name=f"{job.name} {told.name}", phase=phase, job=told, trouble=trouble)


def _of_title(title: str, scripts: tuple[JobFlows, ...]) -> tuple[JobEntry, ...]:
    """Find the statements that a job runs by the tables in its title; none where a table has not just one writer."""
    tables = title_tables(title)
    writers = {table: [each for each in scripts if sink_table(each) == table] for table in sorted(tables)}
    if any(len(found) != 1 for found in writers.values()):
        return ()
    return tuple(described_job(found[0]) for found in writers.values())


def _untold(job: FlinkJob, cluster: str) -> JobEntry:
    namespace = flink_namespace(cluster, FlinkStatement(source=job.source, name=job.name, statement=""))
    return JobEntry(namespace=namespace, name=job.title or job.name, facets={"jobType": job_type("FLINK", "JOB")})


def _flows(cluster: str, statements: tuple[FlinkStatement, ...], world: World) -> Iterable[JobFlows]:
    return (each.flows for each in flink_jobs(cluster, statements, range(len(statements)), world))


def _lasting(statement: FlinkStatement) -> FlinkStatement:
    """Leave out what says nothing of lineage; what failed declares no tables."""
    failed = phase_of(statement.state, FLINK) is Phase.FAILED or statement.state.upper() == "FAILING"
    return replace(statement, state="FAILED" if failed else "", detail="")


def _seen(statement: FlinkStatement, job: JobEntry) -> ObservedJob:
    trouble = None
    if statement.state.upper() in _ILL:
        message = first_line(statement.detail) or f"the statement is {statement.state}"
        trouble = RunError(message=message, trace=statement.detail)
    return ObservedJob(name=job.name, phase=phase_of(statement.state, FLINK), job=job, trouble=trouble)
