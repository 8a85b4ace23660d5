"""From the response of Confluent Cloud's control plane to settings: brokers, addresses, keys of a cluster's sources.

What cluster.json declares comes first. A plane without a key of its own uses the Cloud key where that can work
(managed connectors, Tableflow, metrics); where it cannot, the source is reported as lacking, not as absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from scanner_extractor.settings.cluster import (
    BasicAuth,
    HttpSettings,
    KafkaSettings,
    OffsetSettings,
    RegistrySettings,
    Settings,
)
from scanner_extractor.systems.confluent_cloud.section import METRICS_REQUESTS_PER_SECOND
from scanner_extractor.systems.confluent_cloud.settings import (
    METRICS_URL,
    CloudCluster,
    CloudSettings,
    Environment,
    KafkaRestSettings,
    Lacking,
    MetricsSettings,
    Organization,
    Plane,
    StreamCatalogSettings,
    TableflowSettings,
    has_key,
)
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_extractor.systems.flink.settings import CONFLUENT, FlinkSettings
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.names import SourceId

KINDS = frozenset(
    {
        "confluent_cloud",
        "kafka",
        "schema_registry",
        "stream_catalog",
        "ksqldb",
        "connect",
        "flink",
        "tableflow",
        "metrics",
    }
)
"""The kinds of source that may be found."""

_DEDICATED = "Dedicated"
_OWN_KEY = frozenset({Plane.KAFKA, Plane.SCHEMA_REGISTRY, Plane.KSQLDB, Plane.FLINK})

_Source = TypeVar("_Source", RegistrySettings, KsqlSettings, ConnectSettings, FlinkSettings, StreamCatalogSettings)


def expanded(settings: Settings, cloud: CloudSettings, organization: Organization) -> Settings:
    """Return *settings* with what was *organization*; the cluster of *cloud* is among it."""
    cluster = next(candidate for candidate in organization.clusters if candidate.id == cloud.cluster)
    return _Expansion(settings, cloud, organization, cluster).settings_found()


@dataclass(frozen=True, slots=True)
class _Expansion:
    settings: Settings
    cloud: CloudSettings
    organization: Organization
    cluster: CloudCluster

    def settings_found(self) -> Settings:
        """Combine what cluster.json declares and what was found."""
        declared, brokers = self.settings, self.settings.brokers or self.cluster.brokers
        kafka, rest = self._kafka(brokers), declared.kafka_rest or self._kafka_rest()
        return replace(
            declared,
            brokers=brokers,
            kafka=kafka,
            kafka_rest=rest,
            registries=_with_discovered(declared.registries, self._registries()),
            stream_catalogs=_with_discovered(declared.stream_catalogs, self._stream_catalogs()),
            ksqldb=_with_discovered(declared.ksqldb, self._ksqldb()),
            connect=_with_discovered(declared.connect, self._connect()),
            flink=_with_discovered(declared.flink, self._flink()),
            tableflow=declared.tableflow or self._tableflow(),
            metrics=self._metrics(kafka),
            lacking=(*declared.lacking, *self._lacking(has_kafka=bool(kafka or rest))),
            identity=self.cluster.id,
            aliases=tuple(sorted({*declared.aliases, *_aliases(self.cluster, self._environment)})),
        )

    @property
    def _environment(self) -> Environment:
        name = self.cluster.environment
        return next(
            (environment for environment in self.organization.environments if environment.id == name),
            Environment(id=name, name=""),
        )

    def _http(self, plane: Plane, url: str) -> HttpSettings:
        """Return the HTTP settings of a plane: its own address and key before those found and the Cloud key."""
        own = self.cloud.planes.get(plane)
        if own is None:
            return replace(self.cloud.http, url=url, auth=None if plane in _OWN_KEY else self.cloud.http.auth)
        key = own.auth if plane in _OWN_KEY or has_key(own) else self.cloud.http.auth
        return replace(own, url=own.url or url, auth=key)

    def _kafka(self, brokers: tuple[str, ...]) -> KafkaSettings | None:
        declared, key = self.settings.kafka, self._http(Plane.KAFKA, self.cluster.url).auth
        if declared:
            return replace(declared, brokers=declared.brokers or brokers)
        if not brokers or not isinstance(key, BasicAuth) or not key.user:
            return None
        properties = {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.username": key.user,
            "sasl.password": key.password,
        }
        return KafkaSettings(brokers=brokers, properties=properties)

    def _kafka_rest(self) -> KafkaRestSettings | None:
        http = self._http(Plane.KAFKA, self.cluster.url)
        if not http.url or not has_key(http):
            return None
        # Only a Dedicated cluster reports lags over REST; the Kafka protocol reports them on every kind.
        return KafkaRestSettings(http=http, cluster=self.cluster.id, lags=self.cluster.kind == _DEDICATED)

    def _registries(self) -> Iterator[RegistrySettings]:
        for registry in self.organization.registries:
            http = self._http(Plane.SCHEMA_REGISTRY, registry.url)
            if registry.environment == self.cluster.environment:
                yield RegistrySettings(type="confluent", http=http, environment=registry.environment)

    def _stream_catalogs(self) -> Iterator[StreamCatalogSettings]:
        for registry in self.organization.registries:
            http = self._http(Plane.SCHEMA_REGISTRY, registry.catalog_url)
            if registry.environment == self.cluster.environment:
                yield StreamCatalogSettings(http=http, cluster=self.cluster.id)

    def _ksqldb(self) -> Iterator[KsqlSettings]:
        for cloud_ksql in self.organization.ksqldb:
            http = self._http(Plane.KSQLDB, cloud_ksql.url)
            if cloud_ksql.kafka == self.cluster.id:
                yield KsqlSettings(http=http)

    def _connect(self) -> Iterator[ConnectSettings]:
        http = self._http(Plane.CONNECT, self.cloud.http.url)
        path = f"/connect/v1/environments/{self.cluster.environment}/clusters/{self.cluster.id}"
        own = replace(http, url=http.url.removesuffix(path) + path, secret_names=frozenset())
        yield ConnectSettings(http=own, secret_names=http.secret_names)

    def _flink(self) -> Iterator[FlinkSettings]:
        for cloud, region, url in self._regions():
            yield FlinkSettings(
                type=CONFLUENT,
                http=self._http(Plane.FLINK, url),
                organization=self.organization.id,
                environment=self.cluster.environment,
                region=f"{cloud.lower()}.{region}",
            )

    def _regions(self) -> list[tuple[str, str, str]]:
        """Return every region in which the environment has a pool, with its listed or usual address."""
        urls = {(region.cloud.upper(), region.region): region.url for region in self.organization.regions}
        pools = {
            (pool.cloud.upper(), pool.region)
            for pool in self.organization.pools
            if pool.environment == self.cluster.environment
        }
        return [
            (cloud, region, urls.get((cloud, region)) or f"https://flink.{region}.{cloud.lower()}.confluent.cloud")
            for cloud, region in sorted(pools)
            if cloud and region
        ]

    def _tableflow(self) -> TableflowSettings | None:
        http = self._http(Plane.TABLEFLOW, self.cloud.http.url)
        if not has_key(http):
            return None
        return TableflowSettings(http=http, environment=self.cluster.environment, cluster=self.cluster.id)

    def _metrics(self, kafka: KafkaSettings | None) -> MetricsSettings | OffsetSettings | None:
        declared = self.settings.metrics
        if isinstance(declared, OffsetSettings) and kafka:
            return replace(declared, brokers=kafka.brokers, properties=kafka.properties)
        http = self._http(Plane.METRICS, METRICS_URL)
        if declared or not has_key(http):
            return declared
        if Plane.METRICS not in self.cloud.planes and http.requests_per_second:
            http = replace(http, requests_per_second=METRICS_REQUESTS_PER_SECOND)
        return MetricsSettings(http=http, cluster=self.cluster.id)

    def _lacking(self, *, has_kafka: bool) -> Iterator[Lacking]:
        """Yield the sources that exist and have no key; *has_kafka*: the Kafka cluster itself can be read."""
        if not has_kafka:
            yield _missing_key(SourceId(f"kafka_rest:{self.cluster.url}:{self.cluster.id}"), "kafka", Plane.KAFKA)
        declared = self.settings
        yield from _missing_keys(declared.registries, self._registries(), "schema_registry", Plane.SCHEMA_REGISTRY)
        yield from _missing_keys(
            declared.stream_catalogs, self._stream_catalogs(), "stream_catalog", Plane.SCHEMA_REGISTRY
        )
        yield from _missing_keys(declared.ksqldb, self._ksqldb(), "ksqldb", Plane.KSQLDB)
        yield from _missing_keys(declared.flink, self._flink(), "flink", Plane.FLINK)


def _missing_keys(
    declared: tuple[_Source, ...], discovered: Iterator[_Source], kind: str, plane: Plane
) -> Iterator[Lacking]:
    known = _known(declared)
    return (
        _missing_key(source.source, kind, plane)
        for source in discovered
        if not has_key(source.http) and _is_new(source, known)
    )


def _missing_key(source: SourceId, kind: str, plane: Plane) -> Lacking:
    hint = f"give it one as `confluent_cloud.{plane}.auth`, or leave it out with `--skip {kind}`"
    return Lacking(source=source, kind=kind, what=f"no key for this plane ({plane})", hint=hint)


def _with_discovered(declared: tuple[_Source, ...], discovered: Iterator[_Source]) -> tuple[_Source, ...]:
    """Add what was found and has a key to what is declared, unless it is the same source."""
    known = _known(declared)
    return declared + tuple(source for source in discovered if has_key(source.http) and _is_new(source, known))


def _known(declared: tuple[_Source, ...]) -> set[str]:
    return {source.source for source in declared} | {source.http.url for source in declared}


def _is_new(source: _Source, known: set[str]) -> bool:
    return not {source.source, source.http.url} & known


def _aliases(cluster: CloudCluster, environment: Environment) -> Iterator[tuple[str, str]]:
    named = (
        ("cluster_id", cluster.id),
        ("crn", cluster.crn),
        ("display_name", cluster.name),
        ("environment", environment.id),
        ("environment_name", environment.name),
    )
    return (alias for alias in named if alias[1])
