"""Warehouses as sinks: BigQuery, Snowflake, Redshift, ClickHouse, StarRocks, Doris, Databricks; one table per topic."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import (
    addresses,
    host_server,
    identifiers,
    object_path,
    sanitized,
    table_of,
    web_dataset,
)
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.jdbc_urls import UNKNOWN_HOST, jdbc_server, snowflake_account
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader, Dataset
from dataflow_generator.connectors.sinks import SinkTargets, in_bigquery, in_snowflake, in_table, sink, to
from scanner_model.errors import InputInvalid, Problem

_UNKNOWN_CATALOG = "iceberg"
_ROUTE = "iceberg.tables.route-field"


def iceberg_sink(connector: Connector) -> ConnectorFlows:
    """Read an Iceberg sink; tables are named as in their catalog (OpenLineage: the symlink of type TABLE)."""
    config = connector.config
    tables = tuple(dict.fromkeys(config.items("iceberg.tables")))
    datasets = tuple(_table(config, table) for table in tables)
    dynamic = config.is_on("iceberg.tables.dynamic-enabled")
    problems = []
    if dynamic:
        problems.append(Problem("iceberg.tables.dynamic-enabled", "tables are selected by a field of the data"))
    elif not datasets:
        problems.append(Problem("iceberg.tables", "no table is configured"))
    elif len(datasets) > 1 and config.text(_ROUTE):
        problems.append(Problem(_ROUTE, "a field of the data selects the table: each topic may be written to each"))
    targets = SinkTargets(
        targets=lambda _: () if dynamic else datasets,
        keys="iceberg.tables",
        problems=tuple(problems),
        outside_known=not dynamic,
        nowhere=not dynamic and not datasets,
    )
    return sink(connector, targets)


def _table(config: Config, table: str) -> Dataset:
    catalog = config.under("iceberg.catalog.")
    kind = catalog.text("type", "catalog-impl").rpartition(".")[2].lower().removesuffix("catalog")
    uri = catalog.text("uri")
    match kind:
        case "hive" if uri:
            return Dataset(addresses("hive", uri), table)
        case "rest" | "nessie" if web := web_dataset(uri):
            return Dataset(web.namespace + web.name.rstrip("/"), table)
        case "glue" if (region := catalog.text("client.region")) and (account := catalog.text("glue.id")):
            return Dataset(f"arn:aws:glue:{region}:{account}", f"table/{table.replace('.', '/')}")
        case "hadoop" if catalog.text("warehouse"):
            location = object_path(catalog.text("warehouse"))
            return Dataset(f"{location.namespace}/{location.name.strip('/')}".rstrip("/"), table)
        case _:
            return Dataset(_UNKNOWN_CATALOG, table)


_SNOWFLAKE_NAME = re.compile(r"[_a-zA-Z][_$a-zA-Z0-9]+")
_BIGQUERY_MAPS = ("topic2TableMap", "topic2table.map")
_SNOWFLAKE_MAP = "snowflake.topic2table.map"
_CLICKHOUSE_MAP = "topic2TableMap"
_DELTA_MAP = "delta.lake.topic2table.map"
_STARROCKS_MAP = "starrocks.topic2table.map"
_DORIS_MAP, _DORIS_FIELD = "doris.topic2table.map", "record.tablename.field"


def bigquery_sink(*, sanitizes: bool = False) -> ConnectorReader:
    """Build the reader of a BigQuery sink; *sanitizes* is the default of `sanitizeTopics`."""

    def read(connector: Connector) -> ConnectorFlows:
        config = connector.config
        project = config.text("project")
        mapped = config.mapping(*_BIGQUERY_MAPS)
        clean = config.is_on(config.key("sanitizeTopics", "sanitize.topics"), default=sanitizes)

        def target(name: str) -> Dataset | None:
            # A transform may write `dataset:table` (BigQuerySinkTask).
            left, colon, right = name.partition(":")
            dataset = left if colon else _first_match(config, "datasets", name) or _default_dataset(config)
            table = right if colon else mapped.get(name) or _first_match(config, "topicsToTables", name) or name
            table = _identifier(table) if clean else table
            return Dataset("bigquery", f"{project}.{dataset}.{table}") if project and dataset else None

        problems = [Problem(key, f"{key} is not set") for key in ("project",) if not project]
        keys = (config.key("project"), config.key("defaultDataset", "datasets"), config.key(*_BIGQUERY_MAPS))
        return sink(connector, to(target, *keys, problems=problems, sink_columns=in_bigquery))

    return read


def _identifier(name: str) -> str:
    """Return *name* sanitized as BigQuery's connector does: letters, digits and underscores, no leading digit."""
    clean = sanitized(name)
    return f"_{clean}" if clean[:1].isdigit() else clean


