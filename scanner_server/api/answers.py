"""The documents of the API that are no rows of the library: pages of lists, and parts of the graph."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from scanner_api.graph.lineage import Impact, node_path
from scanner_api.graph.neighbourhood import EdgeRow, NodePaths, NodeRow, Surroundings
from scanner_api.graph.overview import Coverage, Overview
from scanner_model.columns import path_name
from scanner_model.errors import InputInvalid
from scanner_model.text import csv_row

T = TypeVar("T")

Cursor = Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Generic[T]):
    """A page of a list; *next_cursor* continues it, None at its end.

    *complete* is False where something may be missing on all pages: names are not indexed yet, or an item is cut.
    """

    items: Sequence[T]
    next_cursor: str | None
    complete: bool = True


class GraphNode(NamedTuple):
    """A node of the graph; *path* is a column's, else None.

    *upstream* and *downstream* count its edges in the whole graph, each way; None where they were not counted. *stale*
    is why the newest scan could not confirm it, empty where it did; None where that is not looked up. *unread*: the
    statement, or the class of the connector, could not be parsed, so that its flows are unknown.
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


class GraphEdge(NamedTuple):
    """An edge between two nodes' ids; *type* and *subtype* are empty where it is no column flow."""

    source: str
    target: str
    kind: str
    type: str
    subtype: str
    evidence: str
    certainty: str


class Neighbourhood(NamedTuple):
    """The part of the graph of *scan* near *root*, a node's id; *complete* is False where edges were left out."""

    root: str
    scan: int
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    complete: bool
    notes: tuple[str, ...]


class PathList(NamedTuple):
    """The shortest paths in the graph of *scan*, each a list of edges; *reverse*: data go from *end* to *start*."""

    start: str
    end: str
    scan: int
    reverse: bool
    complete: bool
    nodes: tuple[GraphNode, ...]
    paths: tuple[tuple[GraphEdge, ...], ...]
    notes: tuple[str, ...]


class AffectedNode(NamedTuple):
    """A node that is affected; *use* is copies, computes, depends, unknown, made or writes; *through* are jobs."""

    node: GraphNode
    use: str
    steps: int
    through: tuple[str, ...]


class ImpactList(NamedTuple):
    """What is affected if *root* is renamed or dropped, the nearest first; *left_out* counts what is not listed.

    *scan* is the newest scan that the graph is of, *complete* False where anything was left out.
    """

    root: GraphNode
    scan: int | None
    complete: bool
    affected: tuple[AffectedNode, ...]
    left_out: int
    column_suggestions: tuple[str, ...]
    notes: tuple[str, ...]


def neighbourhood_answer(part: Surroundings) -> Neighbourhood:
    """Return the document of a part of the graph."""
    keys = {node.id: node.node_key for node in part.nodes}
    return Neighbourhood(
        root=part.root.node_key,
        scan=part.scan,
        nodes=tuple(
            graph_node(node, part.stale, part.upstream.get(node.id, 0), part.downstream.get(node.id, 0))
            for node in part.nodes
        ),
        edges=tuple(graph_edge(edge, keys) for edge in part.edges),
        complete=part.complete,
        notes=part.notes,
    )


class WholeGraph(NamedTuple):
    """The graph of *scan* without schemas and columns; no nodes, and *complete* False, where there are too many.

    *node_count* and *edge_count* are of the whole graph, *coverage* counts what was parsed, and lists the problems.
    """

    scan: int
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    complete: bool
    node_count: int
    edge_count: int
    coverage: Coverage


def overview_answer(overview: Overview) -> WholeGraph:
    """Return the document of the graph without schemas and columns."""
    keys = {node.id: node.node_key for node in overview.nodes}
    return WholeGraph(
        scan=overview.scan,
        nodes=tuple(graph_node(node, overview.stale) for node in overview.nodes),
        edges=tuple(graph_edge(edge, keys) for edge in overview.edges),
        complete=overview.complete,
        node_count=overview.node_count,
        edge_count=overview.edge_count,
        coverage=overview.coverage,
    )


