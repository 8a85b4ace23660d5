"""The list of topics, with figures of the graph: filtered and sorted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    Subquery,
    Table,
    and_,
    cast,
    distinct,
    exists,
    func,
    literal,
    select,
    tuple_,
)

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.graph import store
from scanner_dictionary.queries.facts import fact_state, members_of, newest_scans, stored_rows
from scanner_dictionary.queries.resolve import MENTIONED, MentionedTopic, mentioned_topics
from scanner_dictionary.queries.topics import NOTHING, CatalogAnnotations, catalog_annotations, name_filter
from scanner_dictionary.schema import tables as t
from scanner_model.clients import AT_SCAN
from scanner_model.errors import NameUnknown
from scanner_model.kafka import Topic
from scanner_model.names import SourceId, TopicName

_ROWS_AT_ONCE = 500
_ON_TOPIC = "topic "
"""What the location of a finding about a topic begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow(Topic):
    """A topic as last reported; *schemas* counts its current schemas. *stale*: its source could not be read since.

    Tags, owner and description are also what people wrote in a stream catalog. *readers* and *writers* count jobs and
    consumer groups in the graph; None where the graph does not have the topic. *findings* counts those of `validate`.
    *seen_at* is the end of the scan that observed it last (ISO 8601). *retention_ms* is None where it is not known, -1
    for ever; *cleanup_policy* is empty where it is not known.
    """

    cluster: str
    schemas: int
    stale: bool
    gone: bool
    owner: str = ""
    readers: int | None = None
    writers: int | None = None
    findings: int = 0
    seen_at: str = ""
    retention_ms: int | None = None
    cleanup_policy: str = ""


