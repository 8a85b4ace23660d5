"""Columns of topics by their own name, or by a tag, found in the index of names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, and_, exists, or_, select, true

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.columns import TopicColumnRow, catalog_tags_of, columns_in, links_of
from scanner_dictionary.queries.topics import FieldTags
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import (
    CATALOG_TAG,
    COLUMN,
    LONGEST_TERM,
    TAG,
    escaped,
    is_indexed,
    leaf_name,
    spellings,
)
from scanner_model.columns import path_name

_DEFINITIONS_AT_ONCE = 50
_MOST_NAMES = 500


class ColumnsPage(NamedTuple):
    """Columns, and the key of the last definition that was read where others follow, else None.

    *complete* is False where names are not indexed yet.
    """

    columns: tuple[TopicColumnRow, ...]
    after: int | None
    complete: bool


def columns_called(
    conn: Connection,
    *,
    name: str | None = None,
    tag: str | None = None,
    cluster: str | None = None,
    after: int = 0,
    limit: int = 100,
) -> ColumnsPage:
    """List the columns with the own *name* (the last name of the path) and the *tag*, at least one of which is given.

    Letter case does not matter. They are listed by definition, then cluster, topic and position; whole definitions,
    until *limit* columns are reached. *after* is that of the page before.
    """
    wanted = _Wanted(conn, name, tag, cluster)
    columns: list[TopicColumnRow] = []
    for chunk in in_chunks(wanted.definitions(after), _DEFINITIONS_AT_ONCE):
        by_definition: dict[int, list[TopicColumnRow]] = {}
        for definition, column in wanted.columns(chunk):
            by_definition.setdefault(definition, []).append(column)
        for definition in chunk:
            columns += by_definition.get(definition, ())
            if len(columns) >= limit:
                return ColumnsPage(tuple(columns), definition, wanted.is_indexed)
    return ColumnsPage(tuple(columns), None, wanted.is_indexed)


class _Wanted:
    """What is looked for: terms of the index, and the columns that fit."""

    def __init__(self, conn: Connection, name: str | None, tag: str | None, cluster: str | None) -> None:
        self._conn, self._name, self._tag, self._cluster = conn, name, tag, cluster
        self._names = spellings(conn, name) if name is not None else {}
        self._tags = spellings(conn, tag) if tag is not None else {}
        kinds = [kind for kind, text in ((COLUMN, name), (TAG, tag)) if text is not None]
        self.is_indexed = is_indexed(conn, kinds)

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
        named = self._name is None or leaf_name(column.path)[:LONGEST_TERM].lower() == self._name.lower()
        return named and (self._tag is None or self._tag.lower() in map(str.lower, column.tags))
