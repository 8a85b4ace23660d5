"""Columns and counts as JSON and as rows; `docs/json.md` documents the members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scanner_api.questions.documents import document
from scanner_model.columns import Column, ParsedSchema

SHOWN = ("name", "type", "logical_type", "nullable", "default", "tags", "doc", "inherited_tags")
RARE = frozenset({"inherited_tags"})
"""Those that a table has only where a row has a value."""
ROOT = "(whole message)"
"""The name of a column without one, because the message is a single value."""


def column_rows(columns: Iterable[Column]) -> Sequence[dict[str, Any]]:
    """Return each column as a row; a default is JSON text, so that null and "" differ from no default."""
    return [
        {
            "name": column.name or ROOT,
            "type": _type(column),
            "logical_type": column.logical_type,
            "nullable": column.nullable,
            "default": column.default,
            "tags": column.tags,
            "doc": column.doc,
            "inherited_tags": column.inherited_tags,
        }
        for column in columns
    ]


def _type(column: Column) -> str:
    of = f" of {', '.join(column.branches)}" if column.branches else ""
    return f"{column.type}{of}" + (f" ↻ {column.recursive}" if column.recursive else "")


def schema_document(format_name: str, parsed: ParsedSchema) -> dict[str, Any]:
    """Return the document of `scanner explain schema`."""
    return {
        "format": format_name,
        "name": parsed.name,
        "tags": list(parsed.tags),
        "columns": document(parsed.columns),
        "problems": document(parsed.problems),
    }


def members(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return counts by names that programs can use as identifiers."""
    return {name.replace(" ", "_"): count for name, count in counts}
