"""Keeps the index of names that searches use: names of new topics, subjects and columns, and the nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby
from operator import itemgetter

from sqlalchemy import Connection, func, select

from scanner_dictionary.engine.rows import in_chunks, insert_rows
from scanner_dictionary.graph.store import newest_scan
from scanner_dictionary.queries.columns import texts
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import (
    COLUMN,
    COLUMN_DOC,
    DOC_MARK,
    FLOW_COLUMN,
    LONGEST_TERM,
    NODE,
    OWNER,
    SUBJECT,
    TABLE_COLUMN,
    TAG_NAME,
    TOPIC,
    TOPIC_DOC,
    doc_words,
    leaf_name,
    words_of,
)
from scanner_model.columns import ColumnPath

_DEFINITIONS_AT_ONCE = 2_000
_NAMES_AT_ONCE = 500
_KEPT_TERMS = 500_000

Use = tuple[int, str, int]
"""A kind, a name, and the key of what has it."""


def index_new_names(conn: Connection) -> None:
    """Add the names, tags, owners and documentation that were stored since, in the caller's transaction."""
    terms = _Terms(conn)
    for kind, table in ((TOPIC, t.topic), (SUBJECT, t.subject)):
        last = _indexed_up_to(conn, kind)
        rows = conn.execute(select(table.c.id, table.c.name).where(table.c.id > last).order_by(table.c.id))
        for chunk in in_chunks(rows.all()):
            terms.add((kind, name, key) for key, name in chunk)
            _note_progress(conn, kind, chunk[-1][0])
    _index_columns(conn, terms)
    _replace(conn, terms, (TABLE_COLUMN,), ("catalog_table",), _table_uses)
    # Definitions, whose tags are counted here, change with the links of topics.
    _replace(conn, terms, (TAG_NAME, OWNER, TOPIC_DOC), ("topic", "annotation", "topic_schema"), _annotation_uses)


def index_nodes(
    conn: Connection, nodes: Iterable[tuple[int, str]], columns: Iterable[tuple[int, ColumnPath]] = ()
) -> None:
    """Replace the nodes in the index by *nodes*, keys and names, in the caller's transaction.

    *columns* are those that no schema describes, with their paths.
    """
    conn.execute(t.search_use.delete().where(t.search_use.c.kind.in_((NODE, FLOW_COLUMN))))
    terms = _Terms(conn)
    named = ((key, leaf_name(path)) for key, path in columns)
    uses = chain(((NODE, name, key) for key, name in nodes), ((FLOW_COLUMN, name, key) for key, name in named if name))
    for chunk in in_chunks(uses):
        terms.add(chunk)
    _note_progress(conn, NODE, newest_scan(conn))


def note_older_graph(conn: Connection) -> None:
    """Note that the nodes in the index are not those of a graph of the newest scan."""
    conn.execute(t.search_progress.delete().where(t.search_progress.c.kind == NODE))


def _replace(
    conn: Connection,
    terms: _Terms,
    kinds: Sequence[int],
    entities: Sequence[str],
    read: Callable[[Connection], Iterable[Use]],
) -> None:
    """Replace the uses of *kinds* if a fact of *entities* changed; the first kind notes the progress."""
    log, last = t.change_log.c, _indexed_up_to(conn, kinds[0])
    changed = select(log.scan_id).where(log.scan_id > last, log.entity_kind.in_(entities)).limit(1)
    if conn.execute(changed).first() is not None:
        conn.execute(t.search_use.delete().where(t.search_use.c.kind.in_(kinds)))
        for chunk in in_chunks(read(conn)):
            terms.add(chunk)
    _note_progress(conn, kinds[0], newest_scan(conn))


def _table_uses(conn: Connection) -> Iterator[Use]:
    """Yield the columns of the tables of catalogs and databases, once for each table and name."""
    column = t.catalog_column.c
    query = select(column.catalog_table_id, column.path).join(
        t.catalog_table, t.catalog_table.c.id == column.catalog_table_id
    )
    rows = conn.execute(query.where(t.catalog_table.c.gone.is_(None)).order_by(column.catalog_table_id))
    for table, group in groupby(rows, key=lambda row: row[0]):
        names = dict.fromkeys(_leaf(path) for _, path in group)
        yield from ((TABLE_COLUMN, name, table) for name in names if name)


def _annotation_uses(conn: Connection) -> Iterator[Use]:
    """Yield tags and owners, each once, and the words that describe topics."""
    topic, note, link = t.topic.c, t.annotation.c, t.topic_schema.c
    tags: dict[str, None] = {}
    owners: dict[str, None] = {}
    words: dict[Use, None] = {}
    for key, cell, text in conn.execute(select(topic.id, topic.tags, topic.description).where(topic.gone.is_(None))):
        tags |= dict.fromkeys(texts(cell))
        words |= dict.fromkeys((TOPIC_DOC, DOC_MARK + word, key) for word in doc_words(text))
    described = select(topic.id, note.tags, note.owner, note.description).select_from(t.annotation)
    on_topic = (topic.cluster_id == note.cluster_id) & (topic.name == note.topic)
    for key, cell, owner, text in conn.execute(described.outerjoin(t.topic, on_topic).where(note.gone.is_(None))):
        tags |= dict.fromkeys(texts(cell))
        owners |= {owner: None} if owner and key is not None else {}
        found = doc_words(text) if key is not None else ()
        words |= dict.fromkeys((TOPIC_DOC, DOC_MARK + word, key) for word in found)
    column = t.schema_column.c
    of_columns = select(column.tags).join(t.topic_schema, link.definition_id == column.definition_id).distinct()
    for cell in conn.scalars(of_columns.where(column.tags.is_not(None), link.is_current, link.gone.is_(None))):
        tags |= dict.fromkeys(texts(cell))
    yield from ((kind, name, 0) for kind, names in ((TAG_NAME, tags), (OWNER, owners)) for name in names if name)
    yield from words


