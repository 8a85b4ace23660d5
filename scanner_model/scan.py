"""What one scan of one cluster found, and how each source answered; the dictionary stores exactly this."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.connect import Connector
from scanner_model.flink import FlinkJob, FlinkStatement
from scanner_model.kafka import Cluster, ConsumerGroup, Topic
from scanner_model.ksqldb import KsqlFunction, KsqlSource, KsqlType, Query
from scanner_model.manual import ManualFlow
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.problems import Problem
from scanner_model.schemas import Definition, Registry, SchemaVersion, TopicSchema
from scanner_model.streams import StreamsTopology


class SourceStatus(StrEnum):
    """How a source answered. Empty, unknown and failed are three answers."""

    READ = "read"
    """All of it was read; what it no longer names is gone."""
    PARTIAL = "partial"
    """Some of it could not be read; what is missing stays, stale."""
    UNAVAILABLE = "unavailable"
    """It could not be asked; everything it told earlier stays, stale."""
    SKIPPED = "skipped"
    """It was not asked in this scan, though it could have been."""
    KEPT = "kept"
    """This mode of scan does not ask it: what the last scan stored stands, as fresh as it was."""
    FORGOTTEN = "forgotten"
    """People say that it is no more: what it told is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceResult:
    """How one source answered: *asked* and *got* count its own objects (subjects' versions, topics, collections).

    *reason* is one line for people where it did not answer fully, *hint* the next step. *requests* and *seconds* are
    what it cost. *unread* are the natural names (subjects, collections) that exist and could not be read this time:
    their earlier facts stay.
    """

    source: SourceId
    kind: str
    answer: SourceStatus
    got: int = 0
    asked: int = 0
    reason: str = ""
    hint: str = ""
    requests: int = 0
    seconds: float = 0.0
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterScan:
    """The result of one scan of one cluster, in a fixed order, ready to be stored in one transaction.

    *registries* lists every registry asked, answered or not. A topic's *source* is the first, in the order Kafka,
    manual, ksqlDB, registry, that knows it. *problems* are what validation, reading and merging found.
    """

    cluster: Cluster
    outcomes: tuple[SourceResult, ...]
    topics: tuple[Topic, ...] = ()
    registries: tuple[Registry, ...] = ()
    versions: tuple[SchemaVersion, ...] = ()
    definitions: tuple[Definition, ...] = ()
    topic_schemas: tuple[TopicSchema, ...] = ()
    consumer_groups: tuple[ConsumerGroup, ...] = ()
    ksql_sources: tuple[KsqlSource, ...] = ()
    queries: tuple[Query, ...] = ()
    manual_flows: tuple[ManualFlow, ...] = ()
    problems: tuple[Problem, ...] = ()
    connectors: tuple[Connector, ...] = ()
    flink_statements: tuple[FlinkStatement, ...] = ()
    flink_jobs: tuple[FlinkJob, ...] = ()
    topologies: tuple[StreamsTopology, ...] = ()
    ksql_functions: tuple[KsqlFunction, ...] = ()
    ksql_types: tuple[KsqlType, ...] = ()
    mirror_topics: tuple[MirrorTopic, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    materializations: tuple[Materialization, ...] = ()
    catalog_tables: tuple[CatalogTable, ...] = ()
    catalog_links: tuple[CatalogLink, ...] = ()
    metrics: tuple[Metric, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousState:
    """What earlier scans know from sources that this one could not (fully) read: topics, and sides that have a schema.

    An outage must turn neither a known topic into an unknown one, nor a described side into one without a schema.
    *metrics* are the levels that every source told last, this one too: what grew since is a rate. *cluster_id* is the
    id that the Kafka cluster gave itself; empty where no scan learnt it.
    """

    topics: tuple[Topic, ...] = ()
    sides: frozenset[tuple[TopicName, Role]] = frozenset()
    metrics: tuple[Metric, ...] = ()
    cluster_id: str = ""
