"""What the reader of each source returns: facts, what it could not read, and how the source responded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scanner_extractor.settings.cluster import Settings
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.clients import ClientUse
from scanner_model.declarations import Declaration, UnreadFile
from scanner_model.errors import Problem
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Connector, ConsumerGroup, StreamsTopology, Topic
from scanner_model.manual import DeclaredFlow, ManualSchema
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Association, Registry, SchemaVersion
from scanner_model.streaming_sql import FlinkJob, KsqlFunction, KsqlSource, KsqlType, Query, StreamingStatement

if TYPE_CHECKING:
    from scanner_extractor.systems.confluent_cloud.settings import Organization

SCHEMA_IDS = "schema_id_uses"
"""The member of the facts that are schema ids in use."""

Progress = Callable[[SourceId, int, int | None], None]
"""Called with the number of objects of a source that are done, and the total (None: unknown), from any thread."""


def no_progress(source: SourceId, done: int, total: int | None) -> None:
    """Report no progress."""


def answered(
    source: SourceId,
    kind: str,
    received: int,
    *,
    reasons: Iterable[str] = (),
    missing: int = 0,
    **others: Any,  # noqa: ANN401 - of several types
) -> SourceResult:
    """Build the outcome of a source that answered: partial where there are *reasons* why not all was read.

    *received* objects were read, *missing* ones were not. *others* are members of the outcome: hint, requests, unread.
    """
    reason = "; ".join(reasons)
    return SourceResult(
        source=source,
        kind=kind,
        status=SourceStatus.PARTIAL if reason else SourceStatus.READ,
        received=received,
        requested=received + missing,
        reason=reason,
        **others,
    )


def answered_with(
    problems: Sequence[Problem],
    source: SourceId,
    kind: str,
    received: int,
    **others: Any,  # noqa: ANN401 - as above
) -> SourceResult:
    """Build the outcome of a source that answered: partial where there are *problems*; the first two are the reason."""
    hint = problems[0].hint if problems else ""
    return answered(source, kind, received, reasons=[problem.what for problem in problems[:2]], hint=hint, **others)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryResult:
    """The result of a registry: every version of every subject, sorted by context, subject and version."""

    registry: Registry
    outcome: SourceResult
    versions: tuple[SchemaVersion, ...] = ()
    associations: tuple[Association, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlResult:
    """The result of a ksqlDB cluster: collections and queries, each sorted by name.

    *missing* are topics of collections that the server does not find: deleted, or hidden from its user. *service* is
    the id of the server, which names its own topics; empty where it is not reported.
    """

    outcome: SourceResult
    sources: tuple[KsqlSource, ...] = ()
    queries: tuple[Query, ...] = ()
    problems: tuple[Problem, ...] = ()
    missing: frozenset[TopicName] = frozenset()
    service: str = ""
    functions: tuple[KsqlFunction, ...] = ()
    types: tuple[KsqlType, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectResult:
    """The result of a Connect cluster: its connectors, sorted by name, and the id of the Kafka cluster it works on."""

    outcome: SourceResult
    kafka_cluster_id: str = ""
    connectors: tuple[Connector, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaResult:
    """The result of the brokers: the cluster's own id, the brokers' addresses, topics and groups, each sorted by name.

    *brokers* are first those of the listener that was used, then those of the others; *unnamed* counts those that are
    not among them although they hold replicas. *unconfigured* are the topics whose settings the brokers did not return:
    their empty `config` is unknown, not empty.
    """

    outcome: SourceResult
    cluster_id: str = ""
    brokers: tuple[str, ...] = ()
    unnamed: int = 0
    topics: tuple[Topic, ...] = ()
    consumer_groups: tuple[ConsumerGroup, ...] = ()
    problems: tuple[Problem, ...] = ()
    unconfigured: frozenset[TopicName] = frozenset()
    mirrors: tuple[MirrorTopic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsResult:
    """The result of a source of jobs: Flink's statements and jobs, Streams topologies, uses of topics; each sorted."""

    outcome: SourceResult
    statements: tuple[StreamingStatement, ...] = ()
    jobs: tuple[FlinkJob, ...] = ()
    topologies: tuple[StreamsTopology, ...] = ()
    uses: tuple[ClientUse, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudResult:
    """The result of Confluent Cloud's control plane: where a cluster's sources are, no facts."""

    outcome: SourceResult
    organization: Organization
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogResult:
    """The result of a catalog or a source of metrics; each kind sorted by name. *uses* are those of topics."""

    outcome: SourceResult
    annotations: tuple[Annotation, ...] = ()
    materializations: tuple[Materialization, ...] = ()
    tables: tuple[CatalogTable, ...] = ()
    links: tuple[CatalogLink, ...] = ()
    metrics: tuple[Metric, ...] = ()
    uses: tuple[ClientUse, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsResult:
    """The result of a source whose facts are stored as they are: *facts* by the member of `ClusterScan.facts`."""

    outcome: SourceResult
    facts: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredResult:
    """The result of deployment files: what they declare, and the facts that follow where nothing of it runs.

    *flows* have one end: a program, which is their job, reads or writes a topic. *schemas* are those of topics in
    documents of people, which count where no registry has one.
    """

    outcome: SourceResult
    declarations: tuple[Declaration, ...] = ()
    topics: tuple[Topic, ...] = ()
    connectors: tuple[Connector, ...] = ()
    statements: tuple[StreamingStatement, ...] = ()
    flows: tuple[DeclaredFlow, ...] = ()
    schemas: tuple[ManualSchema, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryResult:
    """The result of a repository: what its files declare, its schemas as a registry (None without any), its tables.

    *unread* are files that may declare flows and are not read, *field_uses* the fields that programs use. *files* are
    the paths of what was found, by kind, and *of_tables* of those that declare tables. *levels* are the compatibility
    levels of subjects, of all others under the empty name. *schema_files* are the subjects of each schema file, by
    path.
    """

    outcome: SourceResult
    declared: DeclaredResult
    registry: RegistryResult | None = None
    tables: tuple[CatalogTable, ...] = ()
    links: tuple[CatalogLink, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    unread: tuple[UnreadFile, ...] = ()
    field_uses: tuple[FieldUse, ...] = ()
    problems: tuple[Problem, ...] = ()
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    of_tables: tuple[str, ...] = ()
    levels: Mapping[str, str] = field(default_factory=dict)
    schema_files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def places(self) -> frozenset[str]:
        """Return the paths of the files that declare something."""
        declared = self.declared
        listed = [
            *(entry.place for entry in declared.declarations),
            *(statement.detail for statement in declared.statements),
            *(flow.evidence for flow in declared.flows),
            *self.of_tables,
        ]
        return frozenset(place.rpartition(":")[0] if place[-1:].isdigit() else place for place in listed)

    def place_of(self, job: str, text: str) -> str:
        """Return where a connector, a program, or the statement *text* is declared; empty where it is not."""
        declared = self.declared
        places = {flow.job: flow.evidence for flow in declared.flows}
        places |= {statement.name: statement.detail for statement in declared.statements}
        places |= {entry.name: entry.place for entry in declared.declarations}
        holding = (entry.detail for entry in declared.statements if text and text in entry.statement)
        return places.get(job) or places.get(job.rpartition(":")[0]) or next(holding, "")

    @property
    def parts(self) -> tuple[CatalogResult | DeclaredResult | RegistryResult, ...]:
        """Return its facts as the results of the sources that they would otherwise come from."""
        tables = CatalogResult(outcome=self.outcome, annotations=self.annotations, tables=self.tables, links=self.links)
        return (self.declared, *((self.registry,) if self.registry else ()), tables)


SourceResults = (
    CatalogResult
    | CloudResult
    | ConnectResult
    | DeclaredResult
    | FactsResult
    | JobsResult
    | KafkaResult
    | KsqlResult
    | RegistryResult
    | RepositoryResult
)
"""What the reader of any source returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReadings:
    """The results of every source: one outcome a source, and the readings of those that could be read.

    *settings* are those in effect: with what was found on Confluent Cloud, where there is any.
    """

    outcomes: tuple[SourceResult, ...]
    readings: tuple[SourceResults, ...]
    settings: Settings | None = None
