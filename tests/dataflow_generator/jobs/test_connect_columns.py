"""Columns through connectors in the graph: whose they are, why, and what is unknown."""

from collections.abc import Mapping

from dataflow_generator.graph import Certainty, NodeKind
from dataflow_generator.jobs.connect import ConnectorReading, ReportedConnector, connect_jobs, report_connector
from dataflow_generator.jobs.connect_columns import KnownColumns, derive
from dataflow_generator.jobs.model import GraphDataset, Naming
from scanner_dictionary.queries.connectors import ConnectorRow
from scanner_model.columns import ColumnPath, parse_path, path_name
from scanner_model.kafka import ConnectorKind
from scanner_model.names import SourceId

NAMING = Naming([("retail", ("kafka-1:9092",))])
KAFKA = "org.apache.kafka.connect.transforms."
CDC = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db",
    "database.dbname": "shop",
    "topic.prefix": "cdc",
    "table.include.list": "inventory.customers",
    "transforms": "unwrap",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
}
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://dw/warehouse",
    "topics": "cdc.inventory.customers",
    "table.name.format": "crm",
    "transforms": "slim",
    "transforms.slim.type": f"{KAFKA}ReplaceField$Value",
    "transforms.slim.renames": "email:mail",
}
MIRROR = {
    "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
    "source.cluster.alias": "eu",
    "source.cluster.bootstrap.servers": "kafka-1:9092",
    "target.cluster.bootstrap.servers": "dr:9092",
    "topics": "a,b,c",
}


def connector(name: str, kind: str, config: Mapping[str, str]) -> ReportedConnector:
    row = ConnectorRow(
        cluster="retail",
        source=SourceId("connect:main"),
        name=name,
        kind=ConnectorKind(kind),
        connector_class=config["connector.class"],
        config=tuple(config.items()),
    )
    return report_connector(row, {}, NAMING)


def topic(name: str) -> GraphDataset:
    return GraphDataset(NodeKind.TOPIC, "kafka://kafka-1:9092", name)


def paths(text: str) -> tuple[ColumnPath, ...]:
    return tuple(parse_path(name) for name in text.split())


def read(told: ReportedConnector, seen: KnownColumns) -> ConnectorReading:
    (reading,) = connect_jobs([told], seen)
    return reading


def flows(reading: ConnectorReading) -> list[tuple[str, str, str, str]]:
    return sorted(
        (
            flow.source.dataset.name,
            path_name(flow.source.path or ()),
            flow.target.dataset.name,
            path_name(flow.target.path or ()),
        )
        for flow in reading.flows.columns
    )


def test_a_column_goes_from_the_database_through_the_topic_into_the_warehouse() -> None:
    """Each step by its own connector, with the key and the transform that say so."""
    known = {topic("cdc.inventory.customers"): paths("@key.id id email")}
    cdc, sink = (
        read(each, KnownColumns(known)) for each in (connector("cdc", "source", CDC), connector("dw", "sink", SINK))
    )

    assert ("shop.inventory.customers", "email", "cdc.inventory.customers", "email") in flows(cdc)
    assert ("cdc.inventory.customers", "email", "warehouse.public.crm", "mail") in flows(sink)
    assert [flow.evidence for flow in sink.flows.columns if flow.target.path == ("mail",)] == [
        "connector dw: topics, table.name.format, connection.url, transforms.slim"
    ]
    assert cdc.complete
    assert sink.complete
    assert cdc.flows.certainty is Certainty.DERIVED


def test_a_topic_that_is_not_described_has_what_connectors_report_it() -> None:
    """From the mirror's source to its copy, and on into the table behind the copy."""
    on = MIRROR | {"topics": "a", "target.cluster.bootstrap.servers": "kafka-1:9092"}
    sink = SINK | {"topics": "eu.a", "transforms": ""}
    told = [connector("mirror", "source", on), connector("dw", "sink", sink)]
    known = {topic("a"): paths("@key.id id total")}
    derived = derive(((each.config, each.flows, each.pairs) for each in told), known, {})

    assert derived[topic("eu.a")] == paths("@key.id id total")
    assert ("eu.a", "total", "warehouse.public.crm", "total") in flows(
        read(told[1], KnownColumns(known, lambda: derived))
    )


