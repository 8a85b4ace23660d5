"""The select list: `*` and struct stars expanded, each item's lineage, ksqlDB's implicit keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dataflow_generator.sql.analysis import MOST_COLUMNS, TooLarge
from dataflow_generator.sql.lineage import Origin, Strength, Value, copied
from dataflow_generator.sql.naming import Names
from dataflow_generator.sql.nodes import Constant, Expression, Name, Select, SelectItem, Star, Structure
from dataflow_generator.sql.rules.values import field_of, type_of, value_of
from dataflow_generator.sql.scopes import PSEUDO, WINDOW_BOUNDS, Column, Rows, Scope


def projections(select: Select, scope: Scope, keys: list[Value]) -> Rows:
    """Give the columns of a select list; *keys* are what it is grouped by."""
    names = Names(scope)
    columns: list[Column] = []
    opened: list[Rows] = []
    for item in select.items:
        if isinstance(item.expression, Star):
            columns += _star(item.expression, scope, opened)
            columns += _joined_pseudo(select, item.expression, scope)
        else:
            columns.append(_item(item, names, len(columns), scope))
        if len(columns) > MOST_COLUMNS:
            raise TooLarge
    if select.group:
        columns = list(_through_aggregates(columns, keys))
    if select.partition:
        columns += _implicit(select, names, scope)
    if not opened:
        return Rows(tuple(columns))
    one = opened[0] if len(opened) == 1 else Rows()
    return Rows(tuple(columns), table=one.table, others=one.others, open=one.open, rest=one.rest)


def _item(item: SelectItem, names: Names, place: int, scope: Scope) -> Column:
    name = names.of(item, place)
    if isinstance(item.expression, Name):
        found = scope.resolve(item.expression)
        return found if found.name == name else Column(name, found.value, found.type)
    return _made(name, item.expression, scope)


def _made(name: str, expression: Expression, scope: Scope) -> Column:
    """Return a column with what it is made of; a structure that is made here, field by field."""
    fields = expression.fields if isinstance(expression, Structure) else ()
    inside = tuple(_made(inner, value, scope) for inner, value in fields)
    return Column(name, value_of(expression, scope), type_of(expression, scope), inside)


def _star(star: Star, scope: Scope, opened: list[Rows]) -> Iterator[Column]:
    rows = scope.called(star.parts) if star.parts else None
    if star.base is not None or (star.parts and rows is None):
        yield from _struct(star.base or Name(star.parts, star.at), star.at, scope)
        return
    if not star.parts:
        yield from scope.merged.values()
        if scope.synthetic:
            yield scope.synthetic
    for one in [rows] if rows is not None else scope.rows:
        if one.open:
            _unknown(star, one, scope)
            opened.append(one)
        yield from _all(one, scope, merged=not star.parts)


def _all(rows: Rows, scope: Scope, *, merged: bool) -> Iterator[Column]:
    """Give every column of a relation as `*` names it: in ksqlDB's joins with its alias before it."""
    if scope.analysis.flink:
        yield from (column for column in rows.columns if not (merged and column.name in scope.merged))
        return
    joined = len(scope.rows) > 1
    before = f"{rows.name}_" if joined else ""
    # A persistent query's sink has the window's bounds in its key, where they are no columns.
    if rows.windowed and rows.table and (joined or not scope.analysis.persistent):
        for name in WINDOW_BOUNDS:
            yield Column(before + name, copied((rows.table, (name,))))
    for column in rows.columns:
        yield Column(before + column.name, column.value, column.type)


def _struct(base: Expression, at: int, scope: Scope) -> Iterator[Column]:
    kind = type_of(base, scope)
    if kind is None or not kind.fields:
        scope.analysis.note(
            at, "the fields of a structure are not known: * is not expanded", "give the DDL of its table"
        )
        return
    for name, inner in kind.fields:
        yield Column(name, field_of(base, (name,), scope), inner)


def _unknown(star: Star, rows: Rows, scope: Scope) -> None:
    what = rows.table or rows.name or "a function"
    scope.analysis.note(star.at, f"* is not expanded: the columns of {what} are not known", f"give the DDL of {what}")


def _through_aggregates(columns: list[Column], keys: list[Value]) -> Iterator[Column]:
    """Mark what is no key: in a grouped query it can reach the result through an aggregate function only."""
    grouped = {origin for key in keys for origin in key.direct}
    for column in columns:
        yield _aggregated(column, grouped)


def _aggregated(column: Column, grouped: set[Origin]) -> Column:
    direct = {
        origin: strength if _is_key(origin, grouped) else Strength.AGGREGATION
        for origin, strength in column.value.direct.items()
    }
    inside = tuple(_aggregated(each, grouped) for each in column.fields)
    return replace(column, value=Value(direct, column.value.indirect), fields=inside)


def _is_key(origin: Origin, grouped: set[Origin]) -> bool:
    table, path = origin
    return any((table, path[:length]) in grouped for length in range(1, len(path) + 1))


def _joined_pseudo(select: Select, star: Star, scope: Scope) -> Iterator[Column]:
    """Give what ksqlDB's `*` adds where a join is partitioned anew: the records' time and place, from each source."""
    if not select.partition or len(scope.rows) == 1 or star.parts or star.base is not None:
        return
    for rows in scope.rows:
        for name in PSEUDO if rows.table else ():
            yield Column(f"{rows.name}_{name}", rows.pseudo(name))


def _implicit(select: Select, names: Names, scope: Scope) -> Iterator[Column]:
    """Give the keys of ksqlDB's PARTITION BY that no item lists: expressions, a record's time and place."""
    listed = {item.expression for item in select.items}
    for key in select.partition:
        if key in listed or isinstance(key, Constant) or (isinstance(key, Name) and _is_listed(key, scope)):
            continue
        yield Column(names.of_key(key), value_of(key, scope))


def _is_listed(key: Name, scope: Scope) -> bool:
    return not key.fields and (key.parts[-1] not in PSEUDO or scope.lists(key.parts[-1]))
