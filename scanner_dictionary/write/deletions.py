"""Decides whether a stored row that a scan does not list is deleted or unread, and which source of a topic wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import Stored
from scanner_dictionary.write.fact_kind import FactKind, Key, Wanted
from scanner_dictionary.write.sources import Sources

_BEST_FIRST = ("kafka", "manual", "ksqldb")

RetainedTopics = frozenset[tuple[int, str]]
"""Topics, each with the source in which a name that it depends on could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionRules:
    """Decides of a row that no fact of the scan lists whether it is deleted.

    *naming* are the sources that list any fact of this kind: where a partial answer lists none, the kind itself may be
    what could not be read. *retained* are topics that depend on an unread name.
    """

    kind: FactKind
    sources: Sources
    naming: frozenset[int]
    retained: RetainedTopics = frozenset()

    def __call__(self, key: Key, row: Stored) -> bool:
        """Return whether the row is proven to be deleted."""
        source = row.source_id
        if not self.sources.is_complete(source) or (source, key[0]) in self.retained:
            return False
        unread = self.sources.unread(source)
        return not unread or (source in self.naming and unread.isdisjoint(self._names(key)))

    def _names(self, key: Key) -> tuple[str, ...]:
        """Return the names by which a source may list the row as unread: a subject's also with its context."""
        index = self.kind.name_index
        return (key[index], f":{key[index - 1]}:{key[index]}") if index else (key[index],)


def retained_topics(conn: Connection, sources: Sources) -> RetainedTopics:
    """Return the topics that are known only through subjects or collections that could not be read this time."""
    return frozenset(
        (source, topic)
        for source, outcome in sources.outcomes.items()
        if outcome.unread
        for names, topic in _topic_dependencies(conn, source)
        if not outcome.unread.isdisjoint(names)
    )


def with_better_sources(
    wanted: Iterable[Wanted],
    stored: Mapping[Key, Stored],
    kinds: Mapping[int, str],
    may_delete: Callable[[Key, Stored], bool],
) -> Iterator[Wanted]:
    """Yield *wanted* topics, each as its better source reported it where that source could not be read this time."""
    for row in wanted:
        before = stored.get(row.key)
        is_better = before and before.gone is None and _rank(kinds[before.source_id]) < _rank(kinds[row.source_id])
        if before and is_better and not may_delete(row.key, before):
            yield row._replace(source_id=before.source_id, values=before.values)
        else:
            yield row


def _topic_dependencies(conn: Connection, source: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the names in *source* that topics depend on, each with the topic."""
    link, collection = t.topic_schema.c, t.ksql_source.c
    links = select(link.context, link.subject, t.topic.c.name).join(t.topic, t.topic.c.id == link.topic_id)
    for context, subject, topic in conn.execute(links.where(link.source_id == source, link.gone.is_(None))):
        yield (subject, f":{context}:{subject}"), topic
    collections = select(collection.name, collection.topic_name)
    for name, topic in conn.execute(collections.where(collection.source_id == source, collection.gone.is_(None))):
        yield (name,), topic


def _rank(kind: str) -> int:
    return next((i for i, prefix in enumerate(_BEST_FIRST) if kind.startswith(prefix)), len(_BEST_FIRST))
