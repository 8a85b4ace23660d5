"""Connectors that other programs read wrongly, or lose: what the graph must say of each."""

from collections.abc import Mapping

import pytest

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.connect import ConnectorReading, connect_jobs, report_connector
from dataflow_generator.jobs.connect_columns import KnownColumns
from dataflow_generator.jobs.model import GraphDataset, Naming, Use
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.columns import path_name
from scanner_model.kafka import ConnectorKind
from scanner_model.names import SourceId

NAMING = Naming([("retail", ("kafka-1:9092",))])
KAFKA = "org.apache.kafka.connect.transforms."
S3 = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake"}
JDBC = {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "connection.url": "jdbc:postgresql://dw/w"}
CDC = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db",
    "database.dbname": "shop",
    "topic.prefix": "cdc",
    "table.include.list": "public.orders,public.customers",
}


def read(
    kind: str, config: Mapping[str, str], *topics: str, columns: tuple[tuple[str, ...], ...] = (("id",), ("email",))
) -> ConnectorReading:
    row = ConnectorRow(
        cluster="retail",
        source=SourceId("connect:main"),
        name="c",
        kind=ConnectorKind(kind),
        connector_class=config["connector.class"],
        config=tuple(config.items()),
    )
    known = {GraphDataset(NodeKind.TOPIC, "kafka://kafka-1:9092", name): columns for name in topics}
    (reading,) = connect_jobs([report_connector(row, {"retail": tuple(sorted(topics))}, NAMING)], KnownColumns(known))
    return reading


def names(uses: tuple[Use, ...]) -> list[str]:
    return [use.dataset.name for use in uses]


def router(regex: str, replacement: str) -> dict[str, str]:
    return {
        "transforms": "r",
        "transforms.r.type": f"{KAFKA}RegexRouter",
        "transforms.r.regex": regex,
        "transforms.r.replacement": replacement,
    }


@pytest.mark.parametrize(
    ("regex", "topic", "table"), [("prod", "prod.orders", "w.prod.orders"), ("o", "foo", "w.public.foo")]
)
def test_a_router_that_matches_a_part_of_the_name_routes_nothing(regex, topic, table) -> None:
    """Kafka asks for a match of the whole name; the data still go to the table of the topic's own name."""
    reading = read("sink", JDBC | {"topics": topic} | router(regex, "x"), topic)

    assert names(reading.flows.writes) == [table]
    assert reading.complete


def test_a_source_of_an_unsupported_class_stays() -> None:
    """The job is there with its topic, and the edge that nobody knows is reported."""
    reading = read("source", {"connector.class": "com.acme.MysterySource", "kafka.topic": "orders"}, "orders")

    assert names(reading.flows.writes) == ["orders"]
    assert reading.flows.job.name == "c"
    assert reading.problems


def test_tables_of_a_change_feed_reach_their_topics_through_a_router() -> None:
    """Each table its own, and each with its columns."""
    config = CDC | router(r"cdc\.public\.(.*)", "shop.$1")
    flows = read("source", config, "shop.orders", "shop.customers", columns=(("after", "id"), ("op",))).flows

    assert names(flows.writes) == ["shop.customers", "shop.orders"]
    assert {(flow.source.dataset.name, flow.target.dataset.name) for flow in flows.columns} == {
        ("shop.public.customers", "shop.customers"),
        ("shop.public.orders", "shop.orders"),
    }


def test_two_sinks_into_one_bucket_write_two_folders() -> None:
    """A bucket is no dataset."""
    found = [names(read("sink", S3 | {"topics": topic}, topic).flows.writes) for topic in ("a", "b")]

    assert found == [["topics/a"], ["topics/b"]]


def test_a_password_in_a_url_is_in_no_node_and_no_evidence() -> None:
    """Neither as part of an id, nor as a reason."""
    secret = {"connection.url": "jdbc:postgresql://eva:s3cr3t@dw/w?user=eva&password=s3cr3t", "topics": "t"}

    assert "s3cr3t" not in repr(read("sink", JDBC | secret, "t"))


def test_a_source_has_inputs_of_the_system_outside() -> None:
    """A lineage that begins at the topic answers half of the question."""
    assert names(read("source", CDC).flows.reads) == ["shop.public.customers", "shop.public.orders"]


def test_a_map_from_topics_to_tables_is_heeded() -> None:
    """And so are the columns behind it."""
    config = {
        "connector.class": "com.snowflake.kafka.connector.SnowflakeSinkConnector",
        "snowflake.url.name": "acme.snowflakecomputing.com",
        "snowflake.database.name": "DB",
        "snowflake.topic2table.map": "orders:FACTS",
        "snowflake.enable.schematization": "true",
        "topics": "orders",
    }
    flows = read("sink", config, "orders").flows

    assert names(flows.writes) == ["DB.PUBLIC.FACTS"]
    assert {path_name(flow.target.path or ()) for flow in flows.columns} == {"ID", "EMAIL"}


def test_topics_by_a_pattern_are_those_that_there_are() -> None:
    """Each with its own columns."""
    flows = read("sink", JDBC | {"topics.regex": "ord.*"}, "orders", "ordinals", "records").flows

    assert names(flows.reads) == ["orders", "ordinals"]
    assert {flow.source.dataset.name for flow in flows.columns} == {"orders", "ordinals"}


@pytest.mark.parametrize("key", ["exclude", "blacklist"])
def test_fields_that_are_dropped_by_either_name_do_not_flow(key) -> None:
    """Older configurations say whitelist and blacklist."""
    drop = {"transforms": "d", "transforms.d.type": f"{KAFKA}ReplaceField$Value", f"transforms.d.{key}": "email"}
    flows = read("sink", JDBC | {"topics": "t"} | drop, "t").flows

    assert {path_name(flow.source.path or ()) for flow in flows.columns} == {"id"}


def test_several_databases_of_one_server_are_one_input_each() -> None:
    """Neither an exception nor one of them only."""
    config = {
        "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
        "database.hostname": "db",
        "database.names": "a,b",
        "topic.prefix": "cdc",
        "table.include.list": "dbo.t",
    }
    flows = read("source", config).flows

    assert names(flows.reads) == ["a.dbo.t", "b.dbo.t"]
    assert [(use.dataset.name, use.route) for use in flows.writes] == [
        ("cdc.a.dbo.t", "a.dbo.t"),
        ("cdc.b.dbo.t", "b.dbo.t"),
    ]


def test_topics_of_the_connector_s_own_are_no_data() -> None:
    """A schema history is read by nobody who wants orders."""
    config = CDC | {"schema.history.internal.kafka.topic": "history"}

    assert "history" not in names(read("source", config, "history").flows.writes)


def test_columns_are_reported_without_any_server_that_knows_the_table() -> None:
    """What is not in a catalog has what the connector makes of the topic."""
    flows = read("sink", JDBC | {"topics": "orders"}, "orders").flows

    assert {(path_name(flow.source.path or ()), path_name(flow.target.path or ())) for flow in flows.columns} == {
        ("id", "id"),
        ("email", "email"),
    }
