"""Parse a file of known tables (`--catalog`), written as SQL DDL or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dataflow_generator.sql.catalog import Catalog, KnownTable
from dataflow_generator.sql.lexer import Dialect, tokenize
from dataflow_generator.sql.nodes import ColumnDefinition, ColumnKind, Parts, SqlType
from dataflow_generator.sql.parser.cursor import UnparsedError
from dataflow_generator.sql.parser.statements import cursor_of
from dataflow_generator.sql.parser.tables import data_type
from dataflow_generator.sql.reader import read_catalog
from scanner_model.documents.json_positions import JsonPath, PositionedJson, parse_with_positions
from scanner_model.errors import InputInvalid

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
