"""From what SQLAlchemy's inspector reports of one schema to facts: tables and views with columns, keys and comments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Inspector
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from scanner_extractor.sources.databases.errors import reason_of
from scanner_extractor.sources.databases.location import Location
from scanner_extractor.sources.databases.types import column_type
from scanner_model.catalogs import DATABASE, FOREIGN_KEY, PRIMARY_KEY, UNIQUE, CatalogTable, TableKey
from scanner_model.columns import Column, field_segment
from scanner_model.errors import Problem
from scanner_model.names import SourceId
from scanner_model.redaction import mask_statement, mask_text

TABLE, VIEW, MATERIALIZED_VIEW = "TABLE", "VIEW", "MATERIALIZED VIEW"
VIEWS = (VIEW, MATERIALIZED_VIEW)

Reported = Mapping[tuple[str | None, str], Any]
"""What the inspector reports in bulk, by schema and table."""


def listed_objects(inspector: Inspector, schema: str | None) -> Iterator[tuple[str, str]]:
    """Yield each table and view of a schema by name, with its kind."""
    for kind, names in (
        (TABLE, inspector.get_table_names),
        (VIEW, inspector.get_view_names),
        (MATERIALIZED_VIEW, inspector.get_materialized_view_names),
    ):
        try:
            yield from ((name, kind) for name in names(schema=schema))
        except NotImplementedError:  # a dialect without views of this kind
            continue


@dataclass(slots=True, kw_only=True)
class DatabaseTables:
    """Tables and views that were read; *unread* are the names of those whose columns could not be."""

    tables: list[CatalogTable] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaReader:
    """Reads schemas of one database through an *inspector*: a few requests for all tables of a schema."""

    source: SourceId
    location: Location
    inspector: Inspector
    secret_names: frozenset[str] = frozenset()

    def read(self, schema: str | None) -> DatabaseTables:
        """Read a schema; None is the only one of a database without schemas. Raises SQLAlchemyError."""
        kinds = dict(listed_objects(self.inspector, schema))
        views = [name for name, kind in kinds.items() if kind in VIEWS]
        columns = self._described(self.inspector.get_multi_columns, schema, views)
        keys = self._keys(schema)
        comments = self._described(self.inspector.get_multi_table_comment, schema, views)
        result = DatabaseTables()
        for name in sorted(kinds):
            reported = columns.get((schema, name))
            full_name = self._name(schema, name)
            if reported is None:
                result.unread.append(full_name)
                what = "its columns could not be read: the database does not describe it to this user, or it is broken"
                result.problems.append(Problem(f"{self.source} {full_name}", what, "see docs/sources/databases.md"))
                continue
            definition = self._definition(schema, name, kinds[name], result)
            comment = (comments.get((schema, name)) or {}).get("text")
            result.tables.append(
                CatalogTable(
                    source=self.source,
                    provider=DATABASE,
                    namespace=self.location.namespace,
                    name=full_name,
                    kind=kinds[name],
                    description=mask_text(comment) if comment else "",
                    parameters=self._containers(schema),
                    symlinks=tuple((alias, full_name) for alias in self.location.aliases),
                    definition=definition,
                    keys=keys.get((schema, name), ()),
                    columns=tuple(map(self._column, reported)),
                )
            )
        return result

    def _containers(self, schema: str | None) -> tuple[tuple[str, str], ...]:
        """Return the database and schema that names begin with, by which names in views are completed."""
        named = {"database": self.location.database, "schema": self._case(schema or "")}
        return tuple((kind, name) for kind, name in named.items() if name)

    def _described(self, report: Callable[..., Reported], schema: str | None, views: Iterable[str]) -> Reported:
        """Return what *report* says of tables and *views*; where one may not be seen, of all others.

        MySQL describes a view to users with SELECT and SHOW VIEW only, and refuses all that were requested with it.
        """
        try:
            return self._bulk(report, schema, ObjectKind.ANY)
        except DBAPIError:
            described = dict(self._bulk(report, schema, ObjectKind.TABLE))
            for view in views:
                with suppress(DBAPIError):
                    described |= report(schema=schema, filter_names=[view], kind=ObjectKind.ANY_VIEW)
            return described

    def _bulk(self, report: Callable[..., Reported], schema: str | None, kind: ObjectKind) -> Reported:
        """Return what *report* says of everything of a *kind*; nothing where the dialect has no such report."""
        try:
            return report(schema=schema, kind=kind)
        except NotImplementedError:
            return {}

    def _keys(self, schema: str | None) -> Mapping[tuple[str | None, str], tuple[TableKey, ...]]:
        keys: dict[tuple[str | None, str], list[TableKey]] = {}
        for table, key in self._bulk(self.inspector.get_multi_pk_constraint, schema, ObjectKind.TABLE).items():
            if columns := (key or {}).get("constrained_columns"):
                keys.setdefault(table, []).append(TableKey(PRIMARY_KEY, self._stored(columns)))
        for table, uniques in self._bulk(self.inspector.get_multi_unique_constraints, schema, ObjectKind.TABLE).items():
            keys.setdefault(table, []).extend(TableKey(UNIQUE, self._stored(key["column_names"])) for key in uniques)
        for table, foreign in self._bulk(self.inspector.get_multi_foreign_keys, schema, ObjectKind.TABLE).items():
            keys.setdefault(table, []).extend(self._foreign_key(schema, key) for key in foreign)
        return {table: tuple(sorted(listed, key=_order)) for table, listed in keys.items()}

    def _foreign_key(self, schema: str | None, key: Mapping[str, Any]) -> TableKey:
        references = self._name(key["referred_schema"] or schema, key["referred_table"])
        columns, referenced = key["constrained_columns"], key["referred_columns"]
        return TableKey(FOREIGN_KEY, self._stored(columns), references, self._stored(referenced))

    def _definition(self, schema: str | None, name: str, kind: str, result: DatabaseTables) -> str:
        """Return the SQL text of a view; empty for a table, and with a problem where it cannot be read."""
        if kind not in VIEWS:
            return ""
        where = f"{self.source} {self._name(schema, name)}"
        hint = "its columns are known, where they come from is not: see docs/sources/databases.md for the rights"
        try:
            text = self.inspector.get_view_definition(name, schema=schema) or ""
        except (SQLAlchemyError, NotImplementedError) as error:
            result.problems.append(Problem(where, f"its definition could not be read: {reason_of(error)}", hint))
            return ""
        if not text.strip():
            result.problems.append(Problem(where, "the database does not show its definition to this user", hint))
        return mask_statement(text, self.secret_names)

    def _column(self, column: Mapping[str, Any]) -> Column:
        word, refined = column_type(column["type"], self.inspector.dialect)
        default = column.get("default")
        return _shared_column(
            self._case(column["name"]),
            (word, refined),
            bool(column.get("nullable", True)),
            None if default is None else str(default),
            column.get("comment") or None,
        )

    def _name(self, schema: str | None, table: str) -> str:
        return self.location.name(self._case(schema or ""), self._case(table))

    def _stored(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self._case, names))

    def _case(self, name: str) -> str:
        """Return a name as the database stores it: SQLAlchemy shows Oracle's `ORDERS` as `orders`."""
        dialect = self.inspector.dialect
        if not dialect.requires_name_normalize:
            return name
        stored: str = dialect.denormalize_name(name) or name
        return stored


@lru_cache(maxsize=1 << 16)
def _shared_column(
    name: str, type_: tuple[str, str | None], nullable: bool, default: str | None, comment: str | None
) -> Column:
    """Return a column; cached, because many tables have the same columns."""
    return Column(
        path=(field_segment(name),),
        type=type_[0],
        logical_type=type_[1],
        nullable=nullable,
        default=None if default is None else json.dumps(mask_statement(default), ensure_ascii=False),
        doc=mask_text(comment) if comment else None,
    )


_ORDER = (PRIMARY_KEY, UNIQUE, FOREIGN_KEY)


def _order(key: TableKey) -> tuple[int, TableKey]:
    return _ORDER.index(key.kind), key
