"""A subject keeps the compatibility level that its registry applies to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column; the next scan fills it where the registry is asked for it."""
    op.add_column("subject", sa.Column("compatibility", sa.String, nullable=True))
