"""The tables and SQL texts that an expression of Power Query reads, and which of their columns it passes on.

A table is selected by a record: `{[Schema = "s", Item = "t"]}` of a database, `{[Name = "t", Kind = "Table"]}` of a
server with levels. Files have neither. Source: Microsoft, data access functions of Power Query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from scanner_extractor.repository.dashboards.charts import UNRESOLVED, dialect_named, quoted_table
from scanner_extractor.repository.dashboards.power_query import MExpression
from scanner_extractor.repository.syntax_trees import words

_KEEPING = words(
    "SelectColumns RemoveColumns TransformColumnTypes TransformColumns SelectRows Sort Distinct ReorderColumns Buffer"
    " ReplaceValue ReplaceErrorValues FirstN LastN Skip Range FillDown FillUp RemoveRowsWithErrors StopFolding"
    " RemoveFirstN RemoveLastN AlternateRows ReverseRows Repeat View AddKey"
)
"""Functions of tables after which a column has the name that it had before."""
_LEVELS = frozenset({"Database", "Schema", "Catalog"})
_TABLES = frozenset({"Table", "View", "MaterializedView", "DynamicTable"})
_KUSTO, _CUBES = "kusto", "analysisservices"
"""Servers whose queries are not SQL: a query of Kusto begins with its table; of cubes, none names a table."""
_KUSTO_TABLE = re.compile(
    r"\s*(?:\['([^']+)'\]|(?!(?:let|range|print|union|datatable|search|set|declare)\b)([A-Za-z_]\w*))"
)
_DEEPEST = 40
_MOST = 20_000


class UnknownTable(Exception):
    """Raised for a table whose name is computed; the text says which."""


@dataclass(frozen=True, slots=True)
class QueryRows:
    """QueryRows of *sources*: tables, or queries in parentheses, of a *dialect*.

    A column is one of *plain* sources under its own name, unless it is *made*: of other columns. *used* are columns
    that rows are chosen by.
    """

    sources: tuple[str, ...] = ()
    dialect: str = ""
    plain: tuple[str, ...] = ()
    made: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    used: tuple[str, ...] = ()


class _Path(NamedTuple):
    """A place in a server, on the way to a table."""

    parts: tuple[str, ...]
    dialect: str


class _Function(NamedTuple):
    node: MExpression
    scope: _Steps


class _Steps:
    """The steps in sight of an expression; each is evaluated once."""

    def __init__(
        self, nodes: Mapping[str, MExpression], outer: _Steps | None, given: Mapping[str, Value] | None = None
    ) -> None:
        self.nodes, self.outer = nodes, outer
        self.values: dict[str, Value] = dict(given or {})


Value: TypeAlias = "str | QueryRows | _Path | _Function | None"


def rows_of(node: MExpression, lookup: Callable[[str], MExpression | None]) -> QueryRows:
    """Return what an expression reads; *lookup* gives the other queries of the model. Raises UnknownTable."""
    value = _Evaluation(lookup).value(node, _Steps({}, None), 0)
    return value if isinstance(value, QueryRows) else QueryRows()


class _Evaluation:
    def __init__(self, lookup: Callable[[str], MExpression | None]) -> None:
        self._lookup = lookup
        self._queries: dict[str, Value] = {}
        self._left = _MOST

    def value(self, node: MExpression, scope: _Steps, depth: int) -> Value:
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return None
        match node.kind:
            case "text":
                return node.name
            case "name":
                return self._named(node.name, scope, depth)
            case "let":
                return self.value(node.parts[0], _Steps(node.members, scope), depth + 1)
            case "function":
                return _Function(node, scope)
            case "joined":
                texts = [self.value(part, scope, depth + 1) for part in node.parts]
                return "".join(map(str, texts)) if all(isinstance(one, str) for one in texts) else _merged(texts)
            case "item":
                return self._selected(node, scope, depth)
            case "call":
                return self._called(node, scope, depth)
            case "record":
                return _merged(self.value(part, scope, depth + 1) for part in node.members.values())
        return _merged(self.value(part, scope, depth + 1) for part in node.parts)

    def _named(self, name: str, scope: _Steps | None, depth: int) -> Value:
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            if name in scope.nodes:
                scope.values[name] = None  # a step that reads itself
                scope.values[name] = self.value(scope.nodes[name], scope, depth + 1)
                return scope.values[name]
            scope = scope.outer
        if name not in self._queries:
            self._queries[name] = None
            query = self._lookup(name)
            self._queries[name] = self.value(query, _Steps({}, None), depth + 1) if query else None
        return self._queries[name]

    def _selected(self, node: MExpression, scope: _Steps, depth: int) -> Value:
        """Return the table, or the next place, that a record selects."""
        base = self.value(node.parts[0], scope, depth + 1)
        key = node.parts[1].members if len(node.parts) > 1 and node.parts[1].kind == "record" else {}
        place = base if isinstance(base, _Path) else _Path((), "")
        kind = self._text(key, ("Kind", "ItemKind"), scope, depth)
        if "Schema" in key and "Item" in key:
            schema = self._text(key, ("Schema",), scope, depth)
            if schema == "":
                return base  # a file of Access
            return _table((*place.parts, schema or "", self._name(key, ("Item",), scope, depth)), place.dialect)
        if place.dialect == _KUSTO and "Name" in key:
            return _table((self._name(key, ("Name",), scope, depth),), _KUSTO)
        if kind in _TABLES and ("Name" in key or "Id" in key):
            return _table((*place.parts, self._name(key, ("Name", "Id"), scope, depth)), place.dialect)
        if kind in _LEVELS and "Name" in key:
            return _Path((*place.parts, self._text(key, ("Name",), scope, depth) or ""), place.dialect)
        return base

    def _text(self, key: Mapping[str, MExpression], names: tuple[str, ...], scope: _Steps, depth: int) -> str | None:
        found = next((key[name] for name in names if name in key), None)
        value = self.value(found, scope, depth + 1) if found else None
        return value if isinstance(value, str) else None

    def _name(self, key: Mapping[str, MExpression], names: tuple[str, ...], scope: _Steps, depth: int) -> str:
        text = self._text(key, names, scope, depth)
        if not text:
            raise UnknownTable("the name of its table is computed")
        return text

    def _called(self, node: MExpression, scope: _Steps, depth: int) -> Value:
        name = node.parts[0].name if node.parts[0].kind == "name" else ""
        arguments = [self.value(part, scope, depth + 1) for part in node.parts[1:]]
        own = self.value(node.parts[0], scope, depth + 1)
        if isinstance(own, _Function):
            names = own.node.names
            given = dict(zip(names, (*arguments, *[None] * len(names)), strict=False))
            return self.value(own.node.parts[0], _Steps({}, own.scope, given), depth + 1)
        module, _, function = name.rpartition(".")
        options = [part.members["Query"] for part in node.parts[1:] if "Query" in part.members]
        queries = [self.value(part, scope, depth + 1) for part in options]
        if function in ("NativeQuery", "Query"):
            queries += arguments[1:2]
        target = next((one for one in arguments if isinstance(one, _Path)), _Path((), ""))
        dialect = target.dialect or dialect_named(module.rpartition(".")[2])
        if dialect == _KUSTO and len(arguments) > 2 and node.parts[3].name != "null":
            return _kusto_table(node.parts[3])
        if module == "Text" and function == "Combine":
            return self._combined(node.parts[1:], scope, depth)
        for query in queries if dialect != _CUBES else ():
            if query is None:
                raise UnknownTable("the text of its query is computed")
            if isinstance(query, str) and _is_query(query):
                source = f"({query.strip().rstrip(';')})"
                return QueryRows((source,), dialect, (source,))
        if module == "Table":
            return self._changed(function, node.parts[1:], arguments)
        merged = _merged(arguments)
        return merged if merged is not None or not module else _Path((), dialect)

    def _combined(self, parts: tuple[MExpression, ...], scope: _Steps, depth: int) -> Value:
        """Return the texts of a list with a separator between; None if one is not known."""
        texts = [self.value(part, scope, depth + 1) for part in parts[0].parts] if parts else []
        between = self.value(parts[1], scope, depth + 1) if len(parts) > 1 else ""
        known = [text for text in texts if isinstance(text, str)]
        return between.join(known) if isinstance(between, str) and len(known) == len(texts) else None

    def _changed(self, function: str, parts: tuple[MExpression, ...], arguments: list[Value]) -> Value:
        """Return the rows of a function of tables: of all tables that it has, with what it does to their columns."""
        base = _merged(arguments[:1])
        if not isinstance(base, QueryRows):
            return _merged(arguments)
        others = [one for one in arguments[1:] if isinstance(one, QueryRows)]
        merged = replace(
            base, sources=tuple(dict.fromkeys((*base.sources, *(s for one in others for s in one.sources))))
        )
        made = dict(base.made)

        def of(name: str) -> tuple[str, ...]:
            return base.made.get(name, (name,))

        if function == "RenameColumns":
            pairs = [pair.parts for pair in _lists(parts[1:]) if [one.kind for one in pair.parts] == ["text", "text"]]
            made |= {new.name: of(old.name) for old, new in pairs}
        elif function == "AddColumn" and len(parts) > 2 and parts[1].kind == "text":
            made[parts[1].name] = tuple(source for name in _fields(parts[2]) for source in of(name))
        elif function == "DuplicateColumn" and [one.kind for one in parts[1:3]] == ["text", "text"]:
            made[parts[2].name] = of(parts[1].name)
        elif function == "SelectRows":
            used = (source for part in parts[1:] for name in _fields(part) for source in of(name))
            return replace(merged, used=tuple(dict.fromkeys((*base.used, *used))))
        elif function not in _KEEPING:
            new = parts[4:5] if function == "NestedJoin" else parts[1:]  # its keys stay columns
            made |= {name: (UNRESOLVED,) for part in new for name in _literals(part)}
        return replace(merged, made=made)


def _table(parts: tuple[str, ...], dialect: str) -> QueryRows:
    name = quoted_table(parts, dialect)
    return QueryRows((name,), dialect, (name,))


def _kusto_table(query: MExpression) -> QueryRows:
    """Return the table that a query of Kusto begins with: its columns are not followed. Raises UnknownTable."""
    text = next(_literals(query), "")
    match = _KUSTO_TABLE.match(text)
    if match is None:
        raise UnknownTable("its query of Kusto does not begin with a table")
    return QueryRows((quoted_table([match[1] or match[2]], ""),), _KUSTO)


def _merged(values: Iterable[Value]) -> Value:
    """Return the rows of several values: all of their sources; else the first path."""
    listed = list(values)
    rows = [one for one in listed if isinstance(one, QueryRows) and one.sources]
    if not rows:
        return next((one for one in listed if isinstance(one, QueryRows | _Path)), None)
    return QueryRows(
        tuple(dict.fromkeys(source for one in rows for source in one.sources)),
        rows[0].dialect,
        tuple(dict.fromkeys(source for one in rows for source in one.plain)),
        {name: of for one in rows for name, of in one.made.items()},
        tuple(dict.fromkeys(name for one in rows for name in one.used)),
    )


def _is_query(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("--")]
    return lines[:1] != [] and lines[0].lstrip(" \t(").upper().startswith(("SELECT", "WITH"))


def _inside(node: MExpression) -> Iterator[MExpression]:
    yield node
    for part in (*node.parts, *node.members.values()):
        yield from _inside(part)


def _fields(node: MExpression) -> Iterator[str]:
    """Yield the columns of the row that a function uses."""
    return (one.name for one in _inside(node) if one.kind == "field")


def _literals(node: MExpression) -> Iterator[str]:
    return (one.name for one in _inside(node) if one.kind == "text")


def _lists(parts: tuple[MExpression, ...]) -> Iterator[MExpression]:
    return (one for part in parts for one in _inside(part) if one.kind == "list")
