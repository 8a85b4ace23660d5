"""Parse the SQL of databases with sqlglot, queries and views: the tables that one reads, and its column lineage."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dataflow_generator.sql.lineage import Effect, SqlColumn, SqlFlow, StatementFlows
from dataflow_generator.sql.relational.parsing import folded_name, parse_problem, parse_query
from dataflow_generator.sql.relational.rows import rows_of
from dataflow_generator.sql.relational.scopes import (
    Context,
    Decider,
    Origin,
    Output,
    QueryScope,
    Rows,
    Table,
    TableColumns,
)
from dataflow_generator.sql.relational.values import value_of
from scanner_model.columns import field_segment
from scanner_model.errors import InputInvalid, Problem

__all__ = ["QueryColumn", "QueryEffect", "QueryReading", "Table", "TableColumns", "read_query"]


def _unknown(_: Table) -> Collection[str]:
    return ()


class QueryEffect(NamedTuple):
    """A column of a table that affects a result without being a part of it; *subtype* is OpenLineage's, as FILTER."""

    table: Table
    column: str
    subtype: str


@dataclass(frozen=True, slots=True)
class QueryColumn:
    """An output column of a query, and the table columns it is derived from; *changed*: it is computed.

    *effects* are of the columns that only decide its value: of a CASE, FILTER or window, or what a subquery selects by.
    """

    name: str
    origins: tuple[Origin, ...]
    changed: bool
    effects: tuple[QueryEffect, ...] = ()

    @property
    def all_origins(self) -> tuple[Origin, ...]:
        """Return the table columns that it is derived from or decided by."""
        return tuple(sorted({*self.origins, *((effect.table, effect.column) for effect in self.effects)}))


@dataclass(frozen=True, slots=True)
class QueryReading:
    """The tables and columns of a query; *rest* is the single table whose columns are selected by `*`.

    *problem* says what could not be parsed, of the whole query or of some of its columns; empty if nothing. *view* is
    the name of the view that the text creates, empty for a query alone. *effects* are of the columns that filter, join,
    group or sort, *unresolved_effects* the texts of those that cannot be resolved.
    """

    tables: tuple[Table, ...] = ()
    columns: tuple[QueryColumn, ...] = ()
    rest: Table | None = None
    problem: str = ""
    view: Table = ()
    effects: tuple[QueryEffect, ...] = ()
    unresolved_effects: tuple[str, ...] = ()


def read_query(
    text: str, scheme: str, columns: TableColumns = _unknown, names: Sequence[str] = (), *, is_chart: bool = False
) -> QueryReading:
    """Parse a query, or a view, in the dialect of a JDBC *scheme*; never raises, and takes bounded time for any text.

    *columns* resolve `*` and names without their table; *names* are those of the result, in order, which columns have
    that the text does not name. Columns that cannot be resolved, such as unnamed or ambiguous ones, are left out. The
    unnamed columns of a chart (*is_chart*) are shown by their place, so they are named by it.
    """
    try:
        query, header = parse_query(text, scheme)
        context = Context(scheme, columns, rows_of, value_of)
        rows = rows_of(query, QueryScope(context))
        if is_chart:
            names = [f"column {place}" for place in range(1, len(rows.columns) + 1)]
        listed = [folded_name(name, scheme) for name in header.columns]
        context.tables |= _tables_elsewhere(query, context)
        reading = _reading(context, rows, listed, names)
        return replace(reading, view=tuple(folded_name(part, scheme) for part in header.name))
    except SqlglotError as error:
        return QueryReading(problem=parse_problem(error))
    except InputInvalid as error:
        return QueryReading(problem=error.what)
    except RecursionError:
        return QueryReading(problem="query nesting exceeds the parser's limit")


def _tables_elsewhere(query: exp.Expr, context: Context) -> set[Table]:
    """Return the tables of parts that are not resolved, so that none is lost."""
    named = {context.fold(cte.args["alias"].this) for cte in query.find_all(exp.CTE) if cte.args.get("alias")}
    nodes = (node for node in query.find_all(exp.Table) if id(node) not in context.seen)
    tables = {tuple(map(context.fold, node.parts)) for node in nodes if isinstance(node.this, exp.Identifier)}
    return {table for table in tables if len(table) > 1 or table[0] not in named}


