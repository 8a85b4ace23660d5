"""Flink's Table API for the machine: a table is a query, and what a program inserts is a statement of Flink's SQL.

The statements join those that a program runs as texts, and are resolved with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scanner_model.columns import ColumnPath, field_name
from scanner_programs.frames.machine import (
    Arguments,
    Evaluated,
    Library,
    Machine,
    Method,
    Unknown,
    is_plain,
)
from scanner_programs.frames.relations import Frame
from scanner_programs.frames.values import IDENTITY

_LONGEST = 20_000
_DURATION = re.compile(r"\s*(\d+)\.(\w+)\s*")
_WORD = re.compile(r"[A-Z]?[a-z0-9]++|(?:[A-Z](?![a-z]))++")
_OPTION = re.compile(r"'(?:[^']|'')*+'|[()<>,]|[^'()<>,]++")
_NO_COLUMN = frozenset({"WATERMARK", "PRIMARY", "CONSTRAINT", "UNIQUE", "PERIOD"})
_CREATED = re.compile(
    r"(?is)^\s*CREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.`]+)\s*\((?P<rest>.*)"
)


@dataclass(slots=True)
class Statements:
    """The statements of one program with their places; *is_built*: one of them is made of calls."""

    listed: list[tuple[str, str]] = field(default_factory=list)
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    is_built: bool = False
    problem: Callable[[str, str], None] = lambda place, what: None

    def add(self, text: str, place: str) -> None:
        """Add a statement that the program runs as a text."""
        if (text, place) not in self.listed and len(text) <= _LONGEST:
            self.listed.append((text, place))
        if (match := _CREATED.match(text)) is not None:
            self.columns.setdefault(match["name"].replace("`", ""), tuple(_columns(match["rest"])))

    def build(self, text: str, place: str) -> None:
        """Add a statement that is made of calls."""
        self.is_built = True
        if _UNRESOLVED in text:
            self.problem(place, "an expression of a table of Flink is not resolved")
        self.add(text, place)

    def unresolved(self, place: str, what: str) -> Table:
        """Return a table that is not resolved, and report it."""
        self.problem(place, f"{what} is not resolved")
        return Table(self, None)


def _columns(text: str) -> Iterator[str]:
    """Yield the names of the columns in the brackets of CREATE TABLE."""
    depth, first = 0, True
    for part in _OPTION.findall(text):
        if part in "(<":
            depth += 1
        elif part in ")>":
            depth -= 1
            if depth < 0:
                return
        elif part == ",":
            first = first or depth == 0
        elif first and depth == 0 and part.strip():
            first = False
            name = part.split()[0].strip("`")
            if name.upper() not in _NO_COLUMN:
                yield name


class Camel(Library):
    """An object whose methods Python names in snake case, and Java and Scala in camel case."""

    def member(self, name: str, machine: Machine, place: str) -> Evaluated:
        first, *rest = name.strip("_").split("_")
        return super().member("".join([first, *(each[:1].upper() + each[1:] for each in rest)]), machine, place)


@dataclass(slots=True, eq=False)
class Term(Camel):
    """An expression as SQL, and the name that it has in a list; *applied* is the function that it comes from."""

    sql: str
    name: str = ""
    applied: tuple[Term, str] | None = None
    names: tuple[str, ...] = ()

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return _applied(self, name, ())

    def called(self, machine: Machine, arguments: Arguments) -> Evaluated:
        if self.applied is None:
            return Unknown()
        of, name = self.applied
        return _applied(of, name, arguments.every)

    def operated(self, sign: str, other: Evaluated, *, is_left: bool) -> Evaluated:
        """Return the result of an operator of the program's language."""
        pair = (self, term(other)) if is_left else (term(other), self)
        return Term(f"({pair[0].sql} {sign} {pair[1].sql})")

    @property
    def listed(self) -> str:
        """Return the expression as an item of SELECT."""
        return f"{self.sql} AS {_quoted(self.name)}" if self.name else self.sql


@dataclass(slots=True, eq=False)
class Scalar(Library):
    """A function of rows that a program defines, or the decorator that makes one."""

    name: str = "USER_FUNCTION"

    def called(self, machine: Machine, arguments: Arguments) -> Evaluated:
        return Term(f"{self.name}({', '.join(_column(each).sql for each in arguments.every)})")


def _quoted(name: str) -> str:
    return f"`{name}`"


