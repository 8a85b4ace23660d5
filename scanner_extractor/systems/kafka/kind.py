"""Kinds of source: topics of the brokers, schema ids of records, access rules, clients that brokers know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scanner_extractor.probes import Probe
from scanner_extractor.results import (
    FactsResult,
    JobsResult,
    Progress,
)
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.source_kind import (
    CLUSTER,
    METRICS,
    SCHEMAS,
    BrokerUse,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.kafka.client_sections import ACL_SECTION, BROKER_CLIENT_SECTION, SCHEMA_ID_SECTION
from scanner_extractor.systems.kafka.section import KAFKA_SECTION
from scanner_extractor.systems.kafka.settings import AclSettings, BrokerClientSettings, SchemaIdSettings
from scanner_model.lazy_names import load
from scanner_model.maturity import live

_ADMIN, _CLIENTS, _SCHEMA_IDS = (
    f"scanner_extractor.systems.kafka.{name}" for name in ("admin", "clients", "schema_ids")
)


def _read_acls(settings: AclSettings, connections: Connections, _: Progress) -> FactsResult:
    document = connections.document(settings.source, load(f"{_ADMIN}:DOCUMENT"), lambda: connections.acls(settings))
    result: FactsResult = load(f"{_ADMIN}:read_acls")(document, settings)
    return result


def _check_acls(settings: AclSettings, connections: Connections) -> Iterator[Probe]:
    def read() -> str:
        rules = connections.acls(settings)["rules"]
        return "the brokers have no authorizer" if rules is None else f"{len(rules)} rules"

    yield Probe("list rules of access to topics", read)


def _read_broker_clients(settings: BrokerClientSettings, connections: Connections, _: Progress) -> JobsResult:
    document = connections.document(
        settings.source, load(f"{_CLIENTS}:DOCUMENT"), lambda: connections.clients(settings, connections.now())
    )
    result: JobsResult = load(f"{_CLIENTS}:read_clients")(document, settings)
    return result


def _check_broker_clients(settings: BrokerClientSettings, connections: Connections) -> Iterable[Probe]:
    once = replace(settings, samples=1)
    probes: Iterable[Probe] = load(f"{_CLIENTS}:client_probes")(lambda: connections.clients(once, connections.now()))
    return probes


def _read_schema_ids(settings: SchemaIdSettings, connections: Connections, progress: Progress) -> FactsResult:
    document = connections.document(
        settings.source,
        load(f"{_SCHEMA_IDS}:DOCUMENT"),
        lambda: connections.schema_ids(settings, progress, connections.now()),
    )
    result: FactsResult = load(f"{_SCHEMA_IDS}:read_schema_ids")(document, settings)
    return result


def _check_schema_ids(settings: SchemaIdSettings, _: Connections) -> Iterable[Probe]:
    probes: Iterable[Probe] = load(f"{_SCHEMA_IDS}:schema_id_probes")(settings, load(f"{_SCHEMA_IDS}:described_plan"))
    return probes


BROKERS = SourceKind(
    name="kafka",
    phase=CLUSTER,
    section=KAFKA_SECTION,
    settings=KafkaSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_kafka.py")),
    ready=lambda settings: bool(settings.brokers),
    brokers=BrokerUse.LISTED,
    read=lambda settings, connections, progress: connections.kafka(settings, progress),
    check=lambda settings, connections: [
        Probe("read metadata of the brokers", lambda: connections.probe(settings)),
    ],
)

SCHEMA_IDS = SourceKind(
    name="schema_ids",
    phase=SCHEMAS,  # in every mode that reads the registry, whose subjects the ids bind
    section=SCHEMA_ID_SECTION,
    settings=SchemaIdSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_schema_ids.py")),
    ready=lambda settings: bool(settings.kafka.brokers),
    read=_read_schema_ids,
    check=_check_schema_ids,
)

ACLS = SourceKind(
    name="acls",
    phase=METRICS,
    section=ACL_SECTION,
    settings=AclSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_acls.py")),
    ready=lambda settings: bool(settings.kafka.brokers),
    read=_read_acls,
    check=_check_acls,
)

BROKER_CLIENTS = SourceKind(
    name="kafka_clients",
    phase=METRICS,
    section=BROKER_CLIENT_SECTION,
    settings=BrokerClientSettings,
    proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_clients.py")),
    ready=lambda settings: bool(settings.kafka.brokers),
    read=_read_broker_clients,
    check=_check_broker_clients,
)
