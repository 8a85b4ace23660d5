"""Settings that change names or columns: followed by a rule, or the end that they affect is unknown with a problem."""

import pytest

from dataflow_generator.connectors import Config, Connector, ConnectorFlows, Direction, Shape, read_connector
from dataflow_generator.connectors.columns import column_flows
from dataflow_generator.connectors.registry import CONNECTORS, MANAGED
from dataflow_generator.connectors.settings import UNINTERPRETED, family_of
from scanner_model.names import Role

MYSQL = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "database.hostname": "m",
    "topic.prefix": "srv",
    "table.include.list": "shop.orders",
}
POSTGRES = MYSQL | {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.dbname": "shop",
    "table.include.list": "public.orders",
}
MONGO = {
    "connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
    "topics": "people",
    "connection.uri": "mongodb://m",
    "database": "shop",
}
JDBC = {
    "connector.class": "io.aiven.connect.jdbc.JdbcSinkConnector",
    "topics": "a.b-c",
    "connection.url": "jdbc:postgresql://pg/dw",
}
MIRROR = {
    "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
    "source.cluster.alias": "a",
    "source.cluster.bootstrap.servers": "a:1",
    "target.cluster.bootstrap.servers": "b:1",
}
S3 = {
    "connector.class": "io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector",
    "topics": "orders",
    "aws.s3.bucket.name": "b",
}
CLICKHOUSE = {"connector.class": "com.clickhouse.kafka.connect.ClickHouseSinkConnector", "hostname": "ch"}
SEARCH = {
    "connector.class": "io.aiven.kafka.connect.opensearch.OpensearchSinkConnector",
    "topics": "A.b",
    "connection.url": "http://os:9200",
}
CHAIN = "com.mongodb.kafka.connect.sink.processor.DocumentIdAdder,com.mongodb.kafka.connect.sink.processor."


def read(config: dict[str, str]) -> ConnectorFlows:
    return read_connector(Connector(name="c", config=Config.of(config)))


def ends(config: dict[str, str]) -> list[tuple[str, str]]:
    flows = read(config).flows
    return [(flow.source.name if flow.source else "?", flow.target.name if flow.target else "?") for flow in flows]


