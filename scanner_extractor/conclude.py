"""From what the sources said to one scan: definitions read, subjects bound, manual input merged. Pure; asks nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypedDict, TypeVar

from scanner_extractor.annotations import of_own_connectors
from scanner_extractor.binding import Bound, RegistryNaming, bind
from scanner_extractor.declared_links import cluster_associations
from scanner_extractor.definitions import Defined, define
from scanner_extractor.figures import rates
from scanner_extractor.manual_merge import agreeing, merge_schemas
from scanner_extractor.phases import Reading
from scanner_extractor.readings import (
    CatalogReading,
    ConnectReading,
    JobsReading,
    KafkaReading,
    KsqlReading,
    RegistryReading,
)
from scanner_extractor.runner import Asked
from scanner_extractor.settings import Settings
from scanner_extractor.sources.collections import collection_schemas
from scanner_extractor.topics import (
    hidden_topics,
    ksqldb_internal,
    ksqldb_topics,
    merge_groups,
    merge_topics,
    missing_topics,
    with_earlier_settings,
)
from scanner_extractor.unread import ReadEach, read_here
from scanner_model.brokers import broker_address
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.estate import Cluster, KsqlFunction, KsqlSource, KsqlType, ManualFlow, Topic
from scanner_model.flink import FlinkJob, FlinkStatement
from scanner_model.manual import Assignment, ManualInput, ManualSchema
from scanner_model.names import Role, TopicName
from scanner_model.problems import Problem
from scanner_model.scan import Answer, ClusterScan, Outcome, Remembered
from scanner_model.schemas import Definition, TopicSchema
from scanner_model.streams import StreamsTopology

NOTHING = Remembered()

_Kind = TypeVar("_Kind", CatalogReading, ConnectReading, JobsReading, KafkaReading, KsqlReading, RegistryReading)
_Fact = TypeVar("_Fact")


def conclude(
    settings: Settings,
    asked: Asked,
    manual: ManualInput | None = None,
    *,
    remembered: Remembered = NOTHING,
    read: ReadEach = read_here,
) -> ClusterScan:
    """Put together what one scan of one cluster found.

    *remembered* is what earlier scans know from sources that were not fully read this time. *read* reads the texts of
    registered schemas. Everything has a fixed order, whatever order the sources answered in. Problems of reading,
    naming and merging are listed; none of them loses a fact.
    """
    settings = asked.settings or settings
    manual = manual or ManualInput(cluster=Cluster(name=settings.cluster, brokers=settings.brokers))
    said = _Said.of(asked.readings)
    cluster = _cluster(settings, said.kafka, said.connect, manual)
    listed, named = said.topics(remembered), tuple(ksqldb_topics(said.collections))
    told = merge_topics(listed or (), manual.topics, named)
    defined = define((version for reading in said.registries for version in reading.versions), read)
    registries, strange = _of_cluster(said.registries, cluster.cluster_id or remembered.cluster_id)
    bound, objections = _bind(settings, registries, defined, merge_topics(told, remembered.topics), manual)
    declared = merge_schemas(manual.schemas, bound.topic_schemas, defined.definitions)
    links = (*bound.topic_schemas, *declared.topic_schemas)
    described = collection_schemas(said.collections, _described(links, remembered))
    topics = merge_topics(told, bound.topics, map(_linked_topic, links))
    met = chain.from_iterable(reading.problems for reading in asked.readings)
    doubts = (
        *_strangers(said.connect, said.kafka),
        *strange,
        *missing_topics(listed, chain(manual.topics, named), said.lost),
        *hidden_topics(listed, ((each.outcome.source, each.missing) for each in said.ksqldb)),
    )
    return ClusterScan(
        cluster=cluster,
        outcomes=(*asked.outcomes, *_manual_outcomes(manual)),
        topics=tuple(ksqldb_internal(topics, (reading.service for reading in said.ksqldb))),
        registries=tuple(reading.registry for reading in said.registries),
        versions=defined.versions,
        definitions=_distinct(defined.definitions.values(), declared.definitions.values(), (d for d, _ in described)),
        topic_schemas=_ordered(links, (link for _, link in described)),
        consumer_groups=merge_groups(reading.consumer_groups for reading in said.kafka),
        ksql_sources=said.collections,
        queries=tuple(query for reading in said.ksqldb for query in reading.queries),
        connectors=tuple(connector for reading in said.connect for connector in reading.connectors),
        manual_flows=manual.flows,
        **said.estate(remembered),
        problems=(*met, *doubts, *defined.problems, *objections, *bound.problems, *declared.problems),
    )


class Estate(TypedDict):
    """The members of a scan that are the readings' own, one after the other."""

    flink_statements: tuple[FlinkStatement, ...]
    flink_jobs: tuple[FlinkJob, ...]
    topologies: tuple[StreamsTopology, ...]
    ksql_functions: tuple[KsqlFunction, ...]
    ksql_types: tuple[KsqlType, ...]
    mirror_topics: tuple[MirrorTopic, ...]
    annotations: tuple[Annotation, ...]
    materializations: tuple[Materialization, ...]
    catalog_tables: tuple[CatalogTable, ...]
    catalog_links: tuple[CatalogLink, ...]
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """The readings by kind of source."""

    kafka: tuple[KafkaReading, ...]
    connect: tuple[ConnectReading, ...]
    ksqldb: tuple[KsqlReading, ...]
    registries: tuple[RegistryReading, ...]
    jobs: tuple[JobsReading, ...]
    catalogs: tuple[CatalogReading, ...]

    @classmethod
    def of(cls, readings: Iterable[Reading]) -> _Said:
        listed = tuple(readings)
        return cls(
            _of(KafkaReading, listed),
            _of(ConnectReading, listed),
            _of(KsqlReading, listed),
            _of(RegistryReading, listed),
            _of(JobsReading, listed),
            _of(CatalogReading, listed),
        )

    def estate(self, remembered: Remembered) -> Estate:
        """Give what stands around the topics, as received, and how fast topics grow."""
        metrics = _all(each.metrics for each in self.catalogs)
        connectors = _all(each.connectors for each in self.connect)
        return {
            "flink_statements": _all(each.statements for each in self.jobs),
            "flink_jobs": _all(each.jobs for each in self.jobs),
            "topologies": _all(each.topologies for each in self.jobs),
            "ksql_functions": _all(each.functions for each in self.ksqldb),
            "ksql_types": _all(each.types for each in self.ksqldb),
            "mirror_topics": _all(each.mirrors for each in self.kafka),
            "annotations": tuple(of_own_connectors(_all(each.annotations for each in self.catalogs), connectors)),
            "materializations": _all(each.materializations for each in self.catalogs),
            "catalog_tables": _all(each.tables for each in self.catalogs),
            "catalog_links": _all(each.links for each in self.catalogs),
            "metrics": (*metrics, *rates(metrics, remembered.metrics)),
        }

    @property
    def collections(self) -> tuple[KsqlSource, ...]:
        return tuple(source for reading in self.ksqldb for source in reading.sources)

    @property
    def lost(self) -> frozenset[TopicName]:
        """Return the topics that ksqlDB itself does not find."""
        return frozenset[TopicName]().union(*(reading.missing for reading in self.ksqldb))

    def topics(self, remembered: Remembered) -> tuple[Topic, ...] | None:
        """Give the brokers' topics; None where the brokers did not answer, which is not the same as no topics."""
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
    registries: Sequence[RegistryReading],
    defined: Defined,
    topics: Iterable[Topic],
    manual: ManualInput,
) -> tuple[Bound, tuple[Problem, ...]]:
    naming = {registry.source: registry.naming for registry in settings.registries}
    assignments, objections = agreeing(manual.assignments, (a for reading in registries for a in reading.associations))
    told = [
        RegistryNaming(
            registry=reading.registry,
            naming=naming[reading.registry.source],
            associations=reading.associations,
        )
        for reading in registries
    ]
    return bind(defined.versions, defined.records, topics, told, assignments), objections


