"""Parse the SQL of databases with sqlglot, queries and views: the tables that one reads, and its column lineage."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope

from dataflow_generator.connectors.families.query_effects import RESULTS, Clause, clauses, read_scopes
from dataflow_generator.connectors.families.query_parsing import folded_name, parse_problem, parse_query
from dataflow_generator.connectors.families.query_values import is_inside, named_values, star_changes
from scanner_model.errors import InputInvalid

_ALIAS_FIRST = frozenset({"clickhouse"})
_ALIAS_LAST = frozenset({"databricks", "redshift", "snowflake", "teradata", "unitycatalog"})
"""Dialects whose expressions may use the names of select items: before columns of that name, or where there is none."""
_MOST_STEPS = 20_000

Table = tuple[str, ...]
"""The parts of a table's name."""

TableColumns = Callable[[Table], Collection[str]]
"""Returns the names of a table's columns, in order; empty where they are not known."""


def _unknown(_: Table) -> Collection[str]:
    return ()


@dataclass(frozen=True, slots=True)
class QueryColumn:
    """An output column of a query, and the table columns it is derived from; *changed*: it is computed."""

    name: str
    origins: tuple[tuple[Table, str], ...]
    changed: bool


class QueryEffect(NamedTuple):
    """A column of a table that affects the whole result of a query; *subtype* is OpenLineage's, as FILTER."""

    table: Table
    column: str
    subtype: str


@dataclass(frozen=True, slots=True)
class QueryReading:
    """The tables and columns of a query; *rest* is the single table whose columns are selected by `*`.

    *problem* says what could not be parsed, of the whole query or of some of its columns; empty if nothing. *view* is
    the name of the view that the text creates, empty for a query alone. *effects* are of the columns that filter, join,
    group or sort; those that cannot be resolved are left out.
    """

    tables: tuple[Table, ...] = ()
    columns: tuple[QueryColumn, ...] = ()
    rest: Table | None = None
    problem: str = ""
    view: Table = ()
    effects: tuple[QueryEffect, ...] = ()


def read_query(text: str, scheme: str, columns: TableColumns = _unknown) -> QueryReading:
    """Parse a query, or a view, in the dialect of a JDBC *scheme*; never raises, and takes bounded time for any text.

    *columns* resolve `*` and names without their table. Columns that cannot be resolved, such as unnamed or ambiguous
    ones, are left out.
    """
    try:
        root, header = parse_query(text, scheme)
        reading = _Reading(scheme, root, columns).read([folded_name(name, scheme) for name in header.columns])
        return replace(reading, view=tuple(folded_name(part, scheme) for part in header.name))
    except SqlglotError as error:  # e.g. for a name that refers to two tables
        return QueryReading(problem=parse_problem(error))
    except InputInvalid as error:
        return QueryReading(problem=error.what)
    except RecursionError:
        return QueryReading(problem="query nesting exceeds the parser's limit")


_Origins = tuple[tuple[tuple[Table, str], ...], bool]
"""The table columns that a value is derived from, and whether it is computed."""


class _Output(NamedTuple):
    """An output column: *name* is empty where it has none, *origins* None where one of its columns is not resolved."""

    name: str
    origins: tuple[tuple[Table, str], ...] | None
    changed: bool


