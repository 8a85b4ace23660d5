"""Inputs of the flow graph: the live clusters, topics, links and definitions, readable by key ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, select

from scanner_dictionary.lineage_inputs.column_batches import cells_of, live_heads
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
