"""Topics as Confluent Cloud shows them to Flink: tables of the cluster as a database, columns of key and value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dataflow_generator.flows.sql_types import types_of
from dataflow_generator.sql import KnownTable
from dataflow_generator.sql.nodes import ColumnDefinition, Parts
from scanner_model.columns import Column
from scanner_model.paths import KEY, ColumnPath

SYSTEM = "$rowtime"
"""The column that every table has beside its own: the record's timestamp."""

_WHOLE_KEY, _WHOLE_VALUE = "key", "val"
"""What a side is called that is one value (Confluent Cloud, key and value of a table)."""


def table_of_topic(name: Parts, columns: Iterable[Column]) -> KnownTable:
    """Give the table called *name* of a topic with *columns*; one that nobody described has columns nobody knows."""
    listed = tuple(columns)
    types = types_of(listed)
    found = tuple(ColumnDefinition(name, types[path]) for name, path in paths_of_topic(listed).items())
    return KnownTable(name=name, columns=found, complete=bool(found), topics=(name[-1],))


def paths_of_topic(columns: Iterable[Column]) -> Mapping[str, ColumnPath]:
    """Give the place in the topic's schemas behind each column of its table, in the table's order.

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