class _Reading:
    """The resolution of one query."""

    def __init__(self, scheme: str, root: Scope, columns: TableColumns) -> None:
        self._scheme = scheme
        self._root = root
        self._columns = columns
        self._scopes: dict[int, Scope] = {}
        self._named: dict[int, Mapping[str, exp.Expr]] = {}
        self._steps = 0
        self._unclear: dict[str, None] = {}
        self._rest: dict[Table, None] = {}
        self._resolved: dict[int, tuple[Sequence[_Output], Mapping[Table, None]]] = {}

    def read(self, names: Sequence[str] = ()) -> QueryReading:
        """Resolve the query; *names* are those that a view's header gives its columns."""
        tables: dict[Table, None] = {}
        for scope in self._root.traverse():
            for column in scope.columns:
                self._scopes.setdefault(id(column), scope)
            self._named[id(scope)] = named_values(scope, self._fold)
            for value in self._named[id(scope)].values():
                for column in value.find_all(exp.Column):
                    self._scopes.setdefault(id(column), scope)
            sources = (source for source in scope.sources.values() if isinstance(source, exp.Table) and source.name)
            tables |= dict.fromkeys(map(self._table, sources))
        columns = tuple(dict.fromkeys(self._columns_of(self._outputs(self._root), names)))
        rest = next(iter(self._rest)) if len(self._rest) == 1 else None
        if len(self._rest) > 1:
            self._unclear.setdefault("*")
        problem = f"columns of the query that cannot be resolved: {', '.join(self._unclear)}" if self._unclear else ""
        return QueryReading(tuple(sorted(tables)), columns, rest, problem, effects=self._effects())

    def _effects(self) -> tuple[QueryEffect, ...]:
        """Return the effects that are resolved within a budget of their own; the columns are known without them."""
        self._steps = 0
        effects: set[QueryEffect] = set()
        with suppress(RecursionError, SqlglotError):
            for scope in read_scopes(self._root):
                if listed := list(clauses(scope.expression)):
                    outputs = self._outputs(scope)
                    sources = (source for _, source in scope.selected_sources.values())
                    taken = {name for source in sources for name in self._names_of(source)}
                    named = {output.name: output for output in outputs if output.name not in taken}
                    for clause in listed:
                        origins = self._deciding(clause, scope, outputs, named)
                        effects.update(QueryEffect(*origin, clause.subtype) for origin in origins)
        return tuple(sorted(effects))

    def _deciding(
        self, clause: Clause, scope: Scope, outputs: Sequence[_Output], named: Mapping[str, _Output]
    ) -> Iterator[tuple[Table, str]]:
        """Yield the origins of the columns of a clause; those by which a query groups and sorts may be *named* ones."""
        for column in clause.columns:
            self._scopes.setdefault(id(column), scope)
            result = named.get(self._name(column)) if clause.subtype in RESULTS and not column.table else None
            origins = self._column_origins(column) if result is None else (result.origins or (), False)
            yield from origins[0] if origins else ()
        for name in map(self._fold, clause.merged):
            for _, source in scope.selected_sources.values():
                if name in self._names_of(source):
                    yield from (self._origins_in(source, name) or ((), False))[0]
        for place in clause.outputs:
            chosen = outputs if place is None else outputs[place : place + 1]
            yield from (origin for output in chosen for origin in output.origins or ())

    def _columns_of(self, outputs: Sequence[_Output], names: Sequence[str]) -> Iterator[QueryColumn]:
        """Yield the columns that have a name and are resolved; the others are noted."""
        if names and len(names) != len(outputs):
            self._unclear.setdefault("all: the view lists another number of columns than its query has")
            return
        for position, output in enumerate(outputs):
            name = names[position] if names else output.name
            if name and output.origins is not None:
                yield QueryColumn(name, output.origins, output.changed)
            else:
                self._unclear.setdefault(name or "unnamed")

    def _outputs(self, scope: Scope) -> Sequence[_Output]:
        """Return the output columns of a query, resolved once; the tables behind a star are noted each time."""
        if id(scope) not in self._resolved:
            outer, self._rest = self._rest, {}
            self._resolved[id(scope)] = tuple(self._resolve(scope)), self._rest
            self._rest = outer
        outputs, rest = self._resolved[id(scope)]
        self._rest |= rest
        return outputs

    def _resolve(self, scope: Scope) -> Iterator[_Output]:
        """Yield the output columns of a query; of a union, those of each branch under the first one's names."""
        self._step()
        if scope.set_operation_scopes:
            parts = [self._outputs(part) for part in scope.set_operation_scopes]
            yield from (_merged(columns) for columns in zip(*parts, strict=False))
            return
        for item in scope.expression.selects if isinstance(scope.expression, exp.Query) else ():
            if item.is_star:
                yield from self._star(scope, item)
            else:
                yield _Output(self._name(item), *self._origins(item))

    def _star(self, scope: Scope, item: exp.Expr) -> Iterator[_Output]:
        named = item.table if isinstance(item, exp.Column) else ""
        left_out, replaced = star_changes(item, self._fold)
        for name, (_, source) in scope.selected_sources.items():
            if named and name != named:
                continue
            for output in self._all_of(source, is_whole=not left_out and not replaced):
                self._step()
                if output.name in replaced:
                    yield _Output(output.name, *self._origins(replaced[output.name]))
                elif output.name not in left_out:
                    yield output

    def _all_of(self, source: exp.Table | Scope, *, is_whole: bool) -> Iterator[_Output]:
        """Yield the columns of a source; a table whose columns are not known is noted, where all are selected."""
        if isinstance(source, Scope):
            yield from self._outputs(source)
        elif known := self._columns(table := self._table(source)):
            yield from (_Output(column, ((table, column),), changed=False) for column in known)
        elif is_whole:
            self._rest.setdefault(table)
        else:
            self._unclear.setdefault("*")

    def _origins(self, item: exp.Expr) -> tuple[tuple[tuple[Table, str], ...] | None, bool]:
        """Return the origins of a value; None where one of its columns cannot be resolved."""
        plain = item.unalias()
        origins: dict[tuple[Table, str], None] = {}
        changed = not isinstance(plain, exp.Column)
        for column in item.find_all(exp.Column):
            column_origins = self._column_origins(column)
            if column_origins is None:
                return None, changed
            origins |= dict.fromkeys(column_origins[0])
            changed = changed or column_origins[1]
        return tuple(sorted(origins)), changed

    def _column_origins(self, column: exp.Column) -> _Origins | None:
        self._step()
        if column.is_star:
            return None
        name = self._name(column)
        if (value := self._value(column, name)) is not None:
            origins, changed = self._origins(value)
            return None if origins is None else (origins, changed)
        source = self._source(column)
        return self._inside(column) if source is None else self._origins_in(source, name)

    def _origins_in(self, source: exp.Table | Scope, name: str) -> _Origins | None:
        """Return the origins of a column of a table or query."""
        if isinstance(source, exp.Table):
            return ((self._table(source), name),) if source.name else (), False
        before = dict(self._rest)
        same = [output for output in self._outputs(source) if output.name == name]
        passed = [table for table in self._rest if table not in before]
        self._rest = before
        if not same and len(passed) == 1:
            return ((passed[0], name),), False
        if not same or any(output.origins is None for output in same):
            return None
        return tuple(o for output in same for o in output.origins or ()), any(output.changed for output in same)

    def _value(self, column: exp.Column, name: str) -> exp.Expr | None:
        """Return the expression that *name* stands for in the query; None where it is a column's."""
        scope = self._scopes.get(id(column))
        if scope is None or column.table or self._scheme not in _ALIAS_FIRST | _ALIAS_LAST:
            return None
        value = self._named[id(scope)].get(name)
        if value is None or is_inside(column, value):
            return None
        if self._scheme in _ALIAS_LAST:
            listed = [self._names_of(source) for _, source in scope.selected_sources.values()]
            return None if not all(listed) or any(name in names for names in listed) else value
        return value

    def _inside(self, column: exp.Column) -> _Origins | None:
        """Resolve a part of a column, as `address.city`, or a column whose own name has dots."""
        scope = self._scopes.get(id(column))
        first, *rest = (self._fold(part) for part in column.parts)
        if scope is None or not rest:
            return None
        if self._scheme in _ALIAS_FIRST and (value := self._named[id(scope)].get(first)) is not None:
            origins = None if is_inside(column, value) else self._origins(value)[0]
            return None if origins is None else (origins, True)
        sources = [source for _, source in scope.selected_sources.values()]
        if (qualifier := column.parts[0].name) in scope.selected_sources:
            sources, (first, *rest) = [scope.selected_sources[qualifier][1]], rest
        for name, changed in ((".".join((first, *rest)), False), (first, True)):
            for source in sources:
                if name in self._names_of(source):
                    origins_in = self._origins_in(source, name)
                    return origins_in and (origins_in[0], changed or origins_in[1])
        return None

    def _source(self, column: exp.Column) -> exp.Table | Scope | None:
        """Find the table or query of a column: by its qualifier, in this or an outer scope, or the only one."""
        scope = self._scopes.get(id(column))
        while scope is not None:
            selected = scope.selected_sources
            if column.table and column.table in selected:
                return selected[column.table][1]
            if not column.table and len(selected) == 1:
                return next(iter(selected.values()))[1]
            if not column.table:
                return self._only_holder(scope, self._name(column))
            scope = scope.parent
        return None

    def _only_holder(self, scope: Scope, name: str) -> exp.Table | Scope | None:
        """Return the table or query that has a column of this name; of several, which a join merges, the first."""
        sources = (source for _, source in scope.selected_sources.values())
        return next((source for source in sources if name in self._names_of(source)), None)

    def _names_of(self, source: exp.Table | Scope) -> Collection[str]:
        if isinstance(source, Scope):
            return {output.name for output in self._outputs(source)}
        return self._columns(self._table(source))

    def _table(self, table: exp.Table) -> Table:
        return tuple(self._fold(part) for part in table.parts)

    def _fold(self, name: exp.Expr) -> str:
        """Return a name in the database's case."""
        return folded_name(name, self._scheme)

    def _name(self, item: exp.Expr) -> str:
        """Return the name of a column or of a select item in the database's case."""
        shown = item.args.get("alias") if isinstance(item, exp.Alias) else item.args.get("this")
        if not isinstance(shown, exp.Identifier) or not isinstance(item, exp.Alias | exp.Column):
            return ""
        return self._fold(shown)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise RecursionError


def _merged(columns: Sequence[_Output]) -> _Output:
    """Return the column of a union from those of its branches."""
    if any(column.origins is None for column in columns):
        return columns[0]._replace(origins=None)
    origins = dict.fromkeys(origin for column in columns for origin in column.origins or ())
    return _Output(columns[0].name, tuple(origins), any(column.changed for column in columns))
