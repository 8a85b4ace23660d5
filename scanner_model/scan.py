"""The result of one scan of one cluster, with the status of each source, as stored in the dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from scanner_model.catalogs import Metric
from scanner_model.errors import Problem
from scanner_model.facts import Facts, Value
from scanner_model.kafka import Cluster, Topic
from scanner_model.names import RecordName, Role, SourceId, SubjectName, TopicName
from scanner_model.schemas import KnownText, SchemaIdUse


class SourceStatus(StrEnum):
    """Status of a source in a scan; empty, unknown and failed are different states."""

    READ = "read"
    """Read completely; objects no longer listed are deleted."""
    PARTIAL = "partial"
    """Read partly; missing objects are retained, stale."""
    UNAVAILABLE = "unavailable"
    """Not reachable; all earlier facts are retained, stale."""
    SKIPPED = "skipped"
    """Not queried in this scan, though it could have been."""
    KEPT = "kept"
    """Not queried in this mode of scan: the facts of the last scan remain valid."""
    FORGOTTEN = "forgotten"
    """Removed by the user: its facts are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceResult:
    """How one source answered in one scan."""

    source: SourceId
    kind: Annotated[str, Value("what the source is")]
    status: Annotated[SourceStatus, Value("read, partial, unavailable, skipped, kept or forgotten")]
    received: Annotated[int, Value("objects that were read: versions, topics, collections, …")] = 0
    requested: Annotated[int, Value("objects that were requested")] = 0
    reason: Annotated[str, Value("one line where it was not read completely", long=True)] = ""
    hint: Annotated[str, Value("the next step, empty if absent", long=True)] = ""
    requests: Annotated[int, Value("requests sent")] = 0
    seconds: Annotated[float, Value("seconds spent")] = 0.0
    unread: Annotated[
        frozenset[str],
        Value("JSON array of the names that exist and could not be read: their earlier facts are retained"),
    ] = frozenset()


@dataclass(frozen=True, kw_only=True)
class ClusterScan(Facts):
    """The result of one scan of one cluster, in a fixed order, ready to be stored in one transaction.

    The facts have every registry queried, whether it responded or not. A topic's *source* is the first, in the order
    Kafka, manual, ksqlDB, registry, that knows it. *problems* are what validation, reading and merging found. *texts*
    are the schema texts that the next scan need not parse.
    """

    cluster: Cluster
    outcomes: tuple[SourceResult, ...]
    problems: tuple[Problem, ...] = ()
    texts: tuple[KnownText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousState:
    """Facts of earlier scans for sources that this scan could not read fully: topics, and sides with a schema.

    An outage must turn neither a known topic into an unknown one, nor a described side into one without a schema.
    *metrics* are the last levels reported by each source, to compute rates from. *cluster_id* is the
    id that the Kafka cluster gave itself; empty if no scan learnt it. *messages* are the Protobuf messages of
    subjects, as ksqlDB names them. *schema_ids* are those that earlier scans saw in records, of every source.
    *connector_topics* are the topics of connectors, by the source and the name of the connector. *orphans* are the
    subjects, by source and context, for which no topic was found while the brokers answered.
    """

    topics: tuple[Topic, ...] = ()
    sides: frozenset[tuple[TopicName, Role]] = frozenset()
    metrics: tuple[Metric, ...] = ()
    cluster_id: str = ""
    messages: Mapping[SubjectName, RecordName] = field(default_factory=dict)
    schema_ids: tuple[SchemaIdUse, ...] = ()
    connector_topics: Mapping[tuple[SourceId, str], tuple[TopicName, ...]] = field(default_factory=dict)
    orphans: frozenset[tuple[SourceId, str, SubjectName]] = frozenset()
