"""What definitions of tables say: tables of DDL files, on the servers that connectors name; generated columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.graph import Certainty, present
from dataflow_generator.jobs.databases.names import scheme_of
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, JobFlows, JobReading, Naming, Use, job_node
from scanner_dictionary.lineage_inputs.catalogs import Name, TableRow
from scanner_model.catalogs import DECLARED_TABLES, QUOTED, generation_expression
from scanner_model.columns import Column, ColumnPath, field_segment, path_name
from scanner_model.errors import InputInvalid, Problem
from scanner_model.lazy_names import load

READ_QUERY = "dataflow_generator.sql.relational.queries:read_query"
"""The reader of a query, imported with its parser when a table needs it."""
PATTERN = "regex:"
_DATABASE = re.compile(r"(\w+)\\\.")
_UPPER, _LOWER = frozenset({"oracle", "db2", "snowflake"}), frozenset({"postgres", "redshift"})
"""The schemes of databases that fold names without quotes."""


def is_declared(table: TableRow) -> bool:
    """Return whether a file declares the table, and on which server it is is not known."""
    return table.namespace.startswith(DECLARED_TABLES)


def located_tables(tables: Iterable[TableRow], ends: Iterable[Name]) -> tuple[TableRow, ...]:
    """Return *tables* with those of files on each server where one of *ends*, outside Kafka, is that table.

    An end names a table, or a pattern that matches it: then it has the name that the file gives it. A table that no end
    is stays as it is declared.
    """
    listed = tuple(tables)
    declared = [table for table in listed if is_declared(table)]
    if not declared:
        return listed
    known = {table.dataset for table in listed}
    located: dict[Name, TableRow] = {}
    for namespace, name in dict.fromkeys(ends):
        for table in declared:
            if found := _name_at(table, name):
                place = (namespace, found)
                if place not in known:
                    located.setdefault(place, _moved(table, place))
    placed = {_tail(row.name) for row in located.values()}
    left = (table for table in listed if not is_declared(table) or _tail(table.name) not in placed)
    return tuple(sorted((*left, *located.values()), key=lambda table: table.dataset))


def _tail(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _name_at(table: TableRow, end: str) -> str:
    """Return the name of a table at a server where *end* is it; empty where it is not."""
    own = table.name.split(".")
    if end.startswith(PATTERN):
        try:
            matches = java_regex(f"(?i){end.removeprefix(PATTERN)}").matches
        except InputInvalid:
            return ""
        database = _DATABASE.match(end.removeprefix(PATTERN))
        full = f"{database[1]}.{table.name}" if database else ""
        names = (name for name in (table.name, full) if name and len(own) > 1 and matches(name))
        return next(names, "")
    parts = end.split(".")
    size = min(len(own), len(parts))
    alike = [part.casefold() for part in own[-size:]] == [part.casefold() for part in parts[-size:]]
    return end if alike else ""


def _moved(table: TableRow, place: Name) -> TableRow:
    quoted = frozenset(json.loads(dict(table.parameters).get(QUOTED, "[]")))
    scheme = scheme_of(place[0])
    columns = tuple(_folded(column, scheme) if column.path[0] not in quoted else column for column in table.columns)
    keys = tuple(key._replace(columns=tuple(_fold(name, scheme) for name in key.columns)) for key in table.keys)
    return replace(table, namespace=place[0], name=place[1], columns=columns, keys=keys)


def _folded(column: Column, scheme: str) -> Column:
    return replace(column, path=(_fold(column.path[0], scheme), *column.path[1:]))


def _fold(name: str, scheme: str) -> str:
    return name.upper() if scheme in _UPPER else name.lower() if scheme in _LOWER else name


TYPE = "generated columns"
"""The type of these jobs, and what their names end with."""

_SCHEMES = {"file": "sqlite", "sqlserver": "tsql"}
_HINT = "which columns it is computed from is not known"


def has_generated(row: TableRow) -> bool:
    """Return whether a database described the table, and computes a column of it."""
    return row.is_of_database and any(map(generation_expression, row.columns))


def generated_jobs(rows: Iterable[TableRow], naming: Naming) -> Iterator[JobReading]:
    """Yield the job of each table of *rows*, which have generated columns."""
    for row in rows:
        table, evidence = naming.dataset(*row.dataset), f"generated column of {row.name} of {row.source}"
        flows: list[ColumnFlow] = []
        problems: list[Problem] = []
        for column in filter(generation_expression, row.columns):
            origins, problem = _origins(column, row)
            if problem:
                problems.append(Problem(f"{row.source} {row.name} {path_name(column.path)}", problem, _HINT))
            target = ColumnRef(table, column.path)
            flows += [
                ColumnFlow(ColumnRef(table, path), target, "DIRECT", subtype, evidence) for path, subtype in origins
            ]
        job = job_node(row.namespace, f"{row.name} {TYPE}", present(type=TYPE, internal=True))
        use = (Use(table, evidence),)
        yield JobReading(
            JobFlows(job=job, certainty=Certainty.DERIVED, reads=use, writes=use, columns=tuple(flows)), tuple(problems)
        )


def _origins(column: Column, row: TableRow) -> tuple[list[tuple[ColumnPath, str]], str]:
    """Return the columns of *row* that *column* is computed from, and why they are not known; empty where they are."""
    scheme = scheme_of(row.namespace)
    alike = {known.path[0].casefold(): known.path for known in row.columns}
    query = f"SELECT {generation_expression(column)} AS v FROM t"  # noqa: S608 - it is parsed, never sent
    reading = load(READ_QUERY)(query, _SCHEMES.get(scheme, scheme), lambda _: [known.path[0] for known in row.columns])
    return [
        (alike.get(name.casefold(), (field_segment(name),)), "TRANSFORMATION" if value.changed else "IDENTITY")
        for value in reading.columns
        for _, name in value.origins
    ], reading.problem
