"""Map the columns of a query to the columns of its sink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from dataflow_generator.sql.catalog import KnownTable
from dataflow_generator.sql.lineage import EFFECTS, Effect, Origin, SqlColumn, SqlFlow
from dataflow_generator.sql.nodes import (
    ColumnKind,
    Expression,
    FieldAccess,
    InsertStatement,
    Name,
    SelectItem,
)
from dataflow_generator.sql.scope import PSEUDO, WINDOW_BOUNDS, Column, Rows, SelectScope, StatementContext, TooLarge
from scanner_model.columns import ColumnPath


class OutputNames:
    """Assigns the output column names of one select list, from left to right."""

    def __init__(self, scope: SelectScope) -> None:
        self._scope = scope
        self._flink = scope.context.flink
        self._joined = len(scope.rows) > 1
        self._used_names: set[str] = set() if self._flink else {column.name for column in scope.listed()}
        self._fields: dict[str, int] = {}
        self._next = 0

    def of(self, item: SelectItem, position: int) -> str:
        """Return the name of an item: its alias, the name in its expression, or a generated one."""
        if item.alias:
            return item.alias
        if isinstance(item.expression, Name):
            return self._of_name(item.expression)
        if isinstance(item.expression, FieldAccess) and not self._flink:
            return self._of_field(item.expression.fields[-1])
        return f"EXPR${position}" if self._flink else self.counted()

    def counted(self) -> str:
        """Return ksqlDB's next `KSQL_COL_n` that is not a source column."""
        while f"KSQL_COL_{self._next}" in self._used_names:
            self._next += 1
        self._next += 1
        return f"KSQL_COL_{self._next - 1}"

    def of_key(self, key: Expression) -> str:
        """Return the name of a key that is not in the select list."""
        return self._of_name(key) if isinstance(key, Name) else self.counted()

    def _of_name(self, name: Name) -> str:
        if self._flink:
            return name.fields[-1] if name.fields else name.parts[-1]
        if name.fields:
            return self._of_field(name.fields[-1])
        if len(name.parts) > 1 and self._joined and self._clashes(name.parts[-1]):
            return "_".join(name.parts)
        return name.parts[-1]

    def _of_field(self, field: str) -> str:
        count = self._fields.get(field, 0) + (field in self._used_names)
        self._fields[field] = self._fields.get(field, 0) + 1
        return f"{field}_{count}" if count else field

    def _clashes(self, name: str) -> bool:
        if name in PSEUDO:
            return True
        return sum(_has(rows, name) for rows in self._scope.rows) > 1


def _has(rows: Rows, name: str) -> bool:
    return any(column.name == name for column in rows.columns) or (rows.windowed and name in WINDOW_BOUNDS)


def synthetic_key(scope: SelectScope) -> str:
    """Return the name of the key that ksqlDB generates for a join: ROWKEY, numbered where a source has that name."""
    used_names = {column.name for column in scope.listed()}
    name, count = "ROWKEY", 0
    while name in used_names:
        count += 1
        name = f"ROWKEY_{count}"
    return name


def make_unique(names: Iterable[str]) -> list[str]:
    """Make equal names unique as Flink's planner does: `id`, `id0`, `id1`."""
    result: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in names:
        candidate = name
        while candidate in result:
            counts[name] = counts.get(name, -1) + 1
            candidate = f"{name}{counts[name]}"
        result[candidate] = None
    return list(result)


_NOT_PERSISTED = (ColumnKind.COMPUTED, ColumnKind.VIRTUAL)


_LONGEST = 120
MOST_FLOWS = 10_000
"""Flows that one statement may have; a thousand columns derived from five each are 5,000."""


def flows(columns: Sequence[Column], sink: str, context: StatementContext, text: str) -> tuple[SqlFlow, ...]:
    """Return the flows into *sink*, sorted: those of each column, and those that affect all of its rows.

    The statement is a part of *text*. Raises TooLarge above MOST_FLOWS.
    """
    distinct = set(islice(_flows(columns, context), MOST_FLOWS + 1))
    written = {column.name: _shortened(text[slice(*column.span)]) for column in columns if column.span}
    if len(distinct) > MOST_FLOWS:
        raise TooLarge
    refs = {origin: SqlColumn(*origin) for _, origin, _ in distinct}
    return tuple(
        SqlFlow(SqlColumn(sink, path), refs[origin], effect, written.get(path[0], "") if len(path) == 1 else "")
        for path, origin, effect in sorted(distinct)
    )


def _shortened(expression: str) -> str:
    """Return an expression in one line that a person reads at once."""
    line = " ".join(expression.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _flows(columns: Iterable[Column], context: StatementContext) -> Iterator[tuple[ColumnPath, Origin, Effect]]:
    for column in columns:
        yield from _flows_into((column.name,), column)
    for origin, effect in context.effects:
        yield (), origin, effect


def _flows_into(path: ColumnPath, column: Column) -> Iterator[tuple[ColumnPath, Origin, Effect]]:
    for field in column.fields:
        yield from _flows_into((*path, field.name), field)
    if column.fields:
        return
    for origin, strength in column.value.direct.items():
        yield path, origin, EFFECTS[strength]
    for origin, effect in column.value.indirect:
        yield path, origin, effect


def with_unique_names(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Rename the columns of a query as far as their names are not unique, as Flink's planner does."""
    names = [column.name for column in columns]
    if len(set(names)) == len(names):
        return tuple(columns)
    unique = zip(make_unique(names), columns, strict=True)
    return tuple(column if column.name == name else replace(column, name=name) for name, column in unique)


def columns_of_insert(
    statement: InsertStatement, rows: Rows, known: KnownTable | None, context: StatementContext
) -> tuple[Column, ...]:
    """Return the columns of the sink of an INSERT.

    ksqlDB matches by name; Flink by position among the listed columns, or all persisted ones. Where these are
    unknown, the query's own names are used and a problem is reported. Where the query has columns that are not known,
    those before them are at their positions; the others are derived from what a table function takes.
    """
    if statement.columns is None and not context.flink:
        return rows.columns
    targets = statement.columns
    if targets is None and known is not None and known.complete:
        targets = tuple(
            listed.name
            for listed in known.columns
            if listed.part not in _NOT_PERSISTED and listed.name not in statement.fixed
        )
    if targets is None:
        sink = ".".join(statement.name)
        what = f"the columns of {sink} are unknown; the query's column names are assumed"
        if any(column.value.direct for column in rows.columns):
            context.report(statement.at, what, f"provide the DDL of {sink}")
        return rows.columns
    if rows.open:
        return rows.renamed(targets).columns[: len(targets)]
    if len(targets) != len(rows.columns):
        what = f"{len(rows.columns)} columns are inserted into {len(targets)} columns of {'.'.join(statement.name)}"
        context.report(statement.at, what, "compare the statement with the DDL")
    pairs = zip(targets, rows.columns, strict=False)
    return tuple(Column(name, column.value, column.type, span=column.span) for name, column in pairs)
