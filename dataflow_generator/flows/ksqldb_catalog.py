"""What the SQL reader knows of a ksqlDB server's collections: their columns and types, as the server described them."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow_generator.flows.sql_types import types_of
from dataflow_generator.sql import Catalog, KnownTable
from dataflow_generator.sql.nodes import ColumnDefinition, Part
from scanner_model.estate import CollectionColumn, KsqlSource
from scanner_model.ksqldb import timestamp_column, with_options
from scanner_model.names import Role


def catalog_of(collections: Iterable[KsqlSource], aggregates: frozenset[str]) -> Catalog:
    """Give the catalog of *collections*; one without columns is known by its topic only.

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


def _part(column: CollectionColumn) -> Part:
    if column.role is None:
        return Part.HEADER
    return Part.KEY if column.role is Role.KEY else Part.PHYSICAL
