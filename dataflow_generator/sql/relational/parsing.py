"""Parse one text of SQL with sqlglot: dialect, limits of size and depth, rewritings, the header of a view."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from sqlglot import exp, parse
from sqlglot.errors import ErrorLevel, SqlglotError

from dataflow_generator.sql.letter_case import folded
from scanner_model.errors import InputInvalid

_DIALECTS = {"sqlserver": "tsql", "mariadb": "mysql", "postgres": "postgres", "db2": "", "unitycatalog": "databricks"}
_READ_AS = frozenset(
    ("athena", "bigquery", "clickhouse", "databricks", "hive", "mysql", "oracle", "redshift", "snowflake", "sqlite")
) | {"doris", "duckdb", "materialize", "presto", "risingwave", "spark", "starrocks", "teradata", "trino"}
_LONGEST = 50_000
_DEEPEST = 60
_HIGHEST = 400
_WINDOWS = frozenset({"HOP", "TUMBLE"})
_BOUNDS = ("window_start", "window_end")
_NAMES = ("this", "db", "catalog")
_WITHOUT_LAMBDAS = frozenset({"materialize", "mysql", "postgres", "redshift", "risingwave", "sqlite"})

_CHECKED = re.compile(r"(?i)(?<!\s)\s++WITH\s++(?:CASCADED\s++|LOCAL\s++)?CHECK\s++OPTION\s*+;?\s*+\Z")
"""The end of a view's text that is not a part of its query; sqlglot does not know it in every dialect."""


class Header(NamedTuple):
    """The parts of a view's name, and the names that it lists for its columns; both empty for a query alone."""

    name: Sequence[exp.Identifier] = ()
    columns: Sequence[exp.Identifier] = ()


def folded_name(name: exp.Expr, scheme: str) -> str:
    """Return a name in the letter case in which the database stores it."""
    return folded(name.name, scheme, quoted=bool(name.args.get("quoted")))


def parse_query(text: str, scheme: str) -> tuple[exp.Expr, Header]:
    """Parse *text* as one query, or a view over one, in the dialect of a JDBC *scheme*.

    Raises InputInvalid where it is another statement, exceeds a limit, or cannot be parsed.
    """
    if problem := _excess(text):
        raise InputInvalid(problem)
    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    try:
        statements = _statements(text, scheme)
        query, header = _view(statements[0]) if len(statements) == 1 else (None, Header())
        if query is not None and _is_deep(query):
            raise InputInvalid(f"an expression of the query is more than {_HIGHEST} levels deep")
        query = _plain_tree(query, scheme) if isinstance(query, exp.Query | exp.Values) else None
    except SqlglotError as error:
        raise InputInvalid(parse_problem(error)) from error
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        # Errors of Python that sqlglot raises for unexpected texts, in addition to its own.
        raise InputInvalid(f"the query cannot be parsed ({type(error).__name__})") from error
    if query is None:
        raise InputInvalid("the query is not one SELECT")
    return query, header


def _statements(text: str, scheme: str) -> list[exp.Expr]:
    """Return the statements of a text; one that cannot be parsed is parsed again in simpler words."""
    plain = _CHECKED.sub("", text)
    try:
        return _parsed(plain, scheme)
    except SqlglotError:
        if scheme != "postgres":
            raise
        with suppress(SqlglotError):
            return _parsed(rewritten(plain), scheme)
        raise


def _parsed(text: str, scheme: str) -> list[exp.Expr]:
    statements = parse(text, read=_dialect(scheme), error_level=ErrorLevel.RAISE)
    return [statement for statement in statements if statement is not None]


def _view(statement: exp.Expr) -> tuple[exp.Expr | None, Header]:
    """Return the query of a view with its header; another statement unchanged."""
    if not isinstance(statement, exp.Create) or statement.args.get("kind") != "VIEW":
        return statement, Header()
    schema = statement.this if isinstance(statement.this, exp.Schema) else None
    table = schema.this if schema else statement.this
    listed = [item.this if isinstance(item, exp.ColumnDef) else item for item in schema.expressions] if schema else []
    parts = [part for part in table.parts if isinstance(part, exp.Identifier)] if isinstance(table, exp.Table) else []
    return statement.expression, Header(parts, [name for name in listed if isinstance(name, exp.Identifier)])


