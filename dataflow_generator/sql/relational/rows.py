"""Queries: the columns of SELECT, set operations, VALUES and WITH, and the clauses that decide which rows there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlglot import exp

from dataflow_generator.sql.relational.relations import read_from, renamed
from dataflow_generator.sql.relational.scopes import (
    STAR,
    Decider,
    DerivedValue,
    Output,
    QueryScope,
    Rows,
    decided,
    index,
    lookup,
    merged,
)
from dataflow_generator.sql.relational.values import named_values, star_changes, value_of

_MOST_ROUNDS = 20
_RECURSIVE_ALWAYS = frozenset({"db2", "oracle", "sqlserver"})
"""Dialects whose WITH refers to itself without the word RECURSIVE."""
_POSTGRES_NAMES_NO = (exp.Binary, exp.Unary, exp.Literal, exp.Null, exp.Between, exp.In)


def rows_of(query: exp.Expr, outer: QueryScope) -> Rows:
    """Return the columns of a query, which sees the names of *outer*."""
    outer.context.step()
    ctes = _with_ctes(query, outer)
    match query:
        case exp.Subquery():
            beside = QueryScope(outer.context, outer, ctes)
            return _sorted(query, rows_of(query.this, beside), outer)
        case exp.SetOperation():
            return _sorted(query, _set_operation(query, QueryScope(outer.context, outer, ctes)), outer)
        case exp.Select():
            return _select(query, QueryScope(outer.context, outer, ctes))
        case exp.Values():
            return _values(query, outer)
    return Rows((STAR,))


def _sorted(query: exp.Expr, rows: Rows, outer: QueryScope) -> Rows:
    """Return *rows* with the columns by which they are sorted as a whole."""
    if not any(query.args.get(name) for name in ("order", "limit", "offset")):
        return rows
    scope = QueryScope(outer.context, outer)
    scope.results = index(rows.columns)
    return Rows(rows.columns, rows.open, rows.deciders | result_deciders(query, scope, rows.columns))


def _select(query: exp.Select, scope: QueryScope) -> Rows:
    fold = scope.context.fold
    scope.named = named_values(query, scope)
    scope.windows = {fold(window.this): window for window in query.args.get("windows") or ()}
    deciders = read_from(query, scope)
    columns, tables = _selected(query, scope)
    deciders |= row_deciders(query, scope)
    scope.results = index(columns)
    return Rows(columns, tables, deciders | result_deciders(query, scope, columns))


def _selected(query: exp.Select, scope: QueryScope) -> tuple[tuple[Output, ...], tuple[tuple[str, ...], ...]]:
    """Return the columns of a SELECT, and the tables that it selects whole without their columns being known."""
    columns: list[Output] = []
    tables: dict[tuple[str, ...], None] = {}
    for item in query.selects:
        if item.is_star:
            listed, open_ = _star(item, scope)
            columns += listed
            tables |= dict.fromkeys(open_)
            scope.context.step(len(listed))
        else:
            columns.append(Output(_name(item, scope), value_of(item, scope)))
    return tuple(columns), tuple(tables)


def _star(item: exp.Expr, scope: QueryScope) -> tuple[list[Output], Sequence[tuple[str, ...]]]:
    if isinstance(item, exp.Column):
        qualifiers = [scope.context.fold(part) for part in item.parts[:-1]]
        found = next((found for level in scope.chain() if (found := level.relations_of(qualifiers))), [])
        whole = QueryScope(scope.context)
        for relation in found:
            whole.add(relation)
    elif isinstance(item, exp.Star):
        whole = scope
    else:
        return [STAR], ()
    left_out, replaced = star_changes(item, scope)
    columns = [
        Output(column.name, value_of(replaced[column.name], scope)) if column.name in replaced else column
        for column in whole.columns
        if column.name not in left_out
    ]
    if (left_out or replaced) and whole.open:
        return [*columns, STAR], ()
    return columns, whole.open


def _name(item: exp.Expr, scope: QueryScope) -> str:
    """Return the name of a select item; empty where its database derives one from the expression."""
    shown = item.args.get("alias") if isinstance(item, exp.Alias) else item.args.get("this")
    if isinstance(item, exp.Dot):
        shown = item.expression
    if isinstance(shown, exp.Identifier) and isinstance(item, exp.Alias | exp.Column | exp.Dot):
        return scope.context.fold(shown)
    is_nameless = isinstance(item.unnest(), _POSTGRES_NAMES_NO) and not isinstance(item, exp.Alias)
    return "?column?" if is_nameless and scope.context.scheme == "postgres" else ""


def _set_operation(query: exp.SetOperation, scope: QueryScope) -> Rows:
    """Return the columns of each branch, under the names of the first one."""
    return _united([rows_of(branch, scope) for branch in _branches(query)])


def _branches(query: exp.SetOperation) -> list[exp.Expr]:
    """Return the branches of nested set operations; the left side, which may be deep, is flattened."""
    branches: list[exp.Expr] = []
    node: exp.Expr = query
    while isinstance(node, exp.SetOperation) and (node is query or not node.args.get("with_")):
        branches.append(node.expression)
        node = node.this
    return [node, *reversed(branches)]


def _united(parts: Sequence[Rows]) -> Rows:
    columns = tuple(
        Output(same[0].name, merged(column.value for column in same))
        for same in zip(*(part.columns for part in parts), strict=False)
    )
    tables = dict.fromkeys(table for part in parts for table in part.open)
    deciders: frozenset[Decider] = frozenset().union(*(part.deciders for part in parts))
    return Rows(columns, tuple(tables), deciders)


def _values(query: exp.Values, scope: QueryScope) -> Rows:
    """Return the columns of VALUES, named as PostgreSQL does."""
    lines = [line.expressions if isinstance(line, exp.Tuple) else [line] for line in query.expressions]
    places = zip(*lines, strict=False)
    return Rows(
        tuple(
            Output(f"column{number}", merged(value_of(item, scope) for item in place))
            for number, place in enumerate(places, 1)
        )
    )


def _with_ctes(query: exp.Expr, outer: QueryScope) -> Mapping[str, Rows]:
    """Return the named queries of a WITH clause; each sees the ones before it."""
    clause = query.args.get("with_")
    if clause is None:
        return outer.ctes
    ctes = dict(outer.ctes)
    for cte in clause.expressions:
        if not cte.args.get("scalar"):
            _add_cte(cte, clause, ctes, outer)
    return ctes


def _add_cte(cte: exp.Expr, clause: exp.Expr, ctes: dict[str, Rows], outer: QueryScope) -> None:
    fold = outer.context.fold
    alias = cte.args["alias"]
    name, listed = fold(alias.this), [fold(column) for column in alias.args.get("columns") or ()]
    if isinstance(cte.this, exp.SetOperation) and _is_recursive(cte.this, name, clause, outer):
        first = rows_of(_branches(cte.this)[0], QueryScope(outer.context, outer, dict(ctes)))
        rows = Rows(renamed(first, listed), first.open)
        for _ in range(_MOST_ROUNDS):
            before, seen = rows, {**ctes, name: Rows(rows.columns, rows.open)}
            result = rows_of(cte.this, QueryScope(outer.context, outer, seen))
            rows = Rows(renamed(result, listed), result.open, result.deciders)
            if rows == before:
                break
    else:
        result = rows_of(cte.this, QueryScope(outer.context, outer, dict(ctes)))
        rows = Rows(renamed(result, listed), result.open, result.deciders)
    ctes[name] = rows


def _is_recursive(query: exp.Expr, name: str, clause: exp.Expr, outer: QueryScope) -> bool:
    if not clause.args.get("recursive") and outer.context.scheme not in _RECURSIVE_ALWAYS:
        return False
    return any(
        outer.context.fold(table.this) == name for table in query.find_all(exp.Table) if not table.args.get("db")
    )


FILTER, GROUP_BY, SORT = "FILTER", "GROUP_BY", "SORT"
_ROWS: Mapping[str, str] = {"prewhere": FILTER, "where": FILTER}
_RESULTS: Mapping[str, str] = {
    "group": GROUP_BY,
    "having": FILTER,
    "qualify": FILTER,
    "order": SORT,
    "limit": FILTER,
    "offset": FILTER,
}
"""OpenLineage's subtype of the columns of each clause; those of _RESULTS may name columns of the result."""


