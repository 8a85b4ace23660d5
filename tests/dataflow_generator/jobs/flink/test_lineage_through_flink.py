"""A way that no schema describes: from a database through Connect and Flink into a warehouse, out of a dictionary."""

from datetime import UTC, datetime

import pytest
from named_scan import NamedScan

from dataflow_generator.build.assemble import read_flows
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import EdgeKind
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.kafka import Cluster, Connector, ConnectorKind, ConsumerGroup, Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import SCRIPT, StreamingStatement

AT = datetime(2024, 2, 29, tzinfo=UTC)
KAFKA, CONNECT, FLINK = map(SourceId, ("kafka:k-1:9092", "connect:main", "flink:jobs"))
FEED = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db",
    "database.dbname": "shop",
    "topic.prefix": "shop",
    "table.include.list": "public.orders",
    "transforms": "unwrap",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
}
SINK = {
    "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://dw/w",
    "topics": "paid",
    "collection.name.format": "facts",
}
SQL = """CREATE TABLE orders (payload ROW<id STRING, total STRING>)
WITH ('connector' = 'kafka', 'topic' = 'shop.public.orders', 'format' = 'json', 'properties.group.id' = 'payer');
CREATE TABLE paid (id STRING, total DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'paid', 'format' = 'json');
INSERT INTO paid SELECT o.payload.id, CAST(o.payload.total AS DOUBLE) FROM orders AS o;"""


def connector(name: str, kind: ConnectorKind, config: dict[str, str]) -> Connector:
    told = tuple(sorted(config.items()))
    return Connector(source=CONNECT, name=name, kind=kind, connector_class=config["connector.class"], config=told)


@pytest.fixture
def edges(new_dictionary):
    """Return the edges of a dictionary's graph: kind and the last parts of both ends."""
    topics = tuple(map(TopicName, ("paid", "shop.public.orders")))
    scan = NamedScan(
        cluster=Cluster(name=ClusterName("retail"), brokers=("k-1:9092",)),
        outcomes=tuple(
            SourceResult(source=each, kind=each.partition(":")[0], status=SourceStatus.READ)
            for each in (KAFKA, CONNECT, FLINK)
        ),
        topics=tuple(Topic(source=KAFKA, name=name) for name in topics),
        connectors=(connector("dw", ConnectorKind.SINK, SINK), connector("feed", ConnectorKind.SOURCE, FEED)),
        consumer_groups=(ConsumerGroup(source=KAFKA, name="payer", state="EMPTY", topics=topics[1:]),),
        statements=(StreamingStatement(source=FLINK, name="pay.sql", statement=SQL, kind=SCRIPT),),
    )
    engine = open_dictionary(new_dictionary)
    write_scan(engine, scan, started=AT, finished=AT)
    with engine.connect() as conn:
        return {
            (edge.kind, edge.source.rpartition("/")[2], edge.target.rpartition("/")[2])
            for edge in read_flows(load_snapshot(conn)).edges
        }


def test_columns_that_ddl_reports_lead_on_to_both_ends(edges) -> None:
    """The envelope of Connect's JSON, which only Flink's table shows, stands between the database and the topic."""
    assert {
        (EdgeKind.COLUMN_FLOW, "shop.public.orders#total", "shop.public.orders#payload.total"),
        (EdgeKind.COLUMN_FLOW, "shop.public.orders#payload.total", "paid#total"),
        (EdgeKind.COLUMN_FLOW, "paid#total", "w.public.facts#total"),
    } <= edges


def test_the_consumer_group_of_a_flink_job_is_its_member(edges) -> None:
    """Flink commits offsets for it; it is no second reader."""
    assert (EdgeKind.MEMBER_OF, "payer", "pay.sql") in edges
    assert not [edge for edge in edges if edge[0] is EdgeKind.READS and edge[2] == "payer"]
