"""The databases that are known, one row each, and where one is: its URL, namespace, names, other addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.errors import InputInvalid
from scanner_model.maturity import Proof, live
from scanner_model.plugins import DATABASES, plugins


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
    SQLAlchemy's inspector asks for one after the other. *engine* is `module:attribute` of what reads it; empty
    for SQLAlchemy's inspector. *proof* is how it was tested.
    """

    scheme: str
    proof: Proof
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
    engine: str = ""

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

_TESTS = "tests/conformance/test_databases.py"
_ENGINES = "scanner_extractor.systems.databases.engines"

_MYSQL = Product(
    scheme="mysql",
    proof=Proof("MySQL"),
    port=3306,
    schemas_in_database=False,
    own=frozenset({"information_schema", "mysql", "performance_schema", "sys"}),
    session=("SET SESSION TRANSACTION READ ONLY",),
    driver="pymysql",
    information_schema=True,
)
_POSTGRES = Product(
    scheme="postgres",
    proof=live("PostgreSQL", "15", _TESTS),
    port=5432,
    own_prefixes=("pg_",),
    session=("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",),
    time_limit="SET statement_timeout = {milliseconds}",
    driver="psycopg",
)

PRODUCTS: Mapping[str, Product] = {
    "postgresql": _POSTGRES,
    "mysql": _MYSQL,
    "mariadb": replace(_MYSQL, proof=live("MariaDB", "10.11", _TESTS)),
    "mssql": Product(
        scheme="sqlserver",
        proof=Proof("SQL Server"),
        port=1433,
        own=frozenset({"INFORMATION_SCHEMA", "sys", "guest"}) | _ROLES,
        driver="pyodbc",
    ),
    "oracle": Product(
        scheme="oracle", proof=Proof("Oracle Database"), port=1521, own_schema_only=True, driver="oracledb"
    ),
    "redshift": Product(scheme="redshift", proof=Proof("Amazon Redshift"), port=5439, own_prefixes=("pg_",)),
    "sqlite": Product(scheme="file", proof=live("SQLite", "3.40", _TESTS), session=("PRAGMA query_only = ON",)),
    "snowflake": Product(
        scheme="snowflake", proof=Proof("Snowflake"), own=frozenset({"INFORMATION_SCHEMA", "information_schema"})
    ),
    "trino": Product(scheme="trino", proof=Proof("Trino"), port=8080),
    "clickhouse": Product(
        scheme="clickhouse",
        proof=Proof("ClickHouse over its SQL protocol"),
        port=8123,
        schemas_in_database=False,
        own=frozenset({"system", "information_schema"}),
    ),
    "risingwave": Product(
        scheme="risingwave",
        proof=Proof("RisingWave"),
        port=4566,
        own=frozenset({"information_schema", "rw_catalog"}),
        own_prefixes=("pg_",),
        time_limit="SET statement_timeout = {milliseconds}",
        driver="psycopg",
        protocol="postgresql",
        engine=f"{_ENGINES}.risingwave:RISINGWAVE",
    ),
    "materialize": Product(
        scheme="materialize",
        proof=Proof("Materialize"),
        port=6875,
        own_prefixes=("mz_", "pg_"),
        time_limit="SET statement_timeout = {milliseconds}",
        driver="psycopg",
        protocol="postgresql",
        engine=f"{_ENGINES}.materialize:MATERIALIZE",
    ),
}
"""By SQLAlchemy's name of the dialect. Source: OpenLineage, "Naming conventions"."""


def product_of(dialect: str) -> Product:
    """Return the product of a dialect; an unknown one has the dialect's name as its scheme.

    Raises PluginError for a plug-in that cannot be loaded.
    """
    if dialect not in PRODUCTS and (plugin := plugins(DATABASES).get(dialect)):
        offered = plugin.load()
        if not isinstance(offered, Product):
            raise plugin.error(f"is of type {type(offered).__name__}, not a Product")
        return offered
    return PRODUCTS.get(dialect) or Product(scheme=dialect, proof=Proof(dialect))


def product_proofs(settings: DatabaseSettings | None) -> tuple[Proof, ...]:
    """Return how the product of a database was tested, or every product for None.

    An invalid URL is reported by the check of the database, not here.
    """
    if settings is None:
        return tuple(product.proof for product in PRODUCTS.values())
    try:
        return (product_of(database_url(settings.url).get_backend_name()).proof,)
    except InputInvalid:
        return ()