def term(value: Evaluated) -> Term:
    """Return a value as an expression; one that is not known is NULL."""
    if isinstance(value, Term):
        return value
    if isinstance(value, str):
        return Term("'" + value.replace("'", "''") + "'")
    if isinstance(value, Unknown) and value.has_columns:
        return Term(_UNRESOLVED)
    if isinstance(value, bool) or value is None:
        return Term(str(value).upper() if value is not None else "NULL")
    return Term(str(value)) if isinstance(value, int | float) else Term("NULL")


def _column(value: Evaluated) -> Term:
    """Return an argument that is a column: a text is its name."""
    if not isinstance(value, Term) and not is_plain(value) and not isinstance(value, str):
        return Term(_UNRESOLVED)
    return Term(_quoted(value)) if isinstance(value, str) and value.isidentifier() else term(value)


_UNRESOLVED = "UNRESOLVED()"
"""What is instead of an expression that is not resolved: a statement with it is reported."""
_INFIX = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "dividedBy": "/",
    "mod": "%",
    "isEqual": "=",
    "isNotEqual": "<>",
    "isGreater": ">",
    "isGreaterOrEqual": ">=",
    "isLess": "<",
    "isLessOrEqual": "<=",
    "and": "AND",
    "or": "OR",
    "like": "LIKE",
}
_AFTER = {"isNull": "IS NULL", "isNotNull": "IS NOT NULL", "isTrue": "IS TRUE", "isFalse": "IS FALSE"}
_UNITS = re.compile(r"(?i)(milli|second|minute|hour|day|month|year)s?$")
_OF_WINDOW = frozenset({"start", "end", "rowtime", "proctime"})
_SAME = frozenset({"asc", "desc", "ascNullsFirst", "notNull", "toExpr"})


def _applied(of: Term, name: str, given: Sequence[Evaluated]) -> Term:
    """Return a method of an expression; without arguments yet, it may be called with some."""
    origin = (of, name)
    first = given[0] if given else None
    if name in ("as", "alias"):
        names = tuple(each for each in given if isinstance(each, str))
        return replace(of, name=names[0] if names else of.name, applied=origin, names=names)
    if name in _INFIX:
        return Term(f"({of.sql} {_INFIX[name]} {term(first).sql})", applied=origin)
    if name in _AFTER:
        return Term(f"({of.sql} {_AFTER[name]})", applied=origin)
    if name in _SAME:
        return replace(of, applied=origin)
    if name in ("get", "at", "getField"):
        if isinstance(first, str) and name != "at":
            return Term(f"{of.sql}.{_quoted(first)}", first, origin)
        return Term(f"{of.sql}[{term(first).sql}]", applied=origin)
    if name in ("cast", "tryCast"):
        return Term(f"CAST({of.sql} AS {first.sql if isinstance(first, DataType) else 'STRING'})", of.name, origin)
    if name == "then":
        other = given[1] if len(given) > 1 else None
        return Term(f"CASE WHEN {of.sql} THEN {term(first).sql} ELSE {term(other).sql} END", applied=origin)
    if name == "in":
        return Term(f"{of.sql} IN ({', '.join(term(each).sql for each in given) or 'NULL'})", applied=origin)
    if name == "distinct":
        inner = of.sql.replace("(", "(DISTINCT ", 1) if "(" in of.sql else of.sql
        return Term(inner, applied=origin)
    if name in _OF_WINDOW:
        return Term(f"{_WINDOW_MARK}{name.upper()}({of.sql})", applied=origin)
    if name in _WORDED:
        shown = [of.sql, *(getattr(each, "name", "").rpartition(".")[2] or term(each).sql for each in given)]
        form = _WORDED[name]
        return Term(form.format(*shown) if form.count("{") <= len(shown) else f"COMPUTED({of.sql})", applied=origin)
    if name == "over" and isinstance(first, Term):
        return Term(f"{of.sql} OVER ({_OVER_MARK}{first.sql})", applied=origin)
    if (unit := _UNITS.match(name)) is not None and of.sql.isdigit():
        return Term(f"INTERVAL '{of.sql}' {unit[1].upper()}", applied=origin)
    return Term(f"{_function(name)}({', '.join([of.sql, *(term(each).sql for each in given)])})", applied=origin)


