"""Resolve expressions: what a value is derived from, and what affects it indirectly."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dataflow_generator.sql.lexer import words
from dataflow_generator.sql.lineage import EMPTY, Effect, Strength, ValueLineage, aggregated, computed, masked, merged
from dataflow_generator.sql.nodes import (
    Call,
    Conditional,
    Constant,
    Descriptor,
    Expression,
    FieldAccess,
    Lambda,
    ModelArgument,
    Name,
    Operation,
    SqlType,
    Star,
    StructConstructor,
    Subquery,
    Subscript,
    TableArgument,
    Window,
)
from dataflow_generator.sql.scope import SelectScope, inner_type
from scanner_model.columns import ColumnPath

AGGREGATES = words(
    "COUNT SUM AVG MIN MAX STDDEV STDDEV_POP STDDEV_SAMP STDDEV_SAMPLE VARIANCE VAR_POP VAR_SAMP COLLECT COLLECT_LIST"
    " COLLECT_SET LISTAGG STRING_AGG ARRAY_AGG FIRST_VALUE LAST_VALUE JSON_OBJECTAGG JSON_ARRAYAGG"
    " APPROX_COUNT_DISTINCT COUNT_DISTINCT TOPK TOPKDISTINCT HISTOGRAM EARLIEST_BY_OFFSET LATEST_BY_OFFSET ATTR"
    " CORRELATION SUM_LIST SINGLE_VALUE PERCENTILE BIT_AND BIT_OR BIT_XOR ANY_VALUE MAX_BY MIN_BY"
    " COVAR_POP COVAR_SAMP REGR_COUNT"
)
"""The engines' own aggregate functions (ksqlDB reference, Flink "System (Built-in) Functions")."""

MASKING = words("MASK MD5 SHA1 SHA224 SHA256 SHA384 SHA512 SHA2")
"""Functions whose result shows nothing of their arguments (ksqlDB "Scalar functions", Flink "Hash Functions").

MASK_KEEP_LEFT, MASK_LEFT and their like are not among them: they leave a part as it is.
"""

_COPYING = ("AS_VALUE",)
_UNFOLDING = ("EXPLODE",)


def value_of(expression: Expression, scope: SelectScope) -> ValueLineage:
    """Return the lineage of *expression*."""
    return _RULES[type(expression)](expression, scope)


def values_of(expressions: tuple[Expression, ...], scope: SelectScope) -> list[ValueLineage]:
    """Return the lineage of each expression."""
    return [value_of(expression, scope) for expression in expressions]


def _nothing(_: Expression, __: SelectScope) -> ValueLineage:
    return EMPTY


def _name(expression: Name, scope: SelectScope) -> ValueLineage:
    return scope.resolve(expression).value


def _operation(expression: Operation, scope: SelectScope) -> ValueLineage:
    return computed(values_of(expression.operands, scope))


def _element(expression: Subscript, scope: SelectScope) -> ValueLineage:
    return computed((value_of(expression.base, scope), value_of(expression.index, scope)))


def field_access(expression: FieldAccess, scope: SelectScope) -> ValueLineage:
    """Resolve fields of a value: inside a column they extend its path, inside a computed value they do not."""
    return field_of(expression.base, expression.fields, scope)


def field_of(base: Expression, fields: ColumnPath, scope: SelectScope) -> ValueLineage:
    """Return the lineage of *fields* of *base*; subscripts add no segment to a path."""
    match base:
        case Name():
            return scope.resolve(base).value.field(fields)
        case Subscript():
            return computed((field_of(base.base, fields, scope), value_of(base.index, scope)))
        case FieldAccess():
            return field_of(base.base, (*base.fields, *fields), scope)
        case Call(name=name, arguments=(only,)) if name in _UNFOLDING:
            return computed([field_of(only, fields, scope)])
        case StructConstructor() if fields and fields[0] in dict(base.fields):
            return field_of(dict(base.fields)[fields[0]], fields[1:], scope)
    return value_of(base, scope)


def type_of(expression: Expression, scope: SelectScope) -> SqlType | None:
    """Return the type of a column, of a field or of an element of it; None for other expressions."""
    match expression:
        case Name():
            return scope.resolve(expression).type
        case Subscript(base=base) | Call(name="EXPLODE", arguments=(base,)):
            kind = type_of(base, scope)
            return kind.element if kind else None
        case FieldAccess():
            return inner_type(type_of(expression.base, scope), expression.fields)
        case StructConstructor(fields=fields):
            return SqlType("STRUCT", tuple((name, type_of(field, scope) or SqlType("")) for name, field in fields))
    return None


def _structure(expression: StructConstructor, scope: SelectScope) -> ValueLineage:
    return computed(value_of(field, scope) for _, field in expression.fields)


def choice(expression: Conditional, scope: SelectScope) -> ValueLineage:
    """Return the lineage of a CASE, IF or NULLIF, its conditions as CONDITIONAL."""
    value = computed(values_of(expression.results, scope))
    return value.with_effects(values_of(expression.conditions, scope), Effect.CONDITIONAL)


def call(expression: Call, scope: SelectScope) -> ValueLineage:
    """Return the lineage of a function's result; FILTER and OVER affect it indirectly."""
    values = values_of(expression.arguments, scope)
    if expression.name in _COPYING and len(values) == 1:
        return values[0]
    over = expression.over
    known = scope.context.session.aggregates
    if over is not None or expression.name in AGGREGATES or expression.name in known:
        value = aggregated(values)
    elif expression.name in MASKING:
        value = masked(values)
    else:
        value = computed(values)
    if expression.order:
        value = value.with_effects(values_of(expression.order, scope), Effect.SORT)
    if expression.condition is not None:
        value = value.with_effects([value_of(expression.condition, scope)], Effect.FILTER)
    return value if over is None else value.with_effects(_keys(over, scope), Effect.WINDOW)


def _keys(window: Window, scope: SelectScope) -> list[ValueLineage]:
    """Return the keys of a window and of its base windows."""
    keys: list[ValueLineage] = []
    visited = {""}
    current: Window | None = window
    while current is not None:
        keys += values_of(current.partition + current.order, scope)
        base = current.base
        current = None if base in visited else scope.find_window(base)
        visited.add(base)
    return keys


def anonymous(expression: Lambda, scope: SelectScope) -> ValueLineage:
    """Return the lineage of a lambda's body, without its parameters."""
    inner = SelectScope(scope.context, scope, hidden=expression.parameters)
    return value_of(expression.body, inner)


def subquery(expression: Subquery, scope: SelectScope) -> ValueLineage:
    """Return the lineage of a query used as a value."""
    rows = scope.context.query(expression.query, scope)
    value = computed(column.value for column in rows.columns)
    return merged((value, rows.rest.at_least(_COMPUTED))) if rows.open else value


def _descriptor(expression: Descriptor, scope: SelectScope) -> ValueLineage:
    return merged(value_of(name, scope) for name in expression.names)


_COMPUTED = Strength.TRANSFORMATION
_RULES: Mapping[type, Callable[..., ValueLineage]] = {
    Constant: _nothing,
    Star: _nothing,
    Name: _name,
    Operation: _operation,
    Subscript: _element,
    FieldAccess: field_access,
    Conditional: choice,
    Call: call,
    StructConstructor: _structure,
    Lambda: anonymous,
    Subquery: subquery,
    TableArgument: _nothing,
    ModelArgument: _nothing,
    Descriptor: _descriptor,
}
