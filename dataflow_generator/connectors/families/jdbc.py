"""JDBC sources and sinks, self-managed and managed by Confluent, and Debezium's JDBC sink."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dataflow_generator.connectors.dataset_names import host_server, identifiers, sanitized, table_of
from dataflow_generator.connectors.jdbc_urls import JdbcServer, jdbc_server
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader, Dataset, Row, RowColumn
from dataflow_generator.connectors.sinks import SinkTargets, in_debezium_table, in_table, sink, to
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import USED, Selection, candidate_topics, selection
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.columns import field_segment
from scanner_model.errors import Problem
from scanner_model.lazy_names import load

_TABLES = ("table.include.list", "table.whitelist", "tables.include", "tables")
_OTHER_NAMES = ("snowflake.database.name", "kudu.database")
_NO_TABLES = ("table.exclude.list", "table.blacklist")
_QUERIES = ("query", "query.masked")


def server_of(connector: Connector, scheme: str = "") -> JdbcServer:
    """Return the database: from `connection.url`, or from host, port and name in managed connectors."""
    config = connector.config
    if url := config.text("connection.url", "connection.jdbc.url"):
        if "://" in url or url.lower().startswith("jdbc:"):
            server = jdbc_server(url)
            database = server.database or config.text("db.name", "database.dbname")
            return JdbcServer(server.scheme, server.namespace, database, server.schema)
        return host_server(scheme or "jdbc", url)
    return host_server(
        scheme or "jdbc",
        config.text("connection.host", "database.hostname", "hostname", "host", "snowflake.url.name", "impala.server"),
        config.text("connection.port", "database.port", "port", "impala.port"),
        config.text("db.name", "database.dbname", "database", "database.name", *_OTHER_NAMES),
        config.text("db.schema", "schema.name"),
    )


def jdbc_source(connector: Connector) -> ConnectorFlows:
    """Read a JDBC source: one topic per table, or the prefix alone for a query."""
    return _read(connector, server_of(connector))


def managed_source(scheme: str) -> ConnectorReader:
    """Build the reader of a managed JDBC source for one database product."""
    return lambda connector: _read(connector, server_of(connector, scheme))


def _read(connector: Connector, server: JdbcServer) -> ConnectorFlows:
    config = connector.config
    prefix = config.text("topic.prefix")
    if config.text(*_QUERIES):
        return _of_query(connector, server, prefix)
    if config.hides(*_QUERIES):
        hidden = SourceRead(source=None, topic=prefix, because="query, topic.prefix", unknown="the query is masked")
        return source(connector, SourceReads(reads=(hidden,)))
    listed = config.items(*_TABLES)
    selected = selection(connector, _TABLES, _NO_TABLES, _tables_in_topics(connector, server, prefix) if listed else ())
    reads = [
        *(_table(connector, server, item, selected.key) for item in selected.names),
        *_patterns(connector, server, selected, prefix),
    ]
    problems = (Problem(selected.key or "topic.prefix", what) for what in selected.unclear)
    return source(connector, SourceReads(reads=tuple(dict.fromkeys(reads)), problems=tuple(problems)))


def _tables_in_topics(connector: Connector, server: JdbcServer, prefix: str) -> Iterator[str]:
    """Find tables in the names of topics, in each form that a pattern may match: bare and qualified."""
    if not prefix or connector.config.text("transforms"):
        return
    for name in candidate_topics(connector, prefix)[0]:
        if len(name) > len(prefix):
            parts = table_of(server, _quoted(name[len(prefix) :])).name.split(".")
            yield from (".".join(parts[start:]) for start in range(len(parts)))


def _of_query(connector: Connector, server: JdbcServer, prefix: str) -> ConnectorFlows:
    """Read the sources of a query; where it cannot be parsed, only the topic is known."""
    text = connector.config.text(*_QUERIES)
    query = load("dataflow_generator.sql.relational.queries:read_query")(text, server.scheme)
    tables = {table: table_of(server, ".".join(map(_quoted, table))) for table in query.tables}
    because = "query, topic.prefix"
    reads = [SourceRead(source=tables[table], topic=prefix, because=because) for table in query.tables]
    columns = tuple(
        RowColumn(
            (field_segment(column.name),),
            tuple((tables[table], (name,)) for table, name in column.all_origins),
            column.changed,
        )
        for column in query.columns
    )
    row = Row(columns, tables[query.rest] if query.rest else None) if columns or query.rest else None
    problems = (Problem("query", query.problem),) if query.problem else ()
    return source(
        connector,
        SourceReads(
            reads=tuple(reads) or (SourceRead(source=None, topic=prefix, because=because),), row=row, problems=problems
        ),
    )


def _quoted(part: str) -> str:
    return f'"{part}"'


def _table(connector: Connector, server: JdbcServer, item: str, key: str) -> SourceRead:
    # Only Snowflake's managed source writes the qualified name (Confluent, SnowflakeSource).
    whole = server.scheme == "snowflake" and "." not in connector.class_name
    name = table_of(server, item).name if whole else identifiers(item)[-1]
    topic = connector.config.text("topic.prefix") + name
    return SourceRead(source=table_of(server, item), topic=topic, because=f"{key}, topic.prefix")


def _patterns(connector: Connector, server: JdbcServer, selected: Selection, prefix: str) -> Iterator[SourceRead]:
    """Match patterns, or all tables where there is no list, against the topics that begin with the prefix."""
    if selected.names and not selected.patterns:
        return
    names, evidence = candidate_topics(connector, prefix)
    schema = connector.config.text("schema.pattern", "db.schema", "schema.name")
    # That a known topic has the prefix does not show a table of its name: another connector may write it.
    tables = [name[len(prefix) :] for name in names if evidence == USED and prefix and len(name) > len(prefix)]
    if not selected.patterns:
        for table in tables:
            named = f'{schema}."{table}"' if schema and "%" not in schema else f'"{table}"'
            yield SourceRead(source=table_of(server, named), topic=prefix + table, because=f"topic.prefix, {evidence}")
        if not tables and not selected.configured:
            unknown = "no list of tables is set: every table of the database is read, and which exist is unknown"
            yield SourceRead(source=None, pattern=f"{quoted(prefix)}.*", because="topic.prefix", unknown=unknown)
    for pattern in selected.patterns:
        database = f"{quoted(server.database)}\\." if server.database else ""
        many = Dataset(server.namespace, f"regex:{database}{pattern}", selected.kind)
        yield SourceRead(source=many, pattern=f"{quoted(prefix)}.*", because=f"{selected.key}, topic.prefix")


def jdbc_sink(connector: Connector) -> ConnectorFlows:
    """Read a JDBC sink: `table.name.format` with the topic's name after the transforms."""
    return sink(connector, _tables(connector, server_of(connector), "table.name.format"))


