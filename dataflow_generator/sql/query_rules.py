"""Resolve queries: select lists with `*` and struct stars expanded, each item's lineage, ksqlDB's implicit keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from dataflow_generator.sql.lineage import EMPTY, UNKNOWN, Effect, Origin, Strength, ValueLineage, copied, merged
from dataflow_generator.sql.nodes import (
    Constant,
    Expression,
    Name,
    Query,
    Select,
    SelectItem,
    SetOperand,
    Star,
    StructConstructor,
    Values,
)
from dataflow_generator.sql.output_columns import OutputNames, with_unique_names
from dataflow_generator.sql.relation_rules import add
from dataflow_generator.sql.scope import (
    MOST_COLUMNS,
    PSEUDO,
    ROWTIME,
    WINDOW_BOUNDS,
    Column,
    ResolvedCommonTable,
    Rows,
    SelectScope,
    TooLarge,
)
from dataflow_generator.sql.value_rules import field_of, type_of, value_of, values_of


def projections(select: Select, scope: SelectScope, keys: list[ValueLineage]) -> Rows:
    """Return the columns of a select list; *keys* are its GROUP BY keys."""
    names = OutputNames(scope)
    columns: list[Column] = []
    opened: list[Rows] = []
    for item in select.items:
        if isinstance(item.expression, Star):
            columns += _star(item.expression, scope, opened, len(columns))
            columns += _joined_pseudo(select, item.expression, scope)
        else:
            columns.append(_item(item, names, len(columns), scope))
        if len(columns) > MOST_COLUMNS:
            raise TooLarge
    if select.group:
        columns = list(_through_aggregates(columns, keys))
    if select.partition:
        columns += _implicit(select, names, scope)
    listed = with_unique_names(columns) if scope.context.flink else tuple(columns)
    if not opened:
        return Rows(listed)
    source = opened[0] if len(opened) == 1 else Rows(rest=UNKNOWN, leading=opened[0].leading)
    return Rows(listed, table=source.table, others=source.others, open=True, rest=source.rest, leading=source.leading)


def _item(item: SelectItem, names: OutputNames, position: int, scope: SelectScope) -> Column:
    name = names.of(item, position)
    if isinstance(item.expression, Name):
        column = scope.resolve(item.expression)
        return column if column.name == name else Column(name, column.value, column.type, span=column.span)
    return replace(_computed(name, item.expression, scope), span=(item.at, item.end))


def _computed(name: str, expression: Expression, scope: SelectScope) -> Column:
    """Return a column with its lineage; for a struct constructor, field by field."""
    fields = expression.fields if isinstance(expression, StructConstructor) else ()
    inside = tuple(_computed(inner, value, scope) for inner, value in fields)
    return Column(name, value_of(expression, scope), type_of(expression, scope), inside)


def _star(star: Star, scope: SelectScope, opened: list[Rows], before: int) -> list[Column]:
    """Return the columns of a star; add relations with unlisted ones to *opened*, *before* is the number of items."""
    rows = scope.find_relation(star.parts) if star.parts else None
    if star.base is not None or (star.parts and rows is None):
        return list(_struct(star.base or Name(star.parts, star.at), star.at, scope))
    columns: list[Column] = []
    if not star.parts:
        columns += scope.merged.values()
        if scope.synthetic:
            columns.append(scope.synthetic)
    for relation in [rows] if rows is not None else scope.rows:
        if relation.open:
            _unknown(star, relation, scope)
            opened.append(replace(relation, leading=before + len(columns) + relation.leading))
        columns += _all(relation, scope, merged=not star.parts)
    return columns


def _all(rows: Rows, scope: SelectScope, *, merged: bool) -> Iterator[Column]:
    """Return every column of a relation as `*` names it: in ksqlDB joins prefixed with its alias."""
    if scope.context.flink:
        omitted = rows.hidden | scope.merged.keys() if merged else rows.hidden
        yield from (column for column in rows.columns if column.name not in omitted)
        return
    joined = len(scope.rows) > 1
    before = f"{rows.name}_" if joined else ""
    # The sink of a persistent query has the window bounds in its key; they are not columns.
    if rows.windowed and rows.table and (joined or not scope.context.persistent):
        for name in WINDOW_BOUNDS:
            yield Column(before + name, copied((rows.table, (name,))))
    for column in rows.columns:
        yield Column(before + column.name, column.value, column.type)


def _struct(base: Expression, at: int, scope: SelectScope) -> Iterator[Column]:
    kind = type_of(base, scope)
    if kind is None or not kind.fields:
        scope.context.report(
            at, "* is not expanded: the fields of a struct are unknown", "provide the DDL of its table"
        )
        return
    for name, inner in kind.fields:
        yield Column(name, field_of(base, (name,), scope), inner)


def _unknown(star: Star, rows: Rows, scope: SelectScope) -> None:
    what = rows.table or rows.name
    hint = f"provide the DDL of {what}" if what else "name the columns of the function"
    scope.context.report(star.at, f"* is not expanded: the columns of {what or 'a function'} are unknown", hint)


def _through_aggregates(columns: list[Column], keys: list[ValueLineage]) -> Iterator[Column]:
    """Mark columns that are not keys: in a grouped query they reach the result through an aggregate function only."""
    grouped = {origin for key in keys for origin in key.direct}
    for column in columns:
        yield _aggregated(column, grouped)


def _aggregated(column: Column, grouped: set[Origin]) -> Column:
    direct = {
        origin: strength if _is_key(origin, grouped) else Strength.AGGREGATION
        for origin, strength in column.value.direct.items()
    }
    inside = tuple(_aggregated(field, grouped) for field in column.fields)
    return replace(column, value=replace(column.value, direct=direct), fields=inside)


def _is_key(origin: Origin, grouped: set[Origin]) -> bool:
    table, path = origin
    return any((table, path[:length]) in grouped for length in range(1, len(path) + 1))


def _joined_pseudo(select: Select, star: Star, scope: SelectScope) -> Iterator[Column]:
    """Return what ksqlDB's `*` adds where a join is repartitioned: the pseudo columns of each source."""
    if not select.partition or len(scope.rows) == 1 or star.parts or star.base is not None:
        return
    for rows in scope.rows:
        for name in PSEUDO if rows.table else ():
            yield Column(f"{rows.name}_{name}", rows.pseudo(name))


