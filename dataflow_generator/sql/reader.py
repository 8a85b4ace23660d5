"""Read a text of SQL statements: what each reads and writes, and the lineage of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dataflow_generator.sql.catalog import EMPTY_CATALOG, Catalog, KnownTable, Session
from dataflow_generator.sql.ddl import apply, table_from_query
from dataflow_generator.sql.dialects import Dialect
from dataflow_generator.sql.fallback import tables_of
from dataflow_generator.sql.flows import StatementFlows
from dataflow_generator.sql.lexer import Lines, Token, split_statements, substitute_variables, tokenize
from dataflow_generator.sql.nodes import (
    CreateStatement,
    InsertStatement,
    OtherStatement,
    Parts,
    Query,
    SelectStatement,
    Statement,
)
from dataflow_generator.sql.output_columns import columns_of_create, columns_of_insert, flows, rename_columns
from dataflow_generator.sql.parser.cursor import UnparsedError
from dataflow_generator.sql.parser.statements import cursor_of, lead_in, statement
from dataflow_generator.sql.rules.queries import query
from dataflow_generator.sql.scope import Column, Rows, Scope, StatementContext, TooLarge
from scanner_model.problems import Problem

_HINT = "tables were found, column lineage was not"


def read_sql(text: str, dialect: Dialect, catalog: Catalog = EMPTY_CATALOG) -> tuple[StatementFlows, ...]:
    """Read every statement of *text*, in order; its DDL and *catalog* define the columns of tables.

    Never raises: what cannot be parsed is a problem of its statement, with line and column.
    """
    return tuple(_Reader(text, dialect, catalog).read())


def read_catalog(text: str, dialect: Dialect, catalog: Catalog = EMPTY_CATALOG) -> Catalog:
    """Return *catalog* with the DDL of *text* applied."""
    reader = _Reader(text, dialect, catalog)
    for _ in reader.read():
        pass
    return reader.session.catalog()


@dataclass(frozen=True, slots=True)
class _Result:
    """The resolution of a statement: its sink (or empty) and the sink's columns."""

    sink: Parts = ()
    columns: tuple[Column, ...] = ()


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str, dialect: Dialect, catalog: Catalog) -> None:
        self._text = text
        self._lines = Lines(text)
        self._dialect = dialect
        self._flink = dialect is Dialect.FLINK
        self.session = Session(catalog)

    def read(self) -> Iterator[StatementFlows]:
        for tokens in split_statements(tokenize(self._text, self._dialect)):
            replaced = substitute_variables(tokens, self.session.variables, self._dialect)
            # One failing statement must not affect the others or the caller.
            try:
                result = self._statement(replaced)
            except (UnparsedError, TooLarge, RecursionError) as error:
                result = self._fallback(replaced, error)
            if result is not None:
                yield result

    def _statement(self, tokens: Sequence[Token]) -> StatementFlows | None:
        cursor = cursor_of(tokens, self._dialect)
        opening = cursor.key
        if not lead_in(cursor):
            return (
                None if opening == "END" else self._result(tokens, OtherStatement(opening), self._analysis(), _Result())
            )
        rest = tokens[cursor.position :]
        parsed = statement(cursor)
        context = self._analysis()
        return self._result(rest, parsed, context, self._resolved(parsed, context))

    def _analysis(self) -> StatementContext:
        return StatementContext(self.session, self._dialect, self._lines.position, query)

    def _resolved(self, parsed: Statement, context: StatementContext) -> _Result:
        match parsed:
            case CreateStatement(query=Query()):
                return self._create(parsed, context)
            case InsertStatement():
                rows = query(parsed.query, Scope(context))
                known = self.session.table(parsed.name)
                return _Result(parsed.name, columns_of_insert(parsed, rows, known, context))
            case SelectStatement():
                context.persistent = False
                return _Result((), rename_columns(query(parsed.query, Scope(context)), (), flink=self._flink))
        apply(parsed, self.session, flink=self._flink)
        return _Result()

    def _create(self, definition: CreateStatement, context: StatementContext) -> _Result:
        rows = query(definition.query, Scope(context)) if definition.query else Rows()
        columns = columns_of_create(definition, rows, context)
        self.session.define(definition.name, table_from_query(definition, columns, rows, context))
        return _Result(definition.name, columns)

    def _result(
        self, tokens: Sequence[Token], parsed: Statement, context: StatementContext, result: _Result
    ) -> StatementFlows:
        sink = context.dataset(result.sink) if result.sink else ""
        return StatementFlows(
            text=self._text[tokens[0].at : tokens[-1].at].strip(),
            at=self._lines.position(tokens[0].at),
            kind=parsed.kind,
            sources=tuple(sorted(context.sources)),
            sinks=(sink,) if sink else (),
            flows=flows(result.columns, sink, context),
            datasets=tuple(context.datasets[name] for name in sorted(context.datasets)),
            unresolved=tuple(context.unresolved),
        )

    def _fallback(self, tokens: Sequence[Token], error: UnparsedError | TooLarge | RecursionError) -> StatementFlows:
        """Return the tables of a statement whose columns cannot be resolved, and the reason."""
        tables = tables_of(tokens)
        context = self._analysis()
        for name in tables.sources:
            self._read_whole(name, context)
        sink = context.dataset(tables.sink) if tables.sink else ""
        if tables.sink and self.session.table(tables.sink) is None:
            self.session.define(tables.sink, KnownTable(name=tables.sink, complete=False))
        return StatementFlows(
            text=self._text[tokens[0].at : tokens[-1].at].strip(),
            at=self._lines.position(tokens[0].at),
            kind=tables.kind or "UNKNOWN",
            sources=tuple(sorted(context.sources)),
            sinks=(sink,) if sink else (),
            datasets=tuple(context.datasets[name] for name in sorted(context.datasets)),
            problems=(self._problem(tokens, error),),
        )

    def _read_whole(self, name: Parts, context: StatementContext) -> None:
        known = self.session.table(name)
        if known is not None and known.view is not None:
            context.sources |= known.view.sources
            context.datasets.update({dataset.name: dataset for dataset in known.view.datasets})
        else:
            context.sources.add(context.dataset(name))

    def _problem(self, tokens: Sequence[Token], error: UnparsedError | TooLarge | RecursionError) -> Problem:
        match error:
            case UnparsedError():
                at = error.token.at
                token = self._text[at : error.token.end][:40] or "the end"
                return Problem(self._lines.position(at), f"{error.what}, got {token!r}", _HINT)
            case TooLarge():
                return Problem(self._lines.position(tokens[0].at), "too many columns or column flows to resolve", _HINT)
        return Problem(self._lines.position(tokens[0].at), "nested too deeply", _HINT)
