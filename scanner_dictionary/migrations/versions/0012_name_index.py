"""An index of names for searches; it is filled when the next scan is stored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_WORD = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_WIDE = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _term_key() -> sa.Column[int]:
    reference = sa.ForeignKey("search_term.id")
    return sa.Column("term_id", sa.Integer, reference, primary_key=True, autoincrement=False, nullable=False)


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "search_term",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("term", _WORD, nullable=False),
        sa.UniqueConstraint("term", name="uq_search_term"),
    )
    op.create_table(
        "search_word",
        sa.Column("word", _WORD, primary_key=True, nullable=False),
        sa.Column(
            "term_id",
            sa.Integer,
            sa.ForeignKey("search_term.id"),
            primary_key=True,
            autoincrement=False,
            nullable=False,
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "search_use",
        sa.Column("kind", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        sa.Column(
            "term_id",
            sa.Integer,
            sa.ForeignKey("search_term.id"),
            primary_key=True,
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("entity_id", _WIDE, primary_key=True, autoincrement=False, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "search_progress",
        sa.Column("kind", sa.Integer, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("last_id", sa.Integer, nullable=False),
    )
