"""The part of a stored graph within some hops of a node, bounded, with the number of edges that each node has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from dataflow_generator.graph import EdgeKind, NodeKind
from scanner_dictionary.graph.past import PastGraphReader
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph

_JOB_LEVEL = frozenset((EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MATERIALIZES, EdgeKind.MEMBER_OF))
_FLOWS = frozenset((EdgeKind.COLUMN_FLOW,))
_HOLDS = frozenset((EdgeKind.CONTAINS, EdgeKind.HAS_SCHEMA))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hops:
    """How far to go from a node, and at most how many *edges* to return.

    *columns* adds the schemas and columns of topics and datasets.
    """

    upstream: int = 1
    downstream: int = 1
    columns: bool = False
    edges: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The nodes and edges around *root*, in the graph's order.

    *upstream* and *downstream* count the edges of nodes that enter and leave them in the whole graph: reads, writes,
    materializations and members of jobs and data, flows of columns. *complete* is False where edges were left out.
    *scan* is the newest scan that the graph is of. *stale* has the reasons of stale nodes; None for an earlier graph.
    *notes* say what the requested name means, where that is other than it says.
    """

    root: NodeRow
    nodes: tuple[NodeRow, ...]
    edges: tuple[EdgeRow, ...]
    upstream: dict[int, int]
    downstream: dict[int, int]
    complete: bool
    scan: int
    stale: Mapping[int, str] | None = None
    notes: tuple[str, ...] = ()


StoredGraphReader = SqlGraphReader | PastGraphReader
"""A reader of a graph in the dictionary, which reads a bounded number of edges, and counts them."""


def surroundings(graph: StoredGraphReader, about: StoredGraph, root: NodeRow, hops: Hops) -> Surroundings:
    """Return what is within *hops* of *root*, with the clusters of topics."""
    part = _Part(graph, {root.id: root}, left=hops.edges)
    kinds = _FLOWS if root.kind == NodeKind.COLUMN else _JOB_LEVEL
    for forward, steps in ((False, hops.upstream), (True, hops.downstream)):
        frontier: Collection[int] = [root.id]
        for _ in range(steps):
            frontier = part.step(frontier, forward, kinds)
    if hops.columns:
        part.add_columns()
    part.add_holders()
    return part.result(root, about.last_scan)


@dataclass(slots=True)
class _Part:
    graph: StoredGraphReader
    nodes: dict[int, NodeRow]
    edges: dict[int, EdgeRow] = field(default_factory=dict)
    left: int = 0
    complete: bool = True

    def step(self, frontier: Collection[int], forward: bool, kinds: Collection[str]) -> list[int]:
        """Add the edges of one step from *frontier*; return the nodes that are new."""
        if not frontier:
            return []
        # One more than allowed, to learn whether there are others.
        limit = max(self.left, 0) + 1
        rows = self.graph.nearest_edges(sorted(frontier), forward=forward, kinds=kinds, limit=limit)
        new = [row for row in rows if row.id not in self.edges]
        self.complete = self.complete and len(rows) < limit
        return self._add(new[: self.left])

    def _add(self, rows: Collection[EdgeRow]) -> list[int]:
        self.edges |= {row.id: row for row in rows}
        self.left -= len(rows)
        ends = {end for row in rows for end in (row.source_node_id, row.target_node_id)} - self.nodes.keys()
        self.nodes.update(self.graph.nodes_of(ends))
        return sorted(ends)

    def add_columns(self) -> None:
        """Add the schemas and columns of the topics and datasets, and the flows between columns that are there."""
        kinds = (NodeKind.TOPIC, NodeKind.DATASET)
        outer = [node.id for node in self.nodes.values() if node.kind in kinds]
        while outer:
            outer = self.step(outer, True, _HOLDS)
        columns = [node.id for node in self.nodes.values() if node.kind == NodeKind.COLUMN]
        if columns:
            flows = self.graph.nearest_edges(columns, forward=True, kinds=_FLOWS, limit=max(self.left, 0) + 1)
            within = [row for row in flows if row.target_node_id in self.nodes and row.id not in self.edges]
            self.complete = self.complete and len(flows) <= max(self.left, 0)
            self._add(within[: max(self.left, 0)])

    def add_holders(self) -> None:
        """Add the clusters of topics, and the datasets of columns."""
        inner = [node.id for node in self.nodes.values() if node.kind in (NodeKind.TOPIC, NodeKind.COLUMN)]
        while inner:
            rows = self.graph.edges_at(inner, forward=False, kinds=("contains",), holders=True)
            inner = self._add([row for row in rows if row.id not in self.edges])

    def result(self, root: NodeRow, scan: int) -> Surroundings:
        """Return the part in order, with the number of edges of each node."""
        columns = [key for key, node in self.nodes.items() if node.kind == NodeKind.COLUMN]
        others = [key for key, node in self.nodes.items() if node.kind not in (NodeKind.COLUMN, NodeKind.CLUSTER)]
        counts = [
            self.graph.count_edges(others, forward=forward, kinds=_JOB_LEVEL)
            | self.graph.count_edges(columns, forward=forward, kinds=_FLOWS)
            for forward in (False, True)
        ]
        return Surroundings(
            root=root,
            nodes=tuple(self.nodes[key] for key in sorted(self.nodes)),
            edges=tuple(self.edges[key] for key in sorted(self.edges)),
            upstream=counts[0],
            downstream=counts[1],
            complete=self.complete,
            scan=scan,
        )
