"""Name resolution in a query: which names an expression can use, and what each refers to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dataflow_generator.sql.catalog import KnownTable, Session, with_hint
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import EMPTY, UNKNOWN, Effect, Origin, SqlTable, ValueLineage, copied, merged
from dataflow_generator.sql.nodes import ColumnKind, Expression, Name, Options, Parts, Query, SqlType, Window
from scanner_model.columns import ColumnPath
from scanner_model.errors import Problem

MOST_COLUMNS = 5000
"""Columns that one relation may have; nested `*` multiply without end."""


_METADATA = (ColumnKind.METADATA, ColumnKind.VIRTUAL)


class TooLarge(Exception):
    """Raised when a relation has more columns than MOST_COLUMNS; never leaves the reader, which reports a problem."""


@dataclass(slots=True)
class CollectedSources:
    """The sources of a part of a statement, its effects on the whole result, and whether some of these are unknown."""

    sources: set[str]
    effects: set[tuple[Origin, Effect]]
    unknown_effects: bool = False


class StatementContext:
    """The resolution of one statement; *query* resolves a query in a scope, passed in to avoid a cycle.

    *is_view*: it defines a view. *persistent* is False for a query that is a statement of its own, which shows more of
    ksqlDB's keys. *doubtful* are the views it reads that were not resolved completely, *unknown_effects*: what affects
    its rows is not known. *functions* counts the table functions so far whose columns are not known.
    """

    def __init__(
        self,
        session: Session,
        dialect: Dialect,
        locate: Callable[[int], str],
        query: Callable[[Query, SelectScope], Rows],
    ) -> None:
        self.session = session
        self.flink = dialect is Dialect.FLINK
        self.query = query
        self.persistent = True
        self.sources: set[str] = set()
        self.effects: set[tuple[Origin, Effect]] = set()
        self.datasets: dict[str, SqlTable] = {}
        self.unresolved: dict[Problem, None] = {}
        self.doubtful: set[str] = set()
        self.unknown_effects = False
        self.is_view = False
        self.functions = 0
        self._locate = locate

    @contextmanager
    def isolated(self) -> Iterator[CollectedSources]:
        """Collect sources and effects separately, for a part that may not be used."""
        outer = self.sources, self.effects, self.unknown_effects
        gathered = CollectedSources(set(), set())
        self.sources, self.effects, self.unknown_effects = gathered.sources, gathered.effects, False
        try:
            yield gathered
        finally:
            gathered.unknown_effects = self.unknown_effects
            self.sources, self.effects, self.unknown_effects = outer

    def take(self, gathered: CollectedSources) -> None:
        """Add separately collected sources and effects."""
        self.sources |= gathered.sources
        self.effects |= gathered.effects
        self.unknown_effects = self.unknown_effects or gathered.unknown_effects

    def add_effect(self, values: Iterable[ValueLineage], effect: Effect) -> None:
        """Record that the origins of *values* affect every row of the result."""
        for value in values:
            self.effects.update((origin, effect) for origin in value.origins())
            self.unknown_effects = self.unknown_effects or value.unknown

    def report(self, at: int, what: str, hint: str = "") -> None:
        """Record an unresolved column, once."""
        self.unresolved[Problem(self._locate(at), what, hint)] = None

    def report_doubtful(self, at: int, columns: Iterable[Column]) -> None:
        """Record which *columns* of the result have unknown sources, if nothing else is recorded."""
        unknown = [column.name for column in columns if column.value.unknown]
        if self.unresolved or not (unknown or self.unknown_effects):
            return
        what = f"the sources of {', '.join(unknown)} are unknown" if unknown else "what affects its rows is unknown"
        views = ", ".join(sorted(self.doubtful))
        why = f"it reads {views}, which could not be resolved" if views else "the columns of a table are unknown"
        self.report(at, f"{what}: {why}", f"see the problems of {views}" if views else "provide the DDL of its tables")

    def dataset(self, parts: Parts, hint: Options = ()) -> str:
        """Return the name of a dataset, and record it with its topics; *hint* are the options of Flink's hint.

        In one statement, or a view, a table with other data than its DDL names has a name of its own, with the hint.
        """
        name = self.dotted_name(parts)
        declared = self.session.table(parts)
        known = with_hint(declared, hint)
        dataset = self._described(name, parts, known)
        if known is not declared and (self.is_view or self.datasets.get(name, dataset) != dataset):
            name += f" /*+ OPTIONS({', '.join(f'{_text(key)}={_text(value)}' for key, value in hint)}) */"
        elif self.datasets.get(name, dataset) != dataset:  # the hint of an earlier reference
            name += " /*+ OPTIONS() */"
        self.datasets.setdefault(name, replace(dataset, name=name))
        return name

    def _described(self, name: str, parts: Parts, known: KnownTable | None) -> SqlTable:
        qualified = self.session.qualified(parts)
        if known is None:
            return SqlTable(name=name, qualified=qualified)
        metadata = tuple(column.name for column in known.columns if column.part in _METADATA)
        return SqlTable(
            name=name,
            qualified=qualified,
            topics=known.topics,
            topic_pattern=known.topic_pattern,
            options=known.options,
            metadata=metadata,
        )

    def dotted_name(self, parts: Parts) -> str:
        """Return a dotted name; in Flink a part that contains a dot or a backquote is quoted."""
        if not self.flink:
            return ".".join(parts)
        return ".".join("`" + part.replace("`", "``") + "`" if "." in part or "`" in part else part for part in parts)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


WINDOW_BOUNDS = ("WINDOWSTART", "WINDOWEND")
ROWTIME = "ROWTIME"
PSEUDO = (ROWTIME, "ROWPARTITION", "ROWOFFSET")
"""Pseudo columns of every ksqlDB source, in addition to its DDL (a windowed one also has window bounds)."""

_BESIDE = frozenset((*PSEUDO, *WINDOW_BOUNDS))

_SYSTEM = frozenset(("$rowtime",))
"""System columns of every table in Confluent Cloud for Apache Flink."""


_QUALIFIERS = 3
"""Maximal parts of a table's name: catalog, database, table."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation in a query; *fields* are those of a struct that the query itself builds.

    *span* is where its expression is in the text; None if it copies a column, or no item of a select list is it.
    """

    name: str
    value: ValueLineage
    type: SqlType | None = None
    fields: tuple[Column, ...] = ()
    span: tuple[int, int] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Rows:
    """A relation in a query.

    *name* is its alias or last name, *parts* its whole name. *open*: it has unlisted columns; each is the column of
    that name of *table* and *others*, or without these derived from *rest*. Its first *leading* columns precede the
    unlisted ones, the positions of the others are not known. *hidden* are columns that `*` does not show. *time* is the
    origin of the record time in ksqlDB; None: the record's own timestamp. *is_table*: it is a ksqlDB table.
    """

    columns: tuple[Column, ...] = ()
    name: str = ""
    parts: Parts = ()
    table: str = ""
    others: tuple[str, ...] = ()
    open: bool = False
    rest: ValueLineage = EMPTY
    leading: int = 0
    hidden: frozenset[str] = frozenset()
    windowed: bool = False
    time: ValueLineage | None = None
    is_table: bool = False

    @property
    def placed(self) -> tuple[Column, ...]:
        """Return the columns whose positions are known: all, or those before the unlisted ones."""
        return self.columns[: self.leading] if self.open else self.columns

    def shown(self, named: Collection[str]) -> Rows:
        """Return this relation with the columns that `*` shows, and those that are *named*."""
        if not self.hidden:
            return self
        columns = (column for column in self.columns if column.name not in self.hidden or column.name in named)
        return replace(self, columns=tuple(columns), hidden=frozenset())

    def renamed(self, names: Parts) -> Rows:
        """Return this relation with its first columns renamed; names of unlisted columns list these."""
        if not names:
            return self
        placed = self.placed
        listed = tuple(replace(column, name=name) for column, name in zip(placed, names, strict=False))
        if not self.open or len(names) <= len(placed):
            return replace(self, columns=(*listed, *self.columns[len(listed) :]))
        # A column listed after the unlisted ones may be at any later position.
        unlisted = UNKNOWN if self.table or len(placed) < len(self.columns) else self.rest
        return Rows((*listed, *(Column(name, unlisted) for name in names[len(listed) :])))

    def pseudo(self, name: str) -> ValueLineage:
        """Return the origin of a column that the engine adds to every base table."""
        if name == ROWTIME and self.time is not None:
            return self.time
        return copied((self.table, (name,)))

    def unlisted(self, name: str) -> Column | None:
        """Return an unlisted column; None where all columns are listed."""
        if not self.open:
            return None
        if not self.table:
            return Column(name, self.rest)
        if not self.others:
            return Column(name, self.pseudo(name))
        return Column(name, merged(copied((table, (name,))) for table in (self.table, *self.others)))


@dataclass(frozen=True, slots=True)
class ResolvedCommonTable:
    """A common table expression; its sources count where it is used."""

    rows: Rows
    gathered: CollectedSources


@dataclass(slots=True)
class SelectScope:
    """The relations of one SELECT and every name its expressions may use; *parent* is the enclosing query's scope."""

    context: StatementContext
    parent: SelectScope | None = None
    rows: list[Rows] = field(default_factory=list)
    common: dict[str, ResolvedCommonTable] = field(default_factory=dict)
    windows: Mapping[str, Window] = field(default_factory=dict)
    aliases: Mapping[str, ValueLineage] = field(default_factory=dict)
    merged: dict[str, Column] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    synthetic: Column | None = None
    equivalent: frozenset[Expression] = frozenset()
    bounds: ValueLineage | None = None
    _index: dict[str, Column] = field(default_factory=dict)
    _indexed: int = 0
    _width: int = 0

    def add(self, rows: Rows) -> None:
        """Add a relation; raises TooLarge above MOST_COLUMNS in all."""
        self._width += len(rows.columns)
        if self._width > MOST_COLUMNS:
            raise TooLarge
        self.rows.append(rows)

    def resolve(self, name: Name) -> Column:
        """Return the column that *name* refers to; an unknown name is reported and has no origins."""
        # A qualifier refers to a relation of an enclosing query before it refers to an unlisted column.
        for find in (SelectScope._qualified, SelectScope._find) if len(name.parts) > 1 else (SelectScope._find,):
            scope: SelectScope | None = self
            while scope is not None:
                match = find(scope, name.parts, name)
                if match is not None:
                    column, inner = match
                    return _inside(column, (*inner, *name.fields))
                scope = scope.parent
        self.context.report(
            name.at, f"no known table has column {'.'.join(name.parts)}", "provide the DDL of its table"
        )
        return Column(name.parts[-1], UNKNOWN)

    def find_common_table(self, name: str) -> ResolvedCommonTable | None:
        """Find a common table expression here or in an enclosing scope."""
        scope: SelectScope | None = self
        while scope is not None:
            if name in scope.common:
                return scope.common[name]
            scope = scope.parent
        return None

    def find_window(self, name: str) -> Window | None:
        """Find a window by its name."""
        scope: SelectScope | None = self
        while scope is not None:
            if name in scope.windows:
                return scope.windows[name]
            scope = scope.parent
        return None

    def find_relation(self, parts: Parts) -> Rows | None:
        """Find a relation of this SELECT by its alias or by the end of its own name."""
        for rows in self.rows:
            if (len(parts) == 1 and rows.name == parts[0]) or (rows.parts and rows.parts[-len(parts) :] == parts):
                return rows
        return None

    def _qualified(self, parts: Parts, name: Name) -> tuple[Column, ColumnPath] | None:
        """Find a column by its relation's name, or a field of a listed column."""
        if parts[0] in self.hidden:
            return Column(parts[0], EMPTY), ()
        qualified = None
        for steps in range(1, min(len(parts), _QUALIFIERS + 1)):
            rows = self.find_relation(parts[:steps])
            column = rows and self._in(rows, parts[steps])
            if column:
                return column, parts[steps + 1 :]
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
        """Resolve a name whose first part is a relation without that column: a column's field, or nothing."""
        listed = self._listed(parts[0])
        if listed is not None:
            return listed, parts[1:]
        self.context.report(name.at, f"{rows.name} has no column {parts[1]}", "compare with the DDL of its table")
        return Column(parts[-1], UNKNOWN), ()

    def _plain(self, name: str, reference: Name) -> Column | None:
        """Find a column by its bare name: listed ones first, then unlisted ones."""
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
            self.context.report(
                reference.at, f"{name} may be a column of {among}", "provide their DDL, or qualify the name"
            )
            return Column(name, UNKNOWN)
        if opened:
            return opened[0].unlisted(name)
        return self._pseudo(name)

    def _pseudo(self, name: str) -> Column | None:
        base = [rows for rows in self.rows if rows.table]
        if not self._is_pseudo(name) or not base:
            return None
        return Column(name, base[0].pseudo(name))

    def _is_pseudo(self, name: str) -> bool:
        return name in (_SYSTEM if self.context.flink else _BESIDE)

    def _in(self, rows: Rows, name: str) -> Column | None:
        for column in rows.columns:
            if column.name == name:
                return column
        if self.bounds and name in WINDOW_BOUNDS:
            return Column(name, self.bounds)
        if rows.table and self._is_pseudo(name):
            return Column(name, rows.pseudo(name))
        return rows.unlisted(name)

    def has_column(self, name: str) -> bool:
        """Return whether a relation of this SELECT lists a column of this name."""
        return self._listed(name) is not None

    def _listed(self, name: str) -> Column | None:
        if self._indexed < len(self.rows):
            for rows in self.rows[self._indexed :]:
                for column in rows.columns:
                    self._index.setdefault(column.name, column)
            self._indexed = len(self.rows)
        return self._index.get(name)

    def listed(self) -> Iterator[Column]:
        """Yield every column that the relations list."""
        for rows in self.rows:
            yield from rows.columns


def _inside(column: Column, fields: ColumnPath) -> Column:
    if not fields:
        return column
    return Column(fields[-1], column.value.field(fields), inner_type(column.type, fields))


def inner_type(kind: SqlType | None, fields: ColumnPath) -> SqlType | None:
    """Return the type of *fields* inside a struct; None where it is unknown."""
    for name in fields:
        if kind is None:
            return None
        kind = next((field_type for field_name, field_type in kind.fields if field_name == name), None)
    return kind
