"""Kafka clusters, topics, groups and Streams applications; connectors and their tasks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_model.names import ClusterName, SourceId, TopicName


class ConnectorKind(StrEnum):
    """Direction in which a connector moves records."""

    SOURCE = "source"
    """Into Kafka."""
    SINK = "sink"
    """Out of Kafka."""
    UNKNOWN = "unknown"
    """Unknown, as where its class is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorTask:
    """One task of a connector; *state* is as the server reports it, *trace* is empty unless it failed."""

    number: int
    state: str
    worker: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A connector: its configuration and its state.

    *config* is sorted (key, value) pairs; values that are secret are hidden, references to them (`${file:…}`) are
    not. *state* is as the server reports it. *topics* are those that it has used since it started or was reset,
    None where unknown. *managed_id* is the id that Confluent Cloud gives it, empty elsewhere.
    """

    source: SourceId
    name: str
    kind: ConnectorKind
    connector_class: str
    config: tuple[tuple[str, str], ...] = ()
    state: str = ""
    worker: str = ""
    trace: str = ""
    tasks: tuple[ConnectorTask, ...] = ()
    topics: tuple[TopicName, ...] | None = None
    plugin_version: str = ""
    managed_id: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsTopology:
    """What `Topology.describe()` printed (*topology*).

    *name* is the application id, which the text does not contain.
    """

    source: SourceId
    name: str
    topology: str
    file: str = ""
