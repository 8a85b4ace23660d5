"""Views as jobs: the tables that a view reads, and the columns that each of its own is derived from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from dataflow_generator.connectors.column_mapping import Paths
from dataflow_generator.connectors.dataset_names import DEFAULT_SCHEMAS
from dataflow_generator.graph import Certainty, present
from dataflow_generator.jobs.databases.names import VIEW, scheme_of
from dataflow_generator.jobs.model import (
    ColumnFlow,
    ColumnRef,
    GraphDataset,
    JobFlows,
    Naming,
    Use,
    job_node,
    partly_read_job,
    unread_job,
)
from dataflow_generator.sql.relational.queries import (
    QueryColumn,
    QueryEffect,
    QueryReading,
    Table,
    read_query,
)
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.catalogs import DIALECT
from scanner_model.columns import ColumnPath, field_name, field_segment
from scanner_model.errors import Problem

_SCHEMES = {"file": "sqlite"}
_OWN_CATALOGS = {"doris": "internal", "starrocks": "default_catalog"}
"""What names of an engine's own tables may begin with, where it has catalogs of other systems, too."""
_HINT = "where the view's columns come from is not known; what it reads is, where it is listed"


class ViewReading(NamedTuple):
    """The job of a view, marked where nothing of it could be parsed, or a part; *whole*: every column is resolved.

    *problems* list the rest. *is_unclear*: it uses something unresolvable other than the columns of a table
    that is selected by `*`.
    """

    flows: JobFlows
    whole: bool
    problems: tuple[Problem, ...]
    is_unclear: bool


def view_jobs(
    rows: Iterable[TableRow],
    tables: Mapping[GraphDataset, Paths],
    naming: Naming,
    definitions: Mapping[GraphDataset, TableRow] = MappingProxyType({}),
    outside: Iterable[GraphDataset] = (),
) -> Iterator[ViewReading]:
    """Yield the job of each view of *rows*; *tables* are the columns of known tables and views.

    The columns of a view that is not among them are those that its text in *definitions* gives it. *outside* are the
    tables that a chart may mean, whose query names no server: those with that name.
    """
    known = _Columns(tables, definitions, naming, outside)
    for row in rows:
        yield _View(row, known).read()


class _Columns:
    """The columns of tables, and of views that only their texts describe."""

    def __init__(
        self,
        tables: Mapping[GraphDataset, Paths],
        definitions: Mapping[GraphDataset, TableRow],
        naming: Naming,
        outside: Iterable[GraphDataset] = (),
    ) -> None:
        self.naming = naming
        self._by_end: dict[str, list[tuple[tuple[str, ...], GraphDataset]]] = {}
        for dataset in outside:
            parts = tuple(dataset.name.casefold().split("."))
            self._by_end.setdefault(parts[-1], []).append((parts, dataset))
        self._tables = tables
        self._definitions = definitions
        self._derived: dict[GraphDataset, Paths] = {}

    def named(self, table: Table) -> list[GraphDataset]:
        """Return the tables outside whose names end with that of *table*; else those that it ends with."""
        wanted = tuple(part.casefold() for part in table)
        listed = self._by_end.get(wanted[-1], ())
        alike = [of for parts, of in listed if parts[-len(wanted) :] == wanted]
        return alike or [of for parts, of in listed if parts == wanted[-len(parts) :]]

    def __contains__(self, dataset: GraphDataset) -> bool:
        return dataset in self._tables or dataset in self._definitions

    def listed(self, dataset: GraphDataset) -> Paths:
        """Return the columns that the database lists; none where it does not."""
        return self._tables.get(dataset) or ()

    def of(self, dataset: GraphDataset) -> Paths:
        """Return the columns of a table or view; none where they are not known."""
        listed = self._tables.get(dataset)
        if listed is not None or dataset not in self._definitions:
            return listed or ()
        if dataset not in self._derived:
            self._derived[dataset] = ()  # a view that reads itself
            query = _View(self._definitions[dataset], self).query()
            if not query.problem and query.rest is None:
                self._derived[dataset] = tuple((field_segment(column.name),) for column in query.columns)
        return self._derived[dataset]


