"""Column flows through connectors, computed from the known columns of their source and target datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from dataflow_generator.analysis.connectivity import UnionFind
from dataflow_generator.connectors import Config, ConnectorFlow, ConnectorFlows, Direction
from dataflow_generator.connectors.column_mapping import ColumnMapping, MappedColumn, Paths, columns_behind_sink
from dataflow_generator.connectors.column_mapping import map_columns as map_flow_columns
from dataflow_generator.connectors.java_regex import pattern_problems
from dataflow_generator.graph import MASKED, Certainty, NodeKind
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.columns import ColumnPath
from scanner_model.errors import Problem

NamedFlow = tuple[ConnectorFlow, GraphDataset | None, GraphDataset | None]
"""A flow with its source and target as datasets of the graph; None for an unknown end."""

ConnectorSpec = tuple[Config, ConnectorFlows, Sequence[NamedFlow]]
"""A connector's configuration, what was read of it, and its flows with named datasets."""

OpenFlow = tuple[Config, ConnectorFlows, ConnectorFlow, GraphDataset, GraphDataset]
"""A flow between two known datasets, with its connector."""

ColumnsByDataset = Mapping[GraphDataset, Paths]

_LISTED = 3
_HINT = "only the flow between the datasets is reported, without columns"


DatabaseTables = Mapping[GraphDataset, TableRow]
"""The tables that databases describe themselves."""


class KnownColumns(NamedTuple):
    """The columns of datasets: *known* from schemas; *derived* from connectors, computed only where no end is known.

    *tables* are those whose columns their database describes.
    """

    known: ColumnsByDataset
    derived: Callable[[], ColumnsByDataset] = dict
    tables: DatabaseTables = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MappedColumns:
    """The column flows of one connector; *complete*: all of them are known."""

    columns: tuple[ColumnFlow, ...]
    complete: bool
    problems: tuple[Problem, ...] = ()


def map_columns(
    name: str, config: Config, flows: ConnectorFlows, pairs: Sequence[NamedFlow], available: KnownColumns
) -> MappedColumns:
    """Map columns along every flow of the connector *name*; a flow with an unknown end has no column flows."""
    columns: list[ColumnFlow] = []
    undescribed: list[GraphDataset] = []
    untraceable: list[GraphDataset] = []
    complete = True
    with pattern_problems() as unevaluated:
        for flow, source, target in pairs:
            if source is None or target is None:
                complete = False
                continue
            ends = _ends(flows, source, target, available)
            if target in available.tables and flows.direction is Direction.SINK:
                followed = _into_table(config, flows, flow, ends)
            else:
                partial = _is_captured(source, target, available)
                followed = map_flow_columns(config, flows, flow, ends, partial=partial)
            because = _because_of_table(source, target, ends[0], available)
            columns.extend(_flow(name, flow, (source, target), mapping, because) for mapping in followed.columns)
            if not followed.complete:
                complete = False
                unmapped = untraceable if _lead_on(flows, ends) else undescribed
                unmapped.append(target if target.kind is NodeKind.TOPIC else source)
    reported = {problem.what for problem in flows.problems}
    more = (problem for problem in unevaluated.values() if problem.what not in reported)
    return MappedColumns(tuple(columns), complete, (*_problems(undescribed, untraceable), *more))


def _into_table(config: Config, flows: ConnectorFlows, flow: ConnectorFlow, ends: tuple[Paths, Paths]) -> ColumnMapping:
    """Map the columns of a sink's flow into a table that its database describes.

    Of a topic that nothing describes, the columns are those that the sink fills in its table: they are matched only.
    Columns that a sink writes and its table does not have are mapped, too, unless the sink adds them to the table.
    """
    if not ends[0]:
        followed = map_flow_columns(config, flows, flow, (columns_behind_sink(config, flows, flow, ends[1]), ends[1]))
        return replace(followed, columns=tuple(replace(column, alike=True) for column in followed.columns))
    followed = map_flow_columns(config, flows, flow, ends)
    if config.is_on("auto.evolve") or config.text("schema.evolution") == "basic":
        return followed
    has = {path[0].casefold() for path in ends[1] if path}
    written = map_flow_columns(config, flows, flow, (ends[0], ())).columns
    lacking = (column for column in written if column.target and column.target[0].casefold() not in has)
    return replace(followed, columns=(*followed.columns, *lacking))


def _because_of_table(source: GraphDataset, target: GraphDataset, paths: Paths, available: KnownColumns) -> str:
    """Return the evidence of the columns of a topic that only a table at its other end describes; else nothing.

    *paths* are the columns of the source.
    """
    is_behind_sink = source.kind is NodeKind.TOPIC and target in available.tables and not paths
    described = source if _is_captured(source, target, available) else target if is_behind_sink else None
    table = available.tables[described] if described else None
    return f"columns of {table.name} from {table.source}" if table else ""


