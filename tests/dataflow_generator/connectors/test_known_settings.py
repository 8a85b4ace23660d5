"""A setting about names or columns that no list knows makes its end unknown; known ones change nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dataflow_generator import connectors
from dataflow_generator.connectors import Config, Connector, ConnectorFlows, Direction, Shape, read_connector
from dataflow_generator.connectors.families import debezium
from dataflow_generator.connectors.known_settings import HARMLESS, INTERPRETED, unread_ends
from dataflow_generator.connectors.run_settings import RUN_SETTINGS, fits
from dataflow_generator.connectors.settings import UNINTERPRETED

KAFKA = {"topics": "orders"}
CLASSES: dict[str, dict[str, str]] = {
    "postgres": {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.hostname": "pg",
        "database.dbname": "shop",
        "topic.prefix": "srv",
        "table.include.list": "public.orders",
    },
    "mongo source": {
        "connector.class": "com.mongodb.kafka.connect.MongoSourceConnector",
        "connection.uri": "mongodb://m",
        "database": "shop",
        "collection": "orders",
    },
    "mongo sink": KAFKA
    | {
        "connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
        "connection.uri": "mongodb://m",
        "database": "shop",
    },
    "jdbc source": {
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "connection.url": "jdbc:postgresql://pg/shop",
        "topic.prefix": "pg-",
        "table.whitelist": "orders",
    },
    "jdbc sink": KAFKA
    | {
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "connection.url": "jdbc:postgresql://pg/dw",
    },
    "cassandra": KAFKA
    | {
        "connector.class": "io.confluent.connect.cassandra.CassandraSinkConnector",
        "cassandra.contact.points": "c",
        "cassandra.keyspace": "shop",
    },
    "http": KAFKA | {"connector.class": "io.confluent.connect.http.HttpSinkConnector", "http.api.url": "https://h/x"},
    "mirror": KAFKA
    | {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "source.cluster.alias": "a",
        "source.cluster.bootstrap.servers": "a:1",
        "target.cluster.bootstrap.servers": "b:1",
    },
    "s3": KAFKA | {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake"},
    "search": KAFKA
    | {
        "connector.class": "io.aiven.kafka.connect.opensearch.OpensearchSinkConnector",
        "connection.url": "http://os:9200",
    },
    "snowflake": KAFKA
    | {
        "connector.class": "com.snowflake.kafka.connector.SnowflakeSinkConnector",
        "snowflake.url.name": "o-a.snowflakecomputing.com",
        "snowflake.database.name": "d",
    },
    "bigquery": KAFKA
    | {
        "connector.class": "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector",
        "project": "p",
        "defaultDataset": "d",
    },
    "iceberg": KAFKA
    | {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "iceberg.tables": "db.orders",
        "iceberg.catalog.type": "rest",
        "iceberg.catalog.uri": "https://c",
    },
    "clickhouse": KAFKA | {"connector.class": "com.clickhouse.kafka.connect.ClickHouseSinkConnector", "hostname": "ch"},
    "redis": KAFKA | {"connector.class": "com.redis.kafka.connect.RedisSinkConnector", "redis.uri": "redis://r:6379"},
    "neo4j": KAFKA
    | {"connector.class": "org.neo4j.connectors.kafka.sink.Neo4jConnector", "neo4j.uri": "neo4j://n:7687"},
}
"""A connector of each family with what names its ends."""


def read(config: dict[str, str]) -> ConnectorFlows:
    return read_connector(Connector(name="c", config=Config.of(config)))


def ends(config: dict[str, str]) -> tuple[bool, bool]:
    """Return whether the source and the target of the only flow are known."""
    (flow,) = read(config).flows
    return flow.source is not None, flow.target is not None


@pytest.mark.parametrize("name", CLASSES)
def test_the_connectors_of_this_module_have_known_ends(name: str) -> None:
    assert ends(CLASSES[name]) == (True, True)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("postgres", "topic.name.strategy.template", "${table}"),
        ("postgres", "topic.suffix", ".v1"),
        ("mongo source", "topic.name.template", "x-{coll}"),
        ("jdbc source", "topic.naming.style", "snake"),
        ("jdbc source", "prefix.with.schema", "true"),
        ("mirror", "topic.rename.map", "a:b"),
        ("mirror", "naming.template", "x.{topic}"),
    ],
)
def test_a_setting_of_a_source_that_no_list_knows_makes_the_topic_unknown(name: str, key: str, value: str) -> None:
    flows = read(CLASSES[name] | {key: value})

    assert [flow.target for flow in flows.flows] == [None]
    assert key in [problem.where for problem in flows.problems]


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("mongo sink", "collection.suffix", "_v1"),
        ("jdbc sink", "table.name.replacement", "x"),
        ("s3", "topic.directories", "orders:x"),
        ("search", "index.naming.pattern", "x-{topic}"),
        ("search", "topic.to.alias.mapping", "orders:x"),
        ("snowflake", "snowflake.topic2table.prefix", "RAW_"),
        ("snowflake", "snowflake.topic2table.map.regex.replacement", "true"),
        ("bigquery", "tableNameTemplate", "x_${topic}"),
        ("iceberg", "iceberg.tables.route-pattern", "x"),
        ("clickhouse", "tableMapping", "a=b"),
        ("redis", "redis.database.map", "orders:3"),
    ],
)
def test_a_setting_of_a_sink_that_no_list_knows_makes_its_target_unknown(name: str, key: str, value: str) -> None:
    flows = read(CLASSES[name] | {key: value})

    assert [flow.target for flow in flows.flows] == [None]
    assert key in [problem.where for problem in flows.problems]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("postgres", {"column.rename.map": "a:b"}),
        ("postgres", {"post.processors": "p", "p.type": "com.acme.Drop"}),
        ("mongo source", {"field.projection": "a"}),
        ("mongo sink", {"field.value.transformer.fields": "ssn"}),
        ("jdbc sink", {"column.name.suffix": "_x"}),
        ("bigquery", {"fieldNameMapping": "a=b"}),
        ("snowflake", {"snowflake.compatibility.enable.column.identifier.normalization": "false"}),
        ("neo4j", {"neo4j.cypher.topic.orders": "MERGE (n {x: event.id})"}),
        ("http", {"regex.patterns": "^a", "regex.replacements": "b"}),
    ],
)
def test_a_setting_of_columns_that_no_list_knows_makes_them_unknown(name: str, settings: dict[str, str]) -> None:
    flows = read(CLASSES[name] | settings)

    assert flows.shape is Shape.UNKNOWN
    assert ends(CLASSES[name] | settings) == (True, True)
    assert {problem.where for problem in flows.problems} & settings.keys()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("postgres", {"publication.autocreate.mode": "filtered", "signal.data.collection": "public.signals"}),
        (
            "postgres",
            {"post.processors": "p", "p.type": "io.debezium.processors.reselect.ReselectColumnsPostProcessor"},
        ),
        ("postgres", {"snapshot.select.statement.overrides": "public.orders", "database.sslmode": "require"}),
        ("mongo source", {"copy.existing.namespace.regex": ".*", "publish.full.document.only": "true"}),
        ("mongo sink", {"timeseries.metafield": "m", "delete.writemodel.strategy": "x.DeleteOneDefaultStrategy"}),
        ("jdbc source", {"incrementing.column.name": "id", "table.types": "TABLE,VIEW", "numeric.mapping": "best_fit"}),
        ("jdbc sink", {"auto.create": "true", "pk.mode": "record_key", "pk.fields": "id", "insert.mode": "upsert"}),
        ("mirror", {"sync.topic.acls.enabled": "true", "replication.factor": "3", "groups": ".*"}),
        ("s3", {"partition.field.name": "day", "timestamp.field": "at", "locale": "en", "hive.database": "h"}),
        ("search", {"topic.schema.ignore": "orders", "routing.type": "key", "compact.map.entries": "true"}),
        ("snowflake", {"snowflake.jdbc.map": "a:b", "snowflake.topic2table.map.regex.replacement": "false"}),
        ("bigquery", {"autoCreateTables": "true", "kafkaDataFieldName": "k", "timestampPartitionFieldName": "at"}),
        ("cassandra", {"cassandra.table.manage.enabled": "true", "cassandra.offset.storage.table": "offsets"}),
        ("cassandra", {"cassandra.table.create.caching": "{'keys': 'ALL'}"}),
        ("iceberg", {"iceberg.tables.default-id-columns": "id", "iceberg.control.topic": "c"}),
        ("iceberg", {"iceberg.tables.route-field": "kind", "iceberg.table.db.orders.route-regex": "order"}),
        ("clickhouse", {"bypassFieldCleanup": "true", "zkDatabase": "z"}),
    ],
)
def test_known_settings_leave_the_ends_and_columns(name: str, settings: dict[str, str]) -> None:
    flows = read(CLASSES[name] | settings)

    assert ends(CLASSES[name] | settings) == (True, True)
    assert flows.shape is read(CLASSES[name]).shape
    assert not [problem for problem in flows.problems if "has no rule" in problem.what]


@pytest.mark.parametrize("key", ["transforms.a.field", "consumer.override.topic", "value.converter.table", "topics"])
def test_settings_of_the_worker_are_not_of_the_class(key: str) -> None:
    assert list(unread_ends(Config.of({key: "x"}), "jdbc", (), Direction.SINK)) == []


def _keys_in(path: Path) -> Iterator[str]:
    """Yield the texts of a module that may be settings: with a dot inside, or capitals inside."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for part in re.split(r"[|{}=]|, ", node.value):
                if re.fullmatch(r"[a-z]\w*(?:\.[\w-]+)+|[a-z]+\d*(?:[A-Z][a-z]+)+", part):
                    yield part


