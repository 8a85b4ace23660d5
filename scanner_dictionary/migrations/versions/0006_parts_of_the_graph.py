"""What the generated graph was made of, so that only what changed is made again; room between its keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_WIDE = (("flow_node", ("id",)), ("flow_edge", ("id", "source_node_id", "target_node_id")))


def upgrade() -> None:
    """Add the table and the column; of a graph that was generated before, nothing is known."""
    op.create_table(
        "flow_part",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("told", sa.Text, nullable=False),
    )
    op.add_column("flow_graph", sa.Column("made_with", sa.Text, nullable=True))
    if op.get_bind().dialect.name != "sqlite":  # there an INTEGER has 64 bits anyway
        for table, columns in _WIDE:
            for column in columns:
                op.alter_column(table, column, type_=sa.BigInteger, existing_type=sa.Integer)
