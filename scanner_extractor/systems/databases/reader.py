"""From what a database reports of one schema to facts: tables and views with columns, types, keys and comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from sqlalchemy.engine import Dialect
from sqlalchemy.exc import CompileError, SQLAlchemyError
from sqlalchemy.types import NullType, TypeEngine

from scanner_extractor.systems.databases.errors import reason_of
from scanner_extractor.systems.databases.products import Location
from scanner_model.catalogs import DATABASE, FOREIGN_KEY, PRIMARY_KEY, TRIGGERS, UNIQUE, CatalogTable, TableKey
from scanner_model.columns import Column, field_segment
from scanner_model.errors import Problem
from scanner_model.names import SourceId
from scanner_model.redaction import mask_statement, mask_text

UNKNOWN = "unknown"
"""The type of a column whose type SQLAlchemy does not know."""

_NOISE = re.compile(r"(?<!\s)\s++(?:COLLATE|CHARACTER SET|CHARSET)\s++\S++", re.IGNORECASE)
_LISTS = frozenset({"enum", "set"})
"""Types whose arguments are values, not a size."""


def column_type(column_type_: TypeEngine[object], dialect: Dialect) -> tuple[str, str | None]:
    """Return a type's word and what refines it (None where nothing does)."""
    if isinstance(column_type_, NullType):
        return UNKNOWN, None
    try:
        text = dialect.type_compiler_instance.process(column_type_)
    except CompileError:  # a type of a dialect that its compiler does not know
        text = type(column_type_).__name__
    return type_parts(text)


@lru_cache(maxsize=4_096)
def type_parts(text: str) -> tuple[str, str | None]:
    """Return the word of a type as it is written in SQL, and what refines it (None where nothing does)."""
    plain = _NOISE.sub("", text).strip()
    name, opened, inside = plain.partition("(")
    written, closed, rest = inside.rpartition(")")
    if not opened or not closed or ")" in name or "(" in rest:
        return plain.lower() or UNKNOWN, None
    word = " ".join(f"{name} {rest}".lower().split()).replace(" []", "[]")
    if word in _LISTS:
        return word, None
    arguments = ",".join(part.strip() for part in written.split(","))
    return word, f"{word}({arguments})"


@lru_cache(maxsize=1 << 16)
def shared_column(
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


TABLE, VIEW, MATERIALIZED_VIEW = "TABLE", "VIEW", "MATERIALIZED VIEW"
VIEWS = (VIEW, MATERIALIZED_VIEW)
_SHOWN = 5
_HINT = "declare the flows of those that matter in a manual input: see docs/sources/databases.md"
_ORDER = (PRIMARY_KEY, UNIQUE, FOREIGN_KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """Tables and views by name: their *kinds*, *columns* in order, *keys*, *comments* and *triggers*.

    A name of *kinds* without columns is one that the database lists and does not describe.
    """

    kinds: Mapping[str, str]
    columns: Mapping[str, Iterable[Column]]
    keys: Mapping[str, Iterable[TableKey]] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    triggers: Mapping[str, Sequence[str]] = field(default_factory=dict)


class TableCatalog(Protocol):
    """What lists and describes the tables of a schema; None is the only schema of a database without schemas.

    Its methods raise SQLAlchemyError.
    """

    def kinds(self, schema: str | None) -> Mapping[str, str]:
        """Return the kind of each table and view, by name."""

    def reported(self, schema: str | None) -> Reported:
        """Return the tables and views with columns, keys and comments."""

    def definition(self, schema: str | None, view: str) -> str:
        """Return the SQL text of a view, empty where the user may not see it; may raise NotImplementedError."""

    def stored(self, name: str) -> str:
        """Return a name in the letter case in which the database stores it."""


@dataclass(slots=True, kw_only=True)
class DatabaseTables:
    """Tables and views that were read; *unread* are the names of those whose columns could not be."""

    tables: list[CatalogTable] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaReader:
    """Reads schemas of one database from its *catalog*."""

    source: SourceId
    location: Location
    catalog: TableCatalog
    secret_names: frozenset[str] = frozenset()

    def read(self, schema: str | None) -> DatabaseTables:
        """Read a schema; None is the only one of a database without schemas. Raises SQLAlchemyError."""
        reported = self.catalog.reported(schema)
        result = DatabaseTables(problems=[*self._unread_triggers(schema, reported)])
        for name, kind in sorted(reported.kinds.items()):
            full_name = self._name(schema, name)
            columns = reported.columns.get(name)
            if columns is None:
                result.unread.append(full_name)
                what = "its columns could not be read: the database does not describe it to this user, or it is broken"
                result.problems.append(Problem(f"{self.source} {full_name}", what, "see docs/sources/databases.md"))
                continue
            definition = self._definition(schema, name, result) if kind in VIEWS else ""
            comment, triggers = reported.comments.get(name), reported.triggers.get(name, ())
            result.tables.append(
                CatalogTable(
                    source=self.source,
                    provider=DATABASE,
                    namespace=self.location.namespace,
                    name=full_name,
                    kind=kind,
                    description=mask_text(comment) if comment else "",
                    parameters=(*self._containers(schema), *_named(triggers)),
                    symlinks=tuple((alias, full_name) for alias in self.location.aliases),
                    definition=definition,
                    keys=tuple(sorted(reported.keys.get(name, ()), key=_order)),
                    columns=tuple(columns),
                )
            )
        return result

    def _unread_triggers(self, schema: str | None, reported: Reported) -> Iterator[Problem]:
        """Yield one problem for all tables with triggers: there may be many, as of an audit."""
        if names := sorted(reported.triggers.keys() & reported.kinds.keys()):
            shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
            what = f"what the triggers of {len(names)} tables write is not read: {shown}"
            yield Problem(f"{self.source} {self._name(schema, '')}".strip(), what, _HINT)

    def _containers(self, schema: str | None) -> tuple[tuple[str, str], ...]:
        """Return the database and schema that names begin with, by which names in views are completed."""
        named = {"database": self.location.database, "schema": self.catalog.stored(schema or "")}
        return tuple((kind, name) for kind, name in named.items() if name)

    def _definition(self, schema: str | None, view: str, result: DatabaseTables) -> str:
        """Return the SQL text of a view; empty, and with a problem, where it cannot be read."""
        where = f"{self.source} {self._name(schema, view)}"
        hint = "its columns are known, where they come from is not: see docs/sources/databases.md for the rights"
        try:
            text = self.catalog.definition(schema, view)
        except (SQLAlchemyError, NotImplementedError) as error:
            result.problems.append(Problem(where, f"its definition could not be read: {reason_of(error)}", hint))
            return ""
        if not text.strip():
            result.problems.append(Problem(where, "the database does not show its definition to this user", hint))
        return mask_statement(text, self.secret_names)

    def _name(self, schema: str | None, table: str) -> str:
        return self.location.name(self.catalog.stored(schema or ""), self.catalog.stored(table))


def _named(triggers: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return ((TRIGGERS, ",".join(triggers)),) if triggers else ()


def _order(key: TableKey) -> tuple[int, TableKey]:
    return _ORDER.index(key.kind), key
