"""Keys of tables and SQL texts of views; topics and connectors as deployment files declare them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the columns, which hold nothing in the rows of earlier scans, and the table."""
    op.add_column("catalog_table", sa.Column("definition", sa.Text, nullable=False, server_default=""))
    op.add_column("catalog_table", sa.Column("keys", sa.Text, nullable=False, server_default="[]"))
    op.create_table(
        "declaration",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("cluster_id", sa.Integer, sa.ForeignKey("cluster.id"), nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("parent", sa.String, nullable=False),
        sa.Column("tool", sa.String, nullable=False),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("whole", sa.Boolean, nullable=False),
        sa.Column("partitions", sa.BigInteger, nullable=True),
        sa.Column("replication", sa.BigInteger, nullable=True),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("source_id", sa.Integer, sa.ForeignKey("source.id"), nullable=False),
        sa.Column("first_seen", sa.Integer, nullable=False),
        sa.Column("last_seen", sa.Integer, nullable=False),
        sa.Column("gone", sa.Integer, nullable=True),
        sa.UniqueConstraint("source_id", "kind", "name", name="uq_declaration"),
    )
    op.create_index("ix_declaration_cluster", "declaration", ["cluster_id"])