def _of_cluster(
    registries: Iterable[RegistryReading], cluster_id: str
) -> tuple[tuple[RegistryReading, ...], tuple[Problem, ...]]:
    """Return the readings with the associations of this cluster only, and what is wrong with the others."""
    parts = [(each, *cluster_associations(each.registry.source, each.associations, cluster_id)) for each in registries]
    readings = tuple(replace(each, associations=own) for each, own, _ in parts)
    return readings, _all(problems for _, _, problems in parts)


def _all(facts: Iterable[tuple[_Fact, ...]]) -> tuple[_Fact, ...]:
    return tuple(chain.from_iterable(facts))


def _of(kind: type[_Kind], readings: Iterable[Reading]) -> tuple[_Kind, ...]:
    return tuple(reading for reading in readings if isinstance(reading, kind))


def _cluster(
    settings: Settings, kafka: Sequence[KafkaReading], connect: Sequence[ConnectReading], manual: ManualInput
) -> Cluster:
    addresses = chain(settings.brokers, *(reading.brokers for reading in kafka), manual.cluster.brokers)
    told = (
        settings.identity,
        *(reading.cluster_id for reading in kafka),
        *(reading.kafka_cluster_id for reading in connect),
    )
    identities = [identity for identity in told if identity]
    return Cluster(
        name=settings.cluster,
        brokers=tuple(dict.fromkeys(map(broker_address, addresses))),
        cluster_id=identities[0] if identities else "",
        aliases=settings.aliases,
        unnamed=sum(reading.unnamed for reading in kafka),
    )


def _strangers(connect: Iterable[ConnectReading], kafka: Iterable[KafkaReading]) -> Iterator[Problem]:
    """Find Connect clusters that work on another Kafka cluster than the brokers are of."""
    own = {reading.cluster_id for reading in kafka if reading.cluster_id}
    for reading in connect:
        if own and reading.kafka_cluster_id and reading.kafka_cluster_id not in own:
            what = f"it works on the Kafka cluster {reading.kafka_cluster_id}, the brokers are of {', '.join(own)}"
            yield Problem(reading.outcome.source, what, "name it in the cluster.json of its own cluster")


def _manual_outcomes(manual: ManualInput) -> Iterator[Outcome]:
    listed: Iterable[Topic | ManualSchema | Assignment | ManualFlow] = chain(
        manual.topics, manual.schemas, manual.assignments, manual.flows
    )
    facts = Counter(fact.source for fact in listed)
    for source in manual.sources:
        yield Outcome(source=source, kind="manual", answer=Answer.READ, got=facts[source], asked=facts[source])


def _described(links: Iterable[TopicSchema], remembered: Remembered) -> set[tuple[TopicName, Role]]:
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
