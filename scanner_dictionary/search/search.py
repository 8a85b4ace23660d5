"""Searches by name in the index of names: topics, nodes of the graph, subjects, columns and tags, the best first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import groupby, islice
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, func, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.columns import texts
from scanner_dictionary.queries.tag_decisions import Decisions
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search import statements as sql
from scanner_dictionary.search.names import (
    COLUMN,
    COLUMN_DOC,
    DOC_MARK,
    FLOW_COLUMN,
    LAST,
    LONGEST_TERM,
    LONGEST_WORD,
    NODE,
    OWNER,
    SUBJECT,
    TABLE_COLUMN,
    TAG_NAME,
    TOPIC,
    TOPIC_DOC,
    doc_words,
    escaped,
    is_indexed,
    leaf_name,
    words_of,
)
from scanner_dictionary.search.other_columns import OtherColumn, cluster_names, flow_columns, table_columns
from scanner_model.columns import KEY, path_name

T = TypeVar("T")

KINDS: Mapping[str, int] = {
    "topic": TOPIC,
    "node": NODE,
    "subject": SUBJECT,
    "column": COLUMN,
    "tag": TAG_NAME,
    "owner": OWNER,
}
"""What can be searched for, by the word that users write; *node* is a job, dataset or consumer group."""

_USES: Mapping[int, Sequence[int]] = {
    **{kind: (kind,) for kind in (*sql.ENTITIES, TAG_NAME, OWNER)},
    COLUMN: (FLOW_COLUMN, TABLE_COLUMN),
}
"""The uses that are read at once, by the kind that is searched for; those of columns of schemas are too many."""

_USES_AT_ONCE = 2_000

_Uses = Mapping[tuple[int, int], Sequence[int]]
"""What has a term as its name, by the use's kind and the term."""

_SCANNED_TERMS = 100_000
"""Up to this many terms are searched for a part of a word, which no index answers, where no word begins with it."""

_NO_TAGS: Decisions = {}
"""A hit has no tags, so that those that people accepted are not read."""

_TOPICS_OF_A_PATH = 10
_AT_ONCE = 32


class Match(IntEnum):
    """How a name matches the text of a search, the best first."""

    EXACT = 0
    PREFIX = 1
    WORD = 2
    PART = 3
    DOC = 4


class SearchHit(NamedTuple):
    """Something with a matching name; *node* is its key in the graph where it is a node, else empty.

    *kind* is topic, subject, column, tag, owner, or the kind of a node (job, dataset, consumer-group). *path* is a
    column's, else None. *where* is the cluster, or the namespace of a node; empty for a tag or owner. *match* is exact,
    prefix, word, part, or doc where the documentation has the words. *origin* is where a column is known from: schema,
    declared (by hand or ksqlDB), derived (from a flow) or table; else empty. *topics* are the first ones of a subject.
    """

    kind: str
    where: str
    name: str
    path: tuple[str, ...] | None
    detail: str
    node: str
    match: str
    origin: str = ""
    topics: tuple[str, ...] = ()


class SearchResult(NamedTuple):
    """The hits, the best first; *more*: there are others on the next page.

    *complete* is False where others may match and are on no page: their names are not indexed yet, the graph of the
    newest scan was not generated, or so much matches that not all is ranked. *clusters* are the names of the clusters
    by their namespaces in the graph; empty without hits.
    """

    hits: tuple[SearchHit, ...]
    more: bool
    complete: bool
    clusters: Mapping[str, str] = MappingProxyType({})


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
    numbers = [number for kind, number in KINDS.items() if kind in (kinds or KINDS)]
    # Of columns, some are only in the graph.
    needed = [*numbers, NODE] if COLUMN in numbers else numbers
    if not lower_text:
        return SearchResult((), more=False, complete=is_indexed(conn, needed))
    searching = _Searching(conn, lower_text, cluster, limit + offset + 1)
    hits = searching.hits(numbers)
    page = tuple(hits[offset : offset + limit])
    complete = not searching.is_cut and is_indexed(conn, needed)
    clusters = searching.clusters if page else {}
    return SearchResult(page, more=len(hits) > offset + limit, complete=complete, clusters=clusters)


