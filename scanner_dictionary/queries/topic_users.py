"""Queries for who uses a topic as their own sources report it, whether a flow of it is known or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary.schema import tables as t


class TopicUser(NamedTuple):
    """A connector, consumer group or ksqlDB collection that uses a topic; *state* is empty where it has none."""

    kind: str
    name: str
    what: str
    state: str
    source: str


def topic_users(conn: Connection, cluster: str, topic: str) -> Iterator[TopicUser]:
    """Yield those that exist, connectors first, then groups, then collections, each by name."""
    ids = select(t.cluster.c.id).where(t.cluster.c.name == cluster).scalar_subquery()
    source = t.source.c.name
    connector = t.connector.c
    query = select(connector.name, connector.topics, connector.state, source).join(
        t.source, connector.source_id == t.source.c.id
    )
    live = connector.cluster_id == ids, connector.gone.is_(None), connector.topics.is_not(None)
    for name, topics, state, of in conn.execute(query.where(*live).order_by(connector.name)):
        if topic in json.loads(topics):
            yield TopicUser("job", name, "uses", state, of)
    group, read = t.consumer_group.c, t.consumer_group_topic.c
    groups = (
        select(group.name, group.state, source)
        .select_from(t.consumer_group_topic)
        .join(t.consumer_group, group.id == read.consumer_group_id)
        .join(t.source, t.source.c.id == read.source_id)
        .where(group.cluster_id == ids, read.topic_name == topic, read.gone.is_(None), group.gone.is_(None))
    )
    for name, state, of in conn.execute(groups.order_by(group.name)):
        yield TopicUser("consumer-group", name, "reads", state, of)
    collection = t.ksql_source.c
    named = select(collection.name, source).join(t.source, t.source.c.id == collection.source_id)
    on_topic = collection.cluster_id == ids, collection.topic_name == topic, collection.gone.is_(None)
    for name, of in conn.execute(named.where(*on_topic).order_by(collection.name)):
        yield TopicUser("collection", name, "is a collection of", "", of)
