"""Tables that Flink DDL declares, and the columns that it declares for topics without a schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.connect_columns import ColumnsByDataset
from dataflow_generator.jobs.flink.resolve import KAFKA, ColumnResolver, FlinkContext, TableResolver
from dataflow_generator.jobs.model import Dataset
from dataflow_generator.jobs.sql_catalog import path_of_names
from dataflow_generator.sql import EMPTY_CATALOG, Catalog, Dialect, KnownTable, read_catalog
from dataflow_generator.sql import Dataset as Table
from dataflow_generator.sql.nodes import ColumnKind, SqlType
from scanner_model.columns import ELEMENT, MAP_VALUE, ColumnPath
from scanner_model.streaming_sql import FlinkStatement

_DEFINES = re.compile(r"\b(?:CREATE|ALTER)\b", re.IGNORECASE)
_NEVER_RAN = ("FAILED", "FAILING")


def declared(statements: Iterable[FlinkStatement]) -> Catalog:
    """Return the tables that the statements of one source, oldest first, declare; failed ones declare none."""
    catalog = EMPTY_CATALOG
    for statement in statements:
        if defines(statement.statement, statement.state):
            catalog = read_catalog(statement.statement, Dialect.FLINK, current(catalog, statement))
    return catalog


def defines(statement: str, state: str) -> bool:
    """Return whether a statement may declare tables for others; a failed one does not."""
    return state not in _NEVER_RAN and _DEFINES.search(statement) is not None


def current(catalog: Catalog, statement: FlinkStatement) -> Catalog:
    """Return *catalog* with the current catalog and database of *statement*."""
    return replace(catalog, current=(statement.catalog_name, statement.database_name))


def declared_columns(cluster: str, statements: Sequence[FlinkStatement], context: FlinkContext) -> ColumnsByDataset:
    """Return the columns that the tables of one source declare for Kafka topics without a schema.

    The columns of several tables over one topic are merged.
    """
    tables = TableResolver(context, cluster, namespace="")
    columns_of: dict[Dataset, dict[ColumnPath, None]] = {}
    for known in declared(statements).tables.values():
        if dict(known.options).get("connector") in KAFKA:
            named = _named(known)
            for dataset in tables.datasets(named, statements[0], lambda _, __: None):
                if dataset.kind is NodeKind.TOPIC:
                    columns_of.setdefault(dataset, {}).update(
                        _topic_paths(known, ColumnResolver(named, (), named=False), dataset)
                    )
    described = context.columns({topic for dataset in columns_of if (topic := tables.cluster_topic(dataset))})
    undescribed = (dataset for dataset in columns_of if tables.cluster_topic(dataset) not in described)
    return {dataset: tuple(columns_of[dataset]) for dataset in undescribed}


def _named(known: KnownTable) -> Table:
    return Table(
        name=".".join(known.name),
        qualified=known.name,
        topics=known.topics,
        topic_pattern=known.topic_pattern,
        options=known.options,
    )


def _topic_paths(known: KnownTable, paths: ColumnResolver, dataset: Dataset) -> Mapping[ColumnPath, None]:
    listed = (
        path
        for column in known.columns
        if column.part is ColumnKind.PHYSICAL
        for path in _nested(path_of_names([column.name]), column.type)
    )
    topic_paths = (paths.resolve(dataset, path)[0].path for path in listed)
    return {path: None for path in topic_paths if path is not None}


def _nested(path: ColumnPath, kind: SqlType) -> Iterator[ColumnPath]:
    """Yield the paths of a column and of the fields in its type, whose depth the type parser bounds."""
    yield path
    for name, inner in kind.fields:
        yield from _nested((*path, *path_of_names([name])), inner)
    if kind.element is not None:
        yield from _nested((*path, MAP_VALUE if kind.name == "MAP" else ELEMENT), kind.element)
