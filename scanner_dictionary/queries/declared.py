"""Which of two facts counts: what runs wins over what a deployment file declares."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Table, and_, exists, select

from scanner_dictionary.schema import tables as t

FILES = "files"
"""The kind of source of deployment files."""


def runs(table: Table) -> ColumnElement[bool]:
    """Return the condition of a row of *table* that runs, or is declared and of which nothing of its name runs.

    *table* has rows by cluster, source and name; a deleted row counts as such.
    """
    files = select(t.source.c.id).where(t.source.c.kind == FILES)
    other: Any = table.alias("running")
    running = exists().where(
        and_(
            other.c.cluster_id == table.c.cluster_id,
            other.c.name == table.c.name,
            other.c.gone.is_(None),
            other.c.source_id.not_in(files),
        )
    )
    return table.c.source_id.not_in(files) | ~running
