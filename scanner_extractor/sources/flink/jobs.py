"""Read a self-hosted Flink: jobs and plans of a JobManager, reachability of a SQL Gateway."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.results import JobsResult, Progress
from scanner_extractor.settings.flink import FlinkSettings
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError
from scanner_model.names import SourceId
from scanner_model.redaction import mask_json, mask_text
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import FlinkJob

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_jobs(payload: Json, source: SourceId) -> tuple[FlinkJob, ...]:
    """Read `GET /jobs/overview`: jobs without plans, sorted by id; one without an id is left out.

    Raises PayloadUnexpected where it is no list of jobs.
    """
    match payload:
        case {"jobs": list(jobs)}:
            entries = [
                _job(entry, source) for entry in jobs if isinstance(entry, dict) and _text(entry, "jid").isalnum()
            ]
            return tuple(sorted(entries, key=lambda job: job.name))
        case _:
            raise PayloadUnexpected("the response is not a list of jobs", hint="check the `url` of this source")


def read_plan(payload: Json) -> str:
    """Read `GET /jobs/{id}/plan`: the plan as JSON text, secrets hidden; raises PayloadUnexpected."""
    match payload:
        case {"plan": dict(plan)}:
            return json.dumps(mask_json(plan), ensure_ascii=False)
        case _:
            raise PayloadUnexpected("the response is not the plan of a job")


def read_cause(payload: Json) -> str:
    """Read `GET /jobs/{id}/exceptions`: the trace of the newest failure, secrets hidden; empty where none is reported.

    Raises PayloadUnexpected for any other shape. Before Flink 2.0 it is also in `root-exception`.
    """
    match payload:
        case {"exceptionHistory": {"entries": [{"stacktrace": str(trace)}, *_]}} | {"root-exception": str(trace)}:
            return mask_text(trace)
        case dict():
            return ""
        case _:
            raise PayloadUnexpected("the response has no failure cause of a job")


def read_version(payload: Json) -> str:
    """Read the version of Flink from `GET /overview`; raises PayloadUnexpected."""
    match payload:
        case {"flink-version": str(version)}:
            return version
        case _:
            raise PayloadUnexpected("the response is not from a JobManager", hint="check the `url` of this source")


def read_gateway(payload: Json) -> str:
    """Read product and version from `GET /v1/info` of a SQL gateway; raises PayloadUnexpected."""
    match payload:
        case {"productName": str(product), "version": str(version)}:
            return f"{product} {version}"
        case _:
            raise PayloadUnexpected("the response is not from a SQL Gateway", hint="check the `url` of this source")


def _job(entry: Mapping[str, Json], source: SourceId) -> FlinkJob:
    return FlinkJob(
        source=source,
        name=_text(entry, "jid"),
        title=mask_text(_text(entry, "name")),
        state=_text(entry, "state"),
        started=_moment(entry.get("start-time")),
    )


def _moment(milliseconds: Json) -> str:
    """Return a time in milliseconds as ISO 8601; empty where it is none, as -1 of a job that has not started."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int) or milliseconds < 0:
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""


def _text(value: Mapping[str, Json], member: str) -> str:
    text = value.get(member)
    return text if isinstance(text, str) else ""


_SHOWN = 3


def read_job_manager(settings: FlinkSettings, http: Http, progress: Progress) -> JobsResult:
    """Read every job that a JobManager still knows, each with its plan; their SQL is not available.

    `GET /jobs/overview`, then `GET /jobs/{id}/plan`. Raises ScannerError where the jobs are not listed. A job whose
    plan could not be read is left out and reported: facts of earlier scans are retained.
    """
    jobs = read_jobs(http.get("jobs", "overview"), settings.source)
    plans = _plans(jobs, settings, http, progress)
    read = tuple(replace(job, plan=plan) for job, plan in zip(jobs, plans, strict=True) if isinstance(plan, str))
    failed = [(job, plan) for job, plan in zip(jobs, plans, strict=True) if isinstance(plan, ScannerError)]
    progress(settings.source, len(read), len(read))
    outcome = SourceResult(
        source=settings.source,
        kind="flink",
        status=SourceStatus.PARTIAL if failed else SourceStatus.READ,
        received=len(read),
        requested=len(jobs),
        reason=f"the plans of {len(failed)} of its jobs could not be read" if failed else "",
        requests=http.requests,
        unread=frozenset(job.name for job, _ in failed),
    )
    return JobsResult(outcome=outcome, jobs=read, problems=_problems(settings, failed))


def read_gateway_alive(settings: FlinkSettings, http: Http, progress: Progress) -> JobsResult:
    """Check that a SQL Gateway is reachable (`GET /v1/info`): it lists neither sessions nor statements of others.

    Raises ScannerError where it is not.
    """
    gateway_version(http)
    progress(settings.source, 0, 0)
    outcome = SourceResult(source=settings.source, kind="flink", status=SourceStatus.READ, requests=http.requests)
    return JobsResult(outcome=outcome)


def job_manager_version(http: Http) -> str:
    """Return the version of Flink that a job manager runs; raises ScannerError."""
    return f"Flink {read_version(http.get('overview'))}"


def counted_jobs(settings: FlinkSettings, http: Http) -> str:
    """Return how many jobs a JobManager lists; raises ScannerError."""
    return f"{len(read_jobs(http.get('jobs', 'overview'), settings.source))} jobs"


def gateway_version(http: Http) -> str:
    """Return product and version of a SQL gateway; raises ScannerError."""
    return read_gateway(http.get("v1", "info"))


def _plans(
    jobs: Sequence[FlinkJob], settings: FlinkSettings, http: Http, progress: Progress
) -> list[str | ScannerError]:
    done = 0

    def report() -> None:
        nonlocal done
        done += 1
        progress(settings.source, done, len(jobs))

    def plan(job: FlinkJob) -> str:
        try:
            return read_plan(http.get("jobs", job.name, "plan"))
        except NotFound:  # forgotten since it was listed
            return ""

    return map_concurrently(jobs, plan, pool=WorkerPool(threads=settings.http.concurrency), on_result=report)


def _problems(settings: FlinkSettings, failed: Sequence[tuple[FlinkJob, ScannerError]]) -> tuple[Problem, ...]:
    """Return problems of the first few jobs; an unavailable JobManager fails for all in the same way."""
    listed = [
        Problem(f"{settings.source} {job.name}", f"its plan could not be read: {error.what}", error.hint)
        for job, error in failed[:_SHOWN]
    ]
    rest = len(failed) - len(listed)
    more = [Problem(str(settings.source), f"nor could the plans of {rest} more of its jobs")] if rest else []
    return (*listed, *more)
