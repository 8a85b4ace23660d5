"""The kinds of facts that a scan stores: one row for each, in the order in which they are written and logged.

A new kind takes its type in `scanner_model`, a table with its migration, and a row here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import case

from scanner_dictionary.engine.rows import column_cells, json_cell, storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.fact_kind import (
    Children,
    FactKind,
    Key,
    Name,
    RowContext,
    Rule,
    Wanted,
    cluster_kind,
    member_cells,
    value_columns,
)
from scanner_model.catalogs import Annotation, CatalogLink, CatalogTable, Materialization, Metric, MirrorTopic
from scanner_model.clients import AclAuthorizer, AclRule, ApplicationIdentity, ClientUse
from scanner_model.declarations import Declaration, UnreadFile
from scanner_model.field_uses import FieldUse
from scanner_model.kafka import Connector, ConnectorTask, ConsumerGroup, StreamsTopology, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.names import SourceId
from scanner_model.scan import ClusterScan
from scanner_model.schemas import Confidence, Definition, Reference, Registry, SchemaIdUse, SchemaVersion, TopicSchema
from scanner_model.streaming_sql import (
    CollectionColumn,
    FlinkJob,
    KsqlFunction,
    KsqlSource,
    KsqlType,
    Query,
    StreamingStatement,
)
from scanner_model.tag_decisions import TagDecision, TagRuleFile

_source = t.source.c


TOPIC = cluster_kind(Topic)

REGISTRY = cluster_kind(Registry, required=attrgetter("kind"))


# --- subjects, their versions, and links from topics


def _subject_of(version: SchemaVersion) -> tuple[str, str, str]:
    return storable(version.source), storable(version.context), storable(version.subject)


def _subject_rows(scan: ClusterScan, context: RowContext) -> Iterator[Wanted]:
    """Return a row for each subject of the versions; it is deleted where every version is."""
    registries = context.ids[REGISTRY.name]
    for (source, subject_context, name), group in groupby(
        sorted(scan.of(SchemaVersion), key=_subject_of), key=_subject_of
    ):
        versions = list(group)
        deleted = all(version.deleted for version in versions)
        level = next((version.compatibility for version in reversed(versions) if version.compatibility), None)
        parents = (registries[(source,)], subject_context, name)
        cells = (deleted, level and storable(level))
        yield Wanted((source, subject_context, name), context.sources[SourceId(source)], parents, cells)


SUBJECT = FactKind(
    name="subject",
    type=SchemaVersion,
    table=t.subject,
    joined=t.subject.join(t.source),
    cluster=_source.cluster_id,
    key=(_source.name, t.subject.c.context, t.subject.c.name),
    name_index=2,
    parents=("registry_id", "context", "name"),
    values=("deleted", "compatibility"),
    rows=_subject_rows,
)


_REFERENCES = Children(
    table=t.schema_reference, parent="subject_version_id", member="references", cells=member_cells(Reference)
)


def _version_rows(scan: ClusterScan, context: RowContext) -> Iterator[Wanted]:
    subjects = context.ids[SUBJECT.name]
    texts = {definition.fingerprint: definition.text for definition in scan.of(Definition)}
    for version in scan.of(SchemaVersion):
        subject = _subject_of(version)
        parents = (subjects[subject], version.version)
        source = context.sources[version.source]
        own = version.text if texts.get(version.fingerprint) != version.text else None
        yield Wanted((*subject, version.version), source, parents, _version_cells(version, context, own))


def _version_cells(version: SchemaVersion, context: RowContext, own: str | None) -> tuple[Any, ...]:
    """Return the compared cells of a version; *own* is its text, None where its definition has the same."""
    definition = context.definitions.get(version.fingerprint)
    return (
        storable(version.schema_id),
        storable(version.guid),
        storable(version.format),
        definition,
        None if own is None else storable(own),
        storable(version.metadata),
        storable(version.rule_set),
        json_cell(version.tags),
        version.deleted,
        storable(version.state),
        version.registered_at or None,
        _REFERENCES.rows(version),
    )


VERSION = FactKind(
    name="subject_version",
    type=SchemaVersion,
    table=t.subject_version,
    joined=t.subject_version.join(t.subject).join(t.source, _source.id == t.subject_version.c.source_id),
    cluster=_source.cluster_id,
    key=(_source.name, t.subject.c.context, t.subject.c.name, t.subject_version.c.version),
    name_index=2,
    parents=("subject_id", "version"),
    values=value_columns(t.subject_version, "subject_id", "version"),
    rows=_version_rows,
    rule=Rule(
        name=lambda fact: (fact.source, fact.context, fact.subject, str(fact.version)),
        required=attrgetter("format"),
        parents=lambda fact: (("registry", (fact.source,)),),
    ),
    children=_REFERENCES,
)


def _link_rows(scan: ClusterScan, context: RowContext) -> Iterator[Wanted]:
    topics = context.ids[TOPIC.name]
    for link in scan.of(TopicSchema):
        topic, subject_context, subject = storable(link.topic), storable(link.context), storable(link.subject)
        fingerprint = "" if subject else link.fingerprint
        key = (topic, str(link.role), storable(link.source), subject_context, subject, link.version, fingerprint)
        parents = (topics[(topic,)], str(link.role), subject_context, subject, link.version)
        yield Wanted(key, context.sources[link.source], parents, _link_cells(link, context))


def _link_cells(link: TopicSchema, context: RowContext) -> tuple[Any, ...]:
    return (
        context.definitions[link.fingerprint],
        context.ids[REGISTRY.name].get((storable(link.source),)),
        storable(link.schema_id) if link.schema_id is not None else None,
        link.current,
        link.deleted,
        storable(link.strategy),
        storable(link.evidence),
        str(_confidence(link, context)),
    )


def _confidence(link: TopicSchema, context: RowContext) -> Confidence:
    """Return the link's confidence: it is not assumed only because the source of its topic could not be read."""
    assumed = link.confidence is Confidence.ASSUMED
    return Confidence.CONFIRMED if assumed and storable(link.topic) in context.confirmed_topics else link.confidence


