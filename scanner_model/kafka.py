"""Kafka: cluster, topics and consumer groups."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_model.names import ClusterName, SourceId, TopicName


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A Kafka cluster: configured name, brokers in normal form, cluster id (or empty).

    *aliases* are other identifiers of the cluster as (kind, name) pairs: its CRN, its environment and display name.
    *unnamed* counts brokers that hold replicas and are missing from the metadata: they are down, their addresses
    are retained.
    """

    name: ClusterName
    brokers: tuple[str, ...]
    cluster_id: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    unnamed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic; None where the source does not report a value. *config* is sorted (key, value) pairs."""

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
