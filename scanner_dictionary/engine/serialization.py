"""Values as cells hold them: JSON as text in one form, text without what a database refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from scanner_model.column_path import ELEMENT, MAP_VALUE
from scanner_model.columns import Column
from scanner_model.problems import Problem
from scanner_model.text import REPLACEMENT, storable

__all__ = ["column_cells", "json_cell", "list_cell", "problems_cell", "storable"]

_LIMIT = 2**63
_MARKS = (ELEMENT, MAP_VALUE)
_NUL = re.compile(r"(?<!\\)((?:\\\\)*+)\\u0000")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def json_cell(value: object) -> str:
    """Return JSON text, the same bytes for the same value; what is not ASCII is written as it is."""
    if value == ():  # as of most facts most lists are
        return "[]"
    text = _ENCODER.encode(value)
    # An escaped NUL would come back as one, in names that are stored elsewhere, too.
    return storable(_NUL.sub(rf"\1{REPLACEMENT}", text) if "\\u0000" in text else text)


def list_cell(items: Iterable[str]) -> str | None:
    """Return a JSON array, None where there is nothing in it."""
    found = list(items)
    return json_cell(found) if found else None


def problems_cell(problems: Iterable[Problem]) -> str:
    """Return problems as a JSON array of objects."""
    return json_cell(tuple({"where": each.where, "what": each.what, "hint": each.hint} for each in problems))


def column_cells(column: Column) -> tuple[Any, ...]:
    """Return the cells that describe a column, in the order of `column_types.column_description`."""
    path, number = column.path, column.number
    # Nearly all are, and then nothing needs quoting.
    plain = all(map(str.isidentifier, path)) or all(part.isidentifier() or part in _MARKS for part in path)
    return (
        len(path),
        '["' + '","'.join(path) + '"]' if plain and path else json_cell(path),
        ".".join(path) if plain else storable(column.name),
        storable(column.type),
        _maybe(column.logical_type),
        column.nullable,
        _maybe(column.default),
        _maybe(column.doc),
        list_cell(column.tags) if column.tags else None,
        _maybe(column.recursive),
        list_cell(column.branches) if column.branches else None,
        number if number is None or -_LIMIT <= number < _LIMIT else None,
    )


def _maybe(text: str | None) -> str | None:
    return text if text is None or (text.isascii() and "\0" not in text) else storable(text)