_WORDED = {
    "extract": "EXTRACT({1} FROM {0})",
    "between": "({0} BETWEEN {1} AND {2})",
    "notBetween": "({0} NOT BETWEEN {1} AND {2})",
    "similar": "({0} SIMILAR TO {1})",
    "position": "POSITION({0} IN {1})",
}
"""Functions that SQL writes with words between their arguments."""
_WINDOW_MARK, _OVER_MARK = "GROUP_WINDOW_", "OVER_WINDOW "
_OTHER_NAMES = {
    "upperCase": "UPPER",
    "lowerCase": "LOWER",
    "ifNull": "COALESCE",
    "sum0": "SUM",
    "dateFormat": "DATE_FORMAT",
}


def _function(name: str) -> str:
    """Return the name in SQL of a function of the Table API."""
    return _OTHER_NAMES.get(name) or "_".join(_WORD.findall(name)).upper() or name.upper()


@dataclass(slots=True, eq=False)
class ColumnChoice(Camel):
    """Columns of a table by names, numbers or ranges of them; *without*: all others."""

    items: tuple[Evaluated, ...]
    is_range: bool = False
    without: bool = False

    def of(self, columns: Sequence[str]) -> list[str] | None:
        """Return the names of the columns; None if one of them is not known."""
        found: list[str] = []
        for each in self.items:
            if isinstance(each, ColumnChoice):
                listed = each.of(columns)
            elif isinstance(each, int) and 0 < each <= len(columns):
                listed = [columns[each - 1]]
            else:
                listed = [
                    name
                    for name in columns
                    if isinstance(each, Term | str) and name in _column(each).sql.strip("`").split(".")
                ]
            if not listed:
                return None
            found += listed
        if self.is_range and len(found) == 2:
            found = list(columns[columns.index(found[0]) : columns.index(found[1]) + 1])
        return [name for name in columns if name not in found] if self.without else found


@dataclass(slots=True, eq=False)
class DataType(Camel):
    """A type of a column, as SQL."""

    sql: str

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: self)


@dataclass(slots=True, eq=False)
class Window(Camel):
    """A window of groups or rows: its kind, sizes, the column of time, and what rows are partitioned by."""

    kind: str
    sizes: tuple[str, ...] = ()
    on: str = ""
    keys: tuple[str, ...] = ()
    name: str = ""

    def do_on(self, machine: Machine, arguments: Arguments) -> Window:
        return replace(self, on=_column(arguments.get(0)).sql)

    do_orderBy = do_on

    def _sized(self, machine: Machine, arguments: Arguments) -> Window:
        first = arguments.get(0)
        match = _DURATION.fullmatch(first) if isinstance(first, str) else None
        made = _applied(Term(match[1]), match[2], ()) if match is not None else term(first)
        return replace(self, sizes=(*self.sizes, made.sql))

    do_over = do_every = do_withGap = _sized

    def do_partitionBy(self, machine: Machine, arguments: Arguments) -> Window:
        return replace(self, keys=tuple(_column(each).sql for each in arguments.every))

    def do_as(self, machine: Machine, arguments: Arguments) -> Window:
        first = arguments.get(0)
        return replace(
            self, name=first if isinstance(first, str) else first.sql.strip("`") if isinstance(first, Term) else ""
        )

    do_alias = do_as

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: self)

    @property
    def group(self) -> str:
        """Return the window as a key of groups."""
        sizes = self.sizes if self.kind != "HOP" else self.sizes[::-1]
        return f"{self.kind}({', '.join([self.on, *sizes])})"

    @property
    def rows(self) -> str:
        """Return the window as a clause OVER."""
        keys = f"PARTITION BY {', '.join(self.keys)} " if self.keys else ""
        return f"{keys}ORDER BY {self.on}" if self.on else keys.strip()

    def rendered(self, sql: str) -> str:
        """Return an expression with what it says of this window."""
        for part in _OF_WINDOW:
            sql = sql.replace(
                f"{_WINDOW_MARK}{part.upper()}(`{self.name}`)", self.group.replace("(", f"_{part.upper()}(", 1)
            )
        return sql.replace(f"{_OVER_MARK}`{self.name}`", self.rows)


_WINDOWS = {"Tumble": "TUMBLE", "Slide": "HOP", "Session": "SESSION", "Over": "OVER"}


