"""The phases of a scan as rows: which sources are asked in which, and by which reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from scanner_extractor.access import Access
from scanner_extractor.readings import (
    CatalogReading,
    CloudReading,
    ConnectReading,
    JobsReading,
    KafkaReading,
    KsqlReading,
    Progress,
    RegistryReading,
)
from scanner_extractor.settings import ConnectSettings, KsqlSettings, RegistrySettings, Settings
from scanner_extractor.settings_catalogs import CatalogSettings
from scanner_extractor.settings_cloud import Lacking, OffsetSettings, StreamCatalogSettings
from scanner_extractor.settings_flink import FlinkSettings, SqlFilesSettings, StreamsSettings
from scanner_model.errors import SourceRefused
from scanner_model.names import SourceId
from scanner_model.redaction import mask_statement, mask_text

Reading = CatalogReading | CloudReading | ConnectReading | JobsReading | KafkaReading | KsqlReading | RegistryReading


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One source to ask: *kind* is what `--only` and `--skip` name; *run* asks it and raises ScannerError."""

    source: SourceId
    kind: str
    run: Callable[[Progress], Reading]


class Mode(StrEnum):
    """Which phases a scan has."""

    FULL = "full"
    """Every phase."""
    EXTRACT = "extract"
    """What the cluster's own systems say: no enrichment from catalogs of tables, no figures."""
    ENRICH = "enrich"
    """Catalogs of tables and figures only, beside what the last scan stored."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of a scan: its tasks run side by side, after all tasks of the phases before it.

    *enriches*: it asks of what others know about what was extracted; `Mode` chooses by it.
    """

    name: str
    tasks: Callable[[Settings, Access], Iterator[Task]]
    enriches: bool = False

    def runs_in(self, mode: Mode) -> bool:
        """Tell whether a scan of *mode* has this phase."""
        return mode is Mode.FULL or self.enriches is (mode is Mode.ENRICH)


def cloud_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask Confluent Cloud's control plane where the sources are, before any phase."""
    from scanner_extractor.sources.discovery import read_cloud

    if cloud := settings.cloud:

        def run(progress: Progress) -> CloudReading:
            with access.http(cloud.http, cloud.source) as http:
                return read_cloud(cloud, http, progress)

        yield Task(source=cloud.source, kind="confluent_cloud", run=run)


def kafka_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask the brokers over the Kafka protocol, and over REST."""
    from scanner_extractor.sources.kafka_rest import read_kafka_rest

    kafka, rest = settings.kafka, settings.kafka_rest
    if kafka and kafka.brokers:
        yield Task(source=kafka.source, kind="kafka", run=lambda progress: access.kafka(kafka, progress))
    if rest:

        def run(progress: Progress) -> KafkaReading:
            with access.http(rest.http, rest.source) as http:
                return read_kafka_rest(rest, http, progress)

        yield Task(source=rest.source, kind="kafka", run=run)


def lacking_tasks(settings: Settings) -> Iterator[Task]:
    """Say of each source that was found and has no key why it cannot be asked."""
    for lacking in settings.lacking:

        def refuse(_: Progress, lacking: Lacking = lacking) -> KafkaReading:
            raise SourceRefused(lacking.what, hint=lacking.hint)

        yield Task(source=lacking.source, kind=lacking.kind, run=refuse)


def cluster_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask the cluster itself; and tell what cannot be asked at all."""
    yield from kafka_tasks(settings, access)
    yield from lacking_tasks(settings)


def ksqldb_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every ksqlDB cluster."""
    from scanner_extractor.sources.ksqldb import read_ksqldb

    for ksqldb in settings.ksqldb:

        def run(progress: Progress, ksqldb: KsqlSettings = ksqldb) -> KsqlReading:
            with access.http(ksqldb.http, ksqldb.source) as http:
                return read_ksqldb(ksqldb, http, progress, access.earlier(ksqldb.source))

        yield Task(source=ksqldb.source, kind="ksqldb", run=run)


def connect_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every Connect cluster."""
    from scanner_extractor.sources.connect import read_connect
    from scanner_extractor.sources.connect_veil import veiled

    for connect in settings.connect:

        def run(progress: Progress, connect: ConnectSettings = connect) -> ConnectReading:
            with access.http(connect.http, connect.source, veil=partial(veiled, connect)) as http:
                return read_connect(connect, http, progress)

        yield Task(source=connect.source, kind="connect", run=run)


