"""Columns have the standard terms of their field as names."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"

_RENAMED = (
    ("scan", "answer", "status"),
    ("source", "last_asked", "last_queried"),
    ("scan_outcome", "answer", "status"),
    ("scan_outcome", "got", "received"),
    ("scan_outcome", "asked", "requested"),
    ("scan_problem", "place", "location"),
    ("finding", "place", "location"),
    ("lineage_facet", "home", "scope"),
    ("lineage_facet", "tells", "has_content"),
    ("lineage_facet", "told", "event_time"),
)


def upgrade() -> None:
    """Rename the columns; their rows stay."""
    for table, old, new in _RENAMED:
        op.alter_column(table, old, new_column_name=new)
