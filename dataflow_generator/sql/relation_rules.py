"""Resolve the FROM clause: the columns of each relation, and what affects all of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from dataflow_generator.sql.catalog import KnownTable, Session, View
from dataflow_generator.sql.lineage import EMPTY, UNKNOWN, Effect, Strength, ValueLineage, computed, copied
from dataflow_generator.sql.nodes import (
    Aliased,
    ColumnKind,
    DerivedTable,
    Expression,
    Join,
    Joined,
    MatchRecognize,
    Name,
    Operation,
    Pivot,
    Relation,
    Table,
    TableFunction,
    TemporalTable,
    Unnest,
    Unpivot,
)
from dataflow_generator.sql.output_columns import synthetic_key
from dataflow_generator.sql.scope import Column, Rows, SelectScope
from dataflow_generator.sql.table_functions import table_function
from dataflow_generator.sql.value_rules import type_of, value_of, values_of


def joined(join: Join, scope: SelectScope, start: int) -> None:
    """Apply a join whose own relations are those of *scope* from *start* on."""
    if join.condition is not None:
        scope.context.add_effect([value_of(join.condition, scope)], Effect.JOIN)
    if join.semi:
        del scope.rows[start:]
    elif join.using or join.natural:
        _merge(join, scope, start)
    elif not scope.context.flink:
        scope.synthetic = _key(join, scope)


def _merge(join: Join, scope: SelectScope, start: int) -> None:
    left, right = scope.rows[:start], scope.rows[start:]
    for name in join.using or _shared(left, right):
        sides = [
            column for column in (scope.merged.get(name) or _side(left, name), _side(right, name)) if column is not None
        ]
        scope.context.add_effect([side.value for side in sides], Effect.JOIN)
        if sides:
            scope.merged[name] = Column(name, computed(side.value for side in sides), sides[0].type)


def _shared(left: list[Rows], right: list[Rows]) -> list[str]:
    names = {column.name for rows in left for column in rows.columns}
    return [column.name for rows in right for column in rows.columns if column.name in names]


def _side(side: list[Rows], name: str) -> Column | None:
    """Find a column by its name on one side of a join."""
    listed = [column for rows in side for column in rows.columns if column.name == name]
    opened = [column for rows in side if (column := rows.unlisted(name)) is not None]
    return next(iter(listed or opened), None)


def _key(join: Join, scope: SelectScope) -> Column | None:
    """Return the key that ksqlDB generates where no plain column can be it.

    That is a full join, or one with expressions on both sides, unless an earlier join has one of these expressions and
    a column equal to it.
    """
    if join.condition is None:
        return None
    sides = join.condition.operands if isinstance(join.condition, Operation) else (join.condition,)
    earlier = scope.equivalent if scope.equivalent & {*sides} else frozenset()
    scope.equivalent = frozenset() if join.full else earlier | {*sides}
    if any(_is_column(side) for side in scope.equivalent):
        return None
    return Column(synthetic_key(scope), computed(value_of(side, scope) for side in sides))


def _is_column(side: Expression) -> bool:
    return isinstance(side, Name) and not side.fields


def matched(relation: MatchRecognize, rows: Rows, scope: SelectScope) -> Rows:
    """Return the columns of MATCH_RECOGNIZE: partition keys and measures; with ALL ROWS, all columns."""
    inner = SelectScope(scope.context, scope, [rows], variables=relation.variables | {"*"})
    context = scope.context
    context.add_effect(values_of(relation.definitions, inner), Effect.FILTER)
    context.add_effect(values_of(relation.partition, inner), Effect.GROUP_BY)
    context.add_effect(values_of(relation.order, inner), Effect.SORT)
    measures = [
        Column(name, value_of(measure, inner).at_least(Strength.TRANSFORMATION)) for name, measure in relation.measures
    ]
    if relation.all_rows:
        return Rows((*rows.columns, *measures), table=rows.table, open=rows.open, rest=rows.rest)
    keys = [Column(_name(key), value_of(key, inner)) for key in relation.partition]
    return Rows((*keys, *measures))


def _name(key: Expression) -> str:
    return key.parts[-1] if isinstance(key, Name) else ""


def add(relation: Relation, scope: SelectScope) -> None:
    """Add the relations of *relation* to *scope*."""
    _RULES[type(relation)](relation, scope)


def rows_of(relation: Relation, scope: SelectScope) -> Rows:
    """Return a relation on its own; relations before it in *scope* may be used in it."""
    inner = SelectScope(scope.context, scope)
    add(relation, inner)
    return as_one(inner)


def as_one(scope: SelectScope) -> Rows:
    """Return all relations of *scope* as one."""
    if len(scope.rows) == 1:
        return scope.rows[0]
    opened = [rows for rows in scope.rows if rows.open]
    table = opened[0].table if len(opened) == 1 else ""
    several = [UNKNOWN] if len(opened) > 1 and any(rows.table for rows in opened) else []
    rest = computed((*(rows.rest for rows in opened), *several))
    return Rows(tuple(scope.listed()), table=table, open=bool(opened), rest=rest)


_STRATEGIES = (
    ("EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS", True),
    ("EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS", False),
)


def table(relation: Table, scope: SelectScope) -> None:
    """Add a table: a common table expression, a view's columns, a known table's, or unknown columns."""
    parts = relation.parts
    common = scope.find_common_table(parts[0]) if len(parts) == 1 else None
    if common is not None:
        scope.context.take(common.gathered)
        scope.add(replace(common.rows, name=parts[0], parts=parts))
        return
    known = scope.context.session.table(parts)
    if known is not None and known.view is not None:
        scope.add(_view(known.view, scope, relation))
        return
    name = scope.context.dataset(parts, relation.options)
    scope.context.sources.add(name)
    result = Rows(name=parts[-1], parts=parts, table=name, open=known is None or not known.complete)
    if known is not None:
        if known.unread:
            what = f"the columns of {name} are unknown: the statement that defines it could not be read"
            scope.context.report(relation.at, what, "see the problem of that statement")
        result = replace(
            result,
            columns=_columns(known, name, scope),
            windowed=known.windowed,
            time=computed([copied((name, (known.timestamp,)))]) if known.timestamp else None,
            is_table=known.is_table,
            rest=UNKNOWN if known.unread else EMPTY,
            hidden=_hidden(known, scope.context.session),
        )
    scope.add(result)


def _hidden(known: KnownTable, session: Session) -> frozenset[str]:
    """Return the columns that `*` does not show, by Flink's setting `table.column-expansion-strategy`."""
    strategies = session.settings.get("table.column-expansion-strategy", "").upper().replace(",", ";").split(";")
    omitted = {is_keyed for strategy, is_keyed in _STRATEGIES if strategy in map(str.strip, strategies)}
    virtual = (column for column in known.columns if column.part is ColumnKind.VIRTUAL) if omitted else ()
    return frozenset(column.name for column in virtual if column.is_keyed in omitted)


