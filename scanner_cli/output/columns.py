"""Columns, problems and counts as JSON and as rows; `docs/json.md` documents the members."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from scanner_model.columns import Column, ParsedSchema
from scanner_model.errors import Problem

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


Json = Any


def column_document(column: Column) -> dict[str, Json]:
    """Return a COLUMN; *inherited_tags*, *recursive*, *of* (plain types of a union), *number* only if they are set."""
    document: dict[str, Json] = {
        "path": list(column.path),
        "name": column.name,
        "type": column.type,
        "logical_type": column.logical_type,
        "nullable": column.nullable,
        "default": None if column.default is None else _value(column.default),
        "has_default": column.default is not None,
        "doc": column.doc,
        "tags": list(column.tags),
    }
    further = {
        "inherited_tags": list(column.inherited_tags) or None,
        "recursive": column.recursive,
        "of": list(column.branches) or None,
        "number": column.number,
    }
    return document | {key: value for key, value in further.items() if value is not None}


def problem_document(problem: Problem) -> dict[str, Json]:
    """Return the document of a problem, `PROBLEM` in docs/json.md."""
    return {"where": problem.where, "what": problem.what, "hint": problem.hint}


def schema_document(format_name: str, parsed: ParsedSchema) -> dict[str, Json]:
    """Return the document of `scanner explain schema`."""
    return {
        "format": format_name,
        "name": parsed.name,
        "tags": list(parsed.tags),
        "columns": [column_document(column) for column in parsed.columns],
        "problems": [problem_document(problem) for problem in parsed.problems],
    }


def members(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return counts by names that programs can use as identifiers."""
    return {name.replace(" ", "_"): count for name, count in counts}


def _value(default: str) -> Json:
    """Parse a default; numbers that JSON does not have (NaN, 1e400) and very deep values stay text."""
    try:
        value = json.loads(default, parse_constant=str, parse_float=_number)
        json.dumps(value, indent=2)
    except RecursionError:
        return default
    return value


def _number(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text
