"""Questions about topics: their schemas with columns, the jobs and groups at them, and their clients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Literal, NamedTuple

from dataflow_generator.graph import EdgeKind
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.graph.column_tags import FoundTags, inherited_in, path_in_topic, schemas_with_inherited
from scanner_api.questions.question import AnyCluster, Cluster, Cursor, Limit, Page, Parameter, Topic, page_of
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, count_edges, nearest_edges, newest_scan, nodes_of, stored_graph
from scanner_dictionary.queries.clients import ClientRow as ClientRow
from scanner_dictionary.queries.clients import configured, group_lags, observed, permitted
from scanner_dictionary.queries.columns import FoundTag
from scanner_dictionary.queries.field_uses import by_column, field_users
from scanner_dictionary.queries.listings import TopicRow, topic_called
from scanner_dictionary.queries.resolve import FoundCluster, cluster_meant, topic_of, unknown_name
from scanner_dictionary.queries.schema_ids import SchemaIdRow as SchemaIdRow
from scanner_dictionary.queries.schema_ids import schema_ids_of
from scanner_dictionary.queries.subjects import topic_names, topics_named
from scanner_dictionary.queries.topic_schemas import SchemaAnswer as SchemaAnswer
from scanner_dictionary.queries.topic_schemas import schemas_in
from scanner_model.columns import path_name

_USERS = 500
_JOBS = (EdgeKind.READS, EdgeKind.WRITES)


class TopicUser(NamedTuple):
    """A job or consumer group at a topic; *id* is its key in the graph, *use* is reads or writes.

    *lag* is how many records a group was behind at the end of the newest window of metrics; None where none has it.
    """

    use: str
    kind: str
    namespace: str
    name: str
    id: str
    evidence: str
    certainty: str
    lag: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDescription:
    """A topic, its current schemas, and at most 500 of its *user_count* jobs and groups.

    *node* is its key in the graph; empty, with no users, where no graph has been generated since it was found.
    *found_tags* are those that columns inherit which no schema has, by their names; None where that is not known.
    *schema_ids* is what its newest records show about schemas; None where they were not looked at.
    *complete* is False where users or tags may be missing: there are more, or the graph is not of the newest scan.
    """

    topic: TopicRow
    schemas: tuple[SchemaAnswer, ...]
    node: str
    users: tuple[TopicUser, ...]
    user_count: int
    complete: bool
    found_tags: Mapping[str, tuple[FoundTag, ...]] | None = None
    schema_ids: tuple[SchemaIdRow, ...] | None = None


def describe_topic(dictionary: Dictionary, *, topic: Topic, cluster: AnyCluster = None) -> TopicDescription:
    """Return what is known of *topic*; *cluster* is its cluster's name, or any of its brokers.

    Raises NameUnknown with the nearest names for an unknown cluster or topic, InputInvalid with the names of the
    clusters where several have the topic and none is named.

    >>> describe_topic(dictionary, topic="orders").users
    """
    with dictionary.reading() as conn:
        known_cluster = cluster_meant(conn, cluster, topic)
        topic_of(conn, known_cluster, topic)
        node, graph = _node_of(conn, known_cluster, topic), stored_graph(conn)
        users = _count_users(conn, node) if node else 0
        dataset = _dataset(conn, known_cluster, topic)
        found = inherited_in(conn, (dataset,))
        schemas = schemas_with_inherited(schemas_in(conn, known_cluster, topic), dataset, found)
        return TopicDescription(
            topic=topic_called(conn, known_cluster.id, topic),
            schemas=schemas,
            node=node.node_key if node else "",
            users=_users(conn, node, group_lags(conn, known_cluster.name, topic)) if node else (),
            user_count=users,
            complete=graph is not None and graph.last_scan >= newest_scan(conn) and users <= _USERS,
            found_tags=None if found is None else _of_flows(found, schemas),
            schema_ids=schema_ids_of(conn, known_cluster, topic),
        )


def topic_schemas(
    dictionary: Dictionary,
    *,
    topic: Topic,
    cluster: AnyCluster = None,
    schema_id: Annotated[str | int | None, Parameter("Exactly this schema id.", metavar="N")] = None,
    subject: Annotated[str | None, Parameter("This subject: its newest version, if none is named.")] = None,
    version: Annotated[str | int | None, Parameter("This version: a number, or `latest`.", metavar="V")] = None,
) -> Page[SchemaAnswer]:
    """Return the schemas of a topic with their columns: keys first, then by subject, version and id.

    *cluster* is the name of a cluster, any of its brokers, or a comma list of them. Without more arguments: all current
    schemas. *schema_id*: exactly that one. *subject*: its newest version, or *version* of it. Empty where the topic is
    known and has no schema. Raises NameUnknown for a cluster, topic, schema, subject or version that is not known,
    InputInvalid where several clusters have the topic and none is named.

    >>> for schema in topic_schemas(dictionary, cluster="localhost:29095", topic="orders"):
    ...     print(schema.role, schema.subject, [column.name for column in schema.columns])
    """
    with dictionary.reading() as conn:
        known = cluster_meant(conn, cluster, topic)
        listed = schemas_in(conn, known, topic, schema_id=schema_id, subject=subject, version=version)
        dataset = _dataset(conn, known, topic)
        return Page(schemas_with_inherited(listed, dataset, inherited_in(conn, (dataset,))))


def _of_flows(found: FoundTags, schemas: Sequence[SchemaAnswer]) -> Mapping[str, tuple[FoundTag, ...]]:
    """Return those of *found* that are of no column of *schemas*, by the names of their columns."""
    known = {path_in_topic(schema.role, column.path) for schema in schemas for column in schema.columns}
    return {path_name(path): tags for (_, path), tags in found.items() if path not in known}


def _dataset(conn: Connection, cluster: FoundCluster, topic: str) -> str:
    """Return the topic as the graph calls it: the namespace of its cluster, and its name."""
    homes = (node.namespace for node in SqlGraphReader(conn).cluster_nodes([cluster.name]))
    return f"{next(homes, '')}/{topic}"


def _node_of(conn: Connection, cluster: FoundCluster, topic: str) -> NodeRow | None:
    """Return the node of the topic: of the cluster's own namespace, as two clusters may have a topic of one name."""
    if stored_graph(conn) is None:
        return None
    homes = {node.namespace for node in SqlGraphReader(conn).cluster_nodes([cluster.name])}
    nodes = (node for node in SqlGraphReader(conn).nodes_named([topic]) if node.kind == "topic")
    return next((node for node in nodes if node.namespace in homes), None)


