"""One topic with what is known of it: its schemas, their versions, and the jobs and groups at it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.jobs.model import ColumnRef, Dataset
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.neighbours import count_edges, nearest_edges
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, newest_scan, nodes_of, stored_graph
from scanner_dictionary.queries.resolve import FoundCluster, cluster_called, topic_of
from scanner_dictionary.queries.state import DictionaryState, StaleSource, dictionary_state
from scanner_dictionary.queries.topic_schemas import SchemaAnswer, schemas_in
from scanner_dictionary.queries.topics import TopicRow, topic_called
from scanner_dictionary.search.columns_by_name import ColumnsPage, columns_called
from scanner_dictionary.search.search import KINDS, SearchHit, SearchResult
from scanner_dictionary.search.search import search as search_names
from scanner_model.documents.schema_errors import closest_match
from scanner_model.errors import InputInvalid

__all__ = ["KINDS", "ColumnsPage", "DictionaryState", "SearchHit", "SearchResult", "StaleSource"]


_IN_CLUSTERS = ("topic", "column")


def search(
    dictionary: Dictionary,
    text: str,
    *,
    kinds: Collection[str] = (),
    cluster: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> SearchResult:
    """Return topics, jobs, datasets, subjects and columns with *text* in their name, the best match first.

    *kinds* are of topic, node (job, dataset or consumer group), subject and column; empty for all. *cluster* leaves
    out nodes, which are of none. Raises InputInvalid for an unknown kind, NameUnknown for an unknown cluster.

    >>> [hit.name for hit in search(dictionary, "order").hits]
    """
    for kind in kinds:
        if kind not in KINDS:
            hint = closest_match(kind, tuple(KINDS)) or f"one of {', '.join(KINDS)}"
            raise InputInvalid(f"{kind!r} is no kind", where="kind", hint=hint)
    with dictionary.reading() as conn:
        known = known_cluster(conn, cluster)
        result = search_names(conn, text, kinds=kinds or None, cluster=known, limit=limit, offset=offset)
        homes = _namespaces(conn, {hit.where for hit in result.hits if hit.kind in _IN_CLUSTERS})
        return result._replace(hits=tuple(_with_node(hit, homes) for hit in result.hits))


def _namespaces(conn: Connection, clusters: Collection[str]) -> Mapping[str, str]:
    """Return the namespaces of *clusters* in the graph; without those that it does not have."""
    nodes = SqlGraphReader(conn).cluster_nodes(clusters)
    return {node.name: node.namespace for node in nodes}


def _with_node(hit: SearchHit, homes: Mapping[str, str]) -> SearchHit:
    """Add the key in the graph to a topic or a column."""
    if hit.kind not in _IN_CLUSTERS or hit.where not in homes:
        return hit
    topic = Dataset(NodeKind.TOPIC, homes[hit.where], hit.name)
    return hit._replace(node=topic.key if hit.path is None else ColumnRef(topic, hit.path).key)


def find_columns(
    dictionary: Dictionary,
    *,
    name: str | None = None,
    tag: str | None = None,
    cluster: str | None = None,
    after: int = 0,
    limit: int = 100,
) -> ColumnsPage:
    """Return the columns of topics with the own *name* (the last name of their path) and the *tag*, in any letter case.

    At least *limit* columns, where there are so many; *after* is that of the page before. Raises InputInvalid where
    neither name nor tag is given.

    >>> find_columns(dictionary, tag="PII").columns
    """
    if not name and not tag:
        raise InputInvalid("a name or a tag is missing", where="columns", hint="name=customer_id or tag=PII")
    with dictionary.reading() as conn:
        known = known_cluster(conn, cluster)
        return columns_called(conn, name=name or None, tag=tag or None, cluster=known, after=after, limit=limit)


def state(dictionary: Dictionary) -> DictionaryState:
    """Return the newest scan, the scan that the graph is of, and the sources whose facts are not fresh.

    >>> state(dictionary).scan
    """
    with dictionary.reading() as conn:
        return dictionary_state(conn)


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
    *complete* is False where users may be missing: there are more, or the graph is not of the newest scan.
    """

    topic: TopicRow
    schemas: tuple[SchemaAnswer, ...]
    node: str
    users: tuple[TopicUser, ...]
    user_count: int
    complete: bool


def describe_topic(dictionary: Dictionary, cluster: str, topic: str) -> TopicDescription:
    """Return what is known of *topic*; *cluster* is its cluster's name, or any of its brokers.

    Raises NameUnknown with the nearest names for an unknown cluster or topic.

    >>> describe_topic(dictionary, "retail", "orders").users
    """
    with dictionary.reading() as conn:
        known_cluster = cluster_called(conn, cluster)
        topic_of(conn, known_cluster, topic)
        node, graph = _node_of(conn, known_cluster, topic), stored_graph(conn)
        users = _count_users(conn, node) if node else 0
        return TopicDescription(
            topic=topic_called(conn, known_cluster.id, topic),
            schemas=schemas_in(conn, known_cluster, topic),
            node=node.node_key if node else "",
            users=_users(conn, node) if node else (),
            user_count=users,
            complete=graph is not None and graph.last_scan >= newest_scan(conn) and users <= _USERS,
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
        known_cluster = cluster_called(conn, cluster)
        return schemas_in(conn, known_cluster, topic, schema_id=schema_id, subject=subject, version=version)


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
