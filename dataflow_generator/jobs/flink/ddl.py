"""What the DDL of Flink's statements tells: the tables, and the columns of topics that nobody else describes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.connect_columns import Known
from dataflow_generator.jobs.flink.resolve import Paths, Tables, World
from dataflow_generator.jobs.flink.tables import KAFKA
from dataflow_generator.jobs.model import Dataset
from dataflow_generator.sql import EMPTY_CATALOG, Catalog, Dialect, KnownTable, read_catalog
from dataflow_generator.sql import Dataset as Table
from dataflow_generator.sql.nodes import ColumnKind, SqlType
from scanner_model.column_path import ELEMENT, MAP_VALUE, ColumnPath
from scanner_model.flink import FlinkStatement

_DEFINES = re.compile(r"\b(?:CREATE|ALTER)\b", re.IGNORECASE)
_NEVER_RAN = ("FAILED", "FAILING")


def declared(statements: Iterable[FlinkStatement]) -> Catalog:
    """Return the tables that statements of one source declare, the oldest first; what failed declares none."""
    catalog = EMPTY_CATALOG
    for each in statements:
        if defines(each.statement, each.state):
            catalog = read_catalog(each.statement, Dialect.FLINK, current(catalog, each))
    return catalog


def defines(statement: str, state: str) -> bool:
    """Return whether a statement may declare what others read with; one that failed does not."""
    return state not in _NEVER_RAN and _DEFINES.search(statement) is not None


def current(catalog: Catalog, statement: FlinkStatement) -> Catalog:
    """Return the catalog as *statement* starts in it."""
    return replace(catalog, current=(statement.catalog_name, statement.database_name))


def declared_columns(cluster: str, statements: Sequence[FlinkStatement], world: World) -> Known:
    """Return the columns that tables of one source declare of Kafka topics which no schema describes.

    Several tables of one topic add to each other: each names what its readers need.
    """
    tables = Tables(world, cluster, namespace="")
    found: dict[Dataset, dict[ColumnPath, None]] = {}
    for known in declared(statements).tables.values():
        if dict(known.options).get("connector") in KAFKA:
            named = _named(known)
            for dataset in tables.datasets(named, statements[0], lambda _, __: None):
                if dataset.kind is NodeKind.TOPIC:
                    found.setdefault(dataset, {}).update(_placed(known, Paths(named, (), named=False), dataset))
    described = world.columns({topic for each in found if (topic := tables.cluster_topic(each))})
    return {each: tuple(paths) for each, paths in found.items() if tables.cluster_topic(each) not in described}


def _named(known: KnownTable) -> Table:
    return Table(
        name=".".join(known.name),
        qualified=known.name,
        topics=known.topics,
        topic_pattern=known.topic_pattern,
        options=known.options,
    )


def _placed(known: KnownTable, paths: Paths, dataset: Dataset) -> Mapping[ColumnPath, None]:
    listed = (
        path for one in known.columns if one.part is ColumnKind.PHYSICAL for path in _inside((one.name,), one.type)
    )
    places = (paths.place(dataset, path)[0].path for path in listed)
    return {path: None for path in places if path is not None}


def _inside(path: ColumnPath, kind: SqlType) -> Iterator[ColumnPath]:
    """List a column and what its type holds; the parser of types has bounded their depth."""
    yield path
    for name, inner in kind.fields:
        yield from _inside((*path, name), inner)
    if kind.element is not None:
        yield from _inside((*path, MAP_VALUE if kind.name == "MAP" else ELEMENT), kind.element)
