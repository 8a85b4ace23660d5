"""Of the generated graph only the rows of schemas stay from one generation to the next: nothing else is remembered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Drop what the graph was made of; the graph that is stored stays until the next one is generated."""
    op.drop_table("flow_part")
    op.add_column("flow_graph", sa.Column("schema_layout", sa.Integer, nullable=True))
    with op.batch_alter_table("flow_graph") as batch:
        batch.drop_column("made_with")
