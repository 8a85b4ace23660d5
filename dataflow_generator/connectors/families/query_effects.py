"""The clauses of a query that decide which rows its result has, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlglot import exp

from dataflow_generator.connectors.families.query_scopes import Decider, Output, Scope, Value, decided, lookup

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


def row_deciders(query: exp.Expr, scope: Scope) -> frozenset[Decider]:
    """Return the columns by which a query filters what it reads."""
    return frozenset().union(*(_clause(query, name, scope, ()) for name in _ROWS))


def result_deciders(query: exp.Expr, scope: Scope, outputs: Sequence[Output]) -> frozenset[Decider]:
    """Return the columns by which a query groups, filters and sorts its result; *scope* knows the result's columns."""
    clauses = [_clause(query, name, scope, outputs) for name in _RESULTS]
    return frozenset().union(*clauses, decided(_distinct(query, scope, outputs), GROUP_BY))


def _clause(query: exp.Expr, name: str, scope: Scope, outputs: Sequence[Output]) -> frozenset[Decider]:
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


def _key_value(key: exp.Expr, scope: Scope, outputs: Sequence[Output]) -> Value:
    """Return the value of a key of GROUP BY or ORDER BY: an expression, or a column of the result by its number."""
    if isinstance(key, exp.Literal) and key.is_int:
        place = int(key.name) - 1
        return outputs[place].value if 0 <= place < len(outputs) else Value()
    if isinstance(key, exp.Column) and not key.table and isinstance(key.find_ancestor(exp.Order, exp.Group), exp.Order):
        return lookup(scope.results, scope.context.fold(key.this)) or scope.context.value(key, scope)
    return scope.context.value(key, scope)


def _distinct(query: exp.Expr, scope: Scope, outputs: Sequence[Output]) -> Iterable[Value]:
    distinct = query.args.get("distinct")
    if not distinct or not isinstance(query, exp.Select):
        return ()
    listed = distinct.args.get("on") if isinstance(distinct, exp.Distinct) else None
    return [scope.context.value(listed, scope)] if listed else [output.value for output in outputs]