def _implicit(select: Select, names: OutputNames, scope: SelectScope) -> Iterator[Column]:
    """Return the keys of ksqlDB's PARTITION BY that no item lists: expressions and pseudo columns."""
    listed = {item.expression for item in select.items}
    for key in select.partition:
        if key in listed or isinstance(key, Constant) or (isinstance(key, Name) and _is_listed(key, scope)):
            continue
        yield Column(names.of_key(key), value_of(key, scope))


def _is_listed(key: Name, scope: SelectScope) -> bool:
    return not key.fields and (key.parts[-1] not in PSEUDO or scope.has_column(key.parts[-1]))


def query(parsed: Query, scope: SelectScope) -> Rows:
    """Return the rows of a query inside *scope*."""
    inner = SelectScope(scope.context, scope)
    for common in parsed.common:  # each sees those before it; its own name refers to a table
        with scope.context.isolated() as gathered:
            rows = query(common.query, inner).renamed(common.columns)
        inner.common[common.name] = ResolvedCommonTable(rows, gathered)
    rows, last = _branch(parsed.branches[0], inner)
    for branch in parsed.branches[1:]:
        rows, last = _combined(rows, branch, inner), None
    if parsed.order:
        _sorts(parsed, rows, last or inner)
    return rows


def _branch(branch: SetOperand, scope: SelectScope) -> tuple[Rows, SelectScope | None]:
    match branch.body:
        case Select():
            return _select(branch.body, scope)
        case Values():
            return _values(branch.body, scope), None
        case Query():
            return query(branch.body, scope), None


