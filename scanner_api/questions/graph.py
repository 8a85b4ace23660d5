"""Questions about the generated graph: what is around a node, paths between two, the graph as a whole.

Everywhere *node* is the name of a topic, dataset, job, consumer group or column, `NAMESPACE/NAME`, or an id of the
graph, and *as_of* a scan number or a date whose graph is read instead of the newest. Every function raises InputInvalid
where several nodes have the name, NameUnknown where none has, no graph was generated, or none is known of *as_of*.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from dataflow_generator.analysis.connectivity import Component as Component
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.query.contents import Part, edge_counts
from dataflow_generator.query.stored_graph import JOB_LEVEL, coverage_of, stored_lineage
from dataflow_generator.query.traversal import DATASETS, Hop, PathLimits, TraversalOptions, shortest_paths
from dataflow_generator.sql.lexer import statement_title
from dataflow_generator.stored.impact import (
    column_suggestions,
    is_partly_read,
    is_unread,
    jobs_at,
    node_path,
)
from dataflow_generator.stored.people import stated_owner
from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import GraphSource, find_node, open_graph, open_stored_rows, stale_nodes
from scanner_api.questions.question import AsOf, Node, Page, Parameter
from scanner_dictionary.graph.past import PastGraphReader
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader, SystemFlow, count_flows
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.graph.versions import GraphOfScan as GraphOfScan
from scanner_dictionary.graph.versions import graph_versions
from scanner_dictionary.queries.field_uses import FieldUser as FieldUser
from scanner_dictionary.queries.field_uses import field_users
from scanner_dictionary.queries.graph_nodes import topics_with_column

_FLOWS = frozenset(("column-flow",))
_EDGES_OF_A_STEP = 20_000


class GraphNode(NamedTuple):
    """A node of the graph; *path* is a column's, else None.

    *upstream* and *downstream* count its edges in the whole graph, each way; None where they were not counted. *stale*
    is why the newest scan could not confirm it, empty where it did; None where that is not looked up. *unread*: the
    statement, or the class of the connector, could not be parsed, so that its flows are unknown. *cluster* is what
    people call its namespace: the name of its cluster, or the alias of its server; empty where it has none. *owner* is
    the owner that the graph states; a topic's may be in a catalog instead, which `topics` reads. *title* is how the
    statement of a job begins, for example `INSERT INTO order_mails`; empty for nodes without a statement.
    """

    id: str
    kind: str
    namespace: str
    name: str
    path: tuple[str, ...] | None
    attributes: Mapping[str, object]
    upstream: int | None
    downstream: int | None
    stale: str | None
    unread: bool
    cluster: str
    owner: str = ""
    title: str = ""


class GraphEdge(NamedTuple):
    """An edge between two nodes' ids; *type* and *subtype* are empty except for column flows."""

    source: str
    target: str
    kind: str
    type: str
    subtype: str
    evidence: str
    certainty: str


class Reachable(NamedTuple):
    """How many nodes data come from and go to; *complete* is False where the search was ended before it had all."""

    upstream: int
    downstream: int
    complete: bool


class Lineage(NamedTuple):
    """What is around *root*, a node's id, in the graph of *scan* (None for a graph in files).

    *edges* are in the order of traversal, upstream first, the nearest first; *nodes* are those at their ends, with
    *root*, *unread* and *partly_read*. *complete* is False where edges were left out. *unread* are the ids of the jobs
    at these nodes whose statement or connector could not be parsed, *partly_read* those of views some of whose columns
    were not resolved: there may be flows through them that are not listed.
    *column_suggestions* are columns above and below a column that have flows of their own. *notes* say what the
    requested name means, where that is other than it says. *field_users* are the programs whose source code uses the
    column *root*, or may use all fields of its topic.
    """

    root: str
    scan: int | None
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    reachable: Reachable
    complete: bool
    unread: tuple[str, ...]
    partly_read: tuple[str, ...]
    column_suggestions: tuple[str, ...]
    notes: tuple[str, ...]
    field_users: tuple[FieldUser, ...] = ()


Direction = Annotated[Literal["both", "upstream", "downstream"], Parameter("Where to follow the flows.", option=None)]
Hops = Annotated[
    int | None,
    Parameter(
        "At most so many edges from the node; else to the end.",
        least=0,
        most=100,
        former=("depth",),
        option="--depth",
        metavar="N",
    ),
]


