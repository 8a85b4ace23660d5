"""Resolve Flink tables and columns to datasets of the graph, by what Flink DDL declares."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import (
    addresses,
    host_server,
    located_table,
    object_path,
    table_of,
    web_dataset,
)
from dataflow_generator.connectors.java_regex import java_regex
from dataflow_generator.connectors.jdbc_urls import jdbc_server
from dataflow_generator.connectors.model import Dataset
from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.connect_columns import ColumnsByDataset
from dataflow_generator.jobs.field_matching import enclosing_column, unlisted, unmarked
from dataflow_generator.jobs.model import ColumnRef, GraphDataset, Naming
from dataflow_generator.jobs.once import Once
from dataflow_generator.jobs.sql_catalog import SYSTEM, path_of_names, paths_of_topic
from dataflow_generator.sql.catalog import EMPTY_CATALOG, Catalog, KnownTable
from dataflow_generator.sql.lexer import Dialect
from dataflow_generator.sql.lineage import SqlTable, StatementFlows
from dataflow_generator.sql.nodes import ColumnKind, Parts, SqlType
from dataflow_generator.sql.reader import TextReading, read_sql, read_text
from scanner_model.columns import ELEMENT, KEY, MAP_VALUE, Column, ColumnPath
from scanner_model.errors import InputInvalid
from scanner_model.streaming_sql import KSQLDB, ClusterNames, StreamingStatement
from scanner_model.text import has_placeholder

if TYPE_CHECKING:
    from scanner_dictionary.lineage_inputs.jobs import ClusterTopic


KAFKA = ("kafka", "upsert-kafka")
CONFLUENT_FILE = "confluent"
"""The engine of a file of statements for Confluent Cloud."""
NOTHING = ("blackhole", "datagen", "faker", "print", "socket")
"""Connectors without data that other jobs could share."""


def outside_dataset(options: Mapping[str, str]) -> Dataset | None:
    """Return the dataset outside Kafka that a table's options name; None for an unknown connector.

    Names follow the OpenLineage naming specification, else those that Connect connectors of the same store use.
    """
    config = Config.of(options)
    read = _READERS.get(config.text("connector").lower())
    return read(config) if read else None


def _jdbc(config: Config) -> Dataset | None:
    url, table = config.text("url", "base-url"), config.text("table-name")
    return table_of(jdbc_server(url), table) if url and table else None


def _files(config: Config) -> Dataset | None:
    path = config.text("path", "table.path")
    return object_path(path) if path else None


def _iceberg(config: Config) -> Dataset | None:
    database, table = config.text("catalog-database", default="default"), config.text("catalog-table")
    name = f"{database}.{table}" if table else ""
    kind, uri, warehouse = config.text("catalog-type"), config.text("uri"), config.text("warehouse")
    web = web_dataset(uri) if kind in ("rest", "nessie") and uri else None
    if kind == "hive" and uri and name:
        return Dataset(addresses("hive", uri), name)
    if web and name:
        return Dataset(web.namespace + web.name.rstrip("/"), name)
    return located_table(warehouse, name) if warehouse and name else _files(config)


def _mongodb(config: Config) -> Dataset | None:
    hosts, parts = config.text("uri", "hosts"), (config.text("database"), config.text("collection"))
    return Dataset(addresses("mongodb", hosts), ".".join(filter(None, parts))) if hosts and any(parts) else None


def _search(scheme: str) -> Callable[[Config], Dataset | None]:
    def read(config: Config) -> Dataset | None:
        hosts, index = config.text("hosts").replace(";", ","), config.text("index")
        return Dataset(addresses(scheme, hosts, "9200"), index) if hosts and index else None

    return read


def _change_feed(scheme: str, port: str, *, schema: bool = True) -> Callable[[Config], Dataset | None]:
    """Return the reader of a CDC connector's options; *schema*: the table name has a schema after the database."""

    def read(config: Config) -> Dataset | None:
        host, table = config.text("hostname"), config.text("table-name")
        server = host_server(scheme, host, config.text("port", default=port))
        parts = (config.text("database-name"), config.text("schema-name") if schema else "", table)
        return Dataset(server.namespace, ".".join(filter(None, parts))) if table else None

    return read


def _kinesis(config: Config) -> Dataset | None:
    arn, region = config.text("stream.arn"), config.text("aws.region")
    stream = config.text("stream") or arn.rpartition("/")[2]
    region = region or (arn.split(":")[3] if arn.count(":") >= 4 else "")
    return Dataset(f"kinesis://kinesis.{region}.amazonaws.com", stream) if stream and region else None


