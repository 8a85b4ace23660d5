"""Map the columns of a query to the columns of its sink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from dataflow_generator.sql.catalog import KnownTable
from dataflow_generator.sql.flows import Effect, Flow, Place
from dataflow_generator.sql.lineage import EFFECTS, Origin
from dataflow_generator.sql.nodes import Access, Definition, Expression, Insertion, Name, Part, Parts, SelectItem
from dataflow_generator.sql.scope import PSEUDO, WINDOW_BOUNDS, Analysis, Column, Rows, Scope, TooLarge
from scanner_model.column_path import ColumnPath


class Names:
    """Assigns the output column names of one select list, from left to right."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._flink = scope.analysis.flink
        self._joined = len(scope.rows) > 1
        self._taken: set[str] = set() if self._flink else {column.name for column in scope.listed()}
        self._fields: dict[str, int] = {}
        self._next = 0

    def of(self, item: SelectItem, place: int) -> str:
        """Return the name of an item: its alias, the name in its expression, or a generated one."""
        if item.alias:
            return item.alias
        if isinstance(item.expression, Name):
            return self._of_name(item.expression)
        if isinstance(item.expression, Access) and not self._flink:
            return self._of_field(item.expression.fields[-1])
        return f"EXPR${place}" if self._flink else self.counted()

    def counted(self) -> str:
        """Return ksqlDB's next `KSQL_COL_n` that is not a source column."""
        while f"KSQL_COL_{self._next}" in self._taken:
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
        count = self._fields.get(field, 0) + (field in self._taken)
        self._fields[field] = self._fields.get(field, 0) + 1
        return f"{field}_{count}" if count else field

    def _clashes(self, name: str) -> bool:
        if name in PSEUDO:
            return True
        return sum(_has(rows, name) for rows in self._scope.rows) > 1


def _has(rows: Rows, name: str) -> bool:
    return any(column.name == name for column in rows.columns) or (rows.windowed and name in WINDOW_BOUNDS)


def synthetic_key(scope: Scope) -> str:
    """Return the name of the key that ksqlDB generates for a join: ROWKEY, numbered where a source has that name."""
    taken = {column.name for column in scope.listed()}
    name, count = "ROWKEY", 0
    while name in taken:
        count += 1
        name = f"ROWKEY_{count}"
    return name


def unique(names: Iterable[str]) -> list[str]:
    """Make equal names unique as Flink's planner does: `id`, `id0`, `id1`."""
    found: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in names:
        candidate = name
        while candidate in found:
            counts[name] = counts.get(name, -1) + 1
            candidate = f"{name}{counts[name]}"
        found[candidate] = None
    return list(found)


_NOT_PERSISTED = (Part.COMPUTED, Part.VIRTUAL)


MOST_FLOWS = 10_000
"""Flows that one statement may have; a thousand columns derived from five each are 5,000."""


def flows(columns: Iterable[Column], sink: str, analysis: Analysis) -> tuple[Flow, ...]:
    """Return the flows into *sink*, sorted: those of each column, and those that affect all of its rows.

    Raises TooLarge above MOST_FLOWS.
    """
    found = set(islice(_flows(columns, analysis), MOST_FLOWS + 1))
    if len(found) > MOST_FLOWS:
        raise TooLarge
    places = {origin: Place(*origin) for _, origin, _ in found}
    return tuple(Flow(Place(sink, path), places[origin], effect) for path, origin, effect in sorted(found))


def _flows(columns: Iterable[Column], analysis: Analysis) -> Iterator[tuple[ColumnPath, Origin, Effect]]:
    for column in columns:
        yield from _flows_into((column.name,), column)
    for origin, effect in analysis.effects:
        yield (), origin, effect


def _flows_into(path: ColumnPath, column: Column) -> Iterator[tuple[ColumnPath, Origin, Effect]]:
    for each in column.fields:
        yield from _flows_into((*path, each.name), each)
    if column.fields:
        return
    for origin, strength in column.value.direct.items():
        yield path, origin, EFFECTS[strength]
    for origin, effect in column.value.indirect:
        yield path, origin, effect


def named(rows: Rows, names: Parts, *, flink: bool) -> tuple[Column, ...]:
    """Rename a result's columns: to *names* as far as they go, and in Flink uniquely."""
    own = [column.name for column in rows.columns]
    given = [*names[: len(own)], *own[len(names) :]]
    chosen = unique(given) if flink else given
    if chosen == own:
        return rows.columns
    return tuple(Column(name, one.value, one.type) for name, one in zip(chosen, rows.columns, strict=True))


def defined(found: Definition, rows: Rows, analysis: Analysis) -> tuple[Column, ...]:
    """Return the columns of a table or view defined by a query."""
    # A table's column list only reorders; a view's renames.
    return named(rows, found.names if found.view else (), flink=analysis.flink)


def inserted(found: Insertion, rows: Rows, known: KnownTable | None, analysis: Analysis) -> tuple[Column, ...]:
    """Return the columns of the sink of an INSERT.

    ksqlDB matches by name; Flink by position among the listed columns, or all persisted ones. Where these are
    unknown, the query's own names are used and a problem is reported.
    """
    if found.columns is None and not analysis.flink:
        return rows.columns
    targets = found.columns
    if targets is None and known is not None and known.complete:
        targets = tuple(
            one.name for one in known.columns if one.part not in _NOT_PERSISTED and one.name not in found.fixed
        )
    if targets is None:
        sink = ".".join(found.name)
        what = f"the columns of {sink} are unknown; the query's column names are assumed"
        if any(column.value.direct for column in rows.columns):
            analysis.note(found.at, what, f"provide the DDL of {sink}")
        return named(rows, (), flink=analysis.flink)
    if rows.open:
        return ()
    if len(targets) != len(rows.columns):
        what = f"{len(rows.columns)} columns are inserted into {len(targets)} columns of {'.'.join(found.name)}"
        analysis.note(found.at, what, "compare the statement with the DDL")
    pairs = zip(targets, rows.columns, strict=False)
    return tuple(Column(name, one.value, one.type) for name, one in pairs)
