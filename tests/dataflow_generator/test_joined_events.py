"""What OpenLineage events tell, in one graph with what a scan knows."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from importlib import import_module

import pytest
from named_scan import NamedScan

from dataflow_generator.build.assemble import read_flows
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.graph import Certainty, EdgeKind, NodeKind
from dataflow_generator.jobs.field_matching import EventFields
from dataflow_generator.openlineage.events import read_event
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.events import write_events
from scanner_dictionary.write.scan import write_scan
from scanner_model.columns import Column
from scanner_model.kafka import Cluster, Connector, ConnectorKind, Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import ClusterName, Fingerprint, Role, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.schemas import Confidence, Definition, TopicSchema

AT = datetime(2026, 1, 2, tzinfo=UTC)
KAFKA, MANUAL, CONNECT = map(SourceId, ("kafka:k-1:9092", "manual:flows.json", "connect:main"))
NAMESPACE = "kafka://k-1:9092"
TABLE = ("hive://metastore:9083", "lake.paid")


@pytest.fixture(scope="module")
def producer():
    """Load the producer of events."""
    return import_module("lineage_producer")


def scan() -> ClusterScan:
    """Scan a topic with columns, a flow into it from a table, and a sink that writes it to a lake."""
    columns = tuple(Column(path=path, type="string") for path in (("id",), ("buyer",), ("buyer", "name"), ("total",)))
    definition = Definition(fingerprint=Fingerprint("f"), format="AVRO", text="{}", columns=columns)
    link = TopicSchema(
        source=KAFKA,
        topic=TopicName("orders"),
        role=Role.VALUE,
        fingerprint=definition.fingerprint,
        strategy="topic",
        evidence="orders-value",
        confidence=Confidence.CONFIRMED,
    )
    config = {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "topics": "orders",
        "s3.bucket.name": "lake",
        "topics.dir": "raw",
    }
    cdc = {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "topic.prefix": "shop",
        "database.hostname": "db",
        "database.dbname": "shop",
        "table.include.list": "public.customers",
    }
    flow = DeclaredFlow(
        source=MANUAL,
        origin=FlowEnd(namespace="postgres://db:5432", name="shop.public.orders", path=("id",)),
        target=FlowEnd(name="orders", path=("id",)),
        job="copy",
        description="",
        evidence="flows.json 3",
    )
    return NamedScan(
        cluster=Cluster(
            name=ClusterName("retail"), brokers=("k-1:9092", "k-2:9092"), aliases=(("address", "lb.example.com"),)
        ),
        outcomes=tuple(
            SourceResult(source=source_id, kind=source_id.partition(":")[0], status=SourceStatus.READ)
            for source_id in (KAFKA, MANUAL, CONNECT)
        ),
        topics=(Topic(source=KAFKA, name=TopicName("orders")),),
        definitions=(definition,),
        topic_schemas=(link,),
        declared_flows=(flow,),
        connectors=(
            Connector(
                source=CONNECT,
                name="to-lake",
                kind=ConnectorKind.SINK,
                connector_class=config["connector.class"],
                config=tuple(sorted(config.items())),
            ),
            Connector(
                source=CONNECT,
                name="cdc",
                kind=ConnectorKind.SOURCE,
                connector_class=cdc["connector.class"],
                config=tuple(sorted(cdc.items())),
            ),
        ),
    )


@pytest.fixture(scope="module")
def scanned(empty, tmp_path_factory):
    """Return a dictionary that holds the scan, which no test writes."""
    file = shutil.copy(empty, tmp_path_factory.mktemp("scanned") / "dictionary.db")
    write_scan(open_dictionary(str(file)), scan(), started=AT, finished=AT)
    return file


@pytest.fixture
def flows(scanned, tmp_path):
    """Return what makes the graph's flows of the scan and of events."""
    engine = open_dictionary(shutil.copy(scanned, tmp_path))

    def built(*events):
        write_events(engine, [read_event(json.dumps(event)) for event in events])
        with engine.connect() as conn:
            return read_flows(load_snapshot(conn))

    return built


