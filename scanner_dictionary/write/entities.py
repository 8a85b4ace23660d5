"""How each kind of fact lies in its table: what names it in the change log and in unread lists, what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, case
from sqlalchemy.sql.expression import FromClause

from scanner_dictionary.schema import tables as t


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """Rows that belong to a fact and change with it: *table*, its column that names the fact, a word for the log."""

    table: Table
    parent: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One kind of fact.

    *kind* is the change log's word. *key* are the expressions over *rows* that name a fact within its cluster,
    *natural* the place in the key of the name that a source lists as unread. *parents* are columns set once, when the
    fact is found first; *values* those compared in every scan, and with them *children* as a last member where there
    are any. *cluster* is the expression for its cluster. *shared*: its name is one whatever source tells it.
    *quiet*: it differs in every scan, so the change log and the counts leave it out.
    """

    kind: str
    table: Table
    rows: FromClause
    key: tuple[ColumnElement[Any], ...]
    natural: int
    parents: tuple[str, ...]
    values: tuple[str, ...]
    cluster: ColumnElement[int]
    shared: bool = False
    quiet: bool = False
    children: Children | None = None


def _values(table: Table, *parents: str) -> tuple[str, ...]:
    told = {"id", "source_id", "first_seen", "last_seen", "gone", *parents}
    return tuple(column.name for column in table.columns if column.name not in told)


_source = t.source.c

TOPIC = Entity(
    kind="topic",
    table=t.topic,
    rows=t.topic,
    key=(t.topic.c.name,),
    natural=0,
    parents=("cluster_id", "name"),
    values=_values(t.topic, "cluster_id", "name"),
    cluster=t.topic.c.cluster_id,
    shared=True,
)

REGISTRY = Entity(
    kind="registry",
    table=t.registry,
    rows=t.registry.join(t.source),
    key=(_source.name,),
    natural=0,
    parents=("cluster_id",),
    values=_values(t.registry, "cluster_id"),
    cluster=t.registry.c.cluster_id,
)

SUBJECT = Entity(
    kind="subject",
    table=t.subject,
    rows=t.subject.join(t.source),
    key=(_source.name, t.subject.c.context, t.subject.c.name),
    natural=2,
    parents=("registry_id", "context", "name"),
    values=("deleted",),
    cluster=_source.cluster_id,
)

VERSION = Entity(
    kind="subject_version",
    table=t.subject_version,
    rows=t.subject_version.join(t.subject).join(t.source, t.source.c.id == t.subject_version.c.source_id),
    key=(_source.name, t.subject.c.context, t.subject.c.name, t.subject_version.c.version),
    natural=2,
    parents=("subject_id", "version"),
    values=_values(t.subject_version, "subject_id", "version"),
    cluster=_source.cluster_id,
    children=Children(table=t.schema_reference, parent="subject_version_id", label="references"),
)

_link = t.topic_schema.c

LINK = Entity(
    kind="topic_schema",
    table=t.topic_schema,
    rows=(
        t.topic_schema.join(t.topic)
        .join(t.source, t.source.c.id == _link.source_id)
        .join(t.schema_definition, t.schema_definition.c.id == _link.definition_id)
    ),
    key=(
        t.topic.c.name,
        _link.schema_role,
        _source.name,
        _link.context,
        _link.subject,
        _link.version,
        case((_link.subject == "", t.schema_definition.c.fingerprint), else_=""),
    ),
    natural=4,
    parents=("topic_id", "schema_role", "context", "subject", "version"),
    values=_values(t.topic_schema, "topic_id", "schema_role", "context", "subject", "version"),
    cluster=t.topic.c.cluster_id,
)

GROUP = Entity(
    kind="consumer_group",
    table=t.consumer_group,
    rows=t.consumer_group,
    key=(t.consumer_group.c.name,),
    natural=0,
    parents=("cluster_id", "name"),
    values=("state",),
    cluster=t.consumer_group.c.cluster_id,
    shared=True,
)