def _default_dataset(config: Config) -> str:
    """Return `defaultDataset`, or `datasets` where it names one dataset and no patterns."""
    listed = config.items("datasets")
    return config.text("defaultDataset") or (listed[0] if len(listed) == 1 and "=" not in listed[0] else "")


def _first_match(config: Config, key: str, name: str) -> str:
    """Return the value of the first `regex=value` whose pattern matches the whole name, its groups inserted."""
    for item in config.items(key):
        pattern, sign, value = item.rpartition("=")
        if sign and _matches(pattern.strip(), name):
            return _filled(pattern.strip(), value.strip(), name) if "$" in value else value.strip()
    return ""


def _filled(pattern: str, value: str, name: str) -> str:
    """Insert the groups of *pattern* into *value*; a replacement that Java refuses is left unchanged."""
    try:
        return java_regex(pattern).replace_first(name, value)
    except InputInvalid:
        return value


def _matches(pattern: str, name: str) -> bool:
    try:
        return java_regex(pattern).matches(name)
    except InputInvalid:
        return False


def snowflake_sink(connector: Connector) -> ConnectorFlows:
    """Read a Snowflake sink: a mapped table, or the topic's name, changed where it is not a valid identifier."""
    config = connector.config
    namespace = f"snowflake://{snowflake_account(config.text('snowflake.url.name', 'connection.url'))}"
    database = config.text("snowflake.database.name")
    schema = config.text("snowflake.schema.name", default="PUBLIC")
    mapped = config.mapping(_SNOWFLAKE_MAP)

    def target(name: str) -> Dataset:
        table = _snowflake_mapped(mapped, name) or snowflake_table(name)
        parts = identifiers(table)
        whole = (*filter(None, (database, schema)[: max(0, 3 - len(parts))]), *parts)
        return Dataset(namespace, ".".join(whole))

    keys = ("snowflake.database.name", config.key("snowflake.schema.name"), config.key(_SNOWFLAKE_MAP))
    return sink(connector, to(target, *keys, sink_columns=in_snowflake))


def _snowflake_mapped(mapped: Mapping[str, str], name: str) -> str:
    if name in mapped:
        return mapped[name]
    return next((table for pattern, table in mapped.items() if _matches(pattern, name)), "")


def snowflake_table(topic: str) -> str:
    """Return the table of a topic: its name, or where that is not a valid identifier, with underscores and its hash.

    Source: snowflake-kafka-connector, Utils.generateTableName.
    """
    if _SNOWFLAKE_NAME.fullmatch(topic):
        return topic
    start = "" if re.match(r"[_a-zA-Z]", topic) else "_"
    return f"{start}{sanitized(topic, '_$a-zA-Z0-9')}_{abs(_java_hash(topic))}"


def _java_hash(text: str) -> int:
    """Return Java's `String.hashCode()`, over UTF-16 units."""
    units = text.encode("utf-16-be", "surrogatepass")
    number = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        number = (31 * number + 256 * high + low) & 0xFFFFFFFF
    return number - (1 << 32) if number >= 1 << 31 else number


