"""Flink servers by type: the reader of each, and what `scanner check` tries on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scanner_extractor.checks.probes import Probe
from scanner_extractor.http.client import Http
from scanner_extractor.scan.results import JobsResult
from scanner_extractor.scan.source_types import SourceType
from scanner_extractor.settings.flink import CMF, CONFLUENT, JOB_MANAGER, SQL_GATEWAY, FlinkSettings
from scanner_extractor.sources.flink import confluent
from scanner_extractor.sources.flink import jobs as flink_jobs

FlinkType = SourceType[FlinkSettings, JobsResult]


def _cloud(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("list statements", lambda: confluent.count_cloud_statements(settings, http))


def _cmf(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("list statements", lambda: confluent.count_cmf_statements(settings, http))


def _job_manager(settings: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("reach the job manager", lambda: flink_jobs.job_manager_version(http))
    yield Probe("list jobs", lambda: flink_jobs.counted_jobs(settings, http))


def _gateway(_: FlinkSettings, http: Http) -> Iterator[Probe]:
    yield Probe("reach the gateway", lambda: flink_jobs.gateway_version(http))


FLINK_SOURCES: Mapping[str, FlinkType] = {
    CONFLUENT: FlinkType(read=confluent.read_flink_cloud, check=_cloud),
    CMF: FlinkType(read=confluent.read_flink_cmf, check=_cmf),
    JOB_MANAGER: FlinkType(read=flink_jobs.read_job_manager, check=_job_manager),
    SQL_GATEWAY: FlinkType(read=flink_jobs.read_gateway_alive, check=_gateway),
}
