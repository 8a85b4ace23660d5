"""Kinds of source: Confluent Cloud's control plane, Kafka over REST, stream catalogs, Tableflow, metrics."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.probes import Probe
from scanner_extractor.results import (
    Progress,
    SourceResults,
)
from scanner_extractor.settings.cluster import OffsetSettings
from scanner_extractor.source_kind import (
    CLUSTER,
    DISCOVERY,
    METRICS,
    SCHEMAS,
    TABLES,
    Connections,
    SourceKind,
    http_kind,
    tested,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.confluent_cloud.section import (
    CLOUD_SECTION,
    KAFKA_REST_SECTION,
    METRICS_SECTION,
    STREAM_CATALOG_SECTION,
    TABLEFLOW_SECTION,
)
from scanner_extractor.systems.confluent_cloud.settings import (
    CloudSettings,
    KafkaRestSettings,
    MetricsSettings,
    StreamCatalogSettings,
    TableflowSettings,
)
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import Proof, live

_CLOUD = "scanner_extractor.systems.confluent_cloud"


def _read_metrics(settings: MetricsSettings, connections: Connections, progress: Progress) -> SourceResults:
    with connections.http(settings.http, settings.source) as http:
        result: SourceResults = load(f"{_CLOUD}.metrics:read_metrics")(settings, http, progress, now=connections.now())
        return result


def _check_metrics(settings: MetricsSettings, connections: Connections) -> Iterator[Probe]:
    with connections.http(settings.http, settings.source) as http:
        yield from load(f"{_CLOUD}.probes:metrics_probes")(settings, http)


CLOUD = http_kind(
    "confluent_cloud",
    DISCOVERY,
    CLOUD_SECTION,
    CloudSettings,
    SourceType(
        read=deferred(f"{_CLOUD}.discovery:read_cloud"),
        check=deferred(f"{_CLOUD}.probes:new_cloud_probes"),
        proofs=(Proof("Confluent Cloud"),),
    ),
)

KAFKA_REST = http_kind(
    "kafka",
    CLUSTER,
    KAFKA_REST_SECTION,
    KafkaRestSettings,
    SourceType(
        read=deferred(f"{_CLOUD}.kafka_rest:read_kafka_rest"),
        check=deferred(f"{_CLOUD}.kafka_rest:kafka_rest_probes"),
        proofs=(Proof("Kafka REST API of Confluent"),),
    ),
)

STREAM_CATALOG = http_kind(
    "stream_catalog",
    SCHEMAS,
    STREAM_CATALOG_SECTION,
    StreamCatalogSettings,
    SourceType(
        read=deferred(f"{_CLOUD}.stream_catalog:read_stream_catalog"),
        check=deferred(f"{_CLOUD}.probes:stream_catalog_probes"),
        proofs=(Proof("Stream Catalog of Confluent Cloud"),),
    ),
)

TABLEFLOW = http_kind(
    "tableflow",
    TABLES,
    TABLEFLOW_SECTION,
    TableflowSettings,
    SourceType(
        read=deferred(f"{_CLOUD}.tableflow:read_tableflow"),
        check=deferred(f"{_CLOUD}.probes:tableflow_probes"),
        proofs=(Proof("Tableflow of Confluent Cloud"),),
    ),
)

CLOUD_METRICS = SourceKind(
    name="metrics",
    phase=METRICS,
    section=METRICS_SECTION,
    settings=MetricsSettings,
    proofs=tested(Proof("Metrics API of Confluent Cloud")),
    read=_read_metrics,
    check=_check_metrics,
)

OFFSETS = SourceKind(
    name="metrics",
    phase=METRICS,
    section=METRICS_SECTION,
    settings=OffsetSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_again.py")),
    ready=lambda settings: bool(settings.brokers),
    read=lambda settings, connections, progress: connections.offsets(settings, progress),
    check=lambda _, __: (),  # the brokers are tried as the kind `kafka`
)