@dataclass(slots=True, eq=False)
class Table(Camel):
    """A table: a name, or a query; None if it is not resolved. *columns* are None if they are not known."""

    all: Statements
    sql: str | None
    columns: tuple[str, ...] | None = None
    is_name: bool = False
    keys: tuple[str, ...] | None = None
    windows: tuple[Window, ...] = ()

    def member(self, name: str, machine: Machine, place: str) -> Evaluated:
        is_column = self.columns is not None and name in self.columns and not hasattr(self, f"do_{name}")
        return Term(_quoted(name)) if is_column else Camel.member(self, name, machine, place)

    @property
    def source(self) -> str:
        """Return the table as an item of FROM."""
        return str(self.sql) if self.is_name else f"({self.sql})"

    @property
    def query(self) -> str:
        """Return the table as a query."""
        return f"SELECT * FROM {self.sql}" if self.is_name else str(self.sql)

    def _made(self, sql: str, columns: Iterable[str] | None) -> Table:
        if len(sql) > _LONGEST:
            return Table(self.all, None)
        return Table(self.all, sql, tuple(columns) if columns is not None else None)

    def _rendered(self, sql: str) -> str:
        for window in self.windows:
            sql = window.rendered(sql)
        return sql

    def do_select(self, machine: Machine, arguments: Arguments) -> Table:
        return self._select(arguments)

    def _select(self, arguments: Arguments, form: str = "SELECT {} FROM {}") -> Table:
        if self.sql is None:
            return self
        arguments = self._expanded(arguments)
        if len(arguments.values) == 1 and isinstance(text := arguments.get(0), str) and not text.isidentifier():
            items: list[Term] = [Term(each.strip()) for each in text.split(",")]  # the texts of old versions
        else:
            if not all(isinstance(each, Term) or is_plain(each) for each in arguments.values):
                return self.all.unresolved(arguments.place, "a column of a table of Flink")
            items = [_column(each) for each in arguments.values]
        query = form.format(", ".join(self._rendered(each.listed) for each in items), self.source)
        if self.keys is not None:
            named = {_quoted(window.name): window.group for window in self.windows if window.kind != "OVER"}
            query += f" GROUP BY {', '.join(named.get(key, key) for key in self.keys)}" if self.keys else ""
        names = [each.name or (each.sql.strip("`") if re.fullmatch(r"`\w+`", each.sql) else "") for each in items]
        return self._made(query, self.columns if "*" in [each.sql for each in items] else names)

    def _expanded(self, arguments: Arguments) -> Arguments:
        """Return the arguments with the items of lists, and with the columns of selections that are known."""
        listed = [each for value in arguments.values for each in (value if isinstance(value, list) else [value])]
        given: list[Evaluated] = []
        for each in listed:
            names = each.of(self.columns) if isinstance(each, ColumnChoice) and self.columns is not None else None
            given += [Term(_quoted(name)) for name in names] if names is not None else [each]
        return replace(arguments, values=tuple(given))

    def do_groupBy(self, machine: Machine, arguments: Arguments) -> Table:
        return replace(self, keys=tuple(_column(each).sql for each in arguments.values))

    def do_window(self, machine: Machine, arguments: Arguments) -> Table:
        found = tuple(each for each in arguments.every if isinstance(each, Window))
        return replace(self, windows=(*self.windows, *found))

    do_overWindow = do_window

    def do_filter(self, machine: Machine, arguments: Arguments) -> Table:
        first = arguments.get(0)
        test = first if isinstance(first, str) else term(first).sql
        return self if self.sql is None else self._made(f"SELECT * FROM {self.source} WHERE {test}", self.columns)

    do_where = do_filter

    def _columns_added(self, machine: Machine, arguments: Arguments) -> Table:
        items = [_column(each) for each in arguments.values]
        known = {each.name for each in items}
        if self.sql is None or self.columns is None:
            rest = ["*"]
        else:
            rest = [_quoted(each) for each in self.columns if each not in known]
        query = f"SELECT {', '.join([*rest, *(self._rendered(each.listed) for each in items)])} FROM {self.source}"
        names = [each for each in self.columns or () if each not in known] + [each.name for each in items]
        return self if self.sql is None else self._made(query, names if self.columns is not None else None)

    do_addColumns = do_addOrReplaceColumns = _columns_added

    def do_renameColumns(self, machine: Machine, arguments: Arguments) -> Table:
        pairs = {each.sql.strip("`"): each.name for each in map(_column, arguments.values)}
        return self._listed([(each, pairs.get(each, each)) for each in self.columns or ()], arguments)

    def do_dropColumns(self, machine: Machine, arguments: Arguments) -> Table:
        dropped = {_column(each).sql.strip("`") for each in self._expanded(arguments).values}
        return self._listed([(each, each) for each in self.columns or () if each not in dropped], arguments)

    def do_as(self, machine: Machine, arguments: Arguments) -> Table:
        names = [each.sql.strip("`") for each in map(_column, arguments.values)]
        if self.sql is None or self.columns is None or all(self.columns):
            return self._listed(list(zip(self.columns or (), names, strict=False)), arguments)
        names += self.columns[len(names) :]
        listed = ", ".join(_quoted(name or f"EXPR${at}") for at, name in enumerate(names))  # by their places
        return self._made(f"SELECT * FROM {self.source} AS T({listed})", names)

    do_alias = do_as

    def _listed(self, pairs: Sequence[tuple[str, str]], arguments: Arguments) -> Table:
        if self.sql is None:
            return self
        if self.columns is None:
            return self.all.unresolved(arguments.place, "which columns a table of Flink has")
        listed = ", ".join(f"{_quoted(old)} AS {_quoted(new)}" if old != new else _quoted(old) for old, new in pairs)
        return self._made(f"SELECT {listed} FROM {self.source}", [new for _, new in pairs])

    def _join(self, form: str) -> Callable[[Machine, Arguments], Table]:
        def run(machine: Machine, arguments: Arguments) -> Table:
            other, on = arguments.get(0), arguments.get(1)
            if not isinstance(other, Table) or self.sql is None or other.sql is None:
                return self.all.unresolved(arguments.place, "a joined table of Flink")
            test = f" ON {term(on).sql}" if isinstance(on, Term) else "" if form == "JOIN" else " ON TRUE"
            kind = "CROSS JOIN" if form == "JOIN" and not test else form
            both = (*self.columns, *other.columns) if self.columns is not None and other.columns is not None else None
            return self._made(f"SELECT * FROM {self.source} {kind} {other.source}{test}", both)

        return run

    def _lateral(self, machine: Machine, arguments: Arguments) -> Table:
        made = arguments.get(0)
        if self.sql is None or not isinstance(made, Term):
            return self.all.unresolved(arguments.place, "a table function of Flink")
        names = ", ".join(map(_quoted, made.names))
        query = f"SELECT * FROM {self.source}, LATERAL TABLE({made.sql}) AS T({names})"
        return self._made(query, (*self.columns, *made.names) if self.columns is not None else None)

    do_joinLateral = do_leftOuterJoinLateral = _lateral

    def _set(self, word: str) -> Callable[[Machine, Arguments], Table]:
        def run(machine: Machine, arguments: Arguments) -> Table:
            other = arguments.get(0)
            if not isinstance(other, Table) or self.sql is None or other.sql is None:
                return self.all.unresolved(arguments.place, "a table of a union of Flink")
            return self._made(f"{self.query} {word} {other.query}", self.columns)

        return run

    def do_distinct(self, machine: Machine, arguments: Arguments) -> Table:
        return self if self.sql is None else self._made(f"SELECT DISTINCT * FROM {self.source}", self.columns)

    def _same(self, machine: Machine, arguments: Arguments) -> Table:
        return self

    do_orderBy = do_limit = do_fetch = do_offset = do_partitionBy = _same

    def do_executeInsert(self, machine: Machine, arguments: Arguments) -> Evaluated:
        _insert(self.all, arguments.get(0), self, arguments.place)
        return Unknown()

    do_insertInto = do_executeInsert

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        joins = {
            "join": "JOIN",
            "leftOuterJoin": "LEFT JOIN",
            "rightOuterJoin": "RIGHT JOIN",
            "fullOuterJoin": "FULL JOIN",
        }
        sets = {"union": "UNION", "unionAll": "UNION ALL", "intersect": "INTERSECT", "minus": "EXCEPT"}
        if name in joins:
            return Method(self, self._join(joins[name]))
        if name in sets:
            return Method(self, self._set(sets[name]))
        if name in ("execute", "print", "printSchema", "explain", "getSchema", "getResolvedSchema"):
            return Method(self, lambda _, __: Unknown())
        return Method(self, lambda _, given: self.all.unresolved(given.place, f"{name} of a table of Flink"))


