"""From the results of the sources to one scan: definitions parsed, subjects bound, manual input merged. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any, TypedDict, TypeVar

from scanner_extractor.naming.binding import Bound, RegistryNaming, bind, cluster_associations
from scanner_extractor.naming.observed import IdsInUse, remembered_uses
from scanner_extractor.results import (
    SCHEMA_IDS,
    CatalogResult,
    ConnectResult,
    DeclaredResult,
    FactsResult,
    JobsResult,
    KafkaResult,
    KsqlResult,
    RegistryResult,
    RepositoryResult,
    SourceReadings,
    SourceResults,
)
from scanner_extractor.scan.manual import agreeing, merge_schemas, owned_by_subject, owned_topics
from scanner_extractor.scan.topics import (
    hidden_topics,
    ksqldb_internal,
    ksqldb_topics,
    merge_groups,
    merge_topics,
    missing_topics,
    with_earlier_settings,
    workers_internal,
)
from scanner_extractor.schemas.definitions import Defined, define
from scanner_extractor.schemas.parsing import ParseTexts, parse_in_process
from scanner_extractor.settings.cluster import NamingSettings, Settings
from scanner_extractor.systems.kafka.admin import LOG_END
from scanner_extractor.systems.ksqldb.reader import collection_schemas
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.errors import Problem
from scanner_model.kafka import Cluster, Connector, StreamsTopology, Topic
from scanner_model.manual import Assignment, DeclaredFlow, ManualInput, ManualSchema
from scanner_model.names import Role, TopicName, broker_address
from scanner_model.scan import ClusterScan, PreviousState, SourceResult, SourceStatus
from scanner_model.schemas import Definition, SchemaIdUse, TopicSchema
from scanner_model.streaming_sql import (
    FlinkJob,
    KsqlFunction,
    KsqlSource,
    KsqlType,
    StreamingStatement,
    message_names,
)


def of_own_connectors(annotations: Iterable[Annotation], connectors: Iterable[Connector]) -> Iterator[Annotation]:
    """Return *annotations*, those of connectors with the name that this cluster's own connector of that id has.

    One whose id no connector of this cluster has is about another cluster's connector, perhaps a namesake: it names
    none. Where no managed connector was read, nothing tells, and the catalog's name stays.
    """
    names = {connector.managed_id: connector.name for connector in connectors if connector.managed_id}
    for annotation in annotations:
        identity = next((part for part in annotation.name.split(":") if part.startswith("lcc-")), "")
        if annotation.connector is not None and names and identity:
            yield replace(annotation, connector=names.get(identity))
        else:
            yield annotation


RATE = "records_in_per_second"


def rates(metrics: Iterable[Metric], earlier: Iterable[Metric]) -> Iterator[Metric]:
    """Return the records a second that were written to each topic since the *earlier* reading of the same source.

    None if absent, if no time has passed, and if the offset fell: that is another topic of this name.
    """
    before = {(metric.source, metric.topic): metric for metric in earlier if metric.name == LOG_END}
    for metric in metrics:
        last = before.get((metric.source, metric.topic))
        seconds = _seconds(last.ended, metric.ended) if last and metric.name == LOG_END else 0.0
        if last and seconds > 0 and metric.amount >= last.amount:
            amount = (metric.amount - last.amount) / seconds
            yield replace(metric, name=RATE, amount=amount, started=last.ended)


def _seconds(started: str, ended: str) -> float:
    try:
        return (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
    except (ValueError, TypeError):  # no time, or one without a zone beside one with
        return 0.0


NOTHING = PreviousState()

_Kind = TypeVar(
    "_Kind", CatalogResult, ConnectResult, DeclaredResult, JobsResult, KafkaResult, KsqlResult, RegistryResult
)
_Fact = TypeVar("_Fact")


def merge_results(
    settings: Settings,
    sources: SourceReadings,
    manual: ManualInput | None = None,
    *,
    remembered: PreviousState = NOTHING,
    read: ParseTexts = parse_in_process,
) -> ClusterScan:
    """Put together what one scan of one cluster found.

    *remembered* is what earlier scans know from sources that were not fully read this time. *read* reads the texts of
    registered schemas. Everything has a fixed order, whatever order the sources answered in. Problems of reading,
    naming and merging are listed; none of them loses a fact.
    """
    settings = sources.settings or settings
    manual = manual or ManualInput(cluster=Cluster(name=settings.cluster, brokers=settings.brokers))
    results = _Results.of(sources.readings)
    facts = _facts(sources.readings)
    if manual.field_uses:
        facts["field_uses"] = (*facts.get("field_uses", ()), *manual.field_uses)
    in_use = _in_use(facts.get(SCHEMA_IDS, ()), sources.outcomes, remembered)
    facts |= _looked_at(facts, in_use)
    cluster = _cluster(settings, results.kafka, results.connect, manual)
    listed, named = results.topics(remembered), tuple(ksqldb_topics(results.collections))
    known_topics = merge_topics(listed or (), manual.topics, named, _all(reading.topics for reading in results.files))
    messages = {**remembered.messages, **message_names(results.collections)}
    defined = define((version for reading in results.registries for version in reading.versions), read, messages)
    registries, strange = _of_cluster(results.registries, cluster.cluster_id or remembered.cluster_id)
    # A topic that is known only from subjects does not confirm them. Topics of brokers that were not read stay known.
    subjects = {outcome.source for outcome in sources.outcomes if outcome.kind == "schema_registry"}
    earlier = (topic for topic in remembered.topics if topic.source not in subjects)
    topics_to_bind = merge_topics(earlier, known_topics)
    bound, objections = _bind(settings, registries, defined, topics_to_bind, manual, in_use)
    written = (*manual.schemas, *_all(reading.schemas for reading in results.files))
    declared = merge_schemas(written, bound.topic_schemas, defined.definitions)
    links = (*bound.topic_schemas, *declared.topic_schemas)
    described = collection_schemas(results.collections, _described(links, remembered))
    topics = merge_topics(known_topics, bound.topics, map(_linked_topic, links))
    source_problems = chain.from_iterable(reading.problems for reading in sources.readings)
    doubts = (
        *_foreign_connect_clusters(results.connect, results.kafka),
        *strange,
        *missing_topics(listed, chain(manual.topics, named), results.lost),
        *hidden_topics(listed, ((ksql_result.outcome.source, ksql_result.missing) for ksql_result in results.ksqldb)),
    )
    return ClusterScan(
        cluster=cluster,
        outcomes=(*sources.outcomes, *_manual_outcomes(manual)),
        topics=tuple(workers_internal(ksqldb_internal(topics, (reading.service for reading in results.ksqldb)))),
        registries=tuple(reading.registry for reading in results.registries),
        versions=defined.versions,
        definitions=_distinct(defined.definitions.values(), declared.definitions.values(), (d for d, _ in described)),
        topic_schemas=_ordered(links, (link for _, link in described)),
        consumer_groups=merge_groups(reading.consumer_groups for reading in results.kafka),
        ksql_sources=results.collections,
        queries=tuple(query for reading in results.ksqldb for query in reading.queries),
        declared_flows=(*manual.flows, *_all(reading.flows for reading in results.files)),
        **results.facts(
            remembered,
            (
                *manual.owners,
                *owned_topics(manual.owners, (*topics, *remembered.topics)),
                *owned_by_subject(_all(catalog.annotations for catalog in results.catalogs), links),
            ),
        ),
        others=facts,
        problems=(*source_problems, *doubts, *defined.problems, *objections, *bound.problems, *declared.problems),
    )


class SourceFacts(TypedDict):
    """The members of a scan that are the readings' own, one after the other."""

    statements: tuple[StreamingStatement, ...]
    flink_jobs: tuple[FlinkJob, ...]
    topologies: tuple[StreamsTopology, ...]
    ksql_functions: tuple[KsqlFunction, ...]
    ksql_types: tuple[KsqlType, ...]
    mirror_topics: tuple[MirrorTopic, ...]
    annotations: tuple[Annotation, ...]
    connectors: tuple[Connector, ...]
    materializations: tuple[Materialization, ...]
    catalog_tables: tuple[CatalogTable, ...]
    catalog_links: tuple[CatalogLink, ...]
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class _Results:
    """The readings by kind of source."""

    kafka: tuple[KafkaResult, ...]
    connect: tuple[ConnectResult, ...]
    ksqldb: tuple[KsqlResult, ...]
    registries: tuple[RegistryResult, ...]
    jobs: tuple[JobsResult, ...]
    catalogs: tuple[CatalogResult, ...]
    files: tuple[DeclaredResult, ...]

    @classmethod
    def of(cls, readings: Iterable[SourceResults]) -> _Results:
        listed = tuple(part for reading in readings for part in _parts(reading))
        return cls(
            _results_of(KafkaResult, listed),
            _results_of(ConnectResult, listed),
            _results_of(KsqlResult, listed),
            _results_of(RegistryResult, listed),
            _results_of(JobsResult, listed),
            _results_of(CatalogResult, listed),
            _results_of(DeclaredResult, listed),
        )

    def facts(self, remembered: PreviousState, owners: Iterable[Annotation]) -> SourceFacts:
        """Return the facts other than topics and schemas, as received, and the growth rates of topics.

        *owners* are the annotations of manual input, and those of topics by the files of their schemas.
        """
        metrics = _all(catalog.metrics for catalog in self.catalogs)
        connectors = tuple(
            replace(connector, topics=remembered.connector_topics.get((connector.source, connector.name)))
            if connector.topics is None
            else connector
            for connector in _all(connect_result.connectors for connect_result in self.connect)
        )
        annotations = of_own_connectors(_all(catalog.annotations for catalog in self.catalogs), connectors)
        return {
            "connectors": (*connectors, *_all(reading.connectors for reading in self.files)),
            "statements": (
                *_all(job.statements for job in self.jobs),
                *_all(reading.statements for reading in self.files),
            ),
            "flink_jobs": _all(job.jobs for job in self.jobs),
            "topologies": _all(job.topologies for job in self.jobs),
            "ksql_functions": _all(ksql_result.functions for ksql_result in self.ksqldb),
            "ksql_types": _all(ksql_result.types for ksql_result in self.ksqldb),
            "mirror_topics": _all(kafka_result.mirrors for kafka_result in self.kafka),
            "annotations": (*annotations, *owners),
            "materializations": _all(catalog.materializations for catalog in self.catalogs),
            "catalog_tables": _all(catalog.tables for catalog in self.catalogs),
            "catalog_links": _all(catalog.links for catalog in self.catalogs),
            "metrics": (*metrics, *rates(metrics, remembered.metrics)),
        }

    @property
    def collections(self) -> tuple[KsqlSource, ...]:
        return tuple(source for reading in self.ksqldb for source in reading.sources)

    @property
    def lost(self) -> frozenset[TopicName]:
        """Return the topics that ksqlDB itself does not find."""
        return frozenset[TopicName]().union(*(reading.missing for reading in self.ksqldb))

    def topics(self, remembered: PreviousState) -> tuple[Topic, ...] | None:
        """Return the brokers' topics; None where the brokers did not answer, which is not the same as no topics."""
        if not self.kafka:
            return None
        configured = {topic.name for reading in self.kafka for topic in reading.topics if topic.config}
        return tuple(
            topic
            for reading in self.kafka
            for topic in with_earlier_settings(reading.topics, reading.unconfigured - configured, remembered.topics)
        )


