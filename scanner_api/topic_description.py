"""One topic with what is known of it: its schemas, their versions, and the jobs and groups at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.graph import EdgeKind
from scanner_api.dictionary import Dictionary
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.neighbours import count_edges, nearest_edges
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, nodes_of, stored_graph
from scanner_dictionary.queries.resolve import FoundCluster, cluster_called, topic_of
from scanner_dictionary.queries.topic_schemas import SchemaAnswer, schemas_in
from scanner_dictionary.queries.topics import TopicRow, topic_called

_USERS = 500
_JOBS = (EdgeKind.READS, EdgeKind.WRITES)


class TopicUser(NamedTuple):
    """A job or consumer group at a topic; *id* is its key in the graph, *use* is reads or writes."""

    use: str
    kind: str
    namespace: str
    name: str
    id: str
    evidence: str
    certainty: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDescription:
    """A topic, its current schemas, and at most 500 of its *user_count* jobs and groups.

    *node* is its key in the graph; empty, with no users, where no graph has been generated since it was found.
    """

    topic: TopicRow
    schemas: tuple[SchemaAnswer, ...]
    node: str
    users: tuple[TopicUser, ...]
    user_count: int


def describe_topic(dictionary: Dictionary, cluster: str, topic: str) -> TopicDescription:
    """Return what is known of *topic*; *cluster* is its cluster's name, or any of its brokers.

    Raises NameUnknown with the nearest names for an unknown cluster or topic.

    >>> describe_topic(dictionary, "retail", "orders").users
    """
    with dictionary.reading() as conn:
        found = cluster_called(conn, cluster)
        topic_of(conn, found, topic)
        node = _node_of(conn, found, topic)
        return TopicDescription(
            topic=topic_called(conn, found.id, topic),
            schemas=schemas_in(conn, found, topic),
            node=node.node_key if node else "",
            users=_users(conn, node) if node else (),
            user_count=_count_users(conn, node) if node else 0,
        )


def schemas_of_topic(
    dictionary: Dictionary,
    cluster: str,
    topic: str,
    *,
    schema_id: str | int | None = None,
    subject: str | None = None,
    version: int | str | None = None,
) -> tuple[SchemaAnswer, ...]:
    """Return the schemas of a topic with their columns as `topic_schemas`, by the name of the cluster or any broker."""
    with dictionary.reading() as conn:
        found = cluster_called(conn, cluster)
        return schemas_in(conn, found, topic, schema_id=schema_id, subject=subject, version=version)


def _node_of(conn: Connection, cluster: FoundCluster, topic: str) -> NodeRow | None:
    """Return the node of the topic: of the cluster's own namespace, as two clusters may have a topic of one name."""
    if stored_graph(conn) is None:
        return None
    homes = {node.namespace for node in SqlGraphReader(conn).cluster_nodes([cluster.name])}
    nodes = (node for node in SqlGraphReader(conn).nodes_named([topic]) if node.kind == "topic")
    return next((node for node in nodes if node.namespace in homes), None)


def _users(conn: Connection, node: NodeRow) -> tuple[TopicUser, ...]:
    users: list[TopicUser] = []
    for forward in (True, False):
        edges = nearest_edges(conn, [node.id], forward=forward, kinds=_JOBS, limit=_USERS)
        ends = nodes_of(conn, (edge.target_node_id if forward else edge.source_node_id for edge in edges))
        for edge in edges:
            user = ends[edge.target_node_id if forward else edge.source_node_id]
            users.append(
                TopicUser(edge.kind, user.kind, user.namespace, user.name, user.node_key, edge.evidence, edge.certainty)
            )
    return tuple(sorted(users)[:_USERS])


def _count_users(conn: Connection, node: NodeRow) -> int:
    return sum(count_edges(conn, [node.id], forward=forward, kinds=_JOBS).get(node.id, 0) for forward in (True, False))
