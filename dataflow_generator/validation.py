"""What in a graph looks wrong or odd: findings, no failures. No I/O; of columns only the suspicious ones are held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dataflow_generator.circles import circles
from dataflow_generator.graph import Edge, EdgeKind, Node, NodeKind

_PSEUDO = frozenset(("ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND"))
_DATASETS = (NodeKind.TOPIC, NodeKind.DATASET)
_ENDS = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MEMBER_OF, EdgeKind.MATERIALIZES)
_OWN = "internal"
"""The way of a job through topics that are only its own."""


class FindingKind(StrEnum):
    """What was found."""

    DANGLING_EDGE = "dangling-edge"
    UNKNOWN_TOPIC = "unknown-topic"
    UNKNOWN_COLUMN = "unknown-column"
    SELF_LOOP = "self-loop"
    FEEDBACK = "feedback"
    JOB_WITHOUT_END = "job-without-end"
    ORPHAN_TOPIC = "orphan-topic"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something found at *nodes* (by key): the node, or those of an edge or circle in their order."""

    kind: FindingKind
    nodes: tuple[str, ...]
    what: str


def validate(nodes: Iterable[Node], edges: Iterable[Edge]) -> tuple[Finding, ...]:
    """Find what looks wrong, the gravest kinds first; schemas and their columns may be left out of both.

    Dangling ends are looked for where jobs read and write. Linear in the graph's size.
    """
    held = Held()
    for node in nodes:
        held.take(node)
    for edge in edges:
        held.join(edge)
    return held.findings()


def counts(findings: Iterable[Finding]) -> Mapping[FindingKind, int]:
    """Count findings by kind, the gravest first; a kind that was not found is not listed."""
    counted = Counter(each.kind for each in findings)
    return {kind: counted[kind] for kind in FindingKind if kind in counted}