def derive(
    connectors: Iterable[ConnectorSpec], known: ColumnsByDataset, declared: ColumnsByDataset
) -> ColumnsByDataset:
    """Return the columns of undescribed datasets, derived through connectors from those of described datasets.

    Derivation continues from connector to connector. A dataset gets the columns that its nearest flows give it;
    columns that other jobs declare (*declared*) take precedence.
    """
    open_flows = [
        (config, flows, flow, source, target)
        for config, flows, pairs in connectors
        for flow, source, target in pairs
        if source is not None and target is not None
    ]
    needed_datasets = _needed_datasets(open_flows, known)
    needed = [open_flow for open_flow in open_flows if not needed_datasets.isdisjoint(open_flow[3:])]
    derived: dict[GraphDataset, Paths] = {**declared, **_completed_topics(open_flows, known, declared)}
    while True:
        columns_by_dataset: dict[GraphDataset, dict[ColumnPath, None]] = {}
        for config, flows, flow, source, target in needed:
            ends = tuple(known.get(end) or derived.get(end, ()) for end in (source, target))
            unknown = [end for end, columns in zip((source, target), ends, strict=True) if not columns]
            if len(unknown) == 1 or (unknown and flows.row):
                followed = map_flow_columns(config, flows, flow, (ends[0], ends[1]))
                for end in unknown:
                    paths = (mapping.source if end == source else mapping.target for mapping in followed.columns)
                    columns_by_dataset.setdefault(end, {}).update(dict.fromkeys(paths))
        new = {end: tuple(paths) for end, paths in columns_by_dataset.items() if paths}
        if not new:
            return derived
        derived |= new


def _completed_topics(
    open_flows: Iterable[OpenFlow], known: ColumnsByDataset, declared: ColumnsByDataset
) -> ColumnsByDataset:
    """Return the columns of topics that DDL declares, with the further ones of the tables that they are read from."""
    completed: dict[GraphDataset, Paths] = {}
    for config, flows, flow, source, target in open_flows:
        if flows.direction is Direction.SOURCE and known.get(source) and declared.get(target) and not known.get(target):
            ends = known[source], completed.get(target, declared[target])
            followed = map_flow_columns(config, flows, flow, ends, partial=True)
            completed[target] = tuple(dict.fromkeys((*ends[1], *(column.target for column in followed.columns))))
    return completed


def _needed_datasets(open_flows: Iterable[OpenFlow], known: ColumnsByDataset) -> frozenset[GraphDataset]:
    """Return the undescribed datasets whose columns a flow needs, and those that their columns may come from."""
    groups: UnionFind[GraphDataset] = UnionFind()
    starts: set[GraphDataset] = set()
    for _, flows, _, source, target in open_flows:
        undescribed = [end for end in (source, target) if not known.get(end)]
        groups.join(undescribed)
        if not _lead_on(flows, (known.get(source, ()), known.get(target, ()))):
            starts.update(undescribed)
    return frozenset(end for group in groups.all() if not starts.isdisjoint(group) for end in group)


def _ends(
    flows: ConnectorFlows, source: GraphDataset, target: GraphDataset, available: KnownColumns
) -> tuple[Paths, Paths]:
    """Return the columns of both ends; derived ones only where no end from which columns can be mapped is described.

    The columns of a table do not determine those of the topic behind its sink: other connectors do.
    """
    ends = available.known.get(source, ()), available.known.get(target, ())
    if _is_captured(source, target, available):
        return ends[0], available.derived().get(target, ())
    if _lead_on(flows, ends) or (flows.row and flows.row.rest is None):
        return ends
    derived = available.derived()
    if source in derived and source.kind is NodeKind.TOPIC:
        # Columns that other connectors write to the target do not limit those of this one.
        return derived[source], ends[1]
    return ends[0] or derived.get(source, ()), ends[1] or derived.get(target, ())


def _is_captured(source: GraphDataset, target: GraphDataset, available: KnownColumns) -> bool:
    """Return whether a database describes the source of a topic that no schema describes.

    Such a topic has all columns of its table, at the positions that other jobs know: inside `payload`, for example.
    """
    return source in available.tables and target.kind is NodeKind.TOPIC and not available.known.get(target)


def _lead_on(flows: ConnectorFlows, ends: tuple[Paths, Paths]) -> bool:
    return bool(ends[0]) if flows.direction is Direction.SINK else any(ends)


def _flow(
    name: str, flow: ConnectorFlow, ends: tuple[GraphDataset, GraphDataset], mapping: MappedColumn, because: str = ""
) -> ColumnFlow:
    keys = (f"connector {name}: {flow.because}", mapping.because, "masked" if mapping.masked else "")
    return ColumnFlow(
        ColumnRef(ends[0], mapping.source),
        ColumnRef(ends[1], mapping.target),
        "DIRECT",
        MASKED if mapping.masked else "TRANSFORMATION" if mapping.changed else "IDENTITY",
        "; ".join(filter(None, (", ".join(filter(None, keys)), because))),
        Certainty.MATCHED if mapping.alike else None,
    )


def _problems(undescribed: list[GraphDataset], untraceable: list[GraphDataset]) -> Iterator[Problem]:
    if undescribed:
        what = f"the columns of {_listed(undescribed)} are unknown: no schema or connector describes them"
        yield Problem("columns", what, _HINT)
    if untraceable:
        what = f"the columns of {_listed(untraceable)} cannot be traced through the transforms"
        yield Problem("transforms", what, _HINT)


def _listed(datasets: list[GraphDataset]) -> str:
    names = list(dict.fromkeys(dataset.name for dataset in datasets))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(repr, names[:_LISTED])) + more