def edges(flows, *kinds):
    return {(edge.source, edge.target) for edge in flows.edges if edge.kind in kinds}


def spark(reported, broker: str = "kafka://SASL_SSL://K-2", **more):
    paid = reported.dataset(
        "s3a://lake",
        "/paid/day=2026-01-02",
        symlinks=reported.symlink(*TABLE),
        schema=reported.schema("order_id", "name"),
        columnLineage=reported.lineage(broker, "orders", order_id="value.id", name="buyer.name"),
    )
    return reported.run_event(job="spark", inputs=[reported.dataset(broker, "orders")], outputs=[paid], **more)


@pytest.mark.parametrize("broker", ["kafka://SASL_SSL://K-2", "kafka://lb.example.com:9999", NAMESPACE])
def test_a_path_leads_from_a_table_through_the_topic_to_what_spark_writes(flows, producer, broker) -> None:
    """Whatever address Spark was configured with, and whatever it puts before the names of fields."""
    result = flows(spark(producer, broker))
    columns = edges(result, EdgeKind.COLUMN_FLOW)

    assert (f"topic:{NAMESPACE}/orders", "job:shop/spark") in edges(result, EdgeKind.READS)
    assert ("job:shop/spark", f"dataset:{TABLE[0]}/{TABLE[1]}") in edges(result, EdgeKind.WRITES)
    assert {
        ("column:postgres://db:5432/shop.public.orders#id", f"column:{NAMESPACE}/orders#id"),
        (f"column:{NAMESPACE}/orders#id", f"column:{TABLE[0]}/{TABLE[1]}#order_id"),
        (f"column:{NAMESPACE}/orders#buyer.name", f"column:{TABLE[0]}/{TABLE[1]}#name"),
    } <= columns


def test_evidence_names_producer_time_and_job(flows, producer) -> None:
    """A reader must be able to ask whoever said so."""
    result = flows(spark(producer))
    (edge,) = [edge for edge in result.edges if edge.target == "job:shop/spark"]

    assert edge.evidence == (
        "OpenLineage event of 2026-01-02T03:04:05Z from https://example.com/engine/1.2: input of job shop/spark"
    )
    assert edge.certainty is Certainty.DECLARED


def test_columns_that_events_report_have_their_types(flows, producer) -> None:
    """No registry knows a table of Spark."""
    nodes = {node.key: dict(node.attributes) for node in flows(spark(producer)).nodes}

    assert nodes[f"column:{TABLE[0]}/{TABLE[1]}#order_id"] == {"type": "string"}


def test_columns_of_a_topic_have_the_types_that_events_report_where_no_schema_describes_it(flows, producer) -> None:
    """Flink reports what it writes; a registry, where it knows the topic, knows better."""
    fields = producer.facet("SchemaDatasetFacet", fields=[{"name": name, "type": "UUID"} for name in ("id", "extra")])
    events = [
        producer.run_event(outputs=[producer.dataset(NAMESPACE, name, schema=fields, columnLineage=lineage)])
        for name, lineage in (
            ("kept", producer.lineage(NAMESPACE, "orders", id="id")),
            ("orders", producer.lineage(NAMESPACE, "kept", id="id", extra="id")),
        )
    ]

    nodes = {node.key: dict(node.attributes) for node in flows(*events).nodes}

    assert nodes[f"column:{NAMESPACE}/kept#id"] == {"type": "UUID"}
    assert nodes[f"column:{NAMESPACE}/orders#id"] == {"type": "string"}
    assert nodes[f"column:{NAMESPACE}/orders#extra"] == {"type": "UUID"}


def test_what_an_engine_reports_a_table_types_the_columns_of_another_job(flows, producer) -> None:
    """A flow that somebody declared knows no types; the reader of its source does."""
    fields = producer.facet("SchemaDatasetFacet", fields=[{"name": "id", "type": "bigint"}])
    event = producer.run_event(inputs=[producer.dataset("postgres://db:5432", "shop.public.orders", schema=fields)])

    nodes = {node.key: dict(node.attributes) for node in flows(event).nodes}

    assert nodes["column:postgres://db:5432/shop.public.orders#id"] == {"type": "bigint"}


