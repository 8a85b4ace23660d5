"""Queries for columns of the current schemas of topics, by name or by tag."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select, true

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph.store import fetch_cells
from scanner_dictionary.queries.tag_decisions import tag_decisions, with_accepted
from scanner_dictionary.queries.topics import (
    FieldTags,
    field_condition,
    field_tags,
    name_condition,
    name_filter,
    tagged,
)
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import COLUMN, LONGEST_TERM, is_indexed
from scanner_model.columns import Column, ColumnPath
from scanner_model.tag_decisions import Decision

_DEFINITIONS_AT_ONCE = 500
_KEPT_TEXTS = 65_536
_ANY = true()
_TAGGED = t.schema_column.c.tags.is_not(None)


def columns_of(
    conn: Connection, definitions: Collection[int], condition: ColumnElement[bool] = _ANY
) -> Mapping[int, tuple[Column, ...]]:
    """Read the columns of *definitions* by their keys, in document order; one that has none is not listed.

    *condition* is one for rows of `schema_column`.
    """
    column = t.schema_column.c
    columns: dict[int, tuple[Column, ...]] = {}
    for chunk in in_chunks(sorted(set(definitions)), _DEFINITIONS_AT_ONCE):
        query = select(t.schema_column).where(column.definition_id.in_(chunk), condition)
        rows = conn.execute(query.order_by(column.definition_id, column.ordinal))
        for definition, group in groupby(rows, key=lambda row: int(row.definition_id)):
            columns[definition] = tuple(map(column_fact, group))
    return columns


CELLS = (
    "path",
    "data_type",
    "logical_type",
    "nullable",
    "default_value",
    "doc",
    "tags",
    "recursion_of",
    "branches",
    "field_number",
    "inherited_tags",
)
"""The names of those cells of `column_types.column_description` that a column is read from."""

_cells = attrgetter(*CELLS)


def column_fact(row: Row[Any]) -> Column:
    """Read a column from a row that holds the cells of `column_types.column_description`."""
    return column_of(*_cells(row))


def column_of(  # noqa: PLR0913 - the cells
    path: str,
    data_type: str,
    logical_type: str | None,
    nullable: bool | int,
    default: str | None,
    doc: str | None,
    tags: str | None,
    recursion_of: str | None,
    branches: str | None,
    number: int | None,
    inherited_tags: str | None,
) -> Column:
    """Read a column from its `CELLS`, as the driver returns them."""
    return Column(
        path=texts(path),
        type=data_type,
        logical_type=logical_type,
        nullable=bool(nullable),
        default=default,
        doc=doc,
        tags=_list(tags),
        recursive=recursion_of,
        branches=_list(branches),
        number=number,
        inherited_tags=_list(inherited_tags),
    )


@lru_cache(maxsize=_KEPT_TEXTS)
def texts(cell: str) -> tuple[str, ...]:
    """Read a JSON array of texts; schemas have the same paths over and over."""
    return tuple(json.loads(cell))


def _list(cell: str | None) -> tuple[str, ...]:
    return texts(cell) if cell else ()


_FIRST_LINKS, _LINKS_AT_ONCE, _FEW = 50, 500, 1_000


ANY_TAG = "*"
"""In place of a tag: any tag."""


def has_tag(tags: Iterable[str], wanted: str | None) -> bool:
    """Return whether *wanted* is among *tags*, in any letter case; always for None, for ANY_TAG where there is one."""
    if wanted in (None, ANY_TAG):
        return wanted is None or any(True for _ in tags)
    return str(wanted).lower() in map(str.lower, tags)


class FoundTag(NamedTuple):
    """An undeclared tag of a column: inherited along flows, or suggested by a rule.

    *certainty* is inherited, suggested, or rejected (by people; listed with all tags only). *flow* is copied or
    computed, *origin* the column that declares the tag, *steps* how many flows lead from there, and *path* each of them
    with its evidence; of the others *flow* and *origin* are empty, *steps* is 0, and *path* is the reason.
    """

    tag: str
    certainty: str
    flow: str
    origin: str
    steps: int
    path: tuple[str, ...]


class TopicColumnRow(NamedTuple):
    """A column of a schema that describes a topic now, or of another dataset; *tags* are also those in a catalog.

    *inherited_tags* are those of them that only a record has which holds the column. *found_tags* are inherited along
    flows or suggested; empty where they were not looked for.

    *subject* is empty, *version* None and *context* `.` where the schema is of no registry. *name* is *path* with dots,
    empty where the whole message is one value. *origin* is where it is known from: schema, declared (by hand or
    ksqlDB), derived (only a flow has it) or table. *dataset* is the namespace and name of the table or other dataset
    that has it, whose cluster and topic are empty; empty for a topic's. *node* is its key in the graph, empty for the
    column of a schema. *unseen* are the readers of its topic whose fields are not known; only if columns without a
    known reader were asked for. *owner* is that of its topic; empty if none
    is known, and unless columns with a tag, or without a known reader, were asked for.
    """

    cluster: str
    topic: str
    role: str
    context: str
    subject: str
    version: int | None
    path: tuple[str, ...]
    name: str
    type: str
    logical_type: str | None
    nullable: bool
    doc: str | None
    tags: tuple[str, ...]
    inherited_tags: tuple[str, ...] = ()
    origin: str = "schema"
    dataset: str = ""
    node: str = ""
    found_tags: tuple[FoundTag, ...] = ()
    unseen: tuple[str, ...] = ()
    owner: str = ""


def topic_columns(
    conn: Connection, *, cluster: str | None = None, pattern: str | None = None, tag: str | None = None
) -> Iterator[TopicColumnRow]:
    """List columns by cluster, topic, side, subject and position in the schema.

    *pattern* is a glob where it holds `*`, `?` or `[`, else a part of the column's name; *tag* is a whole tag, or
    ANY_TAG. Letter case does not matter in either.
    """
    query = _links()
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    rare = _rare_definitions(conn, pattern) if pattern and tag is None else None
    query = query if rare is None else query.where(t.topic_schema.c.definition_id.in_(rare))
    fits = name_filter(pattern)
    clusters = conn.execute(select(t.cluster.c.id, t.cluster.c.name))
    notes = {key: field_tags(conn, key) for key, name in clusters if cluster in (None, name)}
    if tag is not None and not any(notes.values()) and not tag_decisions(conn, Decision.ACCEPTED):
        query = query.where(t.topic_schema.c.definition_id.in_(select(t.schema_column.c.definition_id).where(_TAGGED)))
    condition = _ANY if (wanted := name_condition(t.schema_column.c.name, pattern)) is None else wanted
    chunks: Iterable[Sequence[Row[Any]]]
    if rare is not None:
        chunks = in_chunks(conn.execute(query).all() if rare else (), _LINKS_AT_ONCE)
    elif tag or not pattern:
        chunks = _first_links(conn, query)
    else:
        chunks = _likely(conn, query, pattern, condition)
    for link, column in _columns(conn, chunks, notes, condition, tagged_only=tag is not None):
        if fits(column.name) and has_tag(column.tags, tag):
            yield _row(link, column)


def columns_of_topics(conn: Connection, topics: Collection[str]) -> Iterator[TopicColumnRow]:
    """List the columns of the topics with these names, in the order of `topic_columns`."""
    names = sorted(set(topics))
    chunks = (names[at : at + _LINKS_AT_ONCE] for at in range(0, len(names), _LINKS_AT_ONCE))
    links = [link for chunk in chunks for link in conn.execute(_links().where(t.topic.c.name.in_(chunk)))]
    notes = catalog_tags_of(conn, links)
    return (_row(link, column) for link, column in _columns(conn, in_chunks(links, _LINKS_AT_ONCE), notes))


def links_of(conn: Connection, definitions: Collection[int], cluster: str | None = None) -> list[Row[Any]]:
    """Return the links of topics to *definitions*, by their keys, in the order of `topic_columns`."""
    query = _links().where(t.topic_schema.c.definition_id.in_(sorted(definitions)))
    return list(conn.execute(query if cluster is None else query.where(t.cluster.c.name == cluster)))


def catalog_tags_of(conn: Connection, links: Iterable[Row[Any]]) -> Mapping[int, FieldTags]:
    """Return the tags that stream catalogs have for fields of the schemas behind *links*, by the key of the cluster."""
    schemas: dict[int, set[str]] = {}
    for link in links:
        schemas.setdefault(link.cluster_id, set()).add(link.schema_id or "")
    return {cluster: field_tags(conn, cluster, listed) for cluster, listed in schemas.items()}


def columns_in(
    conn: Connection, links: Sequence[Row[Any]], notes: Mapping[int, FieldTags], condition: ColumnElement[bool] = _ANY
) -> Iterator[tuple[int, TopicColumnRow]]:
    """Yield the columns behind *links* with the keys of their definitions; *notes* and *condition* as above."""
    chunks = in_chunks(links, _LINKS_AT_ONCE)
    return ((link.definition_id, _row(link, column)) for link, column in _columns(conn, chunks, notes, condition))


def _links() -> Select[Any]:
    link, topic, definition = t.topic_schema.c, t.topic.c, t.schema_definition.c
    cells = (
        link.schema_role,
        link.context,
        link.subject,
        link.version,
        link.schema_id,
        link.definition_id,
        link.registry_id,
        definition.name,
    )
    return (
        select(t.cluster.c.name.label("cluster"), topic.cluster_id, topic.name.label("topic"), *cells)
        .select_from(t.topic_schema)
        .join(t.topic, topic.id == link.topic_id)
        .join(t.cluster, t.cluster.c.id == topic.cluster_id)
        .join(t.schema_definition, definition.id == link.definition_id)
        .where(link.is_current, link.gone.is_(None), topic.gone.is_(None))
        .order_by(t.cluster.c.name, topic.name, link.schema_role, link.subject, link.context, link.version, link.id)
    )


def _first_links(conn: Connection, query: Select[Any]) -> Iterator[Sequence[Row[Any]]]:
    """Yield the links of *query* in chunks: a few, which often fill a page, then the rest."""
    first = conn.execute(query.limit(_FIRST_LINKS)).all()
    yield first
    rest = conn.execute(query.offset(_FIRST_LINKS)).all() if len(first) == _FIRST_LINKS else ()
    yield from in_chunks(rest, _LINKS_AT_ONCE)


def _likely(
    conn: Connection, query: Select[Any], pattern: str, condition: ColumnElement[bool]
) -> Iterator[Sequence[Row[Any]]]:
    """Yield links as `_first_links` does; of the rest those whose definitions may have a column of the name."""
    chunks = _first_links(conn, query)
    yield next(chunks)
    second = next(chunks, None)
    if second is not None:
        candidates = _candidate_definitions(conn, pattern, condition)
        for chunk in chain((second,), chunks):
            yield [link for link in chunk if candidates is None or link.definition_id in candidates]


def _candidate_definitions(conn: Connection, pattern: str, condition: ColumnElement[bool]) -> frozenset[int] | None:
    """Return the definitions that may have a column of the requested name; None: any may.

    Each field in a column's name is the last name of its own or an outer column's path, and as such in the index.
    """
    query = _indexed_definitions(conn, pattern)
    if query is None:
        column = t.schema_column.c
        return frozenset(conn.scalars(select(column.definition_id).where(condition).distinct()))
    return frozenset(row[0] for row in fetch_cells(conn.execute(query)))


def _rare_definitions(conn: Connection, pattern: str) -> list[int] | None:
    """Return the definitions that may have a column of the requested name if they are few; None if they are not."""
    query = _indexed_definitions(conn, pattern)
    found = [] if query is None else fetch_cells(conn.execute(query.limit(_FEW + 1)))
    return None if query is None or len(found) > _FEW else sorted({row[0] for row in found})


def _indexed_definitions(conn: Connection, pattern: str) -> Select[Any] | None:
    """Return the query for `_candidate_definitions` in the index of names; None where it has no answer."""
    use, term = t.search_use.c, t.search_term.c
    holds = field_condition(term.term, pattern)
    if holds is None or not is_indexed(conn, [COLUMN]):
        return None
    terms = select(term.id).where(holds | (func.length(term.term) >= LONGEST_TERM))
    return select(use.entity_id).where(use.kind == COLUMN, use.term_id.in_(terms))


def _catalog_tags(link: Row[Any], notes: Mapping[int, FieldTags]) -> Mapping[ColumnPath, tuple[str, ...]]:
    """Return the tags that a stream catalog has for fields of the schema."""
    return notes[link.cluster_id].get((link.schema_id or "", link.name), {})


def _columns(
    conn: Connection,
    chunks: Iterable[Sequence[Row[Any]]],
    notes: Mapping[int, FieldTags],
    condition: ColumnElement[bool] = _ANY,
    *,
    tagged_only: bool = False,
) -> Iterator[tuple[Row[Any], Column]]:
    """Yield the columns behind links, in *chunks*.

    With *tagged_only* those of schemas that alone name tags only where one has.
    """
    accepted = tag_decisions(conn, Decision.ACCEPTED)
    for chunk in chunks:
        tags = [
            with_accepted(_catalog_tags(link, notes), accepted.get((link.cluster, link.topic), {}), link.schema_role)
            for link in chunk
        ]
        keys = {link.definition_id for link in chunk}
        whole = {link.definition_id for link, own in zip(chunk, tags, strict=True) if own or not tagged_only}
        columns = {**columns_of(conn, whole, condition), **columns_of(conn, keys - whole, condition & _TAGGED)}
        for link, own in zip(chunk, tags, strict=True):
            yield from ((link, column) for column in tagged(columns.get(link.definition_id, ()), own))


def _row(link: Row[Any], column: Column) -> TopicColumnRow:
    return TopicColumnRow(
        cluster=link.cluster,
        topic=link.topic,
        role=link.schema_role,
        context=link.context,
        subject=link.subject,
        version=link.version,
        path=column.path,
        name=column.name,
        type=column.type,
        logical_type=column.logical_type,
        nullable=column.nullable,
        doc=column.doc,
        tags=column.tags,
        inherited_tags=column.inherited_tags,
        origin="declared" if link.registry_id is None else "schema",
    )