def test_what_others_write_into_a_table_does_not_limit_what_a_sink_writes_there() -> None:
    """Two sinks of one table, the topic of one of them described by nobody but a mirror."""
    on = MIRROR | {"topics": "a", "target.cluster.bootstrap.servers": "kafka-1:9092"}
    one, other = (connector(name, "sink", SINK | {"topics": name, "transforms": ""}) for name in ("b", "eu.a"))
    told = [connector("mirror", "source", on), one, other]
    known = {topic("a"): paths("id total"), topic("b"): paths("id")}
    derived = derive(((each.config, each.flows, each.pairs) for each in told), known, {})

    assert derived[other.pairs[0][2]] == paths("id")
    assert ("eu.a", "total", "warehouse.public.crm", "total") in flows(
        read(other, KnownColumns(known, lambda: derived))
    )


def test_a_table_is_reported_by_what_other_jobs_read_of_the_topic_that_its_change_feed_writes() -> None:
    """They see the envelope of Connect's JSON, too, which the table does not have."""
    feed, feeds = connector("cdc", "source", CDC), topic("cdc.inventory.customers")
    derived = derive([(feed.config, feed.flows, feed.pairs)], {}, {feeds: paths("payload payload.email")})

    assert flows(read(feed, KnownColumns({}, lambda: derived))) == [
        ("shop.inventory.customers", "email", "cdc.inventory.customers", "payload.email")
    ]


def test_connectors_in_a_cycle_come_to_an_end() -> None:
    """Two mirrors that copy each other's copies."""
    there = MIRROR | {"topics": "a", "target.cluster.bootstrap.servers": "kafka-1:9092"}
    back = there | {"topics": "eu.a", "replication.policy.class": "x.IdentityReplicationPolicy"}
    told = [connector("there", "source", there), connector("back", "source", back)]

    assert derive(((each.config, each.flows, each.pairs) for each in told), {}, {}) == {}


def test_a_topic_without_columns_costs_the_columns_of_its_flow_only() -> None:
    """The datasets stay, the reason is reported, and the other topics keep theirs."""
    reading = read(connector("dw", "sink", SINK | {"topics": "a,b"}), KnownColumns({topic("a"): paths("id")}))

    assert flows(reading) == [("a", "id", "warehouse.public.crm", "id")]
    assert not reading.complete
    assert [use.dataset.name for use in reading.flows.reads] == ["a", "b"]
    assert "the columns of 'b' are unknown" in reading.problems[0].what


def test_a_transform_that_is_unknown_is_named() -> None:
    """With its class, its connector and its place in the configuration."""
    unknown = SINK | {"transforms.slim.type": "com.acme.Scramble"}
    reading = read(connector("dw", "sink", unknown), KnownColumns({topic("cdc.inventory.customers"): paths("id")}))

    assert reading.flows.columns == ()
    assert reading.known
    assert not reading.complete
    assert reading.problems[0].where == "connect:main dw transforms.slim.type"
    assert "com.acme.Scramble" in reading.problems[0].what


def test_a_mirror_of_three_topics_is_three_ways() -> None:
    """And not nine pairs."""
    reading = read(connector("mirror", "source", MIRROR), KnownColumns({}))

    assert [(use.dataset.name, use.route) for use in reading.flows.reads] == [("a", "a"), ("b", "b"), ("c", "c")]
    assert [(use.dataset.name, use.route) for use in reading.flows.writes] == [
        ("eu.a", "a"),
        ("eu.b", "b"),
        ("eu.c", "c"),
    ]


def test_a_sink_names_its_consumer_group() -> None:
    """As Connect does, unless the configuration overrides it."""
    own = {"consumer.override.group.id": "loaders"}
    groups = [
        dict(read(connector("dw", "sink", SINK | more), KnownColumns({})).flows.job.attributes)["consumer_group"]
        for more in ({}, own)
    ]

    assert groups == ["connect-dw", "loaders"]
    assert "consumer_group" not in dict(read(connector("cdc", "source", CDC), KnownColumns({})).flows.job.attributes)
