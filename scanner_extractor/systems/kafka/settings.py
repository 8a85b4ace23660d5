"""Settings of what brokers know of clients: rules of access, transactions, groups, schema ids."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from scanner_extractor.settings.cluster import KafkaSettings
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
