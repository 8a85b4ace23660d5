"""Resolve table functions: the columns that they pass on from their tables, and those that they add.

Sources: Flink documentation, "Windowing TVF", "Process Table Functions", "Changelog", "Model Inference",
"Vector Search".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from dataflow_generator.sql.lineage import EMPTY, UNKNOWN, Effect, Strength, ValueLineage, computed, merged
from dataflow_generator.sql.nodes import (
    Call,
    DerivedTable,
    Descriptor,
    Expression,
    ModelArgument,
    Name,
    Relation,
    Subquery,
    TableArgument,
)
from dataflow_generator.sql.output_columns import with_unique_names
from dataflow_generator.sql.scope import Column, Rows, SelectScope
from dataflow_generator.sql.value_rules import value_of, values_of

_WINDOWS = ("TUMBLE", "HOP", "CUMULATE", "SESSION")
_BOUNDS = ("window_start", "window_end", "window_time")
_SEARCH_RESULTS = "search_results"
_OPERATION, _SCORE = "op", "score"
RowsOf = Callable[[Relation, SelectScope], Rows]


@dataclass(frozen=True, slots=True)
class _Input:
    """A table that a function takes: its *rows*, and the columns that it is partitioned and sorted by."""

    rows: Rows
    keys: tuple[Column, ...]
    order: tuple[ValueLineage, ...]

    def others(self, *left_out: str) -> tuple[Column, ...]:
        """Return the columns that are not keys, without those called *left_out*."""
        names = {*(key.name for key in self.keys), *left_out}
        return tuple(column for column in self.rows.columns if column.name not in names)

    def value(self) -> ValueLineage:
        """Return the lineage of what is computed from all of its columns."""
        unlisted = [UNKNOWN if self.rows.table else self.rows.rest] if self.rows.open else []
        return computed((*(column.value for column in self.rows.columns), *unlisted))


def table_function(call: Call, scope: SelectScope, rows_of: RowsOf) -> Rows:
    """Return the rows of a table function.

    A function that is not built in passes on the keys of its tables; its other columns, whose names are not known, are
    computed from everything that it takes.
    """
    context, before = scope.context, scope.context.functions
    plain = tuple(argument for argument in call.arguments if _table(argument) is None)
    listed = [argument for argument in map(_table, call.arguments) if argument is not None]
    inputs = [_input(argument, scope, rows_of(argument.relation, scope).shown(_named(plain))) for argument in listed]
    if inputs and call.name in _WINDOWS:
        return _windowed(plain, inputs[0], scope)
    if inputs and call.name in _BUILT_IN:
        return _BUILT_IN[call.name](plain, inputs[0], scope)
    context.functions += 1
    if inputs and context.functions > before + 1:
        what = f"what {call.name} computes from the result of another function is unknown: every column is assumed"
        context.report(call.at, what)
    keys = with_unique_names([key for argument in inputs for key in argument.keys])
    rest = computed((*_scalars(plain, scope), *(argument.value() for argument in inputs)))
    return Rows(keys, open=True, rest=rest, leading=len(keys))


def _input(argument: TableArgument, scope: SelectScope, rows: Rows) -> _Input:
    inner = SelectScope(scope.context, scope, [rows])
    return _Input(rows, tuple(_key(key, inner) for key in argument.keys), tuple(values_of(argument.order, inner)))


def _key(key: Expression, scope: SelectScope) -> Column:
    return scope.resolve(key) if isinstance(key, Name) else Column("", value_of(key, scope))


def _table(argument: Expression) -> TableArgument | None:
    """Return a table argument; a query in brackets is one too."""
    if isinstance(argument, Subquery):
        return TableArgument(DerivedTable(argument.query))
    return argument if isinstance(argument, TableArgument) else None


def _scalars(plain: tuple[Expression, ...], scope: SelectScope) -> Iterator[ValueLineage]:
    """Yield the values of the arguments that are neither tables nor names of columns."""
    return (value_of(argument, scope) for argument in plain if not isinstance(argument, Descriptor))


def _described(plain: tuple[Expression, ...], rows: Rows, scope: SelectScope) -> ValueLineage:
    """Return the lineage of the columns of *rows* that DESCRIPTOR names."""
    inner = SelectScope(scope.context, scope, [rows])
    return merged(value_of(argument, inner) for argument in plain if isinstance(argument, Descriptor))


def _named(plain: tuple[Expression, ...]) -> frozenset[str]:
    """Return the columns that DESCRIPTOR names."""
    names = (name for argument in plain if isinstance(argument, Descriptor) for name in argument.names)
    return frozenset(name.parts[-1] for name in names)


def _descriptor(plain: tuple[Expression, ...], default: str) -> str:
    """Return the column that the first DESCRIPTOR names."""
    descriptors = (argument.names[0].parts[-1] for argument in plain if isinstance(argument, Descriptor))
    return next(descriptors, default)


def _windowed(plain: tuple[Expression, ...], source: _Input, scope: SelectScope) -> Rows:
    rows = source.rows
    time = _described(plain, rows, scope)
    keys = (key.value for key in source.keys)
    scope.context.add_effect([time, *keys, *source.order], Effect.WINDOW)
    bounds = time.at_least(Strength.TRANSFORMATION)
    columns = (*rows.columns, *(Column(name, bounds) for name in _BOUNDS))
    return replace(rows, columns=columns, name="", parts=())


def _with(source: _Input, columns: tuple[Column, ...]) -> Rows:
    """Return the rows of a function that passes on its table: *columns*, and the unlisted ones of the table."""
    rows = source.rows
    return replace(rows, columns=columns, leading=0, name="", parts=())


def _from_changelog(plain: tuple[Expression, ...], source: _Input, scope: SelectScope) -> Rows:
    """Return the table's columns without that of the operation, which decides what happens to a row; keys first."""
    operation = _descriptor(plain, _OPERATION)
    found = [column.value for column in source.rows.columns if column.name == operation]
    scope.context.add_effect(found, Effect.FILTER)
    return _with(source, (*source.keys, *source.others(operation)))


