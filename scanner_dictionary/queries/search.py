"""Searches by name in the index of names: topics, nodes of the graph, subjects, columns and tags, the best first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import groupby, islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Select, bindparam, func, literal, select

from scanner_dictionary.graph.store import newest_scan
from scanner_dictionary.queries.columns import texts
from scanner_dictionary.schema import tables as t
from scanner_model.columns import KEY, field_name

T = TypeVar("T")

TOPIC, NODE, SUBJECT, TAG, COLUMN, CATALOG_TAG = 1, 2, 3, 4, 5, 6

KINDS: Mapping[str, int] = {"topic": TOPIC, "node": NODE, "subject": SUBJECT, "column": COLUMN}
"""What can be searched for, by the word that users write; *node* is a job, dataset or consumer group."""

LONGEST_WORD = 64
_WORDS_OF_A_TERM = 16
_CANDIDATES = 200
"""Terms that are ranked; more begin with a very short word only."""

_SCANNED_TERMS = 100_000
"""Up to this many terms are searched for a part of a word, which no index answers, where no word begins with it."""

_TOPICS_AT_ONCE = 50
_TOPICS_OF_A_PATH = 10
LONGEST_TERM = 200
_TERMS_AT_ONCE = 100
COMPARED_NAMES = 20_000
"""Up to this many names are compared one by one for a suggestion."""

_NEIGHBOURS = 30
_LAST = "\U0010ffff"
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[^A-Za-z0-9])(?=[A-Za-z0-9])")


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


def words_of(name: str) -> tuple[str, ...]:
    """Return the rests of *name* from the start of each of its words, in lower case, each once.

    >>> words_of("orderItem_id")
    ('orderitem_id', 'item_id', 'id')
    """
    starts = [0, *(match.start() for match in _BOUNDARY.finditer(name))][:_WORDS_OF_A_TERM]
    words = (name[start:].lower()[:LONGEST_WORD] for start in starts)
    return tuple(dict.fromkeys(word for word in words if word))


def leaf_name(path: tuple[str, ...]) -> str:
    """Return the name of the innermost field of *path*; empty where the message is one value."""
    return next(filter(None, map(field_name, reversed(path))), "")


def spellings(conn: Connection, text: str) -> Mapping[int, str]:
    """Return the terms that are *text*, whatever their letter case, by their keys."""
    word, term = t.search_word.c, t.search_term.c
    query = select(term.id, term.term).join(t.search_word, word.term_id == term.id)
    wanted = text.lower()
    rows = conn.execute(query.where(word.word == wanted[:LONGEST_WORD]))
    return {key: name for key, name in rows if name.lower() == wanted[:LONGEST_TERM]}


def names_near(conn: Connection, text: str) -> tuple[str, ...] | None:
    """Return names in the index that may be meant by *text*: the neighbours of its words in the order of the index.

    None in a small dictionary, whose names can all be compared, and in one whose index is not complete.
    """
    if int(conn.scalar(select(func.max(t.search_term.c.id))) or 0) <= COMPARED_NAMES or not is_indexed(conn):
        return None
    word, term = t.search_word.c, t.search_term.c
    joined = select(term.term).join(t.search_word, word.term_id == term.id).limit(_NEIGHBOURS)
    names: dict[str, None] = {}
    for start in words_of(text):
        for query in (
            joined.where(word.word >= start).order_by(word.word),
            joined.where(word.word < start).order_by(word.word.desc()),
        ):
            names |= dict.fromkeys(conn.scalars(query))
    return tuple(names)


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
    wanted = text.strip().lower()
    numbers = sorted({KINDS[kind] for kind in (kinds or KINDS)})
    if not wanted:
        return SearchResult((), more=False, complete=is_indexed(conn, numbers))
    searching = _Searching(conn, wanted, cluster, limit + offset + 1)
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
        others = [kind for kind in kinds if kind != COLUMN]
        for _, group in groupby(self._ranked(), key=lambda term: term.match):
            if len(hits) >= self._most:
                break
            terms = list(group)
            self._add(hits, self._entities(terms, others))
            if COLUMN in kinds:
                self._add(hits, self._columns(terms))
        if COLUMN in kinds and len(hits) < self._most:
            self._add(hits, self._columns_below())
        return list(hits)

    def _add(self, hits: dict[SearchHit, None], new: Iterable[SearchHit]) -> None:
        for hit in new:
            if len(hits) >= self._most:
                return
            hits[hit] = None

    def _ranked(self) -> list[_Term]:
        """Return the terms with a word that begins with the text, the best first; with a part of one where none does.

        Shorter words come first in the order of the index, so an exact one is always among the candidates.
        """
        start = self._text[:LONGEST_WORD]
        rows = self._conn.execute(_TERMS_BY_WORD, {"first": start, "last": start + _LAST}).all() or self._parts()
        terms = {key: _Term(key, name, _match(name, self._text)) for key, name in self._bounded(rows, _CANDIDATES)}
        fitting = (each for each in terms.values() if self._text in each.term.lower())
        return sorted(fitting, key=lambda each: (each.match, len(each.term), each.term))

    def _parts(self) -> Sequence[Any]:
        """Return the terms with the text inside a word; none in a large dictionary, where no index answers that."""
        if int(self._conn.scalar(select(func.max(t.search_term.c.id))) or 0) > _SCANNED_TERMS:
            self.is_cut = True
            return ()
        part = func.lower(t.search_term.c.term).contains(self._text, autoescape=True)
        query = select(t.search_term.c.id, t.search_term.c.term).where(part).limit(_CANDIDATES)
        return self._conn.execute(query).all()

    def _entities(self, terms: Sequence[_Term], kinds: Sequence[int]) -> Iterator[SearchHit]:
        """Yield topics, nodes and subjects with one of *terms*, by kind, in the order of the terms."""
        for kind in kinds:
            for at in range(0, len(terms), _TERMS_AT_ONCE):
                yield from self._of_kind(kind, terms[at : at + _TERMS_AT_ONCE])

    def _of_kind(self, kind: int, terms: Sequence[_Term]) -> Iterator[SearchHit]:
        use = t.search_use.c
        ranks = {term.id: rank for rank, term in enumerate(terms)}
        query = select(use.term_id, use.entity_id).where(use.kind == kind, use.term_id.in_(list(ranks)))
        used = self._bounded(self._conn.execute(query.limit(_CANDIDATES)).all(), _CANDIDATES)
        uses = sorted(used, key=lambda row: (ranks[row[0]], row[1]))
        matches = {entity: terms[ranks[term]].match for term, entity in uses}
        rows = {row[0]: row for row in self._conn.execute(_ENTITIES[kind].where(_KEYS[kind].in_(list(matches))))}
        for entity, match in matches.items():
            if entity in rows and (self._cluster is None or rows[entity][2] == self._cluster):
                _, kind_name, where, name, detail, node = rows[entity]
                yield SearchHit(kind_name, where, name, None, detail, node, match.name.lower())

    def _columns(self, terms: Sequence[_Term]) -> Iterator[SearchHit]:
        """Yield the columns called as one of *terms*."""
        for term in terms:
            definitions = self._conn.scalars(_DEFINITIONS_BY_TERM, {"term": term.id}).all()
            for definition in self._bounded(definitions, _CANDIDATES):
                topics = self._topics_of(definition)
                for path, _, type_ in self._columns_of(definition, f"%{escaped(term.term)}%") if topics else ():
                    if leaf_name(path)[:LONGEST_TERM] == term.term:
                        for topic in topics:
                            place = _in_message(topic.schema_role, path)
                            match = term.match.name.lower()
                            yield SearchHit("column", topic.cluster, topic.topic, place, type_, "", match)

    def _columns_below(self) -> Iterator[SearchHit]:
        """Yield the columns of topics of which the text names both, as in `orders.customer.id`."""
        for at in (at for at, mark in enumerate(self._text) if mark == "." and at):
            head, start = self._text[:at], self._text[at + 1 :]
            word = head[:LONGEST_WORD]
            rows = self._conn.execute(_TERMS_BY_WORD, {"first": word, "last": word}).all()
            terms = [_Term(key, name, Match.EXACT) for key, name in rows if name.lower().endswith(head)]
            for hit in islice(self._of_kind(TOPIC, terms), _TOPICS_OF_A_PATH):
                sides = self._conn.execute(_SIDES_OF_TOPIC, {"cluster": hit.where, "topic": hit.name}).all()
                for definition, role in sides:
                    for path, name, type_ in self._columns_of(definition, f"{escaped(start)}%"):
                        match = "exact" if name.lower() == start else "prefix"
                        yield SearchHit("column", *hit[1:3], _in_message(role, path), type_, "", match)

    def _columns_of(self, definition: int, like: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Yield path, name and type of the columns whose name is *like* a pattern, in any letter case."""
        rows = self._conn.execute(_COLUMNS_LIKE, {"definition": definition, "like": like.lower()})
        return ((texts(path), name, type_) for path, name, type_ in rows)

    def _topics_of(self, definition: int) -> Sequence[Any]:
        """Return cluster, name and side of the first topics that *definition* describes now."""
        query = _TOPICS_OF_DEFINITION
        query = query if self._cluster is None else query.where(t.cluster.c.name == self._cluster)
        return self._bounded(self._conn.execute(query, {"definition": definition}).all(), _TOPICS_AT_ONCE)


