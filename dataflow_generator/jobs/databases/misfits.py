"""Columns that jobs write into tables of databases which do not have them, or whose types cannot hold their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dataflow_generator.build.coverage import Misfit
from dataflow_generator.build.graph_builder import Described
from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.databases import views
from dataflow_generator.jobs.databases.names import scheme_of
from dataflow_generator.jobs.databases.types import ValueType, cannot_hold, database_type, message_type
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, Dataset, JobFlows
from dataflow_generator.jobs.openlineage import KIND
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.columns import Column, ColumnPath, path_name

_NOT_CHECKED = frozenset({views.TYPE, KIND})
"""Types of jobs whose columns fit by themselves, or whose events may be older than the table."""

_COPIED = ("IDENTITY", "")
_UNTYPED = frozenset({"file"})
"""Schemes of databases whose columns hold values of any type: SQLite."""


def column_misfits(
    jobs: Iterable[JobFlows], tables: Mapping[Dataset, TableRow], described: Described
) -> tuple[Misfit, ...]:
    """Return what *jobs* write into *tables* that does not fit, each once, in order of the nodes.

    The type of a topic's field is that of its schema (*described*), else of the database column that it is copied from.
    """
    if not tables:
        return ()
    writing = [job for job in jobs if dict(job.job.attributes).get("type") not in _NOT_CHECKED]
    checks = _Checks(tables, described)
    checks.add_copies(writing)
    return tuple(sorted({misfit for job in writing for misfit in checks.misfits(job)}))


@dataclass(slots=True)
class _Checks:
    tables: Mapping[Dataset, TableRow]
    described: Described
    copies: dict[ColumnRef, Column] = field(default_factory=dict)
    columns: dict[Dataset, Mapping[ColumnPath, Column]] = field(default_factory=dict)

    def add_copies(self, jobs: Iterable[JobFlows]) -> None:
        """Note which columns of tables are copied into fields of topics."""
        for job in jobs:
            for flow in job.columns:
                source, target = flow.source, flow.target
                column = self._column(source) if target.dataset.kind is NodeKind.TOPIC and _is_copy(flow) else None
                if column:
                    self.copies.setdefault(target, column)

    def misfits(self, job: JobFlows) -> Iterator[Misfit]:
        """Yield what a job writes into tables that does not fit."""
        for flow in job.columns:
            table = self.tables.get(flow.target.dataset)
            if table is None or not flow.target.path or flow.type != "DIRECT":
                continue
            column = self._column(flow.target)
            is_whole = len(flow.target.path) == 1
            shown = f"{path_name(flow.target.path)!r} of {table.name}"
            nodes = (job.job.key, flow.source.key, flow.target.key)
            if column is None:
                yield Misfit(nodes[::2], f"{job.job.name} writes {shown}, which the table does not have")
            elif is_whole and (why := self._why(flow, column)):
                where = f"{path_name(flow.source.path or ())!r} of {flow.source.dataset.name}"
                yield Misfit(nodes, f"{job.job.name} writes {where} into {shown}, which cannot hold it: {why}")

    def _why(self, flow: ColumnFlow, column: Column) -> str:
        value, held = self._value(flow.source), database_type(column)
        untyped = scheme_of(flow.target.dataset.namespace) in _UNTYPED
        if value is None or held is None or untyped or not _is_copy(flow):
            return ""
        return cannot_hold(value, held)

    def _value(self, source: ColumnRef) -> ValueType | None:
        fields = self.described.get((source.dataset.namespace, source.dataset.name), ())
        described = next((column for column in fields if column.path == source.path), None)
        if described is not None:
            return message_type(described)
        column = self.copies.get(source) or self._column(source)
        return database_type(column) if column else None

    def _column(self, ref: ColumnRef) -> Column | None:
        table = self.tables.get(ref.dataset)
        if table is None or not ref.path:
            return None
        if ref.dataset not in self.columns:
            # Engines write names in a case of their own; whether the database minds is not known here.
            alike = {(column.path[0].casefold(),): column for column in table.columns}
            self.columns[ref.dataset] = alike | {column.path: column for column in table.columns}
        known, top = self.columns[ref.dataset], ref.path[:1]
        return known.get(ref.path) or known.get(top) or known.get((top[0].casefold(),))


def _is_copy(flow: ColumnFlow) -> bool:
    return flow.type == "DIRECT" and flow.subtype in _COPIED
