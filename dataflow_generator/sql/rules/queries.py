"""Queries: the clauses of a SELECT in the order in which they bear on each other, set operations, VALUES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dataflow_generator.sql.flows import Effect
from dataflow_generator.sql.lineage import EMPTY, Value, merged
from dataflow_generator.sql.nodes import Branch, Expression, Name, Query, Select, Values
from dataflow_generator.sql.rules.projections import projections
from dataflow_generator.sql.rules.relations import add, renamed
from dataflow_generator.sql.rules.values import value_of, values_of
from dataflow_generator.sql.scopes import ROWTIME, Column, Common, Rows, Scope


def query(found: Query, scope: Scope) -> Rows:
    """Give the rows of a query inside *scope*."""
    inner = Scope(scope.analysis, scope)
    for one in found.common:  # each sees those before it; its own name means a table
        with scope.analysis.apart() as gathered:
            rows = renamed(query(one.query, inner), one.columns)
        inner.common[one.name] = Common(rows, gathered)
    rows, last = _branch(found.branches[0], inner)
    for branch in found.branches[1:]:
        rows, last = _combined(rows, branch, inner), None
    if found.order:
        _sorts(found, rows, last or inner)
    return rows


def _branch(branch: Branch, scope: Scope) -> tuple[Rows, Scope | None]:
    match branch.body:
        case Select():
            return _select(branch.body, scope)
        case Values():
            return _values(branch.body, scope), None
        case Query():
            return query(branch.body, scope), None


def _select(select: Select, around: Scope) -> tuple[Rows, Scope]:
    scope = Scope(around.analysis, around, windows=dict(select.windows))
    if select.relation is not None:
        add(select.relation, scope)
    if select.windowed:
        scope.bounds = _bounds(scope)
    if select.where is not None:
        scope.analysis.affect([value_of(select.where, scope)], Effect.FILTER)
    keys = _groupings(select, scope)
    rows = projections(select, scope, keys)
    scope.aliases = {column.name: column.value for column in rows.columns}
    scope.analysis.affect(values_of(select.having, scope), Effect.FILTER)
    if select.distinct:
        scope.analysis.affect((column.value for column in rows.columns), Effect.GROUP_BY)
    return replace(rows, windowed=_is_windowed(select, scope)), scope


def _is_windowed(select: Select, scope: Scope) -> bool:
    """Tell whether the result's key has window bounds: by its own window, or as its only source's has."""
    return select.windowed or (len(scope.rows) == 1 and scope.rows[0].windowed and not select.group)


def _bounds(scope: Scope) -> Value:
    """Give what a ksqlDB window's bounds hang on, the records' time, which also decides which rows meet in one."""
    base = [rows for rows in scope.rows if rows.table]
    # Only streams are windowed: a table that is joined gives columns, not the time.
    times = [rows.pseudo(ROWTIME) for rows in base if not rows.is_table] or [rows.pseudo(ROWTIME) for rows in base]
    scope.analysis.affect(times, Effect.WINDOW)
    return EMPTY.because(times, Effect.WINDOW)


def _groupings(select: Select, scope: Scope) -> list[Value]:
    named = {item.alias: item.expression for item in select.items if item.alias}
    keys = [value_of(_unaliased(key, named, scope), scope) for key in select.group]
    scope.analysis.affect(keys, Effect.GROUP_BY)
    return keys


def _unaliased(key: Expression, named: Mapping[str, Expression], scope: Scope) -> Expression:
    """Give what a key that is the alias of an item stands for; a column of that name comes first."""
    if isinstance(key, Name) and len(key.parts) == 1 and not scope.lists(key.parts[0]):
        return named.get(key.parts[0], key)
    return key


def _values(values: Values, scope: Scope) -> Rows:
    """Give the columns of VALUES: constants mostly, but a lateral one may name columns."""
    width = max((len(row) for row in values.rows), default=0)
    columns: list[list[Value]] = [[] for _ in range(width)]
    for row in values.rows:
        for place, one in enumerate(row):
            columns[place].append(value_of(one, scope))
    return Rows(tuple(Column(f"EXPR${place}", merged(column)) for place, column in enumerate(columns)))


def _combined(left: Rows, branch: Branch, scope: Scope) -> Rows:
    """Combine operands of a set operation by position; what EXCEPT takes away gives no value."""
    right, _ = _branch(branch, scope)
    if branch.operation == "EXCEPT":
        scope.analysis.affect((column.value for column in right.columns), Effect.FILTER)
        return left
    if left.open or right.open:
        tables = [table for rows in (left, right) for table in (rows.table, *rows.others) if table]
        rest = merged((left.rest, right.rest))
        return Rows(table=tables[0] if tables else "", others=tuple(tables[1:]), open=True, rest=rest)
    pairs = zip(left.columns, right.columns, strict=False)
    return Rows(tuple(Column(a.name, merged((a.value, b.value)), a.type) for a, b in pairs))


def _sorts(found: Query, rows: Rows, scope: Scope) -> None:
    """Say what the result is sorted by: its own columns first, then those of its relations."""
    inner = Scope(scope.analysis, scope, [Rows(rows.columns)])
    scope.analysis.affect(values_of(found.order, inner), Effect.SORT)
