"""The generated graph keeps how much of the installation was read for it, for exports to report what is missing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column; of a graph that was generated before, nothing is known."""
    op.add_column("flow_graph", sa.Column("coverage", sa.Text, nullable=True))
