"""Facts as wanted rows, one function a kind; the order of the cells is that of the entity's parents and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from scanner_dictionary.engine.serialization import column_cells, json_cell, storable
from scanner_dictionary.write.apply import Key, Wanted
from scanner_dictionary.write.entities import Entity
from scanner_model.columns import Column
from scanner_model.connect import Connector
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.ksqldb import KsqlSource, Query
from scanner_model.manual import FlowEnd, ManualFlow
from scanner_model.names import Fingerprint, SourceId
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Registry, SchemaVersion, TopicSchema

Ids = Mapping[Key, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The keys of what rows refer to: the cluster, sources by name, definitions by fingerprint."""

    cluster: int
    sources: Mapping[SourceId, int]
    definitions: Mapping[Fingerprint, int]


def topic_row(topic: Topic, known: Known) -> Wanted:
    """Return a topic's row."""
    name = storable(topic.name)
    values = (
        topic.partitions,
        topic.replication,
        topic.internal,
        json_cell(dict(topic.config)),
        storable(topic.description),
        json_cell(topic.tags),
    )
    return Wanted((name,), known.sources[topic.source], (known.cluster, name), values)


def registry_row(registry: Registry, known: Known) -> Wanted:
    """Return a registry's row."""
    values = (storable(registry.kind), storable(registry.url), storable(registry.environment))
    return Wanted((storable(registry.source),), known.sources[registry.source], (known.cluster,), values)


def subject_rows(scan: ClusterScan, known: Known, registries: Ids) -> Iterator[Wanted]:
    """Return a row for each subject of the versions; it is deleted where every version is."""
    ordered = sorted(scan.versions, key=_of_subject)
    for (source, context, name), group in groupby(ordered, key=_of_subject):
        deleted = all(version.deleted for version in group)
        parents = (registries[(source,)], context, name)
        yield Wanted((source, context, name), known.sources[SourceId(source)], parents, (deleted,))


def version_row(version: SchemaVersion, known: Known, subjects: Ids) -> Wanted:
    """Return a version's row; the text stands in it only where no definition holds it."""
    subject = _of_subject(version)
    definition = known.definitions.get(version.fingerprint)
    values = (
        storable(version.schema_id),
        storable(version.guid),
        storable(version.format),
        definition,
        storable(version.text) if definition is None else None,
        storable(version.metadata),
        storable(version.rule_set),
        json_cell(version.tags),
        version.deleted,
        storable(version.state),
        version.registered_at or None,
        _references(version),
    )
    source = known.sources[version.source]
    return Wanted((*subject, version.version), source, (subjects[subject], version.version), values)


def link_row(link: TopicSchema, known: Known, topics: Ids, registries: Ids) -> Wanted:
    """Return the row of a link from a topic to a definition."""
    topic, context, subject = storable(link.topic), storable(link.context), storable(link.subject)
    key = (topic, str(link.role), storable(link.source), context, subject, link.version)
    values = (
        known.definitions[link.fingerprint],
        registries.get((storable(link.source),)),
        storable(link.schema_id) if link.schema_id is not None else None,
        link.current,
        link.deleted,
        storable(link.strategy),
        storable(link.evidence),
        str(link.confidence),
    )
    parents = (topics[(topic,)], str(link.role), context, subject, link.version)
    return Wanted((*key, "" if subject else link.fingerprint), known.sources[link.source], parents, values)


def group_row(group: ConsumerGroup, known: Known) -> Wanted:
    """Return a consumer group's row."""
    name = storable(group.name)
    return Wanted((name,), known.sources[group.source], (known.cluster, name), (storable(group.state),))


def group_topic_rows(group: ConsumerGroup, known: Known, groups: Ids) -> Iterator[Wanted]:
    """Return a row for each topic that a consumer group reads."""
    name = storable(group.name)
    for topic in sorted(set(map(storable, group.topics))):
        yield Wanted((name, topic), known.sources[group.source], (groups[(name,)], topic), ())


def ksql_source_row(collection: KsqlSource, known: Known) -> Wanted:
    """Return a ksqlDB collection's row."""
    name = storable(collection.name)
    values = (
        storable(collection.kind),
        storable(collection.topic),
        storable(collection.key_format),
        storable(collection.value_format),
        storable(collection.statement),
        storable(collection.window),
        collection.partitions,
        collection.replication,
        collection.internal,
        _columns(collection),
    )
    key = (storable(collection.source), name)
    return Wanted(key, known.sources[collection.source], (known.cluster, name), values)


def query_row(query: Query, known: Known) -> Wanted:
    """Return a ksqlDB query's row."""
    name = storable(query.name)
    values = (
        storable(query.kind),
        storable(query.state),
        storable(query.statement),
        json_cell(query.sources),
        json_cell(query.sinks),
        json_cell(query.sink_topics),
        storable(query.consumer_group),
    )
    return Wanted((storable(query.source), name), known.sources[query.source], (known.cluster, name), values)


def connector_row(connector: Connector, known: Known) -> Wanted:
    """Return a connector's row."""
    name = storable(connector.name)
    values = (
        str(connector.kind),
        storable(connector.connector_class),
        json_cell(dict(connector.config)),
        storable(connector.state),
        storable(connector.worker),
        storable(connector.trace),
        None if connector.topics is None else json_cell(connector.topics),
        storable(connector.plugin_version),
        storable(connector.managed_id),
        _tasks(connector),
    )
    key = (storable(connector.source), name)
    return Wanted(key, known.sources[connector.source], (known.cluster, name), values)


def flow_row(flow: ManualFlow, known: Known) -> Wanted:
    """Return a manual flow's row."""
    ends = (*_end(flow.origin), *_end(flow.target), storable(flow.job))
    values = (storable(flow.description), storable(flow.evidence))
    return Wanted((storable(flow.source), *ends), known.sources[flow.source], (known.cluster, *ends), values)


def _end(end: FlowEnd) -> tuple[str, str, str | None]:
    return storable(end.namespace), storable(end.name), json_cell(end.path) if end.path is not None else None


def _of_subject(version: SchemaVersion) -> tuple[str, str, str]:
    return storable(version.source), storable(version.context), storable(version.subject)


def _references(version: SchemaVersion) -> tuple[Key, ...]:
    return tuple((storable(ref.name), storable(ref.subject), ref.version) for ref in version.references)


def _tasks(connector: Connector) -> tuple[Key, ...]:
    return tuple(
        (task.number, storable(task.state), storable(task.worker), storable(task.trace)) for task in connector.tasks
    )


def _columns(collection: KsqlSource) -> tuple[Key, ...]:
    return tuple(
        (str(each.role) if each.role else None, storable(each.header), *column_cells(each.column))
        for each in collection.columns
    )


def plain_row(entity: Entity, fact: Any, known: Known) -> Wanted:  # noqa: ANN401 - of any of those kinds
    """Return the row of *fact*: the cells of its entity's columns are the fact's members of the same names."""
    named = tuple(_cell(getattr(fact, name)) for name in entity.parents[1:])
    values = tuple(_cell(getattr(fact, name)) for name in entity.values)
    if entity.children:
        values = (*values, _plain_columns(fact.columns))
    key = (storable(fact.source), *named)
    return Wanted(key, known.sources[fact.source], (known.cluster, *named), values)


def _plain_columns(columns: Iterable[Column]) -> tuple[Key, ...]:
    return tuple(column_cells(column) for column in columns)


def _cell(member: Any) -> Any:  # noqa: ANN401 - what the member's column holds
    match member:
        case StrEnum() | str():
            return storable(str(member))
        case tuple():
            return json_cell(member)
        case _:
            return member
