"""What `scanner check` tries on Confluent Cloud's planes, Kafka over REST, stream catalogs, Tableflow and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from scanner_extractor.checks.registries import RegistryProbe
from scanner_extractor.http.client import Http
from scanner_extractor.scan.results import CloudResult, no_progress
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.settings.confluent_cloud import (
    CloudSettings,
    KafkaRestSettings,
    MetricsSettings,
    Organization,
    StreamCatalogSettings,
    TableflowSettings,
)
from scanner_extractor.sources.confluent_cloud.discovery import read_cloud
from scanner_extractor.sources.confluent_cloud.metrics import METRIC_QUERIES, query_metric
from scanner_extractor.sources.confluent_cloud.pagination import rest_list
from scanner_extractor.sources.confluent_cloud.stream_catalog import TOPIC, graphql_page, search_page
from scanner_extractor.sources.confluent_cloud.tableflow import tableflow_topics
from scanner_extractor.sources.kafka_rest import find_cluster
from scanner_model.errors import SourceRefused
from scanner_model.names import SourceId
from scanner_model.problems import Problem

CloudSource = KafkaRestSettings | StreamCatalogSettings | TableflowSettings | MetricsSettings


@dataclass(slots=True)
class Found:
    """What a check of the control plane found, once it was tried."""

    readings: list[CloudResult] = field(default_factory=list)

    @property
    def organization(self) -> Organization | None:
        """Return what was found; None where nothing was."""
        return self.readings[0].organization if self.readings else None


def cloud_probes(settings: CloudSettings, http: Http, found: Found) -> Iterator[RegistryProbe]:
    """Try to find the cluster; and say of each list that was refused why it was, after it."""

    def listed() -> str:
        reading = read_cloud(settings, http, no_progress)
        found.readings.append(reading)
        return _counted(reading.organization)

    yield "find the cluster", listed
    for problem in found.readings[0].problems if found.readings else ():
        yield "list what is beside it", _refusing(problem)


def own_sources(settings: Settings) -> Iterator[tuple[CloudSource, HttpSettings, SourceId]]:
    """Return what is asked over HTTP here and is neither registry nor processing, in the order of cluster.json."""
    singles: Sequence[CloudSource | None] = (
        settings.kafka_rest,
        *settings.stream_catalogs,
        settings.tableflow,
        settings.metrics if isinstance(settings.metrics, MetricsSettings) else None,
    )
    yield from ((each, each.http, each.source) for each in singles if each)


def source_probes(settings: CloudSource, http: Http) -> Iterator[RegistryProbe]:
    """Return what is to be tried, each after the one before it succeeded."""
    match settings:
        case KafkaRestSettings():
            yield "list topics", lambda: f"{len(rest_list(http, *find_cluster(settings, http), 'topics').items)} topics"
        case StreamCatalogSettings():
            yield "search topics", lambda: _some(len(search_page(http, TOPIC, 0, 1)), "topic")
            yield "ask GraphQL", lambda: _some(len(graphql_page(http, TOPIC, 0, 1)), "topic")
        case TableflowSettings():
            yield "list tables of topics", lambda: f"{len(tableflow_topics(settings, http).items)} topics as tables"
        case MetricsSettings():
            yield "query a figure", lambda: f"{len(query_metric(settings, http, METRIC_QUERIES[0])[0])} rows"


def _some(count: int, thing: str) -> str:
    return f"at least {count} {thing}" if count else f"no {thing}"


def _counted(found: Organization) -> str:
    counts = (
        ("clusters", len(found.clusters)),
        ("schema registries", len(found.registries)),
        ("ksqlDB clusters", len(found.ksqldb)),
        ("compute pools", len(found.pools)),
    )
    return ", ".join(f"{count} {what}" for what, count in counts)


def _refusing(problem: Problem) -> Callable[[], str]:
    def refuse() -> str:
        raise SourceRefused(problem.what, hint=problem.hint)

    return refuse
