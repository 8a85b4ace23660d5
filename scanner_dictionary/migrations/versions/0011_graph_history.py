"""The graphs of earlier scans: what differs from the newest one, by node and by edge."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_NODE = ("node_key", "kind", "namespace", "name", "path", "attributes")
_EDGE = (
    *("source_key", "source_name", "target_key", "target_name"),
    *("kind", "flow_type", "subtype", "evidence", "certainty"),
)
_TEXTS = ("node_key", "path", "attributes", "source_key", "target_key", "evidence")


def upgrade() -> None:
    """Add the tables; the stored graph is the oldest one that is known, of those before it nothing is."""
    op.create_table(
        "flow_graph_version",
        sa.Column("scan", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("node_count", sa.Integer, nullable=False),
        sa.Column("edge_count", sa.Integer, nullable=False),
        sa.Column("coverage", sa.Text, nullable=True),
    )
    for table, names in (("flow_node_version", _NODE), ("flow_edge_version", _EDGE)):
        wide = sa.BigInteger().with_variant(sa.Integer, "sqlite")
        op.create_table(
            table,
            sa.Column("id", wide, primary_key=True, autoincrement=False, nullable=False),
            *(sa.Column(name, sa.Text if name in _TEXTS else sa.String, nullable=name == "path") for name in names),
            sa.Column("first_scan", sa.Integer, nullable=True),
            sa.Column("gone", sa.Integer, nullable=True),
        )
        op.create_index(f"ix_{table}_first", table, ["first_scan"])
        op.create_index(f"ix_{table}_gone", table, ["gone"])
    op.create_index("ix_flow_node_version_key", "flow_node_version", ["node_key"])
    op.create_index("ix_flow_node_version_name", "flow_node_version", ["name", "namespace"])
    op.create_index("ix_flow_edge_version_source", "flow_edge_version", ["source_key"])
    op.create_index("ix_flow_edge_version_target", "flow_edge_version", ["target_key"])
    op.execute(
        "INSERT INTO flow_graph_version (scan, node_count, edge_count, coverage) "
        "SELECT last_scan, node_count, edge_count, coverage FROM flow_graph"
    )
