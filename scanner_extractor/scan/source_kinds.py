"""The kinds of source, one row each: settings, JSON Schema, how they are parsed, validated, read and checked.

To add a kind: a module with its settings, its Section of cluster.json, its reader and its check; a row of SOURCE_KINDS;
tests, and a page of the docs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.catalogs.section import CATALOG_SECTION
from scanner_extractor.config.applications import APPLICATIONS_SECTION, ApplicationSettings
from scanner_extractor.config.personal_data import (
    PERSONAL_DATA_SECTION,
    PersonalDataSettings,
    read_personal_data,
)
from scanner_extractor.config.sections import ParseContext, Section
from scanner_extractor.http.messages import Json
from scanner_extractor.job_files import read_texts, separate_failed
from scanner_extractor.probes import Probe
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.registries.section import REGISTRY_SECTION
from scanner_extractor.repository.section import REPOSITORY_SECTION, SCHEMAS_SECTION
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import (
    ConnectResult,
    DeclaredResult,
    FactsResult,
    JobsResult,
    KsqlResult,
    Progress,
    SourceResults,
    no_progress,
)
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.source_kind import BrokerUse, SourceKind, http_check, http_kind, tested, typed_kind
from scanner_extractor.settings.cluster import KafkaSettings, OffsetSettings, RegistrySettings, Settings
from scanner_extractor.settings.sources import CatalogSettings, FileSettings
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
from scanner_extractor.systems.connect.client import read_connect
from scanner_extractor.systems.connect.probes import connect_probes
from scanner_extractor.systems.connect.reader import with_masked_passwords
from scanner_extractor.systems.connect.section import CONNECT_SECTION
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_extractor.systems.databases.section import DATABASE_SECTION
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_extractor.systems.dbt.section import DBT_SECTION
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_extractor.systems.deployment.reader import DeploymentReading, deployment_result
from scanner_extractor.systems.deployment.section import FILES_SECTION
from scanner_extractor.systems.deployment.settings import DeploymentSettings
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.section import FLINK_SECTION
from scanner_extractor.systems.flink.settings import FlinkSettings, SqlFilesSettings
from scanner_extractor.systems.flink.sql_files import read_sql_files
from scanner_extractor.systems.kafka.admin import DOCUMENT as ACLS
from scanner_extractor.systems.kafka.admin import read_acls
from scanner_extractor.systems.kafka.client_sections import ACL_SECTION, BROKER_CLIENT_SECTION, SCHEMA_ID_SECTION
from scanner_extractor.systems.kafka.clients import DOCUMENT as BROKER_CLIENTS
from scanner_extractor.systems.kafka.clients import client_probes, read_clients
from scanner_extractor.systems.kafka.schema_ids import DOCUMENT as SCHEMA_IDS
from scanner_extractor.systems.kafka.schema_ids import described_plan, read_schema_ids, schema_id_probes
from scanner_extractor.systems.kafka.section import KAFKA_SECTION
from scanner_extractor.systems.kafka.settings import AclSettings, BrokerClientSettings, SchemaIdSettings
from scanner_extractor.systems.ksqldb.client import read_ksqldb
from scanner_extractor.systems.ksqldb.probes import ksqldb_probes
from scanner_extractor.systems.ksqldb.section import KSQLDB_SECTION
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_extractor.systems.prometheus.section import PROMETHEUS_SECTION
from scanner_extractor.systems.prometheus.settings import PrometheusSettings
from scanner_extractor.systems.streams.section import STREAMS_SECTION
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_extractor.systems.streams.topologies import read_topologies
from scanner_model.declarations import DeclaredKind
from scanner_model.errors import SourceUnreachable
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import Proof, experimental, live
from scanner_model.names import SourceId
from scanner_model.redaction import mask_statement, mask_text

_SYSTEMS = "scanner_extractor.systems"
_CLOUD = f"{_SYSTEMS}.confluent_cloud"
_DBT = f"{_SYSTEMS}.dbt.manifest"
_DBT_STREAMS = "scanner_extractor.repository.dbt_streams:read_streams"
_REPOSITORY = "scanner_extractor.repository.reader"


def file_probes(settings: FileSettings, source: SourceId) -> Iterator[Probe]:
    """Try to read every file."""

    def read() -> str:
        texts, failed = separate_failed(read_texts(settings, mask_text), settings.pattern, source)
        if failed:
            raise SourceUnreachable(f"{failed[0].name}: {failed[0].failure}", hint="check the file and its rights")
        return f"{len(texts)} files"

    yield Probe("read its files", read)


def deployment_probes(settings: DeploymentSettings, connections: Connections) -> Iterator[Probe]:
    """Try to read every file; what they declare is counted, and what is not read, with the reasons."""
    yield Probe("read its files", lambda: _described(connections.deployment(settings, no_progress)))


def _described(reading: DeploymentReading) -> str:
    if reading.failed:
        first = reading.problems[0]
        raise SourceUnreachable(f"{first.where}: {first.what}", hint=f"{reading.failed} could not be read")
    others = sum(reading.others.values())
    reasons = ", ".join(f"{number} {reason}" for reason, number in reading.others.items())
    parts = (
        f"{reading.files} files with {reading.documents} documents",
        f"{reading.count(DeclaredKind.TOPIC)} topics",
        f"{reading.count(DeclaredKind.CONNECTOR)} connectors",
        f"{len(reading.statements)} jobs with SQL",
        *([f"{others} not read ({reasons})"] if others else []),
        *([f"{len(reading.problems)} problems"] if reading.problems else []),
    )
    return ", ".join(parts)


def repository_probes(settings: RepositorySettings, _: Connections) -> Iterator[Probe]:
    """Try to read every file; what was found is counted by kind."""

    def read() -> str:
        reading = load(f"{_REPOSITORY}:directory_reading")(settings, no_progress)
        kinds = ", ".join(f"{len(files)} {kind}" for kind, files in reading.files.items())
        return f"{reading.seen} files, of them {kinds or 'none that is read'}"

    yield Probe("read its files", read)


DISCOVERY = "discovery"
CLUSTER = "topics and consumer groups"
STREAMING = "collections and connectors"
SCHEMAS = "schemas"
TABLES = "tables of topics"
CATALOG = "catalogs"
METRICS = "metrics"


def _read_ksqldb(settings: KsqlSettings, connections: Connections, progress: Progress) -> KsqlResult:
    with connections.http(settings.http, settings.source) as http:
        return read_ksqldb(settings, http, progress, connections.earlier(settings.source))


def _read_connect(settings: ConnectSettings, connections: Connections, progress: Progress) -> ConnectResult:
    mask = partial(with_masked_passwords, settings)
    with connections.http(settings.http, settings.source, mask=mask) as http:
        return read_connect(settings, http, progress)


def _read_sql_files(settings: SqlFilesSettings, connections: Connections, progress: Progress) -> JobsResult:
    mask = partial(mask_statement, extra=settings.files.secret_names)
    return read_sql_files(settings, connections.texts(settings.files, settings.source, mask), progress)


def _read_topologies(settings: StreamsSettings, connections: Connections, progress: Progress) -> JobsResult:
    mask = partial(mask_text, extra=settings.files.secret_names)
    return read_topologies(settings, connections.texts(settings.files, settings.source, mask), progress)


def _read_deployment(settings: DeploymentSettings, connections: Connections, progress: Progress) -> DeclaredResult:
    return deployment_result(connections.deployment(settings, progress), settings.source)


def _read_repository(settings: RepositorySettings, _: Connections, progress: Progress) -> SourceResults:
    result: SourceResults = load(f"{_REPOSITORY}:read_directory")(settings, progress)
    return result


def _read_dbt(settings: DbtSettings, connections: Connections, progress: Progress) -> SourceResults:
    document = _manifest(settings, connections)
    is_stream = document["adapter"] in load(f"{_DBT}:STREAM_ADAPTERS")
    read = load(_DBT_STREAMS if is_stream else f"{_DBT}:read_manifest")
    result: SourceResults = read(document, settings, progress)
    return result


def _check_dbt(settings: DbtSettings, connections: Connections) -> Iterator[Probe]:
    yield Probe("read its manifest", lambda: load(f"{_DBT}:summary")(_manifest(settings, connections)))


def _manifest(settings: DbtSettings, connections: Connections) -> Json:
    name, read = load(f"{_DBT}:DOCUMENT"), load(f"{_DBT}:load_manifest")
    return connections.document(settings.source, name, lambda: read(settings))


def _read_metrics(settings: MetricsSettings, connections: Connections, progress: Progress) -> SourceResults:
    with connections.http(settings.http, settings.source) as http:
        result: SourceResults = load(f"{_CLOUD}.metrics:read_metrics")(settings, http, progress, now=connections.now())
        return result


def _check_metrics(settings: MetricsSettings, connections: Connections) -> Iterator[Probe]:
    with connections.http(settings.http, settings.source) as http:
        yield from load(f"{_CLOUD}.probes:metrics_probes")(settings, http)


def _read_acls(settings: AclSettings, connections: Connections, _: Progress) -> FactsResult:
    document = connections.document(settings.source, ACLS, lambda: connections.acls(settings))
    return read_acls(document, settings)


def _check_acls(settings: AclSettings, connections: Connections) -> Iterator[Probe]:
    def read() -> str:
        rules = connections.acls(settings)["rules"]
        return "the brokers have no authorizer" if rules is None else f"{len(rules)} rules"

    yield Probe("list rules of access to topics", read)


def _read_broker_clients(settings: BrokerClientSettings, connections: Connections, _: Progress) -> JobsResult:
    document = connections.document(
        settings.source, BROKER_CLIENTS, lambda: connections.clients(settings, connections.now())
    )
    return read_clients(document, settings)


def _read_schema_ids(settings: SchemaIdSettings, connections: Connections, progress: Progress) -> FactsResult:
    document = connections.document(
        settings.source, SCHEMA_IDS, lambda: connections.schema_ids(settings, progress, connections.now())
    )
    return read_schema_ids(document, settings)


def _has_brokers(settings: KafkaSettings | OffsetSettings) -> bool:
    return bool(settings.brokers)


SOURCE_KINDS: tuple[SourceKind[Any], ...] = (
    http_kind(
        "confluent_cloud",
        DISCOVERY,
        CLOUD_SECTION,
        CloudSettings,
        SourceType(
            read=deferred(f"{_CLOUD}.discovery:read_cloud"),
            check=deferred(f"{_CLOUD}.probes:new_cloud_probes"),
            proofs=(Proof("Confluent Cloud"),),
        ),
        field="cloud",
    ),
    SourceKind(
        name="kafka",
        phase=CLUSTER,
        section=KAFKA_SECTION,
        settings=KafkaSettings,
        proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_kafka.py")),
        field="kafka",
        ready=_has_brokers,
        brokers=BrokerUse.LISTED,
        read=lambda settings, connections, progress: connections.kafka(settings, progress),
        check=lambda settings, connections: [
            Probe("read metadata of the brokers", lambda: connections.probe(settings)),
        ],
    ),
    http_kind(
        "kafka",
        CLUSTER,
        KAFKA_REST_SECTION,
        KafkaRestSettings,
        SourceType(
            read=deferred(f"{_CLOUD}.kafka_rest:read_kafka_rest"),
            check=deferred(f"{_CLOUD}.kafka_rest:kafka_rest_probes"),
            proofs=(Proof("Kafka REST API of Confluent"),),
        ),
        field="kafka_rest",
    ),
    SourceKind(
        name="ksqldb",
        phase=STREAMING,
        section=KSQLDB_SECTION,
        settings=KsqlSettings,
        proofs=tested(live("ksqlDB", "6.1.15, 8.3.1", "tests/conformance/test_ksqldb_recorded.py")),
        field="ksqldb",
        brokers=BrokerUse.NEEDED,
        read=_read_ksqldb,
        check=http_check(SourceType(read=read_ksqldb, check=ksqldb_probes)),
    ),
    SourceKind(
        name="connect",
        phase=STREAMING,
        section=CONNECT_SECTION,
        settings=ConnectSettings,
        proofs=tested(live("Kafka Connect", "4.3.1", "tests/lab/test_lab_connect.py")),
        field="connect",
        brokers=BrokerUse.NEEDED,
        read=_read_connect,
        check=http_check(SourceType(read=read_connect, check=connect_probes)),
    ),
    typed_kind("flink", STREAMING, FLINK_SECTION, FlinkSettings, FLINK_SOURCES, field="flink"),
    SourceKind(
        name="flink",
        phase=STREAMING,
        section=FLINK_SECTION,
        settings=SqlFilesSettings,
        proofs=tested(live("Flink SQL files", "of Flink 2.3.0", "tests/lab/test_lab_ways.py")),
        field="sql_files",
        read=_read_sql_files,
        check=lambda settings, _: file_probes(settings.files, settings.source),
    ),
    SourceKind(
        name="streams",
        phase=STREAMING,
        section=STREAMS_SECTION,
        settings=StreamsSettings,
        proofs=tested(Proof("Kafka Streams topology descriptions")),
        read=_read_topologies,
        check=lambda settings, _: file_probes(settings.files, settings.source),
    ),
    SourceKind(
        name="files",
        phase=STREAMING,
        section=FILES_SECTION,
        settings=DeploymentSettings,
        proofs=tested(live("deployment files", "of 14 public examples", "benchmarks/estates.py")),
        read=_read_deployment,
        check=deployment_probes,
    ),
    *(
        SourceKind(
            name="repository",
            phase=STREAMING,
            section=section,
            settings=RepositorySettings,
            proofs=tested(live("repositories", "of 14 public examples", "benchmarks/estates.py")),
            read=_read_repository,
            check=repository_probes,
        )
        for section in (REPOSITORY_SECTION, KSQLDB_SECTION, SCHEMAS_SECTION)
    ),
    typed_kind("schema_registry", SCHEMAS, REGISTRY_SECTION, RegistrySettings, REGISTRIES, field="registries"),
    SourceKind(
        name="schema_ids",
        phase=SCHEMAS,  # in every mode that reads the registry, whose subjects the ids bind
        section=SCHEMA_ID_SECTION,
        settings=SchemaIdSettings,
        proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_schema_ids.py")),
        ready=lambda settings: bool(settings.kafka.brokers),
        read=_read_schema_ids,
        check=lambda settings, _: schema_id_probes(settings, described_plan),
    ),
    http_kind(
        "stream_catalog",
        SCHEMAS,
        STREAM_CATALOG_SECTION,
        StreamCatalogSettings,
        SourceType(
            read=deferred(f"{_CLOUD}.stream_catalog:read_stream_catalog"),
            check=deferred(f"{_CLOUD}.probes:stream_catalog_probes"),
            proofs=(Proof("Stream Catalog of Confluent Cloud"),),
        ),
        field="stream_catalogs",
    ),
    http_kind(
        "tableflow",
        TABLES,
        TABLEFLOW_SECTION,
        TableflowSettings,
        SourceType(
            read=deferred(f"{_CLOUD}.tableflow:read_tableflow"),
            check=deferred(f"{_CLOUD}.probes:tableflow_probes"),
            proofs=(Proof("Tableflow of Confluent Cloud"),),
        ),
        field="tableflow",
    ),
    typed_kind("catalog", CATALOG, CATALOG_SECTION, CatalogSettings, CATALOGS, field="catalogs"),
    SourceKind(
        name="database",
        phase=CATALOG,
        section=DATABASE_SECTION,
        settings=DatabaseSettings,
        proofs=deferred(f"{_SYSTEMS}.databases.products:product_proofs"),
        read=lambda settings, connections, progress: connections.database(settings, progress),
        check=lambda settings, _: load(f"{_SYSTEMS}.databases.client:database_probes")(settings),
    ),
    SourceKind(
        name="dbt",
        phase=CATALOG,
        section=DBT_SECTION,
        settings=DbtSettings,
        read=_read_dbt,
        check=_check_dbt,
        proofs=tested(live("dbt", "1.6.19, 1.7.20, 1.12.0", "docs/sources/dbt.md")),
    ),
    SourceKind(
        name="metrics",
        phase=METRICS,
        section=METRICS_SECTION,
        settings=MetricsSettings,
        proofs=tested(Proof("Metrics API of Confluent Cloud")),
        field="metrics",
        read=_read_metrics,
        check=_check_metrics,
    ),
    SourceKind(
        name="metrics",
        phase=METRICS,
        section=METRICS_SECTION,
        settings=OffsetSettings,
        proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_again.py")),
        field="metrics",
        ready=_has_brokers,
        read=lambda settings, connections, progress: connections.offsets(settings, progress),
        check=lambda _, __: (),  # the brokers are tried as the kind `kafka`
    ),
    SourceKind(
        name="acls",
        phase=METRICS,
        section=ACL_SECTION,
        settings=AclSettings,
        proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_acls.py")),
        ready=lambda settings: bool(settings.kafka.brokers),
        read=_read_acls,
        check=_check_acls,
    ),
    SourceKind(
        name="kafka_clients",
        phase=METRICS,
        section=BROKER_CLIENT_SECTION,
        settings=BrokerClientSettings,
        proofs=tested(live("Apache Kafka", "4.4.0", "tests/lab/test_lab_clients.py")),
        ready=lambda settings: bool(settings.kafka.brokers),
        read=_read_broker_clients,
        check=lambda settings, connections: client_probes(
            lambda: connections.clients(replace(settings, samples=1), connections.now())
        ),
    ),
    http_kind(
        "prometheus",
        METRICS,
        PROMETHEUS_SECTION,
        PrometheusSettings,
        SourceType(
            read=deferred(f"{_SYSTEMS}.prometheus.client:read_prometheus"),
            check=deferred(f"{_SYSTEMS}.prometheus.client:prometheus_probes"),
            proofs=(live("Prometheus", "2.42", "tests/lab/test_lab_clients.py"),),
        ),
        field="prometheus",
    ),
    SourceKind(
        name="applications",
        phase=METRICS,
        section=APPLICATIONS_SECTION,
        settings=ApplicationSettings,
        read=lambda settings, _, __: load("scanner_extractor.config.applications:read_mapping")(settings),
        check=lambda _, __: (),  # it is a part of cluster.json
    ),
    SourceKind(
        name="personal_data",
        phase=METRICS,
        section=PERSONAL_DATA_SECTION,
        settings=PersonalDataSettings,
        read=lambda settings, _, __: read_personal_data(settings),
        check=lambda _, __: (),  # it is a part of cluster.json, too
    ),
)
"""Every kind of source, in the order in which a scan reports them."""

SECTIONS: tuple[Section[Any], ...] = tuple({kind.section.member: kind.section for kind in SOURCE_KINDS}.values())
"""The members of cluster.json that declare sources."""


def experimental_sources(settings: Settings) -> Iterator[tuple[SourceId, str]]:
    """Yield the sources whose systems were never read live, each with what they were tested with."""
    for kind in SOURCE_KINDS:
        for source in kind.sources(settings):
            if reason := experimental(kind.proofs(source)):
                yield source.source, reason


def source_settings(context: ParseContext) -> dict[str, Any]:
    """Return the fields of Settings that hold sources, with what a valid document declares."""
    parsed = {section.member: section.settings(context) for section in SECTIONS}
    fields: dict[str, Any] = {"others": {}}
    for kind in SOURCE_KINDS:
        sources = tuple(source for source in parsed[kind.section.member] if isinstance(source, kind.settings))
        if not kind.field:
            fields["others"][kind.section.member] = sources
        elif kind.section.listing is not None:
            fields[kind.field] = sources
        elif sources:
            fields[kind.field] = sources[0]
    return fields
