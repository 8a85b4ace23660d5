"""Columns through connectors: from what is known of the datasets at both ends to flows between their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dataflow_generator.connectors import Config, ConnectorFlows, Direction, Flow
from dataflow_generator.connectors.column_mapping import MappedColumn, Paths, map_columns
from dataflow_generator.connectors.java_regex import pattern_problems
from dataflow_generator.graph import Certainty, NodeKind
from dataflow_generator.jobs.model import ColumnFlow, Dataset, Place
from scanner_model.column_path import ColumnPath
from scanner_model.problems import Problem

NamedFlow = tuple[Flow, Dataset | None, Dataset | None]
"""A flow, and its source and target as the graph names them."""

Telling = tuple[Config, ConnectorFlows, Sequence[NamedFlow]]
"""What a connector was told, what was read of that, and the flows that it has."""

Known = Mapping[Dataset, Paths]

_LISTED = 3
_HINT = "the flow between the datasets is told, its columns are not"


class Seen(NamedTuple):
    """The columns that datasets have: *known* by schemas; *derived*, asked for where no end is known, by connectors."""

    known: Known
    derived: Callable[[], Known] = dict


@dataclass(frozen=True, slots=True)
class Moved:
    """The flows between columns of one connector; *whole*: all of them are told."""

    columns: tuple[ColumnFlow, ...]
    whole: bool
    problems: tuple[Problem, ...] = ()


def moved(name: str, config: Config, flows: ConnectorFlows, pairs: Sequence[NamedFlow], seen: Seen) -> Moved:
    """Follow columns along every flow of the connector *name*; of those without an end that is told there are none."""
    columns: list[ColumnFlow] = []
    dark: list[Dataset] = []
    lost: list[Dataset] = []
    whole = True
    with pattern_problems() as unevaluated:
        for flow, source, target in pairs:
            if source is None or target is None:
                whole = False
                continue
            ends = _ends(flows, source, target, seen)
            found = map_columns(config, flows, flow, ends)
            columns.extend(_flow(name, flow, (source, target), one) for one in found.columns)
            if not found.whole:
                whole = False
                (lost if _lead_on(flows, ends) else dark).append(target if target.kind is NodeKind.TOPIC else source)
    reported = {each.what for each in flows.problems}
    more = (each for each in unevaluated.values() if each.what not in reported)
    return Moved(tuple(columns), whole, (*_problems(dark, lost), *more))


def derive(tellings: Iterable[Telling], known: Known, told: Known) -> Known:
    """Return the columns of datasets that nobody describes, as connectors make them of those that somebody does.

    They go on from connector to connector. A dataset has the columns that its nearest flows give it; where those of
    other jobs say what they read and write (*told*), these.
    """
    open_flows = [
        (config, flows, flow, source, target)
        for config, flows, pairs in tellings
        for flow, source, target in pairs
        if source is not None and target is not None
    ]
    derived: dict[Dataset, Paths] = dict(told)
    while True:
        found: dict[Dataset, dict[ColumnPath, None]] = {}
        for config, flows, flow, source, target in open_flows:
            ends = tuple(known.get(end) or derived.get(end, ()) for end in (source, target))
            unknown = [end for end, columns in zip((source, target), ends, strict=True) if not columns]
            if len(unknown) == 1 or (unknown and flows.row):
                followed = map_columns(config, flows, flow, (ends[0], ends[1]))
                for end in unknown:
                    paths = (one.source if end == source else one.target for one in followed.columns)
                    found.setdefault(end, {}).update(dict.fromkeys(paths))
        new = {end: tuple(paths) for end, paths in found.items() if paths}
        if not new:
            return derived
        derived |= new


def _ends(flows: ConnectorFlows, source: Dataset, target: Dataset, seen: Seen) -> tuple[Paths, Paths]:
    """Return the columns of both ends; what connectors derive only where none that leads further is described.

    From a table alone nothing tells what its sink's topic has: that the others tell.
    """
    ends = seen.known.get(source, ()), seen.known.get(target, ())
    if _lead_on(flows, ends) or (flows.row and flows.row.rest is None):
        return ends
    derived = seen.derived()
    if source in derived and source.kind is NodeKind.TOPIC:
        # What others write to its target does not limit what this one writes there.
        return derived[source], ends[1]
    return ends[0] or derived.get(source, ()), ends[1] or derived.get(target, ())


def _lead_on(flows: ConnectorFlows, ends: tuple[Paths, Paths]) -> bool:
    return bool(ends[0]) if flows.direction is Direction.SINK else any(ends)


def _flow(name: str, flow: Flow, ends: tuple[Dataset, Dataset], one: MappedColumn) -> ColumnFlow:
    return ColumnFlow(
        Place(ends[0], one.source),
        Place(ends[1], one.target),
        "DIRECT",
        "TRANSFORMATION" if one.changed else "IDENTITY",
        ", ".join(filter(None, (f"connector {name}: {flow.because}", one.because))),
        Certainty.MATCHED if one.alike else None,
    )


def _problems(dark: list[Dataset], lost: list[Dataset]) -> Iterator[Problem]:
    if dark:
        yield Problem("columns", f"no schema tells the columns of {_listed(dark)}, nor does any connector", _HINT)
    if lost:
        yield Problem("transforms", f"what becomes of the columns of {_listed(lost)} cannot be told", _HINT)


def _listed(datasets: list[Dataset]) -> str:
    names = list(dict.fromkeys(each.name for each in datasets))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(repr, names[:_LISTED])) + more
