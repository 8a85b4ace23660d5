"""Lineage, impact and connected components of a generated graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dataflow_generator.analysis.connectivity import Component
from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import ColumnRef, Dataset
from dataflow_generator.query import impact as impact_query
from dataflow_generator.query.impact import Affected, ImpactGraph, NodeInfo, Root
from dataflow_generator.query.neighbourhood import Neighbourhood, Step
from dataflow_generator.query.stored_graph import stored_lineage
from dataflow_generator.query.traversal import Hop, TraversalOptions
from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import GraphSource, find_node, open_graph
from scanner_dictionary.graph.reader import GraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.queries.graph_nodes import related_columns, topics_with_column
from scanner_model.errors import InputInvalid

__all__ = [
    "Affected",
    "Component",
    "EdgeRow",
    "Impact",
    "Lineage",
    "NodeRow",
    "column_node",
    "components",
    "impact",
    "lineage",
    "node_path",
]

DIRECTIONS = ("upstream", "downstream", "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """The edges around a node, the nearest first; *nodes* has every node of them by its key in the edges.

    *column_suggestions* are columns above and below the root column that have flows of their own. *unread* are the jobs
    at these nodes, or at the datasets of columns, whose statement or connector could not be parsed: there may be flows
    through them that are not listed, as through those of *partly_read*, some of whose columns are not resolved. *scan*
    is the newest scan that the graph was generated from; None for a graph in files. *notes* say what the requested name
    means, where that is other than it says.
    """

    root: NodeRow
    hops: tuple[Hop[int, EdgeRow], ...]
    nodes: Mapping[int, NodeRow]
    column_suggestions: tuple[str, ...] = ()
    unread: tuple[NodeRow, ...] = ()
    partly_read: tuple[NodeRow, ...] = ()
    scan: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What is affected if *root* is renamed or dropped; *nodes* has every node that is named, by its key.

    *scan* is the newest scan that the graph was generated from; None for a graph in files. *notes* are as in `Lineage`.
    """

    root: NodeRow
    affected: tuple[Affected[int, EdgeRow], ...]
    nodes: Mapping[int, NodeRow]
    column_suggestions: tuple[str, ...] = ()
    scan: int | None = None
    notes: tuple[str, ...] = ()


def lineage(
    graph: GraphSource | Dictionary,
    node: str,
    *,
    direction: str = "both",
    columns: bool = False,
    depth: int | None = None,
    as_of: str | int | None = None,
) -> Lineage:
    """Return where the data of *node* come from and where they go, in the graph that was generated last.

    *node* is the name of a topic, dataset, job, consumer group or column, `NAMESPACE/NAME`, or an id of graph.json.
    *direction* is upstream, downstream or both; *columns* adds the flows of its columns; *depth* limits the steps each
    way. *as_of* is a scan number or a date whose graph is read instead. Raises InputInvalid where several nodes have
    the name, NameUnknown where none has, no graph was generated, or none is known of *as_of*.

    >>> [hop.edge.kind for hop in lineage(dictionary, "orders", direction="downstream").hops]
    """
    if direction not in DIRECTIONS:
        raise InputInvalid(f"{direction!r} is not known", where="direction", hint=f"one of {', '.join(DIRECTIONS)}")
    options = TraversalOptions(
        upstream=direction != "downstream", downstream=direction != "upstream", columns=columns, depth=depth
    )
    with open_graph(GraphSource.of(graph, as_of)) as opened:
        root, notes = find_node(opened.rows, node, "scanner lineage")
        hops, nodes = stored_lineage(opened.rows, root, options)
        suggestions = _column_suggestions(opened.rows, root, node)
        jobs = _jobs_at(opened.rows, nodes, options)
        return Lineage(
            root=root,
            hops=tuple(hops),
            nodes=nodes,
            column_suggestions=suggestions,
            unread=tuple(job for job in jobs if is_unread(job)),
            partly_read=tuple(job for job in jobs if _is_marked(job, "partly_read")),
            scan=opened.about.last_scan,
            notes=notes,
        )


def impact(
    graph: GraphSource | Dictionary, node: str, *, depth: int | None = None, as_of: str | int | None = None
) -> Impact:
    """Return what is affected, in at most *depth* steps, if *node* is renamed or dropped.

    *as_of* and errors are those of `lineage`.

    >>> [affected.steps for affected in impact(dictionary, "orders").affected]
    """
    with open_graph(GraphSource.of(graph, as_of)) as opened:
        root, notes = find_node(opened.rows, node, "scanner lineage")
        return replace(impact_of(opened.rows, root, node, depth), scan=opened.about.last_scan, notes=notes)


def components(graph: GraphSource | Dictionary, *, as_of: str | int | None = None) -> tuple[Component, ...]:
    """Return the connected components of the whole graph, the largest first; raises NameUnknown without a graph."""
    with open_graph(GraphSource.of(graph, as_of)) as opened:
        return opened.components()