def flink_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every Flink server, and read the files of SQL."""
    from scanner_extractor.sources.flink import FLINK_SOURCES
    from scanner_extractor.sources.sql_files import read_sql_files

    for flink in settings.flink:

        def run(progress: Progress, flink: FlinkSettings = flink) -> JobsReading:
            with access.http(flink.http, flink.source) as http:
                return FLINK_SOURCES[flink.type].read(flink, http, progress)

        yield Task(source=flink.source, kind="flink", run=run)
    hide_statement = partial(mask_statement, extra=settings.secret_names)
    for scripts in settings.sql_files:

        def read(progress: Progress, scripts: SqlFilesSettings = scripts) -> JobsReading:
            return read_sql_files(scripts, access.texts(scripts.files, scripts.source, hide_statement), progress)

        yield Task(source=scripts.source, kind="flink", run=read)


def streams_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Read the topologies of Kafka Streams."""
    from scanner_extractor.sources.topologies import read_topologies

    hide_text = partial(mask_text, extra=settings.secret_names)
    for streams in settings.streams:

        def run(progress: Progress, streams: StreamsSettings = streams) -> JobsReading:
            return read_topologies(streams, access.texts(streams.files, streams.source, hide_text), progress)

        yield Task(source=streams.source, kind="streams", run=run)


def streaming_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask everything that reads and writes topics, side by side."""
    yield from ksqldb_tasks(settings, access)
    yield from connect_tasks(settings, access)
    yield from flink_tasks(settings, access)
    yield from streams_tasks(settings, access)


def registry_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every schema registry."""
    from scanner_extractor.registries import own_exchange, registries

    for registry in settings.registries:

        def run(progress: Progress, registry: RegistrySettings = registry) -> RegistryReading:
            with access.http(registry.http, registry.source, live=own_exchange(registry)) as http:
                return registries()[registry.type](registry, http, progress)

        yield Task(source=registry.source, kind="schema_registry", run=run)


def catalog_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask every stream catalog, beside the registries."""
    from scanner_extractor.sources.stream_catalog import read_stream_catalog

    for catalog in settings.stream_catalogs:

        def run(progress: Progress, catalog: StreamCatalogSettings = catalog) -> CatalogReading:
            with access.http(catalog.http, catalog.source) as http:
                return read_stream_catalog(catalog, http, progress)

        yield Task(source=catalog.source, kind="stream_catalog", run=run)


def described_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask whatever describes topics: registries and stream catalogs, side by side."""
    yield from registry_tasks(settings, access)
    yield from catalog_tasks(settings, access)


def tableflow_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask which topics are kept as tables."""
    from scanner_extractor.sources.tableflow import read_tableflow

    if tableflow := settings.tableflow:

        def run(progress: Progress) -> CatalogReading:
            with access.http(tableflow.http, tableflow.source) as http:
                return read_tableflow(tableflow, http, progress)

        yield Task(source=tableflow.source, kind="tableflow", run=run)


def provider_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask the catalogs of tables, side by side."""
    from scanner_extractor.catalogs import catalog_exchange, providers

    for catalog in settings.catalogs:

        def run(progress: Progress, catalog: CatalogSettings = catalog) -> CatalogReading:
            with access.http(catalog.http, catalog.source, live=catalog_exchange(catalog)) as http:
                return providers()[catalog.type](catalog, http, progress)

        yield Task(source=catalog.source, kind="catalog", run=run)


def metric_tasks(settings: Settings, access: Access) -> Iterator[Task]:
    """Ask for figures: Confluent's service, or the brokers."""
    from scanner_extractor.sources.metrics import read_metrics

    metrics = settings.metrics
    if isinstance(metrics, OffsetSettings):
        if metrics.brokers:
            yield Task(source=metrics.source, kind="metrics", run=lambda progress: access.offsets(metrics, progress))
    elif metrics:

        def run(progress: Progress) -> CatalogReading:
            with access.http(metrics.http, metrics.source) as http:
                return read_metrics(metrics, http, progress, now=access.now())

        yield Task(source=metrics.source, kind="metrics", run=run)


DISCOVERY = Phase("discovery", cloud_tasks)
"""What comes before the phases, in every mode: it tells which sources there are."""

PHASES = (
    Phase("topics and consumer groups", cluster_tasks),
    Phase("collections and connectors", streaming_tasks),
    Phase("schemas", described_tasks),
    Phase("tables of topics", tableflow_tasks),
    Phase("catalogs", provider_tasks, enriches=True),
    Phase("figures", metric_tasks, enriches=True),
)
