"""Read StarRocks and Apache Doris: tables, views and materialized views of `information_schema`, and routine loads.

Source: StarRocks and Apache Doris, Information Schema; SHOW ROUTINE LOAD; Doris, MV_INFOS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

from scanner_extractor.catalogs.column_types import Part, columns_of, known_shape
from scanner_extractor.systems.databases.engines import definitions
from scanner_extractor.systems.databases.engines.session import EngineReader, EngineSession, Row
from scanner_extractor.systems.databases.reader import MATERIALIZED_VIEW, TABLE, UNKNOWN, VIEW, DatabaseTables
from scanner_extractor.systems.starrocks.routine_load import read_routine_loads
from scanner_model.catalogs import KAFKA_JOBS, PRIMARY_KEY, UNIQUE, CatalogTable, TableKey
from scanner_model.columns import Column, field_segment
from scanner_model.errors import ScannerError
from scanner_model.redaction import mask_statement, mask_text

_TOKEN = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.?|'')*+(?:'|\Z)|"(?:[^"\\]|\\.?)*+(?:"|\Z))|`(?P<quoted>(?:[^`]|``)*+)(?:`|\Z)"""
    r"""|(?P<comment>/\*.*?(?:\*/|\Z)|--[^\n]*)|(?P<word>\w+)|(?P<sign>[(),])""",
    re.DOTALL,
)


def named_view(name: str, columns: Sequence[str], query: str) -> str:
    """Return `CREATE VIEW name (columns) AS query`; the query alone where *columns* are not known."""
    text = query.strip().rstrip(";").rstrip()
    if not text or not columns:
        return text
    return definitions.named_view(name, columns, text, quote="`")


def view_of_declaration(name: str, text: str) -> str:
    """Return the view that `CREATE MATERIALIZED VIEW … AS query` declares; other texts unchanged.

    How it is partitioned, distributed and refreshed, and its properties, are left out. Source: StarRocks, CREATE
    MATERIALIZED VIEW.
    """
    columns: list[str] = []
    in_header = True
    for token in _tokens(text):
        if token.depth == 0:
            if token.word == "AS":
                return named_view(name, columns, text[token.end :])
            in_header = in_header and not columns and token.word not in _CLAUSES
        elif in_header and token.depth == 1 and token.is_first and token.word != "INDEX":
            columns.append(token.name)
    return text


_CLAUSES = frozenset({"COMMENT", "DISTRIBUTED", "ORDER", "PARTITION", "PROPERTIES", "REFRESH"})
"""The words that begin what stands between the columns and the query."""


class _Token(NamedTuple):
    """A name or word inside *depth* brackets; *word* is in upper case, empty for a quoted *name*."""

    name: str
    word: str
    depth: int
    end: int
    is_first: bool


def _tokens(text: str) -> Iterator[_Token]:
    """Yield names and words; *is_first* are those that an item of a list begins with."""
    depth, is_first = 0, True
    for match in _TOKEN.finditer(text):
        if match["sign"]:
            depth += (match["sign"] == "(") - (match["sign"] == ")")
            is_first = match["sign"] != ")"
        elif match["word"] or match["quoted"] is not None:
            quoted, word = match["quoted"], match["word"] or ""
            yield _Token(word or (quoted or "").replace("``", "`"), word.upper(), depth, match.end(), is_first)
            is_first = False


_ALIVE = "SELECT 1"
_VERSION = "SELECT @@version_comment"
_SCHEMAS = "SHOW DATABASES"
_TABLES = (
    "SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.tables WHERE TABLE_SCHEMA = '{text}' "
    "ORDER BY TABLE_NAME"
)
_COLUMNS = (
    "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, COLUMN_KEY, COLUMN_COMMENT, "
    "GENERATION_EXPRESSION FROM information_schema.columns WHERE TABLE_SCHEMA = '{text}' "
    "ORDER BY TABLE_NAME, ORDINAL_POSITION"
)
_VIEWS = "SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.views WHERE TABLE_SCHEMA = '{text}'"