def _view(view: View, scope: SelectScope, relation: Table) -> Rows:
    context = scope.context
    for source in sorted(view.sources):
        context.sources.add(source)
    context.datasets.update({dataset.name: dataset for dataset in view.datasets})
    context.effects |= view.effects
    context.unknown_effects = context.unknown_effects or view.unknown_effects
    if view.is_doubtful:
        context.doubtful.add(context.dotted_name(relation.parts))
    columns = tuple(Column(*column) for column in view.columns)
    rows = Rows(columns, relation.parts[-1], relation.parts, view.table, open=view.open)
    return replace(rows, others=view.others, rest=view.rest, leading=view.leading)


def _columns(known: KnownTable, name: str, scope: SelectScope) -> tuple[Column, ...]:
    """List a known table's columns; computed ones are resolved against the same table."""
    listed = known.columns
    columns = {
        column.name: Column(column.name, copied((name, (column.name,))), column.type)
        for column in listed
        if column.expression is None
    }
    inner = SelectScope(scope.context, None, [Rows(tuple(columns.values()), known.name[-1], known.name)])
    for column in listed:
        if column.expression is not None and column.part is ColumnKind.COMPUTED:
            columns[column.name] = Column(column.name, value_of(column.expression, inner))
    return tuple(columns[column.name] for column in listed)


def derived(relation: DerivedTable, scope: SelectScope) -> None:
    """Add the rows of a subquery to *scope*."""
    scope.add(scope.context.query(relation.query, scope))


def aliased(relation: Aliased, scope: SelectScope) -> None:
    """Add a relation under an alias, its columns renamed."""
    rows = rows_of(relation.relation, scope).renamed(relation.columns)
    scope.add(replace(rows, name=relation.name, parts=(relation.name,)))


