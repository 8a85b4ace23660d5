"""The index of names: its kinds and words, the names in it that a text may mean, and whether it is complete."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from sqlalchemy import Connection, func, select

from scanner_dictionary.graph.store import newest_scan
from scanner_dictionary.schema import tables as t
from scanner_model.columns import field_name

TOPIC, NODE, SUBJECT, TAG, COLUMN, CATALOG_TAG = 1, 2, 3, 4, 5, 6

LONGEST_WORD = 64
_WORDS_OF_A_TERM = 16
LONGEST_TERM = 200
COMPARED_NAMES = 20_000
"""Up to this many names are compared one by one for a suggestion."""

_NEIGHBOURS = 30
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[^A-Za-z0-9])(?=[A-Za-z0-9])")


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
    lower_text = text.lower()
    rows = conn.execute(query.where(word.word == lower_text[:LONGEST_WORD]))
    return {key: name for key, name in rows if name.lower() == lower_text[:LONGEST_TERM]}


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


def escaped(text: str) -> str:
    """Return *text* as a part of a LIKE pattern that matches it literally."""
    return text.replace("/", "//").replace("%", "/%").replace("_", "/_")


_INDEXED = {TOPIC: t.topic, SUBJECT: t.subject, COLUMN: t.schema_definition}
_NEWEST = select(*(select(func.max(table.c.id)).scalar_subquery() for table in _INDEXED.values()))


def is_indexed(conn: Connection, kinds: Collection[int] = tuple(_INDEXED)) -> bool:
    """Return whether all names of *kinds* are in the index; nodes are where the graph is of the newest scan."""
    progress = {row.kind: row.last_id for row in conn.execute(select(t.search_progress))}
    newest = dict(zip(_INDEXED, conn.execute(_NEWEST).one(), strict=True))
    indexed_kinds = {COLUMN if kind == TAG else kind for kind in kinds} & _INDEXED.keys()
    if any((newest[kind] or 0) > progress.get(kind, 0) for kind in indexed_kinds):
        return False
    if TAG in kinds and CATALOG_TAG not in progress:
        return False
    return NODE not in kinds or newest_scan(conn) == progress.get(NODE, 0)
