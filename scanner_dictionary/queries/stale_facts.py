"""Which named facts are of a source that could not be read since: topics, groups, connectors, statements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, Table, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.queries.facts import newest_scans
from scanner_dictionary.schema import tables as t

_AT_ONCE = 500

_NAMED: Mapping[str, Table] = {
    "topic": t.topic,
    "consumer-group": t.consumer_group,
    "connector": t.connector,
    "ksqldb": t.ksql_query,
    "flink": t.flink_statement,
    "streams": t.streams_topology,
}
"""The tables of facts that the graph has nodes of; a source and a name identify a row."""


class StaleFact(NamedTuple):
    """A fact that the newest scan of its cluster did not confirm, because *source* could not be read; *reason* is why.

    *kind* is topic, consumer-group, connector, ksqldb, flink or streams. A topic whose current schema is not confirmed
    is one, too; *source* is that of the schema.
    """

    kind: str
    cluster: str
    source: str
    name: str
    reason: str


def stale_facts(conn: Connection, names: Collection[str]) -> tuple[StaleFact, ...]:
    """Return the stale facts that are called one of *names*; a single look-up where every source is fresh."""
    source = t.source.c
    query = select(source.id, t.cluster.c.id, t.cluster.c.name, source.name, source.stale_reason)
    query = query.join(t.cluster, t.cluster.c.id == source.cluster_id).where(source.stale_since.is_not(None))
    sources = {key: rest for key, *rest in conn.execute(query)}
    if not sources:
        return ()
    newest = newest_scans(conn)
    return tuple(
        StaleFact(kind, cluster, source_name, name, reason or "it could not be read")
        for kind, name, key, last_seen in _rows(conn, sources, sorted(names))
        for cluster_id, cluster, source_name, reason in (sources[key],)
        if last_seen < newest.get(cluster_id, 0)
    )


def _rows(conn: Connection, sources: Collection[int], names: list[str]) -> Iterator[tuple[str, str, int, int]]:
    """Yield kind, name, source and last scan of the facts with one of *names* that exist."""
    for chunk in in_chunks(names, _AT_ONCE):
        for kind, table in _NAMED.items():
            query = select(table.c.name, table.c.source_id, table.c.last_seen)
            query = query.where(table.c.name.in_(chunk), table.c.source_id.in_(sources), table.c.gone.is_(None))
            yield from ((kind, *row) for row in conn.execute(query))
        yield from (("topic", *row) for row in conn.execute(_schemas(sources, chunk)))


def _schemas(sources: Collection[int], names: Collection[str]) -> Select[Any]:
    link, topic = t.topic_schema.c, t.topic.c
    query = select(topic.name, link.source_id, link.last_seen).join(t.topic_schema, link.topic_id == topic.id)
    current = link.is_current, link.gone.is_(None), topic.gone.is_(None)
    return query.where(topic.name.in_(names), link.source_id.in_(sources), *current)
