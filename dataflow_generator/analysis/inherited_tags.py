"""Tags that columns inherit along column flows: a copy has the tags of its source, a computed value has them weaker.

Only DIRECT flows carry a tag: what filters, joins or groups rows shows nothing of its values. A masked flow ends it. No
I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from operator import itemgetter
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
    spread.copy(starts)
    spread.compute()
    reached = [column for column in spread.known.values() if column.flow]
    masked = [column for key, column in spread.masked.items() if key not in spread.known]
    return TagFlows(*(tuple(sorted(columns, key=itemgetter(0, 1))) for columns in (reached, masked)))


Step = tuple[TaggedColumn, TagEdge]
"""A column with a tag, and a flow that leaves it."""


class _Spread:
    """The columns that are reached so far, by node and tag, and those where a masked flow ends.

    Each column's flows are read once for each of its tags: those that copy are followed at once, the others wait, by
    the steps of the column that they leave.
    """

    def __init__(self, edges_from: EdgesFrom) -> None:
        self._edges_from = edges_from
        self._waiting: dict[int, list[Step]] = {}
        self.known: dict[tuple[int, str], TaggedColumn] = {}
        self.masked: dict[tuple[int, str], TaggedColumn] = {}

    def copy(self, starts: Sequence[TaggedColumn]) -> None:
        """Follow the flows that copy, level by level."""
        level = starts
        self.known.update(((column.node, column.tag), column) for column in starts)
        while level:
            copying: list[Step] = []
            waiting = self._waiting.setdefault(level[0].steps, [])
            for step in self._steps_from(level):
                (copying if step[1].subtype == _IDENTITY else waiting).append(step)
            level = self._reached(copying, TagFlow.COPIED)

    def compute(self) -> None:
        """Follow all other flows, from the nearest columns to the farthest."""
        steps = 0
        while self._waiting:
            reached = self._reached(self._waiting.pop(steps, []), TagFlow.COMPUTED)
            if reached:
                self._waiting.setdefault(steps + 1, []).extend(self._steps_from(reached))
            steps += 1

    def _reached(self, steps: Iterable[Step], flow: TagFlow) -> list[TaggedColumn]:
        """Return the columns that *steps* are the first to reach, each by the first of them in the graph's order."""
        found: dict[tuple[int, str], TaggedColumn] = {}
        for column, edge in steps:
            key = edge.target_node_id, column.tag
            if key in self.known:
                continue
            ends = self.masked if edge.subtype == MASKED else found
            known = ends.get(key)
            if known is None or (ends is found and edge.id < _key(known.edge)):
                how = TagFlow.MASKED if ends is self.masked else flow
                ends[key] = TaggedColumn(key[0], column.tag, column.origin, how, column, edge, column.steps + 1)
        self.known.update(found)
        return list(found.values())

    def _steps_from(self, columns: Iterable[TaggedColumn]) -> Iterator[Step]:
        """Yield the flows that leave *columns*, in the graph's order."""
        by_node: dict[int, list[TaggedColumn]] = {}
        for column in columns:
            by_node.setdefault(column.node, []).append(column)
        for edge in self._edges_from(sorted(by_node)):
            if edge.flow_type == _DIRECT and edge.target_node_id != edge.source_node_id:
                for column in by_node[edge.source_node_id]:
                    yield column, edge


def _key(edge: TagEdge | None) -> int:
    return edge.id if edge else 0
