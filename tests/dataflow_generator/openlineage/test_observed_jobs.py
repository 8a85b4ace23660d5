"""What one poll says of a connector: states of tasks, trouble, and datasets as the graph names them."""

from __future__ import annotations

import pytest

from dataflow_generator.jobs.model import Naming
from dataflow_generator.openlineage.observed_jobs import observed_connector
from dataflow_generator.openlineage.state_machine import Phase, unreadable_job
from scanner_model.kafka import Connector, ConnectorKind, ConnectorTask
from scanner_model.names import SourceId

NAMING = Naming([("shop", ("k-1:9092", "k-2:9092"))])
TRACE = "org.apache.ConnectException: no table\n\tat org.apache.Task"


def connector(state: str, *tasks: str, trace: str = "", **config: str) -> Connector:
    """Build a sink whose failed tasks have a trace."""
    return Connector(
        source=SourceId("connect:main"),
        name="to-lake",
        kind=ConnectorKind.SINK,
        connector_class="io.confluent.connect.s3.S3SinkConnector",
        config=tuple(
            {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake", **config}.items()
        ),
        state=state,
        trace=trace,
        tasks=tuple(
            ConnectorTask(number=number, state=word, trace=TRACE if word == "FAILED" else "")
            for number, word in enumerate(tasks)
        ),
    )


@pytest.mark.parametrize(
    ("reported", "phase", "message"),
    [
        (connector("RUNNING"), Phase.RUNNING, ""),
        (connector("RUNNING", "RUNNING"), Phase.RUNNING, ""),
        (connector("RUNNING", "UNASSIGNED"), Phase.RUNNING, ""),
        (
            connector("RUNNING", "FAILED"),
            Phase.FAILED,
            "1 of 1 tasks failed (0): org.apache.ConnectException: no table",
        ),
        (
            connector("RUNNING", "FAILED", "RUNNING", "FAILED"),
            Phase.RUNNING,
            "2 of 3 tasks failed (0, 2): org.apache.ConnectException: no table",
        ),
        (
            connector("RUNNING", "FAILED", "RESTARTING"),
            Phase.RUNNING,
            "1 of 2 tasks failed (0): org.apache.ConnectException: no table",
        ),
        (connector("FAILED", trace="java.lang.Error: x\n\tat y"), Phase.FAILED, "java.lang.Error: x"),
        (connector("FAILED"), Phase.FAILED, "the connector is FAILED"),
        (
            connector("FAILED", "FAILED"),
            Phase.FAILED,
            "1 of 1 tasks failed (0): org.apache.ConnectException: no table",
        ),
        (connector("DEGRADED", "RUNNING"), Phase.RUNNING, "the connector is DEGRADED"),
        (connector("PAUSED", "PAUSED"), Phase.ENDED, ""),
        (connector(""), Phase.UNKNOWN, ""),
    ],
)
def test_state_and_problems_come_from_connector_and_tasks(reported, phase, message) -> None:
    """A connector that is RUNNING moves nothing when all of its tasks have failed."""
    seen = observed_connector(reported, "shop", NAMING)

    assert (seen.phase, seen.error.message if seen.error else "") == (phase, message)


def test_datasets_are_named_as_in_the_graph() -> None:
    """So that runs and what a scan reports meet: the cluster by its first broker."""
    job = observed_connector(connector("RUNNING", topics="orders,paid"), "shop", NAMING).job

    assert (job.namespace, job.name) == ("connect://shop/main", "to-lake")
    assert [(dataset_entry.namespace, dataset_entry.name) for dataset_entry in job.inputs] == [
        ("kafka://k-1:9092", "orders"),
        ("kafka://k-1:9092", "paid"),
    ]
    assert {output.namespace for output in job.outputs} == {"s3://lake"}
    assert [dataset_entry.facets for dataset_entry in job.inputs] == [{"datasetType": {"datasetType": "TOPIC"}}] * 2


def test_pattern_finds_the_topics_that_are_known() -> None:
    """Where nobody knows any, the pattern itself is the dataset."""
    reported = connector("RUNNING", **{"topics.regex": "pay.*"})

    known, unknown = (observed_connector(reported, "shop", NAMING, topics).job for topics in (["paid", "pays"], []))
    assert [dataset_entry.name for dataset_entry in known.inputs] == ["pays"]
    assert [dataset_entry.name for dataset_entry in unknown.inputs] == ["regex:pay.*"]


def test_connector_that_could_not_be_read_states_nothing() -> None:
    """It is there, which is all that is known."""
    assert unreadable_job("cdc").phase is Phase.UNKNOWN
