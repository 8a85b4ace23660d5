"""What goes where in a job of several flows: datasets with the same targets are one way through it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dataflow_generator.flows.facts import Dataset, Use


class Pair(NamedTuple):
    """Data go from *source* to *target*; None is an end that nobody tells."""

    source: Dataset | None
    target: Dataset | None
    evidence: str


def uses(pairs: Iterable[Pair]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
    """Give what a job reads and what it writes, each once on each of its ways, with the first evidence that names it.

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
