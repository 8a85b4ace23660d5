"""Kafka Connect: connectors and their tasks."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Build the tables of Kafka Connect; what is stored stays as it is."""
    op.create_table(
        "connector",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        _ref("cluster_id", "cluster"),
        *_must(sa.String, "name", "kind"),
        *_must(sa.Text, "connector_class", "config"),
        *_must(sa.String, "state", "worker"),
        *_must(sa.Text, "trace"),
        sa.Column("topics", sa.Text, nullable=True),
        *_must(sa.String, "plugin_version", "managed_id"),
        _ref("source_id", "source"),
        *_must(sa.Integer, "first_seen", "last_seen"),
        sa.Column("gone", sa.Integer, nullable=True),
        sa.UniqueConstraint("source_id", "name", name="uq_connector_name"),
    )
    op.create_index("ix_connector_cluster", "connector", ["cluster_id"])
    op.create_table(
        "connector_task",
        sa.Column("connector_id", sa.Integer, sa.ForeignKey("connector.id"), primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        *_must(sa.Integer, "task_number"),
        *_must(sa.String, "state", "worker"),
        *_must(sa.Text, "trace"),
    )


def _ref(name: str, target: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{target}.id"), nullable=False)


def _must(type_: type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=False) for name in names]
