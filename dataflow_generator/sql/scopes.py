"""Which names a place in a query can use, and what each stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dataflow_generator.sql.analysis import MOST_COLUMNS, Analysis, Gathered, TooLarge
from dataflow_generator.sql.lineage import EMPTY, Value, copied, merged
from dataflow_generator.sql.nodes import Name, Parts, SqlType, Window
from scanner_model.paths import ColumnPath

WINDOW_BOUNDS = ("WINDOWSTART", "WINDOWEND")
ROWTIME = "ROWTIME"
PSEUDO = (ROWTIME, "ROWPARTITION", "ROWOFFSET")
"""Columns that every ksqlDB source has beside those of its DDL (and a windowed one window bounds)."""

_BESIDE = frozenset((*PSEUDO, *WINDOW_BOUNDS))

_SYSTEM = frozenset(("$rowtime",))
"""Columns that every table has in Confluent Cloud's Flink."""


_QUALIFIERS = 3
"""Parts that a table's name has at most: catalog, database, table."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation in a query; *fields* are those of a structure that the query itself makes."""

    name: str
    value: Value
    type: SqlType | None = None
    fields: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """A relation in a query.

    *name* is its alias or last name, *parts* its whole name. *open*: it has columns that are not listed; each is the
    column of that name of *table* and *others*, or where there is none made of *rest*. *time* is where the time of
    its records comes from in ksqlDB; None: each record has its own. *is_table*: it is one of ksqlDB's tables.
    """

    columns: tuple[Column, ...] = ()
    name: str = ""
    parts: Parts = ()
    table: str = ""
    others: tuple[str, ...] = ()
    open: bool = False
    rest: Value = EMPTY
    windowed: bool = False
    time: Value | None = None
    is_table: bool = False

    def pseudo(self, name: str) -> Value:
        """Return where a column comes from that the engine adds to every base table."""
        if name == ROWTIME and self.time is not None:
            return self.time
        return copied((self.table, (name,)))

    def unlisted(self, name: str) -> Column | None:
        """Give a column that is not listed; None where every column is."""
        if not self.open:
            return None
        if not self.table:
            return Column(name, self.rest)
        if not self.others:
            return Column(name, self.pseudo(name))
        return Column(name, merged(copied((table, (name,))) for table in (self.table, *self.others)))


@dataclass(frozen=True, slots=True)
class Common:
    """A query named by WITH; what it reads counts where it is used."""

    rows: Rows
    gathered: Gathered


