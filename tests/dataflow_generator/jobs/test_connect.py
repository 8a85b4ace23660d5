"""Connectors in the graph: what they move, by which configuration key, and what is unknown."""

from dataclasses import replace

import pytest

from dataflow_generator.graph import Certainty, NodeKind
from dataflow_generator.jobs.connect import ConnectorReading, connect_jobs, report_connector
from dataflow_generator.jobs.connect_columns import KnownColumns
from dataflow_generator.jobs.model import Naming
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.kafka import ConnectorKind
from scanner_model.names import SourceId, TopicName

NAMING = Naming([("retail", ("kafka-1:9092", "kafka-2:9092"))])
DEBEZIUM = "io.debezium.connector.postgresql.PostgresConnector"
POSTGRES = {"database.hostname": "db", "database.dbname": "shop", "topic.prefix": "cdc"}


def connector(kind: str = "sink", active: tuple[str, ...] | None = None, **config: str) -> ConnectorRow:
    told = {key.replace("_", "."): value for key, value in config.items()}
    return ConnectorRow(
        cluster="retail",
        source=SourceId("connect:main"),
        name="mover",
        kind=ConnectorKind(kind),
        connector_class=told.get("connector.class", ""),
        topics=None if active is None else tuple(map(TopicName, active)),
        config=tuple(told.items()),
    )


def read(row: ConnectorRow, *topics: str) -> ConnectorReading:
    (reading,) = connect_jobs([report_connector(row, {"retail": tuple(sorted(topics))}, NAMING)], KnownColumns({}))
    return reading


def test_a_change_feed_reads_tables_and_writes_topics() -> None:
    """From the configuration alone, each end with the key that names it."""
    row = connector("source", connector_class=DEBEZIUM, **POSTGRES, table_include_list="public.orders")
    flows = read(row).flows

    assert [use.dataset.key for use in flows.reads] == ["dataset:postgres://db:5432/shop.public.orders"]
    assert [use.dataset.key for use in flows.writes] == ["topic:kafka://kafka-1:9092/cdc.public.orders"]
    assert "table.include.list" in flows.reads[0].evidence
    assert flows.certainty == Certainty.DERIVED


def test_a_pattern_of_topics_finds_the_ones_that_there_are() -> None:
    """`topics.regex` matches whole names."""
    file = "org.apache.kafka.connect.file.FileStreamSinkConnector"
    flows = read(connector(connector_class=file, topics_regex="ord.*", file="/x"), "orders", "records").flows

    assert [use.dataset.name for use in flows.reads] == ["orders"]


def test_a_class_that_is_unknown_keeps_its_topics_and_reports_it() -> None:
    """It is neither dropped nor guessed."""
    reading = read(connector(connector_class="com.acme.Mystery", topics="orders"), "orders")

    assert [use.dataset.name for use in reading.flows.reads] == ["orders"]
    assert reading.flows.writes == ()
    assert not reading.known
    assert reading.problems[0].where == "connect:main mover connector.class"


def test_an_unknown_transform_keeps_the_flow_with_less_certainty() -> None:
    """Most transforms change fields; where one routes records, the certainty says that they may go elsewhere."""
    own = {"transforms": "own", "transforms_own_type": "com.acme.Own"}
    row = connector("source", connector_class=DEBEZIUM, **POSTGRES, table_include_list="public.orders", **own)
    reading = read(row)

    assert [use.dataset.name for use in reading.flows.writes] == ["cdc.public.orders"]
    assert [use.certainty for use in reading.flows.writes] == [Certainty.MATCHED]
    assert [use.certainty for use in reading.flows.reads] == [None]
    assert reading.flows.columns == ()
    assert any("com.acme.Own" in problem.what for problem in reading.problems)


@pytest.mark.parametrize("name", ["$TOPIC", "${TOPIC}", "$(TOPIC)", "{{ topic }}", "prod-$TOPIC", "${file:/x:topic}"])
def test_a_placeholder_is_no_topic(name: str) -> None:
    """Two connectors with one placeholder would be connected by a topic that does not exist."""
    sink = read(connector(connector_class="org.apache.kafka.connect.file.FileStreamSinkConnector", topics=f"{name},a"))
    source = read(connector("source", connector_class="com.acme.Source", topic=name))

    assert [use.dataset.name for use in sink.flows.reads] == ["a"]
    assert source.flows.writes == ()
    assert all(any(name in problem.what for problem in reading.problems) for reading in (sink, source))


def test_two_connectors_of_one_name_are_two_jobs() -> None:
    """Each Connect cluster names its own."""
    one = connector(connector_class="com.acme.Mystery")
    keys = {read(row).flows.job.key for row in (one, replace(one, source=SourceId("connect:other")))}

    assert len(keys) == 2
    assert all(key.startswith(f"{NodeKind.JOB}:connect://retail/") for key in keys)
