"""What tells the definitions of one dictionary from those of another: their keys, fingerprints and sizes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from scanner_dictionary import tables as t


def definition_prints(conn: Connection) -> list[tuple[Any, ...]]:
    """List the key, the fingerprint and the number of columns of every definition, in the order of the keys."""
    definition = t.schema_definition.c
    query = select(definition.id, definition.fingerprint, definition.column_count).order_by(definition.id)
    found = conn.execute(query)
    # Past SQLAlchemy's row: it costs as much as reading the cells.
    return list(map(tuple, found.cursor.fetchall())) if found.cursor else []