def _users(conn: Connection, node: NodeRow, lags: Mapping[str, float]) -> tuple[TopicUser, ...]:
    users: list[TopicUser] = []
    for forward in (True, False):
        edges = nearest_edges(conn, [node.id], forward=forward, kinds=_JOBS, limit=_USERS)
        ends = nodes_of(conn, (edge.target_node_id if forward else edge.source_node_id for edge in edges))
        for edge in edges:
            user = ends[edge.target_node_id if forward else edge.source_node_id]
            about = (user.kind, user.namespace, user.name, user.node_key, edge.evidence, edge.certainty)
            lag = lags.get(user.name) if user.kind == "consumer-group" else None
            users.append(TopicUser(edge.kind, *about, lag))
    return tuple(sorted(users, key=lambda user: user[:-1])[:_USERS])


def _count_users(conn: Connection, node: NodeRow) -> int:
    return sum(count_edges(conn, [node.id], forward=forward, kinds=_JOBS).get(node.id, 0) for forward in (True, False))


Certain = Literal["observed", "configured", "permitted"]


def clients(
    dictionary: Dictionary,
    *,
    topic: Annotated[
        str | None, Parameter("The topic's exact name; without it, every topic.", argument=True, metavar="TOPIC")
    ] = None,
    cluster: Cluster = None,
    certainty: Annotated[Certain | None, Parameter("Only what is known in this way.")] = None,
    principals: Annotated[bool, Parameter("Each principal that rules of access permit, instead of a count.")] = False,
    columns: Annotated[bool, Parameter("A row for each field of the messages that a program is known to use.")] = False,
    earlier: Annotated[bool, Parameter("Also who was observed in earlier windows only.")] = False,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[ClientRow]:
    """Return the applications that use topics: those observed, then those configured, then those permitted.

    What is permitted is listed for a *topic* only. The answer is not `complete` where no graph was generated since the
    newest scan: what is configured may be missing then. With *columns* each client has a row for each field that it
    uses, with the line of code; of a client whose fields are not known the row says that it may use all of them.
    Raises NameUnknown with the nearest names for an unknown topic.

    >>> [(row.application, row.use, row.certainty) for row in clients(dictionary, topic="orders")]
    """
    with dictionary.reading() as conn:
        name = known_cluster(conn, cluster)
        if topic is not None and not topics_named(conn, topic, name):
            raise unknown_name("topic", topic, topic_names(conn, name), "`scanner topics` lists the topics")
        rows = _rows(conn, name, topic, certainty, earlier=earlier)
        if topic is not None and certainty in (None, "permitted"):
            clusters = [row.cluster for row in topics_named(conn, topic, name)]
            rows = chain(rows, (row for at in clusters for row in permitted(conn, at, topic, each=principals)))
        if columns:
            rows = by_column(rows, field_users(conn, cluster=name, topic=topic))
        graph = stored_graph(conn)
        current = graph is not None and graph.last_scan >= newest_scan(conn)
        page = page_of(rows, cursor, limit)
        return page if current or certainty in ("observed", "permitted") else replace(page, complete=False)


def _rows(
    conn: Connection, cluster: str | None, topic: str | None, certainty: str | None, *, earlier: bool
) -> Iterator[ClientRow]:
    if certainty in (None, "observed"):
        yield from observed(conn, cluster=cluster, topic=topic, include_gone=earlier)
    if certainty in (None, "configured"):
        yield from configured(conn, cluster=cluster, topic=topic)
