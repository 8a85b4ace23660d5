"""Columns that no schema of a topic has: those that only flows of the graph know, and those of tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph.store import topic_level
from scanner_dictionary.queries.columns import TopicColumnRow, texts
from scanner_dictionary.queries.tag_decisions import Decisions, tag_decisions
from scanner_dictionary.queries.topics import field_condition
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import FLOW_COLUMN
from scanner_model.catalogs import DECLARED_TABLES
from scanner_model.columns import KEY, path_name
from scanner_model.tag_decisions import Decision

DERIVED, TABLE = "derived", "table"
"""Where such a column is known from: only flows have it, or a table of a catalog or database."""

_AT_ONCE = 500

Wanted = Callable[[tuple[str, ...]], bool]
"""Whether a column is looked for, by its path."""


class OtherColumn(NamedTuple):
    """A column of a topic, of *cluster*, that no schema describes, or of another dataset, of *namespace*.

    The other of the two is empty. *tags* are those that its source declares, and those that people accepted. *origin*
    is declared (by hand), derived (from a flow), or table. *node* is its key in the graph; empty where it is not looked
    up.
    """

    key: int
    cluster: str
    namespace: str
    name: str
    path: tuple[str, ...]
    type: str
    logical_type: str | None
    nullable: bool
    doc: str | None
    tags: tuple[str, ...]
    origin: str
    node: str

    @property
    def dataset(self) -> str:
        """Return the namespace and name of its dataset; empty for a topic's column."""
        return f"{self.namespace}/{self.name}" if self.namespace else ""


def cluster_names(conn: Connection) -> Mapping[str, str]:
    """Return the names of the clusters by their namespaces in the graph; empty if absent."""
    return {row.namespace: row.name for row in conn.execute(_CLUSTERS)}


def flow_columns(
    conn: Connection,
    keys: Collection[int],
    clusters: Mapping[str, str],
    wanted: Wanted,
    accepted: Decisions | None = None,
) -> Iterator[OtherColumn]:
    """Yield the *wanted* columns of the graph with *keys*, in their order, but those that a table has.

    *clusters* is what `cluster_names` returns. *accepted* are the tags that people accepted; None: they are read.
    """
    accepted = tag_decisions(conn, Decision.ACCEPTED) if accepted is None else accepted
    for chunk in in_chunks(sorted(keys), _AT_ONCE):
        rows = [row for row in conn.execute(_FLOW_COLUMNS, {"keys": chunk}) if wanted(texts(row.path))]
        of_tables = _in_tables(conn, {row.name for row in rows if row.namespace not in clusters})
        for row in rows:
            if (row.namespace, row.name, row.path) not in of_tables:
                yield _with_accepted(_of_flow(row, clusters.get(row.namespace, "")), accepted)


def table_columns(
    conn: Connection, tables: Collection[int], wanted: Wanted, accepted: Decisions | None = None
) -> Iterator[OtherColumn]:
    """Yield the *wanted* columns of those of *tables*, keys of catalog tables, that exist, by table and place.

    A table of DDL that the graph has on a server is left out: its columns are those there. *accepted* are the tags that
    people accepted; None: they are read.
    """
    accepted = tag_decisions(conn, Decision.ACCEPTED) if accepted is None else accepted
    for chunk in in_chunks(sorted(tables), _AT_ONCE):
        rows = [row for row in conn.execute(_TABLE_COLUMNS, {"keys": chunk}) if wanted(texts(row.path))]
        names = sorted({row.table_name for row in rows})
        found = conn.execute(_NODES, {"names": names}) if names else ()
        nodes = {(row.namespace, row.name, row.path): row.node_key for row in found}
        declared = {row.table_name for row in rows if row.namespace.startswith(DECLARED_TABLES)}
        located = _located(conn, declared) if declared else ()
        for row in rows:
            if not (row.namespace.startswith(DECLARED_TABLES) and row.table_name in located):
                yield _with_accepted(_of_table(row, nodes.get((row.namespace, row.table_name, row.path), "")), accepted)


def listed_columns(conn: Connection, wanted: Wanted, pattern: str | None, *, tables: bool) -> Iterator[OtherColumn]:
    """Yield all *wanted* columns of *tables*, by table and place, then those that only flows know, by key.

    The names of those that are wanted match *pattern*, so that few others are read.
    """
    live = select(t.catalog_table.c.id).where(t.catalog_table.c.gone.is_(None))
    if (holds := field_condition(t.catalog_column.c.path, pattern)) is not None:
        live = live.where(t.catalog_table.c.id.in_(select(t.catalog_column.c.catalog_table_id).where(holds)))
    yield from table_columns(conn, conn.scalars(live).all() if tables else (), wanted)
    keys = flow_keys(conn, pattern=pattern)
    yield from flow_columns(conn, keys, cluster_names(conn), wanted)


def flow_keys(conn: Connection, names: Collection[str] | None = None, pattern: str | None = None) -> Sequence[int]:
    """Return the keys of the columns that only flows know, of datasets called one of *names*; None: of all.

    With a *pattern* those that its names may match.
    """
    use, node = t.search_use.c, t.flow_node.c
    keys = select(use.entity_id).where(use.kind == FLOW_COLUMN).distinct()
    if (holds := field_condition(node.path, pattern)) is not None:
        keys = keys.join(t.flow_node, node.id == use.entity_id).where(holds)
    if names is not None:
        keys = keys.where(use.entity_id.in_(select(node.id).where(node.name.in_(sorted(names)), node.kind == "column")))
    return conn.scalars(keys).all()


