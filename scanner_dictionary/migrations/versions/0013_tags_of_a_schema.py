"""An index of annotations by schema: tags of a schema's fields are looked up, not collected from all of a cluster."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_annotation_schema", "annotation", ["schema_id"])
