"""What a scan proves of rows that it does not name: gone, or only not seen; and who knows a topic best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import Key, Stored, Wanted
from scanner_dictionary.write.entities import Entity
from scanner_dictionary.write.sources import Sources

_BEST_FIRST = ("kafka", "manual", "ksqldb")

Held = frozenset[tuple[int, str]]
"""Topics, each with the source whose unread names it hangs on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionRules:
    """Tells of a row that no fact names any more whether it is gone.

    *naming* are the sources that name any fact of this kind: of an answer that is partial and names none, the kind
    itself may be what could not be read. *held* are topics that an unread name stands for.
    """

    entity: Entity
    sources: Sources
    naming: frozenset[int]
    held: Held = frozenset()

    def __call__(self, key: Key, old: Stored) -> bool:
        """Return whether the row is proven to be gone."""
        source = old.source_id
        if not self.sources.lists(source) or (source, key[0]) in self.held:
            return False
        unread = self.sources.unread(source)
        return not unread or (source in self.naming and unread.isdisjoint(self._names(key)))

    def _names(self, key: Key) -> tuple[str, ...]:
        """Return the names by which a source may list the row as unread: a subject's with its context, too."""
        at = self.entity.natural
        return (key[at], f":{key[at - 1]}:{key[at]}") if at else (key[at],)


def retained_topics(conn: Connection, sources: Sources) -> Held:
    """Find the topics that are known only through subjects or collections that could not be read this time."""
    return frozenset(
        (source, topic)
        for source, outcome in sources.outcomes.items()
        if outcome.unread
        for names, topic in _hangers(conn, source)
        if not outcome.unread.isdisjoint(names)
    )


def is_better_source(
    wanted: Iterable[Wanted],
    stored: Mapping[Key, Stored],
    kinds: Mapping[int, str],
    may_go: Callable[[Key, Stored], bool],
) -> Iterator[Wanted]:
    """Leave a topic as its better source told it where that source could not be asked this time."""
    for row in wanted:
        old = stored.get(row.key)
        told_better = old and old.gone is None and _rank(kinds[old.source_id]) < _rank(kinds[row.source_id])
        if old and told_better and not may_go(row.key, old):
            yield row._replace(source_id=old.source_id, values=old.values)
        else:
            yield row


def _hangers(conn: Connection, source: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """List the names that topics hang on in *source*, each with the topic."""
    link, collection = t.topic_schema.c, t.ksql_source.c
    links = select(link.context, link.subject, t.topic.c.name).join(t.topic, t.topic.c.id == link.topic_id)
    for context, subject, topic in conn.execute(links.where(link.source_id == source, link.gone.is_(None))):
        yield (subject, f":{context}:{subject}"), topic
    collections = select(collection.name, collection.topic_name)
    for name, topic in conn.execute(collections.where(collection.source_id == source, collection.gone.is_(None))):
        yield (name,), topic


def _rank(kind: str) -> int:
    return next((i for i, word in enumerate(_BEST_FIRST) if kind.startswith(word)), len(_BEST_FIRST))
