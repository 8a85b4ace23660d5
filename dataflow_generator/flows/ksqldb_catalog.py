"""What the SQL reader knows of a ksqlDB server's collections: their columns and types, as the server described them."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow_generator.sql import Catalog, KnownTable
from dataflow_generator.sql.nodes import ColumnDefinition, Part, SqlType
from scanner_model.estate import CollectionColumn, KsqlSource
from scanner_model.names import Role
from scanner_model.paths import ELEMENT, MAP_VALUE, ColumnPath


def catalog_of(collections: Iterable[KsqlSource]) -> Catalog:
    """Give the catalog of *collections*; one without columns is known by its topic only."""
    return Catalog(tables={(each.name,): _table(each) for each in collections})


def _table(collection: KsqlSource) -> KnownTable:
    types = _types(collection.columns)
    return KnownTable(
        name=(collection.name,),
        columns=tuple(
            ColumnDefinition(each.column.path[0], types[each.column.path], _part(each))
            for each in collection.columns
            if len(each.column.path) == 1
        ),
        complete=bool(collection.columns),
        topics=(collection.topic,),
        windowed=bool(collection.window),
    )


def _part(column: CollectionColumn) -> Part:
    if column.role is None:
        return Part.HEADER
    return Part.KEY if column.role is Role.KEY else Part.PHYSICAL


def _types(columns: tuple[CollectionColumn, ...]) -> dict[ColumnPath, SqlType]:
    """Give the type at each path, from the innermost out: children follow their parents."""
    types: dict[ColumnPath, SqlType] = {}
    inside: dict[ColumnPath, list[tuple[str, SqlType]]] = {}
    for each in reversed(columns):
        path = each.column.path
        held = inside.pop(path, [])[::-1]
        fields = tuple((name, kind) for name, kind in held if name not in (ELEMENT, MAP_VALUE))
        element = next((kind for name, kind in held if name in (ELEMENT, MAP_VALUE)), None)
        types[path] = SqlType(each.column.type, fields, element)
        if path:
            inside.setdefault(path[:-1], []).append((path[-1], types[path]))
    return types