def flows_first(conn: Connection, hits: Iterable[SearchHit], text: str) -> list[SearchHit]:
    """Return *hits* in their order, but among equal matches of one kind those with flows before those without.

    What is called *text* as a whole stays in front.
    """
    listed = list(hits)
    values = {"names": sorted({hit.name for hit in listed}), "nodes": sorted({hit.node for hit in listed})}
    flowing = frozenset(conn.scalars(sql.FLOWING, values))

    def rank(hit: SearchHit) -> tuple[bool, bool]:
        name = hit.name if hit.path is None else f"{hit.name}.{path_name(hit.path)}"
        return name.lower() != text.strip().lower(), hit.node not in flowing

    alike = groupby(listed, key=lambda hit: (hit.match, hit.kind if hit.kind in KINDS else "node"))
    return [hit for _, group in alike for hit in sorted(group, key=rank)]


class _Searching:
    """One search: candidate terms by rank, then what has them, until enough is found."""

    def __init__(self, conn: Connection, text: str, cluster: str | None, most: int) -> None:
        self._conn, self._text, self._cluster, self._most = conn, text, cluster, most
        self.is_cut = False
        """Whether more matches than is looked at."""

    def _bounded(self, rows: Sequence[T], most: int) -> Sequence[T]:
        """Return *rows*, at most *most*; note if there may be others."""
        self.is_cut = self.is_cut or len(rows) >= most
        return rows

    def hits(self, kinds: Sequence[int]) -> list[SearchHit]:
        """Return at least as many hits as are wanted, where there are so many."""
        hits: dict[SearchHit, None] = {}
        terms = self._by_word()
        self._add_called(hits, terms, kinds)
        if COLUMN in kinds and len(hits) < self._most:
            self._add(hits, self._columns_below())
            self._add(hits, self._other_columns_below())
        if not terms and not hits:
            self._add_called(hits, self._by_part(), kinds)
        if len(hits) < self._most:
            self._add(hits, self._documented(kinds))
        return list(hits)

    def _add_called(self, hits: dict[SearchHit, None], terms: Sequence[_Term], kinds: Sequence[int]) -> None:
        """Add what is called as one of *terms*, the best first."""
        uses = self._uses(terms, [use for kind in kinds for use in _USES[kind]])
        of_columns = self._used_by_columns(terms) if COLUMN in kinds else frozenset()
        for _, group in groupby(terms, key=lambda term: term.match):
            if len(hits) >= self._most:
                break
            alike = list(group)
            for kind in sql.ENTITIES:
                self._add(hits, self._of_kind(kind, alike, uses))
            for kind, name in ((TAG_NAME, "tag"), (OWNER, "owner")):
                named = (term for term in alike if (kind, term.id) in uses and self._cluster is None)
                self._add(hits, (SearchHit(name, "", term.term, None, "", "", _word(term)) for term in named))
            self._add(hits, self._columns([term for term in alike if term.id in of_columns]))
            self._add(hits, self._other_columns(alike, uses))

    def _uses(self, terms: Sequence[_Term], kinds: Sequence[int]) -> _Uses:
        """Return what has one of *terms* as its name, in order."""
        uses: dict[tuple[int, int], list[int]] = {}
        if kinds and terms:
            values = {"kinds": kinds, "terms": [term.id for term in terms], "most": _USES_AT_ONCE}
            rows = self._conn.execute(sql.USES, values).all()
            for kind, term, entity in self._bounded(rows, _USES_AT_ONCE):
                uses.setdefault((kind, term), []).append(entity)
        return uses

    def _used_by_columns(self, terms: Sequence[_Term]) -> frozenset[int]:
        """Return the keys of those of *terms* that columns of schemas have as their name."""
        wanted = {"terms": [term.id for term in terms]}
        return frozenset(self._conn.scalars(sql.TERMS_OF_COLUMNS, wanted) if terms else ())

    def _other_columns(self, terms: Iterable[_Term], uses: _Uses) -> Iterator[SearchHit]:
        """Yield the columns of tables, and those that only flows know, called as one of *terms*, in their order."""
        tables_too = self._cluster not in self.clusters.values()
        having = (
            term for term in terms if (FLOW_COLUMN, term.id) in uses or (tables_too and (TABLE_COLUMN, term.id) in uses)
        )
        for chunk in _growing(having):
            names = {term.term for term in chunk}
            found: dict[str, list[OtherColumn]] = {}
            for column in self._named(names, chunk, uses, tables=tables_too):
                if self._is_in_place(column.cluster or column.namespace):
                    found.setdefault(leaf_name(column.path)[:LONGEST_TERM], []).append(column)
            for term in chunk:
                yield from (_other_hit(column, term) for column in found.get(term.term, ()))

    def _named(
        self, names: Collection[str], terms: Sequence[_Term], uses: _Uses, *, tables: bool
    ) -> Iterator[OtherColumn]:
        """Yield the columns of tables, then those that only flows know, with one of *names*, those of *terms*."""

        def is_called(path: tuple[str, ...]) -> bool:
            return leaf_name(path)[:LONGEST_TERM] in names

        of_tables, of_flows = (
            {key for term in terms for key in uses.get((kind, term.id), ())} for kind in (TABLE_COLUMN, FLOW_COLUMN)
        )
        if tables and of_tables:
            yield from table_columns(self._conn, of_tables, is_called, _NO_TAGS)
        if of_flows:
            yield from flow_columns(self._conn, of_flows, self.clusters, is_called, _NO_TAGS)

    def _is_in_place(self, where: str) -> bool:
        """Check whether a hit's place is the one that is searched: nodes of a cluster have its namespace."""
        return self._cluster is None or self._cluster in (where, self.clusters.get(where))

    @cached_property
    def clusters(self) -> Mapping[str, str]:
        """The names of the clusters by their namespaces in the graph."""
        return cluster_names(self._conn)

    def _documented(self, kinds: Iterable[int]) -> Iterator[SearchHit]:
        """Yield the topics and columns that are documented with the text."""
        words = sorted(doc_words(self._text), key=len)
        uses = [use for kind, use in ((TOPIC, TOPIC_DOC), (COLUMN, COLUMN_DOC)) if kind in kinds]
        if not words or not uses:
            return
        start = DOC_MARK + words[-1]
        terms = [key for key, _ in self._conn.execute(sql.TERMS_BY_WORD, {"first": start, "last": start + LAST})]
        values = {"kinds": uses, "terms": terms, "most": sql.CANDIDATES}
        rows = self._bounded(self._conn.execute(sql.USES, values).all(), sql.CANDIDATES) if terms else ()
        keys = {use: sorted({entity for kind, _, entity in rows if kind == use}) for use in uses}
        yield from self._documented_topics(keys.get(TOPIC_DOC, ()))
        yield from self._documented_columns(keys.get(COLUMN_DOC, ()))

    def _documented_topics(self, keys: Sequence[int]) -> Iterator[SearchHit]:
        rows = self._conn.execute(sql.TOPIC_DOCS, {"keys": keys}).all() if keys else ()
        for where, name, text, noted in rows:
            described = next((each for each in (text, noted) if each and self._text in each.lower()), "")
            if described and self._is_in_place(where):
                yield SearchHit("topic", where, name, None, described, "", _word(Match.DOC))

    def _documented_columns(self, keys: Sequence[int]) -> Iterator[SearchHit]:
        topics = self._topics_of(keys) if keys else {}
        values = {"definitions": sorted(topics), "like": f"%{escaped(self._text)}%" if self._text.isascii() else "%"}
        rows = self._conn.execute(sql.COLUMN_DOCS, values).all() if topics else ()
        for definition, path, doc in rows:
            for topic in topics[definition] if self._text in doc.lower() else ():
                at = topic.cluster, topic.topic, _in_message(topic.schema_role, texts(path))
                yield SearchHit("column", *at, doc, "", _word(Match.DOC), _origin(topic))

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
        return self._ranked(self._conn.execute(sql.TERMS_BY_WORD, {"first": start, "last": start + LAST}).all())

    def _by_part(self) -> list[_Term]:
        """Return the terms with the text inside a word; none in a large dictionary, where no index answers that."""
        term = t.search_term.c
        if int(self._conn.scalar(select(func.max(term.id))) or 0) > _SCANNED_TERMS:
            self.is_cut = True
            return []
        # LIKE of SQLite ignores the case of what lower() changes there: twice as fast without.
        name = term.term if self._conn.dialect.name == "sqlite" else func.lower(term.term)
        part = name.contains(self._text, autoescape=True) & ~term.term.startswith(DOC_MARK)
        return self._ranked(self._conn.execute(select(term.id, term.term).where(part).limit(sql.CANDIDATES)).all())

    def _ranked(self, rows: Sequence[Any]) -> list[_Term]:
        terms = {key: _Term(key, name, _match(name, self._text)) for key, name in self._bounded(rows, sql.CANDIDATES)}
        fitting = (term for term in terms.values() if self._text in term.term.lower())
        return sorted(fitting, key=lambda term: (term.match, len(term.term), term.term))

    def _of_kind(self, kind: int, terms: Sequence[_Term], uses: _Uses) -> Iterator[SearchHit]:
        """Yield the topics, nodes or subjects called as one of *terms*, in their order."""
        matches = {entity: term.match for term in terms for entity in uses.get((kind, term.id), ())}
        for chunk in in_chunks(matches, sql.CANDIDATES):
            rows_of = {row[0]: row for row in self._conn.execute(sql.ENTITIES[kind], {"keys": chunk})}
            topics = self._topics_of_subjects(rows_of) if kind == SUBJECT else {}
            for entity in chunk:
                if entity in rows_of and self._is_in_place(rows_of[entity][2]):
                    _, kind_name, where, name, detail, node = rows_of[entity]
                    of_subject = tuple(topics.get(entity, ()))
                    yield SearchHit(
                        kind_name, where, name, None, detail, node, _word(matches[entity]), topics=of_subject
                    )

    def _topics_of_subjects(self, keys: Iterable[int]) -> Mapping[int, list[str]]:
        topics: dict[int, list[str]] = {}
        for subject, topic in self._conn.execute(sql.TOPICS_OF_SUBJECTS, {"keys": list(keys)}):
            topics.setdefault(subject, []).append(topic)
        return topics

    def _columns(self, terms: Sequence[_Term]) -> Iterator[SearchHit]:
        """Yield the columns called as one of *terms*, in their order; more are read at once the more are wanted."""
        for chunk in _growing(self._definitions(terms)):
            topics = self._topics_of({definition for _, definition in chunk})
            columns = self._columns_of(topics, _like(self._text, "%"))
            for term, definition in chunk:
                match = _word(term)
                for path, _, type_ in columns.get(definition, ()):
                    if leaf_name(path)[:LONGEST_TERM] == term.term:
                        for topic in topics[definition]:
                            location = _in_message(topic.schema_role, path)
                            at = topic.cluster, topic.topic, location
                            yield SearchHit("column", *at, type_, "", match, _origin(topic))

    def _definitions(self, terms: Sequence[_Term]) -> Iterator[tuple[_Term, int]]:
        """Yield the definitions that have a column of each of *terms*, at most 200 of one term."""
        for chunk in _growing(terms):
            most = sql.CANDIDATES * len(chunk)
            rows = self._conn.execute(sql.DEFINITIONS, {"terms": [term.id for term in chunk], "most": most}).all()
            definitions: dict[int, list[int]] = {}
            for term_id, definition in self._bounded(rows, most):
                definitions.setdefault(term_id, []).append(definition)
            for term in chunk:
                first = sorted(definitions.get(term.id, ()))[: sql.CANDIDATES]
                yield from ((term, definition) for definition in self._bounded(first, sql.CANDIDATES))

    def _columns_below(self) -> Iterator[SearchHit]:
        """Yield the columns of topics if the text contains both, as in `orders.customer.id`."""
        for at in (at for at, mark in enumerate(self._text) if mark == "." and at):
            head, start = self._text[:at], self._text[at + 1 :]
            word = head[:LONGEST_WORD]
            rows = self._conn.execute(sql.TERMS_BY_WORD, {"first": word, "last": word}).all()
            terms = [_Term(key, name, Match.EXACT) for key, name in rows if name.lower().endswith(head)]
            uses = self._uses(terms, (TOPIC,))
            for hit in islice(self._of_kind(TOPIC, terms, uses), _TOPICS_OF_A_PATH):
                sides = self._conn.execute(sql.SIDES_OF_TOPIC, {"cluster": hit.where, "topic": hit.name}).all()
                columns = self._columns_of({side.definition_id for side in sides}, _like(start, ""))
                for side in sides:
                    definition, role = side.definition_id, side.schema_role
                    begun = (column for column in columns.get(definition, ()) if column[1].lower().startswith(start))
                    for path, name, type_ in begun:
                        match = "exact" if name.lower() == start else "prefix"
                        place = hit.where, hit.name, _in_message(role, path)
                        yield SearchHit("column", *place, type_, "", match, _origin(side))

    def _other_columns_below(self) -> Iterator[SearchHit]:
        """Yield the columns of tables and flows if the text contains the end of the table's name, too."""
        head, _, leaf = self._text.rpartition(".")
        start = leaf[:LONGEST_WORD]
        rows = self._conn.execute(sql.TERMS_BY_WORD, {"first": start, "last": start + LAST}).all() if start else ()
        terms = [_Term(key, name, _match(name, leaf)) for key, name in rows if head and name.lower().startswith(leaf)]
        for hit in self._other_columns(terms, self._uses(terms, _USES[COLUMN])):
            if f".{self._text}" in f".{hit.name}.{path_name(hit.path or ())}".lower():
                yield hit

    def _columns_of(self, definitions: Collection[int], like: str) -> Mapping[int, list[tuple[Any, str, str]]]:
        """Return path, name and type of the columns whose name is *like* a pattern, in any letter case."""
        columns: dict[int, list[tuple[Any, str, str]]] = {}
        values = {"definitions": sorted(definitions), "like": like}
        rows = self._conn.execute(sql.COLUMNS_LIKE, values).all() if definitions else ()
        for definition, path, name, type_ in rows:
            columns.setdefault(definition, []).append((texts(path), name, type_))
        return columns

    def _topics_of(self, definitions: Collection[int]) -> Mapping[int, list[Any]]:
        """Return cluster, name and side of the first topics that each of *definitions* describes now."""
        topics: dict[int, list[Any]] = {}
        query = sql.TOPICS_OF_DEFINITIONS if self._cluster is None else sql.TOPICS_IN_CLUSTER
        values = {"definitions": sorted(definitions), "cluster": self._cluster}
        for row in self._conn.execute(query, values):
            topics.setdefault(row.definition_id, []).append(row)
        for rows in topics.values():
            self._bounded(rows, sql.TOPICS_AT_ONCE)
        return topics


def _growing(items: Iterable[T]) -> Iterator[list[T]]:
    """Cut *items* into lists that become longer: few where the first are enough."""
    rest, size = iter(items), 2
    while chunk := list(islice(rest, size)):
        yield chunk
        size = min(4 * size, _AT_ONCE)


def _like(text: str, before: str) -> str:
    """Return the pattern of the names of columns that have *text*, in lower case, after *before*.

    SQLite lowers ASCII only, and names are quoted with backticks: for others it is that of every name.
    """
    return f"{before}{escaped(text)}%" if text.isascii() and "`" not in text else "%"


def _word(match: Match | _Term) -> str:
    return (match.match if isinstance(match, _Term) else match).name.lower()


def _origin(link: Any) -> str:  # noqa: ANN401 - a row of a query above
    """Return where the columns of a topic's schema are known from."""
    return "declared" if link.registry_id is None else "schema"


def _other_hit(column: OtherColumn, term: _Term) -> SearchHit:
    where = column.cluster or column.namespace
    return SearchHit("column", where, column.name, column.path, column.type, column.node, _word(term), column.origin)


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
