"""The graph out of the dictionary: whole, or the part around a node or of a cluster, in the order it was written in."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

from dataflow_generator.analysis.connectivity import CONNECTED, Component, components
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind
from dataflow_generator.query.traversal import Hop, Question, lineage
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph, node_keys, read_edges, read_nodes
from scanner_model.errors import DictionaryUnusable
from scanner_model.problems import Problem

_INSIDE = frozenset((EdgeKind.CONTAINS, EdgeKind.HAS_SCHEMA))
BESIDE = frozenset(EdgeKind) - _INSIDE - {EdgeKind.COLUMN_FLOW}
_FLOWS = frozenset((EdgeKind.COLUMN_FLOW,))


class GeneratedGraph(NamedTuple):
    """A graph that was generated earlier, wherever it is kept: its *rows*, what it is, and all of it in order.

    *components* lists what hangs together, the largest first. *part* gives what a cluster is, with what is around it.
    """

    rows: GraphReader
    about: StoredGraph
    whole: Callable[[], FlowGraph]
    components: Callable[[], tuple[Component, ...]]
    part: Callable[[str], FlowGraph]


def graph_in_dictionary(conn: Connection, about: StoredGraph) -> GeneratedGraph:
    """Return the graph that is stored in the dictionary."""
    rows = SqlGraphReader(conn)
    return GeneratedGraph(
        rows,
        about,
        whole=lambda: whole_graph(conn, about),
        components=lambda: components(rows.links(CONNECTED)),
        part=lambda cluster: part_of_cluster(rows, about, cluster),
    )


class _Part(NamedTuple):
    """Nodes and edges by their keys."""

    nodes: dict[int, NodeRow]
    edges: dict[int, EdgeRow]


def whole_graph(conn: Connection, about: StoredGraph) -> FlowGraph:
    """Return the stored graph, read while it is iterated, over *conn*; of all nodes only the keys are held."""
    return FlowGraph(
        nodes=lambda: map(_node, read_nodes(conn)), edges=lambda: _all_edges(conn), coverage=coverage_of(about)
    )


def part_around(graph: GraphReader, about: StoredGraph, root: NodeRow, depth: int | None = None) -> FlowGraph:
    """Return the lineage of *root* with its columns, at most *depth* edges each way, and what stands around it.

    Around it: what holds the nodes, and the schemas of the topics with their columns.
    """
    hops, nodes = stored_lineage(graph, root, Question(columns=True, depth=depth))
    part = _Part(dict(nodes), {hop.edge.id: hop.edge for hop in hops})
    if root.kind != NodeKind.COLUMN:
        _add_column_flows(graph, part)
    _add_holders(graph, part)
    _add_between(graph, part)
    _add_insides(graph, part)
    said = f", depth {depth}" if depth else ""
    return _graph(part, about, f"the lineage of {root.node_key}{said}")


def part_of_cluster(graph: GraphReader, about: StoredGraph, cluster: str) -> FlowGraph:
    """Return what is in *cluster*, the jobs at its topics, and what else these read and write."""
    part = _Part({node.id: node for node in graph.nodes_in(cluster)}, {})
    _add_beside(graph, part, list(part.nodes))
    _add_beside(graph, part, [node.id for node in part.nodes.values() if node.kind == NodeKind.JOB])
    _add_column_flows(graph, part)
    _add_holders(graph, part)
    _add_insides(graph, part)
    return _graph(part, about, f"cluster {cluster}")


def stored_lineage(
    graph: GraphReader, root: NodeRow, question: Question
) -> tuple[tuple[Hop[int, EdgeRow], ...], Mapping[int, NodeRow]]:
    """Return the steps to and from *root*, and the nodes at their ends with *root*, in the graph's order."""

    def ahead(nodes: Sequence[int], forward: bool, kinds: frozenset[str]) -> Iterable[Hop[int, EdgeRow]]:
        for row in graph.edges_at(nodes, forward=forward, kinds=kinds):
            yield Hop(row.source_node_id, row.target_node_id, row.kind, row)

    hops = lineage(root.id, root.kind, question, ahead)
    return hops, graph.nodes_of({root.id, *(end for hop in hops for end in (hop.source, hop.target))})