def _index_columns(conn: Connection, terms: _Terms) -> None:
    """Add the columns of new definitions; a definition is never changed."""
    newest = int(conn.scalar(select(func.max(t.schema_definition.c.id))) or 0)
    last = _indexed_up_to(conn, COLUMN)
    for first in range(last + 1, newest + 1, _DEFINITIONS_AT_ONCE):
        end = min(first + _DEFINITIONS_AT_ONCE - 1, newest)
        terms.add_of_each(_column_uses(conn, first, end))
        _note_progress(conn, COLUMN, end)


def _column_uses(conn: Connection, first: int, last: int) -> Iterator[tuple[int, Collection[str], int]]:
    """Yield the names of the columns of each definition, and the words that describe them, each once."""
    column = t.schema_column.c
    query = select(column.definition_id, column.path, column.doc)
    query = query.where(column.definition_id.between(first, last))
    result = conn.execute(query.order_by(column.definition_id))
    # Past SQLAlchemy's row: it costs as much as reading the cells.
    cells: Sequence[tuple[int, str, str | None]] = result.cursor.fetchall() if result.cursor else ()
    for definition, group in groupby(cells, key=itemgetter(0)):
        rows = list(group)
        names = dict.fromkeys([_leaf(path) for _, path, _ in rows])
        words = dict.fromkeys(chain.from_iterable([_doc_words(doc) for *_, doc in rows if doc]))
        # A word that is a column's name leads to the definition already.
        for name in names:
            words.pop(DOC_MARK + name.lower(), None)
        names.pop("", None)
        yield COLUMN, names, definition
        yield COLUMN_DOC, words, definition


@lru_cache(maxsize=1 << 16)
def _leaf(path: str) -> str:
    """Return the name of a column by its path (JSON); schemas have the same paths over and over."""
    return leaf_name(texts(path))


@lru_cache(maxsize=1 << 16)
def _doc_words(text: str) -> tuple[str, ...]:
    """Return the words of a documentation, marked; versions of a schema have the same ones over and over."""
    return tuple(DOC_MARK + word for word in doc_words(text))


class _Terms:
    """Adds uses of names, and the terms and words that are new."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._known: dict[str, int] = {}
        self._next = int(conn.scalar(select(func.max(t.search_term.c.id))) or 0) + 1

    def add(self, uses: Iterable[Use]) -> None:
        """Add *uses* that are not in the index yet."""
        listed = [use if len(use[1]) <= LONGEST_TERM else (use[0], use[1][:LONGEST_TERM], use[2]) for use in uses]
        self._learn(dict.fromkeys(name for _, name, _ in listed))
        known = self._known
        insert_rows(self._conn, t.search_use, sorted({(kind, known[name], key) for kind, name, key in listed}))
        if len(self._known) > _KEPT_TERMS:
            self._known.clear()

    def add_of_each(self, uses: Iterable[tuple[int, Collection[str], int]]) -> None:
        """Add uses that are not in the index yet: of each kind and key all its names, each once."""
        listed = list(uses)
        names = dict.fromkeys(chain.from_iterable([names for _, names, _ in listed]))
        if any(len(name) > LONGEST_TERM for name in names):  # several may begin alike
            self.add((kind, name, key) for kind, names, key in listed for name in names)
            return
        self._learn(names)
        known = self._known
        rows = [(kind, known[name], key) for kind, names, key in listed for name in names]
        insert_rows(self._conn, t.search_use, sorted(rows))
        if len(self._known) > _KEPT_TERMS:
            self._known.clear()

    def _learn(self, names: Iterable[str]) -> None:
        unknown = [name for name in names if name not in self._known]
        term = t.search_term.c
        for chunk in in_chunks(unknown, _NAMES_AT_ONCE):
            rows = self._conn.execute(select(term.term, term.id).where(term.term.in_(chunk)))
            self._known |= {row.term: row.id for row in rows}
        new = [name for name in unknown if name not in self._known]
        keys = dict(zip(new, range(self._next, self._next + len(new)), strict=True))
        self._next += len(new)
        self._known |= keys
        insert_rows(self._conn, t.search_term, ((key, name) for name, key in keys.items()))
        insert_rows(
            self._conn, t.search_word, sorted((word, key) for name, key in keys.items() for word in words_of(name))
        )


def _indexed_up_to(conn: Connection, kind: int) -> int:
    progress = t.search_progress.c
    return int(conn.scalar(select(progress.last_id).where(progress.kind == kind)) or 0)


def _note_progress(conn: Connection, kind: int, key: int) -> None:
    conn.execute(t.search_progress.delete().where(t.search_progress.c.kind == kind))
    insert_rows(conn, t.search_progress, [(kind, key)])