def columns(config: dict[str, str], *value: str) -> dict[str, str]:
    """Return the columns written to the other end, each with its origin; those of a key begin with `@`."""
    flows, _ = column_flows(Config.of(config), read(config), [tuple(path.split(".")) for path in value])
    return {
        ("@" * (flow.side is Role.KEY)) + ".".join(flow.path): ".".join(flow.origin) for flow in flows if flow.origin
    }


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"topic.regex": r"srv\.public\.(.*)", "topic.replacement": "pg_$1"}, "pg_orders"),
        ({"topic.regex": r"(.*)\.(.*)\.(.*)", "topic.replacement": "$1-all"}, "srv-all"),
        ({"topic.regex": r"public\.(.*)", "topic.replacement": "$1"}, "srv.public.orders"),
        ({"topic.regex": "(?x) srv", "topic.replacement": "$1"}, "?"),
        ({"topic.regex": "srv.*", "topic.replacement": "all"}, "all"),
    ],
)
@pytest.mark.parametrize("strategy", ["DefaultRegexTopicNamingStrategy", "SchemaRegexTopicNamingStrategy"])
def test_debezium_replaces_a_topic_that_the_regex_matches_as_a_whole(
    config: dict[str, str], expected: str, strategy: str
) -> None:
    named = {"topic.naming.strategy": f"io.debezium.schema.{strategy}"}

    assert ends(POSTGRES | config | named) == [("shop.public.orders", expected)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("shop.orders:email", {"@email": "email"}),
        ("(.*).orders:id,email", {"@id": "id", "@email": "email"}),
        ("shop.items:id;shop.orders:email", {"@email": "email"}),
        ("shop.items:id", {}),
        ("shop.orders:absent", {}),
    ],
)
def test_debezium_writes_listed_columns_into_the_key(keys: str, expected: dict[str, str]) -> None:
    """A personal column in the key is a flow like one in the value."""
    written = columns(MYSQL | {"message.key.columns": keys}, "id", "email")

    assert {path: origin for path, origin in written.items() if path.startswith("@")} == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"value.projection.type": "AllowList", "value.projection.list": "name"}, {"name": "name"}),
        ({"value.projection.type": "allowlist", "value.projection.list": "a.ssn"}, {"a": "a", "a.ssn": "a.ssn"}),
        ({"value.projection.type": "allowlist", "value.projection.list": "a"}, {"a": "a"}),
        ({"value.projection.type": "allowlist", "value.projection.list": "a.**"}, {"a": "a", "a.ssn": "a.ssn"}),
        ({"value.projection.type": "blocklist", "value.projection.list": "*.ssn,name"}, {"a": "a"}),
        ({"value.projection.type": "blocklist", "value.projection.list": "a"}, {"name": "name"}),
        ({"value.projection.type": "none"}, {"name": "name", "a": "a", "a.ssn": "a.ssn"}),
        (
            {"topic.override.people.value.projection.type": "blocklist", "value.projection.list": "a"},
            {"name": "name"},
        ),
    ],
)
@pytest.mark.parametrize("names", ["AllowListValueProjector,{0}BlockListValueProjector", "WhitelistValueProjector"])
def test_mongodb_projects_fields(settings: dict[str, str], expected: dict[str, str], names: str) -> None:
    """A field that the chain drops is not shown as written."""
    if "White" in names and "block" in str(settings):
        names = names.replace("Whitelist", "Blacklist")
    config = MONGO | settings | {"post.processor.chain": CHAIN + names.format("a.")}

    assert columns(config, "name", "a", "a.ssn") == expected


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        (
            "RenameByMapping",
            {"field.renamer.mapping": '[{"oldName":"value.fld_a","newName":"b"},{"oldName":"key.x","newName":"y"}]'},
            {"b": "fld_a", "x.fld_c": "x.fld_c"},
        ),
        (
            "RenameByRegExp",
            {"field.renamer.regexp": r'[{"regexp":"^value\\.fld_.*$","pattern":"fld_","replace":""}]'},
            {"a": "fld_a", "x.fld_c": "x.fld_c"},
        ),
        (
            "RenameByRegExp",
            {"field.renamer.regexp": r'[{"regexp":".*","pattern":"_(.)","replace":"-$1"}]'},
            {"fld-a": "fld_a", "x.fld-c": "x.fld_c"},
        ),
        ("DocumentIdAdder", {"field.renamer.mapping": '[{"oldName":"value.fld_a","newName":"b"}]'}, None),
    ],
)
def test_mongodb_renames_fields(name: str, settings: dict[str, str], expected: dict[str, str] | None) -> None:
    """Without its post-processor in the chain, a renamer's settings have no effect."""
    chain = "field.renaming." + name if name.startswith("Rename") else name
    written = columns(MONGO | settings | {"post.processor.chain": CHAIN + chain}, "fld_a", "x.fld_c")

    assert written == (expected or {"fld_a": "fld_a", "x.fld_c": "x.fld_c"})


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (JDBC | {"table.name.normalize": "true"}, "dw.public.a_b_c"),
        (JDBC | {"table.name.normalize": "true", "table.name.format": "t.${topic}"}, "dw.public.t_a_b_c"),
        (JDBC | {"topics": "a.b.c"}, "a.b.c"),
        (JDBC | {"topics": "a.b.c.d"}, "dw.a.b"),
        (JDBC | {"topics": "a.b.c", "table.name.format": '"${topic}"'}, "dw.public.a.b.c"),
        (S3 | {"file.name.template": "{{topic}}/y={{timestamp:unit=yyyy}}/{{partition}}.gz"}, "orders"),
        (
            S3 | {"file.name.template": "x/{{ topic }}-raw/{{start_offset}}.gz", "file.name.prefix": "p/"},
            "p/x/orders-raw",
        ),
        (S3 | {"file.name.template": "{{timestamp:unit=yyyy}}/{{topic}}/{{start_offset}}"}, "?"),
        (S3 | {"aws.s3.prefix": "raw/{{topic}}/"}, "raw/orders"),
        (S3 | {"file.name.template": "{{topic}}-{{partition}}"}, "orders"),
        (CLICKHOUSE | {"topics": "a.b", "enableDbTopicSplit": "true", "dbTopicSplitChar": "."}, "a.b"),
        (CLICKHOUSE | {"topics": "a_b", "enableDbTopicSplit": "true", "dbTopicSplitChar": "_"}, "a.b"),
        (CLICKHOUSE | {"topics": "a.b.c", "enableDbTopicSplit": "true", "dbTopicSplitChar": "."}, "default.a.b.c"),
        (CLICKHOUSE | {"topics": "a.b", "dbTopicSplitChar": "."}, "default.a.b"),
        (SEARCH | {"data.stream.enabled": "true", "data.stream.prefix": "ds"}, "ds-a.b"),
        (SEARCH | {"data.stream.enabled": "false", "data.stream.prefix": "ds"}, "a.b"),
    ],
)
def test_sinks_name_their_targets_by_all_of_their_settings(config: dict[str, str], expected: str) -> None:
    assert [target for _, target in ends(config)] == [expected]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"topics": "__x,y"}, ["y"]),
        ({"topics": "mm2-offsets.b.internal,y.replica,y"}, ["y"]),
        ({"topics": "x,y", "topics.exclude": "x"}, ["y"]),
        ({"topics": "x,y", "topics.blacklist": "x.*"}, ["y"]),
        ({"topics": "__x,y", "topics.exclude": "z"}, ["__x", "y"]),
    ],
)
@pytest.mark.parametrize("policy", ["Default", "Identity"])
def test_mirrormaker_excludes_also_topics_that_are_listed_by_name(
    settings: dict[str, str], expected: list[str], policy: str
) -> None:
    policy = f"org.apache.kafka.connect.mirror.{policy}ReplicationPolicy"

    assert [source for source, _ in ends(MIRROR | settings | {"replication.policy.class": policy})] == expected