@dataclass(slots=True)
class Held:
    """What findings are told by, by the keys of nodes: those above the columns, what is read and written.

    *suspects* are columns in flows that nothing describes, each with its path, *holders* their topics, *described* the
    topics that have schemas. *kept* are topics that a table is made of. *reads* and *writes* have the ways that their
    edges are on. *dangling* are edges whose ends are not there, as far as those of jobs are concerned.
    """

    names: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, NodeKind] = field(default_factory=dict)
    internal: set[str] = field(default_factory=set)
    suspects: dict[str, str] = field(default_factory=dict)
    in_cluster: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    described: set[str] = field(default_factory=set)
    holders: dict[str, str] = field(default_factory=dict)
    reads: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    writes: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    dangling: list[Finding] = field(default_factory=list)

    def findings(self) -> tuple[Finding, ...]:
        """Find what looks wrong, the gravest kinds first."""
        found = [*self.dangling, *self.topics(), *self.columns(), *self.circles(), *self.jobs()]
        by_kind: dict[FindingKind, dict[tuple[tuple[str, ...], str], Finding]] = {kind: {} for kind in FindingKind}
        for each in found:
            by_kind[each.kind][each.nodes, each.what] = each
        return tuple(of_kind[told] for of_kind in by_kind.values() for told in sorted(of_kind))

    def take(self, node: Node) -> None:
        """Remember a node, of columns only one that takes part in flows and that nothing describes."""
        attributes = dict(node.attributes)
        if node.kind is not NodeKind.COLUMN:
            self.names[node.key], self.kinds[node.key] = node.name, node.kind
            if attributes.get("internal"):
                self.internal.add(node.key)
        elif node.namespace and node.path and "type" not in attributes:
            self.suspect(node.key, node.path)

    def suspect(self, key: str, path: tuple[str, ...]) -> None:
        """Remember a column in flows that nothing describes, unless brokers tell it of every record."""
        if not _is_told_by_broker(path):
            self.suspects[key] = ".".join(path)

    def join(self, edge: Edge) -> None:
        """Remember what an edge says."""
        match edge.kind:
            case EdgeKind.HAS_SCHEMA:
                self.described.add(edge.source)
            case EdgeKind.CONTAINS if edge.target in self.suspects:
                self.holders[edge.target] = edge.source
            case EdgeKind.CONTAINS if self.kinds.get(edge.source) is NodeKind.CLUSTER:
                self.in_cluster.add(edge.target)
            case kind if kind in _ENDS:
                self.use(kind, edge.source, edge.target, edge.subtype)

    def use(self, kind: EdgeKind, source: str, target: str, way: str) -> None:
        """Remember an edge of what reads, writes or keeps, and whether an end of it is missing."""
        if kind is EdgeKind.READS:
            self.reads.setdefault((source, target), set()).add(way)
        elif kind is EdgeKind.WRITES:
            self.writes.setdefault((source, target), set()).add(way)
        elif kind is EdgeKind.MATERIALIZES:
            self.kept.add(source)
        for end in (source, target):
            if end not in self.names:
                what = f"{kind} from {source} to {target}: there is no {end}"
                self.dangling.append(Finding(FindingKind.DANGLING_EDGE, (source, target), what))

    def topics(self) -> Iterator[Finding]:
        """Find topics that only a job names, and topics that nobody reads or writes."""
        used = {source for source, _ in self.reads} | {target for _, target in self.writes} | self.kept
        for key, kind in self.kinds.items():
            name = self.names[key]
            if kind is NodeKind.TOPIC and key in used and key not in self.in_cluster:
                yield Finding(FindingKind.UNKNOWN_TOPIC, (key,), f"a job names {name}, which no scan knows")
            elif kind is NodeKind.TOPIC and key not in used and key not in self.internal:
                yield Finding(FindingKind.ORPHAN_TOPIC, (key,), f"nobody is known to read or write {name}")

    def columns(self) -> Iterator[Finding]:
        """Find columns in flows that the schemas of their topic do not have."""
        for key, path in self.suspects.items():
            holder = self.holders.get(key, "")
            if holder in self.described:
                what = f"a flow names {path}, which no schema of {self.names.get(holder, holder)} has"
                yield Finding(FindingKind.UNKNOWN_COLUMN, (key,), what)

    def jobs(self) -> Iterator[Finding]:
        """Find jobs that read or write nothing that is known; what an engine runs for itself has no end to name."""
        reading, writing = {job for _, job in self.reads}, {job for job, _ in self.writes}
        for key, kind in self.kinds.items():
            lacks = [what for what, has in (("reads", reading), ("writes", writing)) if key not in has]
            if kind is NodeKind.JOB and lacks and key not in self.internal:
                what = f"{self.names[key]} {' and '.join(lacks)} nothing that is known"
                yield Finding(FindingKind.JOB_WITHOUT_END, (key,), what)

    def circles(self) -> Iterator[Finding]:
        """Find jobs that read what they write, and data that come back through several jobs."""
        for circle in circles(self._ahead()):
            keys = tuple(dict.fromkeys(key for key, _ in circle))
            jobs = [key for key in keys if self.kinds.get(key) not in _DATASETS]
            kind = FindingKind.SELF_LOOP if len(jobs) == 1 else FindingKind.FEEDBACK
            start = next((at for at, key in enumerate(keys) if self.kinds.get(key) in _DATASETS), 0)
            turned = keys[start:] + keys[:start]
            yield Finding(kind, turned, " -> ".join(self.names.get(key, key) for key in (*turned, turned[0])))

    def _ahead(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """Give what follows each dataset, and each job on each of its ways; a way that is its own is none."""
        ways: dict[str, set[str]] = {}
        for (_, job), found in self.reads.items():
            ways.setdefault(job, set()).update(found)
        for (job, _), found in self.writes.items():
            ways.setdefault(job, set()).update(found)
        ahead: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for (dataset, job), found in self.reads.items():
            for way in _on(found, ways[job]):
                ahead.setdefault((dataset, ""), []).append((job, way))
        for (job, dataset), found in self.writes.items():
            for way in _on(found, ways[job]):
                ahead.setdefault((job, way), []).append((dataset, ""))
        return ahead


def _on(found: set[str], all_ways: set[str]) -> list[str]:
    """Give the ways that an edge is on: where it names none, all of the job's."""
    return sorted((all_ways if "" in found else found) - {_OWN})


def _is_told_by_broker(path: tuple[str, ...]) -> bool:
    return path[0].startswith("$") or path[-1] in _PSEUDO
