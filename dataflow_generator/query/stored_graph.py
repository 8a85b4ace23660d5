"""Read stored graphs: whole, around a node, of a cluster, in the order of generation; and all of them in one."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dataflow_generator.analysis.connectivity import CONNECTED, Component, components
from dataflow_generator.build.coverage import Coverage, Misfit
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.query.traversal import Hop, Reached, TraversalOptions, lineage
from scanner_dictionary.graph.past import PastGraphReader
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph
from scanner_dictionary.graph.versions import GraphOfScan, NodeVersion
from scanner_model.errors import DictionaryUnusable, Problem

_INSIDE = frozenset((EdgeKind.CONTAINS, EdgeKind.HAS_SCHEMA))
JOB_LEVEL = frozenset(EdgeKind) - _INSIDE - {EdgeKind.COLUMN_FLOW}
_FLOWS = frozenset((EdgeKind.COLUMN_FLOW,))


class GeneratedGraph(NamedTuple):
    """A stored graph, in the dictionary or in files: its *rows*, metadata, and readers.

    *components* lists the connected components, the largest first. *part* returns the graph of a cluster with its
    context.
    """

    rows: GraphReader
    about: StoredGraph
    whole: Callable[[], FlowGraph]
    components: Callable[[], tuple[Component, ...]]
    part: Callable[[str], FlowGraph]


def graph_in_dictionary(rows: SqlGraphReader, about: StoredGraph) -> GeneratedGraph:
    """Return the graph that is stored in the dictionary."""
    return GeneratedGraph(
        rows,
        about,
        whole=lambda: whole_graph(rows, about),
        components=lambda: components(rows.links(CONNECTED)),
        part=lambda cluster: part_of_cluster(rows, about, cluster),
    )


def graph_in_past(rows: PastGraphReader, about: StoredGraph) -> GeneratedGraph:
    """Return the graph of an earlier scan, which *about* names, from the stored graph and what differs from it."""
    return GeneratedGraph(
        rows,
        about,
        whole=lambda: FlowGraph(
            nodes=lambda: map(read_node, rows.all_nodes()),
            edges=lambda: _past_edges(rows),
            coverage=coverage_of(about),
            systems=rows.system_names(),
        ),
        components=lambda: components(rows.links(CONNECTED)),
        part=lambda cluster: part_of_cluster(rows, about, cluster),
    )


def _past_edges(rows: PastGraphReader) -> Iterator[Edge]:
    for source, target, row in rows.all_edges():
        yield read_edge(row, {row.source_node_id: source, row.target_node_id: target})


class _Part(NamedTuple):
    """Nodes and edges by their keys."""

    nodes: dict[int, NodeRow]
    edges: dict[int, EdgeRow]


def whole_graph(rows: SqlGraphReader, about: StoredGraph) -> FlowGraph:
    """Return the stored graph, read while it is iterated; only the keys of nodes are held."""
    return FlowGraph(
        nodes=lambda: map(read_node, rows.all_nodes()),
        edges=lambda: _all_edges(rows),
        coverage=coverage_of(about),
        systems=rows.system_names(),
    )


def neighbourhood(graph: GraphReader, about: StoredGraph, root: NodeRow, depth: int | None = None) -> FlowGraph:
    """Return the lineage of *root* with its columns, at most *depth* edges each way, and its context.

    The context is what contains the nodes, and the schemas of the topics with their columns.
    """
    reached, nodes = stored_lineage(graph, root, TraversalOptions(columns=True, upstream=depth, downstream=depth))
    part = _Part(dict(nodes), {hop.edge.id: hop.edge for hop in reached.hops})
    if root.kind != NodeKind.COLUMN:
        _add_column_flows(graph, part)
    _add_holders(graph, part)
    _add_between(graph, part)
    _add_insides(graph, part)
    limit = f", depth {depth}" if depth else ""
    return _graph(graph, part, about, f"the lineage of {root.node_key}{limit}")


def part_of_cluster(graph: GraphReader, about: StoredGraph, cluster: str) -> FlowGraph:
    """Return the contents of *cluster*, the jobs at its topics, and what else these read and write."""
    part = _Part({node.id: node for node in graph.nodes_in(cluster)}, {})
    _add_beside(graph, part, list(part.nodes))
    _add_beside(graph, part, [node.id for node in part.nodes.values() if node.kind == NodeKind.JOB])
    _add_column_flows(graph, part)
    _add_holders(graph, part)
    _add_insides(graph, part)
    return _graph(graph, part, about, f"cluster {cluster}")


def stored_lineage(
    graph: GraphReader, root: NodeRow, options: TraversalOptions
) -> tuple[Reached[int, EdgeRow], Mapping[int, NodeRow]]:
    """Return the edges to and from *root*, and the nodes at their ends with *root*, in the graph's order."""
    most = options.most

    def ahead(nodes: Sequence[int], forward: bool, kinds: frozenset[str]) -> Iterable[Hop[int, EdgeRow]]:
        if most is None or EdgeKind.CONTAINS in kinds or not isinstance(graph, SqlGraphReader | PastGraphReader):
            rows = graph.edges_at(nodes, forward=forward, kinds=kinds)
        else:  # one more than allowed, to learn whether there are others
            rows = graph.nearest_edges(nodes, forward=forward, kinds=kinds, limit=most + 1)
        return (Hop(row.source_node_id, row.target_node_id, row.kind, row) for row in rows)

    reached = lineage(root.id, root.kind, options, ahead)
    ends = (end for hop in reached.hops for end in (hop.source, hop.target))
    return reached, graph.nodes_of({root.id, *ends})