_LINKED = (
    select(t.cluster.c.name.label("cluster"), t.topic.c.name.label("topic"), t.topic_schema.c.schema_role)
    .select_from(t.topic_schema)
    .join(t.topic, t.topic.c.id == t.topic_schema.c.topic_id)
    .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    .where(t.topic_schema.c.is_current, t.topic_schema.c.gone.is_(None), t.topic.c.gone.is_(None))
)
_TOPICS_OF_DEFINITION = (
    _LINKED.where(t.topic_schema.c.definition_id == bindparam("definition"))
    .order_by(t.topic.c.name, t.topic_schema.c.schema_role)
    .limit(_TOPICS_AT_ONCE)
)
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
_DEFINITIONS_BY_TERM = (
    select(t.search_use.c.entity_id)
    .where(t.search_use.c.kind == COLUMN, t.search_use.c.term_id == bindparam("term"))
    .order_by(t.search_use.c.entity_id)
    .limit(_CANDIDATES)
)
_COLUMNS_LIKE = (
    select(t.schema_column.c.path, t.schema_column.c.name, t.schema_column.c.data_type)
    .where(
        t.schema_column.c.definition_id == bindparam("definition"),
        func.lower(t.schema_column.c.name).like(bindparam("like"), escape="/"),
    )
    .order_by(t.schema_column.c.ordinal)
)
"""Queries of a search; building them each time would cost more than running them."""