_NO_COMMENT = frozenset({"OLAP", "VIEW", "MATERIALIZED_VIEW", "CLOUD_NATIVE", "CLOUD_NATIVE_MATERIALIZED_VIEW"})
"""What the engines show as the comment of a table that has none: its type."""
_KEYS = {"PRI": PRIMARY_KEY, "UNI": UNIQUE}
_HINT = "see docs/sources/engines.md for the rights"


class _Product(NamedTuple):
    """What the engines do not have in common: the statements that list materialized views, and routine loads.

    *declares*: a materialized view is described by the statement that creates it, not by its query.
    """

    materialized: str
    declares: bool
    routine_loads: tuple[str, ...]


# A name of a table in the condition gives nothing in some versions, so all of the schema are read.
_STARROCKS = _Product(
    materialized="SELECT TABLE_NAME AS name, MATERIALIZED_VIEW_DEFINITION AS definition "
    "FROM information_schema.materialized_views WHERE TABLE_SCHEMA = '{text}'",
    declares=True,
    routine_loads=("SHOW ROUTINE LOAD FROM {name}",),
)
_DORIS = _Product(
    materialized="SELECT Name AS name, QuerySql AS definition FROM mv_infos('database' = '{text}')",
    declares=False,
    routine_loads=("USE {name}", "SHOW ROUTINE LOAD"),  # it has no FROM
)


def _schemas(session: EngineSession) -> list[str]:
    """List the databases; only the one of the URL, where it names one and none are chosen."""
    names = [_text(row, next(iter(row), "")) for row in session.rows(_SCHEMAS)]
    named = (session.location.url.database or "").rpartition(".")[2]  # the name of the catalog may come first
    return [name for name in names if name == named] if named and not session.settings.schemas else names


def _read(product: _Product, session: EngineSession, schema: str) -> DatabaseTables:
    """Read the tables and views of a schema, with the jobs that fill them; raises ScannerError."""
    reading = _Schema(product, session, schema, DatabaseTables())
    listed = reading.rows(_TABLES)
    described: dict[str, list[Row]] = {}
    for column in reading.rows(_COLUMNS):
        described.setdefault(_name(column), []).append(column)
    definitions = {_name(row): _text(row, "view_definition") for row in reading.try_rows("its views", _VIEWS)}
    materialized = {
        _text(row, "name"): _text(row, "definition")
        for row in reading.try_rows("its materialized views", product.materialized)
    }
    for row in listed:
        name = _name(row)
        if columns := described.get(name):
            reading.keep(row, columns, materialized.get(name), definitions.get(name, ""))
        else:
            reading.skip(name)
    reading.add_routine_loads(described)
    return reading.result