def _dialect(scheme: str) -> str | None:
    known = _DIALECTS.get(scheme, scheme if scheme in _READ_AS else "")
    return known or None


def _excess(text: str) -> str:
    """Return which limit a text exceeds; empty where it exceeds none."""
    if len(text) > _LONGEST:
        return f"the query has {len(text)} characters, more than the limit of {_LONGEST}"
    if _depth(text) > _DEEPEST:
        return f"the query nests brackets more than {_DEEPEST} levels deep"
    return ""


def _is_deep(query: exp.Expr) -> bool:
    """Return whether the tree is so deep that walking up from every column would take long."""
    level, depth = [query], 0
    while level and depth <= _HIGHEST:
        level, depth = [inside for node in level for inside in node.iter_expressions()], depth + 1
    return bool(level)


def _depth(text: str) -> int:
    depth = deepest = 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        deepest = max(deepest, depth)
    return deepest


def parse_problem(error: SqlglotError) -> str:
    """Return what sqlglot could not parse or resolve, in one line."""
    # sqlglot underlines the position with terminal codes; these are removed.
    line = next(iter(str(error).splitlines()), "").partition("\x1b")[0]
    return f"the query cannot be parsed: {line[:200]}"


def _plain_tree(query: exp.Expr, scheme: str) -> exp.Expr:
    """Return a query in forms that are resolved in any dialect.

    A window of RisingWave, `TUMBLE(orders, at, …)`, is a query of the table with two more columns. `f(a -> 'x')` is a
    part of `a` in dialects without lambdas, where sqlglot parses a lambda of that name.
    """
    if scheme == "risingwave":
        for table in reversed(list(query.find_all(exp.Table))):  # inner ones first: the outer ones are copied
            if isinstance(table.this, exp.Anonymous) and table.this.name.upper() in _WINDOWS:
                _as_query(table)
    if scheme in _WITHOUT_LAMBDAS:
        for part in reversed(list(query.find_all(exp.Lambda))):
            if len(part.expressions) == 1 and isinstance(part.expressions[0], exp.Identifier):
                column = exp.Column(this=part.expressions[0].copy())
                part.replace(exp.JSONExtract(this=column, expression=part.this.copy()))
    return query


def _as_query(table: exp.Table) -> None:
    """Replace a window over a table or query by a query that has the window's columns, too."""
    source, *rest = table.this.expressions
    if not rest or not isinstance(source, exp.Column | exp.Subquery):
        return
    read = (
        exp.Table(**dict(zip(_NAMES, reversed(source.parts), strict=False)))
        if isinstance(source, exp.Column)
        else source
    )
    bounds = [exp.alias_(exp.Anonymous(this="window", expressions=[rest[0].copy()]), name) for name in _BOUNDS]
    query = exp.select("*", *bounds).from_(read.copy())
    table.replace(query.subquery(table.alias or None))


