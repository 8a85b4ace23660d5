"""What a drawn part needs beside its flows: holders, schemas, columns, jobs, what is stale, how much is not drawn."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.jobs.connect import connect_namespace
from dataflow_generator.jobs.flink.statements import flink_namespace
from dataflow_generator.jobs.ksqldb import ksqldb_namespace
from dataflow_generator.jobs.model import GraphDataset, job_node
from dataflow_generator.jobs.streams import streams_node
from scanner_dictionary.graph.past import PastGraphReader
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.queries.state import StaleFact

_JOB_LEVEL = frozenset((EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MATERIALIZES))
_FLOWS = frozenset((EdgeKind.COLUMN_FLOW,))
_HOLDS = frozenset((EdgeKind.CONTAINS, EdgeKind.HAS_SCHEMA))

StoredGraphReader = SqlGraphReader | PastGraphReader
"""A reader of a graph in the dictionary, which reads a bounded number of edges, and counts them."""


@dataclass(slots=True)
class Part:
    """Nodes and edges by their keys; at most *left* edges are added, and *complete* is False if some were not.

    The clusters of topics, and the datasets of columns, are always added.
    """

    graph: StoredGraphReader
    nodes: dict[int, NodeRow]
    edges: dict[int, EdgeRow]
    left: int
    complete: bool = True

    def add_surroundings(self, root: NodeRow) -> None:
        """Add what a drawing needs: contents, holders, groups of jobs, and for a column that is the *root* its jobs."""
        self._add_contents()
        self._add_holders()
        if root.kind == NodeKind.COLUMN:
            self._add_jobs()
        jobs = [node.id for node in self.nodes.values() if node.kind == NodeKind.JOB]
        self._add(self.graph.nearest_edges(jobs, forward=False, kinds={EdgeKind.MEMBER_OF}, limit=max(self.left, 0)))

    def _add_contents(self) -> None:
        """Add the schemas and columns of the topics and datasets, and the flows between columns that are there."""
        kinds = (NodeKind.TOPIC, NodeKind.DATASET)
        outer: Collection[int] = [node.id for node in self.nodes.values() if node.kind in kinds]
        while outer:
            outer = self._add(self._nearest(outer, _HOLDS))
        columns = [node.id for node in self.nodes.values() if node.kind == NodeKind.COLUMN]
        if columns:
            self._add(row for row in self._nearest(columns, _FLOWS) if row.target_node_id in self.nodes)

    def _add_holders(self) -> None:
        """Add the clusters of topics, and the datasets of columns."""
        inner: Collection[int] = [
            node.id for node in self.nodes.values() if node.kind in (NodeKind.TOPIC, NodeKind.COLUMN)
        ]
        while inner:
            inner = self._add(self.graph.edges_at(list(inner), forward=False, kinds=("contains",), holders=True))

    def _add_jobs(self) -> None:
        """Add the jobs that the column flows go through: those that read their source, and write their target."""
        flows = [row for row in self.edges.values() if row.kind == EdgeKind.COLUMN_FLOW]
        holders = self._holders()
        ends = ((row.source_node_id, row.target_node_id) for row in flows)
        pairs = {(holders.get(source, source), holders.get(target, target)) for source, target in ends}
        reads = self._nearest({source for source, _ in pairs}, {EdgeKind.READS})
        writes = defaultdict(list)
        for row in self._nearest({read.target_node_id for read in reads}, {EdgeKind.WRITES}):
            writes[row.source_node_id].append(row)
        for read in reads:
            for write in writes[read.target_node_id]:
                one_route = not read.subtype or not write.subtype or read.subtype == write.subtype
                if one_route and (read.source_node_id, write.target_node_id) in pairs:
                    self._add((read, write))

    def _holders(self) -> Mapping[int, int]:
        """Map each column to its topic or dataset."""
        rows = (row for row in self.edges.values() if row.kind == EdgeKind.CONTAINS)
        above = {row.target_node_id: row.source_node_id for row in rows}
        holders = {}
        for key, node in self.nodes.items():
            at = key
            while at in above and self.nodes[at].kind == NodeKind.COLUMN:
                at = above[at]
            if node.kind == NodeKind.COLUMN:
                holders[key] = at
        return holders

    def _nearest(self, nodes: Collection[int], kinds: Collection[str]) -> list[EdgeRow]:
        """Return the edges from *nodes* that are not there yet, as many as may be added."""
        room = max(self.left, 0)
        # One more than allowed, to learn whether there are others.
        rows = self.graph.nearest_edges(sorted(nodes), forward=True, kinds=kinds, limit=room + 1)
        self.complete = self.complete and len(rows) <= room
        return [row for row in rows if row.id not in self.edges][:room]

    def _add(self, rows: Iterable[EdgeRow]) -> list[int]:
        """Add edges and the nodes at their ends; return the nodes that are new."""
        new = {row.id: row for row in rows if row.id not in self.edges}
        self.edges |= new
        self.left -= len(new)
        ends = {end for row in new.values() for end in (row.source_node_id, row.target_node_id)} - self.nodes.keys()
        self.nodes.update(self.graph.nodes_of(ends))
        return sorted(ends)


def edge_counts(graph: StoredGraphReader, nodes: Iterable[NodeRow], *, forward: bool) -> Mapping[int, int]:
    """Count the edges of *nodes* that leave them (*forward*) or enter them in the whole graph.

    These are reads, writes and materializations of jobs and data, and flows of columns. The groups through which a job
    reads are no sources of data. A node without any is not listed.
    """
    by_level: dict[bool, list[int]] = {True: [], False: []}
    for node in nodes:
        if node.kind != NodeKind.CLUSTER:
            by_level[node.kind == NodeKind.COLUMN].append(node.id)
    return graph.count_edges(by_level[False], forward=forward, kinds=_JOB_LEVEL) | graph.count_edges(
        by_level[True], forward=forward, kinds=_FLOWS
    )


_NUMBERED = re.compile(r"(.+):\d+")


def fact_names(nodes: Iterable[NodeRow]) -> set[str]:
    """Return the names of the facts that *nodes* may stand for; several statements in one text are numbered."""
    names = {node.name for node in nodes if node.kind not in (NodeKind.COLUMN, NodeKind.SCHEMA)}
    return names | {_without_number(name) for name in names}


def stale_nodes(nodes: Iterable[NodeRow], facts: Iterable[StaleFact], homes: Mapping[str, str]) -> Mapping[int, str]:
    """Return the reason, after its source, for each of *nodes*, by its id, that stands for one of *facts*.

    *homes* are the namespaces of the clusters.
    """
    reasons = {key: f"{fact.source}: {fact.reason}" for fact in facts for key in _keys(fact, homes)}
    reasons_by_id = {node.id: reasons.get(node.node_key) or reasons.get(_statement_key(node)) for node in nodes}
    return {key: reason for key, reason in reasons_by_id.items() if reason}


def _keys(fact: StaleFact, homes: Mapping[str, str]) -> Iterator[str]:
    match fact.kind:
        case "topic" if fact.cluster in homes:
            yield GraphDataset(NodeKind.TOPIC, homes[fact.cluster], fact.name).key
        case "consumer-group" if fact.cluster in homes:
            yield f"{NodeKind.CONSUMER_GROUP}:{homes[fact.cluster]}/{fact.name}"
        case "connector":
            yield job_node(connect_namespace(fact.cluster, fact.source), fact.name, ()).key
        case "ksqldb":
            yield job_node(ksqldb_namespace(fact.source), fact.name, ()).key
        case "flink":
            yield job_node(flink_namespace(fact.cluster, fact.source), fact.name, ()).key
        case "streams":
            yield streams_node(fact.cluster, fact.name).key


def _statement_key(node: NodeRow) -> str:
    return _without_number(node.node_key) if node.node_key.startswith(f"{NodeKind.JOB}:flink://") else ""


def _without_number(name: str) -> str:
    numbered = _NUMBERED.fullmatch(name)
    return numbered[1] if numbered else name
