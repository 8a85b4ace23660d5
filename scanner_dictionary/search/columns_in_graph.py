"""Columns and their nodes in the graph: the nodes of tagged columns, and the columns that nodes are of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, or_, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.queries.columns import TopicColumnRow, columns_of_topics, has_tag, texts, topic_columns
from scanner_dictionary.queries.tag_decisions import tag_decisions
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.other_columns import (
    OtherColumn,
    cluster_names,
    flow_columns,
    flow_keys,
    other_row,
    table_columns,
)
from scanner_model.columns import KEY, ColumnPath
from scanner_model.tag_decisions import Decision

_NAMES_AT_ONCE = 500


class Place(NamedTuple):
    """Where a column is: the namespace and name of its dataset in the graph, and its path there."""

    namespace: str
    name: str
    path: ColumnPath


class PlacedColumn(NamedTuple):
    """A column and its place; the namespace is empty where the graph does not have its cluster."""

    place: Place
    column: TopicColumnRow


def tagged_columns(conn: Connection, tag: str | None, cluster: str | None = None) -> Iterator[PlacedColumn]:
    """Yield the columns of topics, of tables, then those that only flows know, that declare *tag*; None: all columns.

    ANY_TAG is any tag. A column that only flows know declares what people accepted for it.
    """
    clusters = cluster_names(conn)
    namespaces = {name: namespace for namespace, name in clusters.items()}
    for column in topic_columns(conn, cluster=cluster, tag=tag):
        yield PlacedColumn(_place(column, namespaces), column)
    tables = t.catalog_table.c
    accepted = tag_decisions(conn, Decision.ACCEPTED)
    live = select(tables.id).where(tables.gone.is_(None))
    if tag is not None:
        tagged = select(t.catalog_column.c.catalog_table_id).where(t.catalog_column.c.tags.is_not(None))
        named = [name for space, name in accepted if not space]
        live = live.where(or_(tables.id.in_(tagged), (tables.namespace + "/" + tables.name).in_(named)))
    for other in table_columns(conn, conn.scalars(live).all(), _any) if cluster is None else ():
        if has_tag(other.tags, tag):
            yield _placed(other, namespaces)
    names = None if tag is None else {end for _, name in accepted for end in names_in(name)}
    for other in flow_columns(conn, flow_keys(conn, names), clusters, _any):
        if cluster in (None, other.cluster) and has_tag(other.tags, tag):
            yield _placed(other, namespaces)


def names_in(dataset: str) -> Iterator[str]:
    """Yield what may be the name in *dataset*, a name or a namespace and a name: both may hold slashes."""
    parts = dataset.split("/")
    return ("/".join(parts[at:]) for at in range(len(parts)))


def tagged_columns_of(conn: Connection, names: Collection[str]) -> Iterator[PlacedColumn]:
    """Yield the columns that declare a tag of the topics, of the tables, then of the other datasets called *names*."""
    clusters = cluster_names(conn)
    namespaces = {name: namespace for namespace, name in clusters.items()}
    for column in columns_of_topics(conn, names):
        if column.tags:
            yield PlacedColumn(_place(column, namespaces), column)
    accepted = {end for _, name in tag_decisions(conn, Decision.ACCEPTED) for end in names_in(name)}
    for other in (
        *table_columns(conn, _tables_called(conn, names), _any),
        *flow_columns(conn, flow_keys(conn, accepted.intersection(names)), clusters, _any),
    ):
        if other.tags:
            yield _placed(other, namespaces)


def places_called(conn: Connection, names: Collection[str]) -> Iterator[Place]:
    """Yield the places of the columns of all datasets called *names*: topics, tables, and what only flows know."""
    clusters = cluster_names(conn)
    namespaces = {name: namespace for namespace, name in clusters.items()}
    for column in columns_of_topics(conn, names):
        yield _place(column, namespaces)
    for other in table_columns(conn, _tables_called(conn, names), _any):
        yield _placed(other, namespaces).place
    for other in flow_columns(conn, flow_keys(conn, names), clusters, _any):
        yield _placed(other, namespaces).place


def columns_of_nodes(conn: Connection, nodes: Mapping[int, NodeRow]) -> Iterator[PlacedColumn]:
    """Yield the columns that *nodes* of the graph are of: those of topics, then tables, then what only flows know."""
    clusters = cluster_names(conn)
    namespaces = {name: namespace for namespace, name in clusters.items()}
    wanted = {place_of(node) for node in nodes.values()}
    found: set[Place] = set()
    for column in columns_of_topics(conn, {place.name for place in wanted if place.namespace in clusters}):
        place = _place(column, namespaces)
        if place in wanted:
            found.add(place)
            yield PlacedColumn(place, column)
    names = {place.name for place in wanted if place.namespace not in clusters}
    for other in table_columns(conn, _tables_called(conn, names), _any):
        placed = _placed(other, namespaces)
        if placed.place in wanted:
            found.add(placed.place)
            yield placed
    rest = [key for key, node in nodes.items() if place_of(node) not in found]
    for other in flow_columns(conn, rest, clusters, _any):
        yield _placed(other, namespaces)


def place_of(node: NodeRow) -> Place:
    """Return the place of a column's node."""
    return Place(node.namespace, node.name, texts(node.path or "[]"))


def _place(column: TopicColumnRow, namespaces: Mapping[str, str]) -> Place:
    path = (KEY, *column.path) if column.role == "key" else column.path
    return Place(namespaces.get(column.cluster, ""), column.topic, path)


def _placed(other: OtherColumn, namespaces: Mapping[str, str]) -> PlacedColumn:
    namespace = other.namespace or namespaces.get(other.cluster, "")
    return PlacedColumn(Place(namespace, other.name, other.path), other_row(other))


def _tables_called(conn: Connection, names: Collection[str]) -> list[int]:
    table = t.catalog_table.c
    query = select(table.id).where(table.gone.is_(None))
    chunks = in_chunks(sorted(names), _NAMES_AT_ONCE)
    return [key for chunk in chunks for key in conn.scalars(query.where(table.name.in_(chunk)))]


def _any(_: ColumnPath) -> bool:
    return True
