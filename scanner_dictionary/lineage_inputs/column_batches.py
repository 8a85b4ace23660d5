"""The columns of the definitions that live topics have, as bare cells in bounded batches: for readers of millions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, select

from scanner_dictionary.schema import tables as t

COLUMNS_AT_ONCE = 50_000
"""Columns of a batch; a definition is never split, so one that has more is a batch by itself."""

_DEFINITIONS_AT_ONCE = 500


class Head(NamedTuple):
    """A definition without its columns; *columns* counts them."""

    id: int
    fingerprint: str
    format: str
    name: str
    columns: int


class Cells(NamedTuple):
    """Whole definitions, and the cells of their columns by definition and ordinal.

    A column is definition, ordinal, path (JSON), name, type, logical type, nullable (or 0 and 1), tags (JSON or None).
    """

    heads: Sequence[Head]
    columns: Sequence[Sequence[Any]]


def column_ranges(conn: Connection, columns: int) -> tuple[tuple[int, int], ...]:
    """Cut the keys of the definitions that live topics have into ranges (first, last) of at most *columns* columns.

    A definition with more is a range by itself, so that no task has more than its share and the widest schema.
    """
    heads = conn.execution_options(yield_per=COLUMNS_AT_ONCE).execute(_heads())
    return tuple((chunk[0].id, chunk[-1].id) for chunk in _portions(map(Head._make, heads), columns, None))


def definition_cells(conn: Connection, first: int, last: int) -> Iterator[Cells]:
    """Read the definitions that live topics have, with keys from *first* to *last*, in the order of their keys."""
    within = _heads().where(t.schema_definition.c.id.between(first, last))
    return cells_of(conn, [Head(*row) for row in conn.execute(within)])


def live_heads(conn: Connection) -> list[Head]:
    """List the definitions that live topics have, in the order of their keys."""
    rows = conn.execute(_heads())
    return [Head._make(row) for row in rows.cursor.fetchall()] if rows.cursor else []


def cells_of(conn: Connection, heads: Iterable[Head]) -> Iterator[Cells]:
    """Read the columns of definitions, in their order."""
    column = t.schema_column.c
    cells = select(
        column.definition_id,
        column.ordinal,
        column.path,
        column.name,
        column.data_type,
        column.logical_type,
        column.nullable,
        column.tags,
    ).order_by(column.definition_id, column.ordinal)
    for chunk in _portions(heads, COLUMNS_AT_ONCE, _DEFINITIONS_AT_ONCE):
        rows = conn.execute(cells.where(column.definition_id.in_([head.id for head in chunk])))
        # Past SQLAlchemy's row: it costs as much as reading the cells.
        yield Cells(chunk, rows.cursor.fetchall() if rows.cursor else ())


def _heads() -> Select[Any]:
    definition = t.schema_definition.c
    used = (
        select(t.topic_schema.c.definition_id)
        .join(t.topic, t.topic.c.id == t.topic_schema.c.topic_id)
        .where(t.topic_schema.c.is_current, t.topic_schema.c.gone.is_(None), t.topic.c.gone.is_(None))
    )
    columns = definition.id, definition.fingerprint, definition.format, definition.name, definition.column_count
    return select(*columns).where(definition.id.in_(used)).order_by(definition.id)


def _portions(heads: Iterable[Head], columns: int, definitions: int | None) -> Iterator[list[Head]]:
    chunk: list[Head] = []
    count = 0
    for head in heads:
        if chunk and (count + head.columns > columns or len(chunk) == definitions):
            yield chunk
            chunk, count = [], 0
        chunk.append(head)
        count += head.columns
    if chunk:
        yield chunk
