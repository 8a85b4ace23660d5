"""Parse a file of known tables (`--catalog`), written as SQL DDL or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dataflow_generator.sql.catalog import Catalog, KnownTable
from dataflow_generator.sql.dialects import Dialect
from dataflow_generator.sql.lexer import tokens
from dataflow_generator.sql.nodes import ColumnDefinition, Part, Parts, SqlType
from dataflow_generator.sql.parser.cursor import UnparsedError
from dataflow_generator.sql.parser.statements import cursor_of
from dataflow_generator.sql.parser.tables import data_type
from dataflow_generator.sql.reader import read_catalog
from scanner_model.documents.json_positions import JsonPath, PositionedJson, parse_with_positions
from scanner_model.errors import InputInvalid

Json = Any
_PARTS = ", ".join(Part)


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
        whole = self._document.value
        if isinstance(whole, list):
            whole = {"tables": whole}
        path: JsonPath = () if isinstance(self._document.value, list) else ("tables",)
        tables, aggregates = whole.get("tables", []), whole.get("aggregates", [])
        self._need(isinstance(tables, list), path, "expected a list of tables")
        self._need(isinstance(aggregates, list), ("aggregates",), "expected a list of names")
        names = [self._text(one, ("aggregates", place)).upper() for place, one in enumerate(aggregates)]
        known = [self._table(one, (*path, place)) for place, one in enumerate(tables)]
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
            topics=tuple(self._text(one, (*path, "topics", place)) for place, one in enumerate(topics)),
            topic_pattern=self._text(table.get("topic_pattern", ""), (*path, "topic_pattern")),
        )

    def _name(self, name: Json, path: JsonPath) -> Parts:
        """Read a table's name: in Flink with dots between catalog, database and table, or a list of these."""
        if isinstance(name, list):
            return tuple(self._text(one, (*path, place)) for place, one in enumerate(name))
        if self._dialect is Dialect.KSQLDB:
            return (self._text(name, path),)
        cursor = cursor_of(tokens(self._text(name, path), self._dialect), self._dialect)
        try:
            parts = cursor.dotted()
        except UnparsedError:
            parts = ()
        # A text that is not a dotted name is one opaque name, as topic names often are.
        return parts if parts and cursor.key == "" else (name,)

    def _columns(self, columns: list[Json], path: JsonPath) -> Iterator[ColumnDefinition]:
        for place, column in enumerate(columns):
            at = (*path, place)
            told = {"name": column} if isinstance(column, str) else column
            self._need(isinstance(told, dict) and "name" in told, at, "expected a name, or an object with a name")
            part = told.get("part", Part.PHYSICAL)
            self._need(part in list(Part), (*at, "part"), f"expected one of {_PARTS}")
            kind = self._type(told.get("type", ""), (*at, "type"))
            yield ColumnDefinition(self._text(told["name"], (*at, "name")), kind, Part(part))

    def _type(self, kind: Json, path: JsonPath) -> SqlType:
        text = self._text(kind, path)
        if not text:
            return SqlType("")
        cursor = cursor_of(tokens(text, self._dialect), self._dialect)
        try:
            found = data_type(cursor)
            if cursor.key:
                raise cursor.unread("expected the end of the type")
        except UnparsedError as error:
            raise InputInvalid(f"{text!r} is not a type: {error.what}", where=self._document.where(path)) from error
        return found

    def _text(self, value: Json, path: JsonPath) -> str:
        self._need(isinstance(value, str), path, "expected text")
        return str(value)

    def _need(self, condition: object, path: JsonPath, what: str) -> None:
        if not condition:
            raise InputInvalid(what, where=self._document.where(path), hint="see docs/sql.md for an example")
