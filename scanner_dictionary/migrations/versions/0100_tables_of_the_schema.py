"""The first revision: the tables and views of `scanner_dictionary.schema`.

A new dictionary gets them at once. Later revisions change existing ones, each by definitions of its own.
"""

from __future__ import annotations

revision = "0100"
down_revision = None


def upgrade() -> None:
    """Do nothing: no dictionary of an earlier revision exists."""