_LITERAL = re.compile(
    r"(?i)(?:\bE'(?:[^'\\]|\\.?|'')*+|'(?:[^']|'')*+)(?P<end>'?)|\$(?P<tag>\w*+)\$.*?(?P<close>\$(?P=tag)\$|\Z)",
    re.DOTALL,
)
_OPERATOR = re.compile(r'("(?:[^"]|"")*")|([-+*/<>=~!@#%^&|`?]+)')
_KNOWN = frozenset(
    ("+", "-", "*", "/", "%", "^", "=", "<>", "!=", "<", ">", "<=", ">=", "||", "~", "!~", "~*", "!~*", "~~", "!~~")
) | {"~~*", "!~~*", "->", "->>", "#>", "#>>", "@>", "<@", "?", "?|", "?&", "@@", "@?", "&&", "&", "|", "#", "<<", ">>"}
_NAME = r'(?:"(?:[^"]|"")*"|\w+)'
_NAME_LIST = rf"{_NAME}(?:\s*,\s*{_NAME})*"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form, re.IGNORECASE), instead)
    for form, instead in (
        (rf"(\bUSING\s*\({_NAME_LIST}\))\s+AS\s+{_NAME}", r"\1"),
        (rf"\)\s*SEARCH\s+(?:DEPTH|BREADTH)\s+FIRST\s+BY\s+{_NAME_LIST}\s+SET\s+{_NAME}", ")"),
        (rf"\)\s*CYCLE\s+{_NAME_LIST}\s+SET\s+{_NAME}(?:\s+TO\s+\S+\s+DEFAULT\s+\S+)?\s+USING\s+{_NAME}", ")"),
        (r"(\bORDER\s+BY\b[^()]*?)\s+USING\s+[-+*/<>=~!@#%^&|`?]+", r"\1"),
        (r"\(\s*(?:LATERAL\s+)?unnest\s*\(", '("unnest"('),
        (r"(::\s*[\w.]+)(?:\[\])+", r"\1"),
        (r"\bCOLLATION\s+FOR\s*\(", "pg_collation_for("),
        (r"\bXMLPARSE\s*\(\s*(?:CONTENT|DOCUMENT)\b", "xml_parse("),
        (r"\s(?:STRIP|PRESERVE)\s+WHITESPACE\s*\)", ")"),
        (r"\bXMLSERIALIZE\s*\(\s*(?:CONTENT|DOCUMENT)\b", "CAST("),
        (rf"\bXMLPI\s*\(\s*NAME\s+{_NAME}", "xml_pi('0'"),
        (r"\bVERSION\s+NO\s+VALUE\b|\bSTANDALONE\s+(?:YES|NO\s+VALUE|NO)\b", "'0'"),
    )
)
_XML = re.compile(r"\bXMLTABLE\s*\(", re.IGNORECASE)
_ALIAS = re.compile(
    rf"\s+(?:AS\s+)?(?!(?:ON|JOIN|LEFT|RIGHT|FULL|INNER|CROSS|WHERE|GROUP|ORDER)\b){_NAME}", re.IGNORECASE
)


def rewritten(text: str) -> str:
    """Return a query of PostgreSQL without what sqlglot does not parse; constants are replaced, columns are not.

    The columns that SEARCH and CYCLE add, and the names that USING gives to a join, are not defined in the result.
    """
    plain = _LITERAL.sub(lambda found: "'0'" if found["end"] or found["close"] else found[0], text)
    for form, instead in _FORMS:
        plain = form.sub(instead, plain)
    return _OPERATOR.sub(lambda found: found[1] or _operator(found), _without_xml(plain))


def _operator(found: re.Match[str]) -> str:
    """Return an operator that is known, where another one has operands on both sides; nothing before a single one."""
    if found[2] in _KNOWN:
        return found[2]
    at = found.start() - 1
    while at >= 0 and found.string[at].isspace():
        at -= 1
    before = found.string[at] if at >= 0 else ""
    return " || " if before.isalnum() or before in tuple("_\")]'") else " "


def _without_xml(text: str) -> str:
    """Return a text whose XMLTABLE are functions of the columns that they read."""
    found = _XML.search(text)
    while found:
        end = _end(text, found.end())
        arguments = re.split(r"(?i)\bCOLUMNS\b", text[found.end() : end])[0]
        call = f"xml_table({re.sub(r'(?i)PASSING(?: BY (?:REF|VALUE))?', ',', arguments)})"
        alias = "" if _ALIAS.match(text, end + 1) else ' "xmltable"'
        text = f"{text[: found.start()]}{call}{alias}{text[end + 1 :]}"
        found = _XML.search(text)
    return text


def _end(text: str, start: int) -> int:
    """Return the place of the bracket that closes the one before *start*."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    return len(text)