def managed_sink(scheme: str) -> ConnectorReader:
    """Build the reader of a managed JDBC sink for one database product."""
    return lambda connector: sink(connector, _tables(connector, server_of(connector, scheme), "table.name.format"))


def debezium_sink(connector: Connector) -> ConnectorFlows:
    """Read Debezium's JDBC sink, which writes the dots of a topic as underscores (DefaultCollectionNamingStrategy)."""
    form = ("collection.name.format", "table.name.format")
    targets = _tables(connector, server_of(connector), *form, dots="_")
    return sink(connector, replace(targets, sink_columns=in_debezium_table))


def _tables(connector: Connector, server: JdbcServer, *keys: str, dots: str = ".") -> SinkTargets:
    config = connector.config
    form = config.text(*keys, default="${topic}")
    schema = config.text("db.schema", "schema.name", "connection.schema")
    mapped = config.mapping("topics.to.tables.mapping", "topic2table.map")

    def target(name: str) -> Dataset | None:
        table = mapped.get(name) or form.replace("${topic}", name.replace(".", dots))
        if "${" in table:
            return None  # ${kafkaPartition}, ${source.table}, ${record…}: known from data only
        if name not in mapped and config.is_on("table.name.normalize"):
            table = sanitized(table)
        if schema and len(identifiers(table)) == 1:
            table = f"{schema}.{table}"
        return table_of(server, _identified(table))

    url_key = config.key("connection.url", "connection.host", "database.hostname")
    normalize = "table.name.normalize" if config.is_on("table.name.normalize") else ""
    mapping = config.key("topics.to.tables.mapping", "topic2table.map")
    return to(target, mapping, config.key(*keys), normalize, url_key, sink_columns=in_table)


_MOST_PARTS = 3


def _identified(table: str) -> str:
    """Return a table's name as the connector splits it: of more than three parts the first two are schema and table.

    Source: GenericDatabaseDialect.parseTableIdentifier of Confluent's and Aiven's connector.
    """
    parts = identifiers(table)
    return ".".join(map(_quoted, parts[:2])) if len(parts) > _MOST_PARTS else table
