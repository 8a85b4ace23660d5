"""The metrics that show which client uses which topic: one row each, with the labels that name topic and client.

Sources: Confluent's jmx-monitoring-stacks (kafka_client.yml), Micrometer's KafkaMetrics, OpenTelemetry's Java
instrumentation and semantic conventions for messaging, Strimzi's reporter of telemetry (KIP-714), kafka_exporter.
"""

from __future__ import annotations

from scanner_extractor.settings.clients import MetricProfile
from scanner_model.clients import Direction, IdentityKind

_CLIENT = ("client_id", IdentityKind.CLIENT_ID.value)
_WORKLOAD = (("namespace", IdentityKind.WORKLOAD.value), ("job", IdentityKind.WORKLOAD.value))
_SCRAPED = (
    _CLIENT,
    ("application", IdentityKind.APPLICATION.value),
    ("app", IdentityKind.APPLICATION.value),
    ("service_name", IdentityKind.SERVICE_NAME.value),
    *_WORKLOAD,
)
# An OpenTelemetry exporter writes [service.namespace/]service.name into `job`.
_EXPORTED = (
    _CLIENT,
    ("service_name", IdentityKind.SERVICE_NAME.value),
    ("job", IdentityKind.SERVICE_NAME.value),
)
_CONVENTIONAL = (
    ("messaging_client_id", IdentityKind.CLIENT_ID.value),
    ("messaging_consumer_group_name", IdentityKind.GROUP.value),
    *_EXPORTED[1:],
)
_PUSHED = (
    _CLIENT,
    ("principal", IdentityKind.PRINCIPAL.value),
    ("group_id", IdentityKind.GROUP.value),
    ("transactional_id", IdentityKind.TRANSACTIONAL_ID.value),
)
_GROUP = (("consumergroup", IdentityKind.GROUP.value),)
_KAFKA = 'messaging_system="kafka"'
_NAME = "messaging_destination_name"
_READS, _WRITES = Direction.READS, Direction.WRITES

PROFILES: tuple[MetricProfile, ...] = (
    MetricProfile(
        name="JMX exporter",
        metric="kafka_producer_producer_topic_metrics_record_send_total",
        direction=_WRITES,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="JMX exporter",
        metric="kafka_consumer_consumer_fetch_manager_metrics_records_consumed_total",
        direction=_READS,
        labels=_SCRAPED,
    ),
    # From version 1.0 on, the exporter writes no `_total` where no rule makes the attribute a counter.
    MetricProfile(
        name="JMX exporter without rules",
        metric="kafka_producer_producer_topic_metrics_record_send",
        direction=_WRITES,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="JMX exporter without rules",
        metric="kafka_consumer_consumer_fetch_manager_metrics_records_consumed",
        direction=_READS,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="Micrometer", metric="kafka_producer_topic_record_send_total", direction=_WRITES, labels=_SCRAPED
    ),
    MetricProfile(
        name="Micrometer",
        metric="kafka_consumer_fetch_manager_records_consumed_total",
        direction=_READS,
        labels=_SCRAPED,
    ),
    MetricProfile(
        name="OpenTelemetry Java", metric="kafka_producer_record_send_total", direction=_WRITES, labels=_EXPORTED
    ),
    MetricProfile(
        name="OpenTelemetry Java", metric="kafka_consumer_records_consumed_total", direction=_READS, labels=_EXPORTED
    ),
    MetricProfile(
        name="OpenTelemetry conventions",
        metric="messaging_client_sent_messages_total",
        direction=_WRITES,
        topic=_NAME,
        labels=_CONVENTIONAL,
        matchers=_KAFKA,
    ),
    MetricProfile(
        name="OpenTelemetry conventions",
        metric="messaging_client_consumed_messages_total",
        direction=_READS,
        topic=_NAME,
        labels=_CONVENTIONAL,
        matchers=_KAFKA,
    ),
    MetricProfile(
        name="OpenTelemetry conventions",
        metric="messaging_process_duration_seconds_count",
        direction=_READS,
        topic=_NAME,
        labels=_CONVENTIONAL,
        matchers=_KAFKA,
    ),
    MetricProfile(
        name="Strimzi reporter",
        metric="clients_org_apache_kafka_producer_topic_byte_rate",
        direction=_WRITES,
        labels=_PUSHED,
        level=True,
    ),
    MetricProfile(
        name="Strimzi reporter",
        metric="clients_org_apache_kafka_consumer_fetch_manager_records_consumed_rate",
        direction=_READS,
        labels=_PUSHED,
        level=True,
    ),
    MetricProfile(name="kafka_exporter", metric="kafka_consumergroup_current_offset", direction=_READS, labels=_GROUP),
    MetricProfile(
        name="kafka_exporter", metric="kafka_consumergroup_lag", direction=_READS, labels=_GROUP, level=True, lag=True
    ),
)
"""In the order in which they are asked for; of two that show one use, the first counts."""
