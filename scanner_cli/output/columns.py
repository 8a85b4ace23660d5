"""Columns and counts as JSON and as rows; `docs/json.md` documents the members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scanner_cli import library
from scanner_model.columns import WHOLE_MESSAGE, Column, ParsedSchema

"""The name of a column without one, because the message is a single value."""


def column_rows(
    columns: Iterable[Column], found_tags: Mapping[str, Iterable[object]] | None = None
) -> Sequence[dict[str, Any]]:
    """Return each column as a row; a default is JSON text, so that null and "" differ from no default.

    *found_tags* are those that columns inherit along flows, by their names.
    """
    found = found_tags or {}
    return [
        {
            "name": column.name or WHOLE_MESSAGE,
            "type": _type(column),
            "logical_type": column.logical_type,
            "nullable": column.nullable,
            "default": column.default,
            "tags": column.tags,
            "doc": column.doc,
            "inherited_tags": column.inherited_tags,
            "found_tags": tuple(found_tag(library.document(tag)) for tag in found.get(column.name, ())),
        }
        for column in columns
    ]


def found_tag(tag: Mapping[str, Any]) -> str:
    """Return a tag that is not declared as people read it: "PII, from orders.email, copied, 2 steps"."""
    steps = f"{tag['steps']} step{'' if tag['steps'] == 1 else 's'}"
    because = (f"from {tag['origin']}", tag["flow"], steps) if tag["origin"] else (tag["certainty"], *tag["path"])
    return ", ".join((tag["tag"], *because))


def _type(column: Column) -> str:
    of = f" of {', '.join(column.branches)}" if column.branches else ""
    return f"{column.type}{of}" + (f" ↻ {column.recursive}" if column.recursive else "")


def schema_document(format_name: str, parsed: ParsedSchema) -> dict[str, Any]:
    """Return the document of `scanner explain schema`."""
    return {
        "format": format_name,
        "name": parsed.name,
        "tags": list(parsed.tags),
        "columns": library.document(parsed.columns),
        "problems": library.document(parsed.problems),
    }


def members(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return counts by names that programs can use as identifiers."""
    return {name.replace(" ", "_"): count for name, count in counts}
