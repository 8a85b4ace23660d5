"""Sinks by class: which topics they read, and the dataset of each."""

import pytest

from dataflow_generator.connectors import Config, Connector, ConnectorFlows, Direction, read_connector

ROUTER = {
    "transforms": "r",
    "transforms.r.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.r.regex": r"eu\.(.*)",
    "transforms.r.replacement": "$1",
}
S3 = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake"}


def read(config: dict[str, str], **known: tuple[str, ...]) -> ConnectorFlows:
    return read_connector(Connector(name="c", config=Config.of(config), **known))


def edges(flows: ConnectorFlows) -> list[tuple[str, str]]:
    return [(flow.source.name if flow.source else "?", _shown(flow.target)) for flow in flows.flows]


def _shown(dataset) -> str:
    return f"{dataset.namespace} {dataset.name}" if dataset else "?"


@pytest.mark.parametrize(
    ("config", "target"),
    [
        (
            {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "connection.url": "jdbc:mysql://h/dw"},
            "mysql://h:3306 dw.orders",
        ),
        (
            {
                "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
                "connection.url": "jdbc:postgresql://h/dw",
                "table.name.format": "stage.${topic}_raw",
            },
            "postgres://h:5432 dw.stage.orders_raw",
        ),
        (
            {"connector.class": "MySqlSink", "connection.host": "h", "connection.port": "33", "db.name": "dw"},
            "mysql://h:33 dw.orders",
        ),
        (
            {"connector.class": "microsoftsqlserverSINK", "connection.host": "h", "db.name": "dw"},
            "sqlserver://h dw.dbo.orders",
        ),
        (
            {
                "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
                "connection.url": "jdbc:postgresql://h/dw",
                "collection.name.format": "${source.table}",
            },
            "?",
        ),
        (S3, "s3://lake topics/orders"),
        (
            {
                "connector.class": "io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector",
                "aws.s3.bucket.name": "lake",
            },
            "s3://lake orders",
        ),
        (
            {"connector.class": "SftpSink", "sftp.host": "F", "sftp.working.dir": "/w", "topics.dir": "d"},
            "sftp://f:22 /w/d/orders",
        ),
        (
            {"connector.class": "DynamoDbSink", "aws.dynamodb.endpoint": "https://dynamodb.eu-west-2.amazonaws.com"},
            "dynamodb://dynamodb.eu-west-2.amazonaws.com orders",
        ),
        (S3 | {"topics.dir": "raw/${topic}/v1"}, "s3://lake raw/orders/v1"),
        ({"connector.class": "S3_SINK", "s3.bucket": "lake"}, "s3://lake topics/orders"),
        ({"connector.class": "GcsSink", "gcs.bucket.name": "b", "topics.dir": "x"}, "gs://b x/orders"),
        (
            {"connector.class": "AzureBlobSink", "azblob.account.name": "a", "azblob.container.name": "c"},
            "abfss://c@a.dfs.core.windows.net topics/orders",
        ),
        (
            {"connector.class": "io.confluent.connect.hdfs3.Hdfs3SinkConnector", "hdfs.url": "hdfs://nn:8020/base"},
            "hdfs://nn:8020 /base/topics/orders",
        ),
        (
            {
                "connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
                "connection.uri": "mongodb://u:p@h1,h2/x",
                "database": "db",
            },
            "mongodb://h1,h2 db.orders",
        ),
        (
            {
                "connector.class": "MongoDbAtlasSink",
                "connection.host": "c0.acme.net",
                "topic.override.orders.collection": "o",
                "collection": "all",
                "database": "db",
            },
            "mongodb://c0.acme.net db.o",
        ),
        (
            {"connector.class": "ElasticsearchSink", "connection.url": "http://u:p@es1:9200,http://es2:9200"},
            "elasticsearch://es1:9200,es2:9200 orders",
        ),
        (
            {
                "connector.class": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector",
                "connection.url": "https://es",
                "data.stream.type": "LOGS",
                "data.stream.dataset": "shop",
            },
            "elasticsearch://es logs-shop-orders",
        ),
        ({"connector.class": "OpenSearchSink", "instance.url": "https://os:9200"}, "opensearch://os:9200 orders"),
        ({"connector.class": "BigQuerySink", "project": "p", "datasets": "d"}, "bigquery p.d.orders"),
        (
            {
                "connector.class": "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector",
                "project": "p",
                "datasets": ".*=d",
                "topicsToTables": "or.*=t",
            },
            "bigquery p.d.t",
        ),
        (
            {"connector.class": "BigQuerySink", "project": "p", "datasets": "d", "topicsToTables": "or(.*)=t_$1"},
            "bigquery p.d.t_ders",
        ),
        (
            {"connector.class": "BigQuerySink", "project": "p", "datasets": "d", "topicsToTables": "or(.*)=t_$7"},
            "bigquery p.d.t__7",
        ),
        (
            {
                "connector.class": "SnowflakeSink",
                "snowflake.url.name": "acme-eu.snowflakecomputing.com:443",
                "snowflake.database.name": "D",
                "snowflake.topic2table.map": "or.*:S2.T",
            },
            "snowflake://acme-eu D.S2.T",
        ),
        (
            {"connector.class": "RedshiftSink", "aws.redshift.domain": "h", "aws.redshift.database": "d"},
            "redshift://h:5439 d.public.orders",
        ),
        (
            {
                "connector.class": "io.confluent.connect.redshift.RedshiftSinkConnector",
                "connection.url": "jdbc:redshift://h:1/d",
            },
            "redshift://h:1 d.public.orders",
        ),
        (
            {"connector.class": "ClickHouseSink", "hostname": "h", "topic2TableMap": "orders=o"},
            "clickhouse://h:8123 default.o",
        ),
        (
            {"connector.class": "DatabricksDeltaLakeSink", "delta.lake.host.name": "h", "delta.lake.database": "d"},
            "unitycatalog://h d.orders",
        ),
        (
            {
                "connector.class": "com.starrocks.connector.kafka.StarRocksSinkConnector",
                "starrocks.http.url": "h:8030",
                "starrocks.database.name": "d",
            },
            "starrocks://h:8030 d.orders",
        ),
        (
            {
                "connector.class": "org.apache.doris.kafka.connector.DorisSinkConnector",
                "doris.urls": "h,h2",
                "doris.http.port": "8030",
                "doris.query.port": "9030",
                "doris.database": "d",
                "doris.topic2table.map": "orders:o,payments:p",
            },
            "doris://h:9030 d.o",
        ),
        (
            {
                "connector.class": "org.apache.doris.kafka.connector.DorisSinkConnector",
                "doris.urls": "h",
                "doris.query.port": "9030",
                "doris.topic2table.map": "orders:d2.o",
            },
            "doris://h:9030 d2.o",
        ),
        (
            {
                "connector.class": "org.apache.doris.kafka.connector.DorisSinkConnector",
                "doris.urls": "h",
                "doris.database": "d",
                "record.tablename.field": "table",
            },
            "?",
        ),
        (
            {
                "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
                "iceberg.tables": "db.t",
                "iceberg.catalog.type": "hive",
                "iceberg.catalog.uri": "thrift://ms:9083",
            },
            "hive://ms:9083 db.t",
        ),
        (
            {
                "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
                "iceberg.tables": "db.t",
                "iceberg.catalog.type": "rest",
                "iceberg.catalog.uri": "https://cat:8181/v1",
            },
            "https://cat:8181/v1 db.t",
        ),
        (
            {
                "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
                "iceberg.tables": "db.t",
                "iceberg.catalog.catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog",
                "iceberg.catalog.client.region": "eu-west-1",
                "iceberg.catalog.glue.id": "12",
            },
            "arn:aws:glue:eu-west-1:12 table/db/t",
        ),
        (
            {
                "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
                "iceberg.tables": "db.t",
                "iceberg.catalog.type": "hadoop",
                "iceberg.catalog.warehouse": "s3a://lake/wh",
            },
            "s3://lake/wh db.t",
        ),
        (
            {
                "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
                "iceberg.tables.dynamic-enabled": "true",
            },
            "?",
        ),
        (
            {
                "connector.class": "com.datastax.oss.kafka.sink.CassandraSinkConnector",
                "contactPoints": "c1,c2",
                "port": "9",
                "topic.orders.ks.t.mapping": "a=b",
            },
            "cassandra://c1:9 ks.t",
        ),
        (
            {
                "connector.class": "io.confluent.connect.cassandra.CassandraSinkConnector",
                "cassandra.contact.points": "c",
                "cassandra.keyspace": "ks",
            },
            "cassandra://c:9042 ks.orders",
        ),
        ({"connector.class": "HttpSink", "http.api.url": "https://u:p@h/v1/${topic}?k=1"}, "https://h /v1/orders"),
        ({"connector.class": "RedisSink", "redis.hostname": "r"}, "redis://r:6379 0"),
        (
            {
                "connector.class": "SpannerSink",
                "gcp.spanner.project.id": "p",
                "gcp.spanner.instance.id": "i",
                "gcp.spanner.database.id": "d",
            },
            "spanner://p:i d.orders",
        ),
        (
            {
                "connector.class": "CosmosDbSink",
                "connect.cosmos.connection.endpoint": "https://x.documents.azure.com:443/",
                "connect.cosmos.databasename": "d",
                "connect.cosmos.containers.topicmap": "orders#o",
            },
            "azurecosmos://x.documents.azure.com/dbs/d colls/o",
        ),
        (
            {
                "connector.class": "com.microsoft.azure.kusto.kafka.connect.sink.KustoSinkConnector",
                "kusto.ingestion.url": "https://ingest-c.kusto.windows.net",
                "kusto.tables.topics.mapping": "[{'topic': 'orders', 'db': 'd', 'table': 't'}]",
            },
            "azurekusto://c.kusto.windows.net d/t",
        ),
        ({"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "file": "/tmp/x"}, "file /tmp/x"),
        ({"connector.class": "com.acme.OwnSinkConnector"}, "?"),
    ],
)
def test_a_sink_writes_each_topic_where_its_class_does(config, target) -> None:
    """The names are those that warehouses and engines have in OpenLineage's events."""
    flows = read({**config, "topics": "orders"})

    assert flows.direction is Direction.SINK
    assert edges(flows) == [("orders", target)]


def test_the_name_behind_the_transforms_is_written_and_the_name_before_is_read() -> None:
    """`${topic}` is the routed topic."""
    assert edges(read(S3 | ROUTER | {"topics": "eu.orders, us.orders"})) == [
        ("eu.orders", "s3://lake topics/orders"),
        ("us.orders", "s3://lake topics/us.orders"),
    ]


def test_a_pattern_of_topics_is_looked_up_among_the_known() -> None:
    """Without known topics the pattern stands for them."""
    config = S3 | {"topics.regex": r"eu\..*"}

    assert edges(read(config, known=("eu.a", "us.b"))) == [("eu.a", "s3://lake topics/eu.a")]
    assert edges(read(config)) == [(r"regex:eu\..*", "?")]
    assert read(config, known=("us.b",)).problems[0].where == "topics.regex"


def test_a_pattern_into_one_place_keeps_the_place() -> None:
    """A file does not depend on the topic."""
    config = {"connector.class": "FileStreamSinkConnector", "file": "/x", "topics.regex": "a.*"}

    assert edges(read(config)) == [("regex:a.*", "file /x")]


@pytest.mark.parametrize("regex", ["[open", r"(a)\1"])
def test_a_pattern_that_cannot_be_evaluated_is_a_problem(regex) -> None:
    """It is kept as received."""
    flows = read(S3 | {"topics.regex": regex}, known=("a",))

    assert flows.inputs[0].name == f"regex:{regex}"
    assert flows.problems[0].where == "topics.regex"


def test_where_data_decide_the_target_it_is_unknown_and_reported() -> None:
    """The topic is read all the same."""
    router = {"transforms": "t", "transforms.t.type": "org.apache.kafka.connect.transforms.TimestampRouter"}
    flows = read(S3 | router | {"topics": "logs"})

    assert edges(flows) == [("logs", "?")]
    assert r"logs-\d{8}" in flows.problems[0].what


def test_several_iceberg_tables_get_every_topic() -> None:
    """Without routing each record goes to each table."""
    config = {"connector.class": "org.apache.iceberg.connect.IcebergSinkConnector", "iceberg.tables": "a.b, a.c"}

    assert len(edges(read(config | {"topics": "x,y"}))) == 4
    assert edges(read({"connector.class": config["connector.class"], "topics": "x"})) == []


def test_a_table_of_iceberg_that_data_select_is_said() -> None:
    """With routing a field of each record decides, which no configuration has."""
    config = {"connector.class": "org.apache.iceberg.connect.IcebergSinkConnector", "topics": "x"}
    routed = config | {"iceberg.tables": "a.b, a.c", "iceberg.tables.route-field": "kind"}

    assert [problem.where for problem in read(routed).problems] == ["iceberg.tables.route-field"]
    assert read(routed | {"iceberg.tables": "a.b"}).problems == ()


def test_the_mongodb_sink_of_debezium_has_no_dots_in_collections() -> None:
    """That of MongoDB keeps them."""
    debezium = {"connector.class": "io.debezium.connector.mongodb.MongoDbSinkConnector", "sink.database": "db"}
    mongo = {"connector.class": "com.mongodb.kafka.connect.MongoSinkConnector", "database": "db"}
    more = {"topics": "a.b", "connection.uri": "mongodb://h", "mongodb.connection.string": "mongodb://h"}

    assert edges(read(debezium | more)) == [("a.b", "mongodb://h db.a_b")]
    assert edges(read(mongo | more)) == [("a.b", "mongodb://h db.a.b")]


def test_a_bigquery_topic_may_name_dataset_and_table() -> None:
    """A transform writes `dataset:table`."""
    router = ROUTER | {"transforms.r.regex": ".*", "transforms.r.replacement": "d2:t2"}
    config = {"connector.class": "BigQuerySink", "project": "p", "defaultDataset": "d", "topics": "x"}

    assert edges(read(config | router)) == [("x", "bigquery p.d2.t2")]
    assert edges(read(config | {"topics": "a.b"})) == [("a.b", "bigquery p.d.a_b")]
    assert edges(read(config | {"topics": "a.b", "sanitizeTopics": "false"})) == [("a.b", "bigquery p.d.a.b")]


def test_each_api_of_an_http_sink_has_its_topics() -> None:
    """`topics` need not be reported again."""
    config = {
        "connector.class": "HttpSinkV2",
        "http.api.base.url": "https://h",
        "api1.http.api.path": "/a",
        "api1.topics": "x",
        "api2.http.api.path": "/b/${topic}",
        "api2.topics": "y,z",
    }

    assert edges(read(config)) == [("x", "https://h /a"), ("y", "https://h /b/y"), ("z", "https://h /b/z")]


def test_a_dead_letter_queue_is_no_data_topic() -> None:
    """It has its own role, and so has the one that the managed service makes."""
    config = S3 | {"topics": "a", "errors.deadletterqueue.topic.name": "dlq"}
    flows = read(config, active=("a", "dlq-lcc-1x"))

    assert [(side_topic.dataset.name, side_topic.role) for side_topic in flows.side_topics] == [
        ("dlq", "dead-letter"),
        ("dlq-lcc-1x", "dead-letter"),
    ]
    assert [dataset.name for dataset in flows.inputs] == ["a"]


def test_without_topics_the_ones_in_use_are_read() -> None:
    """And without either there is a problem, and nothing made up."""
    assert [dataset.name for dataset in read(S3, active=("b", "a")).inputs] == ["a", "b"]
    assert read(S3).inputs == ()
    assert read(S3).problems[0].where == "topics"


@pytest.mark.parametrize(
    ("keys", "namespace"),
    [
        ({}, "kafka://localhost:9092"),
        ({"kafka.endpoint": "SASL_SSL://PKC-1.acme.cloud:9092"}, "kafka://pkc-1.acme.cloud:9092"),
        ({"bootstrap.servers": "k1:1,k2:2"}, "kafka://k1:1"),
        ({"bootstrap.servers": "k1:1", "consumer.override.bootstrap.servers": "k3:3"}, "kafka://k3:3"),
        ({"bootstrap.servers": "${env:KAFKA}"}, "kafka://localhost:9092"),
    ],
)
def test_the_cluster_is_the_connectors_own_or_the_workers(keys, namespace) -> None:
    """A key that cannot be read names no cluster."""
    assert read(S3 | keys | {"topics": "a"}).inputs[0].namespace == namespace


def test_every_flow_names_its_evidence() -> None:
    """People ask why an edge is there."""
    assert read(S3 | {"topics": "a", "topics.dir": "d"}).flows[0].because == "topics, s3.bucket.name, topics.dir"


@pytest.mark.parametrize("missing", ["com.acme.Thing", ""])
def test_an_unknown_class_is_reported(missing) -> None:
    """Its topics stay, its other end is unknown."""
    flows = read({"connector.class": missing, "topics": "a"})

    assert edges(flows) == [("a", "?")]
    assert flows.problems[0].where == "connector.class"


def test_a_class_without_any_direction_keeps_its_topics_apart() -> None:
    """Whether they are read or written is not guessed."""
    flows = read({"connector.class": "com.acme.Thing"}, active=("a",))

    assert (flows.direction, flows.flows, flows.side_topics[0].role) == (Direction.UNKNOWN, (), "direction unknown")


NAMED = {
    "transforms": "ol",
    "transforms.ol.type": "io.factorhouse.smt.OpenLineageLifecycleSmt",
    "transforms.ol.dataset.namespace": "lake://user:secret@a",
}


@pytest.mark.parametrize(
    ("topic", "table"), [("1.a-b", "_1_a_b"), ("__a__", "__a__"), ("a.b", "a_b"), ("-", "_"), ("orders", "orders")]
)
def test_clean_tables_of_bigquery_have_letters_digits_and_underscores(topic: str, table: str) -> None:
    """No digit stands first."""
    config = {"connector.class": "BigQuerySink", "project": "p", "datasets": "d", "sanitizeTopics": "true"}

    assert edges(read(config | {"topics": topic})) == [(topic, f"bigquery p.d.{table}")]


def test_names_that_a_lineage_transform_receives_count() -> None:
    """Somebody wrote them down: they stand also for a class that nobody knows."""
    config = {"connector.class": "com.acme.OwnSink", "topics": "t"} | NAMED | {"transforms.ol.dataset.names": "x,y"}
    flows = read(config)

    assert edges(flows) == [("t", "lake://a x"), ("t", "lake://a y")]
    assert {flow.because for flow in flows.flows} == {"topics, transforms.ol.dataset.names"}
    assert [output.name for output in flows.outputs] == ["x", "y"]


def test_as_many_names_as_topics_go_together() -> None:
    """The transform's own lists are in one order."""
    names = {"transforms.ol.topics": "b,a", "transforms.ol.dataset.names": "y,x"}

    assert edges(read(S3 | {"topics": "a,b"} | NAMED | names)) == [("a", "lake://a x"), ("b", "lake://a y")]


def test_without_names_the_class_reports() -> None:
    """A namespace alone names no dataset."""
    assert edges(read(S3 | {"topics": "a"} | NAMED)) == [("a", "s3://lake topics/a")]


def test_a_topic_calls_the_function_that_it_is_mapped_to() -> None:
    """Confluent writes a semicolon between topic and function; what is not mapped calls the one for all."""
    config = {
        "connector.class": "LambdaSink",
        "topics": "a,b",
        "aws.lambda.function.name": "f",
        "aws.lambda.topic2function.map": "a;fa",
    }
    result = read_connector(Connector(name="c", config=Config.of(config)))

    assert [flow.target and flow.target.name for flow in result.flows] == ["fa", "f"]


def test_kudu_is_written_by_its_own_client_or_through_impala() -> None:
    """Confluent's sink names Impala's server and a database; the dataset has its whole name."""
    config = {"connector.class": "io.confluent.connect.kudu.KuduSinkConnector", "topics": "orders"}
    impala = {"impala.server": "kudu", "impala.port": "21050", "kudu.database": "test"}

    assert [(end.namespace, end.name) for end in read(config | impala).outputs] == [
        ("impala://kudu:21050", "test.orders")
    ]
    assert [(end.namespace, end.name) for end in read(config | {"kudu.masters": "m:7051"}).outputs] == [
        ("kudu://m:7051", "orders")
    ]