def test_a_sink_of_the_scan_and_a_reader_of_its_files_meet(flows, producer) -> None:
    """The connector names a folder, Spark a partition in it."""
    files = producer.dataset("s3a://lake", "/raw/orders/day=1")
    result = flows(producer.run_event(job="compact", inputs=[files]))

    assert ("job:connect://retail/main/to-lake", "dataset:s3://lake/raw/orders") in edges(result, EdgeKind.WRITES)
    assert ("dataset:s3://lake/raw/orders", "job:shop/compact") in edges(result, EdgeKind.READS)


def test_a_likely_join_is_matched_and_states_why(flows, producer) -> None:
    """JDBC readers leave the schema out."""
    result = flows(producer.run_event(job="report", inputs=[producer.dataset("postgresql://DB", "shop.orders")]))
    (edge,) = [edge for edge in result.edges if edge.target == "job:shop/report"]

    assert (edge.source, edge.certainty) == ("dataset:postgres://db:5432/shop.public.orders", Certainty.MATCHED)
    assert "names no schema" in edge.evidence


@pytest.mark.parametrize("namespace", ["kafka-connect", "kafka-connect://main"])
def test_a_connector_that_events_report_is_the_one_that_was_scanned(flows, producer, namespace) -> None:
    """Connect's own extension, and bridges, name it by its name; what they add is added."""
    event = producer.run_event(
        "RUNNING", inputs=[producer.dataset(NAMESPACE, "orders"), producer.dataset(NAMESPACE, "refunds")]
    )
    event["job"] |= {"namespace": namespace, "name": "to-lake"}
    result = flows(event)
    (job,) = [node for node in result.nodes if node.kind == "job" and node.name == "to-lake"]
    reads = [(edge.source, edge.certainty) for edge in result.edges if edge.target == job.key]

    assert job.key == "job:connect://retail/main/to-lake"
    assert dict(job.attributes)["aliases"] == (f"{namespace}/to-lake",)
    assert reads == [
        (f"topic:{NAMESPACE}/orders", Certainty.DERIVED),
        (f"topic:{NAMESPACE}/refunds", Certainty.DECLARED),
    ]


def test_debezium_is_the_connector_whose_topics_begin_with_its_prefix(flows, producer) -> None:
    """It names itself by its prefix and a number of its task."""
    event = producer.run_event("RUNNING", outputs=[producer.dataset(NAMESPACE, "shop.public.customers")])
    event["job"] |= {"namespace": "shop", "name": "shop.0"}
    job = next(node for node in flows(event).nodes if "shop/shop.0" in dict(node.attributes).get("aliases", ()))

    assert job.key == "job:connect://retail/main/cdc"


def test_what_is_reported_under_two_names_is_reported_once(flows, producer) -> None:
    """A job that names its table with and without the port uses one table; the latest event says so."""
    tables = ("postgres://db/", "postgres://db:5432")
    events = [
        producer.run_event(
            time=f"2026-01-0{day}T00:00:00Z",
            inputs=[producer.dataset(table, "shop.public.x")],
            outputs=[
                producer.dataset("s3://lake", "x", columnLineage=producer.lineage(table, "shop.public.x", id="id"))
            ],
        )
        for day, table in enumerate(tables, 1)
    ]
    result = [edge for edge in flows(*events).edges if "shop.public.x" in edge.source and edge.kind != "contains"]

    assert sorted((item.kind, "2026-01-02" in item.evidence) for item in result) == [
        ("column-flow", True),
        ("reads", True),
    ]


def test_debezium_is_the_connector_that_does_what_it_states_whatever_transforms_call_its_topics(
    flows, producer
) -> None:
    """They are not called after the prefix any more."""
    outputs = [producer.dataset("s3://lake", "raw/orders")]
    event = producer.run_event(job="cdc.0", inputs=[producer.dataset(NAMESPACE, "orders")], outputs=outputs)
    event["job"]["namespace"] = "cdc"

    assert not [node for node in flows(event).nodes if node.name == "cdc.0"]


