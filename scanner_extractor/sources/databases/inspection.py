"""The tables of a schema as SQLAlchemy's inspector reports them, for every database that has a dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Inspector, text
from sqlalchemy.dialects.postgresql.base import PGInspector
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import DBAPIError

from scanner_extractor.sources.databases.location import Location
from scanner_extractor.sources.databases.reader import MATERIALIZED_VIEW, TABLE, VIEW, VIEWS, Reported
from scanner_extractor.sources.databases.types import column_type, shared_column
from scanner_model.catalogs import FOREIGN_KEY, PRIMARY_KEY, UNIQUE, TableKey, generated_default
from scanner_model.columns import Column

_Described = Mapping[tuple[str | None, str], Any]
"""What the inspector reports in bulk, by schema and table."""

_TRIGGERS = {
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
        statement = _TRIGGERS.get(self.inspector.dialect.name)
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
