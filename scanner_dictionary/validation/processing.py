"""Rules about jobs: those that failed, that do nothing, or whose topics are missing."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import Connection, exists, select

from scanner_dictionary.queries.connectors import DEAD, FAILED
from scanner_dictionary.schema import tables as t
from scanner_dictionary.validation.findings import Rule, Severity
from scanner_dictionary.validation.topics import topics_are_listed
from scanner_model.sql_statements import unread_statements
from scanner_model.streaming_sql import SCRIPT
from scanner_model.text import first_line

Occurrences = Iterator[tuple[str, str]]

_connector = t.connector.c


def failed_connectors(conn: Connection, cluster: int) -> Occurrences:
    """Find connectors that failed, and tasks of others that did."""
    query = select(_connector.name, _connector.state, _connector.trace).where(
        _connector.cluster_id == cluster, _connector.gone.is_(None), _connector.state.in_(FAILED)
    )
    for name, state, trace in conn.execute(query.order_by(_connector.name)):
        yield f"connector {name}", f"it is {state}{_why(trace)}"
    task = t.connector_task.c
    tasks = (
        select(_connector.name, task.task_number, task.state, task.trace)
        .join(t.connector, _connector.id == task.connector_id)
        .where(_connector.cluster_id == cluster, _connector.gone.is_(None), task.state.in_(FAILED))
    )
    for name, number, state, trace in conn.execute(tasks.order_by(_connector.name, task.task_number)):
        yield f"connector {name}", f"its task {number} is {state}{_why(trace)}"


def without_tasks(conn: Connection, cluster: int) -> Occurrences:
    """Find connectors that run and have no task: they move nothing."""
    has = exists().where(t.connector_task.c.connector_id == _connector.id)
    query = select(_connector.name).where(
        _connector.cluster_id == cluster, _connector.gone.is_(None), _connector.state == "RUNNING", ~has
    )
    for name in conn.scalars(query.order_by(_connector.name)):
        yield f"connector {name}", "it is RUNNING and has no task"


def connectors_on_missing_topics(conn: Connection, cluster: int) -> Occurrences:
    """Find connectors that used a topic which does not exist; none if no source lists the topics of the brokers."""
    query = select(_connector.name, _connector.topics).where(
        _connector.cluster_id == cluster, _connector.gone.is_(None), _connector.topics.is_not(None)
    )
    used = [(name, json.loads(topics)) for name, topics in conn.execute(query.order_by(_connector.name))]
    live = _topics(conn, cluster) if used else frozenset()
    for name, topics in used if conn.scalar(select(topics_are_listed(cluster))) else ():
        for topic in sorted(set(topics) - live):
            yield f"connector {name}", f"it used the topic {topic!r}, which does not exist"


def collections_on_missing_topics(conn: Connection, cluster: int) -> Occurrences:
    """Find ksqlDB collections whose topic does not exist."""
    collection = t.ksql_source.c
    topic = t.topic.c
    topic_exists = exists().where(
        topic.cluster_id == cluster,
        topic.name == collection.topic_name,
        topic.gone.is_(None),
        topic.partitions.is_not(None),
    )
    query = select(collection.kind, collection.name, collection.topic_name).where(
        collection.cluster_id == cluster, collection.gone.is_(None), ~topic_exists, topics_are_listed(cluster)
    )
    for kind, name, missing in conn.execute(query.order_by(collection.name)):
        yield f"{kind} {name}", f"its topic {missing!r} is not among the topics of the brokers"


def failed_statements(conn: Connection, cluster: int) -> Occurrences:
    """Find Flink statements, Flink jobs and ksqlDB queries that failed."""
    statement, job, query = t.flink_statement.c, t.flink_job.c, t.ksql_query.c
    for label, table, detail in (
        ("statement", statement, statement.detail),
        ("Flink job", job, job.title),
        ("query", query, query.kind),
    ):
        failed = select(table.name, table.state, detail).where(
            table.cluster_id == cluster, table.gone.is_(None), table.state.in_(DEAD)
        )
        for name, state, message in conn.execute(failed.order_by(table.name)):
            yield f"{label} {name}", f"it is {state}{_why(message)}"


def failed_tables(conn: Connection, cluster: int) -> Occurrences:
    """Find topics whose table is not updated any more."""
    row = t.materialization.c
    query = select(row.topic, row.table_format, row.state, row.detail).where(
        row.cluster_id == cluster, row.gone.is_(None), row.state == "FAILED"
    )
    for topic, form, state, detail in conn.execute(query.order_by(row.topic, row.table_format)):
        yield f"topic {topic}", f"its {form} table is {state}{_why(detail)}"


def stale_sources(conn: Connection, cluster: int) -> Occurrences:
    """Find sources whose facts are older than the newest scan."""
    source = t.source.c
    query = select(source.name, source.stale_since, source.stale_reason).where(
        source.cluster_id == cluster, source.stale_since.is_not(None)
    )
    for name, since, reason in conn.execute(query.order_by(source.name)):
        yield name, f"its facts are stale since scan {since}: {reason}"


def _topics(conn: Connection, cluster: int) -> frozenset[str]:
    topic = t.topic.c
    return frozenset(conn.scalars(select(topic.name).where(topic.cluster_id == cluster, topic.gone.is_(None))))


def _why(trace: str) -> str:
    line = first_line(trace)
    return f": {line}" if line else ""


def unread_statements_of_files(conn: Connection, cluster: int) -> Occurrences:
    """Find statements in files that are not read for lineage."""
    statement = t.flink_statement.c
    query = select(statement.name, statement.detail, statement.statement).where(
        statement.cluster_id == cluster, statement.gone.is_(None), statement.kind == SCRIPT
    )
    for name, place, sql in conn.execute(query.order_by(statement.name)):
        for unread in unread_statements(sql):
            file = f"{name} of {place}" if place != name else name
            where = f"{file}, line {unread.line}" if place else f"{name}:{unread.line}"
            yield f"statement {where}", f"{unread.opening} is not read: {unread.why}"


RULES = (
    Rule(
        name="failed-connector",
        meaning="A connector or one of its tasks failed.",
        example_bad="orders-to-lake: FAILED",
        example_good="orders-to-lake: RUNNING",
        severity=Severity.ERROR,
        hint="`scanner jobs --failed --format json` shows the whole trace",
        find=failed_connectors,
    ),
    Rule(
        name="connector-without-tasks",
        meaning="A connector runs without a task, so it moves no data.",
        example_bad="tasks: []",
        example_good="tasks: [RUNNING]",
        severity=Severity.WARNING,
        hint="see the worker's log; a wrong `tasks.max` or a source without tables are common",
        find=without_tasks,
    ),
    Rule(
        name="connector-on-missing-topic",
        meaning="A connector uses a topic that does not exist.",
        example_bad="topics: ordres",
        example_good="topics: orders",
        severity=Severity.WARNING,
        hint="was the topic deleted? restart the connector, or reset its topics (`PUT /connectors/NAME/topics/reset`)",
        find=connectors_on_missing_topics,
    ),
    Rule(
        name="collection-on-missing-topic",
        meaning="A ksqlDB collection is declared on a topic that the brokers do not have.",
        example_bad="CREATE STREAM s (…) WITH (KAFKA_TOPIC='ordres');",
        example_good="CREATE STREAM s (…) WITH (KAFKA_TOPIC='orders');",
        severity=Severity.WARNING,
        hint="was the topic deleted? drop the collection, or create the topic again",
        find=collections_on_missing_topics,
    ),
    Rule(
        name="failed-statement",
        meaning="A Flink statement, Flink job or ksqlDB query failed.",
        example_bad="enrich: FAILED",
        example_good="enrich: RUNNING",
        severity=Severity.ERROR,
        hint="see the server's log or console",
        find=failed_statements,
    ),
    Rule(
        name="unread-statement",
        meaning="scanner cannot derive lineage from a statement in a file.",
        example_bad="a statement with an unsupported construct",
        example_good="a statement that `scanner explain sql` reads",
        severity=Severity.WARNING,
        hint="its topics have no lineage from here: name the server that runs it, or describe it by hand",
        find=unread_statements_of_files,
    ),
    Rule(
        name="failed-table",
        meaning="The table of a topic is no longer updated.",
        example_bad="orders: FAILED",
        example_good="orders: RUNNING",
        severity=Severity.ERROR,
        hint="see the table's page in the service's console",
        find=failed_tables,
    ),
    Rule(
        name="stale-source",
        meaning="A source could not be read since an earlier scan.",
        example_bad="connect: unavailable",
        example_good="connect: read",
        severity=Severity.WARNING,
        hint="test it with `scanner doctor`; remove one that no longer exists with `scanner dictionary forget SOURCE`",
        find=stale_sources,
    ),
)
