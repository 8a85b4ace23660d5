"""The estate around the schemas: cluster, topics, consumer groups, ksqlDB's collections and queries, manual flows."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_model.names import ClusterName, SourceId, TopicName


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A Kafka cluster: the name people gave it, its brokers in normal form, the id it gives itself (or empty).

    *aliases* are other ways to the same cluster as (kind, name) pairs: its CRN, its environment and display name.
    *unnamed* counts brokers that hold replicas and that nobody named: they are down, their addresses what they were.
    """

    name: ClusterName
    brokers: tuple[str, ...]
    cluster_id: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    unnamed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic; None where the source that named it does not tell. *config* is sorted (key, value) pairs."""

    source: SourceId
    name: TopicName
    partitions: int | None = None
    replication: int | None = None
    internal: bool = False
    config: tuple[tuple[str, str], ...] = ()
    description: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroup:
    """A consumer group and the topics that it has committed offsets for or is assigned."""

    source: SourceId
    name: str
    state: str = ""
    topics: tuple[TopicName, ...] = ()