def test_a_topic_that_older_versions_exclude_is_a_problem() -> None:
    assert [problem.where for problem in read(MIRROR | {"topics": "x-internal"}).problems] == ["topics"]


UNKNOWN_ENDS = {
    "naming": (MYSQL | {"topic.naming.strategy": "com.acme.Topics"}, [("shop.orders", "?")]),
    "policy": (MIRROR | {"topics": "a", "replication.policy.class": "com.acme.Policy"}, [("a", "?")]),
    "filter": (MIRROR | {"topics": "a", "topic.filter.class": "com.acme.Filter"}, [("a", "?")]),
    "mapper": (MONGO | {"namespace.mapper": "com.mongodb.…FieldPathNamespaceMapper"}, [("people", "?")]),
    "partitioner": (S3 | {"partitioner.class": "com.acme.Partitioner"}, [("orders", "?")]),
    "index in headers": (
        {
            "connector.class": "com.splunk.kafka.connect.SplunkSinkConnector",
            "topics": "a",
            "splunk.hec.uri": "https://s:8088",
            "splunk.header.support": "true",
        },
        [("a", "?")],
    ),
    "collection": (
        JDBC
        | {
            "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
            "collection.naming.strategy": "com.acme.Tables",
        },
        [("a.b-c", "?")],
    ),
}


@pytest.mark.parametrize("name", UNKNOWN_ENDS)
def test_a_setting_without_a_rule_makes_the_end_unknown_with_a_problem(name: str) -> None:
    """A name that the setting changes is never shown as derived."""
    config, expected = UNKNOWN_ENDS[name]
    problems = [problem.where for problem in read(config).problems]

    assert ends(config) == expected
    assert any(key in config and key.endswith(("class", "strategy", "mapper", "support")) for key in problems)


UNKNOWN_COLUMNS = {
    "processor": MONGO | {"post.processor.chain": "com.acme.Processor"},
    "processor of a topic": MONGO | {"topic.override.people.post.processor.chain": "com.acme.Processor"},
    "handler": MONGO | {"change.data.capture.handler": "com.acme.Handler"},
    "renamer": MONGO | {"field.renamer.mapping": "no JSON"},
    "renames": MYSQL | {"connector.class": "io.debezium.connector.mongodb.MongoDbConnector", "field.renames": "a.b:c"},
    "column names": JDBC
    | {"connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector", "column.naming.strategy": "com.acme.Names"},
    "Snowflake's Iceberg tables": {
        "connector.class": "com.snowflake.kafka.connector.SnowflakeSinkConnector",
        "topics": "a",
        "snowflake.url.name": "x-y.snowflakecomputing.com",
        "snowflake.database.name": "d",
        "snowflake.streaming.iceberg.enabled": "true",
    },
    "schemas of BigQuery": {
        "connector.class": "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector",
        "topics": "a",
        "project": "p",
        "defaultDataset": "d",
        "schemaRetriever": "com.acme.Schemas",
    },
    "bodies of HTTP": {
        "connector.class": "io.confluent.connect.http.HttpSinkConnector",
        "topics": "a",
        "http.api.url": "https://h/x",
        "regex.patterns": "^a",
    },
    "statements of Cassandra": {
        "connector.class": "com.datastax.oss.kafka.sink.CassandraSinkConnector",
        "topics": "a",
        "contactPoints": "c",
        "topic.a.ks.t.mapping": "id=value.id",
        "topic.a.ks.t.query": "INSERT INTO ks.t (id) VALUES (:id)",
    },
    "pipeline": {
        "connector.class": "com.mongodb.kafka.connect.MongoSourceConnector",
        "database": "d",
        "collection": "c",
        "pipeline": '[{"$project": {"a": 1}}]',
    },
}


@pytest.mark.parametrize("name", UNKNOWN_COLUMNS)
def test_columns_that_a_setting_without_a_rule_changes_are_unknown(name: str) -> None:
    config = UNKNOWN_COLUMNS[name]
    flows, unknown = column_flows(Config.of(config), read(config), [("a",)])

    assert read(config).shape is Shape.UNKNOWN
    assert (flows, len(unknown)) == ((), 1)
    assert any("has no rule" in problem.what for problem in read(config).problems)


def test_a_pipeline_that_only_selects_documents_keeps_their_columns() -> None:
    config = UNKNOWN_COLUMNS["pipeline"] | {"pipeline": '[{"$match": {"operationType": "insert"}}]'}

    assert read(config).shape is Shape.ROW


def test_every_family_of_settings_has_classes() -> None:
    """A family that no class belongs to would be skipped silently."""
    families = {
        family
        for name, reader in {**CONNECTORS, **MANAGED}.items()
        for direction in Direction
        for family in family_of(reader.__module__, name, direction)
    }

    assert families == set(UNINTERPRETED)
