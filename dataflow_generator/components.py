"""What of a graph hangs together: the parts between which nothing flows. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.lineage import DATASETS, Kinds
from dataflow_generator.openlineage.groups import Groups

TOGETHER: Kinds = DATASETS | {EdgeKind.MEMBER_OF}
"""The edges that hold topics, datasets, jobs and consumer groups together."""

_NAMING = (NodeKind.TOPIC, NodeKind.DATASET, NodeKind.JOB, NodeKind.CONSUMER_GROUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A part that hangs together, called by its least topic, or else dataset, job or group; *sizes* by kind of node."""

    name: str
    sizes: Mapping[str, int]

    @property
    def nodes(self) -> int:
        """Count its nodes."""
        return sum(self.sizes.values())


class Share(NamedTuple):
    """What a component, known by one of its nodes' ids, has of nodes of a kind: how many, and the least id."""

    component: str
    kind: str
    nodes: int
    least: str


def components(links: Iterable[tuple[str, str]]) -> tuple[Component, ...]:
    """List what *links*, pairs of nodes' ids, hold together, the largest first."""
    groups: Groups[str] = Groups()
    for link in links:
        groups.join(link)
    return put_together(share for group in groups.all() for share in _shares(group))


def put_together(shares: Iterable[Share]) -> tuple[Component, ...]:
    """List the components that have these shares, the largest first."""
    found: dict[str, dict[str, Share]] = {}
    for share in shares:
        found.setdefault(share.component, {})[share.kind] = share
    named = (_named(kinds) for kinds in found.values())
    return tuple(sorted(named, key=lambda each: (-each.nodes, each.name)))


def kind_of(node: str) -> str:
    """Give the kind that a node's id begins with."""
    return node.partition(":")[0]


def _named(kinds: Mapping[str, Share]) -> Component:
    first = next((kind for kind in _NAMING if kind in kinds), min(kinds))
    return Component(name=kinds[first].least, sizes={kind: kinds[kind].nodes for kind in sorted(kinds)})


def _shares(nodes: Sequence[str]) -> Iterator[Share]:
    """Yield what a component has of each kind of node."""
    by_kind: dict[str, list[str]] = {}
    for node in nodes:
        by_kind.setdefault(kind_of(node), []).append(node)
    for kind, listed in by_kind.items():
        yield Share(nodes[0], kind, len(listed), min(listed))