def lineage(
    graph: GraphSource | Dictionary,
    node: Node,
    *,
    direction: Direction = "both",
    hops: Hops = None,
    upstream: Annotated[
        int | None, Parameter("Hops upstream, instead of `hops`.", least=0, most=100, option=None)
    ] = None,
    downstream: Annotated[
        int | None, Parameter("Hops downstream, instead of `hops`.", least=0, most=100, option=None)
    ] = None,
    columns: Annotated[bool, Parameter("Also the flows of its columns.")] = False,
    contents: Annotated[
        bool,
        Parameter(
            "Also what contains these nodes, the schemas and columns of topics and datasets, and jobs between columns.",
            option=None,
        ),
    ] = False,
    limit: Annotated[int | None, Parameter("How many edges at most.", least=1, most=20_000, option=None)] = None,
    as_of: AsOf = None,
) -> Lineage:
    """Return where the data of *node* come from and where they go, in the graph that was generated last.

    *hops*, or *upstream* and *downstream*, limit the steps each way, *limit* the number of edges. *columns* adds the
    flows of its columns, *contents* what a drawing of the nodes needs.

    >>> [edge.kind for edge in lineage(dictionary, "orders", direction="downstream").edges]
    """
    options = TraversalOptions(
        upstream=_steps(hops if upstream is None else upstream, enabled=direction != "downstream"),
        downstream=_steps(hops if downstream is None else downstream, enabled=direction != "upstream"),
        columns=columns,
        most=limit,
    )
    with open_graph(GraphSource.of(graph, as_of)) as opened:
        rows = opened.rows
        root, notes = find_node(rows, node, "node")
        reached, found = stored_lineage(rows, root, options)
        jobs = jobs_at(rows, found, options)
        unread, partly_read = [[job for job in jobs if test(job)] for test in (is_unread, is_partly_read)]
        nodes = {**found, **{job.id: job for job in (*unread, *partly_read)}}
        edges, complete = [hop.edge for hop in reached.hops], not reached.cut
        if contents and isinstance(rows, SqlGraphReader | PastGraphReader):
            most = _EDGES_OF_A_STEP if limit is None else limit
            part = Part(rows, nodes, {edge.id: edge for edge in edges}, most - len(edges))
            part.add_surroundings(root)
            nodes, edges, complete = part.nodes, list(part.edges.values()), complete and part.complete
        return Lineage(
            root=root.node_key,
            scan=opened.about.last_scan,
            nodes=tuple(described_nodes(rows, nodes.values(), counted=True).values()),
            edges=tuple(graph_edge(edge, nodes) for edge in edges),
            reachable=Reachable(reached.upstream, reached.downstream, reached.complete),
            complete=complete,
            unread=tuple(job.node_key for job in unread),
            partly_read=tuple(job.node_key for job in partly_read),
            column_suggestions=column_suggestions(rows, root, node),
            notes=notes,
            field_users=users_of_column(rows, root, node),
        )


def users_of_column(rows: GraphReader, root: NodeRow, name: str) -> tuple[FieldUser, ...]:
    """Return the programs whose source code uses a column of a topic; none for other nodes and graphs in files."""
    path = node_path(root)
    if path is None or not isinstance(rows, SqlGraphReader):
        return ()
    topics = [root] if root.namespace else topics_with_column(rows, name)
    clusters = rows.system_names()
    found = (
        field_users(rows.conn, cluster=clusters[topic.namespace], topic=topic.name, path=path)
        for topic in topics
        if topic.namespace in clusters
    )
    return tuple(user for users in found for user in users)


def _steps(hops: int | None, *, enabled: bool) -> int | None:
    return hops if enabled else 0


class PathList(NamedTuple):
    """The shortest paths in the graph of *scan*, each a list of edges; *reverse*: data go from *end* to *start*.

    *complete* is False where a limit ended the search.
    """

    start: str
    end: str
    scan: int
    reverse: bool
    complete: bool
    nodes: tuple[GraphNode, ...]
    paths: tuple[tuple[GraphEdge, ...], ...]
    notes: tuple[str, ...]


def paths(
    dictionary: Dictionary,
    start: Annotated[
        str, Parameter("The node where data come from, named as in `lineage`.", longest=2000, request="from")
    ],
    end: Annotated[str, Parameter("The node where they go.", longest=2000, request="to")],
    *,
    limit: Annotated[int, Parameter("How many paths at most.", least=1, most=100)] = 10,
    as_of: AsOf = None,
) -> PathList:
    """Return the shortest paths of data from *start* to *end*, or in the other direction if none exist.

    Two columns are connected by column flows; otherwise data and jobs are, and a column stands for its topic or
    dataset.

    >>> paths(dictionary, "orders", "payments").paths
    """
    with open_stored_rows(GraphSource.of(dictionary, as_of)) as (graph, about):

        def ahead(nodes: Sequence[int], forward: bool, kinds: frozenset[str]) -> Iterable[Hop[int, EdgeRow]]:
            rows = graph.nearest_edges(nodes, forward=forward, kinds=kinds, limit=_EDGES_OF_A_STEP)
            return (Hop(row.source_node_id, row.target_node_id, row.kind, row) for row in rows)

        named = find_node(graph, start, "from"), find_node(graph, end, "to")
        ends = named[0].node, named[1].node
        columns = all(node.kind == "column" for node in ends)
        first, last = ends if columns else (_holder(graph, ends[0]), _holder(graph, ends[1]))
        kinds, limits = (_FLOWS if columns else DATASETS), PathLimits(paths=limit)
        shortest, reverse = shortest_paths(first.id, last.id, kinds, ahead, limits), False
        if not shortest.paths:
            back = shortest_paths(last.id, first.id, kinds, ahead, limits)
            shortest, reverse = (back, True) if back.paths else (shortest, False)
        keys = {key for path in shortest.paths for hop in path for key in (hop.source, hop.target)}
        nodes = graph.nodes_of({first.id, last.id, *keys})
        return PathList(
            start=first.node_key,
            end=last.node_key,
            scan=about.last_scan,
            reverse=reverse,
            complete=shortest.complete,
            nodes=tuple(described_nodes(graph, nodes.values()).values()),
            paths=tuple(tuple(graph_edge(hop.edge, nodes) for hop in path) for path in shortest.paths),
            notes=(*named[0].notes, *named[1].notes),
        )


