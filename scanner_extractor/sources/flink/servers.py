"""The table of Flink's servers: who reads each kind, and what `scanner check` tries on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from scanner_extractor.http.client import Http
from scanner_extractor.scan.results import JobsResult, Progress
from scanner_extractor.settings.flink import CMF, CONFLUENT, JOB_MANAGER, SQL_GATEWAY, FlinkSettings
from scanner_extractor.sources.flink import confluent
from scanner_extractor.sources.flink import jobs as flink_jobs

Try = tuple[str, Callable[[], str]]
"""What is tried, and the question; it gives in a few words what was found, and raises ScannerError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkSource:
    """A kind of Flink server: *read* asks it for everything, *tries* are what a scan cannot do without."""

    read: Callable[[FlinkSettings, Http, Progress], JobsResult]
    tries: Callable[[FlinkSettings, Http], Iterator[Try]]


def _cloud(settings: FlinkSettings, http: Http) -> Iterator[Try]:
    yield "list statements", lambda: confluent.count_cloud_statements(settings, http)


def _cmf(settings: FlinkSettings, http: Http) -> Iterator[Try]:
    yield "list statements", lambda: confluent.count_cmf_statements(settings, http)


def _job_manager(settings: FlinkSettings, http: Http) -> Iterator[Try]:
    yield "reach the job manager", lambda: flink_jobs.job_manager_version(http)
    yield "list jobs", lambda: flink_jobs.counted_jobs(settings, http)


def _gateway(_: FlinkSettings, http: Http) -> Iterator[Try]:
    yield "reach the gateway", lambda: flink_jobs.gateway_version(http)


FLINK_SOURCES: Mapping[str, FlinkSource] = {
    CONFLUENT: FlinkSource(read=confluent.read_flink_cloud, tries=_cloud),
    CMF: FlinkSource(read=confluent.read_flink_cmf, tries=_cmf),
    JOB_MANAGER: FlinkSource(read=flink_jobs.read_job_manager, tries=_job_manager),
    SQL_GATEWAY: FlinkSource(read=flink_jobs.read_gateway_alive, tries=_gateway),
}