def _select(select: Select, outer: SelectScope) -> tuple[Rows, SelectScope]:
    scope = SelectScope(outer.context, outer, windows=dict(select.windows))
    if select.relation is not None:
        add(select.relation, scope)
    if select.windowed:
        scope.bounds = _bounds(scope)
    if select.where is not None:
        scope.context.add_effect([value_of(select.where, scope)], Effect.FILTER)
    keys = _groupings(select, scope)
    rows = projections(select, scope, keys)
    scope.aliases = {column.name: column.value for column in rows.columns}
    scope.context.add_effect(values_of(select.having, scope), Effect.FILTER)
    if select.distinct:
        scope.context.add_effect((column.value for column in rows.columns), Effect.GROUP_BY)
    return replace(rows, windowed=_is_windowed(select, scope)), scope


def _is_windowed(select: Select, scope: SelectScope) -> bool:
    """Return whether the result's key has window bounds: by its own window, or as its only source's has."""
    return select.windowed or (len(scope.rows) == 1 and scope.rows[0].windowed and not select.group)


def _bounds(scope: SelectScope) -> ValueLineage:
    """Return what a ksqlDB window's bounds depend on: the record time, which also decides which rows are grouped."""
    base = [rows for rows in scope.rows if rows.table]
    # Only streams are windowed: a joined table contributes columns, not the record time.
    times = [rows.pseudo(ROWTIME) for rows in base if not rows.is_table] or [rows.pseudo(ROWTIME) for rows in base]
    scope.context.add_effect(times, Effect.WINDOW)
    return EMPTY.with_effects(times, Effect.WINDOW)


def _groupings(select: Select, scope: SelectScope) -> list[ValueLineage]:
    named = {item.alias: item.expression for item in select.items if item.alias}
    keys = [value_of(_unaliased(key, named, scope), scope) for key in select.group]
    scope.context.add_effect(keys, Effect.GROUP_BY)
    return keys


def _unaliased(key: Expression, named: Mapping[str, Expression], scope: SelectScope) -> Expression:
    """Return what a key that is the alias of an item refers to; a column of that name takes precedence."""
    if isinstance(key, Name) and len(key.parts) == 1 and not scope.has_column(key.parts[0]):
        return named.get(key.parts[0], key)
    return key


def _values(values: Values, scope: SelectScope) -> Rows:
    """Return the columns of VALUES: usually constants, but a lateral one may name columns."""
    width = max((len(row) for row in values.rows), default=0)
    columns: list[list[ValueLineage]] = [[] for _ in range(width)]
    for row in values.rows:
        for position, expression in enumerate(row):
            columns[position].append(value_of(expression, scope))
    return Rows(tuple(Column(f"EXPR${position}", merged(column)) for position, column in enumerate(columns)))


def _combined(left: Rows, branch: SetOperand, scope: SelectScope) -> Rows:
    """Combine operands of a set operation by position; the right side of EXCEPT contributes no value."""
    right, _ = _branch(branch, scope)
    if branch.operation == "EXCEPT":
        scope.context.add_effect((column.value for column in right.columns), Effect.FILTER)
        return left
    if left.open or right.open:
        tables = [table for rows in (left, right) for table in (rows.table, *rows.others) if table]
        rest = merged((left.rest, right.rest))
        columns = tuple(_both(left.placed, right.placed))
        others = tuple(tables[1:])
        return Rows(
            columns, table=tables[0] if tables else "", others=others, open=True, rest=rest, leading=len(columns)
        )
    return Rows(tuple(_both(left.columns, right.columns)))


def _both(left: tuple[Column, ...], right: tuple[Column, ...]) -> Iterator[Column]:
    """Yield columns that have the values of both sides; the left side names them."""
    for first, second in zip(left, right, strict=False):
        yield Column(first.name, merged((first.value, second.value)), first.type)


def _sorts(parsed: Query, rows: Rows, scope: SelectScope) -> None:
    """Report the sort keys of the result: its own columns first, then those of its relations."""
    inner = SelectScope(scope.context, scope, [Rows(rows.columns)])
    scope.context.add_effect(values_of(parsed.order, inner), Effect.SORT)
