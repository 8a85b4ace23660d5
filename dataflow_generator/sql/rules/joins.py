"""Joins: the condition bears on every row; USING and NATURAL merge columns; ksqlDB may make a key of its own."""

from __future__ import annotations

from dataflow_generator.sql.flows import Effect
from dataflow_generator.sql.lineage import computed
from dataflow_generator.sql.naming import synthetic_key
from dataflow_generator.sql.nodes import Expression, Join, Name, Operation
from dataflow_generator.sql.rules.values import value_of
from dataflow_generator.sql.scopes import Column, Rows, Scope


def joined(join: Join, scope: Scope, start: int) -> None:
    """Apply a join whose own relations are those of *scope* from *start* on."""
    if join.condition is not None:
        scope.analysis.affect([value_of(join.condition, scope)], Effect.JOIN)
    if join.semi:
        del scope.rows[start:]
    elif join.using or join.natural:
        _merge(join, scope, start)
    elif not scope.analysis.flink:
        scope.synthetic = _key(join, scope)


def _merge(join: Join, scope: Scope, start: int) -> None:
    left, right = scope.rows[:start], scope.rows[start:]
    for name in join.using or _shared(left, right):
        sides = [one for one in (scope.merged.get(name) or _side(left, name), _side(right, name)) if one is not None]
        scope.analysis.affect([one.value for one in sides], Effect.JOIN)
        if sides:
            scope.merged[name] = Column(name, computed(one.value for one in sides), sides[0].type)


def _shared(left: list[Rows], right: list[Rows]) -> list[str]:
    names = {column.name for rows in left for column in rows.columns}
    return [column.name for rows in right for column in rows.columns if column.name in names]


def _side(side: list[Rows], name: str) -> Column | None:
    """Find a column by its name on one side of a join."""
    listed = [column for rows in side for column in rows.columns if column.name == name]
    opened = [column for rows in side if (column := rows.unlisted(name)) is not None]
    return next(iter(listed or opened), None)


def _key(join: Join, scope: Scope) -> Column | None:
    """Give the key that ksqlDB makes where no plain column can be it: a full join, or expressions on both sides."""
    if join.condition is None:
        return None
    sides = join.condition.operands if isinstance(join.condition, Operation) else (join.condition,)
    if not join.full and any(_is_column(side) for side in sides):
        return None
    return Column(synthetic_key(scope), computed(value_of(side, scope) for side in sides))


def _is_column(side: Expression) -> bool:
    return isinstance(side, Name) and not side.fields
