"""The tables of a schema as SQLAlchemy's inspector reports them, or information_schema of MySQL and MariaDB.

The inspector would send one or two requests for each table there, these are four.
Source: "INFORMATION_SCHEMA Tables" of MySQL's reference
manual, and MariaDB's "Information Schema COLUMNS Table", which write defaults differently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Inspector, TextClause, inspect, text
from sqlalchemy.dialects.postgresql.base import PGInspector
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import DBAPIError

from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.reader import (
    MATERIALIZED_VIEW,
    TABLE,
    VIEW,
    VIEWS,
    Reported,
    column_type,
    shared_column,
    type_parts,
)
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
_COMMENT = re.compile(r"(?<!\s)\s*+/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")
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


_Described = Mapping[tuple[str | None, str], Any]
"""What the inspector reports in bulk, by schema and table."""

_TRIGGERS_BY_DIALECT = {
    "postgresql": text(
        "SELECT c.relname, t.tgname FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " WHERE NOT t.tgisinternal AND n.nspname = :schema ORDER BY 1, 2"
    ),
    "sqlite": text("SELECT tbl_name, name FROM sqlite_master WHERE type = 'trigger' ORDER BY 1, 2"),
}


@dataclass(frozen=True, slots=True)
class Inspection:
    """The catalog of a database through an *inspector*, whose cache lives as long as one schema is read."""

    inspector: Inspector
    location: Location

    def kinds(self, schema: str | None) -> Mapping[str, str]:
        """Return the kind of each table and view, by name."""
        return dict(self._listed(schema))

    def reported(self, schema: str | None) -> Reported:
        """Return the tables and views with columns, keys and comments: in a few requests, where the dialect can."""
        kinds = self.kinds(schema)
        views = [name for name, kind in kinds.items() if kind in VIEWS]
        columns = self._described(self.inspector.get_multi_columns, schema, views)
        keys = self._keys(schema)
        comments = self._described(self.inspector.get_multi_table_comment, schema, views)
        return Reported(
            kinds=kinds,
            columns={name: tuple(map(self._column, described)) for (_, name), described in columns.items()},
            keys=keys,
            comments={name: (comment or {}).get("text") or "" for (_, name), comment in comments.items()},
            triggers=self._triggers(schema),
        )

    def definition(self, schema: str | None, view: str) -> str:
        """Return the SQL text of a view, empty where the user may not see it."""
        return self.inspector.get_view_definition(view, schema=schema) or ""

    def stored(self, name: str) -> str:
        """Return a name as the database stores it: SQLAlchemy shows Oracle's `ORDERS` as `orders`."""
        dialect = self.inspector.dialect
        if not dialect.requires_name_normalize:
            return name
        stored: str = dialect.denormalize_name(name) or name
        return stored

    def _listed(self, schema: str | None) -> Iterator[tuple[str, str]]:
        foreign = [(TABLE, self.inspector.get_foreign_table_names)] if isinstance(self.inspector, PGInspector) else []
        for kind, names in (
            (TABLE, self.inspector.get_table_names),
            *foreign,
            (VIEW, self.inspector.get_view_names),
            (MATERIALIZED_VIEW, self.inspector.get_materialized_view_names),
        ):
            try:
                yield from ((name, kind) for name in names(schema=schema))
            except NotImplementedError:  # a dialect without views of this kind
                continue

    def _described(self, report: Callable[..., _Described], schema: str | None, views: Iterable[str]) -> _Described:
        """Return what *report* says of tables and *views*; where one cannot be described, of all others.

        SQLite refuses all that were requested with a view over a table that is not there.
        """
        try:
            return self._bulk(report, schema, ObjectKind.ANY)
        except DBAPIError:
            described = dict(self._bulk(report, schema, ObjectKind.TABLE))
            for view in views:
                with suppress(DBAPIError):
                    described |= report(schema=schema, filter_names=[view], kind=ObjectKind.ANY_VIEW)
            return described

    def _bulk(self, report: Callable[..., _Described], schema: str | None, kind: ObjectKind) -> _Described:
        """Return what *report* says of everything of a *kind*; nothing where the dialect has no such report."""
        try:
            return report(schema=schema, kind=kind)
        except NotImplementedError:  # what SQLAlchemy raises for a report that a dialect lacks
            return {}

    def _triggers(self, schema: str | None) -> Mapping[str, list[str]]:
        """Return the names of triggers by table; of products whose catalog is known."""
        statement = _TRIGGERS_BY_DIALECT.get(self.inspector.dialect.name)
        bind = self.inspector.bind
        if statement is None or not isinstance(bind, Connection):
            return {}
        triggers: dict[str, list[str]] = {}
        for table, name in bind.execute(statement, {"schema": schema} if schema else {}):
            triggers.setdefault(table, []).append(name)
        return triggers

    def _keys(self, schema: str | None) -> Mapping[str, list[TableKey]]:
        keys: dict[str, list[TableKey]] = {}
        for (_, table), key in self._bulk(self.inspector.get_multi_pk_constraint, schema, ObjectKind.TABLE).items():
            if columns := (key or {}).get("constrained_columns"):
                keys.setdefault(table, []).append(TableKey(PRIMARY_KEY, self._columns(columns)))
        uniques = self._bulk(self.inspector.get_multi_unique_constraints, schema, ObjectKind.TABLE)
        for (_, table), listed in uniques.items():
            keys.setdefault(table, []).extend(TableKey(UNIQUE, self._columns(key["column_names"])) for key in listed)
        for (_, table), listed in self._bulk(self.inspector.get_multi_foreign_keys, schema, ObjectKind.TABLE).items():
            keys.setdefault(table, []).extend(self._foreign_key(schema, key) for key in listed)
        return keys

    def _foreign_key(self, schema: str | None, key: Mapping[str, Any]) -> TableKey:
        schema_of_table = self.stored(key["referred_schema"] or schema or "")
        references = self.location.name(schema_of_table, self.stored(key["referred_table"]))
        columns, referenced = key["constrained_columns"], key["referred_columns"]
        return TableKey(FOREIGN_KEY, self._columns(columns), references, self._columns(referenced))

    def _columns(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.stored, names))

    def _column(self, column: Mapping[str, Any]) -> Column:
        default, computed = column.get("default"), column.get("computed")
        if computed:
            default = generated_default(computed["sqltext"], is_stored=bool(computed.get("persisted")))
        return shared_column(
            self.stored(column["name"]),
            column_type(column["type"], self.inspector.dialect),
            bool(column.get("nullable", True)),
            None if default is None else str(default),
            column.get("comment") or None,
        )
