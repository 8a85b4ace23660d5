"""Types of columns as the SQL reader needs them: structures with their fields, elements of arrays and maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dataflow_generator.sql.nodes import SqlType
from scanner_model.columns import Column
from scanner_model.paths import ELEMENT, MAP_VALUE, ColumnPath


def types_of(columns: Iterable[Column]) -> Mapping[ColumnPath, SqlType]:
    """Give the type at each path, made from the innermost out: children follow their parents in *columns*."""
    types: dict[ColumnPath, SqlType] = {}
    inside: dict[ColumnPath, list[tuple[str, SqlType]]] = {}
    for column in reversed(list(columns)):
        path = column.path
        held = inside.pop(path, [])[::-1]
        fields = tuple((name, kind) for name, kind in held if name not in (ELEMENT, MAP_VALUE))
        element = next((kind for name, kind in held if name in (ELEMENT, MAP_VALUE)), None)
        types[path] = SqlType(column.type, fields, element)
        if path:
            inside.setdefault(path[:-1], []).append((path[-1], types[path]))
    return types