@dataclass(frozen=True, slots=True)
class _Schema:
    """A schema that is read into *result*."""

    product: _Product
    session: EngineSession
    name: str
    result: DatabaseTables

    def rows(self, statement: str) -> list[Row]:
        """Send a statement about this schema."""
        escaped = self.name.replace("\\", "\\\\").replace("'", "\\'")
        identifier = f"`{self.name.replace('`', '``')}`"
        return self.session.rows(statement.format(text=escaped, name=identifier))

    def try_rows(self, what: str, *statements: str) -> list[Row]:
        """Send statements and return the last one's answer; a refused one is a problem, and the result is partial.

        Raises ScannerError where the engine answers nothing any more: what is known of the schema stays.
        """
        try:
            return [self.rows(statement) for statement in statements][-1]
        except ScannerError as error:
            self.session.rows(_ALIVE)
            self._report(self.name, f"{what} could not be read: {error.what}")
            self.result.unread.append(f"{self.name}: {what}")
            return []

    def keep(self, row: Row, columns: Sequence[Row], declaration: str | None, definition: str) -> None:
        """Add a table or view; *declaration* is that of a materialized view, *definition* the query of another."""
        name = _name(row)
        kind = _kind(row, is_materialized=declaration is not None)
        table = self.session.table(self.name, name, kind, _columns(columns))
        comment = _text(row, "table_comment")
        self.result.tables.append(
            replace(
                table,
                description="" if comment in _NO_COMMENT else mask_text(comment),
                definition="" if kind == TABLE else self._definition(name, columns, declaration, definition),
                keys=tuple(_keys(columns)) if kind == TABLE else (),
            )
        )

    def skip(self, name: str) -> None:
        """Note a table that is listed, but not described."""
        self.result.unread.append(self.session.location.name(self.name, name))
        self._report(f"{self.name}.{name}", "its columns are not shown to this user")

    def add_routine_loads(self, described: Mapping[str, Sequence[Row]]) -> None:
        """Add to each table the jobs that fill it from topics."""
        rows = self.try_rows("its routine loads", *self.product.routine_loads)
        loads = read_routine_loads(rows, {name: _fillable(columns) for name, columns in described.items()})
        for name, what in loads.problems:
            self._report(f"{self.name} routine load {name}", what)
        names = {self.session.location.name(self.name, name): name for name in loads.of_table}
        self.result.tables[:] = [
            _filled(table, loads.of_table[names[table.name]]) if table.name in names else table
            for table in self.result.tables
        ]

    def _definition(self, name: str, columns: Sequence[Row], declaration: str | None, definition: str) -> str:
        listed = [_text(column, "column_name") for column in columns]
        if declaration is not None and self.product.declares:
            text = view_of_declaration(name, declaration)
        else:
            text = named_view(name, listed, declaration or definition)
        if not text:
            self._report(f"{self.name}.{name}", "its definition is not shown to this user")
        return self.session.masked(text)

    def _report(self, name: str, what: str) -> None:
        self.result.problems.append(self.session.problem(name, what, _HINT))


def _kind(row: Row, *, is_materialized: bool) -> str:
    kind = _text(row, "table_type").upper()
    if is_materialized or "MATERIALIZED" in kind:
        return MATERIALIZED_VIEW
    return VIEW if kind == "VIEW" else TABLE


def _columns(rows: Sequence[Row]) -> Iterator[Column]:
    for row in rows:
        default = row.get("column_default")
        yield from _described(
            _text(row, "column_name"),
            _text(row, "column_type"),
            _text(row, "is_nullable").upper() != "NO",
            None if default is None else str(default),
            _text(row, "column_comment"),
        )


@lru_cache(maxsize=1 << 16)
def _described(name: str, written: str, nullable: bool, default: str | None, comment: str) -> tuple[Column, ...]:
    """Return a column with what its type has inside; cached, because many tables have the same columns."""
    shape = known_shape(written.strip())
    doc = mask_text(comment) or None
    parts = [Part(segment=field_segment(name), shape=shape, nullable=nullable, doc=doc)]
    whole, *inside = (replace(column, type=column.type.lower() or UNKNOWN) for column in columns_of(parts))
    text = None if default is None else json.dumps(mask_statement(default), ensure_ascii=False)
    return replace(whole, default=text), *inside


def _keys(columns: Sequence[Row]) -> Iterator[TableKey]:
    for word, kind in _KEYS.items():
        if names := tuple(_text(row, "column_name") for row in columns if _text(row, "column_key") == word):
            yield TableKey(kind, names)


def _fillable(columns: Sequence[Row]) -> tuple[str, ...]:
    """Return the columns that a message can fill: all but those that the engine computes."""
    return tuple(_text(row, "column_name") for row in columns if not _text(row, "generation_expression"))


def _filled(table: CatalogTable, jobs: Sequence[Mapping[str, str]]) -> CatalogTable:
    words = dict(table.parameters) | {KAFKA_JOBS: json.dumps(jobs, sort_keys=True, ensure_ascii=False)}
    return replace(table, parameters=tuple(sorted(words.items())))


def _name(row: Row) -> str:
    return _text(row, "table_name")


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value)


def _engine(product: _Product) -> EngineReader:
    read: Callable[[EngineSession, str], DatabaseTables] = partial(_read, product)
    return EngineReader(version=_VERSION, schemas=_schemas, read=read)


STARROCKS, DORIS = _engine(_STARROCKS), _engine(_DORIS)