def chosen_schemas(names: Iterable[str], settings: DatabaseSettings, product: Product) -> list[str]:
    """Return the schemas that are to be read, in order: those listed; without a list, all but the product's own."""
    listed = bool(settings.schemas)
    return [name for name in sorted(names) if settings.wants(name) and (listed or not product.owns(name))]


FORMS = "write dialect://user@host:port/database, as in postgresql://scanner@db:5432/shop"
_ENCODE = "give the password as `password`, or write %40 for @, %2F for / and %3A for :"
_MEMORY = ("", ":memory:")


def database_url(text: str) -> URL:
    """Parse SQLAlchemy's URL of a database; raises InputInvalid, which never quotes the text."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise InputInvalid("is not a database URL", hint=FORMS) from error
    if url.get_backend_name() == "postgres":
        url = url.set(drivername=url.drivername.replace("postgres", "postgresql", 1))
    if url.get_backend_name() == "sqlite":
        if (url.database or "") in _MEMORY:
            raise InputInvalid("names no file", hint="write sqlite:///shop.db")
        return url
    if "@" in f"{url.host}{url.database}":
        raise InputInvalid("holds a password that is not encoded", hint=_ENCODE)
    return url


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A database: the *url* to connect to, its *product*, its *namespace* in OpenLineage and those of its aliases.

    *database* is the first part of the names of tables, empty where names have none.
    """

    url: URL
    product: Product
    namespace: str
    aliases: tuple[str, ...] = ()
    database: str = ""

    @classmethod
    def of(cls, settings: DatabaseSettings) -> Location:
        """Resolve the settings; raises InputInvalid for an invalid URL."""
        url = database_url(settings.url)
        product = product_of(url.get_backend_name())
        if url.get_backend_name() == "sqlite":
            return _in_file(url, product, settings)
        if product.protocol:
            url = url.set(drivername=f"{product.protocol}+{product.driver}")
        elif "+" not in url.drivername and product.driver:
            url = url.set(drivername=f"{url.drivername}+{product.driver}")
        database = _database(url) if product.schemas_in_database else ""
        if settings.password:
            url = url.set(password=settings.password)
        host = url.host or _text(url, "host") or "localhost"
        addresses = [("localhost" if "/" in host else host, url.port), *map(_host_and_port, settings.aliases)]
        known_as = [product, *([PRODUCTS[product.protocol]] if product.protocol else [])]
        namespace, *aliases = (
            _namespace(named, host, port or product.port) for named in known_as for host, port in addresses
        )
        aliases += [_namespace(product, host, port) for port in product.other_ports for host, _ in addresses]
        others = tuple(dict.fromkeys(aliases))
        if product.protocol:  # the driver's own port is that of the protocol's product
            url = url.set(port=url.port or product.port)
        return cls(url=url, product=product, namespace=namespace, aliases=others, database=database)

    def name(self, schema: str, table: str) -> str:
        """Return the OpenLineage name of a table; an unknown part is left out."""
        return ".".join(filter(None, (self.database, schema, table)))


def _in_file(url: URL, product: Product, settings: DatabaseSettings) -> Location:
    """Resolve the URL of a SQLite file, which is opened for reading only and never created."""
    path = (settings.base / (url.database or "")).absolute()
    opened = url.set(database=f"file:{_encoded(path)}", query={"mode": "ro", "uri": "true"})
    others = tuple(f"file:{alias}" for alias in settings.aliases)
    return Location(url=opened, product=product, namespace=f"file:{path}", aliases=others)


def _encoded(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _namespace(product: Product, host: str, port: int | None) -> str:
    number = port or product.port
    shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{product.scheme}://{shown.lower()}" + (f":{number}" if number else "")


def _host_and_port(alias: str) -> tuple[str, int | None]:
    host, colon, port = alias.rpartition(":")
    return (host, int(port)) if colon and port.isdigit() and not host.endswith(":") else (alias, None)


def _database(url: URL) -> str:
    # Snowflake's URL has the schema behind the database, Oracle's the service in a parameter.
    named = (url.database or "").partition("/")[0] or _text(url, "service_name")
    # PostgreSQL's default database has the user's name.
    return named or (url.username or "" if url.get_backend_name() == "postgresql" else "")


def _text(url: URL, parameter: str) -> str:
    value = url.query.get(parameter, "")
    return value if isinstance(value, str) else value[0]