@dataclass(slots=True)
class Scope:
    """The relations of one SELECT and all that its expressions may name; *parent* is the query around it."""

    analysis: Analysis
    parent: Scope | None = None
    rows: list[Rows] = field(default_factory=list)
    common: dict[str, Common] = field(default_factory=dict)
    windows: Mapping[str, Window] = field(default_factory=dict)
    aliases: Mapping[str, Value] = field(default_factory=dict)
    merged: dict[str, Column] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    synthetic: Column | None = None
    bounds: Value | None = None
    _index: dict[str, Column] = field(default_factory=dict)
    _indexed: int = 0
    _width: int = 0

    def add(self, rows: Rows) -> None:
        """Make a relation known; raises TooLarge where all of them have more columns than we follow."""
        self._width += len(rows.columns)
        if self._width > MOST_COLUMNS:
            raise TooLarge
        self.rows.append(rows)

    def resolve(self, name: Name) -> Column:
        """Give what *name* stands for; a name that nothing explains is noted and comes from nowhere."""
        # A qualifier means a relation around the query sooner than a column that nobody lists.
        for find in (Scope._qualified, Scope._find) if len(name.parts) > 1 else (Scope._find,):
            scope: Scope | None = self
            while scope is not None:
                found = find(scope, name.parts, name)
                if found is not None:
                    column, inner = found
                    return _inside(column, (*inner, *name.fields))
                scope = scope.parent
        self.analysis.note(name.at, f"no known table has a column {'.'.join(name.parts)}", "give the DDL of its table")
        return Column(name.parts[-1], EMPTY)

    def named(self, name: str) -> Common | None:
        """Find a query named by WITH here or around here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.common:
                return scope.common[name]
            scope = scope.parent
        return None

    def window(self, name: str) -> Window | None:
        """Find a window by its name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.windows:
                return scope.windows[name]
            scope = scope.parent
        return None

    def called(self, parts: Parts) -> Rows | None:
        """Find a relation of this SELECT by its alias or by the end of its own name."""
        for rows in self.rows:
            if (len(parts) == 1 and rows.name == parts[0]) or (rows.parts and rows.parts[-len(parts) :] == parts):
                return rows
        return None

    def _qualified(self, parts: Parts, name: Name) -> tuple[Column, ColumnPath] | None:
        """Find a column by its relation's name, or a field of a column that is listed."""
        if parts[0] in self.hidden:
            return Column(parts[0], EMPTY), ()
        qualified = None
        for steps in range(1, min(len(parts), _QUALIFIERS + 1)):
            rows = self.called(parts[:steps])
            found = rows and self._in(rows, parts[steps])
            if found:
                return found, parts[steps + 1 :]
            qualified = qualified or rows
        if qualified is not None:
            return self._column_of(qualified, parts, name)
        if parts[0] in self.variables:
            inner = self._plain(parts[1], name)
            return (inner, parts[2:]) if inner else None
        listed = self._listed(parts[0])
        return (listed, parts[1:]) if listed else None

    def _find(self, parts: Parts, name: Name) -> tuple[Column, ColumnPath] | None:
        if parts[0] in self.hidden:
            return Column(parts[0], EMPTY), ()
        plain = self._plain(parts[0], name)
        return (plain, parts[1:]) if plain else None

    def _column_of(self, rows: Rows, parts: Parts, name: Name) -> tuple[Column, ColumnPath]:
        """Give what a name means whose first part is a relation without that column: a column's field, or nothing."""
        listed = self._listed(parts[0])
        if listed is not None:
            return listed, parts[1:]
        self.analysis.note(name.at, f"{rows.name} has no column {parts[1]}", "check the DDL of its table")
        return Column(parts[-1], EMPTY), ()

    def _plain(self, name: str, asked: Name) -> Column | None:
        """Find a column by its bare name: listed ones first, then what the relations do not list."""
        listed = self.merged.get(name) or self._listed(name)
        if listed:
            return listed
        if name in self.aliases:
            return Column(name, self.aliases[name])
        if self.synthetic and name == self.synthetic.name:
            return self.synthetic
        if self.bounds and name in WINDOW_BOUNDS:
            return Column(name, self.bounds)
        opened = [rows for rows in self.rows if rows.open]
        if len(opened) > 1:
            among = " or ".join(rows.name or "a query" for rows in opened)
            self.analysis.note(asked.at, f"{name} may be a column of {among}", "give their DDL, or qualify the name")
            return Column(name, EMPTY)
        if opened:
            return opened[0].unlisted(name)
        return self._pseudo(name)

    def _pseudo(self, name: str) -> Column | None:
        base = [rows for rows in self.rows if rows.table]
        if not self._is_pseudo(name) or not base:
            return None
        return Column(name, base[0].pseudo(name))

    def _is_pseudo(self, name: str) -> bool:
        return name in (_SYSTEM if self.analysis.flink else _BESIDE)

    def _in(self, rows: Rows, name: str) -> Column | None:
        for column in rows.columns:
            if column.name == name:
                return column
        if self.bounds and name in WINDOW_BOUNDS:
            return Column(name, self.bounds)
        if rows.table and self._is_pseudo(name):
            return Column(name, rows.pseudo(name))
        return rows.unlisted(name)

    def lists(self, name: str) -> bool:
        """Tell whether a relation of this SELECT is known to have a column of this name."""
        return self._listed(name) is not None

    def _listed(self, name: str) -> Column | None:
        if self._indexed < len(self.rows):
            for rows in self.rows[self._indexed :]:
                for column in rows.columns:
                    self._index.setdefault(column.name, column)
            self._indexed = len(self.rows)
        return self._index.get(name)

    def listed(self) -> Iterator[Column]:
        """Give every column that the relations list."""
        for rows in self.rows:
            yield from rows.columns


def _inside(column: Column, fields: ColumnPath) -> Column:
    if not fields:
        return column
    return Column(fields[-1], column.value.field(fields), inner_type(column.type, fields))


def inner_type(kind: SqlType | None, fields: ColumnPath) -> SqlType | None:
    """Give the type of *fields* inside a structure; None where it is not known."""
    for name in fields:
        if kind is None:
            return None
        kind = next((one for field_name, one in kind.fields if field_name == name), None)
    return kind
