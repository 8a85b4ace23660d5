"""Catalogs for the SQL reader: topics as Confluent Cloud tables for Flink, and collections of ksqlDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from dataflow_generator.sql.catalog import Catalog, KnownTable
from dataflow_generator.sql.nodes import ColumnDefinition, ColumnKind, Parts, SqlType
from scanner_model.columns import ELEMENT, KEY, MAP_VALUE, Column, ColumnPath, field_name, field_segment
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, timestamp_column, with_options


def types_of(columns: Iterable[Column]) -> Mapping[ColumnPath, SqlType]:
    """Return the type at each path, built from the innermost outwards: *columns* lists parents before children."""
    types: dict[ColumnPath, SqlType] = {}
    inside: dict[ColumnPath, list[tuple[str, SqlType]]] = {}
    for column in reversed(list(columns)):
        path = column.path
        children = inside.pop(path, [])[::-1]
        fields = tuple((_sql_name(name), kind) for name, kind in children if name not in (ELEMENT, MAP_VALUE))
        element = next((kind for name, kind in children if name in (ELEMENT, MAP_VALUE)), None)
        types[path] = SqlType(column.type, fields, element)
        if path:
            inside.setdefault(path[:-1], []).append((path[-1], types[path]))
    return types


def path_of_names(names: Iterable[str]) -> ColumnPath:
    """Return the path of a field by the names that SQL has for it, which are never marks."""
    return tuple(map(field_segment, names))


def _sql_name(segment: str) -> str:
    return field_name(segment) or segment


SYSTEM = "$rowtime"
"""The system column of every table: the record's timestamp."""

_WHOLE_KEY, _WHOLE_VALUE = "key", "val"
"""Column names of a primitive key or value (Confluent Cloud, key and value of a table)."""


def table_of_topic(name: Parts, columns: Iterable[Column]) -> KnownTable:
    """Return the table *name* of a topic with *columns*; without any, the columns of the table are unknown."""
    listed = tuple(columns)
    types = types_of(listed)
    definitions = tuple(
        ColumnDefinition(_sql_name(segment), types[path]) for segment, path in paths_of_topic(listed).items()
    )
    return KnownTable(name=name, columns=definitions, complete=bool(definitions), topics=(name[-1],))


def paths_of_topic(columns: Iterable[Column]) -> Mapping[str, ColumnPath]:
    """Return the path in the topic's schemas of each column of its table, in the order of the table.

    A key field whose name is also a value field has a prefix in the table.
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
    """Return the catalog of *collections*; of one without columns only the topic is known.

    *aggregates* are the server's aggregate functions, in upper case.
    """
    return Catalog(tables={(source.name,): _table(source) for source in collections}, aggregates=aggregates)


def _table(collection: KsqlSource) -> KnownTable:
    types = types_of(entry.column for entry in collection.columns)
    return KnownTable(
        name=(collection.name,),
        columns=tuple(
            ColumnDefinition(_sql_name(entry.column.path[0]), types[entry.column.path], _part(entry))
            for entry in collection.columns
            if len(entry.column.path) == 1
        ),
        complete=bool(collection.columns),
        topics=(collection.topic,),
        windowed=bool(collection.window),
        timestamp=timestamp_column(with_options(collection.statement)),
        is_table=collection.kind == "TABLE",
    )


def collection_of(table: KnownTable, source: SourceId, stored: KsqlSource | None = None) -> KsqlSource:
    """Return the collection of *source* that the DDL of *table* makes of the *stored* one, or a new one.

    A new one has no columns where the DDL leaves some to the schema registry.
    """
    options = dict(table.options)
    both = options.get("FORMAT", "")
    declared = [(field_segment(column.name), column) for column in (table.columns if table.complete else ())]
    topic = TopicName(next(iter(table.topics), ""))
    if stored is not None:
        names = {name for name, _ in declared} or {entry.column.path[0] for entry in stored.columns}
        kept = [entry for entry in stored.columns if entry.column.path[0] in names]
        known = {entry.column.path[0] for entry in kept}
        added = [entry for name, column in declared if name not in known for entry in _entries(column)]
        return replace(stored, topic=topic or stored.topic, columns=(*kept, *added))
    return KsqlSource(
        source=source,
        name=table.name[-1],
        kind="TABLE" if table.is_table else "STREAM",
        topic=topic,
        key_format=options.get("KEY_FORMAT", both),
        value_format=options.get("VALUE_FORMAT", both),
        statement="",
        window="TUMBLING" if table.windowed else "",
        columns=tuple(entry for _, column in declared for entry in _entries(column)),
    )


def _entries(definition: ColumnDefinition) -> Iterator[CollectionColumn]:
    """Yield a column of DDL with those inside it."""
    for path, kind in _inside((field_segment(definition.name),), definition.type):
        yield CollectionColumn(column=Column(path=path, type=kind.name), role=_ROLES.get(definition.part))


_ROLES = {ColumnKind.KEY: Role.KEY, ColumnKind.PHYSICAL: Role.VALUE}


def _inside(path: ColumnPath, kind: SqlType) -> Iterator[tuple[ColumnPath, SqlType]]:
    """Yield the type at *path*, then those inside it."""
    yield path, kind
    for name, member in kind.fields:
        yield from _inside((*path, field_segment(name)), member)
    if kind.element is not None:
        yield from _inside((*path, MAP_VALUE if kind.name == "MAP" else ELEMENT), kind.element)


def _part(column: CollectionColumn) -> ColumnKind:
    if column.role is None:
        return ColumnKind.HEADER
    return ColumnKind.KEY if column.role is Role.KEY else ColumnKind.PHYSICAL
