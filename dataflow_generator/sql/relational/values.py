"""Expressions of a query: the columns that a value is computed from, and those that only decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlglot import exp

from dataflow_generator.sql.relational.scopes import (
    POSTGRES,
    UNKNOWN,
    Decider,
    DerivedValue,
    QueryScope,
    decided,
    merged,
    unresolved,
)

_ALIAS_FIRST = frozenset({"clickhouse"})
_ALIAS_LAST = frozenset({"databricks", "redshift", "snowflake", "teradata", "unitycatalog"})
"""Dialects whose expressions may use the names of select items: before columns of that name, or only without them."""
_RESERVED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(POSTGRES, frozenset({"current_role", "current_user", "session_user", "system_user", "user"})),
    "oracle": frozenset({"connect_by_iscycle", "connect_by_isleaf", "level", "rownum", "systimestamp", "uid", "user"}),
}
"""Words without brackets that stand for a value of the session or the query, and for no column unless quoted."""
_CONDITIONAL, _FILTER, _SORT, _WINDOW = "CONDITIONAL", "FILTER", "SORT", "WINDOW"


class _Part(NamedTuple):
    """A part of an expression: *inner* ones have a part in its value, *conditions* decide, by OpenLineage's subtype."""

    inner: tuple[exp.Expr, ...]
    conditions: tuple[tuple[exp.Expr, str], ...] = ()


def value_of(expression: exp.Expr, scope: QueryScope) -> DerivedValue:
    """Return the value of an expression at a place; walked without recursion where it only grows deep."""
    plain = expression.unalias().unnest()
    if isinstance(plain, exp.Column):
        return column_value(plain, scope)
    values: list[DerivedValue] = []
    deciders: set[Decider] = set()
    waiting = [plain]
    while waiting:
        node = waiting.pop()
        if (value := _value_itself(node, scope)) is not None:
            values.append(value)
            continue
        part = _part(node, scope)
        waiting += part.inner
        for condition, subtype in part.conditions:
            value = value_of(condition, scope)
            deciders |= decided([value], subtype)
            values.append(DerivedValue(known=value.known))
    total = merged(values).computed() if values else DerivedValue(changed=True)
    return DerivedValue(total.origins, changed=True, deciders=total.deciders | deciders, known=total.known)


def _value_itself(node: exp.Expr, scope: QueryScope) -> DerivedValue | None:
    """Return the value of a column or query; None for an expression that is walked."""
    if isinstance(node, exp.Column):
        return column_value(node, scope)
    if isinstance(node, exp.Exists) and isinstance(node.this, exp.Query):
        return DerivedValue(deciders=scope.context.rows(node.this, scope).deciders)
    if isinstance(node, exp.Query):
        rows = scope.context.rows(node, scope)
        value = merged(column.value for column in rows.columns)
        return DerivedValue(
            value.origins, changed=True, deciders=value.deciders | rows.deciders, known=value.known and not rows.open
        )
    if isinstance(node, exp.Dot):
        return _member(node, scope)
    return None


def _member(node: exp.Dot, scope: QueryScope) -> DerivedValue | None:
    """Return the value of a member of a row, as `(o).total`; None for other members."""
    holder = node.this.unnest()
    if not isinstance(holder, exp.Column) or not isinstance(node.expression, exp.Identifier):
        return None
    if holder.is_star:
        qualifiers = [scope.context.fold(part) for part in holder.parts[:-1]]
    else:
        qualifiers = [scope.context.fold(part) for part in holder.parts]
    if len(qualifiers) != 1 or (not holder.is_star and any(level.listed(qualifiers[0]) for level in scope.chain())):
        return None
    for level in scope.chain():
        if found := level.relations_of(qualifiers):
            return found[0].column(scope.context.fold(node.expression))
    return None


def _part(node: exp.Expr, scope: QueryScope) -> _Part:
    match node:
        case exp.If() | exp.Nvl2():
            results = (node.args.get("true"), node.args.get("false"))
            return _Part(_some(*results), ((node.this, _CONDITIONAL),))
        case exp.Case():
            operand = ((node.this, _CONDITIONAL),) if node.this else ()
            return _Part(_some(*node.args["ifs"], node.args.get("default")), operand)
        case exp.Filter():
            return _Part((node.this,), ((node.expression, _FILTER),))
        case exp.Window():
            return _Part((node.this,), tuple((key, _WINDOW) for key in _keys(node, scope)))
        case exp.Order():
            return _Part(_some(node.this), tuple((key, _SORT) for key in node.expressions))
        case exp.WithinGroup() if not isinstance(node.this, exp.GroupConcat | exp.ArrayAgg):
            return _Part((node.this, *node.expression.expressions))
        case exp.Grouping():
            return _Part((), tuple((key, _CONDITIONAL) for key in node.expressions))
    return _Part(tuple(node.iter_expressions()))


