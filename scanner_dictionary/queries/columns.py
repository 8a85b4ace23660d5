"""Columns of definitions as the facts they were stored from."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, select

from scanner_dictionary import tables as t
from scanner_dictionary.bulk import in_chunks
from scanner_model.columns import Column

_DEFINITIONS_AT_ONCE = 500
_KEPT_TEXTS = 65_536


def columns_of(conn: Connection, definitions: Collection[int]) -> Mapping[int, tuple[Column, ...]]:
    """Read the columns of *definitions* by their keys, in document order; one that has none is not listed."""
    column = t.schema_column.c
    found: dict[int, tuple[Column, ...]] = {}
    for chunk in in_chunks(sorted(set(definitions)), _DEFINITIONS_AT_ONCE):
        query = select(t.schema_column).where(column.definition_id.in_(chunk))
        rows = conn.execute(query.order_by(column.definition_id, column.ordinal))
        for definition, group in groupby(rows, key=lambda row: int(row.definition_id)):
            found[definition] = tuple(map(column_fact, group))
    return found


def column_fact(row: Row[Any]) -> Column:
    """Read a column from a row that holds the cells of `tables.described`."""
    return Column(
        path=texts(row.path),
        type=row.data_type,
        logical_type=row.logical_type,
        nullable=row.nullable,
        default=row.default_value,
        doc=row.doc,
        tags=_list(row.tags),
        recursive=row.recursion_of,
        branches=_list(row.branches),
        number=row.field_number,
    )


@lru_cache(maxsize=_KEPT_TEXTS)
def texts(cell: str) -> tuple[str, ...]:
    """Read a JSON array of texts; schemas have the same paths over and over."""
    return tuple(json.loads(cell))


def _list(cell: str | None) -> tuple[str, ...]:
    return texts(cell) if cell else ()
