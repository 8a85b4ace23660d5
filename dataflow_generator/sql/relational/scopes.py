"""What names stand for at a place of a query: values, relations and functions of FROM, and scopes that look them up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlglot import exp

from dataflow_generator.sql.relational.parsing import folded_name

POSTGRES = frozenset({"materialize", "postgres", "redshift", "risingwave"})
"""Dialects whose system tables and functions are those of PostgreSQL."""
_PAIRS = frozenset({"json_each", "json_each_text", "jsonb_each", "jsonb_each_text"})
_OF_ONE_COLUMN = (exp.Unnest, exp.ExplodingGenerateSeries, exp.GenerateSeries)
_OWN_SCHEMAS = ("information_schema.", "pg_catalog.")
_OWN = ("_pg_", "generate_", "json_", "jsonb_", "pg_", "regexp_", "string_to_", "ts_", "txid_", "unnest", "xml")
"""How the names of PostgreSQL's own functions begin that return rows: they read no tables of users."""


def calls_of(node: exp.Expr) -> list[exp.Expr]:
    """Return the calls, or the arrays of UNNEST, whose results a source in FROM has side by side; usually one."""
    if isinstance(node, exp.Table) and (several := node.args.get("rows_from")):
        return [inner for call in several for inner in calls_of(call)]
    if isinstance(node, exp.Unnest):
        return list(node.expressions)
    return [node.this if isinstance(node, exp.Table) else node]


def called(call: exp.Expr) -> str:
    """Return the name of a function that the parser does not know, with its schema; empty for one that it does."""
    if isinstance(call, exp.Dot):
        return f"{call.this.sql()}.{call.expression.name.lower()}"
    if not isinstance(call, exp.Anonymous):
        return ""
    table = call.parent if isinstance(call.parent, exp.Table) else None
    return ".".join(filter(None, (table.db if table else "", call.name.lower())))


def own_columns(node: exp.Expr, name: str, scheme: str) -> Iterator[str]:
    """Yield the columns that a function has without a list in its alias; *name* is what it is called here."""
    kinds = (exp.ColumnDef, exp.JSONColumnDef, exp.OpenJSONColumnDef)
    yield from (column.name for column in node.find_all(*kinds) if column.name)
    call = node.this if isinstance(node, exp.Table) else node
    if scheme in POSTGRES and called(call) in _PAIRS:
        yield from ("key", "value")
    if isinstance(call, _OF_ONE_COLUMN) and name:
        yield name


def unknown_functions(calls: Iterable[exp.Expr], scheme: str) -> Iterator[str]:
    """Yield the names of functions that may read tables: those of a schema, in PostgreSQL all but its own."""
    for name in filter(None, map(called, calls)):
        plain = next((name.removeprefix(own) for own in _OWN_SCHEMAS if name.startswith(own)), "")
        if ("." in name and not plain) or (scheme in POSTGRES and not (plain or name).startswith(_OWN)):
            yield name


_MOST_STEPS = 50_000

Table = tuple[str, ...]
"""The parts of a table's name."""

Origin = tuple[Table, str]
"""A column of a table; of one that cannot be resolved the text, with () as its table."""

Decider = tuple[Origin, str]
"""A column that affects a result without being a part of it, and OpenLineage's subtype, as FILTER."""

TableColumns = Callable[[Table], Collection[str]]
"""Returns the names of a table's columns, in order; empty where they are not known."""


@dataclass(frozen=True, slots=True)
class DerivedValue:
    """The columns that a value is derived from; *changed*: it is computed; *deciders* only affect it.

    *known* is False where one of its columns cannot be resolved.
    """

    origins: frozenset[Origin] = frozenset()
    changed: bool = False
    deciders: frozenset[Decider] = frozenset()
    known: bool = True

    def every(self) -> Iterator[Origin]:
        """Yield each column that has a part in the value or affects it."""
        yield from self.origins
        yield from (origin for origin, _ in self.deciders)

    def computed(self) -> DerivedValue:
        """Return a value that is computed from this one."""
        return self if self.changed else replace(self, changed=True)


UNKNOWN = DerivedValue(known=False)


