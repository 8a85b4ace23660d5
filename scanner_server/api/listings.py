"""Operations that list what the dictionary has, and search in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from scanner_api import queries
from scanner_api.dictionary import Dictionary
from scanner_api.queries import (
    ClusterRow,
    ConnectorRow,
    Finding,
    OutcomeRow,
    ScanRow,
    SchemaAnswer,
    SourceRow,
    StatementRow,
    SubjectRow,
    TableLine,
    TopicColumnRow,
    TopicRow,
)
from scanner_api.searching import DictionaryState, SearchHit, TopicDescription, find_columns, schemas_of_topic
from scanner_api.searching import describe_topic as describe
from scanner_api.searching import search as search_names
from scanner_api.searching import state as read_state
from scanner_model.errors import Problem
from scanner_server.api.answers import Listed, keyed_page, page_of, read_cursor, write_cursor
from scanner_server.api.parameters import Cluster, ClusterName, Cursor, Deleted, Limit, Pattern, Scan, Topic


def list_clusters(dictionary: Dictionary) -> Listed[ClusterRow]:
    """List the clusters with their broker addresses and newest scans."""
    return page_of(queries.clusters(dictionary), None, 100_000)


def list_topics(
    dictionary: Dictionary,
    *,
    cluster: ClusterName = None,
    pattern: Pattern = None,
    without_schema: Annotated[bool, Field(description="Only topics that no schema describes.")] = False,
    deleted: Deleted = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[TopicRow]:
    """List topics by cluster and name."""
    after = read_cursor(cursor, str, str) if cursor else None
    rows = queries.topics(
        dictionary,
        cluster=cluster,
        pattern=pattern,
        without_schema=without_schema,
        include_deleted=deleted,
        after=(after[0], after[1]) if after else None,
        limit=limit + 1,
    )
    return keyed_page(rows, lambda row: (row.cluster, row.name), limit)


def describe_topic(dictionary: Dictionary, *, cluster: Cluster, topic: Topic) -> TopicDescription:
    """Describe a topic: its current schemas with columns, and the jobs and consumer groups at it."""
    return describe(dictionary, cluster, topic)


def topic_schemas(
    dictionary: Dictionary,
    *,
    cluster: Cluster,
    topic: Topic,
    schema_id: Annotated[str | None, Field(description="Exactly this schema id.")] = None,
    subject: Annotated[str | None, Field(description="The newest version of this subject.")] = None,
    version: Annotated[str | None, Field(description="This version; `latest` is the newest.")] = None,
) -> Listed[SchemaAnswer]:
    """List the schemas of a topic with their columns and texts; all current ones without more parameters."""
    rows = schemas_of_topic(dictionary, cluster, topic, schema_id=schema_id, subject=subject, version=version)
    return Listed(items=rows, next_cursor=None)


def list_schemas(
    dictionary: Dictionary,
    *,
    cluster: ClusterName = None,
    pattern: Pattern = None,
    deleted: Deleted = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[SubjectRow]:
    """List subjects with their versions and the topics that they describe."""
    rows = queries.schemas(dictionary, cluster=cluster, pattern=pattern, include_deleted=deleted)
    return page_of(rows, cursor, limit)


def list_columns(
    dictionary: Dictionary,
    *,
    name: Annotated[str | None, Field(description="The column's own name: the last name of its path.")] = None,
    tag: Annotated[str | None, Field(description="A whole tag of the schema or of a stream catalog.")] = None,
    cluster: ClusterName = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[TopicColumnRow]:
    """List columns of topics by name, tag, or both; a page may have somewhat more than *limit* items."""
    (after,) = read_cursor(cursor, int) if cursor else (0,)
    page = find_columns(dictionary, name=name, tag=tag, cluster=cluster, after=after, limit=limit)
    following = None if page.after is None else write_cursor(page.after)
    return Listed(items=page.columns, next_cursor=following, complete=page.complete)


def list_connectors(
    dictionary: Dictionary,
    *,
    cluster: ClusterName = None,
    pattern: Pattern = None,
    failed: Annotated[bool, Field(description="Only connectors that failed or have a failed task.")] = False,
    deleted: Deleted = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[ConnectorRow]:
    """List connectors with their state, tasks and configuration (secrets are redacted)."""
    rows = queries.connectors(dictionary, cluster=cluster, pattern=pattern, failed=failed, include_deleted=deleted)
    return page_of(rows, cursor, limit)


def list_statements(
    dictionary: Dictionary,
    *,
    cluster: ClusterName = None,
    pattern: Pattern = None,
    state: Annotated[str | None, Field(description="The server's word for a state, in any letter case.")] = None,
    deleted: Deleted = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[StatementRow]:
    """List Flink statements and ksqlDB queries."""
    rows = queries.statements(dictionary, cluster=cluster, pattern=pattern, state=state, include_deleted=deleted)
    return page_of(rows, cursor, limit)


def list_tables(
    dictionary: Dictionary,
    *,
    cluster: ClusterName = None,
    pattern: Pattern = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[TableLine]:
    """List catalog tables, and tables that topics are materialized as."""
    return page_of(queries.tables(dictionary, cluster=cluster, pattern=pattern), cursor, limit)


def list_findings(
    dictionary: Dictionary,
    *,
    cluster: ClusterName = None,
    rule: Annotated[str | None, Field(description="Only findings of this rule.")] = None,
    severity: Annotated[Literal["error", "warning"] | None, Field(description="Only of this severity.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Listed[Finding]:
    """List what failed or does not fit together, as `scanner validate` found after the newest scan."""
    rows = queries.findings(dictionary, cluster=cluster)
    chosen = (row for row in rows if rule in (None, row.rule) and severity in (None, str(row.severity)))
    return page_of(chosen, cursor, limit)


def list_sources(dictionary: Dictionary, *, cluster: ClusterName = None) -> Listed[SourceRow]:
    """List the sources, and since which scan each is stale."""
    return page_of(queries.sources(dictionary, cluster=cluster), None, 100_000)


def list_scans(
    dictionary: Dictionary, *, cluster: ClusterName = None, limit: Limit = 100, cursor: Cursor = None
) -> Listed[ScanRow]:
    """List the scans, the newest first."""
    return page_of(queries.scans(dictionary, cluster=cluster), cursor, limit)


def list_scan_sources(dictionary: Dictionary, *, scan: Scan) -> Listed[OutcomeRow]:
    """List how each source responded in a scan."""
    return page_of(queries.scan_sources(dictionary, scan), None, 100_000)


def list_scan_problems(
    dictionary: Dictionary, *, scan: Scan, limit: Limit = 100, cursor: Cursor = None
) -> Listed[Problem]:
    """List what a scan could not read or parse."""
    return page_of(queries.scan_problems(dictionary, scan), cursor, limit)


def get_state(dictionary: Dictionary) -> DictionaryState:
    """Return the newest scan, the scan that the graph is of, and the sources that are stale."""
    return read_state(dictionary)


SearchKind = Literal["topic", "node", "subject", "column"]


def search(
    dictionary: Dictionary,
    *,
    q: Annotated[str, Field(min_length=1, max_length=500, description="A name, or the start of a word of one.")],
    kind: Annotated[
        SearchKind | None, Field(description="Only topics, nodes (jobs, datasets, groups), subjects or columns.")
    ] = None,
    cluster: ClusterName = None,
    limit: Annotated[int, Field(ge=1, le=200, description="How many hits a page has at most.")] = 20,
    cursor: Cursor = None,
) -> Listed[SearchHit]:
    """Search names of topics, jobs, datasets, consumer groups, subjects and columns; the best match first."""
    (offset,) = read_cursor(cursor, int) if cursor else (0,)
    offset = min(max(offset, 0), _DEEPEST_HIT)
    result = search_names(dictionary, q, kinds=(kind,) if kind else (), cluster=cluster, limit=limit, offset=offset)
    more = result.more and offset + limit < _DEEPEST_HIT
    following = write_cursor(offset + limit) if more else None
    return Listed(items=result.hits, next_cursor=following, complete=result.complete and more == result.more)


_DEEPEST_HIT = 2_000
