"""Flink table connectors: the dataset outside Kafka that a table's options name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import (
    addresses,
    host_server,
    located_table,
    object_path,
    table_of,
    web_dataset,
)
from dataflow_generator.connectors.jdbc_urls import jdbc_server
from dataflow_generator.connectors.model import Dataset as ConnectorDataset

KAFKA = ("kafka", "upsert-kafka")
NOTHING = ("blackhole", "datagen", "faker", "print", "socket")
"""Connectors without data that other jobs could share."""


def outside_dataset(options: Mapping[str, str]) -> ConnectorDataset | None:
    """Return the dataset outside Kafka that a table's options name; None for an unknown connector.

    Names follow the OpenLineage naming specification, else those that Connect connectors of the same store use.
    """
    config = Config.of(options)
    read = _READERS.get(config.text("connector").lower())
    return read(config) if read else None


def _jdbc(config: Config) -> ConnectorDataset | None:
    url, table = config.text("url", "base-url"), config.text("table-name")
    return table_of(jdbc_server(url), table) if url and table else None


def _files(config: Config) -> ConnectorDataset | None:
    path = config.text("path", "table.path")
    return object_path(path) if path else None


def _iceberg(config: Config) -> ConnectorDataset | None:
    database, table = config.text("catalog-database", default="default"), config.text("catalog-table")
    name = f"{database}.{table}" if table else ""
    kind, uri, warehouse = config.text("catalog-type"), config.text("uri"), config.text("warehouse")
    web = web_dataset(uri) if kind in ("rest", "nessie") and uri else None
    if kind == "hive" and uri and name:
        return ConnectorDataset(addresses("hive", uri), name)
    if web and name:
        return ConnectorDataset(web.namespace + web.name.rstrip("/"), name)
    return located_table(warehouse, name) if warehouse and name else _files(config)


def _mongodb(config: Config) -> ConnectorDataset | None:
    hosts, parts = config.text("uri", "hosts"), (config.text("database"), config.text("collection"))
    return (
        ConnectorDataset(addresses("mongodb", hosts), ".".join(filter(None, parts))) if hosts and any(parts) else None
    )


def _search(scheme: str) -> Callable[[Config], ConnectorDataset | None]:
    def read(config: Config) -> ConnectorDataset | None:
        hosts, index = config.text("hosts").replace(";", ","), config.text("index")
        return ConnectorDataset(addresses(scheme, hosts, "9200"), index) if hosts and index else None

    return read


def _change_feed(scheme: str, port: str, *, schema: bool = True) -> Callable[[Config], ConnectorDataset | None]:
    """Return the reader of a CDC connector's options; *schema*: the table name has a schema after the database."""

    def read(config: Config) -> ConnectorDataset | None:
        host, table = config.text("hostname"), config.text("table-name")
        server = host_server(scheme, host, config.text("port", default=port))
        parts = (config.text("database-name"), config.text("schema-name") if schema else "", table)
        return ConnectorDataset(server.namespace, ".".join(filter(None, parts))) if host and table else None

    return read


def _kinesis(config: Config) -> ConnectorDataset | None:
    arn, region = config.text("stream.arn"), config.text("aws.region")
    stream = config.text("stream") or arn.rpartition("/")[2]
    region = region or (arn.split(":")[3] if arn.count(":") >= 4 else "")
    return ConnectorDataset(f"kinesis://kinesis.{region}.amazonaws.com", stream) if stream and region else None


def _store(scheme: str, hosts: str, name: str) -> Callable[[Config], ConnectorDataset | None]:
    """Return the reader of a store's options, where *hosts* and *name* are the names of the relevant ones."""

    def read(config: Config) -> ConnectorDataset | None:
        host, table = config.text(hosts), config.text(name)
        return ConnectorDataset(addresses(scheme, host), table) if host and table else None

    return read


_READERS: Mapping[str, Callable[[Config], ConnectorDataset | None]] = {
    "jdbc": _jdbc,
    "filesystem": _files,
    "hudi": _files,
    "delta": _files,
    "paimon": _files,
    "iceberg": _iceberg,
    "mongodb": _mongodb,
    "mongodb-cdc": _mongodb,
    "elasticsearch-6": _search("elasticsearch"),
    "elasticsearch-7": _search("elasticsearch"),
    "elasticsearch-8": _search("elasticsearch"),
    "opensearch": _search("opensearch"),
    "opensearch-2": _search("opensearch"),
    "postgres-cdc": _change_feed("postgres", "5432"),
    "mysql-cdc": _change_feed("mysql", "3306", schema=False),
    "oracle-cdc": _change_feed("oracle", "1521"),
    "sqlserver-cdc": _change_feed("sqlserver", "1433"),
    "db2-cdc": _change_feed("db2", "50000"),
    "kinesis": _kinesis,
    "pulsar": _store("pulsar", "service-url", "topics"),
    "hbase-1.4": _store("hbase", "zookeeper.quorum", "table-name"),
    "hbase-2.2": _store("hbase", "zookeeper.quorum", "table-name"),
}
