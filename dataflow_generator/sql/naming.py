"""How the engines name columns that a query does not name, and what they make of `*`."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow_generator.sql.nodes import Access, Expression, Name, SelectItem
from dataflow_generator.sql.scopes import PSEUDO, WINDOW_BOUNDS, Rows, Scope


class Names:
    """The names of one select list's columns, given from left to right."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._flink = scope.analysis.flink
        self._joined = len(scope.rows) > 1
        self._taken: set[str] = set() if self._flink else {column.name for column in scope.listed()}
        self._fields: dict[str, int] = {}
        self._next = 0

    def of(self, item: SelectItem, place: int) -> str:
        """Name an item: its alias, what its expression is called, or the engine's own count."""
        if item.alias:
            return item.alias
        if isinstance(item.expression, Name):
            return self._of_name(item.expression)
        if isinstance(item.expression, Access) and not self._flink:
            return self._of_field(item.expression.fields[-1])
        return f"EXPR${place}" if self._flink else self.counted()

    def counted(self) -> str:
        """Give ksqlDB's next `KSQL_COL_n` that no source has."""
        while f"KSQL_COL_{self._next}" in self._taken:
            self._next += 1
        self._next += 1
        return f"KSQL_COL_{self._next - 1}"

    def of_key(self, key: Expression) -> str:
        """Name a key that is not in the select list."""
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
    """Name the key that ksqlDB makes for a join: ROWKEY, or with a number where a source has that."""
    taken = {column.name for column in scope.listed()}
    name, count = "ROWKEY", 0
    while name in taken:
        count += 1
        name = f"ROWKEY_{count}"
    return name


def unique(names: Iterable[str]) -> list[str]:
    """Tell equal names apart as Flink's planner does: `id`, `id0`, `id1`."""
    found: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in names:
        candidate = name
        while candidate in found:
            counts[name] = counts.get(name, -1) + 1
            candidate = f"{name}{counts[name]}"
        found[candidate] = None
    return list(found)
