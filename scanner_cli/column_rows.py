"""Columns of schemas as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scanner_model.columns import Column

SHOWN = ("name", "type", "logical_type", "nullable", "default", "tags", "doc")
ROOT = "(whole message)"
"""Stands where a column has no name, because the message is one value."""


def column_rows(columns: Iterable[Column]) -> Sequence[dict[str, Any]]:
    """Give each column as people read it; a default is JSON text, so that null and "" differ from no default."""
    return [
        {
            "name": column.name or ROOT,
            "type": _type(column),
            "logical_type": column.logical_type,
            "nullable": column.nullable,
            "default": column.default,
            "tags": column.tags,
            "doc": column.doc,
        }
        for column in columns
    ]


def _type(column: Column) -> str:
    of = f" of {', '.join(column.branches)}" if column.branches else ""
    return f"{column.type}{of}" + (f" ↻ {column.recursive}" if column.recursive else "")
