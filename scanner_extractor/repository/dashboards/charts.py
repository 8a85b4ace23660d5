"""What the readers of dashboards share: a chart as a table that its query defines, and variables in queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_model.catalogs import BY_NAME, DIALECT, TABLES, CatalogTable
from scanner_model.redaction import mask_statement, mask_text

DASHBOARD = "dashboard"
"""The kind of these files, as they are counted."""


class Chart(NamedTuple):
    """A chart of a dashboard: the *query* that it shows, in a SQL *dialect* (empty: unknown)."""

    tool: str
    dashboard: str
    title: str
    query: str
    dialect: str = ""
    kind: str = "CHART"
    owner: str = ""
    description: str = ""


def add_chart(chart: Chart, path: str, context: Context) -> None:
    """Add a chart; several of one name are numbered, and a query is masked."""
    namespace = f"{chart.tool}://{context.source.partition(':')[2]}"
    name = "/".join(part for part in (_plain(chart.dashboard), _plain(chart.title)) if part)
    numbers = context.chart_names
    own, number = name, numbers.get((namespace, name), 1)
    while (namespace, own) in numbers:
        number += 1
        own = f"{name} ({number})"
    numbers[namespace, own] = 1
    numbers[namespace, name] = number
    words = {TABLES: BY_NAME, DIALECT: chart.dialect, "file": path}
    context.chart_files[path] = None
    context.tables.append(
        CatalogTable(
            source=context.source,
            provider=chart.tool,
            namespace=namespace,
            name=own,
            kind=chart.kind,
            owner=chart.owner,
            description=mask_text(chart.description),
            parameters=tuple(sorted((key, value) for key, value in words.items() if value)),
            definition=mask_statement(chart.query),
        )
    )


def _plain(text: str) -> str:
    return " ".join(text.replace("/", "∕").split())


UNRESOLVED = "scanner_variable.value"
"""The replacement of an expression that a variable names: a column of a table that the query does not have."""
_TOKEN = re.compile(
    r"'[^']*'?|\"[^\"]*\"?|`[^`]*`?|--[^\n]*|\$__(?P<macro>\w+)|\$\{(?P<braces>[^}]{0,200})\}"
    r"|\[\[(?P<brackets>[^\]]{0,200})\]\]|\$(?P<name>[A-Za-z_]\w*)|(?P<word>[A-Za-z_][\w.]*)|\s+|.",
    re.DOTALL,
)
_TABLE_WORDS = frozenset({"FROM", "JOIN", "INTO", "UPDATE", "TABLE"})
_VALUE_WORDS = frozenset({"IN", "BETWEEN", "AND", "LIKE", "ILIKE", "LIMIT", "OFFSET", "INTERVAL", "ANY", "ALL", "SOME"})
_OPERATORS = frozenset("=<>+-*/%~")
LONGEST = 100_000
"""Characters of a query: those of charts that read each other may grow without end."""
_DEEPEST = 100
"""Maximum nesting of parentheses that is followed."""


def without_variables(query: str) -> str | None:
    """Return *query* with values for its variables and the arguments of its macros; None if one names a table.

    A variable that is compared, or listed behind IN, is a value. Elsewhere it may name a column, which is not resolved.
    A macro has the column that it is about as its first argument. Source: Grafana, SQL data sources.
    """
    return _Variables(query).replaced()


class _Variables:
    def __init__(self, query: str) -> None:
        self._tokens = list(_TOKEN.finditer(query))
        self._at = self._depth = 0
        self._is_unclear = False

    def replaced(self) -> str | None:
        text = "".join(self._parts(""))
        return None if self._is_unclear else text

    def _parts(self, end: str, before: str = "") -> Iterator[str]:
        """Yield the text up to the sign *end* on this level; *before* is the word that a parenthesis follows."""
        last, is_list = before, before in _VALUE_WORDS
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            text = token[0]
            self._at += 1
            if text == end:
                yield text
                return
            if token["macro"]:
                yield self._macro(token["macro"])
                last = ""
            elif any(token[name] is not None for name in ("braces", "brackets", "name")):
                yield self._variable(last, is_list=is_list)
                last = ""
            elif text == "(" and self._depth < _DEEPEST:
                yield text
                self._depth += 1
                yield "".join(self._parts(")", last))
                self._depth -= 1
                last = ")"
            else:
                yield text
                last = text.upper() if text.strip() else last

    def _variable(self, last: str, *, is_list: bool) -> str:
        if last in _TABLE_WORDS or last.endswith("."):
            self._is_unclear = True
        if self._at < len(self._tokens) and self._tokens[self._at][0] == "(":
            return "scanner_function"
        return "1" if last in _VALUE_WORDS or last in _OPERATORS or (is_list and last in (",", "IN")) else UNRESOLVED

    def _macro(self, name: str) -> str:
        if self._at >= len(self._tokens) or self._tokens[self._at][0] != "(":
            return "1"  # a moment or a length of time
        self._at += 1
        self._depth += 1
        inside = "".join(self._parts(")"))[:-1] if self._depth < _DEEPEST else ""
        self._depth -= 1
        column = _first_argument(inside)
        if not column:
            return "1"
        if "Filter" in name:
            return f"({column} IS NOT NULL)"
        return f'{column} AS "time"' if name.endswith("Alias") or name in ("time", "timeEpoch") else column


def _first_argument(text: str) -> str:
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            return text[:at].strip()
    return text.strip()


_BACKTICKS = frozenset({"mysql", "mariadb", "hive", "spark", "databricks", "impala", "bigquery"})
"""Dialects that put names in backticks; the others have the double quotes of the standard."""
_SAME = {
    "postgresql": "postgres",
    "awsathena": "trino",
    "athena": "trino",
    "mssql": "sqlserver",
    "presto-jdbc": "presto",
    "starburst": "trino",
    "bigquery-cloud-sdk": "bigquery",
    "googlebigquery": "bigquery",
    "amazonredshift": "redshift",
    "sparksql": "spark",
    "sql": "sqlserver",
    "azuredataexplorer": "kusto",
}


def dialect_named(name: str) -> str:
    """Return the dialect of an engine, as a tool names it: `postgresql+psycopg2`, `bigquery-cloud-sdk`."""
    plain = name.partition("+")[0].lower()
    return _SAME.get(plain, plain)


def quoted_name(name: str, dialect: str) -> str:
    """Return a name in the quotes of a dialect."""
    mark = "`" if dialect in _BACKTICKS else '"'
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


def quoted_table(parts: Iterable[str | None], dialect: str) -> str:
    """Return the qualified name of a table; a part that is empty is left out."""
    return ".".join(quoted_name(part, dialect) for part in parts if part)


def without_between(text: str, start: str, end: str, value: str) -> str:
    """Return *text* with *value* for every part from *start* to *end*; one that does not end stays."""
    parts, at = list[str](), 0
    while (first := text.find(start, at)) >= 0 and (last := text.find(end, first + len(start))) >= 0:
        parts += (text[at:first], value)
        at = last + len(end)
    return "".join((*parts, text[at:]))
