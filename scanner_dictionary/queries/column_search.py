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

_DEFINITIONS_AT_ONCE = 100


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
    """List the definitions that may have such columns, by key."""
    if name is not None:
        return _with_term(conn, COLUMN, name, after)
    tagged = set(_with_term(conn, TAG, tag or "", after)) | set(_tagged_in_catalogs(conn, tag or "", after))
    return iter(sorted(tagged))


def _with_term(conn: Connection, kind: int, text: str, after: int) -> Iterator[int]:
    use = t.search_use.c
    terms = terms_called(conn, text)
    query = select(use.entity_id).where(use.kind == kind, use.term_id.in_(terms), use.entity_id > after)
    return iter(conn.scalars(query.distinct().order_by(use.entity_id)).all())


def _tagged_in_catalogs(conn: Connection, tag: str, after: int) -> Iterator[int]:
    """List the definitions of fields that a stream catalog has tagged."""
    note, link = t.annotation.c, t.topic_schema.c
    likely = func.lower(note.tags).contains(json.dumps(tag.lower()), autoescape=True)
    schemas = select(note.schema_id).where(note.path.is_not(None), note.gone.is_(None), likely)
    query = select(link.definition_id).where(link.schema_id.in_(schemas), link.definition_id > after)
    return iter(conn.scalars(query.distinct()).all())


def _fits(column: TopicColumnRow, name: str | None, tag: str | None) -> bool:
    named = name is None or leaf_name(column.path)[:LONGEST_TERM].lower() == name.lower()
    return named and (tag is None or tag.lower() in map(str.lower, column.tags))
