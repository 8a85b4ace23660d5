"""The tables of a schema as MySQL and MariaDB list them in information_schema: four requests for all tables.

SQLAlchemy's inspector would send one or two for each table. Source: "INFORMATION_SCHEMA Tables" of MySQL's reference
manual, and MariaDB's "Information Schema COLUMNS Table", which write defaults differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, TextClause, inspect, text

from scanner_extractor.sources.databases.location import Location
from scanner_extractor.sources.databases.reader import TABLE, VIEW, Reported
from scanner_extractor.sources.databases.types import shared_column, type_parts
from scanner_model.catalogs import FOREIGN_KEY, PRIMARY_KEY, UNIQUE, TableKey, generated_default
from scanner_model.columns import Column, field_segment

_KINDS = {"BASE TABLE": TABLE, "SYSTEM VERSIONED": TABLE, "VIEW": VIEW}
"""By TABLE_TYPE; MariaDB's sequences are of none."""
_QUOTED_SINCE = (10, 2, 7)
"""The version of MariaDB from which COLUMN_DEFAULT is an SQL expression."""

_GENERATED_SINCE = {True: (10, 2, 5), False: (5, 7, 6)}
"""The versions of MariaDB and of MySQL from which a column has GENERATION_EXPRESSION."""

_TABLES = text(
    "SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES"
    " WHERE TABLE_SCHEMA = :schema ORDER BY TABLE_NAME"
)
_COLUMNS = (
    "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT, {generated}"
    " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = :schema ORDER BY TABLE_NAME, ORDINAL_POSITION"
)
_KEYS = text(
    "SELECT TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, COLUMN_NAME,"
    " REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE"
    " WHERE TABLE_SCHEMA = :schema ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION"
)

_TRIGGERS = text(
    "SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS"
    " WHERE EVENT_OBJECT_SCHEMA = :schema ORDER BY EVENT_OBJECT_TABLE, TRIGGER_NAME"
)

_INT = re.compile(r"\Aint\b")
_COMMENT = re.compile(r"\s*/\*.*?\*/")
_ON_UPDATE = re.compile(r"(?i)\bon update (\S+)")
_ESCAPES = str.maketrans({"'": "''", "\\": "\\\\", "\0": "\\0", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, slots=True)
class InformationSchema:
    """The catalog of a MySQL or MariaDB server."""

    conn: Connection
    location: Location

    def kinds(self, schema: str | None) -> Mapping[str, str]:
        """Return the kind of each table and view, by name."""
        return {name: _KINDS[kind] for name, kind, _ in self._rows(_TABLES, schema) if kind in _KINDS}

    def reported(self, schema: str | None) -> Reported:
        """Return the tables and views with columns, keys and comments."""
        listed = [row for row in self._rows(_TABLES, schema) if row[1] in _KINDS]
        columns = self._columns(schema)
        return Reported(
            kinds={name: _KINDS[kind] for name, kind, _ in listed},
            columns=columns,
            keys=self._keys(schema, columns),
            comments={name: comment for name, kind, comment in listed if _KINDS[kind] == TABLE},
            triggers=self._triggers(schema),
        )

    def definition(self, schema: str | None, view: str) -> str:
        """Return the statement that creates a view; VIEW_DEFINITION lacks the names of its columns."""
        return inspect(self.conn).get_view_definition(view, schema=schema)

    def stored(self, name: str) -> str:
        """Return the name itself: information_schema shows names as they are stored."""
        return name

    def _columns(self, schema: str | None) -> Mapping[str, list[Column]]:
        quoted = self._quotes_defaults()
        columns: dict[str, list[Column]] = {}
        has_generated = self._version() >= _GENERATED_SINCE[self._is_mariadb()]
        statement = text(_COLUMNS.format(generated="GENERATION_EXPRESSION" if has_generated else "NULL"))
        for table, name, type_, nullable, default, extra, comment, generated in self._rows(statement, schema):
            parts = _type(type_)
            written = default_text(default, parts[0], extra or "", quoted=quoted)
            if generated:
                written = generated_default(generated.replace("\\'", "'"), is_stored="VIRTUAL" not in extra)
            column = shared_column(name, parts, nullable == "YES", written, comment or None)
            columns.setdefault(table, []).append(column)
        return columns

    def _keys(self, schema: str | None, columns: Mapping[str, list[Column]]) -> Mapping[str, list[TableKey]]:
        """Return the keys of each table, without the columns that it hides, as `row_end` of a versioned table is."""
        pairs: dict[tuple[str, str, str | None, str | None], list[tuple[str, str]]] = {}
        for *constraint, column, referenced in self._rows(_KEYS, schema):
            table, name, of_schema, of_table = constraint
            pairs.setdefault((table, name, of_schema, of_table), []).append((column, referenced))
        keys: dict[str, list[TableKey]] = {}
        for (table, name, of_schema, of_table), listed in pairs.items():
            shown = {column.path[0] for column in columns.get(table, ())}
            names = tuple(column for column, _ in listed if field_segment(column) in shown)
            if of_table:
                references = self.location.name(of_schema or "", of_table)
                key = TableKey(FOREIGN_KEY, names, references, tuple(referenced for _, referenced in listed))
            else:
                key = TableKey(PRIMARY_KEY if name == "PRIMARY" else UNIQUE, names)
            keys.setdefault(table, []).append(key)
        return keys

    def _triggers(self, schema: str | None) -> Mapping[str, list[str]]:
        """Return the names of triggers by table; those that the user may see, with the right TRIGGER."""
        triggers: dict[str, list[str]] = {}
        for table, name in self._rows(_TRIGGERS, schema):
            triggers.setdefault(table, []).append(name)
        return triggers

    def _quotes_defaults(self) -> bool:
        return self._is_mariadb() and self._version() >= _QUOTED_SINCE

    def _is_mariadb(self) -> bool:
        return bool(getattr(self.conn.dialect, "is_mariadb", False))

    def _version(self) -> tuple[Any, ...]:
        return self.conn.dialect.server_version_info or ()

    def _rows(self, statement: TextClause, schema: str | None) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an answer as they arrive; some drivers return texts as bytes."""
        rows = self.conn.execute(statement, {"schema": schema}, execution_options={"stream_results": True})
        for row in rows:
            yield tuple(bytes(cell).decode() if isinstance(cell, bytes | bytearray) else cell for cell in row)


def default_text(default: str | None, type_: str, extra: str, *, quoted: bool) -> str | None:
    """Return a column's default as SHOW CREATE TABLE writes it, None for no default or NULL.

    *default*, *type_* and *extra* are COLUMN_DEFAULT, the word of the type and EXTRA. *quoted*: the product writes the
    default as SQL; otherwise it is the bare value, and EXTRA says which ones are expressions.
    """
    if default is None or (quoted and default == "NULL"):
        return None
    on_update = _ON_UPDATE.search(extra)
    return _written(default, type_, extra, quoted=quoted) + (f" ON UPDATE {on_update[1]}" if on_update else "")


def _written(default: str, type_: str, extra: str, *, quoted: bool) -> str:
    of_time = type_ in {"timestamp", "datetime"} and not default[:1].isdigit()
    if quoted or of_time or type_ == "bit":
        return default
    if "DEFAULT_GENERATED" in extra:
        return "({})".format(default.replace("\\'", "'"))
    return f"'{default.translate(_ESCAPES)}'"


def _type(text_: str) -> tuple[str, str | None]:
    """Return a type's word and what refines it, as SQLAlchemy names them: `int(11)` is `integer(11)`."""
    return type_parts(_INT.sub("integer", _COMMENT.sub("", text_)))
