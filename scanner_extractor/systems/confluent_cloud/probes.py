"""What `scanner doctor` tries on Confluent Cloud: its control plane, stream catalogs, Tableflow and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from scanner_extractor.http.client import Http
from scanner_extractor.probes import Probe
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.systems.confluent_cloud.discovery import read_cloud
from scanner_extractor.systems.confluent_cloud.metrics import METRIC_QUERIES, query_metric
from scanner_extractor.systems.confluent_cloud.settings import (
    CloudSettings,
    MetricsSettings,
    Organization,
    StreamCatalogSettings,
    TableflowSettings,
)
from scanner_extractor.systems.confluent_cloud.stream_catalog import TOPIC, graphql_page, search_page
from scanner_extractor.systems.confluent_cloud.tableflow import tableflow_topics
from scanner_model.errors import Problem, SourceRefused


@dataclass(slots=True)
class CloudFound:
    """What a check of the control plane found, once it was tried."""

    readings: list[Reading] = field(default_factory=list)

    @property
    def organization(self) -> Organization | None:
        """Return what was found; None where nothing was."""
        return next((found for reading in self.readings for found in reading.of(Organization)), None)


def cloud_probes(settings: CloudSettings, http: Http, discovered: CloudFound) -> Iterator[Probe]:
    """Try to find the cluster; then report each list that was refused, and why."""

    def listed() -> str:
        reading = read_cloud(settings, http, no_progress)
        discovered.readings.append(reading)
        return _counted(*reading.of(Organization))

    yield Probe("find the cluster", listed)
    for problem in discovered.readings[0].problems if discovered.readings else ():
        yield Probe("list what is beside it", _refusing(problem), required=False)


def new_cloud_probes(settings: CloudSettings, http: Http) -> Iterator[Probe]:
    """Try to find the cluster of an organization that was not read before."""
    return cloud_probes(settings, http, CloudFound())


def stream_catalog_probes(_: StreamCatalogSettings, http: Http) -> Iterator[Probe]:
    """Try both APIs of a stream catalog."""
    yield Probe("search topics", lambda: _count_text(len(search_page(http, TOPIC, 0, 1)), "topic"))
    yield Probe("query GraphQL", lambda: _count_text(len(graphql_page(http, TOPIC, 0, 1)), "topic"))


def tableflow_probes(settings: TableflowSettings, http: Http) -> Iterator[Probe]:
    """Try to list the topics that are stored as tables."""
    yield Probe("list tables of topics", lambda: f"{len(tableflow_topics(settings, http).items)} topics as tables")


def metrics_probes(settings: MetricsSettings, http: Http) -> Iterator[Probe]:
    """Try to query one metric."""
    yield Probe("query a metric", lambda: f"{len(query_metric(settings, http, METRIC_QUERIES[0])[0])} rows")


def _count_text(count: int, noun: str) -> str:
    return f"at least {count} {noun}" if count else f"no {noun}"


def _counted(organization: Organization) -> str:
    counts = (
        ("clusters", len(organization.clusters)),
        ("schema registries", len(organization.registries)),
        ("ksqlDB clusters", len(organization.ksqldb)),
        ("compute pools", len(organization.pools)),
    )
    return ", ".join(f"{count} {what}" for what, count in counts)


def _refusing(problem: Problem) -> Callable[[], str]:
    def refuse() -> str:
        raise SourceRefused(problem.what, hint=problem.hint)

    return refuse
