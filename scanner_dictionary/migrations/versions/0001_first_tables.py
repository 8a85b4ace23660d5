"""The first tables: scans and their sources, the installation, its schemas, and the generated graph."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Build every table of the first release, parents first."""
    for make in (_scans, _answers, _cluster, _groups, _registries, _definitions, _versions, _links, _ksql, _queries):
        make()
    _manual()
    _graph()


def _key(name: str, target: str | None = None) -> sa.Column[int]:
    references = [sa.ForeignKey(f"{target}.id")] if target else []
    return sa.Column(name, sa.Integer, *references, primary_key=True, autoincrement=False, nullable=False)


def _ref(name: str, target: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{target}.id"), nullable=nullable)


def _must(type_: type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=False) for name in names]


def _may(type_: type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=True) for name in names]


def _fact() -> list[sa.Column[Any]]:
    return [_ref("source_id", "source"), *_must(sa.Integer, "first_seen", "last_seen"), *_may(sa.Integer, "gone")]


def _described() -> list[sa.Column[Any]]:
    return [
        *_must(sa.Integer, "depth"),
        *_must(sa.Text, "path", "name", "data_type"),
        *_may(sa.Text, "logical_type"),
        *_must(sa.Boolean, "nullable"),
        *_may(sa.Text, "default_value", "doc", "tags", "recursion_of", "branches"),
        *_may(sa.BigInteger, "field_number"),
    ]


def _scans() -> None:
    op.create_table(
        "cluster",
        _key("id"),
        *_must(sa.String, "name", "kafka_cluster_id"),
        sa.UniqueConstraint("name", name="uq_cluster_name"),
    )
    op.create_table(
        "scan",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "started", "finished", "mode", "answer"),
        *_must(sa.Integer, "added", "changed", "gone", "returned", "stale", "refused"),
    )
    op.create_index("ix_scan_cluster", "scan", ["cluster_id"])
    op.create_table(
        "source",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name", "kind"),
        *_may(sa.Integer, "last_asked", "last_read", "stale_since"),
        *_must(sa.Text, "stale_reason"),
        sa.UniqueConstraint("cluster_id", "name", name="uq_source_name"),
    )


def _answers() -> None:
    op.create_table(
        "scan_outcome",
        _key("scan_id", "scan"),
        _key("ordinal"),
        _ref("source_id", "source"),
        *_must(sa.String, "kind", "answer"),
        *_must(sa.Integer, "got", "asked"),
        *_must(sa.Text, "reason", "hint"),
        *_must(sa.Integer, "requests"),
        *_must(sa.Float, "seconds"),
        *_must(sa.Text, "unread"),
    )
    op.create_table(
        "scan_problem",
        _key("scan_id", "scan"),
        _key("ordinal"),
        *_must(sa.Text, "place", "what", "hint"),
    )
    op.create_table(
        "change_log",
        _key("scan_id", "scan"),
        _key("ordinal"),
        *_must(sa.String, "entity_kind"),
        *_must(sa.Text, "entity"),
        *_must(sa.String, "action"),
        *_may(sa.Text, "before_json", "after_json"),
    )


def _cluster() -> None:
    op.create_table(
        "broker",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "address"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("address", name="uq_broker_address"),
    )
    op.create_index("ix_broker_cluster", "broker", ["cluster_id"])
    op.create_table(
        "topic",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name"),
        *_may(sa.BigInteger, "partitions", "replication"),
        *_must(sa.Boolean, "is_internal"),
        *_must(sa.Text, "config", "description", "tags"),
        *_fact(),
        sa.UniqueConstraint("cluster_id", "name", name="uq_topic_name"),
    )


def _groups() -> None:
    op.create_table(
        "consumer_group",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name", "state"),
        *_fact(),
        sa.UniqueConstraint("cluster_id", "name", name="uq_consumer_group_name"),
    )
    op.create_table(
        "consumer_group_topic",
        _key("id"),
        _ref("consumer_group_id", "consumer_group"),
        *_must(sa.String, "topic_name"),
        *_fact(),
        sa.UniqueConstraint("consumer_group_id", "topic_name", name="uq_consumer_group_topic"),
    )
    op.create_index("ix_consumer_group_topic_name", "consumer_group_topic", ["topic_name"])


def _registries() -> None:
    op.create_table(
        "registry",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "kind", "url", "environment"),
        *_fact(),
        sa.UniqueConstraint("source_id", name="uq_registry_source"),
    )
    op.create_index("ix_registry_cluster", "registry", ["cluster_id"])
    op.create_table(
        "subject",
        _key("id"),
        _ref("registry_id", "registry"),
        *_must(sa.String, "context", "name"),
        *_must(sa.Boolean, "deleted"),
        *_fact(),
        sa.UniqueConstraint("registry_id", "context", "name", name="uq_subject_name"),
    )
    op.create_index("ix_subject_name", "subject", ["name"])
    op.create_index("ix_subject_source", "subject", ["source_id"])