def paths_answer(result: NodePaths) -> PathList:
    """Return the document of paths."""
    keys = {key: node.node_key for key, node in result.nodes.items()}
    return PathList(
        start=result.start.node_key,
        end=result.end.node_key,
        scan=result.scan,
        reverse=result.reverse,
        complete=result.complete,
        nodes=tuple(graph_node(node, result.stale) for node in result.nodes.values()),
        paths=tuple(tuple(graph_edge(edge, keys) for edge in path) for path in result.paths),
        notes=result.notes,
    )


def impact_answer(result: Impact, limit: int | None = None) -> ImpactList:
    """Return the document of what is affected."""
    affected = tuple(
        AffectedNode(
            graph_node(node_of(result.nodes[affected_node.node], affected_node.path)),
            affected_node.use.name.lower(),
            affected_node.steps,
            tuple(result.nodes[job].node_key for job in affected_node.through),
        )
        for affected_node in islice(result.affected, limit)
    )
    left_out = len(result.affected) - len(affected)
    return ImpactList(
        root=graph_node(result.root),
        scan=result.scan,
        complete=not left_out,
        affected=affected,
        left_out=left_out,
        column_suggestions=result.column_suggestions,
        notes=result.notes,
    )


IMPACT_COLUMNS = ("kind", "namespace", "name", "column", "use", "steps", "through")


def impact_csv(answer: ImpactList) -> str:
    """Return what is affected as CSV, one line a node."""
    rows = (
        (
            affected.node.kind,
            affected.node.namespace,
            affected.node.name,
            path_name(affected.node.path or ()),
            affected.use,
            affected.steps,
            " ".join(affected.through),
        )
        for affected in answer.affected
    )
    return "".join(map(csv_row, (IMPACT_COLUMNS, *rows)))


def node_of(node: NodeRow, path: tuple[str, ...] | None) -> NodeRow:
    """Return the node of the column *path* in *node*; the node itself without one."""
    return node._replace(kind="column", path=json.dumps(path, ensure_ascii=False)) if path else node


def graph_node(
    node: NodeRow, stale: Mapping[int, str] | None = None, upstream: int | None = None, downstream: int | None = None
) -> GraphNode:
    """Return the document of a node; *stale* has the reasons of stale nodes, None where they are not known."""
    attributes: dict[str, object] = json.loads(node.attributes)
    return GraphNode(
        id=node.node_key,
        kind=node.kind,
        namespace=node.namespace,
        name=node.name,
        path=node_path(node),
        attributes=attributes,
        upstream=upstream,
        downstream=downstream,
        stale=None if stale is None else stale.get(node.id, ""),
        unread=attributes.get("unread") is True,
    )


def graph_edge(edge: EdgeRow, keys: Mapping[int, str]) -> GraphEdge:
    """Return the document of an edge between nodes of *keys*."""
    ends = keys[edge.source_node_id], keys[edge.target_node_id]
    return GraphEdge(*ends, edge.kind, edge.flow_type, edge.subtype, edge.evidence, edge.certainty)


def page_of(rows: Iterable[T], cursor: str | None, limit: int) -> Listed[T]:
    """Return a page of a list that is computed whole; its cursor holds a position."""
    (start,) = read_cursor(cursor, int) if cursor else (0,)
    items = tuple(islice(rows, start, start + limit + 1))
    return Listed(items=items[:limit], next_cursor=write_cursor(start + limit) if len(items) > limit else None)


def keyed_page(rows: Iterable[T], key: Callable[[T], Cursor], limit: int) -> Listed[T]:
    """Return the first *limit* of *rows*; the cursor holds the key of the last."""
    items = tuple(islice(rows, limit + 1))
    return Listed(items=items[:limit], next_cursor=write_cursor(*key(items[limit - 1])) if len(items) > limit else None)


def write_cursor(*values: object) -> str:
    """Return a cursor, opaque to clients, that holds *values*."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def read_cursor(cursor: str, *kinds: type) -> tuple[Any, ...]:
    """Return the values of *cursor*, which must be of *kinds*; raises InputInvalid for another text."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        values = None
    if not isinstance(values, list) or tuple(map(type, values)) != kinds:
        raise InputInvalid("the cursor is none of this list", where="cursor", hint="take next_cursor of a page")
    return tuple(values)
