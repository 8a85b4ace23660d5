"""A table of a catalog has its keys, and a view the SQL text that defines it; the next scan fills them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the columns, which hold nothing in the rows of earlier scans."""
    op.add_column("catalog_table", sa.Column("definition", sa.Text, nullable=False, server_default=""))
    op.add_column("catalog_table", sa.Column("keys", sa.Text, nullable=False, server_default="[]"))
