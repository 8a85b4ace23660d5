"""What stands behind FROM: which rows a relation gives, and what of it bears on all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dataflow_generator.sql.catalog import KnownTable, View
from dataflow_generator.sql.flows import Effect
from dataflow_generator.sql.lineage import EMPTY, Strength, Value, computed, copied
from dataflow_generator.sql.nodes import (
    Aliased,
    Derived,
    Joined,
    Matched,
    Part,
    Relation,
    Table,
    TableFunction,
    Temporal,
    Unnest,
)
from dataflow_generator.sql.rules.joins import joined
from dataflow_generator.sql.rules.matches import matched
from dataflow_generator.sql.rules.values import type_of, value_of
from dataflow_generator.sql.rules.windows import table_function
from dataflow_generator.sql.scopes import Column, Rows, Scope


def add(relation: Relation, scope: Scope) -> None:
    """Make what *relation* gives known to *scope*."""
    _RULES[type(relation)](relation, scope)


def rows_of(relation: Relation, scope: Scope) -> Rows:
    """Give a relation by itself; what stands before it in *scope* may be used in it."""
    inner = Scope(scope.analysis, scope)
    add(relation, inner)
    return as_one(inner)


def as_one(scope: Scope) -> Rows:
    """Give all relations of *scope* as one."""
    if len(scope.rows) == 1:
        return scope.rows[0]
    opened = [rows for rows in scope.rows if rows.open]
    table = opened[0].table if len(opened) == 1 else ""
    rest = computed(rows.rest for rows in opened)
    return Rows(tuple(scope.listed()), table=table, open=bool(opened), rest=rest)


def table(relation: Table, scope: Scope) -> None:
    """Add a table: a query named by WITH, a view's columns, a known table's, or one whose columns nobody knows."""
    parts = relation.parts
    common = scope.named(parts[0]) if len(parts) == 1 else None
    if common is not None:
        scope.analysis.take(common.gathered)
        scope.add(replace(common.rows, name=parts[0], parts=parts))
        return
    known = scope.analysis.session.table(parts)
    if known is not None and known.view is not None:
        scope.add(_view(known.view, scope, relation))
        return
    name = scope.analysis.dataset(parts)
    scope.analysis.sources.add(name)
    found = Rows(name=parts[-1], parts=parts, table=name, open=known is None or not known.complete)
    if known is not None:
        found = replace(
            found,
            columns=_columns(known, name, scope),
            windowed=known.windowed,
            time=computed([copied((name, (known.timestamp,)))]) if known.timestamp else None,
            is_table=known.is_table,
        )
    scope.add(found)


def _view(view: View, scope: Scope, relation: Table) -> Rows:
    analysis = scope.analysis
    for source in sorted(view.sources):
        analysis.sources.add(source)
    analysis.datasets.update({one.name: one for one in view.datasets})
    analysis.effects |= view.effects
    columns = tuple(Column(*column) for column in view.columns)
    return Rows(columns, relation.parts[-1], relation.parts, view.table, open=view.open)


def _columns(known: KnownTable, name: str, scope: Scope) -> tuple[Column, ...]:
    """List a known table's columns; a computed one is made of others of the same table."""
    listed = known.columns
    found = {
        one.name: Column(one.name, copied((name, (one.name,))), one.type) for one in listed if one.expression is None
    }
    inner = Scope(scope.analysis, None, [Rows(tuple(found.values()), known.name[-1], known.name)])
    for one in listed:
        if one.expression is not None and one.part is Part.COMPUTED:
            found[one.name] = Column(one.name, value_of(one.expression, inner))
    return tuple(found[one.name] for one in listed)


def derived(relation: Derived, scope: Scope) -> None:
    """Add a query's rows."""
    scope.add(scope.analysis.query(relation.query, scope))


def aliased(relation: Aliased, scope: Scope) -> None:
    """Add a relation under another name, its columns renamed."""
    rows = renamed(rows_of(relation.relation, scope), relation.columns)
    scope.add(replace(rows, name=relation.name, parts=(relation.name,)))


def renamed(rows: Rows, names: tuple[str, ...]) -> Rows:
    """Give a relation with its first columns renamed."""
    if not names:
        return rows
    kept = rows.columns[len(names) :]
    listed = tuple(replace(column, name=name) for column, name in zip(rows.columns, names, strict=False))
    if rows.open and len(names) > len(rows.columns):
        made = rows.rest if not rows.table else EMPTY
        return Rows((*listed, *(Column(name, made) for name in names[len(listed) :])))
    return replace(rows, columns=(*listed, *kept))


def function(relation: TableFunction, scope: Scope) -> None:
    """Add the rows of a table function."""
    scope.add(table_function(relation.call, scope, rows_of))


def unnested(relation: Unnest, scope: Scope) -> None:
    """Add the elements of a collection as rows: the fields of its records, else columns made of the collection."""
    value = value_of(relation.expression, scope)
    rest = value.at_least(Strength.TRANSFORMATION)
    kind = type_of(relation.expression, scope)
    element = kind.element if kind and kind.name != "MAP" else None
    columns = tuple(
        Column(name, value.field((name,)).at_least(Strength.TRANSFORMATION), inner)
        for name, inner in (element.fields if element else ())
    )
    scope.add(Rows(columns, open=not columns or relation.numbered, rest=rest))


def temporal(relation: Temporal, scope: Scope) -> None:
    """Add a relation as of a time, which bears on the result as a join's condition does."""
    add(relation.relation, scope)
    scope.analysis.affect([_time(relation, scope)], Effect.JOIN)


def _time(relation: Temporal, scope: Scope) -> Value:
    # The time is a column of the relation before, which an aliased relation sees as its parent's; else its own.
    before = scope.parent.rows if scope.parent is not None else []
    return value_of(relation.time, Scope(scope.analysis, scope.parent, [*before, *scope.rows]))


def _matched(relation: Matched, scope: Scope) -> None:
    scope.add(matched(relation, rows_of(relation.relation, scope), scope))


def _joined(relation: Joined, scope: Scope) -> None:
    add(relation.first, scope)
    for join in relation.joins:
        start = len(scope.rows)
        add(join.relation, scope)
        joined(join, scope, start)


_RULES: Mapping[type, Callable[..., None]] = {
    Table: table,
    Derived: derived,
    Aliased: aliased,
    TableFunction: function,
    Unnest: unnested,
    Temporal: temporal,
    Matched: _matched,
    Joined: _joined,
}