def coverage_of(about: StoredGraph) -> Coverage:
    """Read how much was read for the graph; all counts are 0 where an older program generated it."""
    told = json.loads(about.coverage or "{}")
    counts = {each.name: told.get(each.name, 0) for each in fields(Coverage) if each.name != "problems"}
    return Coverage(**counts, problems=tuple(Problem(**each) for each in told.get("problems", ())))


def _add_beside(graph: GraphReader, part: _Part, nodes: Sequence[int]) -> None:
    """Add the edges between datasets, jobs and the like that leave or enter *nodes*, and their other ends."""
    for forward in (True, False):
        _add(graph, part, graph.edges_at(nodes, forward=forward, kinds=BESIDE))


def _add_between(graph: GraphReader, part: _Part) -> None:
    """Add the edges between datasets, jobs and the like that are there: where a column goes, its job is the way."""
    found = graph.edges_at(list(part.nodes), forward=True, kinds=BESIDE)
    _add(graph, part, (edge for edge in found if edge.target_node_id in part.nodes))


def _add_column_flows(graph: GraphReader, part: _Part) -> None:
    """Add the flows between columns of what is there already, and flows onto it as a whole."""
    held = graph.edges_at(list(part.nodes), forward=True, kinds=(EdgeKind.CONTAINS,))
    columns = dict.fromkeys(edge.target_node_id for edge in held)
    within = columns.keys() | part.nodes.keys()
    flows = graph.edges_at(list(columns), forward=True, kinds=_FLOWS)
    _add(graph, part, (edge for edge in flows if edge.target_node_id in within))


def _add_holders(graph: GraphReader, part: _Part) -> None:
    """Add what holds the nodes, up to their clusters."""
    inner: Collection[int] = part.nodes
    while inner:
        known = set(part.nodes)
        found = graph.edges_at(list(inner), forward=False, kinds=(EdgeKind.CONTAINS,), holders=True)
        _add(graph, part, found)
        inner = part.nodes.keys() - known


def _add_insides(graph: GraphReader, part: _Part) -> None:
    """Add the schemas of the topics, and the columns in them."""
    outer = [node.id for node in part.nodes.values() if node.kind == NodeKind.TOPIC]
    found = graph.edges_at(outer, forward=True, kinds=(EdgeKind.HAS_SCHEMA,))
    while found:
        _add(graph, part, found)
        inner = list(dict.fromkeys(edge.target_node_id for edge in found))
        found = graph.edges_at(inner, forward=True, kinds=(EdgeKind.CONTAINS,))


def _add(graph: GraphReader, part: _Part, edges: Iterable[EdgeRow]) -> None:
    """Add *edges*, and those of their ends that are not there."""
    added = {edge.id: edge for edge in edges}
    ends = {end for edge in added.values() for end in (edge.source_node_id, edge.target_node_id)}
    part.edges.update(added)
    part.nodes.update(graph.nodes_of(ends - part.nodes.keys()))


def _all_edges(conn: Connection) -> Iterator[Edge]:
    keys = node_keys(conn)
    return (_edge(row, keys) for row in read_edges(conn))


def _graph(part: _Part, about: StoredGraph, said: str) -> FlowGraph:
    nodes = [part.nodes[key] for key in sorted(part.nodes)]
    edges = [part.edges[key] for key in sorted(part.edges)]
    keys = {node.id: node.node_key for node in nodes}
    return FlowGraph(
        nodes=lambda: map(_node, nodes),
        edges=lambda: (_edge(edge, keys) for edge in edges),
        coverage=coverage_of(about),
        part=said,
    )


def _node(row: NodeRow) -> Node:
    path = None if row.path is None else tuple(json.loads(row.path))
    told = json.loads(row.attributes)
    attributes = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in told.items())
    try:
        return Node(row.node_key, NodeKind(row.kind), row.namespace, row.name, path, attributes)
    except ValueError as error:
        raise _newer(f"node of kind {row.kind!r}") from error


def _edge(row: EdgeRow, keys: Mapping[int, str]) -> Edge:
    ends = keys[row.source_node_id], keys[row.target_node_id]
    try:
        kind, certainty = EdgeKind(row.kind), Certainty(row.certainty)
    except ValueError as error:
        raise _newer(f"edge {row.kind!r} ({row.certainty})") from error
    return Edge(*ends, kind, row.evidence, certainty, row.flow_type, row.subtype)


def _newer(what: str) -> DictionaryUnusable:
    return DictionaryUnusable(f"the stored graph holds a {what}, unknown here", hint="run `scanner dataflow`")
