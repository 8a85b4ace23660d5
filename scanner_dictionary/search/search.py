"""Searches by name in the index of names: topics, nodes of the graph, subjects, columns and tags, the best first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import groupby, islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import BindParameter, ColumnElement, Connection, Select, bindparam, exists, func, literal, select

from scanner_dictionary.queries.columns import texts
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import (
    COLUMN,
    LONGEST_TERM,
    LONGEST_WORD,
    NODE,
    SUBJECT,
    TOPIC,
    escaped,
    is_indexed,
    leaf_name,
    words_of,
)
from scanner_model.columns import KEY

T = TypeVar("T")

KINDS: Mapping[str, int] = {"topic": TOPIC, "node": NODE, "subject": SUBJECT, "column": COLUMN}
"""What can be searched for, by the word that users write; *node* is a job, dataset or consumer group."""

_CANDIDATES = 200
"""Terms that are ranked; more begin with a very short word only."""

_SCANNED_TERMS = 100_000
"""Up to this many terms are searched for a part of a word, which no index answers, where no word begins with it."""

_TOPICS_AT_ONCE = 50
_TOPICS_OF_A_PATH = 10
_TERMS_AT_ONCE = 100
_AT_ONCE = 32
_LAST = "\U0010ffff"


class Match(IntEnum):
    """How a name matches the text of a search, the best first."""

    EXACT = 0
    PREFIX = 1
    WORD = 2
    PART = 3


class SearchHit(NamedTuple):
    """Something with a matching name; *node* is its key in the graph where it is a node, else empty.

    *kind* is topic, subject, column, or the kind of a node (job, dataset, consumer-group). *path* is a column's, else
    None. *where* is the cluster, or the namespace of a node. *match* is exact, prefix, word or part.
    """

    kind: str
    where: str
    name: str
    path: tuple[str, ...] | None
    detail: str
    node: str
    match: str


class SearchResult(NamedTuple):
    """The hits, the best first; *more*: there are others on the next page.

    *complete* is False where others may match and are on no page: their names are not indexed yet, the graph of the
    newest scan was not generated, or so much matches that not all is ranked.
    """

    hits: tuple[SearchHit, ...]
    more: bool
    complete: bool


class _Term(NamedTuple):
    id: int
    term: str
    match: Match


def search(
    conn: Connection,
    text: str,
    *,
    kinds: Iterable[str] | None = None,
    cluster: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> SearchResult:
    """Return what has *text* as its name or in it; letter case does not matter.

    Exact names come first, then names that begin with *text*, then those with a word that does; topics before nodes,
    subjects and columns. A dotted text also finds columns of a topic, as `orders.customer.id`.
    """
    lower_text = text.strip().lower()
    numbers = sorted({KINDS[kind] for kind in (kinds or KINDS)})
    if not lower_text:
        return SearchResult((), more=False, complete=is_indexed(conn, numbers))
    searching = _Searching(conn, lower_text, cluster, limit + offset + 1)
    hits = searching.hits(numbers)
    page = tuple(hits[offset : offset + limit])
    complete = not searching.is_cut and is_indexed(conn, numbers)
    return SearchResult(page, more=len(hits) > offset + limit, complete=complete)


class _Searching:
    """One search: candidate terms by rank, then what has them, until enough is found."""

    def __init__(self, conn: Connection, text: str, cluster: str | None, most: int) -> None:
        self._conn, self._text, self._cluster, self._most = conn, text, cluster, most
        self.is_cut = False
        """Whether more matches than is looked at."""

    def _bounded(self, rows: Sequence[T], most: int) -> Sequence[T]:
        """Return *rows*, of which at most *most* were read; note where there may be others."""
        self.is_cut = self.is_cut or len(rows) >= most
        return rows

    def hits(self, kinds: Sequence[int]) -> list[SearchHit]:
        """Return at least as many hits as are wanted, where there are so many."""
        hits: dict[SearchHit, None] = {}
        terms = self._by_word()
        self._add_called(hits, terms, kinds)
        if COLUMN in kinds and len(hits) < self._most:
            self._add(hits, self._columns_below())
        if not terms and not hits:
            self._add_called(hits, self._by_part(), kinds)
        return list(hits)

    def _add_called(self, hits: dict[SearchHit, None], terms: Iterable[_Term], kinds: Sequence[int]) -> None:
        """Add what is called as one of *terms*, the best first."""
        others = [kind for kind in kinds if kind != COLUMN]
        for _, group in groupby(terms, key=lambda term: term.match):
            if len(hits) >= self._most:
                break
            alike = list(group)
            self._add(hits, self._entities(alike, others))
            if COLUMN in kinds:
                self._add(hits, self._columns(alike))

    def _add(self, hits: dict[SearchHit, None], new: Iterable[SearchHit]) -> None:
        for hit in new:
            if len(hits) >= self._most:
                return
            hits[hit] = None

    def _by_word(self) -> list[_Term]:
        """Return the terms with a word that begins with the text, the best first.

        Shorter words come first in the order of the index, so an exact one is always among the candidates.
        """
        start = self._text[:LONGEST_WORD]
        return self._ranked(self._conn.execute(_TERMS_BY_WORD, {"first": start, "last": start + _LAST}).all())

    def _by_part(self) -> list[_Term]:
        """Return the terms with the text inside a word; none in a large dictionary, where no index answers that."""
        term = t.search_term.c
        if int(self._conn.scalar(select(func.max(term.id))) or 0) > _SCANNED_TERMS:
            self.is_cut = True
            return []
        # LIKE of SQLite ignores the case of what lower() changes there: twice as fast without.
        name = term.term if self._conn.dialect.name == "sqlite" else func.lower(term.term)
        part = name.contains(self._text, autoescape=True)
        return self._ranked(self._conn.execute(select(term.id, term.term).where(part).limit(_CANDIDATES)).all())

    def _ranked(self, rows: Sequence[Any]) -> list[_Term]:
        terms = {key: _Term(key, name, _match(name, self._text)) for key, name in self._bounded(rows, _CANDIDATES)}
        fitting = (term for term in terms.values() if self._text in term.term.lower())
        return sorted(fitting, key=lambda term: (term.match, len(term.term), term.term))

    def _entities(self, terms: Sequence[_Term], kinds: Sequence[int]) -> Iterator[SearchHit]:
        """Yield topics, nodes and subjects with one of *terms*, by kind, in the order of the terms."""
        for kind in kinds:
            for at in range(0, len(terms), _TERMS_AT_ONCE):
                yield from self._of_kind(kind, terms[at : at + _TERMS_AT_ONCE])

    def _of_kind(self, kind: int, terms: Sequence[_Term]) -> Iterator[SearchHit]:
        ranks = {term.id: rank for rank, term in enumerate(terms)}
        rows = self._conn.execute(_USES, {"kind": kind, "terms": list(ranks), "most": _CANDIDATES}).all()
        uses = sorted(self._bounded(rows, _CANDIDATES), key=lambda row: (ranks[row[0]], row[1]))
        matches = {entity: terms[ranks[term]].match for term, entity in uses}
        entities = self._conn.execute(_ENTITIES[kind], {"keys": list(matches)}) if matches else ()
        rows_of = {row[0]: row for row in entities}
        for entity, match in matches.items():
            if entity in rows_of and (self._cluster is None or rows_of[entity][2] == self._cluster):
                _, kind_name, where, name, detail, node = rows_of[entity]
                yield SearchHit(kind_name, where, name, None, detail, node, match.name.lower())

    def _columns(self, terms: Sequence[_Term]) -> Iterator[SearchHit]:
        """Yield the columns called as one of *terms*, in their order; more are read at once the more are wanted."""
        for chunk in _growing(self._definitions(terms)):
            topics = self._topics_of({definition for _, definition in chunk})
            columns = self._columns_of(topics, _like(self._text, "%"))
            for term, definition in chunk:
                match = term.match.name.lower()
                for path, _, type_ in columns.get(definition, ()):
                    if leaf_name(path)[:LONGEST_TERM] == term.term:
                        for topic in topics[definition]:
                            location = _in_message(topic.schema_role, path)
                            yield SearchHit("column", topic.cluster, topic.topic, location, type_, "", match)

    def _definitions(self, terms: Sequence[_Term]) -> Iterator[tuple[_Term, int]]:
        """Yield the definitions that have a column of each of *terms*, at most 200 of one term."""
        for chunk in _growing(terms):
            most = _CANDIDATES * len(chunk)
            rows = self._conn.execute(_DEFINITIONS, {"terms": [term.id for term in chunk], "most": most}).all()
            definitions: dict[int, list[int]] = {}
            for term_id, definition in self._bounded(rows, most):
                definitions.setdefault(term_id, []).append(definition)
            for term in chunk:
                first = sorted(definitions.get(term.id, ()))[:_CANDIDATES]
                yield from ((term, definition) for definition in self._bounded(first, _CANDIDATES))

    def _columns_below(self) -> Iterator[SearchHit]:
        """Yield the columns of topics of which the text names both, as in `orders.customer.id`."""
        for at in (at for at, mark in enumerate(self._text) if mark == "." and at):
            head, start = self._text[:at], self._text[at + 1 :]
            word = head[:LONGEST_WORD]
            rows = self._conn.execute(_TERMS_BY_WORD, {"first": word, "last": word}).all()
            terms = [_Term(key, name, Match.EXACT) for key, name in rows if name.lower().endswith(head)]
            for hit in islice(self._of_kind(TOPIC, terms), _TOPICS_OF_A_PATH):
                sides = self._conn.execute(_SIDES_OF_TOPIC, {"cluster": hit.where, "topic": hit.name}).all()
                columns = self._columns_of({definition for definition, _ in sides}, _like(start, ""))
                for definition, role in sides:
                    begun = (column for column in columns.get(definition, ()) if column[1].lower().startswith(start))
                    for path, name, type_ in begun:
                        match = "exact" if name.lower() == start else "prefix"
                        yield SearchHit("column", *hit[1:3], _in_message(role, path), type_, "", match)

    def _columns_of(self, definitions: Collection[int], like: str) -> Mapping[int, list[tuple[Any, str, str]]]:
        """Return path, name and type of the columns whose name is *like* a pattern, in any letter case."""
        columns: dict[int, list[tuple[Any, str, str]]] = {}
        values = {"definitions": sorted(definitions), "like": like}
        rows = self._conn.execute(_COLUMNS_LIKE, values).all() if definitions else ()
        for definition, path, name, type_ in rows:
            columns.setdefault(definition, []).append((texts(path), name, type_))
        return columns

    def _topics_of(self, definitions: Collection[int]) -> Mapping[int, list[Any]]:
        """Return cluster, name and side of the first topics that each of *definitions* describes now."""
        topics: dict[int, list[Any]] = {}
        query = _TOPICS_OF_DEFINITIONS if self._cluster is None else _TOPICS_IN_CLUSTER
        values = {"definitions": sorted(definitions), "cluster": self._cluster}
        for row in self._conn.execute(query, values):
            topics.setdefault(row.definition_id, []).append(row)
        for rows in topics.values():
            self._bounded(rows, _TOPICS_AT_ONCE)
        return topics


def _growing(items: Iterable[T]) -> Iterator[list[T]]:
    """Cut *items* into lists that become longer: few where the first are enough."""
    rest, size = iter(items), 2
    while chunk := list(islice(rest, size)):
        yield chunk
        size = min(4 * size, _AT_ONCE)


_LINKED = (
    select(t.cluster.c.name.label("cluster"), t.topic.c.name.label("topic"), t.topic_schema.c.schema_role)
    .select_from(t.topic_schema)
    .join(t.topic, t.topic.c.id == t.topic_schema.c.topic_id)
    .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    .where(t.topic_schema.c.is_current, t.topic_schema.c.gone.is_(None), t.topic.c.gone.is_(None))
)


def _first_topics(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Return the query for the first topics of each of some definitions, by name."""
    link = t.topic_schema.c
    place = func.row_number().over(partition_by=link.definition_id, order_by=(t.topic.c.name, link.schema_role))
    listed = _LINKED.add_columns(link.definition_id, place.label("place"))
    of_definitions = link.definition_id.in_(bindparam("definitions", expanding=True))
    rows = listed.where(of_definitions, *conditions).subquery()
    return select(rows).where(rows.c.place <= _TOPICS_AT_ONCE).order_by(rows.c.definition_id, rows.c.place)


