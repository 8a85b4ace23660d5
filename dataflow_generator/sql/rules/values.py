"""Resolve expressions: what a value is derived from, and what affects it indirectly."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dataflow_generator.sql.flows import Effect
from dataflow_generator.sql.lexer import words
from dataflow_generator.sql.lineage import EMPTY, Strength, Value, aggregated, computed, merged
from dataflow_generator.sql.nodes import (
    Access,
    Call,
    Choice,
    Constant,
    Descriptor,
    Element,
    Expression,
    Lambda,
    Name,
    Operation,
    SqlType,
    Star,
    Structure,
    Subquery,
    TableArgument,
    Window,
)
from dataflow_generator.sql.scope import Scope, inner_type
from scanner_model.column_path import ColumnPath

AGGREGATES = words(
    "COUNT SUM AVG MIN MAX STDDEV STDDEV_POP STDDEV_SAMP STDDEV_SAMPLE VARIANCE VAR_POP VAR_SAMP COLLECT COLLECT_LIST"
    " COLLECT_SET LISTAGG STRING_AGG ARRAY_AGG FIRST_VALUE LAST_VALUE JSON_OBJECTAGG JSON_ARRAYAGG"
    " APPROX_COUNT_DISTINCT COUNT_DISTINCT TOPK TOPKDISTINCT HISTOGRAM EARLIEST_BY_OFFSET LATEST_BY_OFFSET ATTR"
    " CORRELATION SUM_LIST SINGLE_VALUE PERCENTILE BIT_AND BIT_OR BIT_XOR ANY_VALUE MAX_BY MIN_BY"
    " COVAR_POP COVAR_SAMP REGR_COUNT"
)
"""The engines' own aggregate functions (ksqlDB reference, Flink "System (Built-in) Functions")."""

_COPYING = ("AS_VALUE",)
_UNFOLDING = ("EXPLODE",)


def value_of(expression: Expression, scope: Scope) -> Value:
    """Return the lineage of *expression*."""
    return _RULES[type(expression)](expression, scope)


def values_of(expressions: tuple[Expression, ...], scope: Scope) -> list[Value]:
    """Return the lineage of each expression."""
    return [value_of(one, scope) for one in expressions]


def _nothing(_: Expression, __: Scope) -> Value:
    return EMPTY


def _name(expression: Name, scope: Scope) -> Value:
    return scope.resolve(expression).value


def _operation(expression: Operation, scope: Scope) -> Value:
    return computed(values_of(expression.operands, scope))


def _element(expression: Element, scope: Scope) -> Value:
    return computed((value_of(expression.base, scope), value_of(expression.index, scope)))


def field_access(expression: Access, scope: Scope) -> Value:
    """Resolve fields of a value: inside a column they extend its path, inside a computed value they do not."""
    return field_of(expression.base, expression.fields, scope)


def field_of(base: Expression, fields: ColumnPath, scope: Scope) -> Value:
    """Return the lineage of *fields* of *base*; subscripts add no segment to a path."""
    match base:
        case Name():
            return scope.resolve(base).value.field(fields)
        case Element():
            return computed((field_of(base.base, fields, scope), value_of(base.index, scope)))
        case Access():
            return field_of(base.base, (*base.fields, *fields), scope)
        case Call(name=name, arguments=(only,)) if name in _UNFOLDING:
            return computed([field_of(only, fields, scope)])
        case Structure() if fields and fields[0] in dict(base.fields):
            return field_of(dict(base.fields)[fields[0]], fields[1:], scope)
    return value_of(base, scope)


def type_of(expression: Expression, scope: Scope) -> SqlType | None:
    """Return the type of a column, of a field or of an element of it; None for other expressions."""
    match expression:
        case Name():
            return scope.resolve(expression).type
        case Element(base=base) | Call(name="EXPLODE", arguments=(base,)):
            kind = type_of(base, scope)
            return kind.element if kind else None
        case Access():
            return inner_type(type_of(expression.base, scope), expression.fields)
        case Structure(fields=fields):
            return SqlType("STRUCT", tuple((name, type_of(each, scope) or SqlType("")) for name, each in fields))
    return None


def _structure(expression: Structure, scope: Scope) -> Value:
    return computed(value_of(each, scope) for _, each in expression.fields)


def choice(expression: Choice, scope: Scope) -> Value:
    """Return the lineage of a CASE, IF or NULLIF, its conditions as CONDITIONAL."""
    found = computed(values_of(expression.results, scope))
    return found.because(values_of(expression.conditions, scope), Effect.CONDITIONAL)


def call(expression: Call, scope: Scope) -> Value:
    """Return the lineage of a function's result; FILTER and OVER affect it indirectly."""
    values = values_of(expression.arguments, scope)
    if expression.name in _COPYING and len(values) == 1:
        return values[0]
    over = expression.over
    known = scope.analysis.session.aggregates
    if over is not None or expression.name in AGGREGATES or expression.name in known:
        found = aggregated(values)
    else:
        found = computed(values)
    if expression.order:
        found = found.because(values_of(expression.order, scope), Effect.SORT)
    if expression.condition is not None:
        found = found.because([value_of(expression.condition, scope)], Effect.FILTER)
    return found if over is None else found.because(_keys(over, scope), Effect.WINDOW)


def _keys(window: Window, scope: Scope) -> list[Value]:
    """Return the keys of a window and of its base windows."""
    found: list[Value] = []
    seen = {""}
    current: Window | None = window
    while current is not None:
        found += values_of(current.partition + current.order, scope)
        base = current.base
        current = None if base in seen else scope.window(base)
        seen.add(base)
    return found


def anonymous(expression: Lambda, scope: Scope) -> Value:
    """Return the lineage of a lambda's body, without its parameters."""
    inner = Scope(scope.analysis, scope, hidden=expression.parameters)
    return value_of(expression.body, inner)


def subquery(expression: Subquery, scope: Scope) -> Value:
    """Return the lineage of a query used as a value."""
    rows = scope.analysis.query(expression.query, scope)
    found = computed(column.value for column in rows.columns)
    return merged((found, rows.rest.at_least(_COMPUTED))) if rows.open else found


def _descriptor(expression: Descriptor, scope: Scope) -> Value:
    return merged(value_of(name, scope) for name in expression.names)


_COMPUTED = Strength.TRANSFORMATION
_RULES: Mapping[type, Callable[..., Value]] = {
    Constant: _nothing,
    Star: _nothing,
    Name: _name,
    Operation: _operation,
    Element: _element,
    Access: field_access,
    Choice: choice,
    Call: call,
    Structure: _structure,
    Lambda: anonymous,
    Subquery: subquery,
    TableArgument: _nothing,
    Descriptor: _descriptor,
}
