"""The parts that move records: Connect, Flink and Spark really run, and tell what we rely on."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
import requests
from confluent_kafka import Consumer

pytestmark = pytest.mark.lab


def _records(lab, topic: str, count: int) -> list[dict]:
    consumer = Consumer(
        {"bootstrap.servers": lab.told["brokers"]["plaintext"], "group.id": "lab", "auto.offset.reset": "earliest",
         "enable.auto.commit": False}
    )  # fmt: skip
    consumer.subscribe([topic])
    result = []
    for _ in range(60):
        message = consumer.poll(0.5)
        if message and not message.error() and message.value():
            result.append(json.loads(message.value()))
        if len(result) >= count:
            break
    consumer.close()
    return result


def _status(lab, name: str) -> dict:
    lab.needs("connectors")
    return requests.get(f"{lab.told['connect']}/connectors/{name}/status", timeout=10).json()


def test_change_data_arrives_unwrapped_under_its_routed_name(lab) -> None:
    """ExtractNewRecordState and RegexRouter did their work: no envelope, and the added field."""
    lab.needs("connectors")

    rows = [record["payload"] for record in _records(lab, "cdc.customers", 3)]

    assert {"id", "name", "email", "__op"} <= rows[0].keys()


def test_excluded_column_is_not_in_change_data(lab) -> None:
    """`column.exclude.list` names public.orders.note."""
    lab.needs("connectors")

    (record, *_) = _records(lab, "cdc.orders", 1)

    assert "note" not in record["payload"]


def test_sink_writes_the_renamed_column(lab) -> None:
    """ReplaceField renamed name, and dropped born."""
    lab.needs("connectors")

    with psycopg.connect(lab.told["postgres"]["warehouse"]) as connection:
        rows = connection.execute("select * from crm_customers limit 1")
        names = {column.name for column in rows.description or ()}

    assert "full_name" in names
    assert not names & {"name", "born"}


def test_failed_task_reports_its_trace(lab) -> None:
    """The connector that cannot read Avro as JSON."""
    (task,) = _status(lab, "orders-as-json")["tasks"]

    assert task["state"] == "FAILED"
    assert "DataException" in task["trace"]


def test_mirror_names_its_topic_by_the_source(lab, query) -> None:
    """DefaultReplicationPolicy: alias, dot, topic."""
    assert _status(lab, "orders-to-dr")["tasks"][0]["state"] == "RUNNING"

    assert {"retail.orders", "retail.payments"} <= {topic["name"] for topic in query("topics")}


def test_flink_joins_topics_into_another(lab) -> None:
    """An INSERT INTO over two topics of change data."""
    lab.needs("flink-sql")

    assert {record["recipient"] for record in _records(lab, "order-mails", 1)} == {"EVA@ACME.EXAMPLE"}


def test_flink_runs_a_job_for_each_insert_and_each_set(lab) -> None:
    """Two sinks of one statement set share a job."""
    lab.needs("flink-sql")

    jobs = requests.get(f"{lab.told['flink']}/jobs/overview", timeout=10).json()["jobs"]

    assert [job["state"] for job in jobs if job["name"].startswith("insert-into_")] == ["RUNNING"] * 3


def test_spark_listener_names_the_topic_that_the_dictionary_knows(lab) -> None:
    """An event's (namespace, name) is broker and topic of the query."""
    lab.needs("spark-job")
    events = [json.loads(line) for line in Path(lab.told["events"]).read_text("utf-8").splitlines()]
    inputs = {(item["namespace"], item["name"]) for event in events for item in event["inputs"]}
    ((namespace, topic),) = (item for item in inputs if item[0].startswith("kafka://"))
    brokers = lab.told["brokers"]["plaintext"].split(",")
    address = f"sqlite:///{lab.directory}/plain.db"
    config = lab.config(brokers=brokers, kafka={})
    lab.scanner("scan", "--no-graph", "--config", str(config), "--dictionary", address, "--quiet")

    known = json.loads(lab.scanner("topics", topic, "--dictionary", address, "--format", "json"))
    lab.scanner("query", "--broker", namespace.removeprefix("kafka://"), "--topic", topic, "--dictionary", address)

    assert [item["name"] for item in known if item["name"] == topic] == ["clicks"]


def test_spark_listener_reports_column_lineage(lab) -> None:
    """What our own events are compared with."""
    lab.needs("spark-job")
    events = [json.loads(line) for line in Path(lab.told["events"]).read_text("utf-8").splitlines()]
    facets = [item["facets"].get("columnLineage") for event in events for item in event["outputs"]]

    assert any(facet and "total" in facet["fields"] for facet in facets)