def _bind(
    settings: Settings,
    registries: Sequence[RegistryResult],
    defined: Defined,
    topics: Iterable[Topic],
    manual: ManualInput,
    in_use: IdsInUse,
) -> tuple[Bound, tuple[Problem, ...]]:
    naming = {registry.source: registry.naming for registry in settings.registries}
    assignments, objections = agreeing(manual.assignments, (a for reading in registries for a in reading.associations))
    namings = [
        RegistryNaming(
            registry=reading.registry,
            naming=naming.get(reading.registry.source, NamingSettings()),
            associations=reading.associations,
        )
        for reading in registries
    ]
    return bind(defined.versions, defined.records, topics, namings, assignments, in_use=in_use), objections


def _looked_at(facts: Mapping[str, tuple[Any, ...]], in_use: IdsInUse) -> dict[str, tuple[Any, ...]]:
    """Return the ids in use of topics whose records were looked at; those of others stay stored as they are."""
    topics = {(use.source, use.topic) for use in facts.get(SCHEMA_IDS, ())}
    listed = tuple(use for use in in_use.uses if (use.source, use.topic) in topics)
    return {SCHEMA_IDS: listed} if listed else {}


def _in_use(found: Sequence[SchemaIdUse], outcomes: Sequence[SourceResult], remembered: PreviousState) -> IdsInUse:
    """Return the schema ids in use: those that this scan found, and those that earlier ones saw."""
    read = {outcome.source: outcome.status is SourceStatus.READ for outcome in outcomes}
    complete = not any(
        outcome.kind == "schema_registry" and outcome.status is not SourceStatus.READ for outcome in outcomes
    )
    return IdsInUse(uses=remembered_uses(found, remembered.schema_ids, read), complete=complete)


