"""The graph of topics, datasets, jobs and groups as a whole, where it is small enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dataflow_generator.build.coverage import Coverage as Coverage
from dataflow_generator.query.stored_graph import JOB_LEVEL, coverage_of
from scanner_api.dictionary import Dictionary
from scanner_api.graph.neighbourhood import stale_nodes
from scanner_api.graph.open import GraphSource, open_stored_rows
from scanner_dictionary.graph.store import EdgeRow, NodeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The nodes of the graph of *scan* above schemas and columns, with the edges between them.

    Without any, and *complete* False, where there are more nodes than asked for. *node_count* and *edge_count* are of
    the whole graph, columns included. *stale* has the reasons of stale nodes by their ids; None for an earlier graph.
    """

    scan: int
    nodes: tuple[NodeRow, ...]
    edges: tuple[EdgeRow, ...]
    complete: bool
    node_count: int
    edge_count: int
    coverage: Coverage
    stale: Mapping[int, str] | None


def overview(dictionary: Dictionary, *, limit: int = 2_000, as_of: str | int | None = None) -> Overview:
    """Return the graph without schemas and columns where it has at most *limit* nodes; *as_of* as for `lineage`.

    Raises NameUnknown where no graph was generated, or none is known of *as_of*.

    >>> overview(dictionary).nodes
    """
    with open_stored_rows(GraphSource.of(dictionary, as_of)) as (rows, about):
        nodes = rows.top_nodes(limit + 1)
        complete = len(nodes) <= limit
        edges: tuple[EdgeRow, ...] = ()
        if complete:
            clusters = [node.id for node in nodes if node.kind == "cluster"]
            inside = rows.edges_at(clusters, forward=True, kinds=("contains",), holders=True)
            flows = rows.edges_at([node.id for node in nodes], forward=True, kinds=JOB_LEVEL)
            edges = tuple(sorted((*inside, *flows)))
        shown = nodes if complete else ()
        return Overview(
            scan=about.last_scan,
            nodes=shown,
            edges=edges,
            complete=complete,
            node_count=about.nodes,
            edge_count=about.edges,
            coverage=coverage_of(about),
            stale=stale_nodes(rows, shown),
        )