def unresolved(text: str) -> DerivedValue:
    """Return the value of a column that cannot be resolved; where it decides, its *text* is among the deciders."""
    return DerivedValue(frozenset({((), text)}), known=False)


def copied(table: Table, column: str) -> DerivedValue:
    """Return the value of a column of a table."""
    return DerivedValue(frozenset({(table, column)}))


def merged(values: Iterable[DerivedValue]) -> DerivedValue:
    """Return the value that is any of *values*."""
    listed = list(values)
    if len(listed) == 1:
        return listed[0]
    return DerivedValue(
        frozenset().union(*(value.origins for value in listed)),
        any(value.changed for value in listed),
        frozenset().union(*(value.deciders for value in listed)),
        all(value.known for value in listed),
    )


def decided(values: Iterable[DerivedValue], subtype: str) -> frozenset[Decider]:
    """Return the columns of *values* as those that decide."""
    return frozenset((origin, subtype) for value in values for origin in value.every())


class Output(NamedTuple):
    """A column of a relation or result: *name* is empty where it has none; `*` stands for some that are unknown."""

    name: str
    value: DerivedValue


STAR = Output("*", UNKNOWN)


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a query: its columns, the tables all of whose unknown columns it has, and what affects its rows."""

    columns: tuple[Output, ...]
    open: tuple[Table, ...] = ()
    deciders: frozenset[Decider] = frozenset()


class Relation:
    """A table, query or function in FROM; *table* is empty unless it is a table.

    *open* are tables whose columns are unknown, which may contain it; *of_any* is the value of columns that a
    function does not list, None for others.
    """

    def __init__(
        self,
        name: str,
        columns: Iterable[Output],
        *,
        open_: Iterable[Table] = (),
        table: Table = (),
        of_any: DerivedValue | None = None,
    ) -> None:
        self.name = name
        self.columns = tuple(columns)
        self.open = tuple(open_)
        self.table = table
        self.of_any = of_any
        self._index = index(self.columns)

    @property
    def is_open(self) -> bool:
        """Return whether it may have columns that it does not list."""
        return bool(self.open) or self.of_any is not None or "*" in self._index

    def column(self, name: str) -> DerivedValue | None:
        """Return the value of a column; None where it certainly has none of this name."""
        if (value := lookup(self._index, name)) is not None:
            return value
        if len(self.open) == 1 and "*" not in self._index:
            return copied(self.open[0], name)
        return self.of_any or (UNKNOWN if self.is_open else None)

    def unlisted(self, name: str) -> DerivedValue:
        """Return the value of a column that is not listed: a table may have it nevertheless, as those of the system."""
        return copied(self.table, name) if self.table else UNKNOWN

    def whole(self) -> DerivedValue:
        """Return the value of a row."""
        if self.of_any is not None:
            return self.of_any
        return UNKNOWN if self.is_open else merged(column.value for column in self.columns).computed()


def index(columns: Iterable[Output]) -> dict[str, DerivedValue]:
    """Return the values of *columns* by name, and by name without its letter case; of equal ones the first."""
    by_name: dict[str, DerivedValue] = {}
    for column in columns:
        by_name.setdefault(column.name, column.value)
    for name, value in list(by_name.items()):
        by_name.setdefault(name.casefold(), value)
    by_name.pop("", None)
    return by_name


def lookup(by_name: Mapping[str, DerivedValue], name: str) -> DerivedValue | None:
    """Return the value of a column by its name, whose letter case may differ; None if absent."""
    value = by_name.get(name)
    return by_name.get(name.casefold()) if value is None else value


@dataclass(slots=True)
class Context:
    """What the whole reading shares; *rows* and *value* resolve queries and expressions at a place.

    *seen* are the nodes of tables that were resolved, by identity.
    """

    scheme: str
    columns: TableColumns
    rows: Callable[[exp.Expr, QueryScope], Rows]
    value: Callable[[exp.Expr, QueryScope], DerivedValue]
    tables: set[Table] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)
    problems: dict[str, None] = field(default_factory=dict)
    steps: int = 0

    def step(self, count: int = 1) -> None:
        """Raise RecursionError where the query has taken too much work."""
        self.steps += count
        if self.steps > _MOST_STEPS:
            raise RecursionError

    def fold(self, name: exp.Expr) -> str:
        """Return a name in the letter case in which the database stores it."""
        return folded_name(name, self.scheme)


class QueryScope:
    """The relations and names at a place of a query; names that it does not have are those of *outer*."""

    def __init__(
        self, context: Context, outer: QueryScope | None = None, ctes: Mapping[str, Rows] | None = None
    ) -> None:
        self.context = context
        self.outer = outer
        self.ctes: Mapping[str, Rows] = ctes if ctes is not None else outer.ctes if outer else {}
        self.relations: list[Relation] = []
        self.columns: list[Output] = []
        self.open: list[Table] = []
        self.named: Mapping[str, exp.Expr] = {}
        self.windows: Mapping[str, exp.Expr] = {}
        self.results: Mapping[str, DerivedValue] = {}
        self._index: dict[str, DerivedValue] | None = None

    def cte(self, name: str) -> Rows | None:
        """Return the query that WITH names so; None where none has the name, in any letter case but in PostgreSQL."""
        if name in self.ctes or self.context.scheme in POSTGRES:
            return self.ctes.get(name)
        return next((rows for known, rows in self.ctes.items() if known.casefold() == name.casefold()), None)

    def add(self, relation: Relation) -> None:
        """Add a relation and its columns."""
        self.relations.append(relation)
        self.columns += relation.columns or ([STAR] if relation.of_any else [])
        self.open += relation.open
        self._index = None

    def absorb(self, other: QueryScope, columns: Sequence[Output] | None = None) -> None:
        """Add the relations of *other*; *columns* are those of a join of both instead of all."""
        self.relations += other.relations
        self.columns = [*self.columns, *other.columns] if columns is None else list(columns)
        self.open += other.open
        self._index = None
        self.context.step(len(other.columns))

    def chain(self) -> Iterator[QueryScope]:
        """Yield this scope and the outer ones, inner ones first."""
        scope: QueryScope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def listed(self, name: str) -> DerivedValue | None:
        """Return the value of a column that one of the relations lists; None where none does."""
        if self._index is None:
            self._index = index(self.columns)
        return lookup(self._index, name)

    def bare(self, name: str) -> DerivedValue | None:
        """Return the value of a name without a qualifier; None where it is not of this scope."""
        value = self.listed(name)
        if value is None:
            value = lookup(self.results, name)
        if value is not None:
            return value
        row = next((relation for relation in self.relations if relation.name == name), None)
        if row is not None and not (row.open and row.table[-1:] == (name,)):
            return row.whole()
        maybe = [relation for relation in self.relations if relation.is_open]
        return (maybe[0].column(name) if len(maybe) == 1 else UNKNOWN) if maybe else None

    def qualified(self, parts: Sequence[str]) -> DerivedValue | None:
        """Return the value of a name with qualifiers; None where it is not of this scope.

        It is a column of a relation, or a part of a column, as `address.city`; a column's own name may have dots.
        """
        *qualifiers, name = parts
        found = self.relations_of(qualifiers)
        if len(found) == 1:
            value = found[0].column(name)
            return found[0].unlisted(name) if value is None else value
        if found:
            return UNKNOWN
        if len(parts) > 2 and (row := self.relations_of(parts[:1])):
            dotted = row[0].column(".".join(parts[1:])) if not row[0].is_open else None
            inner = row[0].column(parts[1]) if dotted is None else None
            return inner.computed() if inner is not None else dotted or UNKNOWN
        dotted = self.listed(".".join(parts))
        inner = self.listed(parts[0]) if dotted is None else None
        return inner.computed() if inner is not None else dotted

    def relations_of(self, qualifiers: Sequence[str]) -> list[Relation]:
        """Return the relations that the qualifiers of a column name: one, unless the query is wrong or has none."""
        *container, name = qualifiers
        named = [relation for relation in self.relations if relation.name == name]
        named = named or [relation for relation in self.relations if relation.name.casefold() == name.casefold()]
        if container:
            named = [relation for relation in named if relation.table[:-1][-len(container) :] in (tuple(container), ())]
        return named
