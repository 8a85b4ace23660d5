"""Questions about names: searching and listing them, counts for a home page; and the state of the dictionary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import ColumnRef, GraphDataset
from dataflow_generator.query.stored_graph import coverage_of
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.questions.graph import GraphNode, described_nodes
from scanner_api.questions.listings import ClusterRow, ScanRow, SourceRow
from scanner_api.questions.question import Cluster, Cursor, Limit, Page, Parameter, Pattern, read_cursor, write_cursor
from scanner_api.questions.staleness import job_problem
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import NodeCount as NodeCount
from scanner_dictionary.graph.reader import NodePlace, SqlGraphReader, count_nodes, jobs_with_states, list_nodes
from scanner_dictionary.graph.store import NodeRow, stored_graph
from scanner_dictionary.queries import history
from scanner_dictionary.queries.graph_nodes import known_nodes
from scanner_dictionary.queries.listings import count_listed, count_topics
from scanner_dictionary.queries.resolve import nearest_names
from scanner_dictionary.queries.state import DictionaryState as DictionaryState
from scanner_dictionary.queries.state import StaleSource as StaleSource
from scanner_dictionary.queries.state import dictionary_state
from scanner_dictionary.queries.topics import name_filter
from scanner_dictionary.search.search import SearchHit as SearchHit
from scanner_dictionary.search.search import flows_first
from scanner_dictionary.search.search import search as search_names
from scanner_dictionary.validation import FindingCount as FindingCount
from scanner_dictionary.validation import count_findings
from scanner_model.columns import path_name
from scanner_model.errors import NameUnknown

_IN_CLUSTERS = ("topic", "column")
_DEEPEST_HIT = 2_000
_ORDERED_HITS = 50

Kind = Literal["topic", "node", "subject", "column", "tag", "owner"]
SearchText = Annotated[
    str,
    Parameter("A name, or the start of a word of one.", longest=500, former=("query",), argument=True, metavar="TEXT"),
]


def search(
    dictionary: Dictionary,
    q: SearchText,
    *,
    kind: Annotated[
        Kind | None,
        Parameter("Only topics, nodes (jobs, datasets, consumer groups), subjects, columns, tags or owners."),
    ] = None,
    cluster: Cluster = None,
    limit: Annotated[int, Parameter("How many hits a page has at most.", least=1, most=200)] = 20,
    cursor: Cursor = None,
) -> Page[SearchHit]:
    """Return what has *q* in its name, or in its documentation, the best match first.

    These are topics, jobs, datasets, consumer groups, subjects, columns, tags and owners. *cluster* leaves out what is
    of none; it may also be a namespace, as `where` of a hit. Where nothing is found, `did_you_mean` has the nearest
    names. The answer is not `complete` where others may match and are on no page: their names are not indexed yet, the
    graph of the newest scan was not generated, or so much matches that not all is ranked. Raises NameUnknown
    for an unknown cluster.

    >>> [hit.name for hit in search(dictionary, "order")]
    """
    (offset,) = read_cursor(cursor, int) if cursor else (0,)
    offset = min(max(offset, 0), _DEEPEST_HIT)
    with dictionary.reading() as conn:
        known = _known_place(conn, cluster)
        kinds = (kind,) if kind else None
        # The first hits are put in order together, so that pages of any size have the same order.
        start = 0 if offset < _ORDERED_HITS else offset
        most = max(offset + limit, _ORDERED_HITS) if offset < _ORDERED_HITS else limit
        result = search_names(conn, q, kinds=kinds, cluster=known, limit=most, offset=start)
        near = () if result.hits or offset else nearest_names(conn, q)
        names = result.clusters
        homes = {name: namespace for namespace, name in names.items()}
        read = [_with_node(hit, homes, SqlGraphReader(conn)) for hit in result.hits]
        listed = read if start else flows_first(conn, read[:_ORDERED_HITS], q) + read[_ORDERED_HITS:]
        found = listed[offset - start :][:limit]
    hits = tuple(hit._replace(where=names.get(hit.where, hit.where)) for hit in found)
    has_more = result.more or len(listed) > offset - start + limit
    more = has_more and offset + limit < _DEEPEST_HIT
    rest = write_cursor(offset + limit) if more else None
    return Page(hits, rest, result.complete and more == has_more, near)


class SearchCounts(NamedTuple):
    """How many hits a search has, by kind and by cluster (or namespace, of what is of no cluster).

    *complete* is False where there are more than are counted.
    """

    kinds: Mapping[str, int]
    clusters: Mapping[str, int]
    complete: bool


def search_counts(dictionary: Dictionary, q: SearchText, *, cluster: Cluster = None) -> SearchCounts:
    """Return how many hits `search` has of each kind, and in each cluster, of the first 2,000.

    >>> search_counts(dictionary, "order").kinds
    """
    with dictionary.reading() as conn:
        result = search_names(conn, q, cluster=_known_place(conn, cluster), limit=_DEEPEST_HIT)
    kinds = Counter(hit.kind for hit in result.hits)
    clusters = Counter(result.clusters.get(hit.where, hit.where) for hit in result.hits if hit.where)
    return SearchCounts(dict(kinds), dict(clusters), result.complete and not result.more)


def _known_place(conn: Connection, name: str | None) -> str | None:
    """Return *name* of a cluster, or of a namespace of the graph; raises NameUnknown for any other."""
    try:
        return known_cluster(conn, name)
    except NameUnknown:
        if any(row.namespace == name for row in count_nodes(conn)):
            return name
        raise


def _with_node(hit: SearchHit, homes: Mapping[str, str], graph: SqlGraphReader) -> SearchHit:
    """Add the key in the graph to a topic or a column that has none, also if the graph calls its table otherwise."""
    if hit.node or hit.kind not in _IN_CLUSTERS:
        return hit
    if hit.where not in homes:
        ending = "" if hit.path is None else f".{path_name(hit.path)}"
        nodes = known_nodes(graph, f"{hit.where}/{hit.name}{ending}")
        return hit._replace(node=nodes[0].node_key) if len(nodes) == 1 else hit
    topic = GraphDataset(NodeKind.TOPIC, homes[hit.where], hit.name)
    return hit._replace(node=topic.key if hit.path is None else ColumnRef(topic, hit.path).key)


def state(dictionary: Dictionary) -> DictionaryState:
    """Return the newest scan, the scan that the graph is of, and the sources whose facts are not fresh.

    >>> state(dictionary).scan
    """
    with dictionary.reading() as conn:
        return dictionary_state(conn)


class Freshness(NamedTuple):
    """The clusters, the newest scan of each, and how fresh each source is."""

    clusters: tuple[ClusterRow, ...]
    newest_scans: tuple[ScanRow, ...]
    sources: tuple[SourceRow, ...]


def freshness(dictionary: Dictionary) -> Freshness:
    """Return the clusters, their newest scans, and how fresh each source is.

    >>> freshness(dictionary).sources
    """
    with dictionary.reading() as conn:
        clusters = history.clusters(conn)
        newest = {row.last_scan for row in clusters}
        scans = tuple(scan for scan in history.scans(conn) if scan.id in newest)
        return Freshness(clusters, scans, history.sources(conn))


NodeKindName = Literal["topic", "job", "dataset", "consumer-group", "catalog-table"]


class Summary(NamedTuple):
    """How many *nodes* the graph has of each kind and namespace, and how many *findings* there are of each rule.

    *coverage* counts the statements and connectors of the graph by how far they were read, and the `problems`: the
    members of `Coverage`. None where no graph was generated. *counts* are of the dictionary: `topics` and
    `internal_topics` of them, `mentioned_topics`, which only the graph has, `jobs`, `failed_jobs`, `sources`,
    `stale_sources`, and how many `schemas`, `connectors`, `statements`, `tables`, `findings` and `scans` there are: the
    rows of these lists without a filter.
    """

    nodes: tuple[NodeCount, ...]
    findings: tuple[FindingCount, ...]
    coverage: Mapping[str, int] | None = None
    counts: Mapping[str, int] | None = None


def summary(dictionary: Dictionary) -> Summary:
    """Return how many nodes the graph has where, what `validate` found, and how much of the jobs was read, counted.

    >>> summary(dictionary).findings
    """
    with dictionary.reading() as conn:
        graph = stored_graph(conn)
        nodes = count_nodes(conn)
        coverage = _counts(coverage_of(graph)) if graph else None
        return Summary(nodes, count_findings(conn), coverage, _totals(conn, nodes))


def _totals(conn: Connection, nodes: Iterable[NodeCount]) -> Mapping[str, int]:
    of_kind: Counter[str] = Counter()
    for row in nodes:
        of_kind[row.kind] += row.count
    topics, internal, in_graph = count_topics(conn)
    failed = (row for row in jobs_with_states(conn) if job_problem(row).startswith("failed"))
    sources = history.sources(conn)
    return {
        **count_listed(conn),
        "topics": topics,
        "internal_topics": internal,
        "mentioned_topics": max(0, of_kind["topic"] - in_graph),
        "jobs": of_kind["job"],
        "failed_jobs": sum(1 for _ in failed),
        "sources": len(sources),
        "stale_sources": sum(row.stale_since is not None for row in sources),
    }


def _counts(read: Coverage) -> Mapping[str, int]:
    return {name: int(getattr(read, name)) for name in read.counts()} | {"problems": len(read.problems)}


def nodes(
    dictionary: Dictionary,
    *,
    kind: Annotated[NodeKindName | None, Parameter("Only of this kind.")] = None,
    namespace: Annotated[str | None, Parameter("Only in this namespace.", longest=2000)] = None,
    pattern: Pattern = None,
    failed: Annotated[bool, Parameter("Only jobs that failed, or have a failed task.")] = False,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[GraphNode]:
    """Return the graph's topics, jobs, datasets and consumer groups by namespace and name.

    >>> [job.name for job in nodes(dictionary, kind="job", failed=True)]
    """
    called = name_filter(pattern)

    def fits(row: NodeRow) -> bool:
        return called(row.name) and (not failed or job_problem(row).startswith("failed"))

    after = NodePlace(*read_cursor(cursor, str, str, int)) if cursor else None
    with dictionary.reading() as conn:
        found = list_nodes(conn, kind=kind, namespace=namespace, fits=fits, after=after)
        rows = tuple(islice(found, None if limit is None else limit + 1))
        more = limit is not None and len(rows) > limit
        page = rows[:limit]
        described = described_nodes(SqlGraphReader(conn), page, counted=True)
        last = write_cursor(page[-1].namespace, page[-1].name, page[-1].id) if more else None
        return Page(tuple(described[row.id] for row in page), last)
