"""The kinds of source, one row each: where their settings are, in which phase they are read, how they are checked.

To add a kind: a module with its settings and its reader, a row of SOURCE_KINDS with its section of cluster.json, the
JSON Schema of that section, tests, and a page of the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.config.flink import STREAMS
from scanner_extractor.config.sections import Section
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe, unexpected
from scanner_extractor.registries import REGISTRIES
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.results import ConnectResult, JobsResult, KsqlResult, Progress, SourceResults
from scanner_extractor.scan.source_types import SourceType
from scanner_extractor.settings.cluster import ConnectSettings, HttpSettings, KsqlSettings, Settings
from scanner_extractor.settings.confluent_cloud import KafkaRestSettings, MetricsSettings, OffsetSettings
from scanner_extractor.settings.flink import FileSettings, SqlFilesSettings, StreamsSettings
from scanner_extractor.sources.confluent_cloud.discovery import read_cloud
from scanner_extractor.sources.confluent_cloud.metrics import read_metrics
from scanner_extractor.sources.confluent_cloud.pagination import rest_list
from scanner_extractor.sources.confluent_cloud.probes import (
    CloudFound,
    cloud_probes,
    metrics_probes,
    stream_catalog_probes,
    tableflow_probes,
)
from scanner_extractor.sources.confluent_cloud.stream_catalog import read_stream_catalog
from scanner_extractor.sources.confluent_cloud.tableflow import read_tableflow
from scanner_extractor.sources.connect.client import listed_connectors, read_connect, worker_facts
from scanner_extractor.sources.connect.reader import with_masked_passwords
from scanner_extractor.sources.files import read_sql_files, read_texts, read_topologies, separate_failed
from scanner_extractor.sources.flink.servers import FLINK_SOURCES
from scanner_extractor.sources.kafka_rest import find_cluster, read_kafka_rest
from scanner_extractor.sources.ksqldb.client import read_ksqldb
from scanner_model.errors import SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.redaction import mask_statement, mask_text

_KSQL = "application/vnd.ksql.v1+json"


def kafka_rest_probes(settings: KafkaRestSettings, http: Http) -> Iterator[Probe]:
    """Try to list the topics over REST."""
    yield Probe("list topics", lambda: f"{len(rest_list(http, *find_cluster(settings, http), 'topics').items)} topics")


def ksqldb_probes(_: KsqlSettings, http: Http) -> Iterator[Probe]:
    """Try to reach a ksqlDB server and to run a statement, which are two rights."""
    body = {"ksql": "SHOW STREAMS;", "streamsProperties": {}}
    yield Probe("reach the server", lambda: _ksql_version(http.get("info")))
    yield Probe("list streams", lambda: _ksql_streams(http.post("ksql", body=body, accept=_KSQL)))


def connect_probes(settings: ConnectSettings, http: Http) -> Iterator[Probe]:
    """Try to reach a worker, which a managed Connect does not have, and to list the connectors."""
    if not settings.is_managed:
        yield Probe("reach a worker", lambda: f"Kafka Connect {worker_facts(http)[0]}", required=False)
    yield Probe("list connectors", lambda: f"{len(listed_connectors(settings, http))} connectors")


def file_probes(settings: FileSettings, source: SourceId) -> Iterator[Probe]:
    """Try to read every file."""

    def read() -> str:
        texts, failed = separate_failed(read_texts(settings, mask_text), settings.pattern, source)
        if failed:
            raise SourceUnreachable(f"{failed[0].name}: {failed[0].failure}", hint="check the file and its rights")
        return f"{len(texts)} files"

    yield Probe("read its files", read)


def _ksql_version(payload: Json) -> str:
    match payload:
        case {"KsqlServerInfo": {"version": str(version)}}:
            return f"ksqlDB {version}"
        case _:
            raise unexpected("the response is not that of a ksqlDB server")


def _ksql_streams(payload: Json) -> str:
    match payload:
        case [{"streams": list(streams)}, *_]:
            return f"{len(streams)} streams"
        case _:
            raise unexpected("the response is not a list of streams")


DISCOVERY = "discovery"
CLUSTER = "topics and consumer groups"
STREAMING = "collections and connectors"
SCHEMAS = "schemas"
TABLES = "tables of topics"
CATALOG = "catalogs"
METRICS = "metrics"


class SourceSettings(Protocol):
    """Settings of one source; those read over HTTP have `http` too."""

    @property
    def source(self) -> SourceId:
        """Return the identity of the source in every scan."""


class HttpSource(SourceSettings, Protocol):
    """Settings of one source that is read over HTTP."""

    @property
    def http(self) -> HttpSettings:
        """Return how its requests are sent."""


class Types(Protocol):
    """A table of the types of one kind of source."""

    def __getitem__(self, name: str, /) -> SourceType[Any, Any]:
        """Return the type called *name*."""


S = TypeVar("S", bound=SourceSettings)
H = TypeVar("H", bound=HttpSource)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceKind(Generic[S]):
    """One kind of source.

    *name* is what `--only` and `--skip` take, *phase* when it is read. *sources* selects the settings of its sources.
    *read* reads one source and raises ScannerError where nothing of it can be read. *check* yields what `scanner
    check` tries on it; a probe is created after the one before it has run, while the connection is open. *section* is
    the member of cluster.json that declares its sources, which are in `settings.others`; None where Settings has a
    field for them.
    """

    name: str
    phase: str
    sources: Callable[[Settings], Iterable[S]]
    read: Callable[[S, Connections, Progress], SourceResults]
    check: Callable[[S, Connections], Iterable[Probe]]
    section: Section | None = None


def _http_kind(
    name: str, phase: str, sources: Callable[[Settings], Iterable[H]], type_: SourceType[H, Any]
) -> SourceKind[H]:
    """Build the row of a kind that is read and checked over HTTP as *type_* does it."""

    def read(settings: H, connections: Connections, progress: Progress) -> SourceResults:
        with connections.http(settings.http, settings.source, live=type_.transport(settings)) as http:
            result: SourceResults = type_.read(settings, http, progress)
            return result

    return SourceKind(name=name, phase=phase, sources=sources, read=read, check=_http_check(type_))


def _http_check(type_: SourceType[H, Any]) -> Callable[[H, Connections], Iterator[Probe]]:
    def check(settings: H, connections: Connections) -> Iterator[Probe]:
        with connections.http(settings.http, settings.source, live=type_.transport(settings)) as http:
            yield from type_.check(settings, http)

    return check


def _by_type(types: Types) -> SourceType[Any, Any]:
    """Return a type that does what the one of *types* does that the settings name."""
    return SourceType(
        read=lambda settings, http, progress: types[settings.type].read(settings, http, progress),
        check=lambda settings, http: types[settings.type].check(settings, http),
        transport=lambda settings: types[settings.type].transport(settings),
    )


def _given(settings: S | None) -> tuple[S, ...]:
    return () if settings is None else (settings,)


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


def _read_metrics(
    settings: MetricsSettings | OffsetSettings, connections: Connections, progress: Progress
) -> SourceResults:
    if isinstance(settings, OffsetSettings):
        return connections.offsets(settings, progress)
    with connections.http(settings.http, settings.source) as http:
        return read_metrics(settings, http, progress, now=connections.now())


def _check_metrics(settings: MetricsSettings | OffsetSettings, connections: Connections) -> Iterator[Probe]:
    """Try Confluent's Metrics API; offsets come from the brokers, which are tried as the kind `kafka`."""
    if isinstance(settings, MetricsSettings):
        with connections.http(settings.http, settings.source) as http:
            yield from metrics_probes(settings, http)


