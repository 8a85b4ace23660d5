"""A column with another name is one finding: what follows from it downstream, and in declarations, is not repeated."""

from __future__ import annotations

import json

import pytest
from committed_repository import rules

pytestmark = pytest.mark.slow

FILES = {
    "tables.sql": "CREATE TABLE trades (id STRING, price DOUBLE, size INT) "
    "WITH ('connector' = 'kafka', 'topic' = 'trades', 'format' = 'json');\n"
    "CREATE TABLE totals (id STRING, total DOUBLE) "
    "WITH ('connector' = 'kafka', 'topic' = 'totals', 'format' = 'json');\n"
    "CREATE TABLE alarms (id STRING, amount DOUBLE) "
    "WITH ('connector' = 'kafka', 'topic' = 'alarms', 'format' = 'json');\n",
    "jobs.sql": "INSERT INTO totals SELECT id, price * size AS total FROM trades;\n"
    "INSERT INTO alarms SELECT id, total AS amount FROM totals;\n",
}


def renamed(*paths: str, old: str = "total", new: str = "sum_total") -> dict[str, str]:
    return {path: FILES[path].replace(f"{old} ", f"{new} ") for path in paths}


def test_a_renamed_column_is_one_finding_with_its_new_name(check) -> None:
    report = check(renamed("tables.sql", "jobs.sql"), FILES)
    (finding,) = (one for one in report.findings if one.counts)

    assert (finding.rule, finding.item) == ("column-lost", "totals.total")
    assert finding.message.values[-1] == "sum_total"


def test_a_column_that_is_made_of_something_else_is_lost(check) -> None:
    files = renamed("tables.sql", "jobs.sql")
    files["jobs.sql"] = files["jobs.sql"].replace("price * size", "price")
    report = check(files, FILES)
    lost = next(one for one in report.findings if one.item == "totals.total")

    assert "sum_total" not in set(lost.message.texts)


def test_a_sink_with_another_topic_is_not_unread_too(check) -> None:
    """That its columns are not known follows from its topic."""
    config = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "topics": "orders", "s3.bucket.name": "b"}
    base = {
        "topics.sh": "kafka-topics --create --topic orders\n",
        "sink.json": json.dumps({"name": "s", "config": config}),
    }
    head = {"sink.json": base["sink.json"].replace('"orders"', '"ordres"')}

    assert "not-read" not in {rule for rule, _ in rules(check(head, base))}


CAPTURED = {
    "db/migrations/V1__claims.sql": "CREATE TABLE claims.claim (id INT PRIMARY KEY, claim_no TEXT);\n",
    "connect/claims.json": json.dumps(
        {
            "name": "claims",
            "config": {
                "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
                "topic.prefix": "claims-ns",
                "table.include.list": "claims.claim",
                "value.converter": "org.apache.kafka.connect.json.JsonConverter",
            },
        }
    ),
    "read/requirements.txt": "confluent-kafka==2.3.0\n",
    "read/main.py": "from confluent_kafka import Consumer\n"
    'c = Consumer({"group.id": "read"})\nc.subscribe(["claims-ns.claims.claim"])\n',
}
PROTO = 'syntax = "proto3";\nmessage Claim {\n  int32 id = 1;\n  string number = 2;\n}\n'


def test_a_schema_that_is_added_takes_no_column_from_what_a_connector_captures(check) -> None:
    assert "column-lost" not in {rule for rule, _ in rules(check({"schemas/claim.proto": PROTO}, CAPTURED))}
