"""What the dictionary knows of a cluster from sources that could not be read just now."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Select, select

from scanner_dictionary import tables as t
from scanner_model.estate import Topic
from scanner_model.names import ClusterName, Role, SourceId, TopicName
from scanner_model.scan import Remembered


def remembered(conn: Connection, cluster: ClusterName, sources: Collection[SourceId]) -> Remembered:
    """Give the live topics of *cluster* that *sources* told, and the sides of topics that they describe now."""
    if not sources:
        return Remembered()
    topics = _told_by(select(t.source.c.name, t.topic.c.name), cluster, sources)
    topics = topics.join(t.topic, t.topic.c.source_id == t.source.c.id).where(t.topic.c.gone.is_(None))
    link = t.topic_schema.c
    sides = _told_by(select(t.topic.c.name, link.schema_role), cluster, sources)
    sides = sides.join(t.topic_schema, link.source_id == t.source.c.id).join(t.topic, t.topic.c.id == link.topic_id)
    sides = sides.where(link.gone.is_(None), link.is_current)
    return Remembered(
        topics=tuple(
            Topic(source=SourceId(source), name=TopicName(name))
            for source, name in conn.execute(topics.order_by(t.topic.c.name))
        ),
        sides=frozenset((TopicName(topic), Role(role)) for topic, role in conn.execute(sides)),
    )


def _told_by(query: Select[Any], cluster: str, sources: Collection[str]) -> Select[Any]:
    return (
        query.select_from(t.source)
        .join(t.cluster, t.cluster.c.id == t.source.c.cluster_id)
        .where(t.cluster.c.name == cluster, t.source.c.name.in_(sorted(sources)))
    )