def _insert(statements: Statements, target: Evaluated, table: Evaluated, place: str) -> None:
    if isinstance(target, Descriptor):
        target = target.declared(statements, f"inline_table_{len(statements.listed)}", place)
    if not isinstance(target, str):
        statements.problem(place, "the table of Flink that is written is not resolved")
        return
    if not isinstance(table, Table) or table.sql is None:
        statements.problem(place, f"what is inserted into {target} is not resolved")
        return
    statements.build(f"INSERT INTO {target} {table.query}", place)


@dataclass(slots=True, eq=False)
class StatementSet(Camel):
    """Several statements that are run as one job."""

    all: Statements

    def do_addInsert(self, machine: Machine, arguments: Arguments) -> StatementSet:
        _insert(self.all, arguments.get(0), arguments.get(1), arguments.place)
        return self

    def do_addInsertSql(self, machine: Machine, arguments: Arguments) -> StatementSet:
        _run(self.all, arguments)
        return self

    def do_add(self, machine: Machine, arguments: Arguments) -> StatementSet:
        return self  # what insertInto has made

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: Unknown())


def _run(statements: Statements, arguments: Arguments) -> None:
    text = arguments.get(0)
    if isinstance(text, str):
        statements.add(text.strip().rstrip(";"), arguments.place)
    else:
        statements.problem(arguments.place, "a statement of Flink is not resolved")


