"""Names of what jobs read and write, as OpenLineage names them: paths, tables, and tables of databases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from scanner_model.documents.json_input import load_text
from scanner_programs.frames.values import Dataset

CATALOG = "spark"
"""The namespace of tables of a metastore that a program does not name."""
TOPIC = ""
_STORES = {"s3a": "s3", "s3n": "s3", "wasb": "wasbs", "abfs": "abfss"}
_OBJECT_STORES = frozenset({"s3", "gs", "abfss", "wasbs"})
_PORTS = {"postgres": "5432", "mysql": "3306", "oracle": "1521", "db2": "6789", "redshift": "5439"}
_SCHEMES = {"postgresql": "postgres", "mariadb": "mysql"}
_JDBC = re.compile(r"jdbc:(?P<scheme>\w+):(?:\w+:)*@?/*(?P<host>[^/;?]*)(?:/(?P<database>[^;?]*))?")
_NAMED_DATABASE = re.compile(r"(?i)database(?:name)?=([^;]+)")


def topic(name: str) -> Dataset:
    """Return a topic."""
    return Dataset(TOPIC, name)


def path(uri: str) -> Dataset:
    """Return the dataset of a path: of an object store by its bucket, of a file system by its authority."""
    parts = urlsplit(uri)
    scheme = _STORES.get(parts.scheme, parts.scheme)
    if not scheme or scheme in ("dbfs", "file"):
        return Dataset(scheme or "file", (parts.path or uri).rstrip("/") or "/")
    authority = parts.netloc.rpartition("@")[2] if scheme not in ("abfss", "wasbs") else parts.netloc
    name = parts.path.strip("/") if scheme in _OBJECT_STORES else parts.path.rstrip("/")
    return Dataset(f"{scheme}://{authority}", name or "/")


def table(name: str) -> Dataset:
    """Return a table of the job's metastore."""
    return Dataset(CATALOG, name.replace("`", ""))


def is_path(name: str) -> bool:
    """Return whether what a job loads or saves is a path, and not the name of a table."""
    return "/" in name or "\\" in name


def jdbc(url: str, name: str) -> Dataset:
    """Return a table of a database by its JDBC URL; without one that can be parsed, of an unknown server."""
    match = _JDBC.match(url)
    if match is None:
        return Dataset("jdbc", name)
    scheme = _SCHEMES.get(match["scheme"], match["scheme"])
    host = match["host"].rpartition("@")[2].lower()
    port = _PORTS.get(scheme)
    address = host if ":" in host or port is None else f"{host}:{port}"
    named = _NAMED_DATABASE.search(url)
    database = named[1] if named else match["database"] or ""
    plain = name.replace('"', "").replace("`", "")
    is_qualified = scheme == "mysql" and "." in plain
    return Dataset(f"{scheme}://{address}", f"{database}.{plain}" if database and not is_qualified else plain)


def assigned_topics(text: str) -> list[str]:
    """Return the topics of the option `assign`, a JSON object; none if it is invalid."""
    try:
        document = load_text(text)
    except ValueError:
        return []
    return [str(name) for name in document] if isinstance(document, Mapping) else []


Options = Mapping[str, str | None]
"""Options of a source or sink in lower case; the value is None if it is not resolved."""


def _of(options: Options, *names: str) -> str | None:
    return next((value for name in names if (value := options.get(name))), None)


def external(kind: str, options: Options, where: str | None) -> Dataset | None:
    """Return what a source or sink of format *kind* is called; None if a name that it needs is not resolved."""
    short = kind.rpartition(".")[2] or kind
    match short:
        case "jdbc" | "postgres" | "postgresql" | "mysql" | "sqlserver" | "oracle":
            name = _of(options, "dbtable")
            return jdbc(_of(options, "url") or "", name) if name else None
        case "mongodb" | "mongo" | "DefaultSource" if "mongo" in kind:
            return _mongo({_OF_MONGO.sub("", name): value for name, value in options.items()})
        case "cassandra":
            name = _of(options, "table")
            return Dataset("cassandra", f"{_of(options, 'keyspace') or ''}.{name}".lstrip(".")) if name else None
        case "es" | "sql" | "elasticsearch" if "elastic" in kind or short == "es":
            name = where or _of(options, "es.resource", "resource")
            server = _of(options, "es.nodes") or ""
            return Dataset(f"elasticsearch://{server}", name) if name else None
        case "snowflake":
            name = _of(options, "dbtable")
            account = (_of(options, "sfurl") or "").removesuffix(".snowflakecomputing.com")
            prefix = [part for part in (_of(options, "sfdatabase"), _of(options, "sfschema")) if part]
            return Dataset(f"snowflake://{account}", ".".join((*prefix, name))) if name else None
        case "bigquery":
            name = _of(options, "table", "dbtable") or where
            return Dataset("bigquery", name.replace(":", ".")) if name else None
        case "redshift":
            name = _of(options, "dbtable")
            return jdbc(_of(options, "url") or "", name) if name else None
        case "kinesis" | "aws-kinesis":
            name = _of(options, "streamname", "kinesis.streamname")
            return Dataset(f"kinesis://{_of(options, 'region', 'kinesis.region') or ''}", name) if name else None
        case "eventhubs":
            name = _of(options, "eventhubs.name", "eventhub.name")
            return Dataset("eventhubs", name) if name else None
    name = where or _of(options, "path", "table", "dbtable", "tablename")
    if not name:
        return None
    return path(name) if is_path(name) or short not in _TABLE_FORMATS else table(name)


def _mongo(options: Options) -> Dataset | None:
    """Return a collection, whose database and name may be in the address: `mongodb://host/shop.orders`."""
    uri = urlsplit(_of(options, "connection.uri", "uri") or "mongodb:")
    database, _, collection = uri.path.strip("/").partition(".")
    names = _of(options, "database") or database, _of(options, "collection") or collection
    server = uri.netloc.rpartition("@")[2]
    return Dataset(f"mongodb://{server}", ".".join(filter(None, names))) if names[1] else None


_OF_MONGO = re.compile(r"^spark\.mongodb\.(?:(?:input|output|read|write)\.)?")
"""What the names of the connector's settings begin with in the session, and may begin with elsewhere."""
_TABLE_FORMATS = frozenset({"iceberg", "paimon", "delta", "hudi", "hive"})