def impact_of(graph: GraphReader, node: NodeRow, name: str, depth: int | None = None) -> Impact:
    """Return what is affected, in at most *depth* steps, if *node*, which was requested as *name*, is dropped."""
    result = impact_from(graph, _impact_root(graph, node, name), depth)
    return replace(result, column_suggestions=_column_suggestions(graph, node, name))


def impact_graph(graph: GraphReader) -> ImpactGraph[int, EdgeRow]:
    """Return the edges and nodes of a stored graph as impact analysis reads them."""

    def edges_ahead(nodes: Sequence[int], forward: bool, kinds: frozenset[str]) -> Iterable[Hop[int, EdgeRow]]:
        for row in graph.edges_at(nodes, forward=forward, kinds=kinds):
            yield Hop(row.source_node_id, row.target_node_id, row.kind, row)

    def node_infos(keys: Iterable[int]) -> Mapping[int, NodeInfo]:
        rows = graph.nodes_of(keys).values()
        return {row.id: NodeInfo(row.kind, row.name, node_path(row)) for row in rows}

    def step(edge: EdgeRow) -> Step:
        return Step(edge.flow_type, edge.subtype, edge.evidence)

    return ImpactGraph(ahead=edges_ahead, node_infos=node_infos, step=step)


def impact_from(
    graph: GraphReader,
    root: Root[int],
    depth: int | None = None,
    neighbourhood: Neighbourhood[int, EdgeRow] | None = None,
) -> Impact:
    """Return what is affected, in at most *depth* steps, if *root*, a job, dataset or column of one, is dropped.

    *neighbourhood* is one of the graph that several calls share.
    """
    reached = impact_query.impact(root, impact_graph(graph), neighbourhood)
    affected = tuple(reach for reach in reached if depth is None or reach.steps <= depth)
    ends = (end for reach in affected for hop in reach.route for end in (hop.source, hop.target))
    jobs = (job for reach in affected for job in reach.through)
    nodes = graph.nodes_of({root.node, *(reach.node for reach in affected), *ends, *jobs})
    start = column_node(nodes[root.node], root.path) if root.path else nodes[root.node]
    return Impact(root=start, affected=affected, nodes=nodes)


def node_path(node: NodeRow) -> tuple[str, ...] | None:
    """Return a column's path; None for other nodes."""
    return None if node.path is None else tuple(json.loads(node.path))


def column_node(dataset: NodeRow, path: tuple[str, ...]) -> NodeRow:
    """Return the node of a column of *dataset*; a member of a copied structure may be no node of the graph."""
    key = ColumnRef(Dataset(NodeKind(dataset.kind), dataset.namespace, dataset.name), path).key
    return dataset._replace(node_key=key, kind="column", path=json.dumps(path, ensure_ascii=False))


def _impact_root(graph: GraphReader, node: NodeRow, name: str) -> Root[int]:
    if node.kind != "column":
        return Root(node=node.id, is_job=node.kind not in ("topic", "dataset"))
    holders = [edge.source_node_id for edge in graph.edges_at([node.id], forward=False, kinds=("contains",))]
    if not node.namespace:
        topics = topics_with_column(graph, name)
        if len(topics) > 1:
            hint = "write one of these: " + ", ".join(f"{topic.namespace}/{topic.name}" for topic in topics)
            raise InputInvalid(f"{len(topics)} topics have {name!r}", where="scanner lineage", hint=hint)
        holders = [topic.id for topic in topics]
    return Root(node=holders[0], path=node_path(node) or ()) if holders else Root(node=node.id)


def _jobs_at(graph: GraphReader, nodes: Mapping[int, NodeRow], options: TraversalOptions) -> tuple[NodeRow, ...]:
    """Return the jobs among *nodes*, and those at what has the columns among them."""
    columns = [key for key, node in nodes.items() if node.kind == "column"]
    holders = sorted({edge.source_node_id for edge in graph.edges_at(columns, forward=False, kinds=("contains",))})
    jobs = set(nodes)
    if options.upstream:
        jobs |= {edge.source_node_id for edge in graph.edges_at(holders, forward=False, kinds=("writes",))}
    if options.downstream:
        jobs |= {edge.target_node_id for edge in graph.edges_at(holders, forward=True, kinds=("reads",))}
    known = {**nodes, **graph.nodes_of(jobs - set(nodes))}
    return tuple(known[key] for key in sorted(jobs) if known[key].kind == "job")


def is_unread(node: NodeRow) -> bool:
    """Return whether the statement of a job, or the class of its connector, could not be parsed."""
    return _is_marked(node, "unread")


def _is_marked(node: NodeRow, attribute: str) -> bool:
    return node.kind == "job" and json.loads(node.attributes or "{}").get(attribute) is True


def _column_suggestions(graph: GraphReader, root: NodeRow, name: str) -> tuple[str, ...]:
    """Return the columns in flows above and below a column: flows of a structure are often those of its members."""
    return related_columns(graph, name) if root.kind == "column" else ()