@dataclass(slots=True, eq=False)
class Schema(Camel):
    """The columns of a descriptor."""

    lines: tuple[str, ...] = ()

    def do_column(self, machine: Machine, arguments: Arguments) -> Schema:
        name, kind = arguments.text(0), arguments.get(1)
        sql = kind.sql if isinstance(kind, DataType) else kind if isinstance(kind, str) else "STRING"
        return replace(self, lines=(*self.lines, f"{_quoted(name)} {sql}")) if name else self

    def do_columnByExpression(self, machine: Machine, arguments: Arguments) -> Schema:
        name, value = arguments.text(0), arguments.get(1)
        sql = value if isinstance(value, str) else term(value).sql
        return replace(self, lines=(*self.lines, f"{_quoted(name)} AS {sql}")) if name else self

    def do_columnByMetadata(self, machine: Machine, arguments: Arguments) -> Schema:
        name, kind = arguments.text(0), arguments.get(1)
        sql = kind.sql if isinstance(kind, DataType) else "STRING"
        return replace(self, lines=(*self.lines, f"{_quoted(name)} {sql} METADATA")) if name else self

    def do_watermark(self, machine: Machine, arguments: Arguments) -> Schema:
        name, value = arguments.text(0), arguments.get(1)
        sql = value if isinstance(value, str) else term(value).sql
        return replace(self, lines=(*self.lines, f"WATERMARK FOR {_quoted(name)} AS {sql}")) if name else self

    def do_primaryKey(self, machine: Machine, arguments: Arguments) -> Schema:
        names = ", ".join(_quoted(each) for each in arguments.values if isinstance(each, str))
        return replace(self, lines=(*self.lines, f"PRIMARY KEY ({names}) NOT ENFORCED")) if names else self

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: self)


@dataclass(slots=True, eq=False)
class Descriptor(Camel):
    """A table by its connector, schema and options."""

    options: Mapping[str, str]
    lines: tuple[str, ...] = ()

    def do_schema(self, machine: Machine, arguments: Arguments) -> Descriptor:
        first = arguments.get(0)
        return replace(self, lines=first.lines if isinstance(first, Schema) else ())

    def do_option(self, machine: Machine, arguments: Arguments) -> Descriptor:
        key, value = arguments.get(0), arguments.get(1)
        named = key if isinstance(key, str) else getattr(key, "name", "").rpartition(".")[2].lower().replace("_", "-")
        text = value if isinstance(value, str) else str(value) if is_plain(value) else "${unresolved}"
        return replace(self, options={**self.options, _OPTIONS.get(named, named): text}) if named else self

    def do_format(self, machine: Machine, arguments: Arguments) -> Descriptor:
        given = [each for each in arguments.values if isinstance(each, str)]
        key = f"{given[0]}.format" if len(given) > 1 else "format"
        return replace(self, options={**self.options, key: given[-1]}) if given else self

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: self)

    def declared(self, statements: Statements, name: str, place: str) -> str:
        """Declare the table under a name, which is returned."""
        options = ", ".join(f"'{key}' = '{value}'" for key, value in self.options.items())
        statements.build(f"CREATE TEMPORARY TABLE {name} ({', '.join(self.lines)}) WITH ({options})", place)
        return name


_OPTIONS = {
    "props-bootstrap-servers": "properties.bootstrap.servers",
    "value-format": "value.format",
    "key-format": "key.format",
}


