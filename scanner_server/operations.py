"""The operations of the JSON API: one row for each, with a function from a dictionary and parameters to a document.

A parameter of the function is one of the query, or of the path where the path names it; its annotation holds its type,
limits and description. The OpenAPI document is made of this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from scanner_api import queries
from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import GraphOfScan, diff_flows, flows_document, graphs
from scanner_api.graph.lineage import impact as find_impact
from scanner_api.graph.neighbourhood import Hops, neighbourhood
from scanner_api.graph.neighbourhood import paths as find_paths
from scanner_api.graph.overview import overview
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
from scanner_server.answers import (
    ImpactList,
    Listed,
    Neighbourhood,
    PathList,
    ScanComparison,
    WholeGraph,
    comparison,
    impact_answer,
    impact_csv,
    keyed_page,
    neighbourhood_answer,
    overview_answer,
    page_of,
    paths_answer,
    read_cursor,
    write_cursor,
)

BASE = "/api/v1"

Limit = Annotated[int, Field(ge=1, le=1000, description="How many items a page has at most.")]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before.")]
ClusterName = Annotated[str | None, Field(description="Only this cluster, by its name.")]
Pattern = Annotated[str | None, Field(description="A glob where it holds `*`, `?` or `[`, else a part of the name.")]
Deleted = Annotated[bool, Field(description="Also what its source no longer has.")]
Cluster = Annotated[str, Field(description="The cluster's name, or one of its broker addresses.")]
Topic = Annotated[str, Field(description="The topic's name.")]
Scan = Annotated[int, Field(ge=1, le=2**31 - 1, description="A scan number.")]
NodeName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        description="A node: the name of a topic, dataset, job, consumer group or column (`orders.customer.id`), "
        "`NAMESPACE/NAME`, or an id of the graph.",
    ),
]
AsOf = Annotated[
    str | None,
    Field(
        max_length=64,
        description="Instead of the newest graph that of a scan, by its number, or of a date or time (ISO 8601; a date "
        "is its end). A scan has a graph where it was generated before the next scan.",
    ),
]
Steps = Annotated[int, Field(ge=0, le=50, description="How many edges to follow.")]


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
    return Listed(items=page.columns, next_cursor=None if page.after is None else write_cursor(page.after))


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


def get_diff(
    dictionary: Dictionary,
    *,
    first: Annotated[int, Field(alias="from", ge=1, le=2**31 - 1, description="The scan to compare from.")],
    second: Annotated[
        int, Field(alias="to", ge=1, le=2**31 - 1, description="The scan to compare to, of the same cluster.")
    ],
    flows: Annotated[
        bool, Field(description="Also the nodes and flows that differ between the graphs of both scans, with causes.")
    ] = False,
    limit: Annotated[int, Field(ge=1, le=20_000, description="How many items a list has at most.")] = 2_000,
) -> ScanComparison:
    """Compare two scans, with the compatibility of each schema; the members are those of `scanner diff`."""
    changes = queries.diff_document(queries.diff(dictionary, first, second))
    graphs = flows_document(diff_flows(dictionary, first, second)) if flows else None
    return comparison(changes, graphs, limit)


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
    return Listed(items=result.hits, next_cursor=write_cursor(offset + limit) if more else None)


_DEEPEST_HIT = 2_000


def get_lineage(
    dictionary: Dictionary,
    *,
    node: NodeName,
    upstream: Steps = 1,
    downstream: Steps = 1,
    columns: Annotated[bool, Field(description="Also schemas and columns of the topics and datasets.")] = False,
    limit: Annotated[int, Field(ge=1, le=20_000, description="How many edges at most.")] = 2_000,
    as_of: AsOf = None,
) -> Neighbourhood:
    """Return the nodes and edges within some hops of a node, and how many edges each node has in the whole graph."""
    hops = Hops(upstream=upstream, downstream=downstream, columns=columns, edges=limit)
    return neighbourhood_answer(neighbourhood(dictionary, node, hops, as_of=as_of))


def get_overview(
    dictionary: Dictionary,
    *,
    limit: Annotated[int, Field(ge=1, le=10_000, description="No nodes where there are more.")] = 2_000,
    as_of: AsOf = None,
) -> WholeGraph:
    """Return the graph without schemas and columns, with its coverage and problems."""
    return overview_answer(overview(dictionary, limit=limit, as_of=as_of))


def list_graphs(dictionary: Dictionary) -> Listed[GraphOfScan]:
    """List the scans whose graphs can be read and compared, the oldest first."""
    return Listed(items=graphs(dictionary), next_cursor=None)


def get_paths(
    dictionary: Dictionary,
    *,
    start: Annotated[NodeName, Field(alias="from")],
    end: Annotated[NodeName, Field(alias="to")],
    limit: Annotated[int, Field(ge=1, le=100, description="How many paths at most.")] = 10,
    as_of: AsOf = None,
) -> PathList:
    """Return the shortest paths on which data go from one node to another, or back where there is none."""
    return paths_answer(find_paths(dictionary, start, end, limit=limit, as_of=as_of))


Depth = Annotated[int | None, Field(ge=1, le=100, description="At most so many edges from the node.")]


def get_impact(dictionary: Dictionary, *, node: NodeName, depth: Depth = None, as_of: AsOf = None) -> ImpactList:
    """List what is affected if a node is renamed or dropped, the nearest first."""
    return impact_answer(find_impact(dictionary, node, depth=depth, as_of=as_of), _MOST_AFFECTED)


def get_impact_csv(dictionary: Dictionary, *, node: NodeName, depth: Depth = None, as_of: AsOf = None) -> str:
    """List what is affected as CSV."""
    return impact_csv(impact_answer(find_impact(dictionary, node, depth=depth, as_of=as_of)))


_MOST_AFFECTED = 10_000


@dataclass(frozen=True, slots=True)
class Operation:
    """A GET request: its path below `/api/v1`, and the function that answers it; *media* is the type of the answer."""

    path: str
    answer: Callable[..., Any]
    media: str = "application/json"

    @property
    def name(self) -> str:
        """Return its operationId."""
        return self.answer.__name__


OPERATIONS: tuple[Operation, ...] = (
    Operation("/state", get_state),
    Operation("/clusters", list_clusters),
    Operation("/clusters/{cluster}/topics/{topic}", describe_topic),
    Operation("/clusters/{cluster}/topics/{topic}/schemas", topic_schemas),
    Operation("/topics", list_topics),
    Operation("/schemas", list_schemas),
    Operation("/columns", list_columns),
    Operation("/connectors", list_connectors),
    Operation("/statements", list_statements),
    Operation("/tables", list_tables),
    Operation("/findings", list_findings),
    Operation("/sources", list_sources),
    Operation("/scans", list_scans),
    Operation("/scans/{scan}/sources", list_scan_sources),
    Operation("/scans/{scan}/problems", list_scan_problems),
    Operation("/scans/diff", get_diff),
    Operation("/search", search),
    Operation("/graphs", list_graphs),
    Operation("/overview", get_overview),
    Operation("/lineage", get_lineage),
    Operation("/paths", get_paths),
    Operation("/impact", get_impact),
    Operation("/impact.csv", get_impact_csv, "text/csv"),
)
"""All operations; a new question is a function above and a row here."""
