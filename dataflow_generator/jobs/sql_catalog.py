"""Topics as Confluent Cloud shows them to Flink: tables of the cluster as a database, columns of key and value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dataflow_generator.sql import Catalog, KnownTable
from dataflow_generator.sql.nodes import ColumnDefinition, ColumnKind, Parts, SqlType
from scanner_model.column_path import ELEMENT, KEY, MAP_VALUE, ColumnPath
from scanner_model.columns import Column
from scanner_model.ksqldb import CollectionColumn, KsqlSource, timestamp_column, with_options
from scanner_model.names import Role


def types_of(columns: Iterable[Column]) -> Mapping[ColumnPath, SqlType]:
    """Return the type at each path, made from the innermost out: children follow their parents in *columns*."""
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


SYSTEM = "$rowtime"
"""The column that every table has beside its own: the record's timestamp."""

_WHOLE_KEY, _WHOLE_VALUE = "key", "val"
"""What a side is called that is one value (Confluent Cloud, key and value of a table)."""


def table_of_topic(name: Parts, columns: Iterable[Column]) -> KnownTable:
    """Return the table called *name* of a topic with *columns*; one that nobody described has columns nobody knows."""
    listed = tuple(columns)
    types = types_of(listed)
    found = tuple(ColumnDefinition(name, types[path]) for name, path in paths_of_topic(listed).items())
    return KnownTable(name=name, columns=found, complete=bool(found), topics=(name[-1],))


def paths_of_topic(columns: Iterable[Column]) -> Mapping[str, ColumnPath]:
    """Return the place in the topic's schemas behind each column of its table, in the table's order.

    A field of the key that the value has, too, has a prefix in the table.
    """
    paths: list[ColumnPath] = [column.path for column in columns]
    fields = frozenset(path for path in paths if len(path) == 1 and path != (KEY,))
    keys: dict[str, ColumnPath] = {}
    values: dict[str, ColumnPath] = {}
    for path in paths:
        if path in fields:
            values[path[0]] = path
        elif path[:1] == (KEY,) and len(path) == 2:
            keys[_key_name(path, fields)] = path
    if not keys and (KEY,) in paths:
        keys[_WHOLE_KEY] = (KEY,)
    if not values and () in paths:
        values[_WHOLE_VALUE] = ()
    return keys | values


def _key_name(path: ColumnPath, fields: frozenset[ColumnPath]) -> str:
    return f"key_{path[1]}" if path[1:] in fields else path[1]


def catalog_of(collections: Iterable[KsqlSource], aggregates: frozenset[str]) -> Catalog:
    """Return the catalog of *collections*; one without columns is known by its topic only.

    *aggregates* are the server's functions that aggregate, in upper case.
    """
    return Catalog(tables={(each.name,): _table(each) for each in collections}, aggregates=aggregates)


def _table(collection: KsqlSource) -> KnownTable:
    types = types_of(each.column for each in collection.columns)
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
        timestamp=timestamp_column(with_options(collection.statement)),
        is_table=collection.kind == "TABLE",
    )


def _part(column: CollectionColumn) -> ColumnKind:
    if column.role is None:
        return ColumnKind.HEADER
    return ColumnKind.KEY if column.role is Role.KEY else ColumnKind.PHYSICAL