@dataclass(frozen=True, slots=True)
class _View:
    row: TableRow
    known: _Columns

    def query(self) -> QueryReading:
        if not self.row.definition:
            return QueryReading(problem="the database does not show its text to the user of the scan")
        scheme = scheme_of(self.row.namespace)
        dialect = dict(self.row.parameters).get(DIALECT) or _SCHEMES.get(scheme, scheme)
        is_chart = self.row.names_no_server
        return read_query(self.row.definition, dialect, self._names, self._own_names(), is_chart=is_chart)

    def read(self) -> ViewReading:
        query = self.query()
        view = self.known.naming.dataset(*self.row.dataset)
        evidence = f"{self.row.kind.lower() or VIEW} {self.row.name} of {self.row.source}"
        sources = {dataset for table in query.tables for dataset in self._datasets(table)} - {view}
        flows = JobFlows(
            job=job_node(*self.row.dataset, present(type=VIEW, kind=self.row.kind)),
            certainty=Certainty.DERIVED,
            reads=tuple(Use(dataset, evidence) for dataset in sorted(sources)),
            writes=(Use(view, evidence),),
            columns=tuple(dict.fromkeys(self._flows(view, query, evidence))),
        )
        problems = tuple(self._problems(query))
        several = any(len(self._datasets(table)) > 1 for table in query.tables)
        is_unclear = bool(sources and (query.problem or query.unresolved_effects or several))
        marked = flows if not problems else partly_read_job(flows) if sources else unread_job(flows)
        return ViewReading(marked, not problems, problems, is_unclear=is_unclear)

    def _flows(self, view: GraphDataset, query: QueryReading, evidence: str) -> Iterator[ColumnFlow]:
        own = self.known.of(view)
        for column in query.columns:
            target = ColumnRef(view, _listed(column.name, own))
            for table, name in column.origins:
                if len(self._datasets(table)) > 1:
                    continue
                if (dataset := self._dataset(table)) == view:
                    continue  # an incremental model reads what it has
                source = ColumnRef(dataset, _listed(name, self.known.of(dataset)))
                yield ColumnFlow(source, target, "DIRECT", _subtype(column), evidence)
            yield from self._indirect(column.effects, target, evidence)
        yield from self._indirect(query.effects, ColumnRef(view), evidence)

    def _indirect(self, effects: Iterable[QueryEffect], target: ColumnRef, evidence: str) -> Iterator[ColumnFlow]:
        for effect in effects:
            if len(self._datasets(effect.table)) == 1 and (dataset := self._dataset(effect.table)) != target.dataset:
                source = ColumnRef(dataset, _listed(effect.column, self.known.of(dataset)))
                yield ColumnFlow(source, target, "INDIRECT", effect.subtype, evidence)

    def _problems(self, query: QueryReading) -> Iterator[Problem]:
        where = f"{self.row.source} {self.row.name}"
        if query.problem:
            yield Problem(where, query.problem, _HINT)
        elif query.rest is not None:
            what = f"the columns of {'.'.join(query.rest)}, which it selects by *, are not known"
            yield Problem(where, what, _HINT)
        for table in query.tables:
            if len(alike := self._datasets(table)) > 1:
                what = f"it may read any of {len(alike)} tables with the name {'.'.join(table)}"
                yield Problem(where, what, "which one is not known, so none is left out")
        if query.unresolved_effects:
            listed = ", ".join(query.unresolved_effects)
            what = f"columns that filter, join, group, sort or decide, and cannot be resolved: {listed}"
            yield Problem(where, what, _HINT)

    def _names(self, table: Table) -> Sequence[str]:
        """Return the names of a table's columns."""
        return _top_level(self.known.of(self._dataset(table)))

    def _own_names(self) -> Sequence[str]:
        """Return the names of the view's columns, as its database lists them."""
        return _top_level(self.known.listed(self.known.naming.dataset(*self.row.dataset)))

    def _datasets(self, table: Table) -> list[GraphDataset]:
        """Return what a name in the view means: several tables where a chart names no server, and several have it."""
        named = self.known.named(table) if self.row.names_no_server else []
        return named if len(named) > 1 else [self._dataset(table)]

    def _dataset(self, table: Table) -> GraphDataset:
        """Resolve a name in the view: in the view's own schema, else in the server's default one."""
        if self.row.names_no_server:
            named = self.known.named(table)
            unknown = self.known.naming.dataset(self.row.namespace, f"tables/{'.'.join(table)}")
            return named[0] if len(named) == 1 else unknown
        candidates = [self.known.naming.dataset(self.row.namespace, name) for name in self._full_names(table)]
        return next((dataset for dataset in candidates if dataset in self.known), candidates[0])

    def _full_names(self, table: Table) -> Iterator[str]:
        scheme = scheme_of(self.row.namespace)
        containers = [part for part in (self.row.database, self.row.schema) if part]
        if len(table) > 2 and table[0] == _OWN_CATALOGS.get(scheme):
            table = table[1:]
        if len(table) > len(containers):
            yield from (".".join(table), ".".join(table[1:]))  # an engine's own name of the catalog may come first
            return
        yield ".".join((*containers[: len(containers) + 1 - len(table)], *table))
        default = DEFAULT_SCHEMAS.get(scheme)
        if len(table) == 1 and default and containers:
            yield ".".join((*containers[:-1], default, *table))


def _top_level(paths: Paths) -> list[str]:
    return [field_name(path[0]) or path[0] for path in paths if len(path) == 1]


def _listed(name: str, paths: Paths) -> ColumnPath:
    """Return the path of a column as its table has it; one that differs in case only is the same."""
    path = (field_segment(name),)
    alike = [known for known in paths if len(known) == 1 and known[0].casefold() == path[0].casefold()]
    return path if path in alike or len(alike) != 1 else alike[0]


def _subtype(column: QueryColumn) -> str:
    return "TRANSFORMATION" if column.changed else "IDENTITY"
