"""Inputs of the flow graph: live clusters, topics, links, definitions and their columns, readable by key ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, and_, func, select

from scanner_dictionary.queries.columns import texts
from scanner_dictionary.queries.facts import fact_of, reported_rows
from scanner_dictionary.schema import tables as t
from scanner_model.kafka import Topic

__all__ = [
    "ClusterRow",
    "ColumnNodeRow",
    "DefinitionRow",
    "LinkRow",
    "all_definitions",
    "column_count",
    "graph_clusters",
    "graph_links",
    "graph_topics",
]

_DEFINITION = itemgetter(0)


class ClusterRow(NamedTuple):
    """A cluster and its broker addresses; the first names its canonical namespace."""

    name: str
    brokers: tuple[str, ...]


class LinkRow(NamedTuple):
    """A current link from a live topic to a definition, with its evidence."""

    cluster: str
    topic: str
    role: str
    fingerprint: str
    strategy: str
    evidence: str
    confidence: str


class ColumnNodeRow(NamedTuple):
    """A column of a definition."""

    path: tuple[str, ...]
    name: str
    type: str
    logical_type: str | None
    nullable: bool
    tags: tuple[str, ...]


class DefinitionRow(NamedTuple):
    """A definition that a live topic has now, with its columns in document order."""

    fingerprint: str
    format: str
    name: str
    columns: tuple[ColumnNodeRow, ...]


def graph_clusters(conn: Connection) -> tuple[ClusterRow, ...]:
    """List the clusters by name, each with its live brokers by address."""
    query = (
        select(t.cluster.c.name, t.broker.c.address)
        .outerjoin(t.broker, and_(t.broker.c.cluster_id == t.cluster.c.id, t.broker.c.gone.is_(None)))
        .order_by(t.cluster.c.name, t.broker.c.address)
    )
    rows = groupby(conn.execute(query), key=lambda row: str(row[0]))
    return tuple(ClusterRow(name, tuple(address for _, address in group if address)) for name, group in rows)


def graph_topics(conn: Connection) -> Iterator[tuple[str, Topic]]:
    """List the live topics, each with its cluster, by cluster and name."""
    rows = conn.execute(reported_rows(t.topic).order_by(t.cluster.c.name, t.topic.c.name))
    return ((row.cluster_name, fact_of(Topic, row)) for row in rows)


def graph_links(conn: Connection) -> Iterator[LinkRow]:
    """List the current links of live topics by cluster, topic, role and fingerprint, each link once for each rule."""
    link = t.topic_schema.c
    query = (
        select(
            t.cluster.c.name,
            t.topic.c.name,
            link.schema_role,
            t.schema_definition.c.fingerprint,
            link.strategy,
            link.evidence,
            link.confidence,
        )
        .select_from(t.topic_schema)
        .join(t.topic, t.topic.c.id == link.topic_id)
        .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
        .join(t.schema_definition, t.schema_definition.c.id == link.definition_id)
        .where(link.is_current, link.gone.is_(None), t.topic.c.gone.is_(None))
        .order_by(
            t.cluster.c.name,
            t.topic.c.name,
            link.schema_role,
            t.schema_definition.c.fingerprint,
            link.strategy,
            link.evidence,
        )
    )
    return (LinkRow(*row) for row in conn.execute(query))


def all_definitions(conn: Connection) -> Iterator[DefinitionRow]:
    """List every definition that live topics have now, in the order of their keys."""
    for cells in cells_of(conn, live_heads(conn)):
        columns = {key: tuple(map(_column, group)) for key, group in groupby(cells.columns, key=_DEFINITION)}
        for head in cells.heads:
            yield DefinitionRow(head.fingerprint, head.format, head.name, columns.get(head.id, ()))


def column_count(conn: Connection) -> int:
    """Count the columns of all definitions, without reading them."""
    return int(conn.execute(select(func.coalesce(func.sum(t.schema_definition.c.column_count), 0))).scalar_one())


def _column(cells: Sequence[Any]) -> ColumnNodeRow:
    _, _, path, name, type_, logical_type, nullable, tags = cells
    return ColumnNodeRow(texts(path), name, type_, logical_type, bool(nullable), texts(tags) if tags else ())


COLUMNS_AT_ONCE = 50_000
"""Columns of a batch; a definition is never split, so one that has more is a batch by itself."""

_DEFINITIONS_AT_ONCE = 500


class Head(NamedTuple):
    """A definition without its columns; *columns* counts them."""

    id: int
    fingerprint: str
    format: str
    name: str
    columns: int


class Cells(NamedTuple):
    """Whole definitions, and the cells of their columns by definition and ordinal.

    A column is definition, ordinal, path (JSON), name, type, logical type, nullable (or 0 and 1), tags (JSON or None).
    """

    heads: Sequence[Head]
    columns: Sequence[Sequence[Any]]


def column_ranges(conn: Connection, columns: int) -> tuple[tuple[int, int], ...]:
    """Cut the keys of the definitions that live topics have into ranges (first, last) of at most *columns* columns.

    A definition with more is a range by itself, so that no task has more than its share and the widest schema.
    """
    heads = conn.execute(_heads().execution_options(yield_per=COLUMNS_AT_ONCE))
    return tuple((chunk[0].id, chunk[-1].id) for chunk in _portions(map(Head._make, heads), columns, None))


def definition_cells(conn: Connection, first: int, last: int) -> Iterator[Cells]:
    """Read the definitions that live topics have, with keys from *first* to *last*, in the order of their keys."""
    within = _heads().where(t.schema_definition.c.id.between(first, last))
    return cells_of(conn, [Head(*row) for row in conn.execute(within)])


def live_heads(conn: Connection) -> list[Head]:
    """List the definitions that live topics have, in the order of their keys."""
    rows = conn.execute(_heads())
    return [Head._make(row) for row in rows.cursor.fetchall()] if rows.cursor else []


def cells_of(conn: Connection, heads: Iterable[Head]) -> Iterator[Cells]:
    """Read the columns of definitions, in their order."""
    column = t.schema_column.c
    cells = select(
        column.definition_id,
        column.ordinal,
        column.path,
        column.name,
        column.data_type,
        column.logical_type,
        column.nullable,
        column.tags,
    ).order_by(column.definition_id, column.ordinal)
    for chunk in _portions(heads, COLUMNS_AT_ONCE, _DEFINITIONS_AT_ONCE):
        rows = conn.execute(cells.where(column.definition_id.in_([head.id for head in chunk])))
        # Past SQLAlchemy's row: it costs as much as reading the cells.
        yield Cells(chunk, rows.cursor.fetchall() if rows.cursor else ())


def heads_like(conn: Connection, start: str) -> list[Head]:
    """List the definitions whose fingerprints begin with *start*, whether or not topics have them."""
    definition = t.schema_definition.c
    columns = definition.id, definition.fingerprint, definition.format, definition.name, definition.column_count
    alike = definition.fingerprint.between(start, f"{start}g")  # after every digit from 0 to f
    return [Head(*row) for row in conn.execute(select(*columns).where(alike).order_by(definition.id))]


def _heads() -> Select[Any]:
    definition = t.schema_definition.c
    used = (
        select(t.topic_schema.c.definition_id)
        .join(t.topic, t.topic.c.id == t.topic_schema.c.topic_id)
        .where(t.topic_schema.c.is_current, t.topic_schema.c.gone.is_(None), t.topic.c.gone.is_(None))
    )
    columns = definition.id, definition.fingerprint, definition.format, definition.name, definition.column_count
    return select(*columns).where(definition.id.in_(used)).order_by(definition.id)


def _portions(heads: Iterable[Head], columns: int, definitions: int | None) -> Iterator[list[Head]]:
    chunk: list[Head] = []
    count = 0
    for head in heads:
        if chunk and (count + head.columns > columns or len(chunk) == definitions):
            yield chunk
            chunk, count = [], 0
        chunk.append(head)
        count += head.columns
    if chunk:
        yield chunk
