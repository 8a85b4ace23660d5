"""Jobs of Flink and Kafka Streams out of a dictionary, into the graph."""

from datetime import UTC, datetime

import pytest
from named_scan import NamedScan

from dataflow_generator.build.assemble import read_flows
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import EdgeKind
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.kafka import Cluster, StreamsTopology, Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import StreamingStatement

AT = datetime(2024, 2, 29, tzinfo=UTC)
KAFKA, FLINK, STREAMS = map(SourceId, ("kafka:k-1:9092", "flink:https://flink.cloud", "streams:counter"))
TOPOLOGY = "Sub-topology: 0\n Source: s (topics: [orders])\n --> k\n Sink: k (topic: counted)\n <-- s\n"


def statement(name: str, text: str, created: str) -> StreamingStatement:
    told = {"compute_pool": "lfcp-1", "catalog_name": "prod", "database_name": "billing", "state": "RUNNING"}
    return StreamingStatement(source=FLINK, name=name, statement=text, created=created, **told)


@pytest.fixture
def conn(new_dictionary):
    """Return a connection to a dictionary that holds a scan with both."""
    aliases = (("display_name", "billing"), ("environment", "prod"))
    cluster = Cluster(name=ClusterName("retail"), brokers=("k-1:9092",), cluster_id="lkc-1", aliases=aliases)
    outcomes = tuple(
        SourceResult(source=each, kind=each.partition(":")[0], status=SourceStatus.READ)
        for each in (KAFKA, FLINK, STREAMS)
    )
    scan = NamedScan(
        cluster=cluster,
        outcomes=outcomes,
        topics=(Topic(source=KAFKA, name=TopicName("orders")),),
        statements=(
            statement("b-insert", "INSERT INTO paid SELECT id FROM cheap", "2024-01-02T00:00:00Z"),
            statement("c-view", "CREATE VIEW cheap AS SELECT id FROM `lkc-1`.orders", "2024-01-01T00:00:00Z"),
        ),
        topologies=(StreamsTopology(source=STREAMS, name="counter", topology=TOPOLOGY, file="counter.txt"),),
    )
    engine = open_dictionary(new_dictionary)
    write_scan(engine, scan, started=AT, finished=AT)
    with engine.connect() as connection:
        yield connection


def test_statements_and_topologies_are_jobs_between_topics_of_their_cluster(conn) -> None:
    """The statement reads through a view of another; both find the topic that the brokers tell."""
    flows = read_flows(load_snapshot(conn))
    uses = [(edge.source, edge.target) for edge in flows.edges if edge.kind in (EdgeKind.READS, EdgeKind.WRITES)]

    assert uses == [
        ("topic:kafka://k-1:9092/orders", "job:flink://flink.cloud/b-insert"),
        ("topic:kafka://k-1:9092/orders", "job:kafka-streams://retail/counter"),
        ("job:flink://flink.cloud/b-insert", "topic:kafka://k-1:9092/paid"),
        ("job:kafka-streams://retail/counter", "topic:kafka://k-1:9092/counted"),
    ]
    assert (flows.coverage.columns, flows.coverage.tables) == (1, 0)


def test_only_topics_that_no_scan_reported_are_new_nodes(conn) -> None:
    """The others are in the graph anyway."""
    assert [node.name for node in read_flows(load_snapshot(conn)).nodes if node.kind == "topic"] == ["counted", "paid"]
