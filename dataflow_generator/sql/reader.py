"""Read SQL: what each statement reads and writes, the lineage of its columns; a file of known tables (`--catalog`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from dataflow_generator.sql.catalog import EMPTY_CATALOG, Catalog, KnownTable, Session, View, with_topics
from dataflow_generator.sql.ddl import apply, table_from_query
from dataflow_generator.sql.lexer import Dialect, Lines, Token, TokenKind, hint_options, substitute_variables, tokenize
from dataflow_generator.sql.lineage import UNKNOWN, StatementFlows
from dataflow_generator.sql.nodes import (
    ColumnDefinition,
    ColumnKind,
    CreateStatement,
    InsertStatement,
    Options,
    OtherStatement,
    Parts,
    Query,
    SelectStatement,
    SqlType,
    Statement,
)
from dataflow_generator.sql.output_columns import columns_of_insert, flows
from dataflow_generator.sql.parser.cursor import NotReadError, UnparsedError
from dataflow_generator.sql.parser.statements import ParsedStatement, cursor_of, parse_text, parse_tokens
from dataflow_generator.sql.parser.tables import data_type, options
from dataflow_generator.sql.query_rules import query
from dataflow_generator.sql.scope import Column, Rows, SelectScope, StatementContext, TooLarge
from scanner_model.documents.json_positions import JsonPath, PositionedJson, parse_with_positions
from scanner_model.errors import InputInvalid, Problem

_CREATED = ("TABLE", "STREAM", "VIEW")
_OPENINGS = ("CREATE", "ALTER")
_MODIFIERS = ("OR", "REPLACE", "ALTER", "TEMPORARY", "SOURCE", "MATERIALIZED", "IF", "NOT", "EXISTS")


@dataclass(slots=True)
class _Level:
    """The state of one pair of brackets: whether a SELECT, and then its FROM, occurred in it."""

    selects: bool = False
    lists_tables: bool = False


@dataclass(slots=True)
class Tables:
    """The names found; *sink* is empty if absent, *kind* covers the words that were recognized.

    *defines*: the statement defines its sink by a query, *is_view*: as a view. *options* are those of Flink's hint
    behind the sink; each of *sources* has its own.
    """

    kind: str
    sink: Parts = ()
    defines: bool = False
    is_view: bool = False
    options: Options = ()
    sources: dict[tuple[Parts, Options], None] = field(default_factory=dict)


def tables_of(tokens: Sequence[Token]) -> Tables:
    """Find the tables that a statement names as its sink and sources.

    A FROM counts only after a SELECT in the same brackets: in EXTRACT, TRIM and IS DISTINCT FROM it names no table.
    """
    result = Tables(kind=" ".join(_first_words(tokens)))
    start = _sink(tokens, result)
    common = set(_common(tokens))
    levels = [_Level()]
    position = start
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.key == "(":
            levels.append(_Level())
        elif token.key == ")" and len(levels) > 1:
            levels.pop()
        elif token.key == "SELECT":
            levels[-1] = _Level(selects=True)
        elif _names_table(tokens, position - 1, levels[-1]):
            levels[-1].lists_tables = levels[-1].lists_tables or token.key in ("FROM", "JOIN")
            position += _key(tokens, position) == "LATERAL"
            name, position = _name(tokens, position)
            if name and (len(name) > 1 or name[0] not in common) and _key(tokens, position) != "(":
                result.sources[name, hint_options(tokens[position - 1])] = None
        elif token.key in ("WHERE", "GROUP", "HAVING", "ORDER", "WINDOW", "LIMIT", "PARTITION"):
            levels[-1].lists_tables = False
    return result


def _names_table(tokens: Sequence[Token], position: int, level: _Level) -> bool:
    key, before = tokens[position].key, _key(tokens, position - 1)
    if key == "FROM":
        return level.selects and before != "DISTINCT"
    if key == "JOIN":
        return True
    if key == "TABLE":
        return before in ("(", ",", "=>") and _key(tokens, position + 1) != "("
    return key == "," and level.lists_tables


def _sink(tokens: Sequence[Token], result: Tables) -> int:
    """Find the sink, and the token from which to look for sources."""
    for position, token in enumerate(tokens):
        if token.key in ("INTO", "OVERWRITE") and _key(tokens, position - 1) == "INSERT":
            start = position + 1 + (_key(tokens, position + 1) == "TABLE")
            result.sink, start = _name(tokens, start)
            result.options = hint_options(tokens[start - 1])
            return start
        if token.key in _CREATED and _is_creation(tokens[:position]):
            position_of_kind = position
            while _key(tokens, position + 1) in ("IF", "NOT", "EXISTS"):
                position += 1
            name, start = _name(tokens, position + 1)
            if name and (token.key == "VIEW" or any(token.key == "SELECT" for token in tokens)):
                result.sink, result.defines, result.is_view = name, True, token.key == "VIEW"
                result.kind = _kind(tokens[: position_of_kind + 1]) + ("" if token.key == "VIEW" else " AS SELECT")
            return start
    return 0


def _is_creation(before: Sequence[Token]) -> bool:
    keys = [token.key for token in before]
    opening = next((key for key in keys if key in _OPENINGS), "")
    return bool(opening) and all(key in _MODIFIERS for key in keys[keys.index(opening) + 1 :])


def _kind(tokens: Sequence[Token]) -> str:
    """Return the kind of a definition as the parser writes it: without OR REPLACE and what precedes CREATE."""
    keys = [token.key for token in tokens]
    start = next(at for at, key in enumerate(keys) if key in _OPENINGS)
    return " ".join([keys[start], *(key for key in keys[start + 1 :] if key not in ("OR", "REPLACE", "ALTER"))])


def _common(tokens: Sequence[Token]) -> Iterator[str]:
    """Return the names that WITH defines: `name AS (SELECT`, also with a list of columns."""
    for position in range(2, len(tokens) - 1):
        if tokens[position].key == "AS" and tokens[position + 1].key == "(":
            name = tokens[position - 1]
            if name.key == ")":
                back = position - 1
                while back and tokens[back].key != "(":
                    back -= 1
                name = tokens[back - 1]
            if name.kind <= TokenKind.QUOTED:
                yield name.value


def _name(tokens: Sequence[Token], position: int) -> tuple[Parts, int]:
    parts: list[str] = []
    while position < len(tokens) and tokens[position].kind <= TokenKind.QUOTED and tokens[position].key != "AS":
        parts.append(tokens[position].value)
        position += 1
        if _key(tokens, position) != ".":
            break
        position += 1
    return tuple(parts), position


def _first_words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens[:4]:
        if token.kind is not TokenKind.WORD:
            return
        yield token.key
        if token.key in (*_CREATED, "INTO", "OVERWRITE", "SELECT", "WITH"):
            return


def _key(tokens: Sequence[Token], position: int) -> str:
    return tokens[position].key if 0 <= position < len(tokens) else ""


_HINT = "tables were found, column lineage was not"
_REPORT = "a defect of scanner: please report the statement"
INTERNAL = "internal error"
"""How the problem of a statement begins that no rule rejects and reading it failed."""


def read_sql(text: str, dialect: Dialect, catalog: Catalog = EMPTY_CATALOG) -> tuple[StatementFlows, ...]:
    """Read every statement of *text*, in order; its DDL and *catalog* define the columns of tables.

    Never raises: what cannot be parsed is a problem of its statement, with line and column.
    """
    return read_text(text, dialect, catalog)[0].flows


def read_catalog(text: str, dialect: Dialect, catalog: Catalog = EMPTY_CATALOG) -> Catalog:
    """Return *catalog* with the DDL of *text* applied."""
    return read_text(text, dialect, catalog)[1]


class TextReading(NamedTuple):
    """The statements of a text, and what they used of the catalog.

    *inputs* are the tables that the text does not define itself, None for unknown ones; *rest* is the catalog without
    its tables.
    """

    flows: tuple[StatementFlows, ...]
    inputs: Mapping[Parts, KnownTable | None]
    rest: Catalog

    def holds_in(self, catalog: Catalog) -> bool:
        """Return whether the text reads the same with *catalog*."""
        inputs = self.inputs.items()
        return replace(catalog, tables={}) == self.rest and all(
            catalog.tables.get(name) == known for name, known in inputs
        )


def read_text(text: str, dialect: Dialect, catalog: Catalog = EMPTY_CATALOG) -> tuple[TextReading, Catalog]:
    """Read every statement of *text* as `read_sql` does; the catalog returned is that after the last statement."""
    reader = _Reader(text, dialect, catalog)
    flows = tuple(reader.read())
    return TextReading(flows, reader.session.inputs, replace(catalog, tables={})), reader.session.catalog()


@dataclass(frozen=True, slots=True)
class _Result:
    """The resolution of a statement: its sink (or empty), the sink's columns, and the options of the sink's hint."""

    sink: Parts = ()
    columns: tuple[Column, ...] = ()
    options: Options = ()


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str, dialect: Dialect, catalog: Catalog) -> None:
        self._text = text
        self._lines = Lines(text)
        self._dialect = dialect
        self._flink = dialect is Dialect.FLINK
        self.session = Session(catalog)

    def read(self) -> Iterator[StatementFlows]:
        for parsed in parse_text(self._text, self._dialect):
            replaced = substitute_variables(parsed.tokens, self.session.variables, self._dialect)
            statement = parsed if replaced == parsed.tokens else parse_tokens(replaced, self._dialect)
            result = self._guarded(statement)
            if result is not None:
                yield result

    def _guarded(self, parsed: ParsedStatement) -> StatementFlows | None:
        """Read one statement; a failure becomes a problem of this statement and affects no other."""
        try:
            return self._statement(parsed)
        except Exception as error:  # noqa: BLE001 - statements are free input: a defect here must not end a scan
            return self._failed(parsed.tokens, error)

    def _failed(self, tokens: Sequence[Token], error: Exception) -> StatementFlows:
        try:
            return self._fallback(tokens, error)
        except Exception as second:  # noqa: BLE001 - as above
            return self._without_tables(tokens, second)

    def _without_tables(self, tokens: Sequence[Token], error: Exception) -> StatementFlows:
        """Return a statement that only has a problem."""
        return StatementFlows(
            text=self._text[tokens[0].at : tokens[-1].at].strip(),
            at=self._lines.position(tokens[0].at),
            kind="UNKNOWN",
            problems=(self._problem(tokens, error),),
        )

    def _statement(self, parsed: ParsedStatement) -> StatementFlows | None:
        if parsed.error is not None:
            return self._fallback(parsed.tokens, parsed.error)
        context = self._analysis()
        if parsed.tree is not None:
            rest = parsed.tokens[parsed.start :]
            return self._result(rest, parsed.tree, context, self._resolved(parsed.tree, context))
        if parsed.opening == "END":
            return None
        return self._result(parsed.tokens, OtherStatement(parsed.opening), context, _Result())

    def _analysis(self) -> StatementContext:
        return StatementContext(self.session, self._dialect, self._lines.position, query)

    def _resolved(self, parsed: Statement, context: StatementContext) -> _Result:
        match parsed:
            case CreateStatement(query=Query()):
                return self._create(parsed, context)
            case InsertStatement():
                rows = query(parsed.query, SelectScope(context))
                known = self.session.table(parsed.name)
                return _Result(parsed.name, columns_of_insert(parsed, rows, known, context), parsed.options)
            case SelectStatement():
                context.persistent = False
                return _Result((), query(parsed.query, SelectScope(context)).columns)
        apply(parsed, self.session, flink=self._flink)
        return _Result()

    def _create(self, definition: CreateStatement, context: StatementContext) -> _Result:
        context.is_view = definition.view
        rows = query(definition.query, SelectScope(context)) if definition.query else Rows()
        if definition.view:  # a table's column list only reorders
            rows = rows.renamed(definition.names)
        self.session.define(definition.name, table_from_query(definition, rows, context))
        return _Result(definition.name, rows.columns)

    def _result(
        self, tokens: Sequence[Token], parsed: Statement, context: StatementContext, result: _Result
    ) -> StatementFlows:
        sink = context.dataset(result.sink, result.options) if result.sink else ""
        context.report_doubtful(tokens[0].at, result.columns)
        return StatementFlows(
            text=self._text[tokens[0].at : tokens[-1].at].strip(),
            at=self._lines.position(tokens[0].at),
            kind=parsed.kind,
            sources=tuple(sorted(context.sources)),
            sinks=(sink,) if sink else (),
            flows=flows(result.columns, sink, context, self._text),
            datasets=tuple(context.datasets[name] for name in sorted(context.datasets)),
            unresolved=tuple(context.unresolved),
        )

    def _fallback(self, tokens: Sequence[Token], error: Exception) -> StatementFlows:
        """Return the tables of a statement whose columns cannot be resolved, and the reason."""
        tables = tables_of(tokens)
        context = self._analysis()
        context.is_view = tables.is_view
        for name, hint in tables.sources:
            self._read_whole(name, hint, context)
        if tables.defines and (unread := self._unread(tables, tokens, context)) is not None:
            self.session.define(tables.sink, unread)
        sink = context.dataset(tables.sink, tables.options) if tables.sink else ""
        return StatementFlows(
            text=self._text[tokens[0].at : tokens[-1].at].strip(),
            at=self._lines.position(tokens[0].at),
            kind=tables.kind or "UNKNOWN",
            sources=tuple(sorted(context.sources)),
            sinks=(sink,) if sink else (),
            datasets=tuple(context.datasets[name] for name in sorted(context.datasets)),
            problems=(self._problem(tokens, error),),
        )

    def _unread(self, tables: Tables, tokens: Sequence[Token], context: StatementContext) -> KnownTable | None:
        """Return what a statement that could not be read defines; None for a stored table that is known otherwise."""
        if tables.is_view:
            datasets = tuple(dataset for name, dataset in sorted(context.datasets.items()) if name in context.sources)
            sources = frozenset(context.sources)
            view = View(columns=(), sources=sources, datasets=datasets, open=True, rest=UNKNOWN, unknown_effects=True)
            return KnownTable(name=tables.sink, unread=True, view=view)
        if self.session.table(tables.sink) is not None:
            return None
        table = KnownTable(name=tables.sink, complete=False, unread=True, options=self._options(tokens))
        return with_topics(table, flink=self._flink, own=True)

    def _options(self, tokens: Sequence[Token]) -> Options:
        """Return the options of the first `WITH (…)`; empty where they cannot be parsed."""
        at = next((at for at, token in enumerate(tokens) if token.key == "WITH" and _key(tokens, at + 1) == "("), None)
        try:
            return () if at is None else options(cursor_of(tokens[at + 1 :], self._dialect))
        except UnparsedError:
            return ()

    def _read_whole(self, name: Parts, hint: Options, context: StatementContext) -> None:
        known = self.session.table(name)
        if known is not None and known.view is not None:
            context.sources |= known.view.sources
            context.datasets.update({dataset.name: dataset for dataset in known.view.datasets})
        else:
            context.sources.add(context.dataset(name, hint))

    def _problem(self, tokens: Sequence[Token], error: Exception) -> Problem:
        start = self._lines.position(tokens[0].at)
        match error:
            case NotReadError():
                return Problem(start, error.what)
            case UnparsedError():
                at = error.token.at
                token = self._text[at : error.token.end][:40] or "the end"
                return Problem(self._lines.position(at), f"{error.what}, got {token!r}", _HINT)
            case TooLarge():
                return Problem(start, "too many columns or column flows to resolve", _HINT)
            case RecursionError():
                return Problem(start, "nested too deeply", _HINT)
        return Problem(start, f"{INTERNAL}: {type(error).__name__}: {error}", _REPORT)


Json = Any
_PARTS = ", ".join(ColumnKind)


def catalog_of(text: str, dialect: Dialect, file: str) -> Catalog:
    """Parse the tables in *text*; *file* is its name in error messages.

    JSON is `{"tables": [{"name", "columns": [NAME or {"name", "type", "part"}], "topic" or "topics"}], "aggregates":
    [NAME]}`; a table without `columns` has unknown columns. Raises InputInvalid for JSON of another form.
    """
    if not text.lstrip().startswith(("{", "[")):
        return read_catalog(text, dialect)
    return _Document(parse_with_positions(text, file), dialect).catalog()


class _Document:
    """A catalog as JSON."""

    def __init__(self, document: PositionedJson, dialect: Dialect) -> None:
        self._document = document
        self._dialect = dialect

    def catalog(self) -> Catalog:
        members = self._document.value
        if isinstance(members, list):
            members = {"tables": members}
        path: JsonPath = () if isinstance(self._document.value, list) else ("tables",)
        tables, aggregates = members.get("tables", []), members.get("aggregates", [])
        self._need(isinstance(tables, list), path, "expected a list of tables")
        self._need(isinstance(aggregates, list), ("aggregates",), "expected a list of names")
        names = [
            self._text(aggregate, ("aggregates", position)).upper() for position, aggregate in enumerate(aggregates)
        ]
        known = [self._table(table, (*path, position)) for position, table in enumerate(tables)]
        return Catalog(tables={table.name: table for table in known}, aggregates=frozenset(names))

    def _table(self, table: Json, path: JsonPath) -> KnownTable:
        self._need(isinstance(table, dict) and "name" in table, path, "expected an object with a name")
        columns = table.get("columns")
        self._need(columns is None or isinstance(columns, list), (*path, "columns"), "expected a list of columns")
        topics = table.get("topics", [table["topic"]] if table.get("topic") else [])
        self._need(isinstance(topics, list), (*path, "topics"), "expected a list of topics")
        return KnownTable(
            name=self._name(table["name"], (*path, "name")),
            columns=tuple(self._columns(columns or [], (*path, "columns"))),
            complete=columns is not None,
            topics=tuple(self._text(topic, (*path, "topics", position)) for position, topic in enumerate(topics)),
            topic_pattern=self._text(table.get("topic_pattern", ""), (*path, "topic_pattern")),
        )

    def _name(self, name: Json, path: JsonPath) -> Parts:
        """Read a table's name: in Flink with dots between catalog, database and table, or a list of these."""
        if isinstance(name, list):
            return tuple(self._text(part, (*path, position)) for position, part in enumerate(name))
        if self._dialect is Dialect.KSQLDB:
            return (self._text(name, path),)
        cursor = cursor_of(tokenize(self._text(name, path), self._dialect), self._dialect)
        try:
            parts = cursor.dotted()
        except UnparsedError:
            parts = ()
        # A text that is not a dotted name is one opaque name, as topic names often are.
        return parts if parts and cursor.key == "" else (name,)

    def _columns(self, columns: list[Json], path: JsonPath) -> Iterator[ColumnDefinition]:
        for position, column in enumerate(columns):
            at = (*path, position)
            definition = {"name": column} if isinstance(column, str) else column
            self._need(
                isinstance(definition, dict) and "name" in definition, at, "expected a name, or an object with a name"
            )
            part = definition.get("part", ColumnKind.PHYSICAL)
            self._need(part in list(ColumnKind), (*at, "part"), f"expected one of {_PARTS}")
            kind = self._type(definition.get("type", ""), (*at, "type"))
            yield ColumnDefinition(self._text(definition["name"], (*at, "name")), kind, ColumnKind(part))

    def _type(self, kind: Json, path: JsonPath) -> SqlType:
        text = self._text(kind, path)
        if not text:
            return SqlType("")
        cursor = cursor_of(tokenize(text, self._dialect), self._dialect)
        try:
            parsed = data_type(cursor)
            if cursor.key:
                raise cursor.error("expected the end of the type")
        except UnparsedError as error:
            raise InputInvalid(f"{text!r} is not a type: {error.what}", where=self._document.where(path)) from error
        return parsed

    def _text(self, value: Json, path: JsonPath) -> str:
        self._need(isinstance(value, str), path, "expected text")
        return str(value)

    def _need(self, condition: object, path: JsonPath, what: str) -> None:
        if not condition:
            raise InputInvalid(what, where=self._document.where(path), hint="see docs/sql.md for an example")
