"""The part of the graph near a node, and the paths between two nodes: bounded, for pages and assistants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dataflow_generator.query import stale
from dataflow_generator.query.hops import Hops, StoredGraphReader, Surroundings, surroundings
from dataflow_generator.query.paths import PathLimits, shortest_paths
from dataflow_generator.query.traversal import DATASETS, Hop
from scanner_api.dictionary import Dictionary
from scanner_api.graph.open import GraphSource, find_node, open_stored_rows
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.queries.stale_facts import stale_facts

__all__ = ["EdgeRow", "Hops", "NodeRow", "Surroundings"]

_FLOWS = frozenset(("column-flow",))
_EDGES_OF_A_STEP = 20_000
_NEAR = Hops()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePaths:
    """The shortest paths between *start* and *end*: lists of edges; *nodes* has the nodes of all by their keys.

    *reverse*: the data go from *end* to *start*. *complete* is False where a limit ended the search. *scan* is the
    newest scan that the graph is of, *stale* and *notes* are as in `Surroundings`.
    """

    start: NodeRow
    end: NodeRow
    paths: tuple[tuple[EdgeRow, ...], ...]
    nodes: Mapping[int, NodeRow]
    reverse: bool
    complete: bool
    scan: int
    stale: Mapping[int, str] | None
    notes: tuple[str, ...] = ()


def neighbourhood(
    dictionary: Dictionary, node: str, hops: Hops = _NEAR, *, as_of: str | int | None = None
) -> Surroundings:
    """Return the nodes and edges within *hops* of *node*, and how many edges each has in the whole graph.

    *node* is a name as for `lineage`, *as_of* a scan number or a date whose graph is read instead of the newest. Raises
    InputInvalid where several nodes have the name, NameUnknown where none has, no graph was generated, or none is known
    of *as_of*.

    >>> neighbourhood(dictionary, "orders").downstream
    """
    with open_stored_rows(GraphSource.of(dictionary, as_of)) as (rows, about):
        root, notes = find_node(rows, node, "node")
        part = surroundings(rows, about, root, hops)
        return replace(part, stale=stale_nodes(rows, part.nodes), notes=notes)


def paths(
    dictionary: Dictionary, start: str, end: str, *, limit: int = 10, as_of: str | int | None = None
) -> NodePaths:
    """Return the shortest paths on which data go from *start* to *end*; the other way where there is none.

    Two columns are connected by column flows; otherwise data and jobs are, and a column stands for its topic or
    dataset. Names, *as_of* and errors are those of `neighbourhood`.

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
        return NodePaths(
            start=first,
            end=last,
            paths=tuple(tuple(hop.edge for hop in path) for path in shortest.paths),
            nodes=nodes,
            reverse=reverse,
            complete=shortest.complete,
            scan=about.last_scan,
            stale=stale_nodes(graph, nodes.values()),
            notes=named[0].notes + named[1].notes,
        )


def stale_nodes(graph: StoredGraphReader, nodes: Iterable[NodeRow]) -> Mapping[int, str] | None:
    """Return why the newest scan could not confirm the facts of *nodes*, by node; None for an earlier graph.

    A fresh node is not listed.
    """
    if not isinstance(graph, SqlGraphReader):
        return None
    listed = tuple(nodes)
    facts = stale_facts(graph.conn, stale.fact_names(listed))
    clusters = graph.cluster_nodes({fact.cluster for fact in facts}) if facts else ()
    return stale.stale_nodes(listed, facts, {node.name: node.namespace for node in clusters})


def _holder(graph: GraphReader, node: NodeRow) -> NodeRow:
    """Return the topic or dataset of a column; another node itself."""
    if node.kind != "column":
        return node
    holders = [edge.source_node_id for edge in graph.edges_at([node.id], forward=False, kinds=("contains",))]
    return next(iter(graph.nodes_of(holders[:1]).values()), node)