def _link_name(link: TopicSchema) -> Name:
    registered = (link.context, link.subject, str(link.version)) if link.subject else ("", "", link.fingerprint)
    return (link.topic, link.role, link.source, *registered)


_link = t.topic_schema.c
_LINK_PARENTS = ("topic_id", "schema_role", "context", "subject", "version")

LINK = FactKind(
    name="topic_schema",
    type=TopicSchema,
    table=t.topic_schema,
    joined=(
        t.topic_schema.join(t.topic)
        .join(t.source, _source.id == _link.source_id)
        .join(t.schema_definition, t.schema_definition.c.id == _link.definition_id)
    ),
    cluster=t.topic.c.cluster_id,
    key=(
        t.topic.c.name,
        _link.schema_role,
        _source.name,
        _link.context,
        _link.subject,
        _link.version,
        case((_link.subject == "", t.schema_definition.c.fingerprint), else_=""),
    ),
    name_index=4,
    parents=_LINK_PARENTS,
    values=value_columns(t.topic_schema, *_LINK_PARENTS),
    rows=_link_rows,
    rule=Rule(
        name=_link_name,
        required=attrgetter("strategy"),
        parents=lambda fact: (("topic", (fact.topic,)), ("schema_definition", (fact.fingerprint,))),
    ),
)


# --- consumer groups

GROUP = cluster_kind(ConsumerGroup)


def _group_topic_rows(scan: ClusterScan, context: RowContext) -> Iterator[Wanted]:
    """Return a row for each topic that a consumer group reads."""
    groups = context.ids[GROUP.name]
    for group in scan.of(ConsumerGroup):
        name = storable(group.name)
        for topic in sorted(set(map(storable, group.topics))):
            yield Wanted((name, topic), context.sources[group.source], (groups[(name,)], topic), ())


GROUP_TOPIC = FactKind(
    name="consumer_group_topic",
    type=ConsumerGroup,
    table=t.consumer_group_topic,
    joined=t.consumer_group_topic.join(t.consumer_group),
    cluster=t.consumer_group.c.cluster_id,
    key=(t.consumer_group.c.name, t.consumer_group_topic.c.topic_name),
    name_index=0,
    parents=("consumer_group_id", "topic_name"),
    values=(),
    rows=_group_topic_rows,
    shared=True,
)


# --- jobs and what surrounds them


def _collection_column_cells(column: CollectionColumn) -> Key:
    return str(column.role) if column.role else None, storable(column.header), *column_cells(column.column)


_COLLECTION_COLUMNS = Children(
    table=t.ksql_column, parent="ksql_source_id", member="columns", cells=_collection_column_cells
)
_TASKS = Children(table=t.connector_task, parent="connector_id", member="tasks", cells=member_cells(ConnectorTask))
_TABLE_COLUMNS = Children(table=t.catalog_column, parent="catalog_table_id", member="columns", cells=column_cells)

FACT_KINDS: tuple[FactKind, ...] = (
    TOPIC,
    REGISTRY,
    SUBJECT,
    VERSION,
    LINK,
    GROUP,
    GROUP_TOPIC,
    cluster_kind(KsqlSource, required=attrgetter("kind"), children=_COLLECTION_COLUMNS),
    cluster_kind(Query, name="query"),
    cluster_kind(Connector, children=_TASKS),
    cluster_kind(
        DeclaredFlow,
        name_index=0,
        required=lambda flow: flow.job or (flow.origin.name and flow.target.name),
    ),
    cluster_kind(StreamingStatement),
    cluster_kind(FlinkJob),
    cluster_kind(StreamsTopology),
    cluster_kind(KsqlFunction),
    cluster_kind(KsqlType),
    cluster_kind(MirrorTopic),
    cluster_kind(Annotation),
    cluster_kind(Materialization),
    cluster_kind(CatalogTable, children=_TABLE_COLUMNS),
    # Its place changes whenever a line is added above it: what changes of the object is logged as that of the object.
    cluster_kind(Declaration, logged=False),
    cluster_kind(UnreadFile, logged=False),
    # Its places change whenever a line is added above them.
    cluster_kind(FieldUse, name_index=1, logged=False),
    cluster_kind(CatalogLink),
    cluster_kind(Metric, logged=False),
    # Its window moves with every scan.
    cluster_kind(ClientUse, logged=False),
    # Its offset moves with every record.
    cluster_kind(SchemaIdUse, logged=False),
    cluster_kind(ApplicationIdentity),
    cluster_kind(TagDecision),
    cluster_kind(TagRuleFile),
    cluster_kind(AclRule),
    cluster_kind(AclAuthorizer, required=attrgetter("source")),
)
