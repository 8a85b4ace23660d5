"""Columns of topics by their own name or by a tag, through the index of names, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.columns import TopicColumnRow, columns_in, links_of
from scanner_dictionary.queries.search import COLUMN, LONGEST_TERM, TAG, leaf_name, terms_called
from scanner_dictionary.schema import tables as t

_DEFINITIONS_AT_ONCE = 10
_KEYS_AT_ONCE = 500


class ColumnsPage(NamedTuple):
    """Columns, and the key of the last definition that was read where others follow, else None."""

    columns: tuple[TopicColumnRow, ...]
    after: int | None


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
    columns: list[TopicColumnRow] = []
    for chunk in in_chunks(_definitions(conn, name, tag, after), _DEFINITIONS_AT_ONCE):
        by_definition: dict[int, list[TopicColumnRow]] = {}
        for definition, column in columns_in(conn, links_of(conn, chunk, cluster)):
            by_definition.setdefault(definition, []).append(column)
        for definition in chunk:
            columns += (column for column in by_definition.get(definition, ()) if _fits(column, name, tag))
            if len(columns) >= limit:
                return ColumnsPage(tuple(columns), definition)
    return ColumnsPage(tuple(columns), None)


def _definitions(conn: Connection, name: str | None, tag: str | None, after: int) -> Iterator[int]:
    """Yield the definitions that may have such columns, by key; they are read as they are taken."""
    kind, text = (COLUMN, name) if name is not None else (TAG, tag or "")
    in_catalogs = _tagged_in_catalogs(conn, text) if kind == TAG else frozenset()
    terms, last = terms_called(conn, text), after
    use = t.search_use.c
    query = select(use.entity_id).where(use.kind == kind, use.term_id.in_(terms)).order_by(use.entity_id)
    while found := list(conn.scalars(query.where(use.entity_id > last).limit(_KEYS_AT_ONCE).distinct())):
        # Definitions that a catalog has tagged come in their place among those whose own text has the tag.
        yield from sorted({*found, *(key for key in in_catalogs if last < key <= found[-1])})
        last = found[-1]
    yield from sorted(key for key in in_catalogs if key > last)


def _tagged_in_catalogs(conn: Connection, tag: str) -> frozenset[int]:
    """Return the definitions of fields that a stream catalog has tagged."""
    note, link = t.annotation.c, t.topic_schema.c
    likely = func.lower(note.tags).contains(json.dumps(tag.lower()), autoescape=True)
    schemas = select(note.schema_id).where(note.path.is_not(None), note.gone.is_(None), likely)
    if conn.execute(schemas.limit(1)).first() is None:
        return frozenset()
    return frozenset(conn.scalars(select(link.definition_id).where(link.schema_id.in_(schemas)).distinct()))


def _fits(column: TopicColumnRow, name: str | None, tag: str | None) -> bool:
    named = name is None or leaf_name(column.path)[:LONGEST_TERM].lower() == name.lower()
    return named and (tag is None or tag.lower() in map(str.lower, column.tags))
