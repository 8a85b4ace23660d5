"""Tags that columns inherit along column flows: a copy has the tags of its source, a computed value has them weaker.

Only DIRECT flows carry a tag: what filters, joins or groups rows shows nothing of its values. A masked flow ends it. No
I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from dataflow_generator.graph import MASKED

_DIRECT = "DIRECT"
_IDENTITY = "IDENTITY"


class TagFlow(StrEnum):
    """How the value of a column comes from the one that has the tag, along all steps."""

    COPIED = "copied"
    COMPUTED = "computed"
    """Some step computes it, or is not known to copy it."""
    MASKED = "masked"
    """The last step masks it, so that the tag ends there."""


class TagEdge(Protocol):
    """The part of a stored edge that inheritance needs."""

    @property
    def id(self) -> int:
        """Return its key, in the graph's order."""

    @property
    def source_node_id(self) -> int:
        """Return the key of the node where it starts."""

    @property
    def target_node_id(self) -> int:
        """Return the key of the node where it ends."""

    @property
    def flow_type(self) -> str:
        """Return OpenLineage's type."""

    @property
    def subtype(self) -> str:
        """Return OpenLineage's subtype, or MASKED."""

    @property
    def evidence(self) -> str:
        """Return the reason of the edge."""


class TaggedColumn(NamedTuple):
    """A column, by its node's key, that has *tag*; *path* are the flows from *origin*, which declares it.

    The path is empty, and *flow* None, for a column that declares it.
    """

    node: int
    tag: str
    origin: int
    flow: TagFlow | None = None
    before: TaggedColumn | None = None
    edge: TagEdge | None = None
    steps: int = 0

    @property
    def path(self) -> tuple[TagEdge, ...]:
        """Return the flows from the origin, in their order."""
        edges: list[TagEdge] = []
        at: TaggedColumn | None = self
        while at is not None and at.edge is not None:
            edges.append(at.edge)
            at = at.before
        return tuple(reversed(edges))


class TagFlows(NamedTuple):
    """The columns that inherit a tag, and the flows that would pass one on but mask the value, by column and tag."""

    inherited: tuple[TaggedColumn, ...]
    masked: tuple[TaggedColumn, ...]


EdgesFrom = Callable[[Sequence[int]], Iterable[TagEdge]]
"""Returns the column flows that leave nodes, in the graph's order."""


def carries_tag(edge: TagEdge) -> bool:
    """Return whether *edge* passes the tags of its source on."""
    return edge.flow_type == _DIRECT and edge.subtype != MASKED


def inherited_tags(declared: Mapping[int, Iterable[str]], edges_from: EdgesFrom) -> TagFlows:
    """Return the columns that inherit the tags of *declared* columns, by the keys of their nodes.

    Of several paths to a column one that only copies is taken, then the shortest, then the first in the graph's order;
    each column is reached once for a tag, so that cycles end. Its work grows with the flows that are reached.
    """
    spread = _Spread(edges_from)
    starts = [TaggedColumn(node, tag, node) for node in sorted(declared) for tag in sorted(declared[node])]
    spread.add(starts)
    spread.copy(starts)
    spread.compute()
    reached = [column for column in spread.known.values() if column.flow]
    masked = [column for key, column in spread.masked.items() if key not in spread.known]
    return TagFlows(*(tuple(sorted(columns, key=_order)) for columns in (reached, masked)))


def _order(column: TaggedColumn) -> tuple[int, str]:
    return column.node, column.tag


def _key(edge: TagEdge | None) -> int:
    return edge.id if edge else 0


class _Spread:
    """The columns that are reached so far, by node and tag, and those where a masked flow ends."""

    def __init__(self, edges_from: EdgesFrom) -> None:
        self._edges_from = edges_from
        self._edges: dict[int, list[TagEdge]] = {}
        self.known: dict[tuple[int, str], TaggedColumn] = {}
        self.masked: dict[tuple[int, str], TaggedColumn] = {}

    def add(self, columns: Iterable[TaggedColumn]) -> None:
        self.known.update(((column.node, column.tag), column) for column in columns)

    def copy(self, starts: Sequence[TaggedColumn]) -> None:
        """Follow the flows that copy, level by level."""
        level = starts
        while level:
            level = self._next(level, TagFlow.COPIED)

    def compute(self) -> None:
        """Follow all other flows, from the nearest columns to the farthest."""
        by_steps: dict[int, list[TaggedColumn]] = {}
        for column in self.known.values():
            if any(edge.subtype != _IDENTITY for edge in self._edges[column.node]):
                by_steps.setdefault(column.steps, []).append(column)
        steps = 0
        while by_steps:
            reached = self._next(by_steps.pop(steps, []), TagFlow.COMPUTED)
            if reached:
                by_steps.setdefault(steps + 1, []).extend(reached)
            steps += 1

    def _next(self, level: Sequence[TaggedColumn], flow: TagFlow) -> list[TaggedColumn]:
        """Return the columns that are first reached from *level*, each on the first of its edges."""
        self._read({column.node for column in level})
        copied, known = flow is TagFlow.COPIED, self.known
        found: dict[tuple[int, str], TaggedColumn] = {}
        for column in level:
            node, tag, origin, *_, steps = column
            for edge in self._edges[node]:
                subtype, key = edge.subtype, (edge.target_node_id, tag)
                if (copied and subtype != _IDENTITY) or key in known:
                    continue
                if subtype == MASKED:
                    ended = TaggedColumn(key[0], tag, origin, TagFlow.MASKED, column, edge, steps + 1)
                    self.masked.setdefault(key, ended)
                elif key not in found or _key(edge) < _key(found[key].edge):
                    found[key] = TaggedColumn(key[0], tag, origin, flow, column, edge, steps + 1)
        self.add(found.values())
        return list(found.values())

    def _read(self, nodes: set[int]) -> None:
        unread = sorted(nodes - self._edges.keys())
        self._edges.update((node, []) for node in unread)
        for edge in self._edges_from(unread) if unread else ():
            if edge.flow_type == _DIRECT and edge.target_node_id != edge.source_node_id:
                self._edges[edge.source_node_id].append(edge)
