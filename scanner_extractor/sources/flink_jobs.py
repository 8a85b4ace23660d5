"""Asks a self-hosted Flink: a job manager for its jobs and their plans, a SQL gateway whether it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scanner_extractor.http import Http
from scanner_extractor.readings import JobsReading, Progress
from scanner_extractor.registries.crew import Crew, ask_each
from scanner_extractor.settings_flink import FlinkSettings
from scanner_extractor.sources.flink_jobs_reader import read_gateway, read_jobs, read_plan, read_version
from scanner_model.errors import NotFound, ScannerError
from scanner_model.flink import FlinkJob
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

_SHOWN = 3


def read_job_manager(settings: FlinkSettings, http: Http, progress: Progress) -> JobsReading:
    """Read every job that a job manager still knows, each with its plan; nobody tells the SQL it was made of.

    `GET /jobs/overview`, then `GET /jobs/{id}/plan`. Raises ScannerError where the jobs are not listed. A job whose
    plan could not be read is left out and reported: what an earlier scan knows of it stays.
    """
    jobs = read_jobs(http.get("jobs", "overview"), settings.source)
    plans = _plans(jobs, settings, http, progress)
    read = tuple(replace(job, plan=plan) for job, plan in zip(jobs, plans, strict=True) if isinstance(plan, str))
    failed = [(job, plan) for job, plan in zip(jobs, plans, strict=True) if isinstance(plan, ScannerError)]
    progress(settings.source, len(read), len(read))
    outcome = Outcome(
        source=settings.source,
        kind="flink",
        answer=Answer.PARTIAL if failed else Answer.READ,
        got=len(read),
        asked=len(jobs),
        reason=f"the plans of {len(failed)} of its jobs could not be read" if failed else "",
        requests=http.requests,
        unread=frozenset(job.name for job, _ in failed),
    )
    return JobsReading(outcome=outcome, jobs=read, problems=_problems(settings, failed))


def read_gateway_alive(settings: FlinkSettings, http: Http, progress: Progress) -> JobsReading:
    """Ask a SQL gateway whether it is there (`GET /v1/info`): it lists no sessions, and no statements of others.

    Raises ScannerError where it is not.
    """
    gateway_version(http)
    progress(settings.source, 0, 0)
    outcome = Outcome(source=settings.source, kind="flink", answer=Answer.READ, requests=http.requests)
    return JobsReading(outcome=outcome)


def job_manager_version(http: Http) -> str:
    """Give the version of Flink that a job manager runs; raises ScannerError."""
    return f"Flink {read_version(http.get('overview'))}"


def counted_jobs(settings: FlinkSettings, http: Http) -> str:
    """Say how many jobs a job manager lists; raises ScannerError."""
    return f"{len(read_jobs(http.get('jobs', 'overview'), settings.source))} jobs"


def gateway_version(http: Http) -> str:
    """Give product and version of a SQL gateway; raises ScannerError."""
    return read_gateway(http.get("v1", "info"))


def _plans(
    jobs: Sequence[FlinkJob], settings: FlinkSettings, http: Http, progress: Progress
) -> list[str | ScannerError]:
    done = 0

    def told() -> None:
        nonlocal done
        done += 1
        progress(settings.source, done, len(jobs))

    def plan(job: FlinkJob) -> str:
        try:
            return read_plan(http.get("jobs", job.name, "plan"))
        except NotFound:  # forgotten since it was listed
            return ""

    return ask_each(jobs, plan, crew=Crew(threads=settings.http.concurrency), told=told)


def _problems(settings: FlinkSettings, failed: Sequence[tuple[FlinkJob, ScannerError]]) -> tuple[Problem, ...]:
    """Say the first few; a job manager that went away fails for all of them in the same words."""
    told = [
        Problem(f"{settings.source} {job.name}", f"its plan could not be read: {error.what}", error.hint)
        for job, error in failed[:_SHOWN]
    ]
    rest = len(failed) - len(told)
    more = [Problem(str(settings.source), f"nor could the plans of {rest} more of its jobs")] if rest else []
    return (*told, *more)
