"""Read a database in a read-only session: its schemas, their tables and views; and the probes of `scanner doctor`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection, Inspector, inspect
from sqlalchemy.exc import DBAPIError, SAWarning

from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.systems.databases.drivers import new_engine
from scanner_extractor.systems.databases.engines.session import EngineCatalog, engine_session
from scanner_extractor.systems.databases.errors import reason_of, source_errors
from scanner_extractor.systems.databases.inspection import InformationSchema, Inspection
from scanner_extractor.systems.databases.products import Location, chosen_schemas
from scanner_extractor.systems.databases.reader import VIEWS, DatabaseTables, SchemaReader, TableCatalog
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.errors import Problem, ScannerError, SourceRefused
from scanner_model.lazy_names import load

_HIDDEN = "it does not exist, or this user may not see it"
_HINT = "check `schemas` and the user's rights: see docs/sources/databases.md"


class Catalog(Protocol):
    """The catalog of a connected database; a schema is None where the database has none.

    Its methods raise DBAPIError or ScannerError.
    """

    def version(self) -> str:
        """Return product and version."""

    def schemas(self) -> Iterable[str | None]:
        """List the schemas that matter, in order."""

    def kinds(self, schema: str | None) -> list[str]:
        """Return the kind of each table and view of a schema."""

    def read(self, schema: str | None) -> DatabaseTables:
        """Read the tables and views of a schema."""


def read_database(settings: DatabaseSettings, progress: Progress) -> Reading:
    """Read the tables and views of every schema that matters, in order of their names.

    Each schema is read in a transaction of its own; one that cannot be read is a problem, and the result partial.
    Raises ScannerError where the database cannot be reached, or none of its schemas read.
    """
    read: list[DatabaseTables] = []
    problems: list[Problem] = []
    with _catalog(settings) as catalog:
        names = list(catalog.schemas())
        problems.extend(_missing(settings, names))
        if problems and not names:
            raise SourceRefused(f"none of its schemas is there: {', '.join(settings.schemas)}", hint=_HINT)
        for name in names:
            try:
                read.append(catalog.read(name))
            except (DBAPIError, ScannerError) as error:
                problems.append(Problem(f"{settings.source} schema {name}", reason_of(error), _HINT))
                if len(problems) == len(names) and not read:
                    raise
            progress(settings.source, sum(len(schema.tables) for schema in read), None)
    return _result(settings, read, problems)


def database_probes(settings: DatabaseSettings) -> Iterator[Probe]:
    """Try to connect, and to list the schemas that matter with their tables and views."""
    yield Probe("connect to the database", lambda: _version(settings))
    yield Probe("list tables and views", lambda: _counted(settings))


def _version(settings: DatabaseSettings) -> str:
    with _catalog(settings) as catalog:
        return catalog.version()


def _counted(settings: DatabaseSettings) -> str:
    with _catalog(settings) as catalog:
        names = list(catalog.schemas())
        if lacking := tuple(_missing(settings, names)):
            raise SourceRefused(lacking[0].what, where=lacking[0].where, hint=lacking[0].hint)
        kinds = [kind for name in names for kind in catalog.kinds(name)]
        views = sum(kind in VIEWS for kind in kinds)
        return f"{len(kinds) - views} tables and {views} views in {len(names)} schemas"


@contextmanager
def _catalog(settings: DatabaseSettings) -> Iterator[Catalog]:
    """Connect to a database; errors are converted."""
    location = Location.of(settings)
    if engine := location.product.engine:
        with engine_session(settings, location) as session:
            yield EngineCatalog(load(engine), session)
    else:
        with connected(settings, location) as conn:
            yield _Connected(settings, location, conn)


@dataclass(frozen=True, slots=True)
class _Connected:
    """A database to which SQLAlchemy connects."""

    settings: DatabaseSettings
    location: Location
    conn: Connection

    def version(self) -> str:
        dialect = self.conn.dialect
        return f"{dialect.name} {'.'.join(map(str, dialect.server_version_info or ()))}".strip()

    def schemas(self) -> Iterable[str | None]:
        return _schemas(self.settings, self.location, inspect(self.conn))

    def kinds(self, schema: str | None) -> list[str]:
        return list(self._tables().kinds(schema).values())

    def read(self, schema: str | None) -> DatabaseTables:
        reader = SchemaReader(
            source=self.settings.source,
            location=self.location,
            catalog=self._tables(),
            secret_names=self.settings.secret_names,
        )
        try:
            return reader.read(schema)
        finally:
            self.conn.rollback()

    def _tables(self) -> TableCatalog:
        if self.location.product.information_schema:
            return InformationSchema(self.conn, self.location)
        # The cache of an inspector lives as long as one schema is read.
        return Inspection(inspect(self.conn), self.location)


@contextmanager
def connected(settings: DatabaseSettings, location: Location) -> Iterator[Connection]:
    """Open one read-only connection; errors are converted."""
    # Types that SQLAlchemy does not know are `unknown`; this is repeated because tests reset the filters.
    warnings.filterwarnings("ignore", category=SAWarning)
    with source_errors(location.url), new_engine(settings, location).connect() as conn:
        yield conn


def _schemas(settings: DatabaseSettings, location: Location, inspector: Inspector) -> list[str | None]:
    """Return the schemas to read, in order; [None] where the database has no schemas."""
    product = location.product
    if product.scheme == "file":
        return [None]
    if product.own_schema_only and not settings.schemas:
        return [inspector.default_schema_name]
    if not product.schemas_in_database and location.url.database and not settings.schemas:
        return [location.url.database]
    return [*chosen_schemas(inspector.get_schema_names(), settings, product)]


def _missing(settings: DatabaseSettings, names: Iterable[str | None]) -> Iterator[Problem]:
    """Yield the listed schemas that are not among *names*; of a pattern, where it matches none."""
    listed = [name for name in names if name is not None]
    for pattern in settings.schemas if listed != [None] else ():
        alone = DatabaseSettings(name="", url="", schemas=(pattern,))
        if not any(map(alone.wants, listed)):
            yield Problem(f"{settings.source} schema {pattern}", _HIDDEN, _HINT)


def _result(settings: DatabaseSettings, read: list[DatabaseTables], problems: list[Problem]) -> Reading:
    tables = [table for schema in read for table in schema.tables]
    unread = [name for schema in read for name in schema.unread]
    reasons = [f"{len(problems)} of its schemas could not be read"] if problems else []
    reasons += [f"{len(unread)} of its tables could not be read"] if unread else []
    return Reading(
        outcome=answered(
            settings.source,
            "database",
            len(tables),
            reasons=reasons,
            missing=len(unread),
            hint=_HINT if reasons else "",
            unread=frozenset() if problems else frozenset(unread),
        ),
        facts=tuple(sorted(tables, key=lambda table: table.name)),
        problems=(*problems, *(problem for schema in read for problem in schema.problems)),
    )