def _to_changelog(plain: tuple[Expression, ...], source: _Input, _: SelectScope) -> Rows:
    """Return the table's columns behind that of the operation, which the function makes; keys first."""
    operation = Column(_descriptor(plain, _OPERATION), EMPTY)
    return _with(source, (*source.keys, operation, *source.others()))


def _predicted(plain: tuple[Expression, ...], source: _Input, scope: SelectScope) -> Rows:
    """Return the table's columns, then those of the model, which are computed from the columns it is asked about."""
    predicted = computed([_described(plain, source.rows, scope)])
    names = next((scope.context.session.model(model.parts) for model in plain if isinstance(model, ModelArgument)), ())
    columns = (*source.rows.columns, *(Column(name, predicted) for name in names))
    if source.rows.open or names:
        # An unlisted column of an unknown table cannot be distinguished from the model's.
        return _with(source, columns)
    return Rows(columns, open=True, rest=predicted, leading=len(columns))


def _searched(plain: tuple[Expression, ...], source: _Input, scope: SelectScope) -> Rows:
    """Return the columns of the table that is searched, then how near each row is."""
    score = computed((_described(plain, source.rows, scope), *_scalars(plain, scope)))
    return _with(source, (*source.rows.columns, Column(_SCORE, score)))


def _collected(plain: tuple[Expression, ...], source: _Input, scope: SelectScope) -> Rows:
    """Return the only column of a search that collects its results."""
    found = computed((_described(plain, source.rows, scope), *_scalars(plain, scope), source.value()))
    return Rows((Column(_SEARCH_RESULTS, found),), open=True, rest=found, leading=1)


_BUILT_IN: Mapping[str, Callable[[tuple[Expression, ...], _Input, SelectScope], Rows]] = {
    "FROM_CHANGELOG": _from_changelog,
    "TO_CHANGELOG": _to_changelog,
    "ML_PREDICT": _predicted,
    "VECTOR_SEARCH": _searched,
    "KEY_SEARCH_AGG": _collected,
    "TEXT_SEARCH_AGG": _collected,
    "VECTOR_SEARCH_AGG": _collected,
}
