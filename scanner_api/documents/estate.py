"""What documents are written of: each topic with its schemas, who uses it, and where its columns come from."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from dataflow_generator.graph import EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.query.stored_graph import graph_in_dictionary
from dataflow_generator.stored.column_tags import inherited_in
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.files import ignore
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.queries.columns import FoundTag
from scanner_dictionary.queries.history import ClusterRow, clusters
from scanner_dictionary.queries.listings import TopicFilter, TopicRow, topics
from scanner_dictionary.queries.resolve import cluster_called
from scanner_dictionary.queries.subjects import SubjectKey, subjects_named
from scanner_dictionary.queries.topic_schemas import SchemaAnswer, schemas_in
from scanner_dictionary.search.other_columns import cluster_names
from scanner_model.columns import Column, ColumnPath, path_name
from scanner_model.schemas import qualified_subject


class User(NamedTuple):
    """A job or consumer group at a topic; *groups* are the consumer groups that a job reads with."""

    kind: str
    namespace: str
    name: str
    evidence: str
    certainty: str
    groups: tuple[str, ...] = ()


class ColumnSource(NamedTuple):
    """Where a column's values come from: *source* is `NAMESPACE/DATASET.COLUMN`; the rest is that of the edge."""

    source: str
    type: str
    subtype: str
    evidence: str
    certainty: str


@dataclass(slots=True)
class TopicFlows:
    """What the graph knows of a topic: its users, the sources of its columns, columns that it has from flows only.

    *tags* are those that its columns inherit.
    """

    writers: list[User] = field(default_factory=list)
    readers: list[User] = field(default_factory=list)
    sources: dict[ColumnPath, list[ColumnSource]] = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)
    tags: dict[ColumnPath, tuple[FoundTag, ...]] = field(default_factory=dict)


class DescribedSchema(NamedTuple):
    """A schema with its subject; None where no registry has it."""

    schema: SchemaAnswer
    subject: SubjectKey | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedTopic:
    """A topic with its current schemas, keys first; *flows* None: no graph was generated, so nothing is known.

    *distinct* is its name, with a hash where another topic has that name in lower case, or two differ in case only.
    """

    row: TopicRow
    distinct: str
    schemas: tuple[DescribedSchema, ...]
    flows: TopicFlows | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedCluster:
    """A cluster, and its topics without internal ones, whose schemas are read while they are taken."""

    row: ClusterRow
    topics: Iterator[DescribedTopic]


@contextmanager
def described_clusters(dictionary: Dictionary, cluster: str | None = None) -> Iterator[Iterator[DescribedCluster]]:
    """Open *dictionary* in one consistent read, and yield its clusters by name, or only *cluster*.

    Raises NameUnknown for an unknown cluster. Where no graph was generated, or it is older than the newest scan, the
    dictionary's *notify* gets a note.
    """
    with dictionary.reading() as conn:
        consistent_read(conn)
        name = known_cluster(conn, cluster)
        flows = _flows(conn, dictionary)
        yield (_cluster(conn, row, flows) for row in clusters(conn) if name in (None, row.name))


def _cluster(conn: Connection, row: ClusterRow, flows: Mapping[tuple[str, str], TopicFlows] | None) -> DescribedCluster:
    found = cluster_called(conn, row.name)
    rows = [topic for topic in topics(conn, TopicFilter(cluster=row.name)) if not topic.internal]
    alike = Counter(topic.name.lower() for topic in rows)

    def described(topic: TopicRow) -> DescribedTopic:
        answers = schemas_in(conn, found, topic.name)
        known = None if flows is None else flows.get((row.name, topic.name), TopicFlows())
        schemas = tuple(DescribedSchema(answer, _subject(conn, answer)) for answer in answers)
        is_distinct = alike[topic.name.lower()] == 1 or topic.name.islower()
        distinct = topic.name if is_distinct else f"{topic.name}-{short_hash(topic.name)}"
        return DescribedTopic(row=topic, distinct=distinct, schemas=schemas, flows=known)

    return DescribedCluster(row=row, topics=map(described, rows))


