"""Lineage: what is behind a node of the graph and what is ahead of it, step by step. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from dataflow_generator.graph import Edge, EdgeKind, NodeKind


class Refined(Protocol):
    """An edge, in memory or stored, as far as a walk needs it."""

    @property
    def subtype(self) -> str:
        """Return what refines its kind; of what a job reads and writes, which of the job's ways it belongs to."""


K = TypeVar("K", bound=Hashable)
E = TypeVar("E", bound=Refined)

Kinds = frozenset[str]
DATASETS: Kinds = frozenset((EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MATERIALIZES))
COLUMNS: Kinds = frozenset((EdgeKind.COLUMN_FLOW, EdgeKind.CONTAINS))
_CONTAINS: Kinds = frozenset((EdgeKind.CONTAINS,))
_MEMBER_OF: Kinds = frozenset((EdgeKind.MEMBER_OF,))
_ANY_WAY = ""
"""Inside a node on all its ways: what is no job, a job of one way, and the node that a walk starts at."""


class Hop(NamedTuple, Generic[K, E]):
    """An edge as a walk needs it: the keys of its ends, its kind, and the edge itself."""

    source: K
    target: K
    kind: str
    edge: E


Ahead = Callable[[Sequence[K], bool, Kinds], Iterable[Hop[K, E]]]
"""Give the edges of some kinds that leave nodes (True) or enter them (False), in the graph's order.

Of the edges `contains` only those to a column.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which way to look and how far: *depth* counts edges, None has no end; *columns* follows flows of columns, too."""

    upstream: bool = True
    downstream: bool = True
    columns: bool = False
    depth: int | None = None


def lineage(root: K, kind: str, question: Question, ahead: Ahead[K, E]) -> tuple[Hop[K, E], ...]:
    """List the edges that lead to *root* and from it, upstream first, each once, the nearest first.

    A column is followed from column to column; what bears on a whole dataset bears on each of its columns. A dataset is
    followed through jobs; with *columns*, each of its own columns beside that. A consumer group of jobs is where they
    are.
    """
    ways = [forward for forward, wanted in ((False, question.upstream), (True, question.downstream)) if wanted]
    member_of = list(ahead([root], True, _MEMBER_OF)) if kind == NodeKind.CONSUMER_GROUP else []
    found: dict[Hop[K, E], None] = dict.fromkeys(member_of)
    starts = [root, *(hop.target for hop in member_of)]
    for forward in ways:
        if kind != NodeKind.COLUMN:
            found |= dict.fromkeys(walk(starts, forward, DATASETS, question.depth, ahead))
        if kind == NodeKind.COLUMN or question.columns:
            columns = _columns_to_follow(root, kind, forward, ahead)
            hops = walk(columns, forward, COLUMNS, question.depth, ahead)
            found |= dict.fromkeys(_bearing(hops, forward=forward))
    return tuple(found)


def walk(
    starts: Iterable[K], forward: bool, kinds: Kinds, depth: int | None, ahead: Ahead[K, E]
) -> tuple[Hop[K, E], ...]:
    """List the edges met on the way from *starts*, the nearest first; a circle is walked once.

    A job that is entered on one of its ways is left on that way only: a mirror of ten topics is ten ways.
    """
    seen: dict[K, set[str]] = {node: {_ANY_WAY} for node in starts}
    frontier = {node: set(ways) for node, ways in seen.items()}
    found: dict[Hop[K, E], None] = {}
    steps = 0
    while frontier and (depth is None or steps < depth):
        hops = [hop for hop in ahead(list(frontier), forward, kinds) if _leads_on(hop, frontier, forward)]
        found |= dict.fromkeys(hops)
        frontier = {}
        for hop in hops:
            node, way = (hop.target if forward else hop.source), _way_into(hop, forward)
            known = seen.setdefault(node, set())
            if way not in known and _ANY_WAY not in known:
                known.add(way)
                frontier.setdefault(node, set()).add(way)
        steps += 1
    return tuple(found)


def _leads_on(hop: Hop[K, E], frontier: Mapping[K, set[str]], forward: bool) -> bool:
    """Report whether the walk, which may be inside a job on some of its ways only, may take this step."""
    ways = frontier[hop.source if forward else hop.target]
    out_of_job = hop.kind == (EdgeKind.WRITES if forward else EdgeKind.READS)
    return not out_of_job or _ANY_WAY in ways or hop.edge.subtype in ways or not hop.edge.subtype


def _way_into(hop: Hop[K, E], forward: bool) -> str:
    into_job = hop.kind == (EdgeKind.READS if forward else EdgeKind.WRITES)
    return hop.edge.subtype if into_job else _ANY_WAY


def ahead_in(edges: Iterable[Edge]) -> Ahead[str, Edge]:
    """Return what looks ahead among *edges*, held in memory."""
    hops = [
        Hop(edge.source, edge.target, str(edge.kind), edge)
        for edge in edges
        if edge.kind is not EdgeKind.CONTAINS or edge.target.startswith(f"{NodeKind.COLUMN}:")
    ]

    def ahead(nodes: Sequence[str], forward: bool, kinds: Kinds) -> Iterable[Hop[str, Edge]]:
        wanted = frozenset(nodes)
        return (hop for hop in hops if hop.kind in kinds and (hop.source if forward else hop.target) in wanted)

    return ahead


def _columns_to_follow(root: K, kind: str, forward: bool, ahead: Ahead[K, E]) -> list[K]:
    """Return where to start among columns: at the node, and at the columns in it or in what a job reads or writes."""
    starts = [root]
    if kind == NodeKind.JOB:
        starts = [hop.target if forward else hop.source for hop in ahead(starts, forward, DATASETS)]
    return [*starts, *(hop.target for hop in ahead(starts, True, _CONTAINS))]


def _bearing(hops: Iterable[Hop[K, E]], *, forward: bool) -> list[Hop[K, E]]:
    """Leave out what contains a column where no flow goes on from there."""
    listed = list(hops)
    flows = [hop for hop in listed if hop.kind == EdgeKind.COLUMN_FLOW]
    joints = {hop.source if forward else hop.target for hop in flows}
    return [
        hop for hop in listed if hop.kind == EdgeKind.COLUMN_FLOW or (hop.target if forward else hop.source) in joints
    ]