def _store(scheme: str, hosts: str, name: str) -> Callable[[Config], Dataset | None]:
    """Return the reader of a store's options, where *hosts* and *name* are the names of the relevant ones."""

    def read(config: Config) -> Dataset | None:
        host, table = config.text(hosts), config.text(name)
        return Dataset(addresses(scheme, host), table) if host and table else None

    return read


_READERS: Mapping[str, Callable[[Config], Dataset | None]] = {
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


ReportProblem = Callable[[str, str], None]
"""Called with a problem of a table, and a hint."""

_ENVELOPE = ("after", "value")
"""Members of a change event that contain the row (Debezium's envelope; Connect's)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkContext:
    """What Flink tables are resolved against: cluster names, their live topics, and the columns of topics."""

    naming: Naming
    names: Mapping[str, ClusterNames]
    topics: Callable[[], Mapping[str, tuple[str, ...]]]
    columns: Callable[[Collection[ClusterTopic]], Mapping[ClusterTopic, tuple[Column, ...]]]
    once: Once | None = None

    def declared(self, statements: Iterable[StreamingStatement]) -> DeclaredTables:
        """Return the tables that the statements of one source declare, see `declared`."""
        defining = [row for row in statements if row.engine != KSQLDB and defines(row.statement, row.state)]
        return (self.once or Once()).of("declared", defining, partial(declared, defining))

    def flows(self, statement: StreamingStatement, tables: DeclaredTables) -> tuple[StatementFlows, ...]:
        """Return the flows of *statement* between the tables that its source declares."""
        return (self.once or Once()).of("flows", (statement, tables), partial(tables.flows, statement))

    def flows_with(
        self, statement: StreamingStatement, tables: DeclaredTables, topics: Mapping[Parts, KnownTable]
    ) -> tuple[StatementFlows, ...]:
        """Return the flows of *statement* between these tables, and *topics* whose columns its source does not declare.

        In one generation the topics of a statement always have the same columns.
        """
        catalog = current(tables.catalog, statement)
        catalog = replace(catalog, tables={**catalog.tables, **topics})
        read = partial(read_sql, statement.statement, Dialect.FLINK, catalog)
        return (self.once or Once()).of("flows with topics", (statement, tables), read)


def is_managed(statement: StreamingStatement) -> bool:
    """Return whether the statement is for Confluent Cloud, where every topic is a table."""
    return bool(statement.compute_pool or statement.region) or statement.engine == CONFLUENT_FILE


def is_topic(table: SqlTable, statement: StreamingStatement) -> bool:
    """Return whether the table stands for the topic of the same name."""
    connector = dict(table.options).get("connector", "")
    return connector == "confluent" or (not connector and is_managed(statement))


class TableResolver:
    """Resolves the tables of one cluster's statements to datasets; *namespace* is that of undeclared tables."""

    def __init__(self, context: FlinkContext, cluster: str, namespace: str) -> None:
        self._context = context
        self._cluster = cluster
        self._namespace = namespace
        self._clusters = {namespace: name for name, namespace in context.naming.clusters.items()}

    def datasets(
        self, table: SqlTable, statement: StreamingStatement, report: ReportProblem
    ) -> tuple[GraphDataset, ...]:
        """Return the datasets behind *table*; empty for a connector without shared data, such as print."""
        connector = dict(table.options).get("connector", "").lower()
        if connector in KAFKA:
            return tuple(self._topics(table, report))
        if is_topic(table, statement):
            return (self.topic(table, statement),)
        if connector in NOTHING:
            return ()
        # Iceberg's connector names the table after Flink's own where the options do not name it.
        options = {"catalog-table": table.qualified[-1], **dict(table.options)}
        external = outside_dataset(options) if connector else None
        if external is not None:
            return (self._context.naming.dataset(external.namespace, external.name),)
        what = (
            f"unknown connector {connector!r} of {table.name}"
            if connector
            else f"the table {table.name} is not declared"
        )
        hint = "" if connector else "add its CREATE TABLE to the statements of this source"
        report(what, hint)
        return (GraphDataset(NodeKind.DATASET, self._namespace, ".".join(table.qualified)),)

    def topic(self, table: SqlTable, statement: StreamingStatement) -> GraphDataset:
        """Return the topic of a Confluent Cloud table, in the cluster of its database."""
        name = table.qualified[-1]
        database = table.qualified[-2] if len(table.qualified) > 1 else statement.database_name
        catalog = table.qualified[-3] if len(table.qualified) > 2 else statement.catalog_name
        cluster = self._named(database, catalog)
        own = self._context.names.get(self._cluster)
        if cluster is None and database == statement.database_name and not (own and own.complete):
            # The display name of the cluster that listed the statements is unknown.
            cluster = self._cluster
        if cluster is None:
            return GraphDataset(NodeKind.TOPIC, f"kafka://{database}", name)
        return self._context.naming.topic(cluster, name)

    def cluster_topic(self, dataset: GraphDataset) -> ClusterTopic | None:
        """Return the cluster and topic of a dataset; None where it is not a topic of a known cluster."""
        cluster = self._clusters.get(dataset.namespace) if dataset.kind is NodeKind.TOPIC else None
        return None if cluster is None else (cluster, dataset.name)

    def _named(self, database: str, catalog: str) -> str | None:
        """Return the cluster of a database; of several with one name, that of the catalog."""
        named = [name for name, names in sorted(self._context.names.items()) if database in names.databases]
        in_catalog = [name for name in named if catalog in self._context.names[name].catalogs]
        own = [name for name in in_catalog or named if name == self._cluster]
        return next(iter(own or in_catalog or named), None)

    def _topics(self, table: SqlTable, report: ReportProblem) -> Iterator[GraphDataset]:
        servers = dict(table.options).get("properties.bootstrap.servers", "")
        for name in table.topics:
            if has_placeholder(name):
                report(f"the topic {name!r} of the table {table.name} is a placeholder", "the topic is unknown")
            else:
                yield self._topic_at(servers, name)
        if table.topic_pattern:
            yield from self._matching(table.topic_pattern, servers, report)
        elif not table.topics:
            report(f"the table {table.name} names no topic", "")

    def _topic_at(self, servers: str, name: str) -> GraphDataset:
        if not servers or "$" in servers:
            return self._context.naming.topic(self._cluster, name)
        topic = self._context.naming.dataset(f"kafka://{servers}", name)
        if topic.namespace in self._clusters:
            return topic
        return self._context.naming.dataset(f"kafka://{servers.split(',')[0].strip()}", name)

    def _matching(self, pattern: str, servers: str, report: ReportProblem) -> Iterator[GraphDataset]:
        cluster = self.cluster_topic(self._topic_at(servers, pattern))
        known = self._context.topics().get(cluster[0], ()) if cluster else ()
        try:
            matches = java_regex(pattern).matches
            names = [name for name in known if matches(name)]
        except InputInvalid as error:
            report(error.what, error.hint)
            return
        if not names:
            report(f"topic-pattern {pattern!r} matches none of the {len(known)} known topics", "")
            yield GraphDataset(NodeKind.DATASET, self._topic_at(servers, pattern).namespace, f"regex:{pattern}")
        yield from (self._topic_at(servers, name) for name in names)


class ColumnResolver:
    """Resolves columns of a table to columns of a topic's schemas; Flink compares names exactly, with case."""

    def __init__(self, table: SqlTable, columns: tuple[Column, ...], *, named: bool) -> None:
        self._fields = {unmarked(column.path): column.path for column in columns}
        self._unlisted = unlisted(columns)
        self._named = paths_of_topic(columns) if named else {}
        options = dict(table.options)
        self._prefix = options.get("key.fields-prefix", "")
        self._keys = frozenset(name.strip() for name in options.get("key.fields", "").split(";"))
        self._metadata = table.metadata
        self._row = _row_of(options)

    def resolve(self, dataset: GraphDataset, path: ColumnPath) -> tuple[ColumnRef, bool]:
        """Return the column of *dataset*, and whether it is known: False where no schema has such a field."""
        if not path:
            return ColumnRef(dataset), True
        first, rest = path[0], path[1:]
        if first == SYSTEM or first in self._metadata:
            # Record metadata is not a field; the sign distinguishes it from a field of that name.
            return ColumnRef(dataset, (f"${first.removeprefix('$')}", *rest)), True
        if first in self._named:
            inside = (*self._named[first], *rest)
            return ColumnRef(dataset, enclosing_column(inside, self._unlisted) or inside), True
        candidates = list(self._candidates(path))
        field = next((self._fields[path] for path in candidates if path in self._fields), None)
        field = field or next(filter(None, (enclosing_column(path, self._unlisted) for path in candidates)), None)
        return ColumnRef(dataset, field or (*self._row, *path)), field is not None or not self._fields

    def _candidates(self, path: ColumnPath) -> Iterator[ColumnPath]:
        in_key = (KEY, path[0].removeprefix(self._prefix), *path[1:])
        if path[0] in self._keys:
            yield in_key
            yield (KEY,)
        if self._row:
            yield (*self._row, *path)
        yield path
        yield from ((member, *path) for member in _ENVELOPE)
        yield in_key


def _row_of(options: Mapping[str, str]) -> ColumnPath:
    """Return the path of the row in a Debezium message, by the table's format; empty where the message is the row."""
    kind = options.get("value.format") or options.get("format", "")
    if not kind.startswith("debezium-"):
        return ()
    included = (options.get(f"{prefix}{kind}.schema-include", "") for prefix in ("", "value."))
    return ("payload", "after") if "true" in map(str.lower, included) else ("after",)


_DEFINES = re.compile(r"\b(?:CREATE|ALTER)\b", re.IGNORECASE)
_NEVER_RAN = ("FAILED", "FAILING")


class DeclaredTables(NamedTuple):
    """The tables that the statements of one source declare, and how each of these statements was read."""

    catalog: Catalog
    readings: Mapping[StreamingStatement, TextReading]

    def flows(self, statement: StreamingStatement) -> tuple[StatementFlows, ...]:
        """Return the flows of *statement* between all tables; it is read again only if later DDL changes them."""
        catalog, reading = current(self.catalog, statement), self.readings.get(statement)
        if reading is not None and reading.holds_in(catalog):
            return reading.flows
        return read_sql(statement.statement, Dialect.FLINK, catalog)


def declared(statements: Iterable[StreamingStatement]) -> DeclaredTables:
    """Return the tables that *statements* of one source, oldest first, declare."""
    catalog, readings = EMPTY_CATALOG, {}
    for row in statements:
        readings[row], catalog = read_text(row.statement, Dialect.FLINK, current(catalog, row))
    return DeclaredTables(catalog, readings)


def defines(statement: str, state: str) -> bool:
    """Return whether a statement may declare tables for others; a failed one does not."""
    return state not in _NEVER_RAN and _DEFINES.search(statement) is not None


def current(catalog: Catalog, statement: StreamingStatement) -> Catalog:
    """Return *catalog* with the current catalog and database of *statement*."""
    return replace(catalog, current=(statement.catalog_name, statement.database_name))


def declared_columns(cluster: str, statements: Sequence[StreamingStatement], context: FlinkContext) -> ColumnsByDataset:
    """Return the columns that the tables of one source declare for Kafka topics without a schema.

    The columns of several tables over one topic are merged.
    """
    tables = TableResolver(context, cluster, namespace="")
    columns_of: dict[GraphDataset, dict[ColumnPath, None]] = {}
    for known in context.declared(statements).catalog.tables.values():
        if dict(known.options).get("connector") in KAFKA:
            named = _named(known)
            for dataset in tables.datasets(named, statements[0], lambda _, __: None):
                if dataset.kind is NodeKind.TOPIC:
                    columns_of.setdefault(dataset, {}).update(
                        _topic_paths(known, ColumnResolver(named, (), named=False), dataset)
                    )
    described = context.columns({topic for dataset in columns_of if (topic := tables.cluster_topic(dataset))})
    undescribed = (dataset for dataset in columns_of if tables.cluster_topic(dataset) not in described)
    return {dataset: tuple(columns_of[dataset]) for dataset in undescribed}


def _named(known: KnownTable) -> SqlTable:
    return SqlTable(
        name=".".join(known.name),
        qualified=known.name,
        topics=known.topics,
        topic_pattern=known.topic_pattern,
        options=known.options,
    )


def _topic_paths(known: KnownTable, paths: ColumnResolver, dataset: GraphDataset) -> Mapping[ColumnPath, None]:
    listed = (
        path
        for column in known.columns
        if column.part is ColumnKind.PHYSICAL
        for path in _nested(path_of_names([column.name]), column.type)
    )
    topic_paths = (paths.resolve(dataset, path)[0].path for path in listed)
    return {path: None for path in topic_paths if path is not None}


def _nested(path: ColumnPath, kind: SqlType) -> Iterator[ColumnPath]:
    """Yield the paths of a column and of the fields in its type, whose depth the type parser bounds."""
    yield path
    for name, inner in kind.fields:
        yield from _nested((*path, *path_of_names([name])), inner)
    if kind.element is not None:
        yield from _nested((*path, MAP_VALUE if kind.name == "MAP" else ELEMENT), kind.element)