_TOPICS_OF_DEFINITIONS = _first_topics()
_TOPICS_IN_CLUSTER = _first_topics(t.cluster.c.name == bindparam("cluster"))
_SIDES_OF_TOPIC = _LINKED.with_only_columns(t.topic_schema.c.definition_id, t.topic_schema.c.schema_role).where(
    t.cluster.c.name == bindparam("cluster"), t.topic.c.name == bindparam("topic")
)
_TERMS_BY_WORD = (
    select(t.search_term.c.id, t.search_term.c.term)
    .join(t.search_word, t.search_word.c.term_id == t.search_term.c.id)
    .where(t.search_word.c.word >= bindparam("first"), t.search_word.c.word <= bindparam("last"))
    .order_by(t.search_word.c.word)
    .limit(_CANDIDATES)
)
_USES = (
    select(t.search_use.c.term_id, t.search_use.c.entity_id)
    .where(t.search_use.c.kind == bindparam("kind"), t.search_use.c.term_id.in_(bindparam("terms", expanding=True)))
    .order_by(t.search_use.c.term_id, t.search_use.c.entity_id)
    .limit(bindparam("most"))
)
_DEFINITIONS = _USES.where(
    exists().where(
        t.topic_schema.c.definition_id == t.search_use.c.entity_id,
        t.topic_schema.c.is_current,
        t.topic_schema.c.gone.is_(None),
    )
).params(kind=COLUMN)
_COLUMNS_LIKE = (
    select(t.schema_column.c.definition_id, t.schema_column.c.path, t.schema_column.c.name, t.schema_column.c.data_type)
    .where(
        t.schema_column.c.definition_id.in_(bindparam("definitions", expanding=True)),
        func.lower(t.schema_column.c.name).like(bindparam("like"), escape="/"),
    )
    .order_by(t.schema_column.c.definition_id, t.schema_column.c.ordinal)
)
"""Queries of a search; building them each time would cost more than running them."""

