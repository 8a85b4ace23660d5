"""Statements are split, their engine is recognised, and connectors of ksqlDB are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.repository.statements import (
    connector_of,
    engine_of,
    moves_data,
    named_topics,
    statements_of,
    unread_engine_of,
    with_definitions,
)


def test_statements_are_split_outside_of_quotes_and_comments():
    listed = statements_of("-- a; b\nSELECT ';' ;\n\nINSERT INTO t /* ; */ SELECT 1")
    assert [(statement.text, statement.line) for statement in listed] == [
        ("-- a; b\nSELECT ';'", 1),
        ("INSERT INTO t /* ; */ SELECT 1", 4),
    ]


@pytest.mark.parametrize(
    ("sql", "engine"),
    [
        ("CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON')", "ksqldb"),
        ("CREATE TABLE t AS SELECT a, COUNT(*) FROM s GROUP BY a EMIT CHANGES", "ksqldb"),
        ("CREATE SOURCE CONNECTOR c WITH ('connector.class' = 'X', 'kafka.topic' = 't')", "ksqldb"),
        ("CREATE TABLE t (a STRING) WITH ('connector' = 'kafka', 'topic' = 't')", "flink"),
        ("CREATE TABLE t (a STRING, WATERMARK FOR a AS a); INSERT INTO t SELECT a FROM s", "confluent"),
        ("CREATE SOURCE s (a INT) WITH (connector='kafka', topic='t') FORMAT PLAIN ENCODE JSON", "risingwave"),
        ("CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC 't') FORMAT JSON", "materialize"),
        ("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))", "database"),
        ("CREATE TABLE t (a VARCHAR(9)); INSERT INTO t VALUES ('STRING', 'MAP<a>')", "database"),
        ("CREATE TABLE t (id INT REFERENCES u (id), a STRING)", "database"),
        ("CREATE TABLE d.t (a STRING, n INT64)", "database"),
        ("CREATE TABLE t (a STRING) USING iceberg PARTITIONED BY (a)", "database"),
        ("CREATE TABLE t (serial STRING, references INT); INSERT INTO t SELECT a, b FROM s", "confluent"),
        ("CREATE TABLE t (a MAP<STRING, INT>); INSERT INTO t SELECT a FROM s", "confluent"),
        (f"CREATE TABLE t (a VARCHAR(9)); INSERT INTO t VALUES ('{'x' * 300} STATEMENT SET')", "database"),
        ("CREATE MATERIALIZED VIEW v AS SELECT a FROM t WITH DATA", "database"),
        ("CREATE MATERIALIZED VIEW v BUILD IMMEDIATE REFRESH ON COMMIT AS SELECT a FROM t", "database"),
        ("CREATE MATERIALIZED VIEW p.d.v OPTIONS (enable_refresh = true) AS SELECT a FROM p.d.t", "database"),
        ("CREATE TABLE q (a Int32) ENGINE = Kafka SETTINGS kafka_topic_list = 't'", "database"),
        ("CREATE TABLE t (a INT) WITH (connector='kafka', bootstrap_servers='k', topic='t', type='sink')", "database"),
        ("CREATE TABLE t (a INT) WITH (connector = 'mysql-cdc', hostname = 'm')", "risingwave"),
        ("CREATE SINK s FROM mv WITH (connector = 'jdbc', jdbc.url = 'jdbc:postgresql://p/d')", "risingwave"),
        ("CREATE SINK s INTO t FROM mv", "risingwave"),
        ("CREATE TABLE t (*) WITH (connector='kafka', topic='t', properties.bootstrap.server='k')", "risingwave"),
        ("CREATE SOURCE s FROM LOAD GENERATOR AUCTION", "materialize"),
    ],
)
def test_engines(sql, engine):
    assert engine_of(statements_of(sql)) == engine


@pytest.mark.parametrize(
    ("sql", "engine"),
    [
        ("CREATE TABLE q (a Int32) ENGINE=Kafka('k:9092', 't', 'g', 'JSONEachRow')", "ClickHouse"),
        ("CREATE EXTERNAL STREAM s (raw string) SETTINGS type='kafka', brokers='k', topic='t'", "Timeplus"),
        ("CREATE EXTERNAL SCHEMA s FROM MSK IAM_ROLE 'r' URI 'b:9092'", "Amazon Redshift"),
        ("CREATE TABLE t (a INT) WITH (connector = 'kafka', bootstrap_servers = 'k', topic = 't')", "Arroyo"),
        ("CREATE TABLE t (a INT) WITH (connector = 'kafka', format = 'json', topic = 't')", "an unknown engine"),
        ("CREATE TABLE k USING kafka OPTIONS (subscribe 'orders')", "an unknown engine"),
        ("CREATE TABLE k USING kafka OPTIONS ('kafka.bootstrap.servers'='k', 'subscribe'='t')", "an unknown engine"),
        ("CREATE VIEW v AS SELECT a FROM t WHERE topic = 'orders' AND source = 'kafka'", ""),
        ("CREATE TABLE kafka_offsets (topic TEXT); SELECT 1 WHERE connector = 'kafkaesque'", ""),
        ("CREATE VIEW v AS SELECT a FROM kafka.topics WHERE source = 'kafka'", ""),
    ],
)
def test_kafka_tables_of_engines_that_are_not_read(sql, engine):
    assert unread_engine_of(statements_of(sql)) == engine


def test_a_file_that_only_drops_moves_no_data():
    assert not moves_data(statements_of("DROP TABLE a; TERMINATE q; SELECT * FROM b"))
    assert moves_data(statements_of("DROP TABLE a; CREATE TABLE a AS SELECT 1"))


def test_a_connector_of_ksqldb():
    (statement,) = statements_of("CREATE SINK CONNECTOR s3 WITH ('connector.class' = 'S3', \"topics\" = 'a,b')")
    assert connector_of(statement) == ("S3", {"connector.class": "S3", "topics": "a,b"})


def test_definitions_are_replaced():
    listed = with_definitions(statements_of("DEFINE t = 'orders'; CREATE STREAM s WITH (KAFKA_TOPIC='${t}')"), {})
    assert [statement.text for statement in listed] == ["CREATE STREAM s WITH (KAFKA_TOPIC='orders')"]


@given(st.text(alphabet="CREATE TABLE;'\"`-/*$\n#a(", max_size=150))
def test_no_text_raises_and_no_character_is_lost(text):
    listed = statements_of(text)
    assert engine_of(listed)
    assert all(statement.text in text for statement in listed)


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        # Doris and StarRocks
        (
            "CREATE ROUTINE LOAD shop.load ON t PROPERTIES ('format' = 'json')\n"
            "FROM KAFKA ('kafka_broker_list' = 'k:9092', 'kafka_topic' = 'orders');",
            {("orders", False)},
        ),
        # Timeplus
        (
            "CREATE EXTERNAL STREAM o (id string) SETTINGS type = 'kafka', brokers = 'k:9092', topic = 'orders';",
            {("orders", False)},
        ),
        # Arroyo: one table says that it is a sink, the other is inserted into
        (
            "CREATE TABLE a WITH (connector = 'kafka', topic = 'orders', type = 'source');\n"
            "CREATE TABLE b WITH (connector = 'kafka', topic = 'bills', type = 'sink');\n"
            "CREATE TABLE c WITH (connector = 'kafka', topic = 'sums');\nINSERT INTO c SELECT id FROM a;",
            {("orders", False), ("bills", True), ("sums", True)},
        ),
        # Feldera
        (
            'CREATE VIEW v WITH (\'connectors\' = \'[{"transport": {"name": "kafka_output",'
            ' "config": {"topic": "orders"}}}]\') AS SELECT 1 AS topic FROM t;',
            {("orders", True)},
        ),
        # SingleStore
        ("CREATE PIPELINE p AS LOAD DATA KAFKA 'k1:9092,k2:9092/orders' INTO TABLE t;", {("orders", False)}),
        # Databricks
        (
            "CREATE STREAMING TABLE t AS SELECT * FROM STREAM read_kafka(s => 'k', subscribe => 'orders, bills');",
            {("orders", False), ("bills", False)},
        ),
        # a column of that name, and another broker
        ("CREATE TABLE t (topic text DEFAULT 'orders', kafka text);", set()),
        ("CREATE TABLE t WITH (connector = 'pulsar', topic = 'orders');", set()),
        ("INSERT INTO kafka_settings (topic) VALUES ('orders');", set()),
    ],
)
def test_topics_of_engines_whose_sql_is_not_parsed(text, uses):
    assert {(one.topic, one.is_written) for one in named_topics(statements_of(text))} == uses