@dataclass(slots=True, eq=False)
class Environment(Camel):
    """An environment of tables."""

    all: Statements

    def do_executeSql(self, machine: Machine, arguments: Arguments) -> Evaluated:
        _run(self.all, arguments)
        return Unknown()

    do_sqlUpdate = do_executeSql

    def do_sqlQuery(self, machine: Machine, arguments: Arguments) -> Table:
        text = arguments.get(0)
        if not isinstance(text, str):
            return self.all.unresolved(arguments.place, "a query of Flink")
        return Table(self.all, text.strip().rstrip(";"))

    def do_from(self, machine: Machine, arguments: Arguments) -> Table:
        name = arguments.get(0)
        if isinstance(name, Descriptor):
            name = name.declared(self.all, f"inline_table_{len(self.all.listed)}", arguments.place)
        if not isinstance(name, str):
            return self.all.unresolved(arguments.place, "a table of Flink that is read")
        return Table(self.all, name, self.all.columns.get(name.replace("`", "")), is_name=True)

    do_fromPath = do_scan = do_from

    def do_createTemporaryTable(self, machine: Machine, arguments: Arguments) -> Evaluated:
        name, descriptor = arguments.text(0), arguments.get(1)
        if name and isinstance(descriptor, Descriptor):
            descriptor.declared(self.all, name, arguments.place)
        else:
            self.all.problem(arguments.place, "a table of Flink is not resolved")
        return Unknown()

    do_createTable = do_createTemporaryTable

    def do_createTemporaryView(self, machine: Machine, arguments: Arguments) -> Evaluated:
        name, table = arguments.text(0), arguments.get(1)
        if hasattr(table, "table"):
            table = self._stream(machine, Arguments((table,), {}, arguments.place))
        if name and isinstance(table, Table) and table.sql is not None:
            self.all.build(f"CREATE TEMPORARY VIEW {name} AS {table.query}", arguments.place)
            if table.columns is not None:
                self.all.columns[name] = table.columns
        else:
            self.all.problem(arguments.place, f"the view {name or ''} of Flink is not resolved")
        return Unknown()

    do_registerTable = do_createView = do_createTemporaryView

    def do_createStatementSet(self, machine: Machine, arguments: Arguments) -> StatementSet:
        return StatementSet(self.all)

    def _stream(self, machine: Machine, arguments: Arguments) -> Table:
        first = arguments.get(0)
        made = first.table() if hasattr(first, "table") else None
        if made is not None:
            for text in made[0]:
                self.all.build(text, arguments.place)
            return Table(self.all, made[1], made[2])
        return self.all.unresolved(arguments.place, "a table of a stream of Flink")

    do_fromDataStream = do_fromChangelogStream = do_fromElements = do_fromValues = _stream

    def other(self, name: str, machine: Machine, place: str) -> Evaluated:
        return Method(self, lambda _, __: Unknown())


Declared = tuple[list[str], str, tuple[str, ...]]
"""Statements that declare the topics of a stream, a query of them, and its columns."""


def declared(frames: Iterable[Frame]) -> Declared | None:
    """Return the frames of a stream, one for each source, as statements; None if they are not resolved."""
    tables: list[str] = []
    queries: list[str] = []
    names: tuple[str, ...] = ()
    for number, made in enumerate(frames):
        origins = {origin for out in made.columns for origin in out.value.origins}
        topics = sorted({dataset.name for dataset, _ in origins} | {each.name for each in made.sources})
        if not topics or made.open:
            return None
        names = tuple(out.name for out in made.columns)
        for topic in topics:
            name = f"stream_{number}_{''.join(each if each.isalnum() else '_' for each in topic)}"
            paths = {_names(path) for dataset, path in origins if dataset.name == topic}
            listed = _listed({*paths, ("value",)})
            tables.append(
                f"CREATE TEMPORARY TABLE {name} ({listed}) WITH ('connector' = 'kafka',"
                f" 'topic' = '{topic.replace(chr(39), chr(39) * 2)}', 'format' = 'json')"
            )
            items = []
            for out in made.columns:
                own = sorted({_names(path) for dataset, path in out.value.origins if dataset.name == topic})
                parts = ", ".join(".".join(f"`{part}`" for part in each) for each in own)
                is_copy = len(own) == 1 and out.value.effect == IDENTITY
                items.append(f"{parts if is_copy else f'COMPUTED({parts})' if own else 'NULL'} AS `{out.name}`")
            queries.append(f"SELECT {', '.join(items)} FROM {name}")
    return (tables, " UNION ALL ".join(queries), names) if queries else None