def redshift_sink(connector: Connector) -> ConnectorFlows:
    """Read a Redshift sink: `table.name.format` in the schema `public`."""
    config = connector.config
    database = config.text("aws.redshift.database", "db.name")
    if url := config.text("connection.url"):
        server = jdbc_server(url)
    else:
        host = config.text("aws.redshift.domain", "aws.redshift.cluster.endpoint", "connection.host")
        server = host_server("redshift", host, config.text("aws.redshift.port", "connection.port"), database)
    form = config.text("table.name.format", default="${topic}")
    schema = config.text("schema.name", "db.schema")

    def target(name: str) -> Dataset | None:
        table = form.replace("${topic}", name)
        table = f"{schema}.{table}" if schema and len(identifiers(table)) == 1 else table
        return table_of(server, table) if "${" not in table else None

    keys = (config.key("aws.redshift.domain", "connection.url"), config.key("table.name.format"))
    return sink(connector, to(target, *keys, sink_columns=in_table))


def clickhouse_sink(connector: Connector) -> ConnectorFlows:
    """Read a ClickHouse sink: `topic2TableMap`, or the topic's name, in the database `default`."""
    config = connector.config
    server = host_server("clickhouse", config.text("hostname", "connection.host"), config.text("port"))
    database = config.text("database", default="default")
    mapped = config.mapping(_CLICKHOUSE_MAP, sign="=")
    splitting = "enableDbTopicSplit" if config.is_on("enableDbTopicSplit") else ""
    sign = config.text("dbTopicSplitChar")

    def target(name: str) -> Dataset:
        # The connector splits names of exactly two parts.
        own, _, table = name.partition(sign) if sign and splitting and name.count(sign) == 1 else (database, "", name)
        return Dataset(server.namespace, f"{own}.{mapped.get(name) or mapped.get(table, table)}")

    return sink(connector, to(target, "hostname", config.key("database"), splitting, config.key(_CLICKHOUSE_MAP)))


def starrocks_sink(connector: Connector) -> ConnectorFlows:
    """Read a StarRocks sink: a mapped table, or the topic's name."""
    config = connector.config
    url = config.text("starrocks.http.url").partition(",")[0]
    namespace = host_server("starrocks", url).namespace
    database = config.text("starrocks.database.name")
    mapped = config.mapping(_STARROCKS_MAP)

    def target(name: str) -> Dataset:
        return Dataset(namespace, ".".join(filter(None, (database, mapped.get(name, name)))))

    return sink(connector, to(target, "starrocks.database.name", config.key(_STARROCKS_MAP)))


def doris_sink(connector: Connector) -> ConnectorFlows:
    """Read a Doris sink: a mapped table, or the topic's name; without `doris.database` the map names databases."""
    config = connector.config
    host = config.text("doris.urls").partition(",")[0]
    namespace = host_server("doris", host, config.text("doris.query.port")).namespace
    database = config.text("doris.database")
    mapped = config.mapping(_DORIS_MAP)
    field = config.text(_DORIS_FIELD)

    def target(name: str) -> Dataset | None:
        table = ".".join(filter(None, (database, mapped.get(name, name))))
        return None if field else Dataset(namespace, table)

    problems = [Problem(_DORIS_FIELD, "tables are selected by a field of the data")] if field else []
    return sink(connector, to(target, "doris.database", config.key(_DORIS_MAP), problems=problems))


def databricks_sink(connector: Connector) -> ConnectorFlows:
    """Read a Delta Lake sink: catalog, database and table of Unity Catalog."""
    config = connector.config
    host = config.text("delta.lake.host.name", default=UNKNOWN_HOST)
    before = (
        config.text("delta.lake.catalog", "delta.lake.catalog.name"),
        config.text("delta.lake.database", "database"),
    )
    form = config.text("delta.lake.table.format", "table.name.format", default="${topic}")
    mapped = config.mapping(_DELTA_MAP)

    def target(name: str) -> Dataset | None:
        table = mapped.get(name) or form.replace("${topic}", sanitized(name))
        namespace = host_server("unitycatalog", host).namespace
        return Dataset(namespace, ".".join(filter(None, (*before, table)))) if "${" not in table else None

    keys = ("delta.lake.host.name", config.key("delta.lake.table.format", "table.name.format", _DELTA_MAP))
    return sink(connector, to(target, *keys))