def test_a_flow_through_a_likely_join_is_matched(flows, producer) -> None:
    """A column is as sure as the table that it is of."""
    outputs = [
        producer.dataset("file", "/out", columnLineage=producer.lineage("postgresql://DB", "shop.orders", x="id"))
    ]
    (edge,) = [
        edge for edge in flows(producer.run_event(outputs=outputs)).edges if edge.target == "column:file//out#x"
    ][1:]

    assert (edge.source, edge.certainty) == ("column:postgres://db:5432/shop.public.orders#id", Certainty.MATCHED)
    assert "names no schema" in edge.evidence


def test_the_whole_message_of_spark_is_the_topic(flows, producer) -> None:
    """Spark reads `value` as one column of bytes: lineage ends there, and is not guessed further."""
    paid = producer.dataset("file", "/paid", columnLineage=producer.lineage(NAMESPACE, "orders", raw="value"))
    result = flows(producer.run_event(outputs=[paid]))

    assert (f"topic:{NAMESPACE}/orders", "column:file//paid#raw") in edges(result, EdgeKind.COLUMN_FLOW)


def test_several_topics_in_one_name_are_each_read(flows, producer) -> None:
    """Flink writes what its table's `topic` says; no topic's name holds a semicolon."""
    target = producer.dataset("s3://lake", "all", columnLineage=producer.lineage(NAMESPACE, "orders;clicks", id="id"))
    result = flows(producer.run_event(inputs=[producer.dataset(NAMESPACE, "orders;clicks")], outputs=[target]))

    assert {source for source, target in edges(result, EdgeKind.READS) if target == "job:shop/load"} == {
        f"topic:{NAMESPACE}/orders",
        f"topic:{NAMESPACE}/clicks",
    }
    assert {source for source, target in edges(result, EdgeKind.COLUMN_FLOW) if target.endswith("lake/all#id")} == {
        f"column:{NAMESPACE}/orders#id",
        f"column:{NAMESPACE}/clicks#id",
    }


def test_a_dataset_that_is_reported_for_alone_has_a_job_of_its_own(flows, producer) -> None:
    """A catalog knows where a table comes from; nobody knows by which job."""
    inputs = [{"namespace": NAMESPACE, "name": "orders", "type": "DATASET", "field": "id"}]
    fields = {"id": {"inputs": inputs}}
    facet = producer.facet("LineageDatasetFacet", inputs=inputs, fields=fields)
    result = flows(producer.dataset_event(producer.dataset("bigquery", "p.d.orders", lineage=facet)))

    assert edges(result, EdgeKind.COLUMN_FLOW) >= {
        (f"column:{NAMESPACE}/orders#id", "column:bigquery/p.d.orders#id"),
        (f"column:{NAMESPACE}/orders#id", "dataset:bigquery/p.d.orders"),
    }
    assert ("job:bigquery/lineage of p.d.orders", "dataset:bigquery/p.d.orders") in edges(result, EdgeKind.WRITES)


def test_a_cluster_that_may_be_ours_is_reported_and_not_joined(flows, producer) -> None:
    """The same machine, another port: configuration says whether it is one cluster."""
    result = flows(producer.run_event(inputs=[producer.dataset("kafka://k-1:9999", "orders")]))

    assert ("topic:kafka://k-1:9999/orders", "job:shop/load") in edges(result, EdgeKind.READS)
    assert any("k-1:9999" in problem.where for problem in result.coverage.problems)