def _reading(context: Context, rows: Rows, listed: Sequence[str], names: Sequence[str]) -> QueryReading:
    """Return the result of a query; the columns that are not resolved are noted."""
    unclear: dict[str, None] = {}
    columns = tuple(dict.fromkeys(_columns(rows, listed, names, unclear)))
    if len(rows.open) > 1:
        unclear.setdefault("*")
    deciders = rows.deciders.union(*(column.value.deciders for column in rows.columns))
    unresolved = f"columns of the query that cannot be resolved: {', '.join(unclear)}"
    return QueryReading(
        tuple(sorted(context.tables)),
        columns,
        rows.open[0] if len(rows.open) == 1 else None,
        "; ".join([*([unresolved] if unclear else []), *context.problems]),
        effects=_effects(rows.deciders),
        unresolved_effects=tuple(sorted({name for (table, name), _ in deciders if not table})),
    )


def _columns(
    rows: Rows, listed: Sequence[str], names: Sequence[str], unclear: dict[str, None]
) -> Iterator[QueryColumn]:
    """Yield the columns that have a name and are resolved; *listed* are the names that a view's header gives."""
    if listed and (len(listed) > len(rows.columns) or rows.open):
        unclear.setdefault("all: the view lists another number of columns than its query has")
        return
    own = names if len(names) == len(rows.columns) and not rows.open else ()
    for place, output in enumerate(rows.columns):
        name = listed[place] if place < len(listed) else output.name or (own[place] if own else "")
        if name and output.value.known:
            yield _column(output._replace(name=name))
        else:
            unclear.setdefault(name or "unnamed")


def _column(output: Output) -> QueryColumn:
    value = output.value
    return QueryColumn(output.name, tuple(sorted(value.origins)), value.changed, _effects(value.deciders))


def _effects(deciders: frozenset[Decider]) -> tuple[QueryEffect, ...]:
    return tuple(sorted(QueryEffect(*origin, subtype) for origin, subtype in deciders if origin[0]))


DIALECTS = ("postgres", "mysql", "sqlserver", "oracle", "sqlite", "redshift", "snowflake")
"""The dialects that people may name."""


def read_database_query(text: str, dialect: str) -> StatementFlows:
    """Read one view or query in a *dialect* of DIALECTS, by its text alone.

    Names stay as the text has them, in the letter case of the database. Without the columns of the tables, `*` and bare
    names in joins are unresolved.
    """
    query = read_query(text, dialect)
    view = _name(query.view)
    flows = {
        SqlFlow(
            SqlColumn(view, (field_segment(column.name),)),
            SqlColumn(_name(table), (field_segment(name),)),
            Effect.TRANSFORMATION if column.changed else Effect.IDENTITY,
        )
        for column in query.columns
        for table, name in column.origins
    }
    flows |= {
        SqlFlow(
            SqlColumn(view, (field_segment(column.name),)),
            SqlColumn(_name(effect.table), (field_segment(effect.column),)),
            Effect(effect.subtype),
        )
        for column in query.columns
        for effect in column.effects
    }
    flows |= {
        SqlFlow(
            SqlColumn(view), SqlColumn(_name(effect.table), (field_segment(effect.column),)), Effect(effect.subtype)
        )
        for effect in query.effects
    }
    problems = (Problem("1:1", query.problem),) if query.problem else ()
    unresolved = [
        f"{name} cannot be resolved, which filters, joins, groups or sorts" for name in query.unresolved_effects
    ]
    if query.rest:
        unresolved.insert(0, f"the columns of {_name(query.rest)} are not known: it is selected by *")
    return StatementFlows(
        text=text,
        kind="CREATE VIEW" if view else "SELECT",
        sources=tuple(sorted(map(_name, query.tables))),
        sinks=(view,) if view else (),
        flows=tuple(sorted(flows)),
        problems=problems,
        unresolved=() if problems else tuple(Problem("1:1", what) for what in unresolved),
        at="1:1",
    )


def _name(table: Table | None) -> str:
    return ".".join(table or ())