def _metrics(settings: Settings) -> Iterable[MetricsSettings | OffsetSettings]:
    metrics = settings.metrics
    return () if isinstance(metrics, OffsetSettings) and not metrics.brokers else _given(metrics)


SOURCE_KINDS: tuple[SourceKind[Any], ...] = (
    _http_kind(
        "confluent_cloud",
        DISCOVERY,
        lambda settings: _given(settings.cloud),
        SourceType(read=read_cloud, check=lambda settings, http: cloud_probes(settings, http, CloudFound())),
    ),
    SourceKind(
        name="kafka",
        phase=CLUSTER,
        sources=lambda settings: _given(settings.kafka if settings.kafka and settings.kafka.brokers else None),
        read=lambda settings, connections, progress: connections.kafka(settings, progress),
        check=lambda settings, connections: [
            Probe("read metadata of the brokers", lambda: connections.probe(settings)),
        ],
    ),
    _http_kind(
        "kafka",
        CLUSTER,
        lambda settings: _given(settings.kafka_rest),
        SourceType(read=read_kafka_rest, check=kafka_rest_probes),
    ),
    SourceKind(
        name="ksqldb",
        phase=STREAMING,
        sources=lambda settings: settings.ksqldb,
        read=_read_ksqldb,
        check=_http_check(SourceType(read=read_ksqldb, check=ksqldb_probes)),
    ),
    SourceKind(
        name="connect",
        phase=STREAMING,
        sources=lambda settings: settings.connect,
        read=_read_connect,
        check=_http_check(SourceType(read=read_connect, check=connect_probes)),
    ),
    _http_kind("flink", STREAMING, lambda settings: settings.flink, _by_type(FLINK_SOURCES)),
    SourceKind(
        name="flink",
        phase=STREAMING,
        sources=lambda settings: settings.sql_files,
        read=_read_sql_files,
        check=lambda settings, _: file_probes(settings.files, settings.source),
    ),
    SourceKind(
        name="streams",
        phase=STREAMING,
        sources=lambda settings: settings.others.get(STREAMS.member, ()),
        read=_read_topologies,
        check=lambda settings, _: file_probes(settings.files, settings.source),
        section=STREAMS,
    ),
    _http_kind("schema_registry", SCHEMAS, lambda settings: settings.registries, _by_type(REGISTRIES)),
    _http_kind(
        "stream_catalog",
        SCHEMAS,
        lambda settings: settings.stream_catalogs,
        SourceType(read=read_stream_catalog, check=stream_catalog_probes),
    ),
    _http_kind(
        "tableflow",
        TABLES,
        lambda settings: _given(settings.tableflow),
        SourceType(read=read_tableflow, check=tableflow_probes),
    ),
    _http_kind("catalog", CATALOG, lambda settings: settings.catalogs, _by_type(CATALOGS)),
    SourceKind(name="metrics", phase=METRICS, sources=_metrics, read=_read_metrics, check=_check_metrics),
)
"""Every kind of source, in the order in which a scan reports them."""

SECTIONS = tuple(kind.section for kind in SOURCE_KINDS if kind.section)
"""The members of cluster.json that rows declare."""
