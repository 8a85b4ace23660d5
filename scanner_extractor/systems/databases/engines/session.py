"""A session with an engine, without what SQLAlchemy asks a server of the protocol's own product; and what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from scanner_extractor.systems.databases.drivers import Connector
from scanner_extractor.systems.databases.errors import source_errors
from scanner_extractor.systems.databases.products import Location, chosen_schemas
from scanner_extractor.systems.databases.reader import DatabaseTables
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.catalogs import DATABASE, CatalogTable
from scanner_model.columns import Column
from scanner_model.errors import Problem, ScannerError
from scanner_model.redaction import mask_statement

_NONE: Mapping[str, str] = MappingProxyType({})

_LACKING = re.compile(r"(?i)does not exist|not found|unknown (?:catalog item|schema)")
"""How engines refuse a system table that their version does not have."""

Row = Mapping[str, Any]
"""A row of an answer, by the names of its columns in lower case; NULL is None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSession:
    """A connection to an engine: *rows* sends one statement, which only reads, and returns its answer.

    *rows* raises ScannerError where the engine refuses the statement or does not answer it.
    """

    settings: DatabaseSettings
    location: Location
    rows: Callable[[str], list[Row]]

    def problem(self, name: str, what: str, hint: str) -> Problem:
        """Return a problem of the table, job or schema *name*."""
        return Problem(f"{self.settings.source} {name}", what, hint)

    def optional_rows(self, statements: Iterable[str], problems: list[Problem]) -> list[Row]:
        """Return the answer to the first statement whose system table this version has; empty where it has none.

        A statement that is refused for another reason is added to *problems*.
        """
        for statement in statements:
            try:
                return self.rows(statement)
            except ScannerError as error:
                if not _LACKING.search(error.what):
                    what = f"a system table could not be read: {error.what}"
                    problems.append(Problem(str(self.settings.source), what, error.hint))
        return []

    def table(
        self, schema: str, name: str, kind: str, columns: Iterable[Column], parameters: Mapping[str, str] = _NONE
    ) -> CatalogTable:
        """Return a fact of the table *name* of a *schema*; empty *parameters* are left out."""
        full_name = self.location.name(schema, name)
        words = {"database": self.location.database, "schema": schema, **parameters}
        return CatalogTable(
            source=self.settings.source,
            provider=DATABASE,
            namespace=self.location.namespace,
            name=full_name,
            kind=kind,
            parameters=tuple(sorted((key, value) for key, value in words.items() if value)),
            symlinks=tuple((alias, full_name) for alias in self.location.aliases),
            columns=tuple(columns),
        )

    def masked(self, statement: str) -> str:
        """Return a SQL text without its secrets."""
        return mask_statement(statement, self.settings.secret_names)


class EngineReader(NamedTuple):
    """How an engine is read: *version* is a statement, *schemas* lists all schemas, *read* reads one of them.

    The functions raise ScannerError.
    """

    version: str
    schemas: Callable[[EngineSession], list[str]]
    read: Callable[[EngineSession, str], DatabaseTables]


@dataclass(frozen=True, slots=True)
class EngineCatalog:
    """The catalog of a connected engine."""

    engine: EngineReader
    session: EngineSession

    def version(self) -> str:
        """Return what the engine says of its version."""
        rows = self.session.rows(self.engine.version)
        return f"{self.session.location.product.scheme} {next(iter(rows[0].values()), '') if rows else ''}".strip()

    def schemas(self) -> Iterable[str | None]:
        """List the schemas that are chosen; without a choice, all but the engine's own."""
        return chosen_schemas(self.engine.schemas(self.session), self.session.settings, self.session.location.product)

    def kinds(self, schema: str | None) -> list[str]:
        """Return the kind of each table and view of a schema."""
        return [table.kind for table in self.read(schema).tables]

    def read(self, schema: str | None) -> DatabaseTables:
        """Read the tables, views and sources of a schema."""
        return self.engine.read(self.session, schema or "")


@contextmanager
def engine_session(settings: DatabaseSettings, location: Location) -> Iterator[EngineSession]:
    """Connect to an engine; errors are converted to those of a source.

    The driver is used directly: on its first connection SQLAlchemy asks for things that only the protocol's own
    product has.
    """
    with source_errors(location.url):
        dialect = location.url.get_dialect()()
        driver = dialect.dbapi = dialect.import_dbapi()
        positional, named = dialect.create_connect_args(location.url)
        connector = Connector.of(settings, location.url)
    with source_errors(location.url, driver.Error):
        connection = connector.connect(dialect, positional, {**named, "autocommit": True})

    def rows(statement: str) -> list[Row]:
        with source_errors(location.url, driver.Error), closing(connection.cursor()) as cursor:
            cursor.execute(statement)
            names = [column[0].lower() for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()] if names else []

    with closing(connection):
        for statement in location.product.statements(settings.read_timeout):
            rows(statement)
        yield EngineSession(settings=settings, location=location, rows=rows)
