"""Connectors and consumer groups out of a dictionary, into the graph."""

from datetime import UTC, datetime

import pytest
from named_scan import NamedScan

from dataflow_generator.build.assemble import read_flows
from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import EdgeKind
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.lineage_inputs.jobs import columns_of_topics, consumer_groups, paths_of_topics
from scanner_dictionary.write.scan import write_scan
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, ConnectorKind, ConsumerGroup, Topic
from scanner_model.names import ClusterName, Fingerprint, Role, SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, TopicSchema

AT = datetime(2024, 2, 29, tzinfo=UTC)
KAFKA, CONNECT, CATALOG = map(SourceId, ("kafka:k-1:9092", "connect:main", "catalog:unity"))
MIRROR = {
    "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
    "source.cluster.alias": "eu",
    "source.cluster.bootstrap.servers": "k-1:9092",
    "target.cluster.bootstrap.servers": "k-1:9092",
    "topics": "orders,payments",
}
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://dw/w",
    "topics": "eu.orders",
    "table.name.format": "facts",
}


def connector(name: str, kind: ConnectorKind, config: dict[str, str]) -> Connector:
    told = tuple(sorted(config.items()))
    return Connector(source=CONNECT, name=name, kind=kind, connector_class=config["connector.class"], config=told)


def definition(mark: str, *names: str) -> Definition:
    columns = tuple(Column(path=(name,), type="string") for name in names)
    return Definition(fingerprint=Fingerprint(mark * 64), format="AVRO", text="{}", columns=columns)


def described(role: Role, found: Definition) -> TopicSchema:
    return TopicSchema(
        source=KAFKA,
        topic=TopicName("orders"),
        role=role,
        fingerprint=found.fingerprint,
        strategy="topic",
        evidence="subject",
        confidence=Confidence.CONFIRMED,
    )


@pytest.fixture
def conn(new_dictionary):
    """Return a connection to a dictionary of a mirror, a sink of its copy, a catalog's table and three groups."""
    key, value = definition("a", "id"), definition("b", "id", "total", "note")
    outcomes = (
        *(
            SourceResult(source=each, kind=each.partition(":")[0], status=SourceStatus.READ)
            for each in (KAFKA, CONNECT, CATALOG)
        ),
    )
    scan = NamedScan(
        cluster=Cluster(name=ClusterName("retail"), brokers=("k-1:9092",)),
        outcomes=outcomes,
        topics=tuple(Topic(source=KAFKA, name=TopicName(name)) for name in ("eu.orders", "orders", "payments")),
        definitions=(key, value),
        topic_schemas=(described(Role.KEY, key), described(Role.VALUE, value)),
        connectors=(connector("dw", ConnectorKind.SINK, SINK), connector("mirror", ConnectorKind.SOURCE, MIRROR)),
        consumer_groups=tuple(
            ConsumerGroup(source=KAFKA, name=name, state="STABLE", topics=topics)
            for name, topics in (
                ("billing", (TopicName("orders"),)),
                ("connect-dw", (TopicName("eu.orders"),)),
                ("idle", ()),
            )
        ),
        catalog_tables=(
            CatalogTable(
                source=CATALOG,
                provider="unity",
                namespace="postgres://dw:5432",
                name="w.public.facts",
                columns=tuple(Column(path=(name,), type="text") for name in ("id", "TOTAL")),
            ),
        ),
    )
    engine = open_dictionary(new_dictionary)
    write_scan(engine, scan, started=AT, finished=AT)
    with engine.connect() as connection:
        yield connection


def short(flows: Flows, kind: EdgeKind) -> list[tuple[str, str]]:
    return [
        (edge.source.rpartition("/")[2], edge.target.rpartition("/")[2]) for edge in flows.edges if edge.kind is kind
    ]


def test_a_copy_that_nobody_describes_passes_columns_on_to_what_a_catalog_describes(conn) -> None:
    """The mirror tells the copy's columns; the catalog which of them the table has, and under which name."""
    flows = read_flows(load_snapshot(conn))
    edges = {edge.target.rpartition("#")[2]: edge for edge in flows.edges if edge.target.startswith("column:postgres")}
    found = [pair for pair in short(flows, EdgeKind.COLUMN_FLOW) if pair[0].startswith("eu.")]

    assert ("orders#@key.id", "eu.orders#@key.id") in short(flows, EdgeKind.COLUMN_FLOW)
    assert found == [("eu.orders#id", "w.public.facts#id"), ("eu.orders#total", "w.public.facts#TOTAL")]
    assert {name: str(edges[name].certainty) for name in edges} == {"id": "derived", "TOTAL": "matched"}


def test_how_far_connectors_are_read_is_counted(conn) -> None:
    """payments has no columns, and so costs the mirror its whole."""
    coverage = read_flows(load_snapshot(conn)).coverage

    assert (coverage.connector_columns, coverage.connectors, coverage.unknown_connectors) == (1, 1, 0)
    assert [problem.where for problem in coverage.problems] == ["connect:main mirror columns"]


def test_connector_of_an_unknown_class_is_marked_as_unread(new_dictionary) -> None:
    """Its card says that its flows are unknown; those of others do not."""
    engine = open_dictionary(new_dictionary)
    odd = connector("odd", ConnectorKind.SINK, {"connector.class": "com.acme.Odd", "topics": "orders"})
    known = connector("dw", ConnectorKind.SINK, SINK)
    kafka = Cluster(name=ClusterName("shop"), brokers=("k-1:9092",))
    outcome = SourceResult(source=CONNECT, kind="connect", status=SourceStatus.READ)
    scan = NamedScan(cluster=kafka, connectors=(odd, known), outcomes=(outcome,))
    write_scan(engine, scan, started=AT, finished=AT)
    with engine.connect() as conn:
        flows = read_flows(load_snapshot(conn))

    assert {node.name: dict(node.attributes).get("unread") for node in flows.nodes if node.kind == "job"} == {
        "odd": True,
        "dw": None,
    }


def test_groups_are_readers_or_members(conn) -> None:
    """A group that reads nothing is there, too."""
    flows = read_flows(load_snapshot(conn))

    assert short(flows, EdgeKind.MEMBER_OF) == [("connect-dw", "dw")]
    assert ("orders", "billing") in short(flows, EdgeKind.READS)
    assert "consumer-group:kafka://k-1:9092/idle" in {node.key for node in flows.nodes}


def test_groups_are_listed_with_their_topics(conn) -> None:
    """By name, and with the broker's word for their state."""
    assert [(row.name, row.state, row.topics) for _, row in consumer_groups(conn)] == [
        ("billing", "STABLE", ("orders",)),
        ("connect-dw", "STABLE", ("eu.orders",)),
        ("idle", "STABLE", ()),
    ]


def test_paths_are_those_of_the_columns(conn) -> None:
    """The quick question and the full one agree."""
    topics = {("retail", "orders"), ("retail", "payments")}
    full = {topic: tuple(one.path for one in columns) for topic, columns in columns_of_topics(conn, topics).items()}

    assert paths_of_topics(conn, topics) == full
    assert full == {("retail", "orders"): (("@key", "id"), ("id",), ("total",), ("note",))}
