"""The kinds of Flink server: how each is read and checked; jobs and plans of a JobManager, a SQL Gateway's version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import WorkerPool, map_concurrently
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading, answered, no_progress
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.flink import confluent as flink_confluent
from scanner_extractor.systems.flink.confluent import (
    FlinkListing,
    read_statement,
    read_table,
    statement_name,
    table_name,
)
from scanner_extractor.systems.flink.settings import CMF, CONFLUENT, JOB_MANAGER, SQL_GATEWAY, FlinkSettings
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError, SourceObjected, SourceRefused
from scanner_model.maturity import Proof, live
from scanner_model.payload import Payload, Unread
from scanner_model.redaction import mask_json, mask_text
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import FlinkJob, StreamingStatement

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_jobs(payload: Json, unread: Unread) -> tuple[FlinkJob, ...]:
    """Read `GET /jobs/overview`: jobs without plans, sorted by id; raises PayloadUnexpected for no list of jobs."""

    def read(entry: Payload) -> FlinkJob:
        return FlinkJob(
            source=unread.source,
            name=_identity(entry),
            title=mask_text(entry.text("name")),
            state=entry.text("state"),
            started=_started(entry),
        )

    jobs = unread.read(Payload(payload).entries("jobs"), read, lambda entry: entry.shown("jid"))
    return tuple(sorted(jobs, key=lambda job: job.name))


def read_plan(payload: Json) -> str:
    """Read `GET /jobs/{id}/plan`: the plan as JSON text, secrets hidden; raises PayloadUnexpected."""
    plan = Payload(payload).need("plan").members()
    return json.dumps(mask_json(dict(plan)), ensure_ascii=False)


def read_cause(payload: Json) -> str:
    """Read `GET /jobs/{id}/exceptions`: the trace of the newest failure, secrets hidden; empty where none is reported.

    Raises PayloadUnexpected for any other shape. Before Flink 2.0 it is also in `root-exception`.
    """
    answer = Payload(payload)
    entries = answer.object("exceptionHistory").list("entries")
    return mask_text(next((entry.shown("stacktrace") for entry in entries), "") or answer.text("root-exception"))


def jobless_applications(payload: Json) -> tuple[tuple[str, str], ...]:
    """Read `GET /applications/overview` (Flink 2.3): name and state of applications without a job that did not end.

    The jobs of the others are those of `GET /jobs/overview`. Raises PayloadUnexpected.
    """
    entries = Payload(payload).entries("applications")
    applications = ((entry.text("name"), entry.text("status")) for entry in entries if not entry.object("jobs").value)
    return tuple((mask_text(name), state) for name, state in applications if state not in _ENDED)


_ENDED = frozenset({"FINISHED", "CANCELED"})


def read_version(payload: Json) -> str:
    """Read the version of Flink from `GET /overview`; raises PayloadUnexpected."""
    return Payload(payload).need("flink-version").text()


def read_gateway(payload: Json) -> str:
    """Read product and version from `GET /v1/info` of a SQL gateway; raises PayloadUnexpected."""
    answer = Payload(payload)
    return f"{answer.need('productName').text()} {answer.need('version').text()}"


def _identity(entry: Payload) -> str:
    """Return the id of a job, which is part of request paths."""
    identity = entry.need("jid").text()
    if not identity.isalnum():
        raise entry.error("has an invalid job id")
    return identity


def _started(entry: Payload) -> str:
    """Return the start as ISO 8601; empty if absent, as -1 of a job that has not started."""
    time = entry.time("start-time")
    return time.isoformat(timespec="milliseconds") if time and time >= _EPOCH else ""


_SHOWN = 3


def read_job_manager(settings: FlinkSettings, http: Http, progress: Progress) -> Reading:
    """Read every job that a JobManager still knows, each with its plan; their SQL is not available.

    `GET /jobs/overview`, then `GET /applications/overview` and `GET /jobs/{id}/plan`. Raises ScannerError where the
    jobs are not listed. A job whose plan could not be read is left out and reported: earlier facts are retained.
    """
    unread = Unread(settings.source)
    jobs = read_jobs(http.get("jobs", "overview"), unread)
    jobless = tuple(_jobless(settings, http))
    plans = _plans(jobs, settings, http, progress)
    read = tuple(replace(job, plan=plan) for job, plan in zip(jobs, plans, strict=True) if isinstance(plan, str))
    failed = [(job, plan) for job, plan in zip(jobs, plans, strict=True) if isinstance(plan, ScannerError)]
    progress(settings.source, len(read), len(read))
    strange = [f"{len(unread)} of its jobs could not be read"] if unread else []
    unread.names |= {job.name for job, _ in failed}
    reasons = [*strange, *([f"the plans of {len(failed)} of its jobs could not be read"] if failed else [])]
    outcome = answered(
        settings.source,
        "flink",
        len(read),
        reasons=reasons,
        missing=len(unread),
        requests=http.requests,
        unread=unread.known,
    )
    problems = (*unread.problems, *jobless, *_problems(settings, failed))
    return Reading(outcome=outcome, facts=read, problems=problems)


def _jobless(settings: FlinkSettings, http: Http) -> Iterator[Problem]:
    """Yield the applications without a job; none where the server, or a proxy before it, does not list them."""
    try:
        applications = jobless_applications(http.get("applications", "overview"))
    except ScannerError:
        return
    for name, state in applications:
        what = f"application {name} is {state} and has no job: what it reads and writes is unknown"
        yield Problem(str(settings.source), what, "its exceptions in Flink's web interface show why; scan again")


def read_gateway_alive(settings: FlinkSettings, http: Http, progress: Progress) -> Reading:
    """Check that a SQL Gateway is reachable (`GET /v1/info`): it lists neither sessions nor statements of others.

    Raises ScannerError where it is not.
    """
    gateway_version(http)
    progress(settings.source, 0, 0)
    outcome = SourceResult(source=settings.source, kind="flink", status=SourceStatus.READ, requests=http.requests)
    return Reading(outcome=outcome)


def job_manager_version(http: Http) -> str:
    """Return the version of Flink that a job manager runs; raises ScannerError."""
    return f"Flink {read_version(http.get('overview'))}"


def counted_jobs(settings: FlinkSettings, http: Http) -> str:
    """Return how many jobs a JobManager lists; raises ScannerError."""
    return f"{len(read_jobs(http.get('jobs', 'overview'), Unread(settings.source)))} jobs"


def gateway_version(http: Http) -> str:
    """Return product and version of a SQL gateway; raises ScannerError."""
    return read_gateway(http.get("v1", "info"))


def _plans(
    jobs: Sequence[FlinkJob], settings: FlinkSettings, http: Http, progress: Progress
) -> list[str | ScannerError]:
    def report(done: int) -> None:
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


FlinkType = SourceType[FlinkSettings]


def _cloud(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("list statements", lambda: flink_confluent.count_cloud_statements(settings, http))


def _cmf(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("list statements", lambda: flink_confluent.count_cmf_statements(settings, http))


def _check_job_manager(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("reach the job manager", lambda: job_manager_version(http))
    yield Probe("list jobs", lambda: counted_jobs(settings, http))


def _gateway(_: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("reach the gateway", lambda: gateway_version(http))


_FLINK = live("Apache Flink", "2.3.0", "tests/lab/test_lab_flink.py")

FLINK_SOURCES: Mapping[str, FlinkType] = {
    CONFLUENT: FlinkType(
        read=flink_confluent.read_flink_cloud, check=_cloud, proofs=(Proof("Confluent Cloud for Apache Flink"),)
    ),
    CMF: FlinkType(
        read=flink_confluent.read_flink_cmf, check=_cmf, proofs=(Proof("Confluent Manager for Apache Flink"),)
    ),
    JOB_MANAGER: FlinkType(read=read_job_manager, check=_check_job_manager, proofs=(_FLINK,)),
    SQL_GATEWAY: FlinkType(read=read_gateway_alive, check=_gateway, proofs=(_FLINK,)),
}


_DISPENSABLE = (NotFound, SourceObjected, SourceRefused, PayloadUnexpected)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkStates:
    """Current statements and jobs, sorted by name; *unread* names those that could not be read."""

    statements: tuple[StreamingStatement, ...] = ()
    jobs: tuple[FlinkJob, ...] = ()
    unread: frozenset[str] = frozenset()


def _confluent(settings: FlinkSettings, http: Http) -> FlinkStates:
    """Read statements and, where they are offered, materialised tables, 100 a request."""
    listing = FlinkListing(settings, no_progress)
    listing.take(flink_confluent.list_cloud_statements(settings, http, "statements"), read_statement, statement_name)
    with suppress(NotFound, SourceRefused):  # not offered, or not to this user: none was ever reported
        listing.take(
            flink_confluent.list_cloud_statements(settings, http, "materialized-tables"), read_table, table_name
        )
    return _listed(listing)


def _manager(settings: FlinkSettings, http: Http) -> FlinkStates:
    listing = FlinkListing(settings, no_progress)
    listing.take(flink_confluent.list_cmf_statements(settings, http), read_statement, statement_name)
    return _listed(listing)


def _job_manager(settings: FlinkSettings, http: Http) -> FlinkStates:
    unread = Unread(settings.source)
    jobs = read_jobs(http.get("jobs", "overview"), unread)
    return FlinkStates(jobs=jobs, unread=_named(unread))


def _listed(listing: FlinkListing) -> FlinkStates:
    statements = tuple(listing.statements[name] for name in sorted(listing.statements))
    return FlinkStates(statements=statements, unread=_named(listing.unread))


def _named(unread: Unread) -> frozenset[str]:
    """Return the names of what could not be read; raises PayloadUnexpected where one has none: it might be any."""
    if unread.nameless:
        raise PayloadUnexpected("an entry of its list has no name", where=str(unread.source))
    return unread.known


STATES: Mapping[str, Callable[[FlinkSettings, Http], FlinkStates]] = {
    CONFLUENT: _confluent,
    CMF: _manager,
    JOB_MANAGER: _job_manager,
}
"""The reader of each kind; raises ScannerError where a list is incomplete. A SQL Gateway lists nothing."""


def job_causes(http: Http, jobs: Iterable[str]) -> Mapping[str, str]:
    """Return the trace of the failure of each of *jobs* (`GET /jobs/{id}/exceptions`), empty where not reported."""
    return {job: _cause(http, job) for job in jobs}


def _cause(http: Http, job: str) -> str:
    try:
        return read_cause(http.get("jobs", job, "exceptions", params=[("maxExceptions", 1)]))
    except _DISPENSABLE:
        return ""
