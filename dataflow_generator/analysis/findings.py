"""Validate a graph: findings are suspicious structures, not failures. No I/O; only suspicious columns are held."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

from dataflow_generator.analysis.connectivity import cycles
from dataflow_generator.build.coverage import Misfit
from dataflow_generator.graph import Edge, EdgeKind, Node, NodeKind
from scanner_dictionary.graph import reader as graph_shape
from scanner_dictionary.graph.store import Level
from scanner_dictionary.validation.flows import unknown_column

_DATASETS = (NodeKind.TOPIC, NodeKind.DATASET)
_ENDS = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MEMBER_OF, EdgeKind.MATERIALIZES)
_OWN = "internal"
"""The route of a job through its own internal topics."""


class FindingKind(StrEnum):
    """Kind of a finding."""

    DANGLING_EDGE = "dangling-edge"
    UNKNOWN_TOPIC = "unknown-topic"
    UNKNOWN_COLUMN = "unknown-column"
    COLUMN_MISFIT = "column-misfit"
    SELF_LOOP = "self-loop"
    FEEDBACK = "feedback"
    JOB_WITHOUT_END = "job-without-end"
    ORPHAN_TOPIC = "orphan-topic"


@dataclass(frozen=True, slots=True)
class GraphFinding:
    """A finding at *nodes* (by key): one node, or those of an edge or cycle in order."""

    kind: FindingKind
    nodes: tuple[str, ...]
    what: str


def validate(nodes: Iterable[Node], edges: Iterable[Edge]) -> tuple[GraphFinding, ...]:
    """Return all findings, the gravest kinds first; schemas and their columns may be left out of both.

    Dangling edges are looked for among reads and writes of jobs. Linear in the graph's size.
    """
    shape = GraphShape()
    for node in nodes:
        shape.add_node(node)
    for edge in edges:
        shape.add_edge(edge)
    return shape.findings()


def counts(findings: Iterable[GraphFinding]) -> Mapping[FindingKind, int]:
    """Count findings by kind, the gravest first; kinds without findings are left out."""
    counted = Counter(finding.kind for finding in findings)
    return {kind: counted[kind] for kind in FindingKind if kind in counted}


@dataclass(slots=True)
class GraphShape:
    """The facts that findings are derived from, by the keys of nodes: job and topic level, reads and writes.

    *suspects* are columns in flows that nothing describes, each with its path, *holders* their topics, *described*
    the topics that have schemas. *materialized* are topics with a table made from them. *reads* and *writes*
    have the routes of their edges. *observed* are jobs that monitoring knows as clients. *dangling* are edges of jobs
    with a missing end, *misfits* columns that do not fit.
    """

    names: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, NodeKind] = field(default_factory=dict)
    internal: set[str] = field(default_factory=set)
    observed: set[str] = field(default_factory=set)
    suspects: dict[str, tuple[str, ...]] = field(default_factory=dict)
    in_cluster: set[str] = field(default_factory=set)
    materialized: set[str] = field(default_factory=set)
    described: set[str] = field(default_factory=set)
    holders: dict[str, str] = field(default_factory=dict)
    reads: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    writes: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    dangling: list[GraphFinding] = field(default_factory=list)
    misfits: list[GraphFinding] = field(default_factory=list)

    def findings(self) -> tuple[GraphFinding, ...]:
        """Return all findings, the gravest kinds first."""
        listed = (self.dangling, self.topics(), self.columns(), self.misfits, self.cycles(), self.jobs())
        all_findings = chain.from_iterable(listed)
        by_kind: dict[FindingKind, dict[tuple[tuple[str, ...], str], GraphFinding]] = {kind: {} for kind in FindingKind}
        for finding in all_findings:
            by_kind[finding.kind][finding.nodes, finding.what] = finding
        return tuple(of_kind[key] for of_kind in by_kind.values() for key in sorted(of_kind))

    def add_node(self, node: Node) -> None:
        """Add a node; of columns only those in flows that nothing describes."""
        attributes = dict(node.attributes)
        if node.kind is not NodeKind.COLUMN:
            self.names[node.key], self.kinds[node.key] = node.name, node.kind
            if attributes.get("internal"):
                self.internal.add(node.key)
            if attributes.get("observed"):
                self.observed.add(node.key)
        elif node.namespace and node.path and "type" not in attributes and not graph_shape.is_of_engine(node.path):
            self.suspects[node.key] = node.path

    def add_edge(self, edge: Edge) -> None:
        """Add an edge."""
        match edge.kind:
            case EdgeKind.HAS_SCHEMA:
                self.described.add(edge.source)
            case EdgeKind.CONTAINS if edge.target in self.suspects:
                self.holders[edge.target] = edge.source
            case EdgeKind.CONTAINS if self.kinds.get(edge.source) is NodeKind.CLUSTER:
                self.in_cluster.add(edge.target)
            case kind if kind in _ENDS:
                self.add_use(kind, edge.source, edge.target, edge.subtype)

    def add_use(self, kind: EdgeKind, source: str, target: str, route: str) -> None:
        """Add an edge that reads, writes or materializes, and a finding if one of its ends is missing."""
        if kind is EdgeKind.READS:
            self.reads.setdefault((source, target), set()).add(route)
        elif kind is EdgeKind.WRITES:
            self.writes.setdefault((source, target), set()).add(route)
        elif kind is EdgeKind.MATERIALIZES:
            self.materialized.add(source)
        for end in (source, target):
            if end not in self.names:
                what = f"{kind} from {source} to {target}: {end} does not exist"
                self.dangling.append(GraphFinding(FindingKind.DANGLING_EDGE, (source, target), what))

    def topics(self) -> Iterator[GraphFinding]:
        """Yield topics that only a job refers to, and topics without readers and writers."""
        used = {source for source, _ in self.reads} | {target for _, target in self.writes} | self.materialized
        for key, kind in self.kinds.items():
            name = self.names[key]
            if kind is NodeKind.TOPIC and key in used and key not in self.in_cluster:
                yield GraphFinding(FindingKind.UNKNOWN_TOPIC, (key,), f"a job uses {name}, which no scan has found")
            elif kind is NodeKind.TOPIC and key not in used and key not in self.internal:
                yield GraphFinding(FindingKind.ORPHAN_TOPIC, (key,), f"{name} has no known readers or writers")

    def columns(self) -> Iterator[GraphFinding]:
        """Yield columns in flows that the schemas of their topic lack."""
        for key, path in self.suspects.items():
            holder = self.holders.get(key, "")
            if holder in self.described:
                what = unknown_column(path, self.names.get(holder, holder))
                yield GraphFinding(FindingKind.UNKNOWN_COLUMN, (key,), what)

    def jobs(self) -> Iterator[GraphFinding]:
        """Yield jobs without known inputs or outputs; internal jobs of an engine and observed clients are skipped."""
        reading, writing = {job for _, job in self.reads}, {job for job, _ in self.writes}
        for key, kind in self.kinds.items():
            lacks = [what for what, has in (("inputs", reading), ("outputs", writing)) if key not in has]
            if kind is NodeKind.JOB and lacks and key not in self.internal | self.observed:
                what = f"{self.names[key]} has no known {' and '.join(lacks)}"
                yield GraphFinding(FindingKind.JOB_WITHOUT_END, (key,), what)

    def cycles(self) -> Iterator[GraphFinding]:
        """Yield jobs that read their own output, and cycles through several jobs."""
        for cycle in cycles(self._ahead()):
            keys = tuple(dict.fromkeys(key for key, _ in cycle))
            jobs = [key for key in keys if self.kinds.get(key) not in _DATASETS]
            kind = FindingKind.SELF_LOOP if len(jobs) == 1 else FindingKind.FEEDBACK
            start = next((at for at, key in enumerate(keys) if self.kinds.get(key) in _DATASETS), 0)
            turned = keys[start:] + keys[:start]
            yield GraphFinding(kind, turned, " -> ".join(self.names.get(key, key) for key in (*turned, turned[0])))

    def _ahead(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """Return the successors of each dataset, and of each job on each of its routes; internal routes are skipped."""
        routes: dict[str, set[str]] = {}
        for (_, job), edge_routes in self.reads.items():
            routes.setdefault(job, set()).update(edge_routes)
        for (job, _), edge_routes in self.writes.items():
            routes.setdefault(job, set()).update(edge_routes)
        ahead: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for (dataset, job), edge_routes in self.reads.items():
            # A table with generated columns is read and written by its own database.
            for route in _routes_of_edge(edge_routes, routes[job]) if job not in self.internal else ():
                ahead.setdefault((dataset, ""), []).append((job, route))
        for (job, dataset), edge_routes in self.writes.items():
            for route in _routes_of_edge(edge_routes, routes[job]):
                ahead.setdefault((job, route), []).append((dataset, ""))
        return ahead


def _routes_of_edge(edge_routes: set[str], job_routes: set[str]) -> list[str]:
    """Return the routes of an edge: where it names none, all of the job's."""
    return sorted((job_routes if "" in edge_routes else edge_routes) - {_OWN})


