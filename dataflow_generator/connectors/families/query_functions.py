"""Functions in FROM: their calls, the columns that they define, and which of them may read tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

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