@pytest.mark.parametrize("module", [name for name in INTERPRETED if name])
def test_a_setting_about_names_that_a_reader_follows_is_listed(module: str) -> None:
    """Else the fallback would make the end unknown that the reader derives."""
    path = Path(debezium.__file__).with_name(f"{module}.py")
    keys = {key for key in _keys_in(path) if not key.startswith(("io.", "com.", "org.", "dataflow_generator."))}
    config = Config.of(dict.fromkeys(keys, "x"))
    families = [family for family in UNINTERPRETED if module in ("debezium", "mirror") and family == module]
    placeholders = {"connectorName", "databaseName", "fullyQualifiedTableName", "schemaName", "tableName", "entityName"}

    unlisted = {key for way in Direction for key, _ in unread_ends(config, module, families, way)}

    assert unlisted - placeholders == set()


def test_a_setting_that_a_list_interprets_is_in_the_code() -> None:
    folder = Path(connectors.__file__).parent
    text = "".join(path.read_text("utf-8") for path in folder.rglob("*.py") if "settings" not in path.name)
    keys = {key.strip("*.").partition("*")[0].strip(".") for keys in INTERPRETED.values() for key in keys}

    assert [key for key in sorted(keys) if key.replace(".exclude.", ".include.") not in text] == []


def test_each_family_of_harmless_settings_exists() -> None:
    assert HARMLESS.keys() - {""} <= UNINTERPRETED.keys()


