"""What stands around topics: jobs, catalogs, tags, figures, findings, other names of clusters."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Build the tables; what is stored stays as it is."""
    _cluster_alias()
    _flink_statement()
    _flink_job()
    _streams_topology()
    _ksql_function()
    _ksql_type()
    _mirror_topic()
    _annotation()
    _materialization()
    _catalog_table()
    _catalog_column()
    _catalog_link()
    _metric()
    _finding()


def _cluster_alias() -> None:
    op.create_table(
        "cluster_alias",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "kind", "alias"),
        sa.UniqueConstraint("cluster_id", "kind", "alias", name="uq_cluster_alias"),
    )


def _flink_statement() -> None:
    op.create_table(
        "flink_statement",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name"),
        *_must(sa.Text, "statement"),
        *_must(sa.String, "kind", "state"),
        *_must(sa.Text, "detail"),
        *_must(sa.String, "catalog_name", "database_name", "compute_pool", "region", "principal", "uid", "created"),
        *_must(sa.Boolean, "hidden"),
        *_may(sa.Text, "topics_read"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("source_id", "name", name="uq_flink_statement_name"),
    )
    op.create_index("ix_flink_statement_cluster", "flink_statement", ["cluster_id"])


def _flink_job() -> None:
    op.create_table(
        "flink_job",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name"),
        *_must(sa.Text, "title"),
        *_must(sa.String, "state", "started"),
        *_must(sa.Text, "plan"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("source_id", "name", name="uq_flink_job_name"),
    )
    op.create_index("ix_flink_job_cluster", "flink_job", ["cluster_id"])


def _streams_topology() -> None:
    op.create_table(
        "streams_topology",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name"),
        *_must(sa.Text, "topology", "file"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("source_id", "name", name="uq_streams_topology_name"),
    )
    op.create_index("ix_streams_topology_cluster", "streams_topology", ["cluster_id"])


def _ksql_function() -> None:
    op.create_table(
        "ksql_function",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name", "kind"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("source_id", "name", name="uq_ksql_function_name"),
    )
    op.create_index("ix_ksql_function_cluster", "ksql_function", ["cluster_id"])


def _ksql_type() -> None:
    op.create_table(
        "ksql_type",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name"),
        *_must(sa.Text, "definition"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("source_id", "name", name="uq_ksql_type_name"),
    )
    op.create_index("ix_ksql_type_cluster", "ksql_type", ["cluster_id"])


def _mirror_topic() -> None:
    op.create_table(
        "mirror_topic",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "topic", "link", "origin_topic", "origin_cluster", "state"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("source_id", "topic", name="uq_mirror_topic"),
    )
    op.create_index("ix_mirror_topic_cluster", "mirror_topic", ["cluster_id"])


def _annotation() -> None:
    op.create_table(
        "annotation",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "kind"),
        *_must(sa.Text, "name"),
        *_may(sa.String, "topic", "subject", "context"),
        *_may(sa.BigInteger, "version"),
        *_may(sa.String, "schema_id"),
        *_may(sa.Text, "record", "path", "connector", "connector_topics"),
        *_must(sa.Text, "tags", "owner", "owner_email", "description", "business_metadata"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
    )
    op.create_index("ix_annotation_cluster", "annotation", ["cluster_id"])
    op.create_index("ix_annotation_topic", "annotation", ["topic"])


def _materialization() -> None:
    op.create_table(
        "materialization",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "topic", "table_format", "catalog", "catalog_kind"),
        *_must(sa.Text, "namespace", "name", "location"),
        *_must(sa.String, "state", "write_mode", "storage"),
        *_must(sa.Boolean, "suspended"),
        *_must(sa.Text, "detail"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
        sa.UniqueConstraint("source_id", "topic", "table_format", "catalog", name="uq_materialization"),
    )
    op.create_index("ix_materialization_cluster", "materialization", ["cluster_id"])


def _catalog_table() -> None:
    op.create_table(
        "catalog_table",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.Text, "namespace", "name"),
        *_must(sa.String, "provider", "kind", "table_format"),
        *_must(sa.Text, "location", "serde", "owner", "description"),
        *_must(sa.String, "created", "updated"),
        *_must(sa.Text, "parameters", "partition_keys", "symlinks"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
    )
    op.create_index("ix_catalog_table_cluster", "catalog_table", ["cluster_id"])
    op.create_index("ix_catalog_table_source", "catalog_table", ["source_id"])


def _catalog_column() -> None:
    op.create_table(
        "catalog_column",
        _ref("catalog_table_id", "catalog_table", key=True),
        _key("ordinal"),
        *_must(sa.Integer, "depth"),
        *_must(sa.Text, "path", "name", "data_type"),
        *_may(sa.Text, "logical_type"),
        *_must(sa.Boolean, "nullable"),
        *_may(sa.Text, "default_value", "doc", "tags", "recursion_of", "branches"),
        *_may(sa.BigInteger, "field_number"),
    )


def _catalog_link() -> None:
    op.create_table(
        "catalog_link",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.Text, "origin_namespace", "origin_name"),
        *_may(sa.Text, "origin_path"),
        *_must(sa.Text, "target_namespace", "target_name"),
        *_may(sa.Text, "target_path"),
        *_must(sa.Text, "process"),
        *_must(sa.String, "dependency"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
    )
    op.create_index("ix_catalog_link_cluster", "catalog_link", ["cluster_id"])
    op.create_index("ix_catalog_link_source", "catalog_link", ["source_id"])


def _metric() -> None:
    op.create_table(
        "metric",
        _key("id"),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name", "topic", "object_kind"),
        *_must(sa.Text, "object_name"),
        *_must(sa.Float, "amount"),
        *_must(sa.String, "started", "ended"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        *_may(sa.Integer, "gone"),
    )
    op.create_index("ix_metric_cluster", "metric", ["cluster_id"])
    op.create_index("ix_metric_source", "metric", ["source_id"])


def _finding() -> None:
    op.create_table(
        "finding",
        _ref("cluster_id", "cluster", key=True),
        _key("ordinal"),
        *_must(sa.Integer, "scan_number"),
        *_must(sa.String, "rule", "severity"),
        *_must(sa.Text, "place", "what", "hint"),
    )


def _key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False, nullable=False)


def _ref(name: str, target: str, *, key: bool = False) -> sa.Column[int]:
    reference = sa.ForeignKey(f"{target}.id")
    return sa.Column(name, sa.Integer, reference, primary_key=key, autoincrement=False, nullable=False)


def _must(type_: type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=False) for name in names]


def _may(type_: type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=True) for name in names]
