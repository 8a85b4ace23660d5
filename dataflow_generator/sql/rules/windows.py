"""Table functions: windows add bounds to the rows of a table; other functions give rows made of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dataflow_generator.sql.flows import Effect
from dataflow_generator.sql.lineage import Strength, Value, computed, merged
from dataflow_generator.sql.nodes import Call, Derived, Descriptor, Expression, Relation, Subquery, TableArgument
from dataflow_generator.sql.rules.values import value_of, values_of
from dataflow_generator.sql.scopes import Column, Rows, Scope

_WINDOWS = ("TUMBLE", "HOP", "CUMULATE", "SESSION")
_SEARCHES = ("KEY_SEARCH_AGG", "TEXT_SEARCH_AGG", "VECTOR_SEARCH_AGG")
_FOUND = "search_results"
_BOUNDS = ("window_start", "window_end", "window_time")
RowsOf = Callable[[Relation, Scope], Rows]


def table_function(call: Call, scope: Scope, rows_of: RowsOf) -> Rows:
    """Give the rows of a table function: its input's columns, then its own."""
    inner = Scope(scope.analysis, scope)
    tables = [one for argument in call.arguments if (one := _table(argument)) is not None]
    inner.rows = [rows_of(one.relation, scope) for one in tables]
    plain = tuple(one for one in call.arguments if _table(one) is None)
    keys = [value for one in tables for value in values_of(one.keys, inner)]
    if call.name in _WINDOWS and inner.rows:
        return _windowed([one for one in plain if isinstance(one, Descriptor)], keys, inner)
    made = computed((*values_of(plain, inner if tables else scope), *keys))
    if call.name in _SEARCHES and inner.rows:
        found = computed((made, *(column.value for column in inner.listed())))
        return Rows((Column(_FOUND, found),), open=True, rest=found)
    opened = [rows for rows in inner.rows if rows.open]
    # Behind a table that is not known, nobody can tell its columns from the function's.
    return Rows(tuple(inner.listed()), open=True, table=opened[0].table if opened else "", rest=made)


def _table(argument: Expression) -> TableArgument | None:
    """Give an argument that is a table; a query in brackets is one too."""
    if isinstance(argument, Subquery):
        return TableArgument(Derived(argument.query))
    return argument if isinstance(argument, TableArgument) else None


def _windowed(times: list[Expression], keys: list[Value], inner: Scope) -> Rows:
    rows = inner.rows[0]
    time = merged(value_of(one, inner) for one in times)
    inner.analysis.affect([time, *keys], Effect.WINDOW)
    bounds = time.at_least(Strength.TRANSFORMATION)
    columns = (*rows.columns, *(Column(name, bounds) for name in _BOUNDS))
    return replace(rows, columns=columns, name="", parts=())
