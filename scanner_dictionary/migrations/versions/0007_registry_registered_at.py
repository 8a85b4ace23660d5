"""A version of a subject keeps when it was registered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column; the next scan fills it where the registry tells."""
    op.add_column("subject_version", sa.Column("registered_at", sa.String, nullable=True))
