"""The estate around the schemas: cluster, topics, consumer groups, ksqlDB's collections and queries, manual flows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from scanner_model.columns import Column
from scanner_model.names import ClusterName, Role, SourceId, TopicName
from scanner_model.paths import ColumnPath


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionColumn:
    """A column of a ksqlDB collection; *role* None is a header column."""

    column: Column
    role: Role | None
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlSource:
    """A ksqlDB collection (STREAM or TABLE) as the server describes it; *window* is empty where it is not windowed."""

    source: SourceId
    name: str
    kind: str
    topic: TopicName
    key_format: str
    value_format: str
    statement: str
    window: str = ""
    columns: tuple[CollectionColumn, ...] = ()
    partitions: int | None = None
    replication: int | None = None
    internal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A ksqlDB query as received: sources and sinks are collections' names, *sink_topics* topics."""

    source: SourceId
    name: str
    kind: str
    state: str
    statement: str
    sources: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    sink_topics: tuple[TopicName, ...] = ()
    consumer_group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """What went wrong in a ksqlDB query, and when by the server's clock; None where it does not tell."""

    message: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlFunction:
    """A function that a ksqlDB server knows; *kind* is its word: SCALAR, AGGREGATE or TABLE."""

    source: SourceId
    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlType:
    """A type that somebody created in ksqlDB: *definition* is the SQL text of what the name stands for."""

    source: SourceId
    name: str
    definition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowEnd:
    """One end of a manual flow: a dataset (namespace empty for a topic of this cluster) and perhaps a column."""

    namespace: str
    name: str
    path: ColumnPath | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualFlow:
    """A flow that somebody declared by hand; *job* names what does it (may be empty), *evidence* file and place."""

    source: SourceId
    origin: FlowEnd
    target: FlowEnd
    job: str
    description: str
    evidence: str
