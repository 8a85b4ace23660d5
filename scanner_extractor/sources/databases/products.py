"""The database products that are known, one row each: names in OpenLineage, own schemas, read-only sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scanner_extractor.settings.databases import DatabaseSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A database product; the defaults are those of an unknown one.

    *scheme* and *port* are those of OpenLineage's namespace. *schemas_in_database*: the full name of a table is
    `database.schema.table`, otherwise `schema.table`. *own* are the schemas of the product itself, and *own_prefixes*
    how the names of others begin. *own_schema_only*: without a list only the user's schema is read. *session* are
    statements that make a session read-only, *time_limit* bounds each later one by `{seconds}` or `{milliseconds}`.
    *driver* is the one that is used where the URL names none. *protocol* is the dialect of the product whose protocol
    it speaks, empty for its own one: jobs may know its tables by that product's names, too. *other_ports* are those of
    the same server at which connectors write. *information_schema*: its tables are read from there at once, because
    SQLAlchemy's inspector asks for one after the other.
    """

    scheme: str
    port: int | None = None
    schemas_in_database: bool = True
    own: frozenset[str] = frozenset({"information_schema"})
    own_prefixes: tuple[str, ...] = ()
    own_schema_only: bool = False
    session: tuple[str, ...] = ()
    time_limit: str = ""
    driver: str = ""
    protocol: str = ""
    other_ports: tuple[int, ...] = ()
    information_schema: bool = False

    def owns(self, schema: str) -> bool:
        """Return whether a schema is one of the product itself."""
        return schema in self.own or schema.startswith(self.own_prefixes)

    def statements(self, seconds: float) -> tuple[str, ...]:
        """Return the statements that a session begins with; each later one is bounded by *seconds*, where it can be."""
        limit = self.time_limit.format(seconds=max(1, round(seconds)), milliseconds=round(seconds * 1000))
        return (*self.session, *([limit] if limit else []))


_ROLES = frozenset(
    f"db_{role}"
    for role in (
        *("accessadmin", "backupoperator", "datareader", "datawriter", "ddladmin"),
        *("denydatareader", "denydatawriter", "owner", "securityadmin"),
    )
)
"""The schemas of SQL Server's fixed roles."""

_MYSQL = Product(
    scheme="mysql",
    port=3306,
    schemas_in_database=False,
    own=frozenset({"information_schema", "mysql", "performance_schema", "sys"}),
    session=("SET SESSION TRANSACTION READ ONLY",),
    driver="pymysql",
    information_schema=True,
)
_POSTGRES = Product(
    scheme="postgres",
    port=5432,
    own_prefixes=("pg_",),
    session=("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",),
    time_limit="SET statement_timeout = {milliseconds}",
    driver="psycopg",
)

PRODUCTS: Mapping[str, Product] = {
    "postgresql": _POSTGRES,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "mssql": Product(
        scheme="sqlserver",
        port=1433,
        own=frozenset({"INFORMATION_SCHEMA", "sys", "guest"}) | _ROLES,
        driver="pyodbc",
    ),
    "oracle": Product(scheme="oracle", port=1521, own_schema_only=True, driver="oracledb"),
    "redshift": Product(scheme="redshift", port=5439, own_prefixes=("pg_",)),
    "sqlite": Product(scheme="file", session=("PRAGMA query_only = ON",)),
    "snowflake": Product(scheme="snowflake", own=frozenset({"INFORMATION_SCHEMA", "information_schema"})),
    "trino": Product(scheme="trino", port=8080),
    "clickhouse": Product(
        scheme="clickhouse", port=8123, schemas_in_database=False, own=frozenset({"system", "information_schema"})
    ),
    "risingwave": Product(
        scheme="risingwave",
        port=4566,
        own=frozenset({"information_schema", "rw_catalog"}),
        own_prefixes=("pg_",),
        time_limit="SET statement_timeout = {milliseconds}",
        driver="psycopg",
        protocol="postgresql",
    ),
    "materialize": Product(
        scheme="materialize",
        port=6875,
        own_prefixes=("mz_", "pg_"),
        time_limit="SET statement_timeout = {milliseconds}",
        driver="psycopg",
        protocol="postgresql",
    ),
    "starrocks": Product(
        scheme="starrocks",
        port=9030,
        schemas_in_database=False,
        own=frozenset({"_statistics_", "information_schema", "sys"}),
        time_limit="SET query_timeout = {seconds}",
        driver="pymysql",
        protocol="mysql",
        other_ports=(8030,),
    ),
    "doris": Product(
        scheme="doris",
        port=9030,
        schemas_in_database=False,
        own=frozenset({"__internal_schema", "information_schema", "mysql"}),
        time_limit="SET query_timeout = {seconds}",
        driver="pymysql",
        protocol="mysql",
        other_ports=(8030,),
    ),
}
"""By SQLAlchemy's name of the dialect. Source: OpenLineage, "Naming conventions"."""


def product_of(dialect: str) -> Product:
    """Return the product of a dialect; an unknown one has the dialect's name as its scheme."""
    return PRODUCTS.get(dialect) or Product(scheme=dialect)


def chosen_schemas(names: Iterable[str], settings: DatabaseSettings, product: Product) -> list[str]:
    """Return the schemas that are to be read, in order: those listed; without a list, all but the product's own."""
    listed = bool(settings.schemas)
    return [name for name in sorted(names) if settings.wants(name) and (listed or not product.owns(name))]
