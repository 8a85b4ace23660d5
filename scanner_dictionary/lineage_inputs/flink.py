"""Flink's statements, and the names that Flink may use for a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, select

from scanner_dictionary.schema import tables as t
from scanner_model.flink import ClusterNames, FlinkStatement
from scanner_model.names import SourceId, TopicName

_ENVIRONMENT, _DISPLAYED = "environment", "display_name"
"""Kinds of aliases; those that begin with the first are of the environment."""


class StatementKey(NamedTuple):
    """A statement by its cluster and its source, and the key of its row."""

    cluster: str
    source: str
    id: int


def flink_keys(conn: Connection) -> Iterator[StatementKey]:
    """List the keys of the live statements, by cluster and source, the oldest first."""
    keys = _statements().with_only_columns(t.cluster.c.name, t.source.c.name, t.flink_statement.c.id)
    return (StatementKey(*row) for row in conn.execute(keys))


def flink_source(conn: Connection, key: int) -> tuple[str, str]:
    """Return the cluster and source of the statement whose row has *key*."""
    names = _statements().with_only_columns(t.cluster.c.name, t.source.c.name)
    row = conn.execute(names.where(t.flink_statement.c.id == key)).one()
    return row[0], row[1]


def flink_statements(conn: Connection, cluster: str, source: str) -> Iterator[tuple[int, FlinkStatement]]:
    """List the statements of one source with their keys, the oldest first, then by name."""
    wanted = _statements().where(t.cluster.c.name == cluster, t.source.c.name == source)
    return ((row.id, _statement(row)) for row in conn.execute(wanted))


def cluster_names(conn: Connection) -> Mapping[str, ClusterNames]:
    """Return the names of each cluster, by its name in cluster.json."""
    alias = t.cluster_alias.c
    query = select(t.cluster.c.name, t.cluster.c.kafka_cluster_id, alias.kind, alias.alias)
    joined = query.outerjoin(t.cluster_alias, alias.cluster_id == t.cluster.c.id)
    found: dict[str, dict[str, set[str]]] = {}
    for name, kafka_id, kind, other in conn.execute(joined):
        names = found.setdefault(name, {"": {name, kafka_id} - {""}})
        names.setdefault(kind or "", set()).update({other} if other else ())
    return {name: _names(kinds) for name, kinds in found.items()}


def _names(kinds: Mapping[str, set[str]]) -> ClusterNames:
    catalogs = (names for kind, names in kinds.items() if kind.startswith(_ENVIRONMENT))
    databases = kinds[""] | kinds.get(_DISPLAYED, set())
    return ClusterNames(frozenset(databases), frozenset[str]().union(*catalogs), whole=_DISPLAYED in kinds)


def _statements() -> Select[Any]:
    statement = t.flink_statement.c
    names = t.cluster.c.name.label("cluster_name"), t.source.c.name.label("source_name")
    return (
        select(t.flink_statement, *names)
        .join(t.cluster, t.cluster.c.id == statement.cluster_id)
        .join(t.source, t.source.c.id == statement.source_id)
        .where(statement.gone.is_(None))
        .order_by(t.cluster.c.name, t.source.c.name, statement.created, statement.name)
    )


def _statement(row: Row[Any]) -> FlinkStatement:
    topics = None if row.topics_read is None else tuple(map(TopicName, json.loads(row.topics_read)))
    return FlinkStatement(
        source=SourceId(row.source_name),
        name=row.name,
        statement=row.statement,
        kind=row.kind,
        state=row.state,
        detail=row.detail,
        catalog_name=row.catalog_name,
        database_name=row.database_name,
        compute_pool=row.compute_pool,
        region=row.region,
        principal=row.principal,
        uid=row.uid,
        created=row.created,
        hidden=row.hidden,
        topics_read=topics,
    )
