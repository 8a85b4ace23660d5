"""The question for all that is known of a topic: its schemas with columns, and the jobs and groups at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.graph import EdgeKind
from dataflow_generator.stored.column_tags import (
    FoundTags,
    inherited_in,
    path_in_topic,
    schemas_with_inherited,
    suggested_of_topic,
)
from scanner_api.dictionary import Dictionary
from scanner_api.questions.question import AnyCluster, Moment, Topic
from scanner_api.questions.staleness import job_problem
from scanner_api.questions.topic_schemas import dataset_of
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, count_edges, nearest_edges, newest_scan, nodes_of, stored_graph
from scanner_dictionary.queries.clients import group_lags
from scanner_dictionary.queries.columns import FoundTag
from scanner_dictionary.queries.listings import TopicRow, topic_called
from scanner_dictionary.queries.resolve import FoundCluster, cluster_meant, topic_of
from scanner_dictionary.queries.schema_ids import SchemaIdRow as SchemaIdRow
from scanner_dictionary.queries.schema_ids import schema_ids_of
from scanner_dictionary.queries.topic_schemas import SchemaAnswer, schemas_in
from scanner_model.columns import path_name
from scanner_model.text import counted

_USERS = 500
_JOBS = (EdgeKind.READS, EdgeKind.WRITES)


class TopicUser(NamedTuple):
    """A job or consumer group at a topic; *id* is its key in the graph, *use* is reads or writes.

    *lag* is how many records a group was behind at the end of the newest window of metrics; None where none has it.
    *failed* says what failed of a job, empty if nothing is known to have.
    """

    use: str
    kind: str
    namespace: str
    name: str
    id: str
    evidence: str
    certainty: str
    lag: float | None
    failed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDescription:
    """A topic, its current schemas, and at most 500 of its *user_count* jobs and groups; *sentence* counts what it has.

    *node* is its key in the graph; empty, with no users, where no graph has been generated since it was found.
    *found_tags* are those that columns inherit which no schema has, by their names; None where that is not known.
    *schema_ids* is what its newest records show about schemas; None where they were not looked at.
    *complete* is False where users or tags may be missing: there are more, or the graph is not of the newest scan.
    """

    topic: TopicRow
    sentence: str
    schemas: tuple[SchemaAnswer, ...]
    node: str
    users: tuple[TopicUser, ...]
    user_count: int
    complete: bool
    found_tags: Mapping[str, tuple[FoundTag, ...]] | None = None
    schema_ids: tuple[SchemaIdRow, ...] | None = None


def describe_topic(
    dictionary: Dictionary, *, topic: Topic, cluster: AnyCluster = None, as_of: Moment = None
) -> TopicDescription:
    """Return what is known of *topic*; *cluster* is its cluster's name, or any of its brokers.

    Raises NameUnknown with the nearest names for an unknown cluster or topic, InputInvalid with the names of the
    clusters where several have the topic and none is named.

    >>> describe_topic(dictionary, topic="orders").users
    """
    with dictionary.at(as_of).reading() as conn:
        known_cluster = cluster_meant(conn, cluster, topic)
        topic_of(conn, known_cluster, topic)
        node, graph = _node_of(conn, known_cluster, topic), stored_graph(conn)
        users = _count_users(conn, node) if node else 0
        dataset = dataset_of(conn, known_cluster, topic)
        found = inherited_in(conn, (dataset,))
        schemas = schemas_with_inherited(schemas_in(conn, known_cluster, topic), dataset, found)
        listed = _users(conn, node, group_lags(conn, known_cluster.name, topic)) if node else ()
        about = topic_called(conn, known_cluster.id, topic)
        of_flows = None if found is None else _of_flows(found, schemas)
        return TopicDescription(
            topic=about,
            sentence=_sentence(
                about,
                schemas,
                of_flows or {},
                listed,
                set(suggested_of_topic(conn, known_cluster.name, topic, schemas)),
            ),
            schemas=schemas,
            node=node.node_key if node else "",
            users=listed,
            user_count=users,
            complete=graph is not None and graph.last_scan >= newest_scan(conn) and users <= _USERS,
            found_tags=of_flows,
            schema_ids=schema_ids_of(conn, known_cluster, topic),
        )


def _sentence(
    topic: TopicRow,
    schemas: Sequence[SchemaAnswer],
    of_flows: Mapping[str, tuple[FoundTag, ...]],
    users: Sequence[TopicUser],
    suggested: Collection[tuple[str, str]],
) -> str:
    """Return whose a topic is, how many columns have tags or look so, who uses it, and how long records are kept."""
    columns: dict[str, set[str]] = {}
    for schema in schemas:
        for column in schema.columns:
            for tag in (
                *column.tags,
                *column.inherited_tags,
                *_inherited((schema.found_tags or {}).get(column.name, ())),
            ):
                columns.setdefault(tag, set()).add(f"{schema.role} {column.name}")
    for name, found in of_flows.items():
        for tag in _inherited(found):
            columns.setdefault(tag, set()).add(name)
    tagged = [f"{counted(len(named), 'column')} with {tag}" for tag, named in sorted(columns.items())]
    for tag, number in sorted(Counter(tag for tag, _ in suggested).items()):
        tagged.append(f"{counted(number, 'column')} {'looks' if number == 1 else 'look'} like {tag}, not tagged")
    parts = (
        topic.cluster,
        f"owner {topic.owner}" if topic.owner else "owner unknown",
        *(tagged or ["no column with a tag"] * bool(schemas or of_flows)),
        _use_words(users, "reads", "reader"),
        _use_words(users, "writes", "writer"),
        counted(topic.partitions, "partition") if topic.partitions is not None else "",
        _retention(topic.retention_ms),
    )
    return " · ".join(filter(None, parts))


def _inherited(found: Sequence[FoundTag]) -> tuple[str, ...]:
    return tuple(tag.tag for tag in found if tag.certainty == "inherited")


def _use_words(users: Sequence[TopicUser], use: str, noun: str) -> str:
    mine = {user.id: user.failed for user in users if user.use == use}
    failed = sum(map(bool, mine.values()))
    if not mine:
        return f"no known {noun}"
    return counted(len(mine), noun) + (f", {failed} failed" if failed else "")


_HOUR = 3_600_000
_HOURS_SHOWN = 48


def _retention(milliseconds: int | None) -> str:
    if milliseconds is None:
        return ""
    if milliseconds < 0:
        return "kept for ever"
    hours = milliseconds / _HOUR
    return f"kept {round(hours / 24)} days" if hours >= _HOURS_SHOWN else f"kept {hours:.2g} h"


def _of_flows(found: FoundTags, schemas: Sequence[SchemaAnswer]) -> Mapping[str, tuple[FoundTag, ...]]:
    """Return those of *found* that are of no column of *schemas*, by the names of their columns."""
    known = {path_in_topic(schema.role, column.path) for schema in schemas for column in schema.columns}
    return {path_name(path): tags for (_, path), tags in found.items() if path not in known}


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
            failed = job_problem(user) if user.kind == "job" else ""
            users.append(TopicUser(edge.kind, *about, lag, failed if failed.startswith("failed") else ""))
    return tuple(sorted(users, key=lambda user: user[:-2])[:_USERS])


def _count_users(conn: Connection, node: NodeRow) -> int:
    return sum(count_edges(conn, [node.id], forward=forward, kinds=_JOBS).get(node.id, 0) for forward in (True, False))
