"""Read a text of SQL statements: what each reads and writes, and the lineage of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dataflow_generator.sql.catalog import NOTHING_KNOWN, Catalog, KnownTable, Session
from dataflow_generator.sql.ddl import apply, made
from dataflow_generator.sql.dialects import Dialect
from dataflow_generator.sql.fallback import tables_of
from dataflow_generator.sql.flows import StatementFlows
from dataflow_generator.sql.lexer import Lines, Token, statements, substituted, tokens
from dataflow_generator.sql.nodes import (
    Definition,
    Insertion,
    Other,
    Parts,
    Query,
    Selection,
    Statement,
)
from dataflow_generator.sql.output_columns import defined, flows, inserted, named
from dataflow_generator.sql.parser.cursor import UnparsedError
from dataflow_generator.sql.parser.statements import cursor_of, lead_in, statement
from dataflow_generator.sql.rules.queries import query
from dataflow_generator.sql.scope import Analysis, Column, Rows, Scope, TooLarge
from scanner_model.problems import Problem

_HINT = "tables were found, column lineage was not"


def read_sql(text: str, dialect: Dialect, catalog: Catalog = NOTHING_KNOWN) -> tuple[StatementFlows, ...]:
    """Read every statement of *text*, in order; its DDL and *catalog* define the columns of tables.

    Never raises: what cannot be parsed is a problem of its statement, with line and column.
    """
    return tuple(_Reader(text, dialect, catalog).read())


def read_catalog(text: str, dialect: Dialect, catalog: Catalog = NOTHING_KNOWN) -> Catalog:
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
        for found in statements(tokens(self._text, self._dialect)):
            replaced = substituted(found, self.session.variables, self._dialect)
            # One failing statement must not affect the others or the caller.
            try:
                result = self._statement(replaced)
            except (UnparsedError, TooLarge, RecursionError) as error:
                result = self._unread(replaced, error)
            if result is not None:
                yield result

    def _statement(self, found: Sequence[Token]) -> StatementFlows | None:
        cursor = cursor_of(found, self._dialect)
        opening = cursor.key
        if not lead_in(cursor):
            return None if opening == "END" else self._told(found, Other(opening), self._analysis(), _Result())
        rest = found[cursor.place :]
        parsed = statement(cursor)
        analysis = self._analysis()
        return self._told(rest, parsed, analysis, self._resolved(parsed, analysis))

    def _analysis(self) -> Analysis:
        return Analysis(self.session, self._dialect, self._lines.place, query)

    def _resolved(self, parsed: Statement, analysis: Analysis) -> _Result:
        match parsed:
            case Definition(query=Query()):
                return self._made(parsed, analysis)
            case Insertion():
                rows = query(parsed.query, Scope(analysis))
                known = self.session.table(parsed.name)
                return _Result(parsed.name, inserted(parsed, rows, known, analysis))
            case Selection():
                analysis.persistent = False
                return _Result((), named(query(parsed.query, Scope(analysis)), (), flink=self._flink))
        apply(parsed, self.session, flink=self._flink)
        return _Result()

    def _made(self, found: Definition, analysis: Analysis) -> _Result:
        rows = query(found.query, Scope(analysis)) if found.query else Rows()
        columns = defined(found, rows, analysis)
        self.session.define(found.name, made(found, columns, rows, analysis))
        return _Result(found.name, columns)

    def _told(self, found: Sequence[Token], parsed: Statement, analysis: Analysis, result: _Result) -> StatementFlows:
        sink = analysis.dataset(result.sink) if result.sink else ""
        return StatementFlows(
            text=self._text[found[0].at : found[-1].at].strip(),
            at=self._lines.place(found[0].at),
            kind=parsed.kind,
            sources=tuple(sorted(analysis.sources)),
            sinks=(sink,) if sink else (),
            flows=flows(result.columns, sink, analysis),
            datasets=tuple(analysis.datasets[name] for name in sorted(analysis.datasets)),
            unresolved=tuple(analysis.unresolved),
        )

    def _unread(self, found: Sequence[Token], error: UnparsedError | TooLarge | RecursionError) -> StatementFlows:
        """Return the tables of a statement whose columns cannot be resolved, and the reason."""
        tables = tables_of(found)
        analysis = self._analysis()
        for name in tables.sources:
            self._read_whole(name, analysis)
        sink = analysis.dataset(tables.sink) if tables.sink else ""
        if tables.sink and self.session.table(tables.sink) is None:
            self.session.define(tables.sink, KnownTable(name=tables.sink, complete=False))
        return StatementFlows(
            text=self._text[found[0].at : found[-1].at].strip(),
            at=self._lines.place(found[0].at),
            kind=tables.kind or "UNKNOWN",
            sources=tuple(sorted(analysis.sources)),
            sinks=(sink,) if sink else (),
            datasets=tuple(analysis.datasets[name] for name in sorted(analysis.datasets)),
            problems=(self._problem(found, error),),
        )

    def _read_whole(self, name: Parts, analysis: Analysis) -> None:
        known = self.session.table(name)
        if known is not None and known.view is not None:
            analysis.sources |= known.view.sources
            analysis.datasets.update({one.name: one for one in known.view.datasets})
        else:
            analysis.sources.add(analysis.dataset(name))

    def _problem(self, found: Sequence[Token], error: UnparsedError | TooLarge | RecursionError) -> Problem:
        match error:
            case UnparsedError():
                at = error.token.at
                there = self._text[at : error.token.end][:40] or "the end"
                return Problem(self._lines.place(at), f"{error.what}, got {there!r}", _HINT)
            case TooLarge():
                return Problem(self._lines.place(found[0].at), "too many columns or column flows to resolve", _HINT)
        return Problem(self._lines.place(found[0].at), "nested too deeply", _HINT)
