"""Generated columns of tables: the columns of the same table that the database computes each from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dataflow_generator.connectors.families.jdbc_queries import read_query
from dataflow_generator.graph import Certainty, present
from dataflow_generator.jobs.databases.names import scheme_of
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, JobFlows, Naming, Use, job_node
from scanner_dictionary.lineage_inputs.catalogs import TableRow
from scanner_model.catalogs import generation_expression
from scanner_model.columns import Column, ColumnPath, field_segment, path_name
from scanner_model.errors import Problem

TYPE = "generated columns"
"""The type of these jobs, and what their names end with."""

_SCHEMES = {"file": "sqlite", "sqlserver": "tsql"}
_HINT = "which columns it is computed from is not known"


class GeneratedReading(NamedTuple):
    """The job that computes the generated columns of a table; *problems* name those that could not be parsed."""

    flows: JobFlows
    problems: tuple[Problem, ...]


def has_generated(row: TableRow) -> bool:
    """Return whether a database described the table, and computes a column of it."""
    return row.is_of_database and any(map(generation_expression, row.columns))


def generated_jobs(rows: Iterable[TableRow], naming: Naming) -> Iterator[GeneratedReading]:
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
        yield GeneratedReading(
            JobFlows(job=job, certainty=Certainty.DERIVED, reads=use, writes=use, columns=tuple(flows)), tuple(problems)
        )


def _origins(column: Column, row: TableRow) -> tuple[list[tuple[ColumnPath, str]], str]:
    """Return the columns of *row* that *column* is computed from, and why they are not known; empty where they are."""
    scheme = scheme_of(row.namespace)
    alike = {known.path[0].casefold(): known.path for known in row.columns}
    query = f"SELECT {generation_expression(column)} AS v FROM t"  # noqa: S608 - it is parsed, and sent to nobody
    reading = read_query(query, _SCHEMES.get(scheme, scheme), lambda _: [known.path[0] for known in row.columns])
    return [
        (alike.get(name.casefold(), (field_segment(name),)), "TRANSFORMATION" if value.changed else "IDENTITY")
        for value in reading.columns
        for _, name in value.origins
    ], reading.problem