def coverage_of(about: StoredGraph | GraphOfScan) -> Coverage:
    """Read the coverage of the graph; a count that it lacks is 0."""
    stored = json.loads(about.coverage)
    return Coverage(
        **{name: stored.get(name, 0) for name in Coverage.counts()},
        problems=tuple(Problem(**problem) for problem in stored.get("problems", ())),
        misfits=tuple(Misfit(tuple(nodes), what) for nodes, what in stored.get("misfits", ())),
    )


def _add_beside(graph: GraphReader, part: _Part, nodes: Sequence[int]) -> None:
    """Add edges of the job and topic level that leave or enter *nodes*, and their other ends."""
    for forward in (True, False):
        _add(graph, part, graph.edges_at(nodes, forward=forward, kinds=JOB_LEVEL))


def _add_between(graph: GraphReader, part: _Part) -> None:
    """Add edges of the job and topic level between present nodes: column flows pass through their jobs."""
    edges = graph.edges_at(list(part.nodes), forward=True, kinds=JOB_LEVEL)
    _add(graph, part, (edge for edge in edges if edge.target_node_id in part.nodes))


def _add_column_flows(graph: GraphReader, part: _Part) -> None:
    """Add column flows between columns of present nodes, and to present nodes as a whole."""
    edges = graph.edges_at(list(part.nodes), forward=True, kinds=(EdgeKind.CONTAINS,))
    columns = dict.fromkeys(edge.target_node_id for edge in edges)
    within = columns.keys() | part.nodes.keys()
    flows = graph.edges_at(list(columns), forward=True, kinds=_FLOWS)
    _add(graph, part, (edge for edge in flows if edge.target_node_id in within))


def _add_holders(graph: GraphReader, part: _Part) -> None:
    """Add the containers of the nodes, up to their clusters."""
    inner: Collection[int] = part.nodes
    while inner:
        known = set(part.nodes)
        containing = graph.edges_at(list(inner), forward=False, kinds=(EdgeKind.CONTAINS,), holders=True)
        _add(graph, part, containing)
        inner = part.nodes.keys() - known


def _add_insides(graph: GraphReader, part: _Part) -> None:
    """Add the schemas of the topics, and their columns."""
    outer = [node.id for node in part.nodes.values() if node.kind == NodeKind.TOPIC]
    edges = graph.edges_at(outer, forward=True, kinds=(EdgeKind.HAS_SCHEMA,))
    while edges:
        _add(graph, part, edges)
        inner = list(dict.fromkeys(edge.target_node_id for edge in edges))
        edges = graph.edges_at(inner, forward=True, kinds=(EdgeKind.CONTAINS,))


def _add(graph: GraphReader, part: _Part, edges: Iterable[EdgeRow]) -> None:
    """Add *edges*, and missing ends of them."""
    added = {edge.id: edge for edge in edges}
    ends = {end for edge in added.values() for end in (edge.source_node_id, edge.target_node_id)}
    part.edges.update(added)
    part.nodes.update(graph.nodes_of(ends - part.nodes.keys()))


def _all_edges(rows: SqlGraphReader) -> Iterator[Edge]:
    keys = rows.node_keys()
    return (read_edge(row, keys) for row in rows.all_edges())


