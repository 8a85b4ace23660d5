"""Where a database is: its URL, the namespace and names of its tables, and the other addresses of its server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from scanner_extractor.settings.databases import DatabaseSettings
from scanner_extractor.sources.databases.products import PRODUCTS, Product, product_of
from scanner_model.errors import InputInvalid

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
        """Resolve the settings; raises InputInvalid for a URL that is none."""
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
