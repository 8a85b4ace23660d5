"""Impact in a generated graph, and what lineage says of jobs that were not read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import ColumnRef, GraphDataset
from dataflow_generator.query import impact as impact_query
from dataflow_generator.query.impact import Affected, ImpactGraph, NodeInfo, Root
from dataflow_generator.query.neighbourhood import ColumnFlow, Neighbourhood, Step
from dataflow_generator.query.traversal import Hop, TraversalOptions
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.queries.graph_nodes import related_columns, topics_with_column
from scanner_model.errors import InputInvalid
from scanner_model.memory import uncollected

_KEPT = 1 << 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What is affected if *root* is renamed or dropped; *nodes* has it and what is affected at any depth, by key."""

    root: NodeRow
    affected: tuple[Affected[int, EdgeRow], ...]
    nodes: Mapping[int, NodeRow]
    column_suggestions: tuple[str, ...] = ()


def impact_of(graph: GraphReader, node: NodeRow, name: str, depth: int | None = None) -> Impact:
    """Return what is affected, in at most *depth* steps, if *node*, which was requested as *name*, is dropped."""
    result = impact_from(graph, _impact_root(graph, node, name), depth)
    return replace(result, column_suggestions=column_suggestions(graph, node, name))


def impact_graph(graph: GraphReader) -> ImpactGraph[int, EdgeRow]:
    """Return the edges and nodes of a stored graph as impact analysis reads them."""

    def edges_ahead(nodes: Sequence[int], forward: bool, kinds: frozenset[str]) -> Iterable[Hop[int, EdgeRow]]:
        for row in graph.edges_at(nodes, forward=forward, kinds=kinds):
            yield Hop(row.source_node_id, row.target_node_id, row.kind, row)

    def node_infos(keys: Iterable[int]) -> Mapping[int, NodeInfo]:
        rows = graph.nodes_of(keys).values()
        return {row.id: NodeInfo(row.kind, row.name, node_path(row), is_partly_read(row)) for row in rows}

    def step(edge: EdgeRow) -> Step:
        return Step(edge.flow_type, edge.subtype, edge.evidence)

    def column_flows(datasets: Sequence[int]) -> Iterable[ColumnFlow[int, EdgeRow]]:
        flows, *ends = stored.column_flows(datasets)
        sources, targets = ({key: (end.dataset, _column_path(end.path)) for key, end in side.items()} for side in ends)
        for edge in flows:
            _, source, target, kind, *_ = edge
            yield ColumnFlow(Hop(source, target, kind, edge), *sources[source], *targets[target])

    if not isinstance(graph, SqlGraphReader) or not graph.as_stored:
        return ImpactGraph(ahead=edges_ahead, node_infos=node_infos, step=step)
    stored = graph
    return ImpactGraph(ahead=edges_ahead, node_infos=node_infos, step=step, column_flows=column_flows)


@lru_cache(maxsize=_KEPT)
def _path_text(path: tuple[str, ...]) -> str:
    return json.dumps(path, ensure_ascii=False)


@lru_cache(maxsize=_KEPT)  # the datasets around a hub have the same columns
def _column_path(text: str | None) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()


@uncollected()
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
    nodes = graph.nodes_of({root.node, *(node for reach in reached for node in (reach.node, *reach.groups))})
    start = column_node(nodes[root.node], root.path) if root.path else nodes[root.node]
    return Impact(root=start, affected=affected, nodes=nodes)


def node_path(node: NodeRow) -> tuple[str, ...] | None:
    """Return a column's path; None for other nodes."""
    return None if node.path is None else _column_path(node.path)


def column_node(dataset: NodeRow, path: tuple[str, ...]) -> NodeRow:
    """Return the node of a column of *dataset*; a member of a copied structure may be no node of the graph."""
    key = ColumnRef(GraphDataset(NodeKind(dataset.kind), dataset.namespace, dataset.name), path).key
    return dataset._replace(node_key=key, kind="column", path=_path_text(path))


def _impact_root(graph: GraphReader, node: NodeRow, name: str) -> Root[int]:
    if node.kind != "column":
        return Root(node=node.id, is_job=node.kind not in ("topic", "dataset"))
    holders = [edge.source_node_id for edge in graph.edges_at([node.id], forward=False, kinds=("contains",))]
    if not node.namespace:
        topics = topics_with_column(graph, name)
        if len(topics) > 1:
            choices = [f"{topic.namespace}/{topic.name}" for topic in topics]
            hint = "write one of these: " + ", ".join(choices)
            what = f"{len(topics)} topics have {name!r}"
            raise InputInvalid(what, where="scanner lineage", hint=hint, choices=choices)
        holders = [topic.id for topic in topics]
    return Root(node=holders[0], path=node_path(node) or ()) if holders else Root(node=node.id)


def jobs_at(graph: GraphReader, nodes: Mapping[int, NodeRow], options: TraversalOptions) -> tuple[NodeRow, ...]:
    """Return the jobs among *nodes*, and those at what has the columns among them."""
    columns = [key for key, node in nodes.items() if node.kind == "column"]
    holders = sorted({edge.source_node_id for edge in graph.edges_at(columns, forward=False, kinds=("contains",))})
    jobs = set(nodes)
    if options.upstream != 0:
        jobs |= {edge.source_node_id for edge in graph.edges_at(holders, forward=False, kinds=("writes",))}
    if options.downstream != 0:
        jobs |= {edge.target_node_id for edge in graph.edges_at(holders, forward=True, kinds=("reads",))}
    known = {**nodes, **graph.nodes_of(jobs - set(nodes))}
    return tuple(known[key] for key in sorted(jobs) if known[key].kind == "job")


def is_partly_read(node: NodeRow) -> bool:
    """Return whether some columns of the view that a job is were not resolved."""
    return _is_marked(node, "partly_read")


def is_unread(node: NodeRow) -> bool:
    """Return whether the statement of a job, or the class of its connector, could not be parsed."""
    return _is_marked(node, "unread")


def _is_marked(node: NodeRow, attribute: str) -> bool:
    # Of thousands of jobs few have the attribute: the text says so without being parsed.
    return node.kind == "job" and attribute in node.attributes and json.loads(node.attributes).get(attribute) is True


def column_suggestions(graph: GraphReader, root: NodeRow, name: str) -> tuple[str, ...]:
    """Return the columns in flows above and below a column: flows of a structure are often those of its members."""
    return related_columns(graph, name) if root.kind == "column" else ()