_WANTED: BindParameter[Any] = bindparam("keys", expanding=True)
_ENTITIES: Mapping[int, Select[Any]] = {
    TOPIC: select(t.topic.c.id, literal("topic"), t.cluster.c.name, t.topic.c.name, t.topic.c.description, literal(""))
    .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    .where(t.topic.c.gone.is_(None), t.topic.c.id.in_(_WANTED)),
    NODE: select(
        t.flow_node.c.id,
        t.flow_node.c.kind,
        t.flow_node.c.namespace,
        t.flow_node.c.name,
        literal(""),
        t.flow_node.c.node_key,
    ).where(t.flow_node.c.id.in_(_WANTED)),
    SUBJECT: select(
        t.subject.c.id, literal("subject"), t.cluster.c.name, t.subject.c.name, t.registry.c.url, literal("")
    )
    .join(t.registry, t.registry.c.id == t.subject.c.registry_id)
    .join(t.cluster, t.cluster.c.id == t.registry.c.cluster_id)
    .where(t.subject.c.gone.is_(None), t.subject.c.id.in_(_WANTED)),
}
"""For each kind: key, then the members of a hit up to its node, without the path."""


def _like(text: str, before: str) -> str:
    """Return the pattern of the names of columns that have *text*, in lower case, after *before*.

    SQLite lowers ASCII only, and names are quoted with backticks: for others it is that of every name.
    """
    return f"{before}{escaped(text)}%" if text.isascii() and "`" not in text else "%"


def _in_message(role: str, path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path of a column in the message: one of the key begins with its mark."""
    return (KEY, *path) if role == "key" else path


def _match(term: str, text: str) -> Match:
    name = term.lower()
    if name == text:
        return Match.EXACT
    if name.startswith(text):
        return Match.PREFIX
    return Match.WORD if any(word.startswith(text[:LONGEST_WORD]) for word in words_of(term)) else Match.PART
