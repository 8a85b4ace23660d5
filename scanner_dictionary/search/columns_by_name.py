"""Columns by their own name, found in the index of names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, exists, or_, select, true

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.columns import (
    TopicColumnRow,
    catalog_tags_of,
    columns_in,
    links_of,
    topic_columns,
)
from scanner_dictionary.queries.topics import name_filter
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import (
    COLUMN,
    FLOW_COLUMN,
    LONGEST_TERM,
    NODE,
    TABLE_COLUMN,
    escaped,
    is_indexed,
    leaf_name,
    spellings,
)
from scanner_dictionary.search.other_columns import (
    cluster_names,
    flow_columns,
    listed_columns,
    other_row,
    table_columns,
)
from scanner_model.columns import path_name

_DEFINITIONS_AT_ONCE = 50
_OTHERS = (TABLE_COLUMN, FLOW_COLUMN)
_FIRST_KEYS = {COLUMN: 0, TABLE_COLUMN: 0, FLOW_COLUMN: -(2**63)}
"""What comes before the keys of each kind: those of nodes are below zero."""

Place = tuple[int, int]
"""Where a list of columns goes on: the kind of use in the index, and the key that was read last."""

_START: Place = (COLUMN, 0)


class ColumnsPage(NamedTuple):
    """Columns, and the place behind the last ones where others follow, else None.

    *complete* is False where names are not indexed yet, or the graph of the newest scan was not generated.
    """

    columns: tuple[TopicColumnRow, ...]
    after: Place | None
    complete: bool


def columns_called(
    conn: Connection, name: str, *, cluster: str | None = None, after: Place = _START, limit: int = 100
) -> ColumnsPage:
    """List the columns with the own *name*, the last name of the path.

    Letter case does not matter. Columns of schemas are listed by definition, then cluster, topic and position; whole
    definitions, until *limit* columns are reached. Then come those of tables, by table, then those that only flows of
    the graph know. *after* is that of the page before.
    """
    wanted, columns = _Wanted(conn, name, cluster), list[TopicColumnRow]()
    kinds = [COLUMN, *(kind for kind in _OTHERS if kind == FLOW_COLUMN or cluster is None)]
    for kind in kinds[kinds.index(after[0]) if after[0] in kinds else len(kinds) :]:
        for key, listed in wanted.listed(kind, after[1] if kind == after[0] else _FIRST_KEYS[kind]):
            columns += listed
            if len(columns) >= limit:
                return ColumnsPage(tuple(columns), (kind, key), wanted.is_indexed)
    return ColumnsPage(tuple(columns), None, wanted.is_indexed)


def all_columns(
    conn: Connection, *, cluster: str | None = None, pattern: str | None = None
) -> Iterator[TopicColumnRow]:
    """List what `topic_columns` lists, then the columns of tables, then those that only flows of the graph know."""
    yield from topic_columns(conn, cluster=cluster, pattern=pattern)
    fits = name_filter(pattern)
    for column in listed_columns(conn, lambda path: fits(path_name(path)), pattern, tables=cluster is None):
        if cluster in (None, column.cluster):
            yield other_row(column)


class _Wanted:
    """What is looked for: terms of the index, and the columns that fit."""

    def __init__(self, conn: Connection, name: str, cluster: str | None) -> None:
        self._conn, self._name, self._cluster = conn, name, cluster
        self._names = spellings(conn, name)
        self.is_indexed = is_indexed(conn, [COLUMN, NODE])

    def listed(self, kind: int, after: int) -> Iterator[tuple[int, Sequence[TopicColumnRow]]]:
        """Yield the columns that have a use of *kind*, by what has it, from that behind the key *after* on."""
        keys = self.definitions(after) if kind == COLUMN else self._others(kind, after)
        for chunk in in_chunks(keys, _DEFINITIONS_AT_ONCE):
            columns = self.columns(chunk) if kind == COLUMN else self._other_columns(kind, chunk)
            by_key: dict[int, list[TopicColumnRow]] = {}
            for key, column in columns:
                by_key.setdefault(key, []).append(column)
            yield from ((key, by_key.get(key, ())) for key in chunk)

    def _others(self, kind: int, after: int) -> Iterator[int]:
        """Yield what has a column of the name as a use of *kind*."""
        use = t.search_use.c
        named = select(use.entity_id).where(use.kind == kind, use.term_id.in_(list(self._names)), use.entity_id > after)
        return iter(self._conn.scalars(named.distinct().order_by(use.entity_id)))

    def _other_columns(self, kind: int, keys: Collection[int]) -> Iterator[tuple[int, TopicColumnRow]]:
        clusters = cluster_names(self._conn)
        columns = (
            table_columns(self._conn, keys, self._is_called)
            if kind == TABLE_COLUMN
            else flow_columns(self._conn, keys, clusters, self._is_called)
        )
        for column in columns:
            if self._cluster in (None, column.cluster):
                yield column.key, other_row(column)

    def definitions(self, after: int) -> Iterator[int]:
        """Yield the definitions that may have such columns and describe a topic now, by key, as they are taken."""
        last = after
        while keys := self._next_definitions(last):
            yield from keys
            last = keys[-1]

    def _next_definitions(self, last: int) -> Sequence[int]:
        """Return the first definitions after *last* of all spellings: each is a range of the index, in order."""
        use = t.search_use.c
        query = select(use.entity_id).where(use.entity_id > last, use.kind == COLUMN, self._is_current())
        query = query.order_by(use.entity_id).limit(_DEFINITIONS_AT_ONCE)
        definitions: set[int] = set()
        for term in self._names:
            definitions.update(self._conn.scalars(query.where(use.term_id == term)))
        return sorted(definitions)[:_DEFINITIONS_AT_ONCE]

    def _is_current(self) -> ColumnElement[bool]:
        link, topic = t.topic_schema.c, t.topic.c
        at = link.definition_id == t.search_use.c.entity_id, link.topic_id == topic.id
        live = link.is_current, link.gone.is_(None), topic.gone.is_(None)
        named = () if self._cluster is None else (topic.cluster_id == t.cluster.c.id, t.cluster.c.name == self._cluster)
        return exists().where(*at, *live, *named)

    def columns(self, definitions: Collection[int]) -> Iterator[tuple[int, TopicColumnRow]]:
        """Yield the columns that fit, with the keys of their definitions; of others few are read."""
        links = links_of(self._conn, definitions, self._cluster)
        notes = catalog_tags_of(self._conn, links)
        listed = columns_in(self._conn, links, notes, self._has_name())
        return ((definition, column) for definition, column in listed if self._is_called(column.path))

    def _has_name(self) -> ColumnElement[bool]:
        """Return the condition for a name that holds the own one, as it is spelled; a quoted one is not looked for."""
        if any("`" in name for name in self._names.values()):
            return true()
        return or_(*(t.schema_column.c.name.like(f"%{escaped(name)}%", escape="/") for name in self._names.values()))

    def _is_called(self, path: tuple[str, ...]) -> bool:
        return leaf_name(path)[:LONGEST_TERM].lower() == self._name.lower()
