"""Settings of Confluent Cloud, Kafka REST, stream catalogs, Tableflow and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scanner_extractor.settings.cluster import BasicAuth, HttpSettings
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An environment; *name* is its display name, which Flink uses as a catalog's and which may repeat."""

    id: str
    name: str
    package: str = ""
    crn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudCluster:
    """A Kafka cluster; *name* is its display name, a database's for Flink. *kind*: Basic, Dedicated and so on."""

    id: str
    name: str
    environment: str
    cloud: str = ""
    region: str = ""
    kind: str = ""
    brokers: tuple[str, ...] = ()
    url: str = ""
    crn: str = ""
    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudRegistry:
    """A schema registry of an environment; *catalog_url* is its stream catalog's."""

    id: str
    environment: str
    url: str
    catalog_url: str
    package: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudKsql:
    """A ksqlDB cluster on the Kafka cluster *kafka*."""

    id: str
    name: str
    kafka: str
    url: str
    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputePool:
    """A Flink compute pool of an environment."""

    id: str
    environment: str
    cloud: str
    region: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkRegion:
    """A region that has Flink, and the address of its SQL gateway."""

    cloud: str
    region: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Organization:
    """What one API key shows of an organisation, each kind sorted by id; *id* may be empty."""

    id: str = ""
    environments: tuple[Environment, ...] = ()
    clusters: tuple[CloudCluster, ...] = ()
    registries: tuple[CloudRegistry, ...] = ()
    ksqldb: tuple[CloudKsql, ...] = ()
    pools: tuple[ComputePool, ...] = ()
    regions: tuple[FlinkRegion, ...] = ()


CLOUD_URL = "https://api.confluent.cloud"
METRICS_URL = "https://api.telemetry.confluent.cloud"


class Plane(StrEnum):
    """A part of Confluent Cloud that has hosts and keys of its own; the word is the member of `confluent_cloud`."""

    KAFKA = "kafka"
    SCHEMA_REGISTRY = "schema_registry"
    KSQLDB = "ksqldb"
    FLINK = "flink"
    CONNECT = "connect"
    TABLEFLOW = "tableflow"
    METRICS = "metrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaRestSettings:
    """Kafka over REST v3; *cluster* is its id, empty: the only one that the server has.

    *lags*: the lags of each consumer group are read, one request each.
    """

    http: HttpSettings
    cluster: str = ""
    lags: bool = True

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(":".join(filter(None, ("kafka_rest", self.http.url, self.cluster))))


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamCatalogSettings:
    """A stream catalog; only annotations on the topics of *cluster* (`lkc-…`) is of this cluster.

    *fields*: annotations on single fields are read too, which are many.
    """

    http: HttpSettings
    cluster: str
    fields: bool = True

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"stream_catalog:{self.http.url}:{self.cluster}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableflowSettings:
    """The topics of *cluster* in *environment* stored as tables; *aws_account* is that of AWS Glue, or empty."""

    http: HttpSettings
    environment: str
    cluster: str
    aws_account: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"tableflow:{self.http.url}:{self.cluster}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSettings:
    """Confluent's metrics of *cluster*, summed over the last *look_back* minutes (at least one).

    *clients*: the data set `dataflow` is read too, which Confluent does not document.
    """

    http: HttpSettings
    cluster: str
    look_back: int = 60
    clients: bool = False

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"metrics:{self.http.url}:{self.cluster}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudSettings:
    """A cluster of Confluent Cloud whose brokers and sources are found when a scan starts.

    *http* is the control plane with a Cloud API key. *planes* are those with a key or an address of their own: an empty
    URL is found. *environment* empty: that which has *cluster*.
    """

    http: HttpSettings
    cluster: str
    environment: str = ""
    planes: Mapping[Plane, HttpSettings] = field(default_factory=dict)

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"confluent_cloud:{self.http.url}:{self.cluster}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A source that exists and cannot be read, because no key for it is configured."""

    source: SourceId
    kind: str
    what: str
    hint: str


def has_key(http: HttpSettings) -> bool:
    """Return whether there are credentials; a user without a name, as from an unset variable, does not count."""
    return http.auth is not None and not (isinstance(http.auth, BasicAuth) and not http.auth.user)
