"""Columns of topics by their own name, or by a tag, found in the index of names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, and_, exists, or_, select, true

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.columns import (
    TopicColumnRow,
    catalog_tags_of,
    columns_in,
    has_tag,
    links_of,
    topic_columns,
)
from scanner_dictionary.queries.topics import FieldTags, name_filter
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import (
    CATALOG_TAG,
    COLUMN,
    FLOW_COLUMN,
    LONGEST_TERM,
    NODE,
    TABLE_COLUMN,
    TAG,
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

_MOST_NAMES = 500


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
    conn: Connection,
    *,
    name: str | None = None,
    tag: str | None = None,
    cluster: str | None = None,
    after: Place = _START,
    limit: int = 100,
) -> ColumnsPage:
    """List the columns with the own *name* (the last name of the path) and the *tag*, at least one of which is given.

    Letter case does not matter. Columns of schemas are listed by definition, then cluster, topic and position; whole
    definitions, until *limit* columns are reached. Then come those of tables, by table, then those that only flows of
    the graph know. *after* is that of the page before.
    """
    wanted, columns = _Wanted(conn, name, tag, cluster), list[TopicColumnRow]()
    kinds = [COLUMN, *(kind for kind in _OTHERS if kind == FLOW_COLUMN or cluster is None)]
    for kind in kinds[kinds.index(after[0]) if after[0] in kinds else len(kinds) :]:
        for key, listed in wanted.listed(kind, after[1] if kind == after[0] else _FIRST_KEYS[kind]):
            columns += listed
            if len(columns) >= limit:
                return ColumnsPage(tuple(columns), (kind, key), wanted.is_indexed)
    return ColumnsPage(tuple(columns), None, wanted.is_indexed)


def all_columns(
    conn: Connection, *, cluster: str | None = None, pattern: str | None = None, tag: str | None = None
) -> Iterator[TopicColumnRow]:
    """List what `topic_columns` lists, then the columns of tables, then those that only flows of the graph know."""
    yield from topic_columns(conn, cluster=cluster, pattern=pattern, tag=tag)
    fits = name_filter(pattern)
    for column in listed_columns(conn, lambda path: fits(path_name(path)), tables=cluster is None):
        if has_tag(column.tags, tag) and cluster in (None, column.cluster):
            yield other_row(column)


class _Wanted:
    """What is looked for: terms of the index, and the columns that fit."""

    def __init__(self, conn: Connection, name: str | None, tag: str | None, cluster: str | None) -> None:
        self._conn, self._name, self._tag, self._cluster = conn, name, tag, cluster
        self._names = spellings(conn, name) if name is not None else {}
        self._tags = spellings(conn, tag) if tag is not None else {}
        kinds = [kind for kind, text in ((COLUMN, name), (TAG, tag)) if text is not None]
        # A flow brings no tags: without a name nothing is only in the graph.
        self.is_indexed = is_indexed(conn, [*kinds, NODE] if name is not None else kinds)

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
        """Yield what has a column of the name as a use of *kind*; without a name, tables that have tagged columns."""
        use, column = t.search_use.c, t.catalog_column.c
        named = select(use.entity_id).where(use.kind == kind, use.term_id.in_(list(self._names)), use.entity_id > after)
        tagged = select(column.catalog_table_id).where(column.tags.is_not(None), column.catalog_table_id > after)
        if self._name is None and kind == FLOW_COLUMN:
            return iter(())
        query, key = (named, use.entity_id) if self._name is not None else (tagged, column.catalog_table_id)
        return iter(self._conn.scalars(query.distinct().order_by(key)))

    def _other_columns(self, kind: int, keys: Collection[int]) -> Iterator[tuple[int, TopicColumnRow]]:
        clusters = cluster_names(self._conn)
        columns = (
            table_columns(self._conn, keys, self._is_called)
            if kind == TABLE_COLUMN
            else flow_columns(self._conn, keys, clusters, self._is_called)
        )
        for column in columns:
            if self._cluster in (None, column.cluster) and self._has_tag(column.tags):
                yield column.key, other_row(column)

    def definitions(self, after: int) -> Iterator[int]:
        """Yield the definitions that may have such columns and describe a topic now, by key, as they are taken."""
        if self._name is not None:
            uses = [(COLUMN, term) for term in self._names]
        else:
            uses = [(kind, term) for kind in (TAG, CATALOG_TAG) for term in self._tags]
        last = after
        while keys := self._next_definitions(uses, last):
            yield from keys
            last = keys[-1]

    def _next_definitions(self, uses: Iterable[tuple[int, int]], last: int) -> Sequence[int]:
        """Return the first definitions after *last* of all *uses*: each is a range of the index, in order."""
        use = t.search_use.c
        query = select(use.entity_id).where(use.entity_id > last, self._is_current(), *self._is_tagged())
        query = query.order_by(use.entity_id).limit(_DEFINITIONS_AT_ONCE)
        definitions: set[int] = set()
        for kind, term in uses:
            definitions.update(self._conn.scalars(query.where(use.kind == kind, use.term_id == term)))
        return sorted(definitions)[:_DEFINITIONS_AT_ONCE]

    def _is_current(self) -> ColumnElement[bool]:
        link, topic = t.topic_schema.c, t.topic.c
        at = link.definition_id == t.search_use.c.entity_id, link.topic_id == topic.id
        live = link.is_current, link.gone.is_(None), topic.gone.is_(None)
        named = () if self._cluster is None else (topic.cluster_id == t.cluster.c.id, t.cluster.c.name == self._cluster)
        return exists().where(*at, *live, *named)

    def _is_tagged(self) -> Sequence[ColumnElement[bool]]:
        """Return the condition for the tag where the definitions are looked up by a name."""
        if self._name is None or self._tag is None:
            return ()
        other = t.search_use.alias()
        of = other.c.entity_id == t.search_use.c.entity_id
        return (exists().where(of, other.c.kind.in_((TAG, CATALOG_TAG)), other.c.term_id.in_(list(self._tags))),)

    def columns(self, definitions: Collection[int]) -> Iterator[tuple[int, TopicColumnRow]]:
        """Yield the columns that fit, with the keys of their definitions; of others few are read."""
        links = links_of(self._conn, definitions, self._cluster)
        notes = catalog_tags_of(self._conn, links)
        condition = and_(self._has_name(), self._may_have_tag(links, notes))
        listed = columns_in(self._conn, links, notes, condition)
        return ((definition, column) for definition, column in listed if self._is_match(column))

    def _has_name(self) -> ColumnElement[bool]:
        """Return the condition for a name that holds the own one, as it is spelled; a quoted one is not looked for."""
        if self._name is None or any("`" in name for name in self._names.values()):
            return true()
        return or_(*(t.schema_column.c.name.like(f"%{escaped(name)}%", escape="/") for name in self._names.values()))

    def _may_have_tag(self, links: Iterable[Row[Any]], notes: Mapping[int, FieldTags]) -> ColumnElement[bool]:
        """Return the condition for columns with tags of their own, or in a stream catalog."""
        if self._tag is None:
            return true()
        noted = (notes[link.cluster_id].get((link.schema_id or "", link.name), {}) for link in links)
        names = {path_name(path) for tags in noted for path in tags}
        column = t.schema_column.c
        return true() if len(names) > _MOST_NAMES else or_(column.tags.is_not(None), column.name.in_(sorted(names)))

    def _is_match(self, column: TopicColumnRow) -> bool:
        return self._is_called(column.path) and self._has_tag(column.tags)

    def _is_called(self, path: tuple[str, ...]) -> bool:
        return self._name is None or leaf_name(path)[:LONGEST_TERM].lower() == self._name.lower()

    def _has_tag(self, tags: Iterable[str]) -> bool:
        return has_tag(tags, self._tag)
