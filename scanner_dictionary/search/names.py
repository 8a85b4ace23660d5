"""The index of names: its kinds and words, the names in it that a text may mean, and whether it is complete."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import Connection, bindparam, func, select

from scanner_dictionary.schema import tables as t
from scanner_model.columns import field_name

TOPIC, NODE, SUBJECT, COLUMN = 1, 2, 3, 5
FLOW_COLUMN, TABLE_COLUMN, TAG_NAME, OWNER, COLUMN_DOC, TOPIC_DOC = 7, 8, 9, 10, 11, 12

DOC_MARK = "\t"
"""What a word of documentation begins with as a term, so that no search for a name meets it."""

LONGEST_WORD = 64
LAST = "\U0010ffff"
"""Comes after all that a text begins with."""

_WORDS_OF_A_TERM = 16
LONGEST_TERM = 200
COMPARED_NAMES = 20_000
"""Up to this many names are compared one by one for a suggestion."""

_NEIGHBOURS = 30
_DOC_WORD = re.compile(r"\w{3,}")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[^A-Za-z0-9])(?=[A-Za-z0-9])")


def words_of(name: str) -> tuple[str, ...]:
    """Return the rests of *name* from the start of each of its words, in lower case, each once.

    >>> words_of("orderItem_id")
    ('orderitem_id', 'item_id', 'id')
    """
    if name.startswith(DOC_MARK):
        return (name.lower()[:LONGEST_WORD],)
    starts = [0, *(match.start() for match in _BOUNDARY.finditer(name))][:_WORDS_OF_A_TERM]
    words = (name[start:].lower()[:LONGEST_WORD] for start in starts)
    return tuple(dict.fromkeys(word for word in words if word))


def doc_words(text: str) -> tuple[str, ...]:
    """Return the words of a documentation, in lower case, each once; those of one or two letters are left out."""
    return tuple(dict.fromkeys(word[: LONGEST_WORD - 1] for word in _DOC_WORD.findall(text.lower())))


def leaf_name(path: tuple[str, ...]) -> str:
    """Return the name of the innermost field of *path*; empty where the message is one value."""
    return next(filter(None, map(field_name, reversed(path))), "")


def spellings(conn: Connection, text: str) -> Mapping[int, str]:
    """Return the terms that are *text*, whatever their letter case, by their keys."""
    word, term = t.search_word.c, t.search_term.c
    query = select(term.id, term.term).join(t.search_word, word.term_id == term.id)
    lower_text = text.lower()
    rows = conn.execute(query.where(word.word == lower_text[:LONGEST_WORD]))
    return {key: name for key, name in rows if name.lower() == lower_text[:LONGEST_TERM]}


def all_names(conn: Connection) -> Iterator[str]:
    """Return every name in the index, without the words of documentation."""
    return iter(conn.scalars(select(t.search_term.c.term).where(~t.search_term.c.term.startswith(DOC_MARK))))


def tag_names(conn: Connection) -> Sequence[str]:
    """Return the tags in the index."""
    tags = select(t.search_use.c.term_id).where(t.search_use.c.kind == TAG_NAME)
    return conn.scalars(select(t.search_term.c.term).where(t.search_term.c.id.in_(tags))).all()


def names_near(conn: Connection, text: str) -> tuple[str, ...] | None:
    """Return names in the index that may be meant by *text*: the neighbours of its words in the order of the index.

    None in a small dictionary, whose names can all be compared, and in one whose index is not complete.
    """
    if int(conn.scalar(select(func.max(t.search_term.c.id))) or 0) <= COMPARED_NAMES or not is_indexed(conn):
        return None
    names: dict[str, None] = {}
    for start in words_of(text):
        for query in (_FROM, _BEFORE):
            names |= dict.fromkeys(conn.scalars(query, {"start": start}))
    return tuple(names)


_JOINED = select(t.search_term.c.term).join(t.search_word, t.search_word.c.term_id == t.search_term.c.id)
_FROM = _JOINED.where(t.search_word.c.word >= bindparam("start")).order_by(t.search_word.c.word).limit(_NEIGHBOURS)
# Words of documentation come before all others. A second lower limit of the first query would be taken for its start.
_BEFORE = (
    _JOINED.where(t.search_word.c.word < bindparam("start"), t.search_word.c.word > DOC_MARK + LAST)
    .order_by(t.search_word.c.word.desc())
    .limit(_NEIGHBOURS)
)


def escaped(text: str) -> str:
    """Return *text* as a part of a LIKE pattern that matches it literally."""
    return text.replace("/", "//").replace("%", "/%").replace("_", "/_")


_INDEXED = {TOPIC: t.topic, SUBJECT: t.subject, COLUMN: t.schema_definition}
_NEWEST = select(*(select(func.max(table.c.id)).scalar_subquery() for table in (*_INDEXED.values(), t.scan)))


def is_indexed(conn: Connection, kinds: Collection[int] = tuple(_INDEXED)) -> bool:
    """Return whether all names of *kinds* are in the index; nodes are where the graph is of the newest scan."""
    progress = {row.kind: row.last_id for row in conn.execute(select(t.search_progress))}
    newest = dict(zip((*_INDEXED, NODE), conn.execute(_NEWEST).one(), strict=True))
    if NODE in kinds and (newest[NODE] or 0) != progress.get(NODE, 0):
        return False
    return all((newest[kind] or 0) <= progress.get(kind, 0) for kind in _INDEXED.keys() & set(kinds))
