"""From the results of the sources to one scan: definitions parsed, subjects bound, manual input merged. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from scanner_extractor.naming.binding import RegistryNaming, bind, cluster_associations
from scanner_extractor.naming.observed import IdsInUse, remembered_uses
from scanner_extractor.results import ConnectCluster, KafkaCluster, KsqlServer, Reading, SourceReadings
from scanner_extractor.scan.manual import agreeing, merge_schemas, owned_by_subject, owned_topics
from scanner_extractor.scan.topics import (
    hidden_topics,
    ksqldb_internal,
    ksqldb_topics,
    merge_groups,
    merge_topics,
    missing_topics,
    unknown_flow_topics,
    with_earlier_settings,
    workers_internal,
)
from scanner_extractor.schemas.definitions import define
from scanner_extractor.schemas.parsing import ParseTexts, parse_in_process
from scanner_extractor.settings.cluster import NamingSettings, Settings
from scanner_extractor.systems.kafka.admin import LOG_END
from scanner_extractor.systems.ksqldb.reader import collection_schemas
from scanner_model.catalogs import Annotation, Metric
from scanner_model.errors import Problem
from scanner_model.facts import Facts
from scanner_model.kafka import Cluster, Connector, ConsumerGroup, Topic
from scanner_model.manual import Assignment, DeclaredFlow, ManualInput, ManualSchema
from scanner_model.names import Role, TopicName, broker_address
from scanner_model.scan import ClusterScan, PreviousState, SourceResult, SourceStatus
from scanner_model.schemas import (
    Association,
    Definition,
    KnownTexts,
    Registry,
    SchemaIdUse,
    SchemaVersion,
    TopicSchema,
    no_known_texts,
)
from scanner_model.streaming_sql import (
    KsqlSource,
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


def merge_results(
    settings: Settings,
    sources: SourceReadings,
    manual: ManualInput | None = None,
    *,
    remembered: PreviousState = NOTHING,
    read: ParseTexts = parse_in_process,
    known: KnownTexts = no_known_texts,
) -> ClusterScan:
    """Put together what one scan of one cluster found.

    *remembered* is what earlier scans know from sources that were not fully read this time. *read* reads the texts of
    registered schemas, but for those that are *known*. Everything has a fixed order, whatever order the sources
    answered in. Problems of reading, naming and merging are listed; none of them loses a fact.
    """
    settings = sources.settings or settings
    manual = manual or ManualInput(cluster=Cluster(name=settings.cluster, brokers=settings.brokers))
    readings = sources.readings
    found = Facts(facts=tuple(chain(chain.from_iterable(reading.facts for reading in readings), manual.field_uses)))
    in_use = _in_use(found.of(SchemaIdUse), sources.outcomes, remembered)
    cluster = _cluster(settings, found, manual)
    collections = found.of(KsqlSource)
    listed, named = _listed_topics(readings, remembered), tuple(ksqldb_topics(collections))
    declared_topics = (topic for reading in readings if not reading.of(KafkaCluster) for topic in reading.of(Topic))
    known_topics = merge_topics(listed or (), manual.topics, named, declared_topics)
    messages = {**remembered.messages, **message_names(collections)}
    defined = define(found.of(SchemaVersion), read, messages, known)
    registries, strange = _of_cluster(readings, settings, cluster.cluster_id or remembered.cluster_id)
    # A topic that is known only from subjects does not confirm them. Topics of brokers that were not read stay known.
    subjects = {outcome.source for outcome in sources.outcomes if outcome.kind == "schema_registry"}
    earlier = (topic for topic in remembered.topics if topic.source not in subjects)
    topics_to_bind = merge_topics(earlier, known_topics)
    hidden = tuple(hidden_topics(listed, ((server.source, server.missing) for server in found.of(KsqlServer))))
    are_all = listed is not None and not hidden
    associations = (association for registry in registries for association in registry.associations)
    assignments, objections = agreeing(manual.assignments, associations)
    bound = bind(
        *(defined.versions, defined.records, topics_to_bind, registries, assignments),
        in_use=in_use,
        all_topics=are_all,
        orphans=remembered.orphans if listed is None else (),
    )
    declared = merge_schemas((*manual.schemas, *found.of(ManualSchema)), bound.topic_schemas, defined.definitions)
    links = (*bound.topic_schemas, *declared.topic_schemas)
    described = collection_schemas(collections, _described(links, remembered))
    topics = merge_topics(known_topics, bound.topics, map(_linked_topic, links))
    servers, connectors = found.of(KsqlServer), tuple(_with_known_topics(found.of(Connector), remembered))
    source_problems = chain.from_iterable(reading.problems for reading in readings)
    in_settings = {link.topic for link in bound.topic_schemas if link.strategy == "map"}
    mapped = [topic for topic in bound.topics if topic.name in in_settings]
    doubts = (
        *_foreign_connect_clusters(found),
        *strange,
        *missing_topics(
            listed,
            chain(manual.topics, named, mapped if are_all else ()),
            {name for server in servers for name in server.missing},
        ),
        *(
            unknown_flow_topics(manual.flows, {topic.name for topic in (*topics, *topics_to_bind)})
            if listed is not None or not any(outcome.kind == "kafka" for outcome in sources.outcomes)
            else ()  # brokers that do not answer may have them
        ),
        *hidden,
    )
    facts: dict[type, Iterable[Any]] = {
        Topic: workers_internal(ksqldb_internal(topics, (server.service for server in servers))),
        SchemaVersion: defined.versions,
        Definition: _distinct(defined.definitions.values(), declared.definitions.values(), (d for d, _ in described)),
        TopicSchema: _ordered(links, (link for _, link in described)),
        ConsumerGroup: merge_groups(found.of(ConsumerGroup)),
        DeclaredFlow: (*manual.flows, *found.of(DeclaredFlow)),
        Connector: connectors,
        Annotation: (
            *of_own_connectors(found.of(Annotation), connectors),
            *manual.owners,
            *owned_topics(manual.owners, (*topics, *remembered.topics)),
            *owned_by_subject(found.of(Annotation), links),
        ),
        Metric: (*found.of(Metric), *rates(found.of(Metric), remembered.metrics)),
        SchemaIdUse: _looked_at(found.of(SchemaIdUse), in_use),
    }
    return ClusterScan(
        cluster=cluster,
        outcomes=(*sources.outcomes, *_manual_outcomes(manual)),
        facts=found.with_facts(facts | dict.fromkeys(_MERGED, ())).facts,
        problems=(*source_problems, *doubts, *defined.problems, *objections, *bound.problems, *declared.problems),
        texts=defined.texts,
    )


_MERGED = (Association, KafkaCluster, ConnectCluster, KsqlServer, ManualSchema)
"""Facts of readings that are used here, and not stored."""


def _listed_topics(readings: Iterable[Reading], remembered: PreviousState) -> tuple[Topic, ...] | None:
    """Return the brokers' topics; None where the brokers did not answer, which is not the same as no topics."""
    answers = [(brokers, reading.of(Topic)) for reading in readings for brokers in reading.of(KafkaCluster)]
    configured = {topic.name for _, topics in answers for topic in topics if topic.config}
    known = (
        with_earlier_settings(topics, brokers.unconfigured - configured, remembered.topics)
        for brokers, topics in answers
    )
    return tuple(chain.from_iterable(known)) if answers else None