@pytest.mark.parametrize(
    ("row", "name", "expected"),
    [
        ("a.b", "a.b", True),
        ("a.*", "a.b", True),
        ("*.b", "a.b", True),
        ("*b*", "abc", True),
        ("a.*.c", "a.b.c", True),
        ("a.*.c", "a.c", False),
        ("*a*a", "a", False),
        ("a*", "b", False),
    ],
)
def test_a_star_in_a_row_is_any_text(row: str, name: str, expected: bool) -> None:
    assert fits(row, name) is expected


def test_run_settings_have_no_words_of_names() -> None:
    """What only runs a connector is not about names, so that neither list hides the other."""
    rows = {row for rows in RUN_SETTINGS.values() for row in rows}

    assert not rows & {row for rows in HARMLESS.values() for row in rows}


def test_a_masked_query_of_jdbc_leaves_its_tables_unknown() -> None:
    """`query.masked` is typed as a password: workers and repositories may hide it."""
    shown = read(CLASSES["jdbc source"] | {"table.whitelist": "", "query.masked": "SELECT id FROM orders"})
    hidden = read(CLASSES["jdbc source"] | {"table.whitelist": "", "query.masked": "*****"})

    assert [flow.source and flow.source.name for flow in shown.flows] == ["shop.public.orders"]
    assert [(flow.source, flow.target and flow.target.name) for flow in hidden.flows] == [(None, "pg-")]
    assert "the query is masked" in [problem.what for problem in hidden.problems]


def test_opensearch_maps_topics_to_existing_resources() -> None:
    config = CLASSES["search"] | {"topic.to.existing.resource.mapping": "orders:Orders-Alias"}

    assert [flow.target and flow.target.name for flow in read(config).flows] == ["Orders-Alias"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"capture.scope": "collection", "capture.target": "shop.orders"}, ["shop.orders"]),
        ({"capture.scope": "database", "capture.target": "shop"}, ["regex:shop\\..*"]),
        ({"capture.scope": "deployment"}, [None]),
    ],
)
def test_debezium_opens_the_change_stream_of_its_target(settings: dict[str, str], expected: list[str | None]) -> None:
    base = {
        "connector.class": "io.debezium.connector.mongodb.MongoDbConnector",
        "mongodb.connection.string": "mongodb://m",
        "topic.prefix": "srv",
    }

    assert [flow.source and flow.source.name for flow in read(base | settings).flows] == expected