GROUP_TOPIC = Entity(
    kind="consumer_group_topic",
    table=t.consumer_group_topic,
    rows=t.consumer_group_topic.join(t.consumer_group),
    key=(t.consumer_group.c.name, t.consumer_group_topic.c.topic_name),
    natural=0,
    parents=("consumer_group_id", "topic_name"),
    values=(),
    cluster=t.consumer_group.c.cluster_id,
    shared=True,
)

KSQL_SOURCE = Entity(
    kind="ksql_source",
    table=t.ksql_source,
    rows=t.ksql_source.join(t.source),
    key=(_source.name, t.ksql_source.c.name),
    natural=1,
    parents=("cluster_id", "name"),
    values=_values(t.ksql_source, "cluster_id", "name"),
    cluster=t.ksql_source.c.cluster_id,
    children=Children(table=t.ksql_column, parent="ksql_source_id", label="columns"),
)

QUERY = Entity(
    kind="query",
    table=t.ksql_query,
    rows=t.ksql_query.join(t.source),
    key=(_source.name, t.ksql_query.c.name),
    natural=1,
    parents=("cluster_id", "name"),
    values=_values(t.ksql_query, "cluster_id", "name"),
    cluster=t.ksql_query.c.cluster_id,
)

CONNECTOR = Entity(
    kind="connector",
    table=t.connector,
    rows=t.connector.join(t.source),
    key=(_source.name, t.connector.c.name),
    natural=1,
    parents=("cluster_id", "name"),
    values=_values(t.connector, "cluster_id", "name"),
    cluster=t.connector.c.cluster_id,
    children=Children(table=t.connector_task, parent="connector_id", label="tasks"),
)

_flow = t.manual_flow.c
_ENDS = ("origin_namespace", "origin_name", "origin_path", "target_namespace", "target_name", "target_path", "job")

FLOW = Entity(
    kind="manual_flow",
    table=t.manual_flow,
    rows=t.manual_flow.join(t.source),
    key=(_source.name, *(_flow[name] for name in _ENDS)),
    natural=0,
    parents=("cluster_id", *_ENDS),
    values=("description", "evidence"),
    cluster=_flow.cluster_id,
)


def _plain(table: Table, *key: str, kind: str = "", quiet: bool = False, children: Children | None = None) -> Entity:
    """Return a kind of fact that stands under the cluster and that its source and *key* name."""
    parents = ("cluster_id", *key)
    return Entity(
        kind=kind or table.name,
        table=table,
        rows=table.join(t.source),
        key=(_source.name, *(table.c[name] for name in key)),
        natural=1,
        parents=parents,
        values=_values(table, *parents),
        cluster=table.c.cluster_id,
        quiet=quiet,
        children=children,
    )


_COLUMNS = Children(table=t.catalog_column, parent="catalog_table_id", label="columns")
_LINK_ENDS = ("origin_namespace", "origin_name", "origin_path", "target_namespace", "target_name", "target_path")

PLAIN: Mapping[str, Entity] = {
    "flink_statements": _plain(t.flink_statement, "name"),
    "flink_jobs": _plain(t.flink_job, "name"),
    "topologies": _plain(t.streams_topology, "name"),
    "ksql_functions": _plain(t.ksql_function, "name"),
    "ksql_types": _plain(t.ksql_type, "name"),
    "mirror_topics": _plain(t.mirror_topic, "topic"),
    "annotations": _plain(t.annotation, "name", "kind"),
    "materializations": _plain(t.materialization, "topic", "table_format", "catalog"),
    "catalog_tables": _plain(t.catalog_table, "name", "namespace", children=_COLUMNS),
    "catalog_links": _plain(t.catalog_link, "origin_name", *_LINK_ENDS[:1], *_LINK_ENDS[2:], "process"),
    "metrics": _plain(t.metric, "name", "topic", "object_kind", "object_name", quiet=True),
}
"""The kinds whose rows are their facts' members, by the scan's member that lists them."""

ENTITIES = (
    TOPIC,
    REGISTRY,
    SUBJECT,
    VERSION,
    LINK,
    GROUP,
    GROUP_TOPIC,
    KSQL_SOURCE,
    QUERY,
    CONNECTOR,
    FLOW,
    *PLAIN.values(),
)
