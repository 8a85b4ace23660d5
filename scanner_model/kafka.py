"""Kafka clusters, topics, groups and Streams applications; connectors and their tasks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from scanner_model.facts import Key, Pairs, Value
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
    """A task of a connector."""

    number: Annotated[int, Value("the server's number", column="task_number")]
    state: Annotated[str, Value("as the server names it")]
    worker: Annotated[str, Value("the worker that runs it, may be empty")] = ""
    trace: Annotated[str, Value("why it failed, empty if it did not", long=True)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """A connector of Kafka Connect.

    Values of *config* that are secret are hidden, references to them (`${file:…}`) are not.
    """

    source: SourceId
    name: Annotated[str, Key("its name, unique among the connectors of its source")]
    kind: Annotated[ConnectorKind, Value("source, sink or unknown")]
    connector_class: Annotated[str, Value("the plug-in as its configuration names it", long=True)]
    config: Annotated[Pairs, Value("JSON object of its settings, sorted; secrets are redacted", mapping=True)] = ()
    state: Annotated[str, Value("as the server names it, empty if it does not report it")] = ""
    worker: Annotated[str, Value("the worker that runs it, may be empty")] = ""
    trace: Annotated[str, Value("why it failed, empty if it did not", long=True)] = ""
    tasks: tuple[ConnectorTask, ...] = ()
    topics: Annotated[
        tuple[TopicName, ...] | None,
        Value("JSON array of the topics used since it started or was reset; empty if they are unknown"),
    ] = None
    plugin_version: Annotated[str, Value("version of the plug-in, empty if it is unknown")] = ""
    managed_id: Annotated[str, Value("Confluent Cloud's id of it, empty elsewhere")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A Kafka cluster: configured name, brokers in normal form, cluster id (or empty).

    *aliases* are other identifiers of the cluster as (kind, name) pairs: its CRN, its environment and display name.
    *unnamed* counts brokers that hold replicas and are missing from the metadata: they are down, their addresses
    are retained. *servers* are namespaces of databases and other systems beside it, with what people call them.
    """

    name: ClusterName
    brokers: tuple[str, ...]
    cluster_id: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    servers: tuple[tuple[str, str], ...] = ()
    unnamed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic of a cluster."""

    source: SourceId
    name: Annotated[TopicName, Key("its name")]
    partitions: Annotated[int | None, Value("empty if no source reports it")] = None
    replication: Annotated[int | None, Value("replication factor, empty if no source reports it")] = None
    internal: Annotated[bool, Value("the broker or ksqlDB marks it as internal", column="is_internal")] = False
    config: Annotated[Pairs, Value("JSON object of its settings, sorted", mapping=True)] = ()
    description: Annotated[str, Value("may be empty", long=True)] = ""
    tags: Annotated[tuple[str, ...], Value("JSON array")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroup:
    """A consumer group.

    *topics* are those that it has committed offsets for or is assigned.
    """

    source: SourceId
    name: Annotated[str, Key("its name")]
    state: Annotated[str, Value("as the broker names it, empty if it does not report it")] = ""
    topics: tuple[TopicName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsTopology:
    """A Kafka Streams topology as its application describes it."""

    source: SourceId
    name: Annotated[str, Key("the application id, which the text does not contain")]
    topology: Annotated[str, Value("what Topology.describe() printed", long=True)]
    file: Annotated[str, Value("where it was read from", long=True)] = ""