def _graph(graph: GraphReader, part: _Part, about: StoredGraph, description: str) -> FlowGraph:
    nodes = [part.nodes[key] for key in sorted(part.nodes)]
    edges = [part.edges[key] for key in sorted(part.edges)]
    keys = {node.id: node.node_key for node in nodes}
    return FlowGraph(
        nodes=lambda: map(read_node, nodes),
        edges=lambda: (read_edge(edge, keys) for edge in edges),
        coverage=coverage_of(about),
        part=description,
        systems=graph.system_names(),
    )


def read_node(row: NodeRow) -> Node:
    """Return a stored node; raises DictionaryUnusable for a kind that only a newer program knows."""
    path = None if row.path is None else tuple(json.loads(row.path))
    stored = json.loads(row.attributes)
    attributes = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in stored.items())
    try:
        return Node(row.node_key, NodeKind(row.kind), row.namespace, row.name, path, attributes)
    except ValueError as error:
        raise _newer(f"node kind {row.kind!r}") from error


def read_edge(row: EdgeRow, keys: Mapping[int, str]) -> Edge:
    """Return a stored edge between nodes that *keys* has; raises DictionaryUnusable for an unknown kind."""
    ends = keys[row.source_node_id], keys[row.target_node_id]
    try:
        kind, certainty = EdgeKind(row.kind), Certainty(row.certainty)
    except ValueError as error:
        raise _newer(f"edge kind {row.kind!r} ({row.certainty})") from error
    return Edge(*ends, kind, row.evidence, certainty, row.flow_type, row.subtype)


def _newer(what: str) -> DictionaryUnusable:
    return DictionaryUnusable(f"the stored graph contains an unknown {what}", hint="run `scanner dictionary dataflow`")


class Lifetime(NamedTuple):
    """The scans whose graphs have something: *first* (None: since the oldest) up to *gone* (None: the newest has it).

    *attributes* are those of a node in this time, as in its JSON.
    """

    first: int | None
    gone: int | None
    attributes: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphHistory:
    """Which graphs have what: *scans* are number and time of each, the oldest first.

    Nodes, by key, and edges that every graph has are not listed; columns of schemas are where their schema is.
    """

    scans: Sequence[tuple[int, str | None]]
    nodes: Mapping[str, Sequence[Lifetime]]
    edges: Mapping[Edge, Sequence[Lifetime]]


def all_graphs(rows: PastGraphReader, about: StoredGraph) -> tuple[FlowGraph, GraphHistory]:
    """Return the union of the stored graph, which *about* names, and those of earlier scans, read while iterated."""
    versions: dict[str, list[NodeVersion]] = defaultdict(list)
    for version in rows.node_states():
        versions[version.node_key].append(version)
    edges: dict[Edge, list[Lifetime]] = defaultdict(list)
    for state in rows.edge_states():
        row = EdgeRow(state.id, 0, 1, *state[5:10])
        edges[read_edge(row, {0: state.source_key, 1: state.target_key})].append(Lifetime(state.first_scan, state.gone))
    history = GraphHistory(
        scans=tuple((version.scan, version.finished) for version in rows.graphs()),
        nodes={key: tuple(map(_lifetime, listed)) for key, listed in versions.items()},
        edges=edges,
    )
    past = {key: listed[-1] for key, listed in versions.items() if all(version.gone is not None for version in listed)}
    stored = whole_graph(rows.stored, about)
    union = FlowGraph(
        nodes=lambda: _nodes(rows, stored, past),
        edges=lambda: _edges(rows, stored, past, edges),
        coverage=coverage_of(about),
        systems=stored.systems,
    )
    return union, history


def _lifetime(version: NodeVersion) -> Lifetime:
    return Lifetime(version.first_scan, version.gone, json.loads(version.attributes))


def _nodes(rows: PastGraphReader, stored: FlowGraph, past: Mapping[str, NodeVersion]) -> Iterator[Node]:
    yield from stored.nodes()
    for key, version in past.items():
        if version.kind == "schema":
            yield from map(read_node, rows.schema(key)[0])
        else:
            yield read_node(NodeRow(*version[:7]))


def _edges(
    rows: PastGraphReader,
    stored: FlowGraph,
    past: Mapping[str, NodeVersion],
    versions: Mapping[Edge, Sequence[Lifetime]],
) -> Iterator[Edge]:
    yield from stored.edges()
    for edge, lifetimes in versions.items():
        if all(lifetime.gone is not None for lifetime in lifetimes):
            yield edge
    for key, version in past.items():
        if version.kind == "schema":
            nodes, edges = rows.schema(key)
            keys = {node.id: node.node_key for node in nodes}
            yield from (read_edge(edge_row, keys) for edge_row in edges)
