"""Settings of a scan: one frozen type for each source; `scanner_extractor.config` reads them from cluster.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanner_model.errors import Problem
from scanner_model.names import ClusterName, SourceId, TopicName

if TYPE_CHECKING:
    from scanner_extractor.settings.push import PushSettings
    from scanner_extractor.settings.sources import CatalogSettings
    from scanner_extractor.systems.confluent_cloud.settings import (
        CloudSettings,
        KafkaRestSettings,
        Lacking,
        MetricsSettings,
        StreamCatalogSettings,
        TableflowSettings,
    )
    from scanner_extractor.systems.connect.settings import ConnectSettings
    from scanner_extractor.systems.flink.settings import FlinkSettings, SqlFilesSettings
    from scanner_extractor.systems.ksqldb.settings import KsqlSettings
    from scanner_extractor.systems.prometheus.settings import PrometheusSettings
    from scanner_model.triggers import Triggers


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicAuth:
    """A user and password (or API key and secret) for HTTP Basic."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerAuth:
    """A token that is sent as it is."""

    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthAuth:
    """OAuth 2.0 client credentials: a token is fetched at *token_url*, and again when it is about to expire."""

    token_url: str
    client_id: str
    client_secret: str = field(repr=False)
    scope: str = ""


Auth = BasicAuth | BearerAuth | OAuthAuth


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """A private CA, and certificate and key for mutual TLS; None: the system's CAs, no client certificate."""

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    verify: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """How requests are sent to one HTTP source. Times in seconds; *requests_per_second* None: no limit.

    *max_bytes* bounds one answer after it is inflated. *concurrency* bounds requests in flight. *retry_also*
    are additional transient statuses of this kind of source. *secret_names*
    are additional names whose values are hidden in answers. A redirect that is not followed
    is an answer.
    """

    url: str
    auth: Auth | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    tls: Tls = field(default_factory=Tls)
    connect_timeout: float = 5.0
    read_timeout: float = 60.0
    requests_per_second: float | None = None
    max_bytes: int = 256 * 1024 * 1024
    concurrency: int = 16
    retry_also: frozenset[int] = frozenset()
    secret_names: frozenset[str] = frozenset()
    follows_redirects: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingSettings:
    """How subjects find their topics: *strategies* in order of preference, `regex:…` among them; *subjects* declared.

    Without *strategies*, those that the registry's kind offers apply (`systems.NAMING`).
    """

    strategies: tuple[str, ...] = ()
    subjects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrySettings:
    """One schema registry; *type* is its entry in the table of registries. *environment* is stored as it is.

    *compatibility*: the level of each subject is requested. *options* are the settings of its type: members of
    cluster.json, for a plug-in what its `parse` makes of them. *place* tells it apart; empty: its address does.
    *topics* are those that the brokers listed in this scan, without internal ones.
    """

    type: str
    http: HttpSettings
    naming: NamingSettings = field(default_factory=NamingSettings)
    environment: str = ""
    deleted: bool = True
    compatibility: bool = False
    options: Any = field(default_factory=dict, repr=False)
    place: str = ""
    topics: frozenset[TopicName] = frozenset()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"schema_registry:{self.place or self.http.url}")


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaSettings:
    """The Kafka protocol: bootstrap brokers and librdkafka's own properties (which hold secrets).

    *reads_other_groups*: `kafka_clients` reads share and Streams groups, which librdkafka does not describe.
    """

    brokers: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 15.0
    reads_other_groups: bool = False

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId("kafka:" + ",".join(self.brokers))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLineageSettings:
    """Where OpenLineage events go: the settings of a transport as openlineage-python takes them, which hold secrets."""

    transport: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One cluster.json, read. *kafka* is None where the Kafka protocol is not used (no `kafka` member).

    *others* are the settings of kinds of source without a field here, by their member of cluster.json.
    *openlineage* is None where the file does not configure where events go. *push* are catalogs that get lineage.
    *triggers* are what a watch reports of readers, None for nothing.
    *manual_input* are the files found by the patterns, sorted. *file* is the path it was read from. *warnings* are
    what this version ignores in the file. With *cloud*, what it leaves out is found when a scan starts:
    only then are there *lacking* sources, the cluster's *identity* and its *aliases* as (kind, name) pairs. *servers*
    are namespaces of databases and other systems with what people call them.
    """

    cluster: ClusterName
    brokers: tuple[str, ...]
    file: Path
    kafka: KafkaSettings | None = None
    registries: tuple[RegistrySettings, ...] = ()
    ksqldb: tuple[KsqlSettings, ...] = ()
    connect: tuple[ConnectSettings, ...] = ()
    catalogs: tuple[CatalogSettings, ...] = ()
    kafka_rest: KafkaRestSettings | None = None
    stream_catalogs: tuple[StreamCatalogSettings, ...] = ()
    tableflow: TableflowSettings | None = None
    metrics: MetricsSettings | OffsetSettings | None = None
    prometheus: tuple[PrometheusSettings, ...] = ()
    cloud: CloudSettings | None = None
    lacking: tuple[Lacking, ...] = ()
    identity: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    servers: tuple[tuple[str, str], ...] = ()
    flink: tuple[FlinkSettings, ...] = ()
    sql_files: tuple[SqlFilesSettings, ...] = ()
    others: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    openlineage: OpenLineageSettings | None = None
    push: tuple[PushSettings, ...] = ()
    triggers: Triggers | None = None
    manual_input: tuple[Path, ...] = ()
    secret_names: frozenset[str] = frozenset()
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetSettings:
    """Metrics of any cluster over the Kafka protocol: the end offsets of each topic."""

    brokers: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 15.0

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId("metrics:offsets:" + ",".join(self.brokers))
