"""FROM: the tables, queries and functions that a query reads, and how joins merge their columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

from sqlglot import exp

from dataflow_generator.sql.relational.scopes import (
    POSTGRES,
    STAR,
    UNKNOWN,
    Decider,
    DerivedValue,
    Output,
    QueryScope,
    Relation,
    Rows,
    Table,
    called,
    calls_of,
    copied,
    decided,
    merged,
    own_columns,
    unknown_functions,
    unresolved,
)

_JOIN = "JOIN"


def read_from(query: exp.Select, scope: QueryScope) -> frozenset[Decider]:
    """Add what a query reads from to its *scope*; return the columns that decide which rows it reads."""
    source = query.args.get("from_")
    clause = _From(scope)
    joins = [*(query.args.get("joins") or ()), *(query.args.get("laterals") or ())]
    if source is not None:
        clause.group(source.this, joins, scope)
    return frozenset(clause.deciders)


class _From:
    """The reading of one FROM; subqueries see what is *beside* it only, unless they are lateral."""

    def __init__(self, scope: QueryScope) -> None:
        self._context = scope.context
        self._beside = QueryScope(scope.context, scope.outer, scope.ctes)
        self.deciders: set[Decider] = set()

    def group(self, first: exp.Expr, joins: Sequence[exp.Expr], scope: QueryScope) -> None:
        """Add a source with what is joined to it; a comma begins another part, which joins bind more closely."""
        part = QueryScope(self._context, scope)
        self._source(first, part)
        for join in joins:
            if not isinstance(join, exp.Join):  # LATERAL VIEW
                self._source(join, part)
            elif join.kind == "ARRAY":  # of ClickHouse: its elements are named values
                continue
            elif any(join.args.get(name) for name in ("on", "using", "side", "kind", "method")):
                right = QueryScope(self._context, part)
                self._item(join.this, right)
                self._join(join, part, right)
            else:
                scope.absorb(part)
                part = QueryScope(self._context, scope)
                self._item(join.this, part)
        scope.absorb(part)

    def _item(self, node: exp.Expr, scope: QueryScope) -> None:
        self.group(node, node.args.get("joins") or (), scope)

    def _join(self, join: exp.Join, left: QueryScope, right: QueryScope) -> None:
        names = [self._context.fold(name) for name in join.args.get("using") or () if isinstance(name, exp.Identifier)]
        if join.method == "NATURAL":
            names = [column.name for column in left.columns if right.listed(column.name) and column.name != "*"]
        shared = {name: (left.bare(name) or unresolved(name), right.bare(name) or unresolved(name)) for name in names}
        for pair in shared.values():
            self.deciders |= decided(pair, _JOIN)
        only_left = join.kind in ("SEMI", "ANTI")
        columns = [
            *(Output(name, _shared(join.side, *pair)) for name, pair in shared.items()),
            *(column for column in left.columns if column.name not in shared),
            *(column for column in right.columns if column.name not in shared and not only_left),
        ]
        left.absorb(right, columns)
        if (condition := join.args.get("on")) is not None:
            self.deciders |= decided([self._context.value(condition, left)], _JOIN)

    def _source(self, node: exp.Expr, scope: QueryScope) -> None:
        self._context.step()
        if isinstance(node, exp.Final):
            node = node.this
        inner = node.this if isinstance(node, exp.Lateral) else node
        if isinstance(inner, exp.Subquery) and not _is_query(inner):
            self._brackets(inner, scope)
        elif isinstance(inner, exp.Subquery):
            rows = self._context.rows(inner, scope if inner is not node else self._beside)
            alias = inner.args.get("alias") if inner is node else None
            self._add(rows, alias or node.args.get("alias"), scope)
        elif isinstance(inner, exp.Values):
            self._add(self._context.rows(inner, scope), inner.args.get("alias"), scope)
        elif isinstance(inner, exp.Table) and isinstance(inner.this, exp.Identifier):
            self._table(inner, scope)
        else:
            scope.add(self._function(inner, node, scope))

    def _brackets(self, node: exp.Subquery, scope: QueryScope) -> None:
        """Add joined sources in brackets; with an alias, their own names are not visible."""
        inside = QueryScope(self._context, scope)
        self._item(node.this, inside)
        if alias := node.args.get("alias"):
            self._add(Rows(tuple(inside.columns), tuple(inside.open)), alias, scope)
        else:
            scope.absorb(inside)

    def _add(self, rows: Rows, alias: exp.Expr | None, scope: QueryScope) -> None:
        """Add the result of a query under its *alias*."""
        self.deciders |= rows.deciders
        name = self._context.fold(alias.this) if alias is not None and alias.this else ""
        columns = renamed(rows, self._listed(alias))
        scope.add(Relation(name, columns, open_=rows.open))

    def _table(self, node: exp.Table, scope: QueryScope) -> None:
        table: Table = tuple(self._context.fold(part) for part in node.parts)
        alias = node.args.get("alias")
        name = self._context.fold(alias.this) if alias is not None and alias.this else table[-1]
        self._context.seen.add(id(node))
        if len(table) == 1 and (cte := scope.cte(table[0])) is not None:
            rows, table = cte, ()
            self.deciders |= rows.deciders
        else:
            rows, table = self._rows_of(table)
        columns = renamed(rows, self._listed(alias))
        hidden = [STAR] if node.args.get("pivots") else []
        scope.add(Relation(name, (*columns, *hidden), open_=rows.open, table=table))

    def _rows_of(self, table: Table) -> tuple[Rows, Table]:
        """Return the columns of a table, and its name: one that the schema lacks may be of the system's catalog."""
        known = self._context.columns(table)
        is_system = len(table) == 1 and table[0].startswith("pg_") and self._context.scheme in POSTGRES
        if not known and is_system:
            table = ("pg_catalog", *table)
            known = self._context.columns(table)
        self._context.tables.add(table)
        columns = tuple(Output(column, copied(table, column)) for column in known)
        return Rows(columns, () if known else (table,)), table

    def _function(self, node: exp.Expr, place: exp.Expr, scope: QueryScope) -> Relation:
        """Return the relation of a function: each of its columns is computed from the arguments."""
        calls = calls_of(node)
        alias = place.args.get("alias") or node.args.get("alias")
        name = (
            self._context.fold(alias.this) if alias is not None and alias.this else called(calls[0]).rpartition(".")[2]
        )
        parts = [self._context.value(call, scope).computed() for call in calls]
        whole = merged(parts).computed()
        names = [*self._listed(alias), *self._offset(node)] or list(own_columns(node, name, self._context.scheme))
        values = [*(parts if 1 < len(parts) <= len(names) else ()), *repeat(whole, len(names))]
        for unknown in unknown_functions(calls, self._context.scheme):
            self._context.problems.setdefault(f"what the function {unknown} reads is not known")
        return Relation(name, map(Output, names, values), of_any=whole)

    def _offset(self, node: exp.Expr) -> Iterator[str]:
        if isinstance(node, exp.Unnest) and isinstance(name := node.args.get("offset"), exp.Identifier):
            yield self._context.fold(name)

    def _listed(self, alias: exp.Expr | None) -> list[str]:
        """Return the names that an alias gives to columns."""
        items = alias.args.get("columns") or () if alias is not None else ()
        names = [item.this if isinstance(item, exp.ColumnDef) else item for item in items]
        return [self._context.fold(name) for name in names if isinstance(name, exp.Identifier)]


def renamed(rows: Rows, names: Sequence[str]) -> tuple[Output, ...]:
    """Return the columns of *rows*, the first of them under *names*; which these are is unknown where rows are open."""
    if rows.open or STAR in rows.columns:
        return (*(Output(name, UNKNOWN) for name in names), *rows.columns)
    given = [column._replace(name=name) for name, column in zip(names, rows.columns, strict=False)]
    missing = [Output(name, UNKNOWN) for name in names[len(given) :]]
    return (*given, *missing, *rows.columns[len(given) :])


def _is_query(node: exp.Subquery) -> bool:
    """Return whether a query is in the brackets, and not sources that are joined."""
    inner = node.this
    while isinstance(inner, exp.Subquery) and not inner.args.get("joins"):
        inner = inner.this
    return isinstance(inner, exp.Select | exp.SetOperation | exp.Values)


def _shared(side: str, left: DerivedValue, right: DerivedValue) -> DerivedValue:
    """Return the value of a column that a join merges (USING): either side's only in a FULL JOIN."""
    if side == "FULL":
        return merged([left, right]).computed()
    return right if side == "RIGHT" else left
