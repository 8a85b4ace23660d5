"""MATCH_RECOGNIZE: measures are picked out of the rows of a match; its keys and conditions bear on every match."""

from __future__ import annotations

from dataflow_generator.sql.flows import Effect
from dataflow_generator.sql.lineage import Strength
from dataflow_generator.sql.nodes import Expression, Matched, Name
from dataflow_generator.sql.rules.values import value_of, values_of
from dataflow_generator.sql.scopes import Column, Rows, Scope


def matched(relation: Matched, rows: Rows, scope: Scope) -> Rows:
    """Give a match's columns: what it is partitioned by, then its measures (all columns where all rows are kept)."""
    inner = Scope(scope.analysis, scope, [rows], variables=relation.variables)
    analysis = scope.analysis
    analysis.affect(values_of(relation.definitions, inner), Effect.FILTER)
    analysis.affect(values_of(relation.partition, inner), Effect.GROUP_BY)
    analysis.affect(values_of(relation.order, inner), Effect.SORT)
    measures = [Column(name, value_of(one, inner).at_least(Strength.TRANSFORMATION)) for name, one in relation.measures]
    if relation.all_rows:
        return Rows((*rows.columns, *measures), table=rows.table, open=rows.open, rest=rows.rest)
    keys = [Column(_name(one), value_of(one, inner)) for one in relation.partition]
    return Rows((*keys, *measures))


def _name(key: Expression) -> str:
    return key.parts[-1] if isinstance(key, Name) else ""
