"""Names that a query gives to expressions, and what a star leaves out: read from sqlglot's tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

Fold = Callable[[exp.Identifier], str]
"""Returns a name in the case in which the database stores it."""


_WINDOWS = frozenset({"HOP", "TUMBLE"})
_BOUNDS = ("window_start", "window_end")
_NAMES = ("this", "db", "catalog")
_WITHOUT_LAMBDAS = frozenset({"materialize", "mysql", "postgres", "redshift", "risingwave", "sqlite"})


def named_values(scope: Scope, fold: Fold) -> Mapping[str, exp.Expr]:
    """Return the expressions that a query names: select items, elements of ARRAY JOIN, values of ClickHouse's WITH."""
    query = scope.expression
    return dict(_named(query, fold)) if isinstance(query, exp.Select) else {}


def _named(query: exp.Select, fold: Fold) -> Iterator[tuple[str, exp.Expr]]:
    for cte in query.ctes:
        if cte.args.get("scalar"):
            yield fold(cte.args["alias"].this), cte.this
    joined = [join for join in query.args.get("joins") or () if join.kind == "ARRAY"]
    elements = (item for join in joined for item in (join.this, *join.expressions))
    for item in (*elements, *query.selects):
        if isinstance(item, exp.Alias) and not isinstance(item.this, exp.Query):
            yield fold(item.args["alias"]), item.this


def is_inside(node: exp.Expr, value: exp.Expr) -> bool:
    """Return whether *node* is *value* or a part of it."""
    current: exp.Expr | None = node
    while current is not None and current is not value:
        current = current.parent
    return current is value


def star_changes(item: exp.Expr, fold: Fold) -> tuple[frozenset[str], Mapping[str, exp.Expr]]:
    """Return the columns that a star leaves out (`EXCEPT`, `EXCLUDE`), and the expressions that replace others."""
    star = item.this if isinstance(item, exp.Column) else item
    left_out = (column.this if isinstance(column, exp.Column) else column for column in star.args.get("except_") or ())
    replaced = (alias for alias in star.args.get("replace") or () if isinstance(alias, exp.Alias))
    names = frozenset(fold(name) for name in left_out if isinstance(name, exp.Identifier))
    return names, {fold(alias.args["alias"]): alias.this for alias in replaced}


def plain_tree(query: exp.Expr, scheme: str) -> exp.Expr:
    """Return a query in forms that are resolved in any dialect.

    A window of RisingWave, `TUMBLE(orders, at, …)`, is a query of the table with two more columns. `f(a -> 'x')` is a
    part of `a` in dialects without lambdas, where sqlglot parses a lambda of that name.
    """
    if scheme == "risingwave":
        for table in reversed(list(query.find_all(exp.Table))):  # inner ones first: the outer ones are copied
            if isinstance(table.this, exp.Anonymous) and table.this.name.upper() in _WINDOWS:
                _as_query(table)
    if scheme in _WITHOUT_LAMBDAS:
        for part in reversed(list(query.find_all(exp.Lambda))):
            if len(part.expressions) == 1 and isinstance(part.expressions[0], exp.Identifier):
                column = exp.Column(this=part.expressions[0].copy())
                part.replace(exp.JSONExtract(this=column, expression=part.this.copy()))
    return query


def _as_query(table: exp.Table) -> None:
    """Replace a window over a table or query by a query that has the window's columns, too."""
    source, *rest = table.this.expressions
    if not rest or not isinstance(source, exp.Column | exp.Subquery):
        return
    read = (
        exp.Table(**dict(zip(_NAMES, reversed(source.parts), strict=False)))
        if isinstance(source, exp.Column)
        else source
    )
    bounds = [exp.alias_(exp.Anonymous(this="window", expressions=[rest[0].copy()]), name) for name in _BOUNDS]
    query = exp.select("*", *bounds).from_(read.copy())
    table.replace(query.subquery(table.alias or None))
