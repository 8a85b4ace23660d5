"""Which consumer groups there are now, and which topics they read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection, and_, select

from scanner_dictionary import tables as t


class GroupRow(NamedTuple):
    """A consumer group; *state* is the broker's word, *topics* those that it has offsets for or is assigned."""

    cluster: str
    source: str
    name: str
    state: str
    topics: tuple[str, ...]


def consumer_groups(conn: Connection) -> Iterator[GroupRow]:
    """List the groups by cluster and name, each with its topics by name."""
    group, topic = t.consumer_group.c, t.consumer_group_topic.c
    there = and_(topic.consumer_group_id == group.id, topic.gone.is_(None))
    query = (
        select(t.cluster.c.name, t.source.c.name, group.name, group.state, topic.topic_name)
        .select_from(t.consumer_group)
        .join(t.cluster, t.cluster.c.id == group.cluster_id)
        .join(t.source, t.source.c.id == group.source_id)
        .outerjoin(t.consumer_group_topic, there)
        .where(group.gone.is_(None))
        .order_by(t.cluster.c.name, group.name, topic.topic_name)
    )
    for (cluster, source, name, state), rows in groupby(conn.execute(query), key=lambda row: tuple(row[:4])):
        yield GroupRow(cluster, source, name, state, tuple(row[4] for row in rows if row[4] is not None))