def _names(path: ColumnPath) -> tuple[str, ...]:
    """Return the names of a path; of a record as a whole, that of its value."""
    return tuple(name for part in path if (name := field_name(part)) is not None) or ("value",)


def _listed(paths: Iterable[tuple[str, ...]]) -> str:
    """Return the columns of a table that has all *paths*."""
    below: dict[str, set[tuple[str, ...]]] = {}
    for first, *rest in paths:
        below.setdefault(first, set()).update({tuple(rest)} if rest else ())
    listed = sorted(below.items())
    return ", ".join(f"`{name}` {f'ROW<{_listed(inner)}>' if inner else 'STRING'}" for name, inner in listed)


def flink_call(statements: Statements, name: str, arguments: Arguments) -> Evaluated:
    """Return what a function of Flink's libraries returns; None for one that is not known."""
    package, _, last = name.rpartition(".")
    owner = package.rpartition(".")[2]
    if owner.endswith("TableEnvironment") and last in ("create", "getTableEnvironment"):
        return Environment(statements)
    if owner in _WINDOWS:
        made = Window(_WINDOWS[owner])
        return getattr(made, f"do_{_camel(last)}")(None, arguments) if hasattr(made, f"do_{_camel(last)}") else made
    if last in ("newBuilder", "new_builder") and owner == "Schema":
        return Schema()
    if owner == "TableDescriptor":
        connector = arguments.text(0) or ("kafka" if "anaged" not in last else "")
        return Descriptor({"connector": connector} if connector else {})
    if owner == "DataTypes":
        return _data_type(last, arguments)
    if last in ("udf", "udaf", "udtf", "udtaf") and "pyflink" in name:
        return Scalar(getattr(arguments.get(0, "f"), "name", "").replace("lambda", "") or Scalar().name)
    if owner == "Expressions" or package.endswith((".expressions", ".Expressions", "flink.table.api")):
        return _expression(_camel(last), arguments)
    return None


def _camel(name: str) -> str:
    first, *rest = name.strip("_").split("_")
    return "".join([first, *(each[:1].upper() + each[1:] for each in rest)])


def _data_type(name: str, arguments: Arguments) -> DataType:
    inner = [each.sql if isinstance(each, DataType) else str(each) for each in arguments.values]
    if name == "FIELD":
        return DataType(f"`{inner[0]}` {inner[1]}" if len(inner) > 1 else "")
    if name in ("ROW", "ARRAY", "MAP", "MULTISET"):
        listed = arguments.get(0)
        if isinstance(listed, list):
            inner = [each.sql for each in listed if isinstance(each, DataType)]
        return DataType(f"{name}<{', '.join(inner)}>")
    return DataType(f"{name}({', '.join(inner)})" if inner and all(each.isdigit() for each in inner) else name)


def _expression(name: str, arguments: Arguments) -> Term | ColumnChoice | None:
    first, rest = arguments.get(0), arguments.values[1:]
    match name:
        case "$" | "col" | "":
            return Term(
                ", ".join(_quoted(first).split("."))
                if not isinstance(first, str)
                else ".".join(map(_quoted, first.split(".")))
                if first != "*"
                else "*"
            )
        case "withColumns" | "withoutColumns" | "range" | "withAllColumns":
            is_all = name == "withAllColumns"
            return Term("*") if is_all else ColumnChoice(arguments.values, name == "range", name == "withoutColumns")
        case "lit":
            return term(first)
        case "call" | "callSql":
            if isinstance(first, str):
                return Term(first if name == "callSql" else f"{first}({', '.join(term(each).sql for each in rest)})")
            shown = getattr(first, "name", "") or "function"
            return Term(f"{shown.rpartition('.')[2]}({', '.join(term(each).sql for each in rest)})")
        case "ifThenElse":
            return _applied(term(first), "then", rest)
        case "and" | "or":
            return Term("(" + f" {name.upper()} ".join(term(each).sql for each in arguments.values) + ")")
        case "not":
            return Term(f"NOT ({term(first).sql})")
        case "concat" | "coalesce" | "row" | "array" | "map" | "concatWs" | "currentTimestamp" | "uuid":
            return Term(f"{_function(name)}({', '.join(term(each).sql for each in arguments.values)})")
        case "nullOf":
            return Term("NULL")
    if isinstance(first, Term):
        return _applied(first, name, rest)
    return Term(f"{_function(name)}({', '.join(term(each).sql for each in arguments.values)})")