def short_hash(text: str) -> str:
    """Return the part of a hash of *text* that keeps a name apart from others."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _subject(conn: Connection, schema: SchemaAnswer) -> SubjectKey | None:
    if not schema.registry:
        return None
    named = subjects_named(conn, qualified_subject(schema.context, schema.subject), schema.cluster)
    return next((subject for subject in named if subject.registry == schema.registry), None)


def _flows(conn: Connection, dictionary: Dictionary) -> Mapping[tuple[str, str], TopicFlows] | None:
    notify = dictionary.notify or ignore
    about = stored_graph(conn)
    if about is None:
        notify("note: no graph was generated, so the documents have no lineage: run `scanner dictionary dataflow`")
        return None
    if about.last_scan < newest_scan(conn):
        notify(
            f"note: the lineage is of scan {about.last_scan}, older than the newest scan: "
            "run `scanner dictionary dataflow`"
        )
    flows = topic_flows(graph_in_dictionary(SqlGraphReader(conn), about).whole())
    spaces = {name: namespace for namespace, name in cluster_names(conn).items()}
    topics_by_dataset = {f"{spaces.get(home, '')}/{name}": topic for (home, name), topic in flows.items()}
    for (dataset, path), tags in (inherited_in(conn) or {}).items():
        if dataset in topics_by_dataset:
            topics_by_dataset[dataset].tags[path] = tags
    return flows


def topic_flows(graph: FlowGraph) -> Mapping[tuple[str, str], TopicFlows]:
    """Return what *graph* knows of each topic, by cluster and name."""
    named = [node for node in graph.nodes() if node.namespace and node.kind is not NodeKind.SCHEMA]
    nodes = {node.key: node for node in named}
    homes = {node.namespace: node.name for node in named if node.kind is NodeKind.CLUSTER}
    flows = {_home(node, homes): TopicFlows() for node in named if node.kind is NodeKind.TOPIC}
    groups = _groups(graph, nodes)
    for node in named:
        if node.kind is NodeKind.COLUMN and (home := _home(node, homes)) in flows:
            flows[home].columns.append(_column(node))
    for edge in graph.edges():
        source, target = nodes.get(edge.source), nodes.get(edge.target)
        if source is None or target is None:
            continue
        ends = edge.evidence, str(edge.certainty)
        if edge.kind is EdgeKind.READS and (home := _home(source, homes)) in flows:
            flows[home].readers.append(_user(target, ends, groups))
        elif edge.kind is EdgeKind.WRITES and (home := _home(target, homes)) in flows:
            flows[home].writers.append(_user(source, ends, groups))
        elif edge.kind is EdgeKind.COLUMN_FLOW and target.path is not None and (home := _home(target, homes)) in flows:
            column = ColumnSource(_shown(source), edge.type, edge.subtype, *ends)
            flows[home].sources.setdefault(target.path, []).append(column)
    return flows


def _home(node: Node, homes: Mapping[str, str]) -> tuple[str, str]:
    return homes.get(node.namespace, ""), node.name


def _groups(graph: FlowGraph, nodes: Mapping[str, Node]) -> Mapping[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for edge in graph.edges():
        if edge.kind is EdgeKind.MEMBER_OF and edge.source in nodes:
            groups[edge.target] = (*groups.get(edge.target, ()), nodes[edge.source].name)
    return groups


def _user(node: Node, ends: tuple[str, str], groups: Mapping[str, tuple[str, ...]]) -> User:
    own = (node.name,) if node.kind is NodeKind.CONSUMER_GROUP else groups.get(node.key, ())
    return User(str(node.kind), node.namespace, node.name, *ends, groups=own)


def _column(node: Node) -> Column:
    known = dict(node.attributes)
    nullable = "type" not in known or bool(known.get("nullable"))
    return Column(path=node.path or (), type=str(known.get("type", "")), nullable=nullable)


def _shown(node: Node) -> str:
    column = path_name(node.path or ())
    return f"{node.namespace}/{node.name}" + (f".{column}" if column else "")


def inherited_members(tags: Iterable[FoundTag]) -> list[dict[str, object]]:
    """Return inherited tags as members of documents: never among those that a source declares."""
    return [
        {"tag": each.tag, "origin": each.origin, "flow": each.flow, "steps": each.steps, "path": list(each.path)}
        for each in tags
    ]


def members_of(users: Iterable[User]) -> list[dict[str, object]]:
    """Return *users* as members of documents."""
    return [{name: value for name, value in user._asdict().items() if name != "groups"} for user in users]