def function(relation: TableFunction, scope: SelectScope) -> None:
    """Add the rows of a table function."""
    scope.add(table_function(relation.call, scope, rows_of))


def unnested(relation: Unnest, scope: SelectScope) -> None:
    """Add the elements of a collection as rows: the fields of its records, else columns derived from the collection."""
    value = value_of(relation.expression, scope)
    rest = value.at_least(Strength.TRANSFORMATION)
    kind = type_of(relation.expression, scope)
    element = kind.element if kind and kind.name != "MAP" else None
    columns = tuple(
        Column(name, value.field((name,)).at_least(Strength.TRANSFORMATION), inner)
        for name, inner in (element.fields if element else ())
    )
    scope.add(Rows(columns, open=not columns or relation.numbered, rest=rest, leading=len(columns)))


def temporal(relation: TemporalTable, scope: SelectScope) -> None:
    """Add a relation as of a time, which affects the result like a join condition."""
    add(relation.relation, scope)
    scope.context.add_effect([_time(relation, scope)], Effect.JOIN)


def _time(relation: TemporalTable, scope: SelectScope) -> ValueLineage:
    # The time is a column of the preceding relation, which an aliased relation sees in its parent scope; else its own.
    before = scope.parent.rows if scope.parent is not None else []
    return value_of(relation.time, SelectScope(scope.context, scope.parent, [*before, *scope.rows]))


def pivoted(relation: Pivot, scope: SelectScope) -> None:
    """Add the rows of PIVOT: the columns that it does not use, which group the rows, then those of the values."""
    rows = rows_of(relation.relation, scope)
    inner = SelectScope(scope.context, scope, [rows])
    kept = _unused((*relation.axes, *(value for _, value in relation.aggregates)), rows, scope)
    axes = values_of(relation.axes, inner)
    scope.context.add_effect((column.value for column in kept), Effect.GROUP_BY)
    computed_values = [
        (name, value_of(value, inner).at_least(Strength.AGGREGATION).with_effects(axes, Effect.CONDITIONAL))
        for name, value in relation.aggregates
    ]
    columns = [
        Column("_".join(filter(None, (prefix, name))), value)
        for prefix in relation.values
        for name, value in computed_values
    ]
    scope.add(replace(rows, columns=(*kept, *columns), name="", parts=(), leading=0, hidden=frozenset()))


def unpivoted(relation: Unpivot, scope: SelectScope) -> None:
    """Add the rows of UNPIVOT: the columns that it does not use, the names of the others, and their values."""
    rows = rows_of(relation.relation, scope)
    inner = SelectScope(scope.context, scope, [rows])
    kept = _unused([column for listed in relation.columns for column in listed], rows, scope)
    values = [values_of(listed, inner) for listed in relation.columns]
    names = (Column(name, EMPTY) for name in relation.axes)
    measures = (
        Column(name, computed(listed[at] for listed in values if at < len(listed)))
        for at, name in enumerate(relation.measures)
    )
    columns = (*kept, *names, *measures)
    scope.add(replace(rows, columns=columns, name="", parts=(), leading=0, hidden=frozenset()))


def _unused(expressions: Iterable[Expression], rows: Rows, scope: SelectScope) -> tuple[Column, ...]:
    """Return the columns of *rows* that *expressions* do not read."""
    marked = [replace(column, value=copied(("", (column.name,)))) for column in rows.columns]
    inner = SelectScope(scope.context, scope, [replace(rows, columns=tuple(marked))])
    used = {origin for expression in expressions for origin in value_of(expression, inner).origins()}
    return tuple(column for column in rows.columns if ("", (column.name,)) not in used)


def _matched(relation: MatchRecognize, scope: SelectScope) -> None:
    scope.add(matched(relation, rows_of(relation.relation, scope), scope))


def _joined(relation: Joined, scope: SelectScope) -> None:
    add(relation.first, scope)
    for join in relation.joins:
        start = len(scope.rows)
        add(join.relation, scope)
        joined(join, scope, start)


_RULES: Mapping[type, Callable[..., None]] = {
    Table: table,
    DerivedTable: derived,
    Aliased: aliased,
    TableFunction: function,
    Unnest: unnested,
    TemporalTable: temporal,
    MatchRecognize: _matched,
    Pivot: pivoted,
    Unpivot: unpivoted,
    Joined: _joined,
}