def _some(*nodes: exp.Expr | None) -> tuple[exp.Expr, ...]:
    return tuple(node for node in nodes if node is not None)


def _keys(window: exp.Expr, scope: QueryScope) -> Iterator[exp.Expr]:
    """Yield what a window partitions and sorts by; a named one is that of its query."""
    yield from window.args.get("partition_by") or ()
    yield from _some(window.args.get("order"), window.args.get("spec"))
    name = window.args.get("alias")
    named = scope.windows.get(scope.context.fold(name)) if isinstance(name, exp.Identifier) else None
    if named is not None and named is not window:
        yield from _keys(named, scope)


def column_value(column: exp.Column, scope: QueryScope) -> DerivedValue:
    """Return the value of a column, by its qualifiers or by the only relation that may have it."""
    value = _column_value(column, scope)
    return value if value.known else merged([value, unresolved(".".join(part.name for part in column.parts))])


def _column_value(column: exp.Column, scope: QueryScope) -> DerivedValue:
    scope.context.step()
    parts = [scope.context.fold(part) for part in column.parts]
    if column.is_star:
        found = next((found for level in scope.chain() if (found := level.relations_of(parts[:-1]))), [])
        return found[0].whole() if len(found) == 1 else UNKNOWN
    is_quoted = bool(column.this.args.get("quoted"))
    if len(parts) == 1 and not is_quoted and parts[0].lower() in _RESERVED.get(scope.context.scheme, ()):
        return DerivedValue()
    for level in scope.chain():
        value = _named(column, parts, level)
        if value is None:
            value = level.qualified(parts) if len(parts) > 1 else level.bare(parts[0])
        if value is not None:
            return value
    if is_quoted and len(parts) == 1 and scope.context.scheme == "sqlite":
        return DerivedValue()  # a text in double quotes, where no column has the name
    return _unlisted(parts, scope)


def _unlisted(parts: list[str], scope: QueryScope) -> DerivedValue:
    """Return the value of a bare name that is not listed: the single table may have it nevertheless."""
    for level in scope.chain() if len(parts) == 1 else ():
        if level.relations:
            return level.relations[0].unlisted(parts[0]) if len(level.relations) == 1 else UNKNOWN
    return UNKNOWN


def _named(column: exp.Column, parts: list[str], scope: QueryScope) -> DerivedValue | None:
    """Return the value of an expression that the query names so; None where the name is a column's."""
    expression = scope.named.get(parts[0])
    if expression is None or is_inside(column, expression):
        return None
    if scope.context.scheme in _ALIAS_FIRST:
        value = scope.context.value(expression, scope)
        return value if len(parts) == 1 else value.computed()
    if scope.context.scheme not in _ALIAS_LAST or len(parts) > 1:
        return None
    is_column = any(relation.is_open for relation in scope.relations) or scope.listed(parts[0]) is not None
    return None if is_column else scope.context.value(expression, scope)


def named_values(query: exp.Select, scope: QueryScope) -> Mapping[str, exp.Expr]:
    """Return the expressions that a query names: select items, elements of ARRAY JOIN, values of ClickHouse's WITH."""
    return dict(_named_values(query, scope)) if scope.context.scheme in _ALIAS_FIRST | _ALIAS_LAST else {}


def _named_values(query: exp.Select, scope: QueryScope) -> Iterator[tuple[str, exp.Expr]]:
    fold = scope.context.fold
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


def star_changes(item: exp.Expr, scope: QueryScope) -> tuple[frozenset[str], Mapping[str, exp.Expr]]:
    """Return the columns that a star leaves out (`EXCEPT`, `EXCLUDE`), and the expressions that replace others."""
    fold = scope.context.fold
    star = item.this if isinstance(item, exp.Column) else item
    left_out = (column.this if isinstance(column, exp.Column) else column for column in star.args.get("except_") or ())
    replaced = (alias for alias in star.args.get("replace") or () if isinstance(alias, exp.Alias))
    names = frozenset(fold(name) for name in left_out if isinstance(name, exp.Identifier))
    return names, {fold(alias.args["alias"]): alias.this for alias in replaced}
