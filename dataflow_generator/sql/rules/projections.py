"""The select list: `*` and struct stars expanded, each item's lineage, ksqlDB's implicit keys."""

from __future__ import annotations

from collections.abc import Iterator

from dataflow_generator.sql.analysis import MOST_COLUMNS, TooLarge
from dataflow_generator.sql.lineage import Origin, Strength, Value
from dataflow_generator.sql.naming import Names
from dataflow_generator.sql.nodes import Name, Select, SelectItem, Star
from dataflow_generator.sql.rules.values import value_of
from dataflow_generator.sql.scopes import Column, Rows, Scope, inner_type


def projections(select: Select, scope: Scope, keys: list[Value]) -> Rows:
    """Give the columns of a select list; *keys* are what it is grouped by."""
    names = Names(scope)
    columns: list[Column] = []
    opened: list[Rows] = []
    for item in select.items:
        if isinstance(item.expression, Star):
            columns += _star(item.expression, scope, opened)
        else:
            columns.append(_item(item, names, len(columns), scope))
        if len(columns) > MOST_COLUMNS:
            raise TooLarge
    if select.group:
        columns = list(_through_aggregates(columns, keys))
    columns += _implicit(select, names, scope)
    if not opened:
        return Rows(tuple(columns))
    return Rows(tuple(columns), table=opened[0].table if len(opened) == 1 else "", open=len(opened) == 1)


def _item(item: SelectItem, names: Names, place: int, scope: Scope) -> Column:
    name = names.of(item, place)
    if isinstance(item.expression, Name):
        found = scope.resolve(item.expression)
        return Column(name, found.value, found.type)
    return Column(name, value_of(item.expression, scope))


def _star(star: Star, scope: Scope, opened: list[Rows]) -> Iterator[Column]:
    rows = scope.called(star.parts) if star.parts and not star.of_struct else None
    if star.parts and rows is None:
        yield from _struct(star, scope)
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
    if scope.analysis.flink or len(scope.rows) == 1:
        for column in rows.columns:
            if not (merged and column.name in scope.merged):
                yield column
        return
    bounds = ("WINDOWSTART", "WINDOWEND") if rows.windowed else ()
    for name in bounds:
        found = scope.resolve(Name((rows.name, name), 0))
        yield Column(f"{rows.name}_{name}", found.value)
    for column in rows.columns:
        yield Column(f"{rows.name}_{column.name}", column.value, column.type)


def _struct(star: Star, scope: Scope) -> Iterator[Column]:
    column = scope.resolve(Name(star.parts, star.at, star.fields))
    kind = column.type
    if kind is None or not kind.fields:
        scope.analysis.note(star.at, f"the fields of {column.name} are not known", "give the DDL of its table")
        return
    for name, _ in kind.fields:
        yield Column(name, column.value.field((name,)), inner_type(kind, (name,)))


def _unknown(star: Star, rows: Rows, scope: Scope) -> None:
    what = rows.table or rows.name or "a function"
    scope.analysis.note(star.at, f"* is not expanded: the columns of {what} are not known", f"give the DDL of {what}")


def _through_aggregates(columns: list[Column], keys: list[Value]) -> Iterator[Column]:
    """Mark what is no key: in a grouped query it can reach the result through an aggregate function only."""
    grouped = {origin for key in keys for origin in key.direct}
    for column in columns:
        direct = {
            origin: strength if _is_key(origin, grouped) else Strength.AGGREGATION
            for origin, strength in column.value.direct.items()
        }
        yield Column(column.name, Value(direct, column.value.indirect), column.type)


def _is_key(origin: Origin, grouped: set[Origin]) -> bool:
    table, path = origin
    return any((table, path[:length]) in grouped for length in range(1, len(path) + 1))


def _implicit(select: Select, names: Names, scope: Scope) -> Iterator[Column]:
    """Give the keys of ksqlDB's PARTITION BY that are expressions and not in the select list."""
    listed = {item.expression for item in select.items}
    for key in select.partition:
        if key in listed or (isinstance(key, Name) and not key.fields):
            continue
        yield Column(names.of_key(key), value_of(key, scope))
