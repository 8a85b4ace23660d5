"""Normal forms of OpenLineage dataset names, by rules that need no knowledge of other datasets.

Source: OpenLineage, "Naming conventions", and what openlineage-java's clients make of connections and paths.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from dataflow_generator.connectors.jdbc_urls import UNKNOWN_HOST, is_host, jdbc_server, snowflake_account, with_ports
from dataflow_generator.connectors.products import OTHER_SCHEMES, PRODUCTS
from scanner_model.errors import InputInvalid
from scanner_model.names import broker_address

KAFKA = "kafka://"

_SCHEMES = {
    **OTHER_SCHEMES,
    "gcs": "gs",
    "thrift": "hive",
    "s3a": "s3",
    "s3n": "s3",
    "abfs": "abfss",
    "wasb": "wasbs",
}
_KEYED = frozenset({"s3", "gs", "abfss", "wasbs"})
"""Object stores: a name in them is a key, which has no leading slash."""
_ALONE = re.compile(r"(?i)(bigquery|dbfs|file|pubsub)(?::/{0,3}(?:localhost)?)?")
"""Namespaces without an authority; some producers write them as URIs."""
_PORTS = {"elasticsearch": 9200, "hive": 9083, "mongodb": 27017, "opensearch": 9200, "sqlserver": 1433}
"""Default ports beside those that every JDBC URL has."""
_PARTS = {"mongodb": 2, **{scheme: product.parts for scheme, product in PRODUCTS.items() if product.parts}}
"""The number of parts in the full name of a table, the database first."""
_REDSHIFT = re.compile(
    r"([\w-]+)\.[\w-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\.redshift(?:-serverless)?\.amazonaws\.com(?:\.cn)?(:\d+)"
)
_ENDS = (
    "/ \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
_ENDS += "\u2028\u2029\u202f\u205f\u3000"
"""Slashes, and all kinds of whitespace."""
_ROOTED = frozenset({"hdfs", "dbfs", "file"})
_STORES = _KEYED | _ROOTED

_KEY_VALUE = re.compile(r"[^/=]+=[^/]*")
_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_DATED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<rest>.*)/{_YEAR}[-_]?{_MONTH}[-_]?{_DAY}(?:[T_-]?[0-2]\d[:-]?[0-5]\d(?:[:-]?[0-5]\d)?Z?)?",
        rf"(?P<rest>.*)/{_YEAR}/{_MONTH}(?:/{_DAY})?(?:/[0-2]\d)?",
        rf"(?P<rest>.*)/{_YEAR}[-_]?{_MONTH}",
    )
)
_MOST_PARTITIONS = 50
"""The largest number of folder levels that are examined as partitions; each step scans the whole path."""
_SEVERAL = re.compile(r"[,;]")


class Name(NamedTuple):
    """A dataset's namespace and name."""

    namespace: str
    name: str


class Trimmed(NamedTuple):
    """A name without its trailing partitions; *guessed*: one of them is only recognized by its form (a date)."""

    name: str
    partitions: str = ""
    guessed: bool = False


@lru_cache(maxsize=65_536)
def normal(namespace: str, name: str) -> Name:
    """Return a dataset's name in normal form, in which all spellings of one connection or path are equal.

    Scheme and host in lower case, no credentials and no query, the default port where none is written, aliases of a
    scheme as the specification names it; keys of object stores without a leading slash, paths without a trailing one.
    The name's own case stays. Of several Kafka brokers the first counts.
    """
    space, database = _database_off(namespace)
    scheme = space.partition(":")[0]
    if scheme not in _STORES:
        return Name(space, _qualified(name, database, scheme))
    path = name.rstrip("/")
    return Name(space, (path.lstrip("/") if scheme in _KEYED else path) or "/")


def _database_off(namespace: str) -> tuple[str, str]:
    """Return a namespace in normal form, and the database in it; empty where it names none."""
    if namespace.strip()[:5].lower() == "jdbc:":
        server = jdbc_server(namespace)
        if not server.namespace.endswith(UNKNOWN_HOST):
            return normal_namespace(server.namespace), server.database
    space = normal_namespace(namespace)
    scheme, _, rest = space.partition("://")
    hosts, slash, path = rest.partition("/")
    # An instance of SQL Server stands where others have the database.
    if slash and scheme in _PARTS and scheme != "sqlserver" and re.fullmatch(r"[\w$-]+", path):
        return normal_namespace(f"{scheme}://{hosts}"), path
    return space, ""


