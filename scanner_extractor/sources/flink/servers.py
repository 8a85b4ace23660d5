"""The kinds of Flink server: how each is read, checked, and polled for the states of its statements and jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from scanner_extractor.http.client import Http
from scanner_extractor.probes import Probe
from scanner_extractor.results import JobsResult, no_progress
from scanner_extractor.settings.flink import CMF, CONFLUENT, JOB_MANAGER, SQL_GATEWAY, FlinkSettings
from scanner_extractor.source_types import SourceType
from scanner_extractor.sources.flink import confluent
from scanner_extractor.sources.flink import jobs as flink_jobs
from scanner_extractor.sources.flink.confluent import (
    FlinkListing,
    read_statement,
    read_table,
    statement_name,
    table_name,
)
from scanner_extractor.sources.flink.jobs import read_cause, read_jobs
from scanner_model.errors import NotFound, PayloadUnexpected, SourceObjected, SourceRefused
from scanner_model.payload import Unread
from scanner_model.streaming_sql import FlinkJob, FlinkStatement

FlinkType = SourceType[FlinkSettings, JobsResult]


def _cloud(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("list statements", lambda: confluent.count_cloud_statements(settings, http))


def _cmf(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("list statements", lambda: confluent.count_cmf_statements(settings, http))


def _check_job_manager(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("reach the job manager", lambda: flink_jobs.job_manager_version(http))
    yield Probe("list jobs", lambda: flink_jobs.counted_jobs(settings, http))


def _gateway(_: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("reach the gateway", lambda: flink_jobs.gateway_version(http))


FLINK_SOURCES: Mapping[str, FlinkType] = {
    CONFLUENT: FlinkType(read=confluent.read_flink_cloud, check=_cloud),
    CMF: FlinkType(read=confluent.read_flink_cmf, check=_cmf),
    JOB_MANAGER: FlinkType(read=flink_jobs.read_job_manager, check=_check_job_manager),
    SQL_GATEWAY: FlinkType(read=flink_jobs.read_gateway_alive, check=_gateway),
}


_DISPENSABLE = (NotFound, SourceObjected, SourceRefused, PayloadUnexpected)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkStates:
    """Current statements and jobs, sorted by name; *unread* names those that could not be read."""

    statements: tuple[FlinkStatement, ...] = ()
    jobs: tuple[FlinkJob, ...] = ()
    unread: frozenset[str] = frozenset()


def _confluent(settings: FlinkSettings, http: Http) -> FlinkStates:
    """Read statements and, where they are offered, materialised tables, 100 a request."""
    listing = FlinkListing(settings, no_progress)
    listing.take(confluent.list_cloud_statements(settings, http, "statements"), read_statement, statement_name)
    with suppress(NotFound, SourceRefused):  # not offered, or not to this user: none was ever reported
        listing.take(confluent.list_cloud_statements(settings, http, "materialized-tables"), read_table, table_name)
    return _listed(listing)


def _manager(settings: FlinkSettings, http: Http) -> FlinkStates:
    listing = FlinkListing(settings, no_progress)
    listing.take(confluent.list_cmf_statements(settings, http), read_statement, statement_name)
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
