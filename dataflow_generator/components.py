"""What of a graph hangs together: the parts between which nothing flows. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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


def components(links: Iterable[tuple[str, str]]) -> tuple[Component, ...]:
    """List what *links*, pairs of nodes' ids, hold together, the largest first."""
    groups: Groups[str] = Groups()
    for link in links:
        groups.join(link)
    return tuple(sorted(map(_component, groups.all()), key=lambda each: (-each.nodes, each.name)))


def kind_of(node: str) -> str:
    """Give the kind that a node's id begins with."""
    return node.partition(":")[0]


def _component(nodes: Sequence[str]) -> Component:
    by_kind: dict[str, list[str]] = {}
    for node in nodes:
        by_kind.setdefault(kind_of(node), []).append(node)
    naming = next((kind for kind in _NAMING if kind in by_kind), min(by_kind))
    return Component(name=min(by_kind[naming]), sizes={kind: len(by_kind[kind]) for kind in sorted(by_kind)})