def _qualified(name: str, database: str, scheme: str) -> str:
    """Prefix the name of a table with its database, unless it has one."""
    is_qualified = name.startswith(f"{database}.") or name.count(".") + 1 >= _PARTS.get(scheme, 1)
    return (
        name
        if not database or (is_qualified and scheme != "mongodb") or name.startswith(f"{database}.")
        else f"{database}.{name}"
    )


@lru_cache(maxsize=4_096)
def normal_namespace(text: str) -> str:
    """Return a namespace in normal form; one that is not a URI is unchanged."""
    # After an ending is removed, the rest may have another one.
    normalized = _normalised(text)
    while len(again := _normalised(normalized)) < len(normalized):
        normalized = again
    return again


def _normalised(text: str) -> str:
    text = re.sub(r"(?i)^jdbc:", "", text.strip())
    if alone := _ALONE.fullmatch(text):
        return alone[1].lower()
    text = f"arn:{text}" if text.startswith("aws:glue:") else text
    written, slashes, rest = text.partition("://")
    if not slashes or not re.fullmatch(r"[A-Za-z][\w+.-]*", written):
        return text.rstrip(_ENDS) or text
    scheme = _SCHEMES.get(written.lower(), written.lower())
    if scheme == "kafka":
        addresses = kafka_addresses(text)
        return KAFKA + addresses[0] if addresses else KAFKA + _without_user(rest, scheme)
    authority, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].rstrip(_ENDS).partition("/")
    authority = _without_user(authority, scheme)
    return f"{scheme}://{_hosts(scheme, authority, bool(path))}{slash}{path}"


def _hosts(scheme: str, authority: str, has_path: bool) -> str:
    """Return the hosts of an authority as the specification writes them, each with a port where its server has one."""
    if scheme in _STORES:
        return authority.lower()
    if scheme == "snowflake":
        return snowflake_account(authority) if re.fullmatch(r"[\w.-]+", authority) else authority.lower()
    hosts = with_ports(scheme, authority) or authority.lower()
    if scheme == "redshift":
        return ",".join(_redshift(host) for host in hosts.split(","))
    port = None if scheme == "sqlserver" and has_path else _PORTS.get(scheme)
    return ",".join(_with_port(host, port) for host in hosts.split(",")) if port else hosts


def _redshift(host: str) -> str:
    match = _REDSHIFT.fullmatch(host)
    return "".join((match[1], ".", match[2], match[3])) if match else host


def _with_port(host: str, port: int) -> str:
    return f"{host}:{port}" if is_host(host) and ":" not in host.rpartition("]")[2] else host


@lru_cache(maxsize=4_096)
def kafka_addresses(namespace: str) -> tuple[str, ...]:
    """Return the broker addresses of a Kafka namespace in normal form, in order; invalid ones are left out.

    Each may begin with a listener protocol (`SASL_SSL://`); producers separate them with commas or semicolons.
    """
    if namespace[: len(KAFKA)].lower() != KAFKA:
        return ()
    return tuple(
        dict.fromkeys(address for part in _SEVERAL.split(namespace[len(KAFKA) :]) if (address := _address(part)))
    )


def trimmed(name: str) -> Trimmed:
    """Remove partitions from the end of a path: `day=2024-01-01`, a date, or folders for year, month and day."""
    rest, guessed = name.rstrip("/"), False
    for _ in range(_MOST_PARTITIONS):
        head, slash, last = rest.rpartition("/")
        if slash and head and _KEY_VALUE.fullmatch(last):
            rest = head
            continue
        dated = next((match["rest"] for pattern in _DATED if (match := pattern.fullmatch(rest))), "")
        if not dated:
            break
        rest, guessed = dated, True
    return Trimmed(rest, name[len(rest) :].strip("/"), guessed) if rest != name.rstrip("/") else Trimmed(name)


def is_file_like(namespace: str) -> bool:
    """Report whether datasets of *namespace* (in normal form) are files and folders."""
    return namespace.partition(":")[0] in _STORES


def _address(text: str) -> str:
    try:
        return broker_address(text.rpartition("@")[2])
    except InputInvalid:
        return ""


def _without_user(authority: str, scheme: str) -> str:
    """Remove `user:password@`; in Azure stores, a container before `@` is a part of the name."""
    user, at, host = authority.rpartition("@")
    return authority if at and scheme in ("abfss", "wasbs") and ":" not in user else host