def _holder(graph: GraphReader, node: NodeRow) -> NodeRow:
    """Return the topic or dataset of a column; another node itself."""
    if node.kind != "column":
        return node
    holders = [edge.source_node_id for edge in graph.edges_at([node.id], forward=False, kinds=("contains",))]
    return next(iter(graph.nodes_of(holders[:1]).values()), node)


class WholeGraph(NamedTuple):
    """The graph of *scan* without schemas and columns; no nodes, and *complete* False, where there are too many.

    *systems* has the edges between namespaces instead, counted: of the newest graph only.

    *node_count* and *edge_count* are of the whole graph, *coverage* counts what was parsed, and lists the problems.
    """

    scan: int
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    complete: bool
    node_count: int
    edge_count: int
    coverage: Coverage
    systems: tuple[SystemFlow, ...] = ()


def whole_graph(
    dictionary: Dictionary,
    *,
    limit: Annotated[int, Parameter("No nodes where there are more.", least=1, most=10_000)] = 2_000,
    as_of: AsOf = None,
) -> WholeGraph:
    """Return the graph without schemas and columns where it has at most *limit* nodes.

    >>> whole_graph(dictionary).nodes
    """
    with open_stored_rows(GraphSource.of(dictionary, as_of)) as (rows, about):
        nodes = {node.id: node for node in rows.top_nodes(limit + 1)}
        complete = len(nodes) <= limit
        edges: list[EdgeRow] = []
        if complete:
            clusters = [node.id for node in nodes.values() if node.kind == "cluster"]
            inside = rows.edges_at(clusters, forward=True, kinds=("contains",), holders=True)
            edges = sorted((*inside, *rows.edges_at(list(nodes), forward=True, kinds=JOB_LEVEL)))
        shown = nodes if complete else {}
        return WholeGraph(
            scan=about.last_scan,
            nodes=tuple(described_nodes(rows, shown.values()).values()),
            edges=tuple(graph_edge(edge, nodes) for edge in edges),
            complete=complete,
            node_count=about.nodes,
            edge_count=about.edges,
            coverage=coverage_of(about),
            systems=count_flows(rows.conn, JOB_LEVEL) if isinstance(rows, SqlGraphReader) and not complete else (),
        )


def graphs(dictionary: Dictionary) -> Page[GraphOfScan]:
    """Return the scans whose graphs can be read with `as_of`, the oldest first.

    >>> [graph.scan for graph in graphs(dictionary)]
    """
    with dictionary.reading() as conn:
        return Page(graph_versions(conn))


def components(graph: GraphSource | Dictionary, *, as_of: AsOf = None) -> tuple[Component, ...]:
    """Return the connected components of the whole graph, the largest first; raises NameUnknown without a graph."""
    with open_graph(GraphSource.of(graph, as_of)) as opened:
        return opened.components()


def described_nodes(graph: GraphReader, nodes: Iterable[NodeRow], *, counted: bool = False) -> dict[int, GraphNode]:
    """Return *nodes* by their keys, in the graph's order, with what is stale; *counted*: with numbers of edges.

    A graph in files knows neither.
    """
    rows = sorted(nodes, key=lambda row: row.id)
    stale = stale_nodes(graph, rows)
    upstream, downstream = None, None
    if counted and isinstance(graph, SqlGraphReader | PastGraphReader):
        upstream, downstream = (edge_counts(graph, rows, forward=forward) for forward in (False, True))
    names = graph.system_names()
    attributes = {row.id: json.loads(row.attributes) for row in rows}
    return {
        row.id: GraphNode(
            id=row.node_key,
            kind=row.kind,
            namespace=row.namespace,
            name=row.name,
            path=node_path(row),
            attributes=attributes[row.id],
            upstream=None if upstream is None else upstream.get(row.id, 0),
            downstream=None if downstream is None else downstream.get(row.id, 0),
            stale=None if stale is None else stale.get(row.id, ""),
            unread=is_unread(row),
            cluster=names.get(row.namespace, ""),
            owner=stated_owner(row),
            title=statement_title(str(attributes[row.id].get("statement", ""))),
        )
        for row in rows
    }


def graph_edge(edge: EdgeRow, nodes: Mapping[int, NodeRow]) -> GraphEdge:
    """Return the row of an edge between *nodes*."""
    ends = nodes[edge.source_node_id].node_key, nodes[edge.target_node_id].node_key
    return GraphEdge(*ends, edge.kind, edge.flow_type, edge.subtype, edge.evidence, edge.certainty)
