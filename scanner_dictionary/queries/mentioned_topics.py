"""Topics that no source lists and that only jobs mention, such as the topics of a connector: the graph has them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, exists, select

from scanner_dictionary.graph.store import topic_level
from scanner_dictionary.schema import tables as t
from scanner_model.names import SourceId

MENTIONED = SourceId("data flow")
"""The source of a topic that only jobs mention."""


class MentionedTopic(NamedTuple):
    """A topic that only jobs mention: the key of its node, its cluster and its name."""

    node: int
    cluster_id: int
    cluster: str
    name: str


def mentioned_topics(
    conn: Connection, cluster: str | None = None, *, names: Collection[str] | None = None
) -> Iterator[MentionedTopic]:
    """Yield the topics that only jobs mention by cluster and name: of one *cluster*, or called one of *names*."""
    node, home, topic = t.flow_node.c, t.flow_node.alias(), t.topic.c
    listed = exists().where(topic.cluster_id == t.cluster.c.id, topic.name == node.name)
    query = (
        select(node.id, t.cluster.c.id, t.cluster.c.name, node.name)
        .select_from(t.flow_node)
        .join(home, (home.c.namespace == node.namespace) & (home.c.kind == "cluster"))
        .join(t.cluster, t.cluster.c.name == home.c.name)
        .where(topic_level(conn).nodes, node.kind == "topic", ~listed)
        .order_by(t.cluster.c.name, node.name)
    )
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    query = query if names is None else query.where(node.name.in_(sorted(names)))
    return (MentionedTopic(*row) for row in conn.execute(query))