def other_row(column: OtherColumn) -> TopicColumnRow:
    """Return *column* as a row among those of schemas."""
    is_key = column.path[:1] == (KEY,)
    path = column.path[1:] if is_key else column.path
    return TopicColumnRow(
        cluster=column.cluster,
        topic=column.name if column.cluster else "",
        role="key" if is_key else "value" if column.cluster else "",
        context=".",
        subject="",
        version=None,
        path=path,
        name=path_name(path),
        type=column.type,
        logical_type=column.logical_type,
        nullable=column.nullable,
        doc=column.doc,
        tags=column.tags,
        origin=column.origin,
        dataset=column.dataset,
        node=column.node,
    )


def _with_accepted(column: OtherColumn, accepted: Decisions) -> OtherColumn:
    decisions = accepted.get((column.cluster, column.dataset or column.name), {}).get(column.path, ())
    tags = dict.fromkeys((*column.tags, *(each.tag for each in decisions)))
    return column._replace(tags=tuple(tags)) if decisions else column


def _of_flow(row: Any, cluster: str) -> OtherColumn:  # noqa: ANN401 - a row of the query
    about = json.loads(row.attributes)
    return OtherColumn(
        key=row.id,
        cluster=cluster,
        namespace="" if cluster else row.namespace,
        name=row.name,
        path=texts(row.path),
        type=str(about.get("type", "")),
        logical_type=about.get("logical_type"),
        nullable=bool(about.get("nullable", False)),
        doc=None,
        tags=tuple(about.get("tags", ())),
        origin=row.certainty or DERIVED,
        node=row.node_key,
    )


def _of_table(row: Any, node: str) -> OtherColumn:  # noqa: ANN401 - a row of the query
    return OtherColumn(
        key=row.catalog_table_id,
        cluster="",
        namespace=row.namespace,
        name=row.table_name,
        path=texts(row.path),
        type=row.data_type,
        logical_type=row.logical_type,
        nullable=bool(row.nullable),
        doc=row.doc,
        tags=texts(row.tags) if row.tags else (),
        origin=TABLE,
        node=node,
    )


def _in_tables(conn: Connection, names: Collection[str]) -> frozenset[tuple[str, str, str]]:
    """Return namespace, name and path (JSON) of the columns of tables with one of *names*."""
    if not names or conn.execute(_ANY_TABLE).first() is None:
        return frozenset()
    table = t.catalog_table.c
    named = select(table.id).where(table.name.in_(sorted(names)), table.gone.is_(None))
    keys = list(conn.scalars(named))
    rows = conn.execute(_TABLE_COLUMNS, {"keys": keys}) if keys else ()
    return frozenset((row.namespace, row.table_name, row.path) for row in rows)


def _located(conn: Connection, names: Collection[str]) -> frozenset[str]:
    """Return those of *names*, tables of DDL, that the graph has as tables on a server: their last parts are alike."""
    node = t.flow_node.c
    query = select(node.name).where(
        topic_level(conn).nodes, node.kind == "dataset", node.namespace.not_like(f"{DECLARED_TABLES}%")
    )
    ends = [name.casefold().split(".") for name in conn.scalars(query)]
    parts = {name: name.casefold().split(".") for name in names}
    return frozenset(
        name
        for name, own in parts.items()
        if any(own[-min(len(own), len(end)) :] == end[-min(len(own), len(end)) :] for end in ends)
    )


_CLUSTERS = select(t.flow_node.c.namespace, t.flow_node.c.name).where(
    t.flow_node.c.name.in_(select(t.cluster.c.name)), t.flow_node.c.kind == "cluster"
)
_HOLDING = (t.flow_edge.c.target_node_id == t.flow_node.c.id) & (t.flow_edge.c.kind == "contains")
_FLOW_COLUMNS: Select[Any] = (
    select(t.flow_node, t.flow_edge.c.certainty)
    .outerjoin(t.flow_edge, _HOLDING)
    .where(t.flow_node.c.id.in_(bindparam("keys", expanding=True)))
    .order_by(t.flow_node.c.id)
)
_TABLE_COLUMNS: Select[Any] = (
    select(t.catalog_column, t.catalog_table.c.namespace, t.catalog_table.c.name.label("table_name"))
    .join(t.catalog_table, t.catalog_table.c.id == t.catalog_column.c.catalog_table_id)
    .where(t.catalog_table.c.gone.is_(None), t.catalog_table.c.id.in_(bindparam("keys", expanding=True)))
    .order_by(t.catalog_column.c.catalog_table_id, t.catalog_column.c.ordinal)
)
_NODES = select(t.flow_node.c.node_key, t.flow_node.c.namespace, t.flow_node.c.name, t.flow_node.c.path).where(
    t.flow_node.c.name.in_(bindparam("names", expanding=True)), t.flow_node.c.kind == "column"
)
_ANY_TABLE = select(t.catalog_table.c.id).limit(1)
"""Queries; building them each time would cost more than running them."""
