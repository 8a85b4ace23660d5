"""Dataset names in OpenLineage's convention: namespace and name of tables, files, topics and services."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from dataflow_generator.connectors.config import split_outside
from dataflow_generator.connectors.jdbc_urls import UNKNOWN_HOST, JdbcServer, is_host, jdbc_server, with_ports
from dataflow_generator.connectors.model import Dataset, DatasetKind
from dataflow_generator.connectors.products import PRODUCTS
from scanner_model.errors import InputInvalid
from scanner_model.names import broker_addresses

_TWO_PARTS = frozenset(
    ("clickhouse", "doris", "hive", "mariadb", "mysql", "oceanbase", "starrocks", "teradata", "vitess")
)
DEFAULT_SCHEMAS = {scheme: product.schema for scheme, product in PRODUCTS.items() if product.schema}

_NEXT_URL = re.compile(r",(?=[a-zA-Z][\w+.-]*+://)")
_OBJECT_STORES = {"s3a": "s3", "s3n": "s3", "wasb": "wasbs", "abfs": "abfss"}


def jdbc_dataset(url: str, table: str) -> Dataset:
    """Name a table of a JDBC URL by openlineage-java's rules: a missing schema is not added."""
    return table_of(jdbc_server(url), table, default_schema=False)


def table_of(server: JdbcServer, table: str, *, default_schema: bool = True) -> Dataset:
    """Name *table*, which may be qualified and quoted, of *server*.

    A missing schema is taken from the URL, or else is the server's default (`public`, `dbo`).
    """
    parts = identifiers(table)
    if default_schema and len(parts) == 1 and server.scheme not in _TWO_PARTS:
        schema = server.schema or DEFAULT_SCHEMAS.get(server.scheme, "")
        parts = (schema, *parts) if schema else parts
    part_count = 2 if server.scheme in _TWO_PARTS else 3
    if server.database and len(parts) < part_count:
        parts = (server.database, *parts)
    return Dataset(server.namespace, ".".join(parts))


def identifiers(name: str) -> tuple[str, ...]:
    """Split a qualified name at dots outside quotes, and remove the quotes."""
    return tuple(_unquoted(part) for part in split_outside(name, ".")) or (name,)


def host_server(scheme: str, host: str, port: str = "", database: str = "", schema: str = "") -> JdbcServer:
    """Return a server that a configuration names by host and port; an absent host is `unknown`."""
    plain = re.sub(r"^[a-z+]+://", "", host.strip(), flags=re.IGNORECASE).rpartition("@")[2]
    plain = plain if "${" in plain else plain.split("/")[0]
    address = f"{plain}:{port}" if plain and port.isdigit() and not re.search(r":\d+$", plain) else plain
    return JdbcServer(scheme, f"{scheme}://{with_ports(scheme, address) or UNKNOWN_HOST}", database, schema)


def kafka_namespace(addresses: str) -> str | None:
    """Return a cluster's namespace by the first of its addresses; None where they cannot be parsed."""
    try:
        return f"kafka://{broker_addresses(addresses)[0]}"
    except InputInvalid:
        return None


def topic(namespace: str, name: str) -> Dataset:
    """Return the dataset of a topic."""
    return Dataset(namespace, name, DatasetKind.TOPIC)


def topics_like(namespace: str, pattern: str) -> Dataset:
    """Return the pattern dataset of topics that match a Java regular expression."""
    return Dataset(namespace, f"regex:{pattern}", DatasetKind.PATTERN)


def object_path(uri: str) -> Dataset:
    """Name a file or folder of an object store or file system by its URI."""
    scheme, _, rest = uri.strip().partition(":")
    if not rest or "/" in scheme:
        return Dataset("file", uri.strip().rstrip("/") or "/")
    scheme = _OBJECT_STORES.get(scheme.lower(), scheme.lower())
    if not rest.startswith("//"):
        return Dataset(scheme, rest.rstrip("/") or "/")
    authority, _, path = rest[2:].partition("/")
    user, _, host = authority.rpartition("@")
    authority = host if ":" in user else authority  # `container@account` is a name, `key:secret@bucket` is not
    path = path.strip("/")
    slash = "/" if scheme in ("hdfs", "file", "dbfs") else ""
    return Dataset(f"{scheme}://{authority}" if authority else scheme, f"{slash}{path}" if path else "/")


def located_table(uri: str, table: str) -> Dataset:
    """Name a table by its warehouse location, where no catalog names it."""
    location = object_path(uri)
    if location.namespace == "file" and uri.strip() in ("", "/"):
        return Dataset("file", table)
    path = location.name.strip("/")
    joined = "/" if "://" in location.namespace else ":/"
    return Dataset(f"{location.namespace}{joined}{path}" if path else location.namespace, table)


def in_folder(*parts: str) -> str:
    """Join folders and a file's name; empty parts and doubled slashes are removed."""
    return "/".join(part.strip("/") for part in parts if part.strip("/"))


def web_dataset(url: str, path: str = "") -> Dataset | None:
    """Name an HTTP endpoint; None for text that is not a URL. User info and query are removed."""
    url = without_users(url)
    if "://" not in url:
        url = f"https://{url}" if re.match(r"[\w.-]+", url) else ""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if not host:
        return None
    shown = f"[{host}]" if ":" in host else host
    more = re.split(r"[?#]", without_users(path) if "://" in path else path, maxsplit=1)[0]
    return Dataset(f"{parts.scheme.lower()}://{shown}{port}", f"/{in_folder(parts.path, more)}")


def addresses(scheme: str, text: str, port: str = "") -> str:
    """Return the namespace of a service by its comma-separated hosts or URLs, without user info and paths."""
    hosts = [host for part in without_users(text).split(",") if (host := _address(part, port))]
    return f"{scheme}://{','.join(hosts) or UNKNOWN_HOST}"


def sanitized(name: str, allowed: str = "A-Za-z0-9_") -> str:
    """Replace every character that *allowed* (a regular-expression class) does not list by an underscore."""
    return re.sub(f"[^{allowed}]", "_", name)


def unique(datasets: Iterable[Dataset | None]) -> tuple[Dataset, ...]:
    """Sort datasets and remove duplicates."""
    return tuple(sorted({dataset for dataset in datasets if dataset is not None}))


def without_users(text: str) -> str:
    """Remove `user:password@`, whatever the password contains, including preceding hosts of a list without schemes."""
    if "://" not in text:
        return text.rpartition("@")[2]
    return ",".join(map(_without_user, _NEXT_URL.split(text)))


def _without_user(url: str) -> str:
    before, mark, rest = url.partition("//")
    return before + mark + rest.rpartition("@")[2]


def _address(text: str, port: str) -> str:
    after = re.sub(r"^[A-Za-z0-9+.-]+://", "", text.strip()).rpartition("@")[2]
    host = after if "${" in after else re.split(r"[/?#;]", after, maxsplit=1)[0].lower()
    host = host if is_host(host) else ""
    return f"{host}:{port}" if port.isdigit() and host and not re.search(r":\d+$", host) else host


def _unquoted(part: str) -> str:
    pairs = {'"': '"', "`": "`", "[": "]"}
    return part[1:-1] if len(part) > 1 and pairs.get(part[0]) == part[-1] else part
