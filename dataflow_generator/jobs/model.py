"""What is told of one job: datasets read and written, flows between columns, and why each is believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.graph import Certainty, Node, NodeKind
from scanner_model.column_path import ColumnPath, path_name


@dataclass(frozen=True, slots=True, order=True)
class Dataset:
    """A topic, or a dataset outside Kafka (*kind* DATASET), named as OpenLineage does."""

    kind: NodeKind
    namespace: str
    name: str

    @property
    def key(self) -> str:
        """Return the key of its node."""
        return f"{self.kind}:{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Place:
    """A column of a dataset, or the whole dataset where *path* is None."""

    dataset: Dataset
    path: ColumnPath | None = None

    @property
    def key(self) -> str:
        """Return the key of its node; a name's own `#` must not look like the one before the path."""
        if self.path is None:
            return self.dataset.key
        name = self.dataset.name.replace("#", "%23")
        return f"{NodeKind.COLUMN}:{self.dataset.namespace}/{name}#{path_name(self.path)}"


@dataclass(frozen=True, slots=True)
class Use:
    """A dataset that a job reads or writes.

    *way* tells apart what goes where in a job of several ways: what is read on one is written on that one only. Empty:
    the job has one way, or this is on all of them. *certainty* None is that of the job.
    """

    dataset: Dataset
    evidence: str
    way: str = ""
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class ColumnFlow:
    """One place bears on another; *type* and *subtype* are OpenLineage's, the subtype empty where nobody tells.

    *certainty* None is that of the job.
    """

    source: Place
    target: Place
    type: str
    subtype: str
    evidence: str
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFlows:
    """A job and its flows; *certainty* is that of all that do not tell their own.

    A consumer group is told alike: it reads, or is a *member_of* the jobs (by their nodes' keys) that read through it.
    """

    job: Node
    certainty: Certainty
    reads: tuple[Use, ...] = ()
    writes: tuple[Use, ...] = ()
    columns: tuple[ColumnFlow, ...] = ()
    member_of: tuple[str, ...] = ()


def job_node(namespace: str, name: str, attributes: tuple[tuple[str, str | int | bool | tuple[str, ...]], ...]) -> Node:
    """Build the node of a job."""
    return Node(f"{NodeKind.JOB}:{namespace}/{name}", NodeKind.JOB, namespace, name, None, attributes)


class Pair(NamedTuple):
    """Data go from *source* to *target*; None is an end that nobody tells."""

    source: Dataset | None
    target: Dataset | None
    evidence: str


def uses(pairs: Iterable[Pair]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
    """Return what a job reads and what it writes, each once on each of its ways, with the first evidence that names it.

    Together the ways are *pairs*, no more and no less; a job of one way leaves it unnamed.
    """
    listed = sorted(set(pairs), key=_order)
    ways = _ways(listed)
    reads: dict[tuple[Dataset, str], str] = {}
    writes: dict[tuple[Dataset, str], str] = {}
    for pair in listed:
        way = ways[pair.source] if len(set(ways.values())) > 1 else ""
        if pair.source:
            reads.setdefault((pair.source, way), pair.evidence)
        if pair.target:
            writes.setdefault((pair.target, way), pair.evidence)
    told = (tuple(Use(dataset, why, way) for (dataset, way), why in found.items()) for found in (reads, writes))
    return next(told), next(told)


def _ways(pairs: list[Pair]) -> Mapping[Dataset | None, str]:
    """Name the way of each source: as the first source of those that have the same targets."""
    targets: dict[Dataset | None, list[Dataset | None]] = {}
    for pair in pairs:
        targets.setdefault(pair.source, []).append(pair.target)
    first: dict[tuple[Dataset | None, ...], Dataset | None] = {}
    for source, found in targets.items():
        first.setdefault(tuple(dict.fromkeys(found)), source)
    named = [each.name for each in first.values() if each]
    return {source: _name(first[tuple(dict.fromkeys(found))], named) for source, found in targets.items()}


def _name(source: Dataset | None, named: list[str]) -> str:
    if source is None:
        return "?"
    return source.name if named.count(source.name) == 1 else source.key


def _order(pair: Pair) -> tuple[str, str, str]:
    return pair.source.key if pair.source else "", pair.target.key if pair.target else "", pair.evidence
