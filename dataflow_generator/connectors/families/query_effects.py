"""The clauses of a query that decide which rows its result has, and in which order: read from sqlglot's tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

FILTER, GROUP_BY, JOIN, SORT = "FILTER", "GROUP_BY", "JOIN", "SORT"
_SUBTYPES: Mapping[str, str] = {
    "prewhere": FILTER,
    "where": FILTER,
    "group": GROUP_BY,
    "having": FILTER,
    "qualify": FILTER,
    "order": SORT,
}
"""OpenLineage's subtype of the columns of each clause."""
RESULTS = frozenset({GROUP_BY, SORT})
"""The subtypes of clauses that may name columns of the result."""


class Clause(NamedTuple):
    """The columns of a clause: *columns* in its expressions, *merged* by their names (USING), *outputs* by number.

    *outputs* are counted from 0; None stands for all of them (DISTINCT).
    """

    subtype: str
    columns: tuple[exp.Column, ...] = ()
    merged: tuple[exp.Identifier, ...] = ()
    outputs: tuple[int | None, ...] = ()


def clauses(query: exp.Expr) -> Iterator[Clause]:
    """Yield the clauses of a SELECT or a set operation, without those of the queries that it reads from."""
    for name, subtype in _SUBTYPES.items():
        if (clause := query.args.get(name)) is not None:
            yield Clause(subtype, tuple(clause.find_all(exp.Column)), outputs=tuple(_positions(clause)))
    for join in _joins(query):
        condition = join.args.get("on")
        names = tuple(name for name in join.args.get("using") or () if isinstance(name, exp.Identifier))
        yield Clause(JOIN, tuple(condition.find_all(exp.Column)) if condition else (), names)
    if distinct := query.args.get("distinct"):
        listed = distinct.args.get("on") if isinstance(distinct, exp.Distinct) else None
        columns = tuple(listed.find_all(exp.Column)) if listed else ()
        if isinstance(query, exp.Select):
            yield Clause(GROUP_BY, columns, outputs=() if listed else (None,))


def _joins(node: exp.Expr) -> Iterator[exp.Join]:
    """Yield the joins of a query, in brackets too, as servers write views; not those of queries that it reads from."""
    relations: list[exp.Expr] = []
    if (source := node.args.get("from_")) is not None:
        relations.append(source.this)
    elif isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Select | exp.SetOperation):
        relations.append(node.this)
    for join in node.args.get("joins") or ():
        yield join
        relations.append(join.this)
    for relation in relations:
        yield from _joins(relation)


def _positions(clause: exp.Expr) -> Iterator[int]:
    """Yield the select items that GROUP BY or ORDER BY name by their numbers."""
    for item in clause.expressions if isinstance(clause, exp.Group | exp.Order) else ():
        key = item.this if isinstance(item, exp.Ordered) else item
        if isinstance(key, exp.Literal) and key.is_int:
            yield int(key.name) - 1


def read_scopes(root: Scope) -> list[Scope]:
    """Return the scopes whose rows get into the result of *root*, inner ones first; not a WITH that nothing uses."""
    reached: dict[int, Scope] = {}
    waiting = [root]
    while waiting:
        scope = waiting.pop()
        if id(scope) in reached:
            continue
        reached[id(scope)] = scope
        waiting += (source for _, source in scope.selected_sources.values() if isinstance(source, Scope))
        waiting += (*(scope.set_operation_scopes or ()), *scope.subquery_scopes)
    return [scope for scope in root.traverse() if id(scope) in reached]