_NODES = {kind.value: kind for kind in NodeKind}
_EDGES = {kind.value: kind for kind in EdgeKind}


def stored_findings(level: Level, misfits: Iterable[Misfit] = ()) -> tuple[GraphFinding, ...]:
    """Validate the stored graph by its job and topic level, without column flows; its coverage has the *misfits*."""
    rows = graph_shape.topic_level_nodes(level)
    clusters = {number: space for number, _, kind, space, *_ in rows if kind == "cluster"}
    keys = {number: key for number, key, *_ in rows}
    shape = GraphShape(
        names={key: name for _, key, _, _, name, _ in rows},
        kinds={key: _NODES[kind] for _, key, kind, *_ in rows},
        internal={key for _, key, *_, attributes in rows if attributes and json.loads(attributes).get("internal")},
        observed={key for _, key, *_, attributes in rows if attributes and json.loads(attributes).get("observed")},
        in_cluster={keys[number] for number in graph_shape.contained(level, clusters) if number in keys},
    )
    shape.misfits = [GraphFinding(FindingKind.COLUMN_MISFIT, misfit.nodes, misfit.what) for misfit in misfits]
    spaces = frozenset(filter(None, clusters.values()))
    topics = {(space, name): number for number, _, kind, space, name, _ in rows if kind == "topic" and space in spaces}
    for column in graph_shape.undescribed_columns(level, topics):
        shape.suspects[column.key] = column.path
        shape.holders[column.key] = keys[column.topic]
        shape.described.add(keys[column.topic])
    for source, target, kind, route in graph_shape.job_edges(level):
        shape.add_use(_EDGES[kind], keys.get(source, f"node:{source}"), keys.get(target, f"node:{target}"), route)
    return shape.findings()