def _of_cluster(
    registries: Iterable[RegistryResult], cluster_id: str
) -> tuple[tuple[RegistryResult, ...], tuple[Problem, ...]]:
    """Return the readings with the associations of this cluster only, and what is wrong with the others."""
    parts = [
        (registry, *cluster_associations(registry.registry.source, registry.associations, cluster_id))
        for registry in registries
    ]
    readings = tuple(replace(registry_result, associations=own) for registry_result, own, _ in parts)
    return readings, _all(problems for _, _, problems in parts)


def _all(facts: Iterable[tuple[_Fact, ...]]) -> tuple[_Fact, ...]:
    return tuple(chain.from_iterable(facts))


def _facts(readings: Iterable[SourceResults]) -> dict[str, tuple[Any, ...]]:
    """Return the facts that are stored as they are, in the order of the sources."""
    facts: dict[str, tuple[Any, ...]] = {}
    for reading in readings:
        for member, listed in _members(reading).items():
            facts[member] = (*facts.get(member, ()), *listed)
    return facts


def _parts(reading: SourceResults) -> tuple[SourceResults, ...]:
    return reading.parts if isinstance(reading, RepositoryResult) else (reading,)


def _members(reading: SourceResults) -> Mapping[str, tuple[Any, ...]]:
    match reading:
        case RepositoryResult():
            declared = reading.declared.declarations
            return {"declarations": declared, "unread_files": reading.unread, "field_uses": reading.field_uses}
        case FactsResult():
            return reading.facts
        case DeclaredResult():
            return {"declarations": reading.declarations}
        case CatalogResult(uses=uses) | JobsResult(uses=uses) if uses:
            return {"client_uses": uses}
        case _:
            return {}