def row_deciders(query: exp.Expr, scope: QueryScope) -> frozenset[Decider]:
    """Return the columns by which a query filters what it reads."""
    return frozenset().union(*(_clause(query, name, scope, ()) for name in _ROWS))


def result_deciders(query: exp.Expr, scope: QueryScope, outputs: Sequence[Output]) -> frozenset[Decider]:
    """Return the columns by which a query groups, filters and sorts its result; *scope* knows the result's columns."""
    clauses = [_clause(query, name, scope, outputs) for name in _RESULTS]
    return frozenset().union(*clauses, decided(_distinct(query, scope, outputs), GROUP_BY))


def _clause(query: exp.Expr, name: str, scope: QueryScope, outputs: Sequence[Output]) -> frozenset[Decider]:
    clause = query.args.get(name)
    if clause is None:
        return frozenset()
    subtype = _ROWS.get(name) or _RESULTS[name]
    if not isinstance(clause, exp.Group | exp.Order):
        return decided([scope.context.value(clause, scope)], subtype)
    return decided((_key_value(key, scope, outputs) for key in _keys(clause)), subtype)


def _keys(clause: exp.Expr) -> Iterator[exp.Expr]:
    for key in clause.iter_expressions():
        yield key.this if isinstance(key, exp.Ordered) else key


def _key_value(key: exp.Expr, scope: QueryScope, outputs: Sequence[Output]) -> DerivedValue:
    """Return the value of a key of GROUP BY or ORDER BY: an expression, or a column of the result by its number."""
    if isinstance(key, exp.Literal) and key.is_int:
        place = int(key.name) - 1
        return outputs[place].value if 0 <= place < len(outputs) else DerivedValue()
    if isinstance(key, exp.Column) and not key.table and isinstance(key.find_ancestor(exp.Order, exp.Group), exp.Order):
        return lookup(scope.results, scope.context.fold(key.this)) or scope.context.value(key, scope)
    return scope.context.value(key, scope)


def _distinct(query: exp.Expr, scope: QueryScope, outputs: Sequence[Output]) -> Iterable[DerivedValue]:
    distinct = query.args.get("distinct")
    if not distinct or not isinstance(query, exp.Select):
        return ()
    listed = distinct.args.get("on") if isinstance(distinct, exp.Distinct) else None
    return [scope.context.value(listed, scope)] if listed else [output.value for output in outputs]
