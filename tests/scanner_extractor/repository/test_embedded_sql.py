"""SQL in the members of JSON and YAML files: the statements of one object are one job."""

from __future__ import annotations

import json

import pytest

from scanner_model.streaming_sql import StreamingStatement

AIVEN = {
    "sinks": [{"create_table": "CREATE TABLE big (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders.big')"}],
    "sources": [
        {
            "create_table": "CREATE TABLE orders (id INT) WITH (\n 'connector' = 'kafka',\n 'topic' = 'orders')",
            "integration_id": "KAFKA",
        }
    ],
    "statement": "INSERT INTO big SELECT id FROM orders;",
}
KSQL = """\
streams:
  - sql: >
      CREATE STREAM orders (id INT) WITH (kafka_topic='orders', value_format='json');
  - sql: CREATE STREAM big AS SELECT * FROM orders WHERE id > 1 EMIT CHANGES;
"""


def statements(reading):
    return {statement.name: statement.statement for statement in reading.of(StreamingStatement)}


def test_tables_and_the_statement_of_an_application_are_one_job(read_repository):
    found = statements(read_repository({"flink/big.json": json.dumps(AIVEN, indent=2)}))

    assert list(found) == ["flink/big.json"]
    script = found["flink/big.json"]
    assert script.index("'orders.big'") < script.index("'orders')") < script.index("INSERT INTO big")


def test_each_application_of_a_list_is_a_job_of_its_own(read_repository):
    """Two applications may have tables of one name for different topics."""
    other = json.loads(json.dumps(AIVEN).replace("'orders", "'payments"))
    found = statements(read_repository({"flink/all.json": json.dumps({"applications": [AIVEN, other]}, indent=2)}))

    assert [name.partition(":")[0] for name in found] == ["flink/all.json"] * 2
    assert sorted("payments" in script for script in found.values()) == [False, True]
    assert not any("payments" in script and "'orders'" in script for script in found.values())


def test_tables_of_a_document_are_those_of_its_jobs(read_repository):
    tables = [AIVEN["sources"][0]["create_table"], AIVEN["sinks"][0]["create_table"]]
    jobs = [{"sql": AIVEN["statement"]}, {"sql": "INSERT INTO big SELECT id + 1 FROM orders"}]
    (script,) = statements(read_repository({"jobs.json": json.dumps({"tables": tables, "jobs": jobs})})).values()

    assert script.count("CREATE TABLE") == script.count("INSERT INTO") == 2


def test_ksqldb_statements_in_yaml_are_read(read_repository):
    (script,) = statements(read_repository({"streams.yaml": KSQL})).values()

    assert "KAFKA_TOPIC" in script.upper()
    assert "EMIT CHANGES" in script


@pytest.mark.parametrize(
    "document",
    [
        {"panels": [{"rawSql": "SELECT * FROM orders"}]},
        {"up": "CREATE TABLE connector (id INT)", "fill": "INSERT INTO connector SELECT 1"},
        {"scripts": {"help": "INSERT INTO t SELECT 1 is what you write; see connector"}},
    ],
)
def test_sql_of_databases_is_left_out(read_repository, document):
    reading = read_repository({"a.json": json.dumps(document)})

    assert statements(reading) == {}