def _with_known_topics(connectors: Iterable[Connector], remembered: PreviousState) -> Iterator[Connector]:
    """Yield *connectors*, one that did not report its topics with those of earlier scans."""
    for connector in connectors:
        topics = remembered.connector_topics.get((connector.source, connector.name))
        yield replace(connector, topics=topics) if connector.topics is None else connector


def _looked_at(found: Iterable[SchemaIdUse], in_use: IdsInUse) -> tuple[SchemaIdUse, ...]:
    """Return the ids in use of topics whose records were looked at; those of others stay stored as they are."""
    topics = {(use.source, use.topic) for use in found}
    return tuple(use for use in in_use.uses if (use.source, use.topic) in topics)


def _in_use(found: Sequence[SchemaIdUse], outcomes: Sequence[SourceResult], remembered: PreviousState) -> IdsInUse:
    """Return the schema ids in use: those that this scan found, and those that earlier ones saw."""
    read = {outcome.source: outcome.status is SourceStatus.READ for outcome in outcomes}
    complete = not any(
        outcome.kind == "schema_registry" and outcome.status is not SourceStatus.READ for outcome in outcomes
    )
    return IdsInUse(uses=remembered_uses(found, remembered.schema_ids, read), complete=complete)


def _of_cluster(
    readings: Iterable[Reading], settings: Settings, cluster_id: str
) -> tuple[list[RegistryNaming], list[Problem]]:
    """Return the registries with the associations of this cluster only, and what is wrong with the others."""
    namings = {registry.source: registry.naming for registry in settings.registries}
    registries: list[RegistryNaming] = []
    strange: list[Problem] = []
    for reading in readings:
        for registry in reading.of(Registry):
            listed = tuple(reading.of(Association))
            own, problems = cluster_associations(registry.source, listed, cluster_id)
            keys = {(link.context, link.subject) for link in own}
            foreign = frozenset((link.context, link.subject) for link in listed) - keys
            naming = namings.get(registry.source, NamingSettings())
            registries.append(
                RegistryNaming(
                    registry=registry, naming=naming, associations=own, foreign=foreign, cluster_id=cluster_id
                )
            )
            strange += problems
    return registries, strange


def _cluster(settings: Settings, found: Facts, manual: ManualInput) -> Cluster:
    brokers = found.of(KafkaCluster)
    addresses = chain(settings.brokers, *(listener.addresses for listener in brokers), manual.cluster.brokers)
    evidence = (
        settings.identity,
        *(listener.cluster_id for listener in brokers),
        *(connect.kafka_cluster_id for connect in found.of(ConnectCluster)),
    )
    return Cluster(
        name=settings.cluster,
        brokers=tuple(dict.fromkeys(map(broker_address, addresses))),
        cluster_id=next(filter(None, evidence), ""),
        aliases=settings.aliases,
        servers=settings.servers,
        unnamed=sum(listener.unnamed for listener in brokers),
    )


def _foreign_connect_clusters(found: Facts) -> Iterator[Problem]:
    """Find Connect clusters that work on another Kafka cluster than the brokers are of."""
    own = {brokers.cluster_id for brokers in found.of(KafkaCluster) if brokers.cluster_id}
    for connect in found.of(ConnectCluster):
        if own and connect.kafka_cluster_id and connect.kafka_cluster_id not in own:
            what = f"it works on the Kafka cluster {connect.kafka_cluster_id}, the brokers are of {', '.join(own)}"
            yield Problem(connect.source, what, "name it in the cluster.json of its own cluster")


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
