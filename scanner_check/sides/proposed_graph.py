"""The stored graph as proposed statements and connectors would change it: their edges in place of those of today."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar, NamedTuple

from dataflow_generator.build.graph_builder import build_job_alone, datasets_of
from dataflow_generator.graph import Certainty, Edge, EdgeKind
from dataflow_generator.jobs.kinds import CountedJob
from dataflow_generator.jobs.model import ColumnRef, JobFlows
from scanner_check.sides.changed_jobs import ChangedJob
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow

_FIRST_KEY = -(1 << 62)
"""Below the keys of all rows that are stored."""


class _Ends(NamedTuple):
    """The ends of an edge and what flows along it: a column that is masked no more has another edge."""

    source: int
    target: int
    kind: str
    flow_type: str
    subtype: str


@dataclass(frozen=True, slots=True)
class ProposedGraph(SqlGraphReader):
    """The stored graph without the edges *dropped* (by ends and evidence), with the nodes and edges *added*."""

    as_stored: ClassVar[bool] = False
    dropped: frozenset[tuple[_Ends, str]] = frozenset()
    added_nodes: Mapping[int, NodeRow] = field(default_factory=dict)
    added_edges: tuple[EdgeRow, ...] = ()

    def edges_at(
        self, nodes: Sequence[int], *, forward: bool, kinds: Collection[str], holders: bool = False
    ) -> tuple[EdgeRow, ...]:
        """List edges by their ends."""
        stored = SqlGraphReader.edges_at(self, nodes, forward=forward, kinds=kinds, holders=holders)
        near = frozenset(nodes)
        added = (
            edge
            for edge in self.added_edges
            if edge.kind in kinds and (edge.source_node_id if forward else edge.target_node_id) in near
        )
        return tuple(sorted([*(edge for edge in stored if (_ends(edge), edge.evidence) not in self.dropped), *added]))

    def nodes_of(self, keys: Iterable[int]) -> Mapping[int, NodeRow]:
        """Read nodes by their keys."""
        wanted = list(keys)
        added = {key: self.added_nodes[key] for key in wanted if key in self.added_nodes}
        return {**SqlGraphReader.nodes_of(self, wanted), **added}

    def nodes_named(self, names: Collection[str]) -> Iterator[NodeRow]:
        """List nodes by name."""
        yield from SqlGraphReader.nodes_named(self, names)
        yield from (node for node in self.added_nodes.values() if node.name in names)


def proposed_graph(conn: Connection, changed: Iterable[ChangedJob]) -> ProposedGraph:
    """Return the stored graph as the *changed* jobs would make it.

    Edges of a job are dropped only where all of its proposed text was read: else it may use what it does not name.
    """
    jobs = list(changed)
    before = {edge for job in jobs for reading in job.pair.before for edge in _edges(reading.flows)}
    after = {edge for job in jobs for reading in job.pair.after for edge in _edges(reading.flows)}
    read = {edge for job in jobs if _is_read(job) for reading in job.pair.before for edge in _edges(reading.flows)}
    nodes = _Nodes(conn, [reading.flows for job in jobs for reading in (*job.pair.before, *job.pair.after)])
    kept = {nodes.ends(edge) for edge in after}
    known = {nodes.ends(edge) for edge in before}
    placed = ((nodes.ends(edge), edge) for edge in sorted(after, key=_order))
    new = {ends: edge for ends, edge in placed if ends not in known and ends.source and ends.target}
    keys = count(_FIRST_KEY)
    return ProposedGraph(
        conn,
        dropped=frozenset((nodes.ends(edge), edge.evidence) for edge in read if nodes.ends(edge) not in kept),
        added_nodes=nodes.added,
        added_edges=tuple(_row(next(keys), ends, edge) for ends, edge in {**nodes.holders(), **new}.items()),
    )


def _edges(flows: JobFlows) -> tuple[Edge, ...]:
    graph = build_job_alone(flows)
    return (*graph.uses, *graph.flows)


def _is_read(job: ChangedJob) -> bool:
    """Return whether the columns of everything that is proposed are known."""
    return not job.is_partial and all(map(_is_whole, job.pair.after))


def _is_whole(reading: CountedJob) -> bool:
    read = reading.coverage
    return not (read.problems or read.tables or read.unread or read.connectors or read.unknown_connectors)


class _Nodes:
    """The nodes of jobs by their ids: those that the stored graph has, and new ones."""

    def __init__(self, conn: Connection, flows: Sequence[JobFlows]) -> None:
        self._columns: dict[str, ColumnRef] = {}
        for job in flows:
            self._columns |= build_job_alone(job).columns
        datasets = {dataset.key: dataset for dataset in datasets_of(flows)}
        names = {dataset.name for dataset in datasets.values()} | {job.job.name for job in flows}
        self._keys = {row.node_key: row.id for row in SqlGraphReader(conn).nodes_named(names)}
        self.added: dict[int, NodeRow] = {}
        for key, dataset in datasets.items():
            self._add(key, dataset.kind, dataset.namespace, dataset.name)
        for job in flows:
            self._add(job.job.key, job.job.kind, job.job.namespace, job.job.name)
        self._new_columns = [column for key, column in self._columns.items() if key not in self._keys]
        for column in self._new_columns:
            path = json.dumps(column.path, ensure_ascii=False)
            self._add(column.key, "column", column.dataset.namespace, column.dataset.name, path)

    def _add(self, key: str, kind: str, namespace: str, name: str, path: str | None = None) -> None:
        if key not in self._keys:
            number = self._keys[key] = _FIRST_KEY + len(self.added)
            self.added[number] = NodeRow(number, key, kind, namespace, name, path, "{}")

    def ends(self, edge: Edge) -> _Ends:
        """Return the ends of an edge; 0 for a consumer group that a job is a member of, which no job changes."""
        ends = self._keys.get(edge.source, 0), self._keys.get(edge.target, 0)
        return _Ends(*ends, edge.kind, edge.type, edge.subtype)

    def holders(self) -> dict[_Ends, Edge]:
        """Return the edges from datasets to new columns."""
        edges = [
            Edge(column.dataset.key, column.key, EdgeKind.CONTAINS, "", Certainty.DERIVED)
            for column in self._new_columns
        ]
        return {self.ends(edge): edge for edge in edges}


def _ends(row: EdgeRow) -> _Ends:
    return _Ends(row.source_node_id, row.target_node_id, row.kind, row.flow_type, row.subtype)


def _row(key: int, ends: _Ends, edge: Edge) -> EdgeRow:
    return EdgeRow(key, *ends, edge.evidence, str(edge.certainty))


def _order(edge: Edge) -> tuple[str, ...]:
    return edge.source, edge.target, edge.kind, edge.evidence