def _results_of(kind: type[_Kind], readings: Iterable[SourceResults]) -> tuple[_Kind, ...]:
    return tuple(reading for reading in readings if isinstance(reading, kind))


def _cluster(
    settings: Settings, kafka: Sequence[KafkaResult], connect: Sequence[ConnectResult], manual: ManualInput
) -> Cluster:
    addresses = chain(settings.brokers, *(reading.brokers for reading in kafka), manual.cluster.brokers)
    evidence = (
        settings.identity,
        *(reading.cluster_id for reading in kafka),
        *(reading.kafka_cluster_id for reading in connect),
    )
    identities = [identity for identity in evidence if identity]
    return Cluster(
        name=settings.cluster,
        brokers=tuple(dict.fromkeys(map(broker_address, addresses))),
        cluster_id=identities[0] if identities else "",
        aliases=settings.aliases,
        servers=settings.servers,
        unnamed=sum(reading.unnamed for reading in kafka),
    )


def _foreign_connect_clusters(connect: Iterable[ConnectResult], kafka: Iterable[KafkaResult]) -> Iterator[Problem]:
    """Find Connect clusters that work on another Kafka cluster than the brokers are of."""
    own = {reading.cluster_id for reading in kafka if reading.cluster_id}
    for reading in connect:
        if own and reading.kafka_cluster_id and reading.kafka_cluster_id not in own:
            what = f"it works on the Kafka cluster {reading.kafka_cluster_id}, the brokers are of {', '.join(own)}"
            yield Problem(reading.outcome.source, what, "name it in the cluster.json of its own cluster")


def _manual_outcomes(manual: ManualInput) -> Iterator[SourceResult]:
    listed: Iterable[Topic | ManualSchema | Assignment | DeclaredFlow | Annotation] = chain(
        manual.topics, manual.schemas, manual.assignments, manual.flows, manual.owners
    )
    facts = Counter(fact.source for fact in listed)
    for source in manual.sources:
        yield SourceResult(
            source=source, kind="manual", status=SourceStatus.READ, received=facts[source], requested=facts[source]
        )


def _described(links: Iterable[TopicSchema], remembered: PreviousState) -> set[tuple[TopicName, Role]]:
    return {(link.topic, link.role) for link in links if link.current} | remembered.sides


def _linked_topic(link: TopicSchema) -> Topic:
    """Name the topic of a link: one that only an earlier scan knows stands under it all the same."""
    return Topic(source=link.source, name=link.topic)


def _distinct(*definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    by_fingerprint = {definition.fingerprint: definition for definition in chain(*definitions)}
    return tuple(by_fingerprint[mark] for mark in sorted(by_fingerprint))


def _ordered(*links: Iterable[TopicSchema]) -> tuple[TopicSchema, ...]:
    return tuple(
        sorted(
            chain(*links),
            key=lambda link: (
                link.topic,
                link.role,
                link.source,
                link.context,
                link.subject,
                link.version or 0,
                link.fingerprint,
            ),
        )
    )