TopicOrder = Literal["name", "readers", "writers", "partitions", "findings", "seen"]
"""What topics are sorted by: counts and times the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicFilter:
    """Which topics are listed; None, and False, leave none out. *pattern* as in `name_filter`.

    *tag* and *owner* are whole ones in any letter case. Internal topics need no schema and no owner, so
    *without_schema* and *without_owner* leave them out, as *without_internal* does. *unused_since* (ISO 8601) leaves
    only topics that are older, and that no client was observed at, and no consumer group read, after that moment.
    """

    cluster: str | None = None
    pattern: str | None = None
    tag: str | None = None
    owner: str | None = None
    without_schema: bool = False
    without_owner: bool = False
    without_reader: bool = False
    without_writer: bool = False
    without_internal: bool = False
    unused_since: str = ""
    include_gone: bool = False


def topics(
    conn: Connection,
    wanted: TopicFilter = TopicFilter(),
    *,
    sort: TopicOrder = "name",
    after: tuple[str, str] | None = None,
) -> Iterator[TopicRow]:
    """List the *wanted* topics by cluster and name, or by *sort* first. Rows are read while they are taken.

    Those that only jobs mention are listed, too.

    *after* is the cluster and name of a topic: only those behind it are listed, which needs the order by name.
    """
    users = {what: _users(conn, what) for what in _USES if what == sort or getattr(wanted, _WITHOUT[what])}
    query = _topics()
    for counted in users.values():
        same = counted.c.cluster == t.cluster.c.name, counted.c.topic == t.topic.c.name
        query = query.outerjoin(counted, and_(*same))
    unused = (users[what].c.users.is_(None) for what in users if getattr(wanted, _WITHOUT[what]))
    order = [func.coalesce(users[sort].c.users, 0).desc()] if sort in users else _order(sort)
    query = query.where(*_conditions(wanted), *unused).order_by(*order, t.cluster.c.name, t.topic.c.name)
    if after is not None:
        query = query.where(tuple_(t.cluster.c.name, t.topic.c.name) > tuple_(*map(literal, after)))
    fits, written = name_filter(wanted.pattern), catalog_annotations(conn)
    rows = conn.execute(query.execution_options(yield_per=_ROWS_AT_ONCE))
    listed = ((row, note) for row in rows if fits(row.name) and _is_annotated(wanted, note := _note(row, written)))
    described = (topic for chunk in in_chunks(listed, _ROWS_AT_ONCE) for topic in _described(conn, chunk))
    mentioned = sorted(_mentioned(conn, wanted, written, after), key=_KEYS[sort])
    yield from merge(described, mentioned, key=_KEYS[sort]) if mentioned else described


_KEYS: Mapping[TopicOrder, Callable[[TopicRow], tuple[Any, ...]]] = {
    "name": lambda row: (row.cluster, row.name),
    "readers": lambda row: (-(row.readers or 0), row.cluster, row.name),
    "writers": lambda row: (-(row.writers or 0), row.cluster, row.name),
    "partitions": lambda row: (-(row.partitions or 0), row.cluster, row.name),
    "findings": lambda row: (-row.findings, row.cluster, row.name),
    "seen": lambda row: (not row.seen_at, row.cluster, row.name),
}
"""What the rows of each order ascend by; a topic that only jobs mention was never seen, so it is behind the others."""


def _mentioned(
    conn: Connection,
    wanted: TopicFilter,
    written: Mapping[tuple[int, str], CatalogAnnotations],
    after: tuple[str, str] | None,
) -> Iterator[TopicRow]:
    """Yield the *wanted* topics that only jobs mention; how old those are is unknown."""
    fits = name_filter(wanted.pattern)
    listed = (
        topic
        for topic in (() if wanted.unused_since else mentioned_topics(conn, wanted.cluster))
        if fits(topic.name) and (after is None or (topic.cluster, topic.name) > after)
    )
    for row in _described_mentions(conn, list(listed), written):
        unused = all(not getattr(row, what) for what in _USES if getattr(wanted, _WITHOUT[what]))
        note = CatalogAnnotations(row.tags, row.owner)
        if unused and _is_annotated(wanted, note) and not (wanted.without_owner and row.owner):
            yield row


def _described_mentions(
    conn: Connection, topics: Sequence[MentionedTopic], written: Mapping[tuple[int, str], CatalogAnnotations]
) -> Iterator[TopicRow]:
    users = {what: _count(conn, what, [topic.node for topic in topics]) for what in _USES}
    findings = _findings(conn, [topic.name for topic in topics])
    for topic in topics:
        note = written.get((topic.cluster_id, topic.name), NOTHING)
        yield TopicRow(
            source=MENTIONED,
            name=TopicName(topic.name),
            cluster=topic.cluster,
            schemas=0,
            stale=False,
            gone=False,
            tags=note.tags,
            description=note.description,
            owner=note.owner,
            readers=users["readers"].get(topic.node, 0),
            writers=users["writers"].get(topic.node, 0),
            findings=findings.get((topic.cluster_id, _ON_TOPIC + topic.name), 0),
        )


def topic_called(conn: Connection, cluster: int, name: str) -> TopicRow:
    """Return the topic of *cluster*, by its key, that is called *name*, also a deleted one; raises NameUnknown."""
    row = conn.execute(_topics().where(t.topic.c.cluster_id == cluster, t.topic.c.name == name)).one_or_none()
    written = catalog_annotations(conn, cluster=cluster, topic=name)
    if row is None:
        mentions = [topic for topic in mentioned_topics(conn, names=[name]) if topic.cluster_id == cluster]
        for described in _described_mentions(conn, mentions, written):
            return described
        raise NameUnknown(f"the dictionary knows no topic {name!r}", hint="`scanner topics` lists the topics")
    return next(_described(conn, [(row, _note(row, written))]))


def count_topics(conn: Connection) -> tuple[int, int, int]:
    """Return how many topics there are, how many of them are internal, and how many are in the stored graph."""
    topic, node, cluster = t.topic.c, t.flow_node.c, t.flow_node.alias().c
    counted = select(func.count(), func.coalesce(func.sum(cast(topic.is_internal, Integer)), 0))
    topics, internal = conn.execute(counted.where(topic.gone.is_(None))).one()
    homes = select(cluster.namespace).join(t.cluster, t.cluster.c.name == cluster.name)
    homes = homes.where(cluster.kind == "cluster", t.cluster.c.id == topic.cluster_id)
    in_graph = exists().where(node.kind == "topic", node.name == topic.name, node.namespace.in_(homes))
    found = conn.scalar(select(func.count()).select_from(t.topic).where(topic.gone.is_(None), in_graph))
    return topics, internal, found or 0


def count_listed(conn: Connection) -> Mapping[str, int]:
    """Return how many schemas, connectors, statements, tables, findings and scans there are, by these names."""
    live = {
        "connectors": (t.connector,),
        "statements": (t.flink_statement, t.ksql_query),
        "tables": (t.catalog_table, t.materialization),
    }
    counts = {name: sum(_count_rows(conn, table, table.c.gone.is_(None)) for table in of) for name, of in live.items()}
    return counts | {
        "schemas": _count_rows(conn, t.subject, t.subject.c.gone.is_(None) & t.subject.c.deleted.is_(False)),
        "findings": _count_rows(conn, t.finding),
        "scans": _count_rows(conn, t.scan),
    }


def _count_rows(conn: Connection, table: Table, *conditions: ColumnElement[bool]) -> int:
    return conn.scalar(select(func.count()).select_from(table).where(*conditions)) or 0


def _topics() -> Select[Any]:
    return stored_rows(t.topic).add_columns(t.scan.c.finished).outerjoin(t.scan, t.scan.c.id == t.topic.c.last_seen)


def _describes_now() -> ColumnElement[bool]:
    link = t.topic_schema.c
    return and_(link.topic_id == t.topic.c.id, link.is_current, link.gone.is_(None))


def _annotation(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    note = t.annotation.c
    on_topic = note.topic == t.topic.c.name, note.cluster_id == t.topic.c.cluster_id, note.gone.is_(None)
    return exists().where(*on_topic, *conditions)


def _conditions(wanted: TopicFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.cluster is not None:
        yield t.cluster.c.name == wanted.cluster
    if not wanted.include_gone:
        yield t.topic.c.gone.is_(None)
    if wanted.without_internal or wanted.without_schema or wanted.without_owner:
        yield ~t.topic.c.is_internal
    if wanted.without_schema:
        yield ~exists().where(_describes_now())
    if wanted.without_owner:
        yield ~_annotation(t.annotation.c.owner != "")
    if wanted.owner is not None:
        yield _annotation(t.annotation.c.owner != "")
    if wanted.tag is not None:
        yield (t.topic.c.tags != "[]") | _annotation(t.annotation.c.tags != "[]")
    if wanted.unused_since:
        yield from _unused_since(wanted.unused_since)


def _unused_since(moment: str) -> Iterator[ColumnElement[bool]]:
    """Return the conditions of a topic that is older than *moment*, and whose last known use is, too."""
    topic, use, group, read = t.topic.c, t.client_use.c, t.consumer_group.c, t.consumer_group_topic.c
    late = select(t.scan.c.id).where(t.scan.c.finished > moment)
    yield topic.first_seen.not_in(late)
    names = use.topic.in_([topic.name, func.replace(topic.name, ".", "_")])
    yield ~exists().where(use.cluster_id == topic.cluster_id, names, use.ended > moment)
    of_topic = read.consumer_group_id == group.id, group.cluster_id == topic.cluster_id, read.topic_name == topic.name
    yield ~exists().where(*of_topic, read.last_seen.in_(late))


def observed_since(conn: Connection) -> str:
    """Return when clients were observed first over a window (ISO 8601); empty where they never were."""
    over_time = select(t.client_use.c.first_seen).where(t.client_use.c.window_length != AT_SCAN)
    first = select(func.min(t.scan.c.finished)).where(t.scan.c.id.in_(over_time))
    return conn.scalar(first) or ""


def _order(sort: TopicOrder) -> Sequence[ColumnElement[Any]]:
    match sort:
        case "partitions":
            return (func.coalesce(t.topic.c.partitions, 0).desc(),)
        case "seen":
            return (t.topic.c.last_seen.desc(),)
        case "findings":
            finding = t.finding.c
            of_topic = (
                finding.cluster_id == t.topic.c.cluster_id,
                finding.location == literal(_ON_TOPIC) + t.topic.c.name,
            )
            return (select(func.count()).where(*of_topic).correlate(t.topic).scalar_subquery().desc(),)
        case _:
            return ()


_USES = {"readers": ("reads", t.flow_edge.c.source_node_id), "writers": ("writes", t.flow_edge.c.target_node_id)}
"""What is counted → the kind of its edges, and which of their ends is the topic."""


_WITHOUT = {"readers": "without_reader", "writers": "without_writer"}


def _users(conn: Connection, what: str) -> Subquery:
    """Return how many jobs and groups read or write each topic that has any, counted once for all of them."""
    kind, end = _USES[what]
    node, home = t.flow_node, t.flow_node.alias()
    key = (end + 0).label("node")  # + 0: SQLite would walk the index of all edges, those inside schemas too
    users = _distinct_users(end).label("users")
    edges = select(key, users).where(store.topic_level(conn).edges, t.flow_edge.c.kind == kind)
    counted = edges.group_by(key).subquery()
    named = home.c.name.in_(select(t.cluster.c.name))  # by the index of names
    of_cluster = and_(named, home.c.namespace == node.c.namespace, home.c.kind == "cluster")
    query = select(home.c.name.label("cluster"), node.c.name.label("topic"), counted.c.users).select_from(counted)
    return (
        query.join(node, node.c.id == counted.c.node)
        .join(home, of_cluster)
        .where(node.c.kind == "topic")
        .subquery(what)
    )


def _note(row: Any, written: Mapping[tuple[int, str], CatalogAnnotations]) -> CatalogAnnotations:  # noqa: ANN401
    note = written.get((row.cluster_id, row.name), NOTHING)
    return note.beside(tuple(json.loads(row.tags)), row.description)


def _is_annotated(wanted: TopicFilter, note: CatalogAnnotations) -> bool:
    if wanted.owner is not None and wanted.owner.lower() != note.owner.lower():
        return False
    return wanted.tag is None or wanted.tag.lower() in map(str.lower, note.tags)


def _described(conn: Connection, rows: Sequence[tuple[Any, CatalogAnnotations]]) -> Iterator[TopicRow]:
    """Yield *rows* with what other tables have of the topics: a few look-ups for all of them."""
    latest, keys = newest_scans(conn), [row.id for row, _ in rows]
    link = t.topic_schema.c
    current = link.topic_id.in_(keys), link.is_current, link.gone.is_(None)
    counted = select(link.topic_id, func.count()).where(*current).group_by(link.topic_id)
    schemas = {row.topic_id: row[1] for row in conn.execute(counted)}
    findings = _findings(conn, [row.name for row, _ in rows])
    nodes = _nodes(conn, rows)
    users = {what: _count(conn, what, nodes.values()) for what in _USES}
    for row, note in rows:
        node = nodes.get(row.id)
        readers, writers = (None if node is None else users[what].get(node, 0) for what in _USES)
        members = members_of(Topic, row)
        del members["tags"], members["description"]
        config = dict(members["config"])
        yield TopicRow(
            source=SourceId(row.source_name),
            schemas=schemas.get(row.id, 0),
            **members,
            tags=note.tags,
            description=note.description,
            owner=note.owner,
            readers=readers,
            writers=writers,
            findings=findings.get((row.cluster_id, _ON_TOPIC + row.name), 0),
            seen_at=row.finished or "",
            retention_ms=_number(config.get("retention.ms")),
            cleanup_policy=str(config.get("cleanup.policy") or ""),
            **fact_state(row, latest),
        )


def _findings(conn: Connection, names: Iterable[str]) -> Mapping[tuple[int, str], int]:
    """Count the findings about topics with these *names*, by the key of the cluster and their location."""
    finding = t.finding.c
    found = select(finding.cluster_id, finding.location, func.count())
    found = found.where(finding.location.in_([_ON_TOPIC + name for name in names]))
    grouped = found.group_by(finding.cluster_id, finding.location)
    return {(cluster, place): count for cluster, place, count in conn.execute(grouped)}


def _nodes(conn: Connection, rows: Sequence[tuple[Any, CatalogAnnotations]]) -> dict[int, int]:
    """Return the keys of topics' nodes in the graph by those of the topics; one that is not in it is left out."""
    node = t.flow_node.c
    clusters = select(node.namespace, node.name).where(
        node.kind == "cluster", node.name.in_({r.cluster_name for r, _ in rows})
    )
    homes = {row.namespace: row.name for row in conn.execute(clusters)}
    named = select(node.id, node.namespace, node.name).where(node.name.in_([row.name for row, _ in rows]))
    topics = conn.execute(named.where(node.kind == "topic"))
    keys = {(homes.get(row.namespace), row.name): row.id for row in topics}
    return {row.id: keys[row.cluster_name, row.name] for row, _ in rows if (row.cluster_name, row.name) in keys}


def _count(conn: Connection, what: str, nodes: Iterable[int]) -> Mapping[int, int]:
    kind, end = _USES[what]
    query = select(end, _distinct_users(end)).where(end.in_(list(nodes)), t.flow_edge.c.kind == kind).group_by(end)
    return {row[0]: row[1] for row in conn.execute(query)}


def _distinct_users(end: ColumnElement[int]) -> ColumnElement[int]:
    """Count the other ends of edges: two edges of one job, declared and observed, are one user."""
    edge = t.flow_edge.c
    return func.count(distinct(edge.target_node_id if end is edge.source_node_id else edge.source_node_id))


def _number(text: object) -> int | None:
    """Return a setting that is a number; None for another."""
    try:
        return int(str(text))
    except ValueError:
        return None
