"""Settings of sources that say which clients use a topic: rules of access, Prometheus, applications, schema ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from scanner_extractor.settings.cluster import HttpSettings, KafkaSettings
from scanner_model.clients import Direction
from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class AclSettings:
    """Rules of access of the brokers of *kafka*, and what they do not report: super users, and the default rule."""

    kafka: KafkaSettings
    super_users: tuple[str, ...] = ()
    allow_everyone: bool = False

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId("acls:" + ",".join(self.kafka.brokers))


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerClientSettings:
    """Clients as the brokers of *kafka* know them; *samples* is how often open transactions are looked at in a scan."""

    kafka: KafkaSettings
    transactions: bool = True
    groups: bool = True
    samples: int = 3

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId("kafka_clients:" + ",".join(self.kafka.brokers))


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaIdSettings:
    """Topics of *kafka* whose newest records are read for their schema ids, and for nothing else.

    *topics* are names or globs, *records* how many records of a partition, *partitions* how many partitions of a topic,
    *most_topics* how many topics, by name, *seconds* how long in all.
    """

    kafka: KafkaSettings
    topics: tuple[str, ...]
    records: int = 3
    partitions: int = 12
    most_topics: int = 200
    seconds: int = 60

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId("schema_ids:" + ",".join(self.kafka.brokers))

    def takes(self, topic: str) -> bool:
        """Return whether the records of *topic* may be read: never those of a topic that begins with `_`."""
        return not topic.startswith("_") and any(fnmatchcase(topic, pattern) for pattern in self.topics)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricProfile:
    """A metric that counts what clients do with topics, and the labels that name topic and client.

    *labels* are (label, kind of name) pairs. A *level* is a gauge: its last value is read, not its increase.
    *lag*: it is the lag of a consumer group. *matchers* are added to the selector, as `messaging_system="kafka"`.
    """

    name: str
    metric: str
    direction: Direction
    topic: str = "topic"
    labels: tuple[tuple[str, str], ...] = ()
    matchers: str = ""
    level: bool = False
    lag: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusSettings:
    """One server with the HTTP API of Prometheus; *selector* are label matchers of this cluster's series.

    *profiles* are the user's own, read with the built-in ones.
    """

    http: HttpSettings
    name: str = ""
    selector: str = ""
    window: str = "1d"
    profiles: tuple[MetricProfile, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the address changes."""
        return SourceId(f"prometheus:{self.name or self.http.url}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationSettings:
    """The applications that cluster.json names: for each its owner, and (kind of name, pattern) pairs."""

    owners: Mapping[str, str] = field(default_factory=dict)
    identities: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId("applications:cluster.json")