def _definitions() -> None:
    op.create_table(
        "schema_definition",
        _key("id"),
        *_must(sa.String, "fingerprint", "format", "name"),
        *_must(sa.Text, "schema_text", "problems"),
        *_must(sa.Integer, "column_count", "first_seen"),
        sa.UniqueConstraint("fingerprint", name="uq_schema_definition_fingerprint"),
    )
    op.create_table(
        "schema_column",
        _key("definition_id", "schema_definition"),
        _key("ordinal"),
        *_described(),
        sqlite_with_rowid=False,
    )


def _versions() -> None:
    op.create_table(
        "subject_version",
        _key("id"),
        _ref("subject_id", "subject"),
        *_must(sa.BigInteger, "version"),
        *_must(sa.String, "schema_id", "guid", "format"),
        _ref("definition_id", "schema_definition", nullable=True),
        *_may(sa.Text, "schema_text"),
        *_must(sa.Text, "metadata", "rule_set", "tags"),
        *_must(sa.Boolean, "deleted"),
        *_must(sa.String, "state"),
        *_fact(),
        sa.UniqueConstraint("subject_id", "version", name="uq_subject_version"),
    )
    op.create_index("ix_subject_version_definition", "subject_version", ["definition_id"])
    op.create_index("ix_subject_version_source", "subject_version", ["source_id"])
    op.create_table(
        "schema_reference",
        _key("subject_version_id", "subject_version"),
        _key("ordinal"),
        *_must(sa.Text, "name"),
        *_must(sa.String, "subject"),
        *_must(sa.BigInteger, "version"),
    )


def _links() -> None:
    op.create_table(
        "topic_schema",
        _key("id"),
        _ref("topic_id", "topic"),
        *_must(sa.String, "schema_role"),
        _ref("definition_id", "schema_definition"),
        _ref("registry_id", "registry", nullable=True),
        *_must(sa.String, "context", "subject"),
        *_may(sa.BigInteger, "version"),
        *_may(sa.String, "schema_id"),
        *_must(sa.Boolean, "is_current", "deleted"),
        *_must(sa.String, "strategy"),
        *_must(sa.Text, "evidence"),
        *_must(sa.String, "confidence"),
        *_fact(),
    )
    op.create_index("ix_topic_schema_definition", "topic_schema", ["definition_id"])
    op.create_index("ix_topic_schema_source", "topic_schema", ["source_id"])
    op.create_index("ix_topic_schema_subject", "topic_schema", ["registry_id", "subject"])
    op.create_index("ix_topic_schema_topic", "topic_schema", ["topic_id", "is_current"])


def _ksql() -> None:
    op.create_table(
        "ksql_source",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name", "kind", "topic_name", "key_format", "value_format"),
        *_must(sa.Text, "statement"),
        *_must(sa.String, "window_type"),
        *_may(sa.BigInteger, "partitions", "replication"),
        *_must(sa.Boolean, "is_internal"),
        *_fact(),
        sa.UniqueConstraint("source_id", "name", name="uq_ksql_source_name"),
    )
    op.create_index("ix_ksql_source_cluster", "ksql_source", ["cluster_id"])
    op.create_table(
        "ksql_column",
        _key("ksql_source_id", "ksql_source"),
        _key("ordinal"),
        *_may(sa.String, "schema_role"),
        *_must(sa.Text, "header"),
        *_described(),
    )


def _queries() -> None:
    op.create_table(
        "ksql_query",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name", "kind", "state"),
        *_must(sa.Text, "statement", "sources", "sinks", "sink_topics"),
        *_must(sa.String, "consumer_group"),
        *_fact(),
        sa.UniqueConstraint("source_id", "name", name="uq_ksql_query_name"),
    )
    op.create_index("ix_ksql_query_cluster", "ksql_query", ["cluster_id"])


def _manual() -> None:
    op.create_table(
        "manual_flow",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.Text, "origin_namespace", "origin_name"),
        *_may(sa.Text, "origin_path"),
        *_must(sa.Text, "target_namespace", "target_name"),
        *_may(sa.Text, "target_path"),
        *_must(sa.Text, "job", "description", "evidence"),
        *_fact(),
    )
    op.create_index("ix_manual_flow_cluster", "manual_flow", ["cluster_id"])


def _graph() -> None:
    op.create_table(
        "flow_graph",
        _key("id"),
        *_must(sa.Integer, "last_scan", "node_count", "edge_count"),
    )
    op.create_table(
        "flow_node",
        _key("id"),
        *_must(sa.Text, "node_key"),
        *_must(sa.String, "kind", "namespace", "name"),
        *_may(sa.Text, "path"),
        *_must(sa.Text, "attributes"),
    )
    op.create_index("ix_flow_node_name", "flow_node", ["name", "namespace"])
    op.create_table(
        "flow_edge",
        _key("id"),
        _ref("source_node_id", "flow_node"),
        _ref("target_node_id", "flow_node"),
        *_must(sa.String, "kind", "flow_type", "subtype"),
        *_must(sa.Text, "evidence"),
        *_must(sa.String, "certainty"),
    )
    op.create_index("ix_flow_edge_source", "flow_edge", ["source_node_id"])
    op.create_index("ix_flow_edge_target", "flow_edge", ["target_node_id"])