_ENTITIES: Mapping[int, Select[Any]] = {
    TOPIC: select(t.topic.c.id, literal("topic"), t.cluster.c.name, t.topic.c.name, t.topic.c.description, literal(""))
    .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    .where(t.topic.c.gone.is_(None)),
    NODE: select(
        t.flow_node.c.id,
        t.flow_node.c.kind,
        t.flow_node.c.namespace,
        t.flow_node.c.name,
        literal(""),
        t.flow_node.c.node_key,
    ),
    SUBJECT: select(
        t.subject.c.id, literal("subject"), t.cluster.c.name, t.subject.c.name, t.registry.c.url, literal("")
    )
    .join(t.registry, t.registry.c.id == t.subject.c.registry_id)
    .join(t.cluster, t.cluster.c.id == t.registry.c.cluster_id)
    .where(t.subject.c.gone.is_(None)),
}
"""For each kind: key, then the members of a hit up to its node, without the path."""

_KEYS = {TOPIC: t.topic.c.id, NODE: t.flow_node.c.id, SUBJECT: t.subject.c.id}


def _in_message(role: str, path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path of a column in the message: one of the key begins with its mark."""
    return (KEY, *path) if role == "key" else path


def escaped(text: str) -> str:
    """Return *text* as a part of a LIKE pattern that matches it literally."""
    return text.replace("/", "//").replace("%", "/%").replace("_", "/_")


def _match(term: str, text: str) -> Match:
    name = term.lower()
    if name == text:
        return Match.EXACT
    if name.startswith(text):
        return Match.PREFIX
    return Match.WORD if any(word.startswith(text[:LONGEST_WORD]) for word in words_of(term)) else Match.PART


_INDEXED = {TOPIC: t.topic, SUBJECT: t.subject, COLUMN: t.schema_definition}


def is_indexed(conn: Connection, kinds: Collection[int] = tuple(_INDEXED)) -> bool:
    """Return whether all names of *kinds* are in the index; nodes are where the graph is of the newest scan."""
    progress = {row.kind: row.last_id for row in conn.execute(select(t.search_progress))}
    for kind in {COLUMN if kind == TAG else kind for kind in kinds} & _INDEXED.keys():
        if (conn.scalar(select(func.max(_INDEXED[kind].c.id))) or 0) > progress.get(kind, 0):
            return False
    if TAG in kinds and CATALOG_TAG not in progress:
        return False
    return NODE not in kinds or newest_scan(conn) == progress.get(NODE, 0)