def test_what_facets_report_a_job_is_reported_for_its_node(flows, producer) -> None:
    """People look for owner, statement and state."""
    facets = {
        "sql": producer.facet(query="SELECT 1"),
        "ownership": producer.facet(owners=[{"name": "team-b"}, {"name": "team-a"}]),
        "tags": producer.facet(tags=[{"key": "pii"}, {"key": "tier", "value": "1"}]),
        "documentation": producer.facet(description="loads"),
        "jobType": producer.facet(
            "JobTypeJobFacet",
            "2-0-4",
            processingType="BATCH",
            integration="SPARK",
            jobType="JOB",
            emissionPattern={"eventTrigger": "PERIODIC", "eventContentMode": "COMPLETE_SNAPSHOT", "windowDuration": 60},
        ),
    }
    engine = {"processing_engine": producer.facet(version="3.5", name="spark")}
    (job,) = [
        node
        for node in flows(producer.run_event("FAIL", job_facets=facets, run_facets=engine)).nodes
        if node.name == "load"
    ]

    assert dict(job.attributes) == {
        "description": "loads",
        "emission": "PERIODIC COMPLETE_SNAPSHOT",
        "engine": "spark 3.5",
        "integration": "SPARK",
        "job_type": "JOB",
        "owners": ("team-a", "team-b"),
        "processing": "BATCH",
        "producer": producer.PRODUCER,
        "state": "FAIL",
        "statement": "SELECT 1",
        "tags": ("pii", "tier=1"),
        "type": "openlineage",
    }


def test_what_facets_report_a_dataset_is_reported_for_its_node(flows, producer) -> None:
    """Under the name that it is shown by."""
    facets = {
        "symlinks": producer.symlink(*TABLE),
        "ownership": producer.facet(owners=[{"name": "team-a"}]),
        "documentation": producer.facet(description="paid orders"),
        "datasetType": producer.facet(datasetType="TABLE"),
        "tags": producer.facet(tags=[{"key": "pii", "value": "true"}]),
    }
    result = flows(producer.run_event(outputs=[producer.dataset("s3://lake", "paid", **facets)]))
    (node,) = [node for node in result.nodes if node.name == TABLE[1] and node.kind == "dataset"]

    assert dict(node.attributes) == {
        "dataset_type": "TABLE",
        "description": "paid orders",
        "owners": ("team-a",),
        "tags": ("pii=true",),
    }


FIELDS = [("id",), ("after", "total"), ("a.b",), ("address", "city"), ("@key", "id"), ("@key", "region")]


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("id", ("id",)),
        ("value.id", ("id",)),
        ("key.id", ("@key", "id")),
        ("total", ("after", "total")),
        ("after.total", ("after", "total")),
        ("value.total", ("after", "total")),
        ("a.b", ("a.b",)),
        ("address.city", ("address", "city")),
        ("value", None),
        ("key", None),
        ("other", ("other",)),
        (None, None),
    ],
)
def test_fields_are_found_whatever_stands_before_them(written, result) -> None:
    """Bridges put the side of the message before a field, Debezium an envelope."""
    path = None if written is None else (written,)

    assert EventFields(FIELDS, topic=True).find(path) == result


@pytest.mark.parametrize("written", ["at.seconds", "value.at.nanos"])
def test_a_field_inside_a_well_known_message_is_the_column_of_that_message(written: str) -> None:
    """A program that reads Protobuf sees the fields of a timestamp; the topic has one column."""
    fields = EventFields([("at",), ("id",)], topic=True, unlisted={("at",): ("at",)})

    assert fields.find((written,)) == ("at",)


def test_a_column_called_value_of_a_table_is_one() -> None:
    """Only messages have a value."""
    assert EventFields([("id",)], topic=False).find(("value",)) == ("value",)


@pytest.mark.parametrize("kind", ["TABLE", "LOCATION"])
@pytest.mark.parametrize("forged", [("kafka://k-1:9092", "orders"), ("glue://a", "table/x/y"), ("kafka://a:1", "t")])
def test_symlinks_of_an_event_change_nothing_that_was_scanned(flows, producer, forged, kind) -> None:
    """A policy about a dataset finds what connectors write into it, whatever any sender says of its name."""
    kinds = (EdgeKind.READS, EdgeKind.WRITES)
    before = edges(flows(), *kinds)
    names = {(end.namespace, end.name) for end in flows().nodes if end.kind in (NodeKind.DATASET, NodeKind.TOPIC)}
    renaming = [producer.dataset(*name, symlinks=producer.symlink(*forged, kind)) for name in sorted(names)]

    after = edges(flows(producer.run_event(job="forger", outputs=renaming)), *kinds)

    assert before
    assert before <= after
